import HTTPTypes
import SternaCore
import SternaSerialization

/// Decides which bytes a download requests, and how it uses a response. Pure functions without I/O.
enum ResumeRule {
    /// The known state of a representation and its partial file.
    struct Known: Sendable, Hashable {
        /// The strong validator of the received bytes; nil if the server sent none.
        var validator: EntityValidator?

        /// The complete length in bytes; nil if unknown.
        var length: Int64?

        /// The bytes in the partial file.
        var present = ByteRanges()
    }

    /// The range that a request asks for.
    struct RequestedRange: Sendable, Hashable {
        /// The position of the first byte.
        var first: Int64

        /// The position after the last byte; nil for the end of the file.
        var end: Int64?

        /// The value of the Range field (RFC 9110, 14.2).
        var fieldValue: String {
            guard let end, end > first else { return "bytes=\(first)-" }
            return "bytes=\(first)-\(end - 1)"
        }
    }

    /// The next step of a download.
    enum Step: Sendable, Hashable {
        /// All bytes are received.
        case complete
        /// Request the whole file, and start the partial file over.
        case whole
        /// Request this range, and add it to the received bytes.
        case range(RequestedRange)
    }

    /// Decides what to request next.
    ///
    /// Without a strong validator, the received bytes may be of another file, so the download starts over.
    static func next(_ known: Known) -> Step {
        if known.length == known.present.total { return .complete }
        guard known.validator != nil, !known.present.isEmpty, let gap = known.present.missing(of: known.length).first
        else { return .whole }
        // The last range is left open, since some servers support no other ranges.
        let isLast = gap.upperBound == known.length ?? .max
        return .range(RequestedRange(first: gap.lowerBound, end: isLast ? nil : gap.upperBound))
    }

    /// Returns the fields of a range request.
    ///
    /// With If-Range, a server sends the range only if the representation is unchanged, and otherwise the whole file (RFC 9110,
    /// 13.1.5). Ranges are positions in the coded bytes, so no coding is accepted (RFC 9110, 14.1.2).
    static func fields(_ range: RequestedRange, _ validator: EntityValidator) -> HTTPFields {
        var fields = HTTPFields()
        fields[.range] = range.fieldValue
        fields[.ifRange] = validator.fieldValue
        fields[.acceptEncoding] = "identity"
        return fields
    }
}

extension ResumeData {
    /// The state of the representation and its partial file.
    var known: ResumeRule.Known { .init(validator: validator, length: length, present: present) }
}

extension ResumeRule {
    /// What to do with a response.
    enum Decision: Sendable {
        /// The content is a part of the file: write it at the range's lower bound. It must have exactly the range's bytes; `length`
        /// is the complete length, nil if still unknown.
        case append(Range<Int64>, length: Int64?)
        /// The content is the whole file: start the partial file over. `length` is nil if unknown; without a validator, the
        /// download cannot be resumed.
        case startOver(length: Int64?, validator: EntityValidator?)
        /// The received bytes are of no use: discard the response and the partial file, and request the whole file.
        case requestWhole
        /// All bytes were received before, as the length confirms.
        case complete(length: Int64)
        /// The response serializer judges the response, whose content is not a part of the file.
        case deliver
        /// The response has no part of the file, or violates HTTP. The received bytes are kept.
        case refuse(SternaError)
    }

    /// Decides how a response is used.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header section.
    ///   - isDecoded: whether a content coding was undone, whose field is then absent.
    ///   - requested: the requested range; nil for the whole file.
    ///   - known: the state when the request was sent.
    static func decision(
        status: Int, fields: FieldSection, isDecoded: Bool = false, requested: RequestedRange?, known: Known
    ) -> Decision {
        switch status {
        case 206: part(fields, requested, known)
        case 416: unsatisfied(fields, requested, known)
        case 200, 203: whole(status, fields, isDecoded)
        // Other successes have no content, or content that does not represent the target (RFC 9110, 15.3), so it cannot be
        // appended.
        case 201..<300 where requested != nil: noPart(status)
        case 202, 204, 205: noFile(status)
        default: .deliver
        }
    }

    /// A 200: the server ignores ranges, or the representation has changed (RFC 9110, 13.1.5).
    private static func whole(_ status: Int, _ fields: FieldSection, _ isDecoded: Bool) -> Decision {
        // The length and the entity tag of coded content do not describe the file's bytes.
        guard !isDecoded, !hasCoding(fields) else { return .startOver(length: nil, validator: nil) }
        // A proxy changed the content of a 203, but not the origin's entity tag (RFC 9110, 15.3.4).
        let canContinue = status == 200 && !refusesRanges(fields)
        return .startOver(length: contentLength(fields), validator: canContinue ? EntityValidator(fields) : nil)
    }

