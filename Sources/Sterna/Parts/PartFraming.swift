import NIOCore
import SternaCore
import SternaSerialization

/// How the bytes of a response become parts.
struct PartFraming: Sendable {
    /// Nil for a response that is its only part.
    private var parser: MultipartParser?
    /// The next events of a response that is its only part.
    private var events: [MultipartParser.Event] = []

    /// Makes the framing of a multipart response.
    ///
    /// Throws `unacceptableMediaType` for another type, and `malformedResponse` without a valid boundary.
    init(multipart response: Response, _ limits: PartLimits) throws(SternaError) {
        let validation = ResponseValidation(mediaTypes: ["multipart/*"])
        if var error = validation.typeError(response, body: Bytes()) {
            (error.response, error.body) = (response.withoutBody, nil)
            throw error.advised(.inDetail)
        }
        // Frames of cameras come at intervals: the next delimiter would complete each of them too late.
        let isEndless = response.mediaType?.essence == "multipart/x-mixed-replace"
        guard let boundary = response.mediaType?["boundary"],
            let parser = MultipartParser(boundary: boundary, limits: limits, usesContentLength: isEndless)
        else {
            throw SternaError(
                .malformedResponse, phase: .read,
                "The response's Content-Type is a multipart type without a valid boundary.")
        }
        self.parser = parser
    }

    /// Makes the framing of a response that is its only part.
    init(single response: Response) { events = [.part(response.headers)] }

    /// Returns the next event; nil if more bytes are needed.
    mutating func next() throws(SternaError) -> MultipartParser.Event? {
        guard parser != nil else { return events.isEmpty ? nil : events.removeFirst() }
        return try parser?.next()
    }

    /// Takes bytes of the body; nil at its end.
    mutating func receive(_ bytes: Bytes?) throws(SternaError) {
        if parser == nil {
            events += bytes.map { [.bytes($0)] } ?? [.partEnd, .end]
        } else if let bytes {
            parser?.append(bytes)
        } else {
            try parser?.finish()
        }
    }
}
