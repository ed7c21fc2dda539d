import HTTPTypes
import SternaCore

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
