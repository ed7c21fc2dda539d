import SternaPlatform
import SternaPropertyList
import SternaSerialization

@testable import SternaTestSupport

/// Makes trees of every kind from a seed, always the same.
struct PropertyListGenerator {
    private var random: SeededRandom
    /// Whether dates are whole seconds of the years 0 to 9999 and text has no character that XML has no form for.
    private let isForXML: Bool

    init(seed: UInt64, isForXML: Bool) {
        random = SeededRandom(seed: seed)
        self.isForXML = isForXML
    }

    mutating func tree(depth: Int = 5) -> PropertyList {
        switch number(below: depth > 0 ? 12 : 8) {
        case 0: return .string(text())
        case 1: return .integer(Int64(bitPattern: random.next()) >> Int64(number(below: 64)))
        case 2: return .unsigned(random.next() | 1 << 63)
        case 3: return .real(real())
        case 4: return .boolean(random.next() & 1 == 0)
        case 5: return .date(date())
        case 6: return .data(Data((0..<number(below: 70)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        case 7: return .integer([0, -1, 127, 128, 255, 256, 65_535, 65_536, 1 << 32, .min, .max][number(below: 11)])
        case 8, 9: return .array((0..<number(below: 20)).map { _ in tree(depth: depth - 1 - number(below: 2)) })
        default:
            var members: [String: PropertyList] = [:]
            for _ in 0..<number(below: 20) { members[text()] = tree(depth: depth - 1 - number(below: 2)) }
            return .dictionary(members)
        }
    }

    private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func real() -> Double {
        let value = Double(bitPattern: random.next())
        return [0, -0.0, 1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, value.isNaN ? 2.5 : value][
            number(below: 8)]
    }

    private mutating func date() -> Date {
        if isForXML {
            return Date(
                timeIntervalSince1970: Double(Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)))
        }
        return Date(timeIntervalSinceReferenceDate: Double.random(in: -1e11...1e11, using: &random))
    }

    private mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<number(below: number(below: 8) == 0 ? 40 : 6) {
            let ranges: [ClosedRange<UInt32>] = [
                0x20...0x7E, 0x20...0x7E, 0...0x1F, 0x22...0x3E, 0x7F...0x7FF, 0x300...0x36F, 0x800...0xFFFF,
                0x1_0000...0x10_FFFF,
            ]
            let value = UInt32.random(in: ranges[number(below: ranges.count)], using: &random)
            guard let scalar = Unicode.Scalar(value), !isForXML || Self.isInXML(value) else { continue }
            text.append(scalar)
        }
        return String(text)
    }

    /// XML 1.0, production 2.
    private static func isInXML(_ value: UInt32) -> Bool {
        value >= 0x20 ? value != 0xFFFE && value != 0xFFFF : [0x9, 0xA, 0xD].contains(value)
    }
}

extension PropertyList {
    /// The tree as text in which different values differ: by scalars of text and bits of numbers, not by `==`.
    var exactDescription: String {
        switch self {
        case .string(let text): return Self.exact(text)
        case .integer(let value): return "i\(value)"
        case .unsigned(let value): return "u\(value)"
        case .real(let value): return value.isNaN ? "nan" : "r\(value.bitPattern)"
        case .boolean(let value): return "\(value)"
        case .date(let date): return "d\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .data(let data): return "b" + data.map { String($0, radix: 16) }.joined(separator: ".")
        case .array(let elements): return "[" + elements.map(\.exactDescription).joined(separator: ",") + "]"
        case .dictionary(let members):
            return "{"
                + members.map { Self.exact($0.key) + ":" + $0.value.exactDescription }.sorted().joined(separator: ",")
                + "}"
        }
    }

    private static func exact(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: ".") + "\""
    }
}
