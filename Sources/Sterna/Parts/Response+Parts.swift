import HTTPTypes
public import SternaCore
public import SternaSerialization

/// The parts of a multipart response (RFC 2046, 5.1), as they arrive.
///
///     try await api.withResponse(to: .get("report")) { response in
///         for try await part in response.parts {
///             let text = try await part.body.collect(upTo: 1 << 20).text
///             print(part.headers, text)
///         }
///     }
extension Response {
    /// The parts of a body of any type `multipart/…`, within the default limits of ``SternaSerialization/PartLimits``.
    ///
    /// A part's body is streamed: the next part is read when it is requested, after what is left of the one before. Preamble and
    /// epilogue are left out, and a part that is a multipart body itself is one body of bytes. In `multipart/x-mixed-replace`, as
    /// cameras send it without end, the Content-Length of a part completes it, before the next one arrives.
    ///
    /// Throws `unacceptableMediaType` for another type; `malformedResponse` without a boundary, and for a header that is none;
    /// `truncated` if the closing delimiter is missing; `limitExceeded`. All but the first end the response. The sequence can be read
    /// as often as the body. To store it, declare the property as `any AsyncSequence<ResponsePart, any Error> & Sendable`.
    public var parts: some AsyncSequence<ResponsePart, any Error> & Sendable {
        ResponseParts(response: self, limits: PartLimits())
    }

    /// The parts of a multipart body within other limits; see ``parts``.
    ///
    ///     for try await part in response.parts(limits: { $0.body = 1 << 20 }) { … }
    public func parts(limits change: (inout PartLimits) -> Void) -> some AsyncSequence<ResponsePart, any Error>
        & Sendable
    {
        var limits = PartLimits()
        change(&limits)
        return ResponseParts(response: self, limits: limits)
    }
}

/// The parts of a multipart response; they can be read as often as its body.
struct ResponseParts: AsyncSequence, Sendable {
    typealias Element = ResponsePart
    let response: Response
    let limits: PartLimits

    func makeAsyncIterator() -> Iterator { Iterator(response: response, limits: limits) }

    /// Reads part by part.
    struct Iterator: AsyncIteratorProtocol {
        let response: Response
        let limits: PartLimits
        private var reader: PartReader?

        init(response: Response, limits: PartLimits) { (self.response, self.limits) = (response, limits) }

        mutating func next() async throws -> ResponsePart? {
            if let reader { return try await reader.nextPart() }
            let opened = try open()
            reader = opened
            return try await opened.nextPart()
        }

        private func open() throws -> PartReader {
            let framing: PartFraming
            do {
                framing = try PartFraming(multipart: response, limits)
            } catch {
                throw response.explained(error)
            }
            let head = response.withoutBody
            return PartReader(
                response.body, framing, placing: { fields, _ throws(SternaError) in RangeCheck.place(of: fields) },
                explain: { head.explained($0) })
        }
    }
}

extension Response {
    /// Returns an error of this response's body with the response and its URL, unless it has them.
    fileprivate func explained(_ error: any Error) -> any Error {
        guard var known = error as? SternaError, known.kind != .cancelled, known.response == nil else { return error }
        known.response = withoutBody
        known.requestSent = true
        if known.url == nil { known.url = Redaction.show(url) }
        return known
    }
}
