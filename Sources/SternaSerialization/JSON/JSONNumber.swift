extension JSON {
    /// A JSON number that keeps the value of its text.
    ///
    /// A number that fits an `Int64`, a `UInt64` or a `Double` is stored as one. It fits a `Double` if the shortest
    /// decimal text of the `Double` has the same value as the number's text, as for `0.1`. Any other number, such as
    /// one of forty digits, keeps its text. Numbers of equal value are equal however they are stored: `1`, `1.0` and
    /// `1e0` are equal.
    public struct Number: Sendable {
        enum Storage: Sendable {
            case int(Int64)
            // Above the range of `Int64`, so that each whole number has one representation.
            case uint(UInt64)
            case double(Double)
            // Fits none of the above; made by the scanner, which has checked its syntax.
            case text(String)
        }

        let storage: Storage

        init(storage: Storage) {
            self.storage = storage
        }

        /// Makes a number from any standard integer.
        public init(_ value: some FixedWidthInteger & Sendable) {
            if let int = Int64(exactly: value) {
                storage = .int(int)
            } else if let uint = UInt64(exactly: value) {
                storage = .uint(uint)
            } else {
                // Stored as the parser stores its digits, so that both are equal.
                let text = String(value)
                storage = Self(literal: text)?.storage ?? .text(text)
            }
        }

        /// Makes a number from a `Double`. NaN and the infinities are allowed, but writing them as JSON throws.
        public init(_ value: Double) {
            storage = .double(value)
        }

        /// Parses a number; nil if the text is not one number by the grammar of RFC 8259, section 6.
        public init?(literal: String) {
            var literal = literal
            let number: Number? = literal.withUTF8 { bytes in
                var scanner = JSONNumberScanner(bytes: bytes, position: 0)
                guard let number = try? scanner.scan(), scanner.position == bytes.count else { return nil }
                return number
            }
            guard let number else { return nil }
            self = number
        }
    }
}

extension JSON.Number {
    /// The number as an `Int`, or nil if it is not whole or out of range.
    public var int: Int? { exactly(Int.self) }

    /// The number as a `UInt`, or nil if it is not whole or out of range.
    public var uint: UInt? { exactly(UInt.self) }

    /// The number as an `Int64`, or nil if it is not whole or out of range.
    public var int64: Int64? { exactly(Int64.self) }

    /// The number as a `UInt64`, or nil if it is not whole or out of range.
    public var uint64: UInt64? { exactly(UInt64.self) }

    /// The nearest `Double`, or nil for a number beyond its range.
    public var double: Double? {
        switch storage {
        case .int(let value): return Double(value)
        case .uint(let value): return Double(value)
        case .double(let value): return value
        case .text(let text):
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }

    /// Whether the number is neither NaN nor infinite; JSON cannot represent those.
    public var isFinite: Bool {
        if case .double(let value) = storage { value.isFinite } else { true }
    }

    private func exactly<T: FixedWidthInteger>(_: T.Type) -> T? {
        switch storage {
        case .int(let value): T(exactly: value)
        case .uint(let value): T(exactly: value)
        case .double(let value): T(exactly: value)
        case .text: nil
        }
    }
}

extension JSON.Number: CustomStringConvertible {
    /// The number's JSON text: without a fraction of zero, or exactly as it was read if the number keeps its text.
    public var description: String { text(.shortest) }

    func text(_ style: QueryEncoder.NumberStyle) -> String {
        switch storage {
        case .int(let value): String(value)
        case .uint(let value): String(value)
        case .double(let value): Self.beyondExact(value) ?? ParameterText.number(value, style)
        case .text(let text): text
        }
    }
}

extension JSON.Number {
    /// Whether the number is stored as an integer that a `Double` represents exactly.
    var isExactDouble: Bool {
        switch storage {
        case .int(let value): Int64(exactly: Double(value)) == value
        case .uint(let value): UInt64(exactly: Double(value)) == value
        case .double, .text: false
        }
    }

    /// Returns all digits of a whole number of up to 64 bits if its shortest text is another whole number. The shortest text of
    /// 51234060963295032, for example, would be read back as a different number. Nil for any other number; below `Int64.min`, a
    /// shortest text is read back as the same number.
    private static func beyondExact(_ value: Double) -> String? {
        guard value.magnitude > 0x1p53 else { return nil }
        guard let digits = Int64(exactly: value).map({ String($0) }) ?? UInt64(exactly: value).map({ String($0) }),
            JSONDecimal(value.description) != JSONDecimal(digits)
        else { return nil }
        return digits
    }
}

extension JSON.Number: Hashable {
    public static func == (left: JSON.Number, right: JSON.Number) -> Bool {
        switch (left.storage, right.storage) {
        case (.int(let a), .int(let b)): a == b
        case (.uint(let a), .uint(let b)): a == b
        // NaN equals itself here, as sets and dictionaries require.
        case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN
        case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Int64(exactly: b) == a
        case (.uint(let a), .double(let b)), (.double(let b), .uint(let a)): UInt64(exactly: b) == a
        case (.text(let a), .text(let b)): a == b || JSONDecimal(a) == JSONDecimal(b)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .int(let value): hasher.combine(value)
        case .uint(let value): hasher.combine(value)
        case .double(let value):
            if let int = Int64(exactly: value) {
                hasher.combine(int)
            } else if let uint = UInt64(exactly: value) {
                hasher.combine(uint)
            } else {
                hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
            }
        case .text(let text): hasher.combine(JSONDecimal(text))
        }
    }
}

extension JSON.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self.init(value) }
    /// Makes a number from a `Double`.
    public init(floatLiteral value: Double) { self.init(value) }
}
