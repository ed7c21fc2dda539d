import Sterna
import SternaPlatform

@testable import SternaTestSupport

/// Makes nested parameters from a seed, always the same.
struct ParameterGenerator: RandomNumberGenerator {
    /// What a reader and a style of arrays can tell apart.
    struct Limits: Sendable {
        enum Arrays: Sendable {
            case ofAnything
            case ofScalars
            /// Two elements at least and no null, for styles where one element is no array and a null may be none.
            case ofSeveralScalars
            case never
        }

        enum Sets: Sendable {
            case anywhere
            /// Two elements at least and no null, as the value of a name.
            case underNames
            case never
        }

        var arrays = Arrays.ofAnything
        var sets = Sets.anywhere
        var allowsName: @Sendable (_ name: String, _ isAtTop: Bool) -> Bool = { _, _ in true }
    }

    let limits: Limits
    private var random: SeededRandom

    init(seed: UInt64, limits: Limits) {
        self.limits = limits
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> UInt64 { random.next() }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// A whole query's parameters.
    mutating func parameters() -> Parameters { dictionary(depth: 1) }

    private mutating func dictionary(depth: Int) -> Parameters {
        var parameters = Parameters()
        for _ in 0..<Int.random(in: 0...(depth == 1 ? 8 : 4), using: &self) {
            let name = self.name(isAtTop: depth == 1)
            parameters.set(value(depth: depth, isUnderName: true), for: name)
        }
        return parameters
    }

    private mutating func name(isAtTop: Bool) -> String {
        while true {
            let name = chance(60) ? String(text(from: Self.letters, upTo: 6)) : text()
            if limits.allowsName(name, isAtTop) { return name }
        }
    }

    private mutating func value(depth: Int, isUnderName: Bool) -> ParameterValue {
        guard depth < 6 else { return scalar() }
        switch Int.random(in: 0..<10, using: &self) {
        case 0..<2: return .dictionary(dictionary(depth: depth + 1))
        case 2..<4: return array(depth: depth)
        case 4: return set(isUnderName: isUnderName)
        default: return scalar()
        }
    }

    private mutating func array(depth: Int) -> ParameterValue {
        // Now and then more than the 20 elements that node's qs takes by itself.
        let count = Int.random(in: 0...(chance(10) ? 25 : 4), using: &self)
        switch limits.arrays {
        case .never: return scalar()
        case .ofScalars: return .array((0..<count).map { _ in scalar() })
        case .ofSeveralScalars: return .array((0..<count + 2).map { _ in scalar(mayBeNull: false) })
        case .ofAnything: return .array((0..<count).map { _ in value(depth: depth + 1, isUnderName: false) })
        }
    }

    private mutating func set(isUnderName: Bool) -> ParameterValue {
        switch limits.sets {
        case .never: return scalar()
        case .underNames where !isUnderName: return scalar()
        case .underNames: return .set((0..<Int.random(in: 2...5, using: &self)).map { _ in element() })
        case .anywhere:
            return .set((0..<Int.random(in: 0...4, using: &self)).map { _ in chance(10) ? .null : element() })
        }
    }

    /// A set is written in the order of its elements' texts, which are of ASCII here so that there is one order only.
    private mutating func element() -> ParameterValue {
        chance(50) ? .integer(next(below: 1000)) : .string(text(from: Self.letters + Self.special, upTo: 5))
    }

    private mutating func next(below bound: Int64) -> Int64 { Int64.random(in: 0..<bound, using: &self) }

    private mutating func scalar(mayBeNull: Bool = true) -> ParameterValue {
        switch Int.random(in: 0..<12, using: &self) {
        case 0 where mayBeNull: return .null
        case 1: return .bool(chance(50))
        case 2: return .integer(random.pick([0, 1, -1, .min, .max, Int64(truncatingIfNeeded: next())]))
        case 3: return .unsigned(random.pick([.max, UInt64(Int64.max) + 1]))
        case 4: return .double(double())
        case 5: return .data(Data((0..<next(below: 12)).map { _ in UInt8(truncatingIfNeeded: next()) }))
        case 6: return .date(Self.dates[Int(next(below: Int64(Self.dates.count)))].date)
        default: return .string(text())
        }
    }

    private mutating func double() -> Double {
        let whole = Double(next(below: 2_000_000) - 1_000_000)
        let bits = Double(bitPattern: next())
        return random.pick([
            0, 0.1, -2.5, 1e21, .leastNonzeroMagnitude, .pi, whole, whole / 128, bits.isFinite ? bits : 7,
        ])
    }

    /// Text of any kind: none, of what queries and readers give a meaning to, and from all over Unicode.
    private mutating func text() -> String {
        switch Int.random(in: 0..<8, using: &self) {
        case 0: ""
        case 1, 2: text(from: Self.letters, upTo: 10)
        case 3, 4: text(from: Self.special, upTo: 8)
        case 5: text(from: Self.letters + Self.special, upTo: 10)
        case 6: random.pick(Self.words)
        default: anyText()
        }
    }

    private mutating func text(from scalars: [Unicode.Scalar], upTo count: Int) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...count, using: &self) { text.append(random.pick(scalars)) }
        return String(text)
    }

    private mutating func anyText() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...8, using: &self) {
            let range: ClosedRange<UInt32> = random.pick([
                0...0x7F, 0x80...0x7FF, 0x300...0x36F, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
            ])
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) { text.append(scalar) }
        }
        return String(text)
    }

    private static let letters = Array("abcxyzABZ0129_-".unicodeScalars)
    private static let special = Array("&=+%#[]\"'` \r\n\t;,:/?@!$()*~.<>{}|\\^\u{0}\u{7F}".unicodeScalars)
    private static let words = [
        "true", "null", "0", "12", "-0", "01", "%20", "%", "+", "a b", "a+b", "a=b&c=d", "x[y]", "[]", "]", "\r\n",
        "&amp;",
        "e\u{301}", "\u{E9}", "\u{FEFF}", "\u{2028}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}",
        "\u{1F468}\u{200D}\u{1F469}",
        "\u{645}\u{631}\u{62D}\u{628}\u{627}", "\u{65E5}\u{672C}", "constructor", "toString", "this", "GLOBALS",
        "__proto",
    ]

    /// Dates and their texts, written down by hand.
    static let dates: [(date: Date, text: String)] = [
        (Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00Z"),
        (Date(timeIntervalSince1970: 951_827_696.789), "2000-02-29T12:34:56.789Z"),
        (Date(timeIntervalSince1970: -1), "1969-12-31T23:59:59Z"),
    ]
}