    /// A 206 (RFC 9110, 15.3.7).
    private static func part(_ fields: FieldSection, _ requested: RequestedRange?, _ known: Known) -> Decision {
        guard let requested else {
            return refuse("The server answered 206, a part of the file, but no range was requested.")
        }
        guard !isMultipart(fields) else {
            return refuse("The server answered one range with several parts (multipart/byteranges).")
        }
        guard !hasCoding(fields) else {
            return refuse(
                "The server sent a part of the compressed file, although the request accepted no content coding.")
        }
        guard case .part(let range, let length) = ContentRange(fields) else {
            return refuse(
                "The server answered 206 without a valid Content-Range, so the position of its bytes is unknown.")
        }
        if fields.contains(.contentLength), contentLength(fields) != range.upperBound - range.lowerBound {
            return refuse("The server announces a part whose Content-Length and Content-Range differ.")
        }
        // The server ignores If-Range, or its replicas differ: the part is of another file than the received bytes.
        guard known.validator?.isStated(in: fields) == true else { return .requestWhole }
        if let complete = known.length {
            guard range.upperBound <= complete, length ?? complete == complete else { return .requestWhole }
        }
        guard known.present.end <= length ?? .max else { return .requestWhole }
        // A part may end earlier than requested; the next request covers the rest (RFC 9110, 15.3.7).
        guard range.lowerBound == requested.first, range.upperBound <= requested.end ?? .max else {
            return refuse(
                "The server sent bytes \(range.lowerBound) to \(range.upperBound - 1), but was asked for "
                    + "“\(requested.fieldValue)”.")
        }
        return .append(range, length: length ?? known.length)
    }

    /// A 416 (RFC 9110, 15.5.17).
    private static func unsatisfied(
        _ fields: FieldSection, _ requested: RequestedRange?, _ known: Known
    ) -> Decision {
        guard requested != nil else {
            return refuse("The server answered 416 (Range Not Satisfiable), but no range was requested.")
        }
        // Only the length distinguishes a complete file from another, shorter one.
        guard case .unsatisfied(let length) = ContentRange(fields), known.validator?.isStated(in: fields) == true,
            known.length ?? length == length, known.present == ByteRanges(CollectionOfOne(0..<length))
        else { return .requestWhole }
        return .complete(length: length)
    }

    /// A success that does not answer a range request. Like wget, keeps the partial file.
    private static func noPart(_ status: Int) -> Decision {
        refuse(status, "to a request for the rest of the file. The partial file is kept; try again later.")
    }

    /// A success without a file. Browsers save none, nor do curl and wget for 204 and 205. The content of a 202 describes a process
    /// that may make the file later (RFC 9110, 15.3.3).
    private static func noFile(_ status: Int) -> Decision {
        refuse(
            status,
            status == 202
                ? "to the download: it has not made the file yet. Try again later."
                : "to the download: it has no content to save as a file. Check the URL.")
    }

    private static func refuse(_ status: Int, _ detail: String) -> Decision {
        let phrase = HTTPResponse.Status(code: status).registeredPhrase
        var error = SternaError(
            .unacceptableStatus, phase: .read,
            "The server answered \(status)\(phrase.isEmpty ? "" : " \(phrase)") \(detail)")
        error.requestSent = true
        return .refuse(error)
    }

    private static func refuse(_ detail: String) -> Decision {
        var error = SternaError(
            .malformedResponse, phase: .read, detail + " The server's support for ranges is faulty.")
        error.requestSent = true
        return .refuse(error)
    }

    private static func isMultipart(_ fields: FieldSection) -> Bool {
        let type = fields[.contentType]?.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return type?.lowercased() == "multipart/byteranges"
    }

    static func hasCoding(_ fields: FieldSection) -> Bool {
        fields[values: .contentEncoding].contains { line in
            line.split(separator: ",").contains { coding in
                let name = coding.filter { $0 != " " && $0 != "\t" }.lowercased()
                return !name.isEmpty && name != "identity"
            }
        }
    }

    private static func refusesRanges(_ fields: FieldSection) -> Bool {
        fields[.acceptRanges]?.lowercased() == "none"
    }

    /// The value of Content-Length; nil if absent, or invalid, which the transport refuses.
    private static func contentLength(_ fields: FieldSection) -> Int64? {
        let lines = fields[values: .contentLength]
        guard let line = lines.first, lines.allSatisfy({ $0.utf8.elementsEqual(line.utf8) }) else { return nil }
        return ContentRange.number(line.utf8)
    }
}

extension SternaError {
    /// Returns the error with the head of the response that was refused for its status.
    func answered(by head: Response) -> SternaError {
        guard kind == .unacceptableStatus else { return self }
        var copy = self
        copy.response = head
        return copy
    }
}
