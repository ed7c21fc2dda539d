import HTTPTypes
import SternaCore

/// The value of a Content-Range field in bytes (RFC 9110, 14.4).
enum ContentRange: Sendable, Hashable {
    /// `bytes 0-499/1234`: the range of a part, and the complete length; nil for `*`.
    case part(Range<Int64>, length: Int64?)
    /// `bytes */1234`: the requested range is not satisfiable; with the complete length.
    case unsatisfied(length: Int64)

    /// Parses a value; nil for another unit, a range beyond the length, and numbers above `Int64.max`.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let bytes = Array(text.utf8)
        // Range units are case-insensitive (RFC 9110, 14.1); exactly one space follows.
        guard let space = bytes.firstIndex(of: 0x20),
            bytes[..<space].elementsEqual("bytes".utf8, by: { $0 | 0x20 == $1 }),
            let slash = bytes[space...].firstIndex(of: UInt8(ascii: "/"))
        else { return nil }
        let range = bytes[space..<slash].dropFirst()
        let length = bytes[slash...].dropFirst()
        if Self.isAsterisk(range) {
            guard let length = Self.number(length) else { return nil }
            self = .unsatisfied(length: length)
            return
        }
        guard let hyphen = range.firstIndex(of: UInt8(ascii: "-")), let first = Self.number(range[..<hyphen]),
            let last = Self.number(range[hyphen...].dropFirst()), first <= last, last < .max
        else { return nil }
        if Self.isAsterisk(length) {
            self = .part(first..<last + 1, length: nil)
        } else {
            guard let length = Self.number(length), last < length else { return nil }
            self = .part(first..<last + 1, length: length)
        }
    }

    /// Parses the field of a response; nil if it is absent or invalid, or if its lines differ.
    init?(_ fields: FieldSection) {
        let lines = fields[values: .contentRange]
        guard let line = lines.first, lines.allSatisfy({ $0.utf8.elementsEqual(line.utf8) }) else { return nil }
        self.init(line)
    }

    /// The value as it is written in the field.
    var fieldValue: String {
        switch self {
        case .part(let range, let length):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map { "\($0)" } ?? "*")"
        case .unsatisfied(let length): "bytes */\(length)"
        }
    }

    /// Longer than any value without leading zeros.
    private static let longest = 80

    private static func isAsterisk(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 1 && bytes.first == UInt8(ascii: "*")
    }

    /// Returns the number that digits make; nil for anything else, and above `Int64.max`.
    static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            let (product, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverNow) = product.addingReportingOverflow(Int64(byte - 0x30))
            guard !isOver, !isOverNow else { return nil }
            value = sum
        }
        return value
    }
}
