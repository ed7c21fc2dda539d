import HTTPTypes
import SternaCore

/// Decides how a download goes on: which bytes to ask for, and what an answer is worth. Functions of values, without I/O.
enum ResumeRule {
    /// What is known of a representation and its partial file.
    struct Known: Sendable, Hashable {
        /// The strong validator of the bytes that are there; nil if the server gave none.
        var validator: EntityValidator?

        /// The complete length in bytes; nil if unknown.
        var length: Int64?

        /// The bytes that are there.
        var present = ByteRanges()
    }

    /// The range that a request asks for.
    struct RequestedRange: Sendable, Hashable {
        /// The position of the first byte.
        var first: Int64

        /// The position after the last byte; nil for all up to the end of the file.
        var end: Int64?

        /// The value of the Range field (RFC 9110, 14.2).
        var fieldValue: String {
            guard let end, end > first else { return "bytes=\(first)-" }
            return "bytes=\(first)-\(end - 1)"
        }
    }

    /// The next step of a download.
    enum Step: Sendable, Hashable {
        /// All bytes are there.
        case complete
        /// Request the whole file and begin the partial file anew.
        case whole
        /// Request these bytes and join them to those that are there.
        case range(RequestedRange)
    }

    /// Decides what to request next.
    ///
    /// Without a strong validator the bytes that are there may be of another file, and the download starts over.
    static func next(_ known: Known) -> Step {
        if known.length == known.present.total { return .complete }
        guard known.validator != nil, !known.present.isEmpty, let gap = known.present.missing(of: known.length).first
        else { return .whole }
        // The end of the file is left open, which servers without support for other ranges may understand.
        let isLast = gap.upperBound == known.length ?? .max
        return .range(RequestedRange(first: gap.lowerBound, end: isLast ? nil : gap.upperBound))
    }

    /// Returns the fields of a request for a part of a representation.
    ///
    /// With If-Range a server sends the part only if the representation is still the same, and else the whole
    /// (RFC 9110, 13.1.5). Ranges are positions in the coded bytes, so no coding is accepted (RFC 9110, 14.1.2).
    static func fields(_ range: RequestedRange, _ validator: EntityValidator) -> HTTPFields {
        var fields = HTTPFields()
        fields[.range] = range.fieldValue
        fields[.ifRange] = validator.fieldValue
        fields[.acceptEncoding] = "identity"
        return fields
    }
}

extension ResumeData {
    /// What the data says of the representation and its partial file.
    var known: ResumeRule.Known { .init(validator: validator, length: length, present: present) }
}
