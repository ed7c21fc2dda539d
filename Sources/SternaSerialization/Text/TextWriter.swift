/// Converts characters to bytes, by the Encoding Standard's encoders.
struct TextWriter {
    private(set) var output: [UInt8] = []
    private let kind: TextEncoding.Kind
    // The table of a single-byte set.
    private let table: CharacterTable?
    private var mode = Mode.ascii

    private enum Mode { case ascii, roman, pairs }

    init(_ kind: TextEncoding.Kind, capacity: Int) {
        self.kind = kind
        table =
            switch kind {
            case .utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian: nil
            case .ascii, .latin1, .userDefined: nil
            case .gbk, .gb18030, .big5, .eucJP, .iso2022JP, .shiftJIS, .eucKR: nil
            default: .singleByte(kind)
            }
        output.reserveCapacity(capacity)
        if kind == .utf16 { output += [0xFF, 0xFE] }
        if kind == .utf32 { output += [0x00, 0x00, 0xFE, 0xFF] }
    }

    /// Writes a character; returns false, writing nothing, if the set lacks it.
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
        case .shiftJIS: return put(shiftJIS(value))
        case .eucJP: return put(eucJP(value))
        case .gbk, .gb18030: return put(gb18030(value))
        case .eucKR:
            return put(PointerTable.eucKR.pointer(value).map { Self.pair($0, row: 190, lead: 0x81, low: 0x41) })
        case .big5: return put(big5(value))
        default: return put(table?.pointer(value).map { [UInt8(0x80 + $0)] })
        }
    }

    /// Writes the bytes that the set requires at the end.
    mutating func finish() {
        if mode != .ascii { output += [0x1B, 0x28, 0x42] }
        mode = .ascii
    }

    /// Returns the character to pass to the caller's replacement: U+FFFD, by the standard, for one that could be read as an escape
    /// sequence.
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
        default:
            PointerTable.shiftJIS.pointer(Self.minus(value)).map { pointer in
                let lead = pointer / 188 < 0x1F ? 0x81 : 0xC1
                return Self.pair(pointer, row: 188, lead: lead, low: 0x40, high: 0x41, turn: 0x3F)
            }
        }
    }

    private func big5(_ value: UInt32) -> [UInt8]? {
        PointerTable.big5.pointer(value).map {
            Self.pair($0, row: 157, lead: 0x81, low: 0x40, high: 0x62, turn: 0x3F)
        }
    }

    /// Returns the bytes of a pointer: the trail byte counts from `low`, and from `turn` on from `high`.
    private static func pair(
        _ pointer: Int, row: Int, lead: Int, low: Int, high: Int = 0, turn: Int = .max
    ) -> [UInt8] {
        let trail = pointer % row
        return [
            UInt8(truncatingIfNeeded: pointer / row + lead),
            UInt8(truncatingIfNeeded: trail + (trail < turn ? low : high)),
        ]
    }

    private static func quad(_ pointer: Int) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: pointer / 12_600 + 0x81), UInt8(pointer / 1_260 % 10 + 0x30),
            UInt8(pointer / 10 % 126 + 0x81), UInt8(pointer % 10 + 0x30),
        ]
    }

    /// Returns the place of a character in the 94 by 94 rows that EUC-JP and ISO-2022-JP write.
    private static func jis(_ value: UInt32) -> (row: UInt8, cell: UInt8)? {
        guard let pointer = PointerTable.jis0208.pointer(minus(value)), pointer < 94 * 94 else { return nil }
        return (UInt8(pointer / 94), UInt8(pointer % 94))
    }

    private func eucJP(_ value: UInt32) -> [UInt8]? {
        switch value {
        case 0xA5: [0x5C]
        case 0x203E: [0x7E]
        case 0xFF61...0xFF9F: [0x8E, UInt8(value - 0xFF61 + 0xA1)]
        default: Self.jis(value).map { [$0.row + 0xA1, $0.cell + 0xA1] }
        }
    }

    // In the standard's index, JIS X 0208's minus sign is the full-width one.
    private static func minus(_ value: UInt32) -> UInt32 { value == 0x2212 ? 0xFF0D : value }

    private func gb18030(_ value: UInt32) -> [UInt8]? {
        // The two bytes of U+E5E5 are read as U+3000, for compatibility with deployed content.
        if value == 0xE5E5 { return nil }
        if kind == .gbk, value == 0x20AC { return [0x80] }
        if let code = Self.privateCodes[value] { return [UInt8(code >> 8), UInt8(code & 0xFF)] }
        if let pointer = PointerTable.gb18030.pointer(value) {
            return Self.pair(pointer, row: 190, lead: 0x81, low: 0x40, high: 0x41, turn: 0x3F)
        }
        return kind == .gb18030 ? CharacterTable.rangesPointer(value).map(Self.quad) : nil
    }

    // Private characters of GB18030-2005; since 2022 their bytes mean other characters. They keep their bytes.
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
        var value = value
        // The set has only full-width katakana.
        if (0xFF61...0xFF9F).contains(value) {
            value = CharacterTable.katakana.scalar(Int(value) - 0xFF61) ?? value
        }
        guard let place = Self.jis(value) else { return false }
        enter(.pairs)
        output += [place.row + 0x21, place.cell + 0x21]
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
}
