import HTTPTypes

/// The Range field of a request (RFC 9110, 14.2), of which the cache handles a single range of bytes.
enum RangeRequest: Sendable, Hashable {
    /// From a position through another one, or to the end if that is nil.
    case from(Int64, through: Int64?)
    /// The given number of bytes at the end.
    case suffix(Int64)
    /// Several ranges, another unit, or an invalid value.
    case other

    /// Reads the field; nil if it is absent.
    init?(_ fields: HTTPFields) {
        let lines = fields[values: .range]
        guard let line = lines.first else { return nil }
        self = lines.count == 1 ? Self.parse(line) : .other
    }

    private static func parse(_ line: String) -> RangeRequest {
        let bytes = Array(line.utf8)
        guard bytes.count <= 80, let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            bytes[..<equals].elementsEqual("bytes".utf8, by: { $0 | 0x20 == $1 })
        else { return .other }
        let range = Blanks.trimmed(bytes[equals...].dropFirst())
        guard let hyphen = range.firstIndex(of: UInt8(ascii: "-")) else { return .other }
        let (first, last) = (range[..<hyphen], range[hyphen...].dropFirst())
        if first.isEmpty { return ContentRange.number(last).map { .suffix($0) } ?? .other }
        guard let start = ContentRange.number(first) else { return .other }
        if last.isEmpty { return .from(start, through: nil) }
        guard let end = ContentRange.number(last), end >= start else { return .other }
        return .from(start, through: end)
    }

    /// Returns the range in a representation of a length; nil if it has no bytes there, or the length is needed but unknown.
    func range(of length: Int64?) -> Range<Int64>? {
        switch self {
        case .from(let start, let last):
            let end = min(last.map { $0 < .max ? $0 + 1 : $0 } ?? .max, length ?? .max)
            // The end of an open range needs the length.
            guard length != nil || last != nil, start < end else { return nil }
            return start..<end
        case .suffix(let count):
            guard let length, count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        case .other: return nil
        }
    }
}
