/// Makes bytes of characters, by the Encoding Standard's encoders.
struct TextWriter {
    private(set) var output: [UInt8] = []
    private let kind: TextEncoding.Kind
    private let table: CharacterTable?
    private let quads: CharacterTable?
    private var mode = Mode.ascii

    private enum Mode { case ascii, roman, pairs }

    /// Nil where the set's tables are not there.
    init?(_ kind: TextEncoding.Kind, capacity: Int) {
        self.kind = kind
        let key: CharacterTable.Key? =
            switch kind {
            case _ where !kind.needsConverter: nil
            case .shiftJIS: .shiftJIS
            case .eucJP, .iso2022JP: .jis0208
            case .eucKR: .eucKR
            case .big5: .big5
            case .gbk, .gb18030: .gbPairs
            default: .singleByte(kind.tableKind)
            }
        table = key.flatMap(TextEncoding.table)
        quads = kind == .gb18030 ? TextEncoding.table(.gbQuads) : nil
        if key != nil, table == nil || kind == .gb18030 && quads == nil { return nil }
        output.reserveCapacity(capacity)
        if kind == .utf16 { output += [0xFF, 0xFE] }
        if kind == .utf32 { output += [0x00, 0x00, 0xFE, 0xFF] }
    }

    /// Writes a character; false, with nothing written, where the set has no form of it.
    mutating func append(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        switch kind {
        case .utf16, .utf16LittleEndian: return utf16(scalar, isBig: false)
        case .utf16BigEndian: return utf16(scalar, isBig: true)
        case .utf32, .utf32BigEndian: return put([24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) })
        case .utf32LittleEndian: return put([0, 8, 16, 24].map { UInt8(value >> $0 & 0xFF) })
        case .iso2022JP: return iso2022JP(value)
        default: break
        }
        if value < 0x80 {
            output.append(UInt8(value))
            return true
        }
        switch kind {
        case .utf8: return put(UTF8.encode(scalar).map(Array.init))
        case .ascii: return false
        case .latin1: return value <= 0xFF && put([UInt8(value)])
        case .userDefined: return (0xF780...0xF7FF).contains(value) && put([UInt8(value - 0xF780 + 0x80)])
        case .windows1252: return put(Windows1252.byte(value).map { [$0] })
        case .shiftJIS: return put(shiftJIS(value))
        case .eucJP: return put(eucJP(value))
        case .gbk, .gb18030: return put(gb18030(value))
        case .eucKR: return put(table?.pointer(value).map(CharacterTable.Key.eucKR.bytes))
        case .big5: return put(table?.pointer(value).map(CharacterTable.Key.big5.bytes))
        default: return put(table?.pointer(value).map { [UInt8(0x80 + $0)] })
        }
    }

    /// Writes what the set needs at the end.
    mutating func finish() {
        if mode != .ascii { output += [0x1B, 0x28, 0x42] }
        mode = .ascii
    }

    /// What a caller is asked to replace: the standard says U+FFFD for what could be taken for an escape sequence.
    func missing(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        kind == .iso2022JP && scalar.isASCII ? "\u{FFFD}" : scalar
    }

    private mutating func put(_ bytes: [UInt8]?) -> Bool {
        guard let bytes else { return false }
        output += bytes
        return true
    }

    private mutating func utf16(_ scalar: Unicode.Scalar, isBig: Bool) -> Bool {
        for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            output += isBig ? [high, low] : [low, high]
        }
        return true
    }

    private func shiftJIS(_ value: UInt32) -> [UInt8]? {
        switch value {
        case 0x80: [0x80]
        case 0xA5: [0x5C]
        case 0x203E: [0x7E]
        case 0xFF61...0xFF9F: [UInt8(value - 0xFF61 + 0xA1)]
        default: table?.pointer(Self.minus(value)).map(CharacterTable.Key.shiftJIS.bytes)
        }
    }

    private func eucJP(_ value: UInt32) -> [UInt8]? {
        switch value {
        case 0xA5: [0x5C]
        case 0x203E: [0x7E]
        case 0xFF61...0xFF9F: [0x8E, UInt8(value - 0xFF61 + 0xA1)]
        default: table?.pointer(Self.minus(value)).map { [UInt8($0 / 94 + 0xA1), UInt8($0 % 94 + 0xA1)] }
        }
    }

    // JIS X 0208's minus sign is the full-width one in the standard's index.
    private static func minus(_ value: UInt32) -> UInt32 { value == 0x2212 ? 0xFF0D : value }

    private func gb18030(_ value: UInt32) -> [UInt8]? {
        // Two bytes that older converters make of U+E5E5 are a space for everybody else.
        if value == 0xE5E5 { return nil }
        if kind == .gbk, value == 0x20AC { return [0x80] }
        if let pointer = table?.pointer(value) { return CharacterTable.Key.gbPairs.bytes(pointer) }
        guard kind == .gb18030 else { return nil }
        if let code = Self.privateCodes[value] { return [UInt8(code >> 8), UInt8(code & 0xFF)] }
        if value >= 0x10000 { return CharacterTable.Key.quad(Int(value) - 0x10000 + 189_000) }
        return quads?.pointer(value).map(CharacterTable.Key.quad)
    }

    // Private characters of GB18030-2000 that have characters of their own since; they keep their old bytes.
    private static let privateCodes: [UInt32: UInt16] = [
        0xE78D: 0xA6D9, 0xE78E: 0xA6DA, 0xE78F: 0xA6DB, 0xE790: 0xA6DC, 0xE791: 0xA6DD, 0xE792: 0xA6DE,
        0xE793: 0xA6DF, 0xE794: 0xA6EC, 0xE795: 0xA6ED, 0xE796: 0xA6F3, 0xE81E: 0xFE59, 0xE826: 0xFE61,
        0xE82B: 0xFE66, 0xE82C: 0xFE67, 0xE832: 0xFE6D, 0xE843: 0xFE7E, 0xE854: 0xFE90, 0xE864: 0xFEA0,
    ]
}

extension TextWriter {
    private mutating func iso2022JP(_ value: UInt32) -> Bool {
        if value < 0x80 {
            guard ![0x0E, 0x0F, 0x1B].contains(value) else { return false }
            if mode == .pairs || mode == .roman && (value == 0x5C || value == 0x7E) { enter(.ascii) }
            output.append(UInt8(value))
            return true
        }
        if value == 0xA5 || value == 0x203E {
            enter(.roman)
            output.append(value == 0xA5 ? 0x5C : 0x7E)
            return true
        }
        var value = Self.minus(value)
        if (0xFF61...0xFF9F).contains(value) { value = Self.fullWidthKatakana[Int(value) - 0xFF61].value }
        guard let pointer = table?.pointer(value) else { return false }
        enter(.pairs)
        output += [UInt8(pointer / 94 + 0x21), UInt8(pointer % 94 + 0x21)]
        return true
    }

    private mutating func enter(_ next: Mode) {
        guard mode != next else { return }
        mode = next
        switch next {
        case .ascii: output += [0x1B, 0x28, 0x42]
        case .roman: output += [0x1B, 0x28, 0x4A]
        case .pairs: output += [0x1B, 0x24, 0x42]
        }
    }

    // U+FF61 to U+FF9F, which the set has in full width only.
    private static let fullWidthKatakana = Array(
        "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜"
            .unicodeScalars)
}
