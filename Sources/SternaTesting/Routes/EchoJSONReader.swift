/// Parses JSON text (RFC 8259) for the `json` member of the echo routes; malformed text gives nil.
struct EchoJSONReader {
    private struct Malformed: Error {}

    private static let depthLimit = 256

    private let bytes: [UInt8]
    private var index = 0

    static func read(_ bytes: [UInt8]) -> EchoJSON? {
        var reader = EchoJSONReader(bytes: bytes)
        guard let value = try? reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.index == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ text: StaticString) throws {
        for byte in "\(text)".utf8 where !take(byte) { throw Malformed() }
    }

    private mutating func value(depth: Int) throws -> EchoJSON {
        guard depth < Self.depthLimit else { throw Malformed() }
        skipSpace()
        switch current {
        case 0x7B: return try object(depth: depth)
        case 0x5B: return try array(depth: depth)
        case 0x22: return .string(try string())
        case 0x74:
            try expect("true")
            return .bool(true)
        case 0x66:
            try expect("false")
            return .bool(false)
        case 0x6E:
            try expect("null")
            return .null
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws -> EchoJSON {
        index += 1
        var members: [(String, EchoJSON)] = []
        skipSpace()
        if take(0x7D) { return .object(members) }
        while true {
            skipSpace()
            guard current == 0x22 else { throw Malformed() }
            let name = try string()
            skipSpace()
            guard take(0x3A) else { throw Malformed() }
            members.append((name, try value(depth: depth + 1)))
            skipSpace()
            if take(0x7D) { return .object(members) }
            guard take(0x2C) else { throw Malformed() }
        }
    }

    private mutating func array(depth: Int) throws -> EchoJSON {
        index += 1
        var items: [EchoJSON] = []
        skipSpace()
        if take(0x5D) { return .array(items) }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            if take(0x5D) { return .array(items) }
            guard take(0x2C) else { throw Malformed() }
        }
    }

    private mutating func number() throws -> String {
        let start = index
        _ = take(0x2D)
        if !take(0x30) { try digits() }
        if take(0x2E) { try digits() }
        if take(0x65) || take(0x45) {
            if !take(0x2B) { _ = take(0x2D) }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws {
        let start = index
        while let byte = current, byte >= 0x30 && byte <= 0x39 { index += 1 }
        if index == start { throw Malformed() }
    }

    private mutating func string() throws -> String {
        index += 1
        var units: [UInt8] = []
        while let byte = current {
            index += 1
            switch byte {
            case 0x22: return String(decoding: units, as: UTF8.self)
            case 0x5C: try escape(into: &units)
            case 0..<0x20: throw Malformed()
            default: units.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escape(into units: inout [UInt8]) throws {
        guard let byte = current else { throw Malformed() }
        index += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: units.append(byte)
        case 0x62: units.append(0x08)
        case 0x66: units.append(0x0C)
        case 0x6E: units.append(0x0A)
        case 0x72: units.append(0x0D)
        case 0x74: units.append(0x09)
        case 0x75:
            let first = try hexUnit()
            var code = UInt32(first)
            let save = index
            if first >= 0xD800 && first < 0xDC00 && take(0x5C) && take(0x75) {
                let second = try hexUnit()
                if second >= 0xDC00 && second < 0xE000 {
                    code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
                } else {
                    index = save
                }
            } else {
                index = save
            }
            // A lone surrogate has no scalar.
            units += String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8
        default: throw Malformed()
        }
    }

    private mutating func hexUnit() throws -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = ASCIIText.hexValue(byte) else { throw Malformed() }
            unit = unit << 4 | UInt16(digit)
            index += 1
        }
        return unit
    }
}
