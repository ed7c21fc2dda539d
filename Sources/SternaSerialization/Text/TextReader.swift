/// The failure of reading bytes that are invalid in a character set.
struct TextReadingFailure: Error, Equatable {
    /// The offset of the first byte of the first invalid sequence.
    var offset: Int
}

/// Converts bytes to text, strictly: nothing is dropped or replaced.
struct TextReader {
    private let bytes: [UInt8]
    private var index = 0
    private var output: [UInt8] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output.reserveCapacity(bytes.count)
    }

    /// Reads bytes of a set other than the Unicode forms.
    mutating func read(_ kind: TextEncoding.Kind) throws(TextReadingFailure) -> String {
        switch kind {
        case .ascii: try each { _, _ in false }
        case .latin1: try each { reader, byte in reader.take(1, UInt32(byte)) }
        case .userDefined: try each { reader, byte in reader.take(1, 0xF780 + UInt32(byte & 0x7F)) }
        case .shiftJIS: try each { reader, byte in reader.shiftJIS(byte, .jis0208) }
        case .eucJP: try each { reader, byte in reader.eucJP(byte) }
        case .eucKR:
            let table = CharacterTable.eucKR
            try each { reader, byte in
                guard let trail = reader.byte(1), (0x41...0xFE).contains(trail) else { return false }
                return reader.take(2, table.scalar((Int(byte) - 0x81) * 190 + Int(trail) - 0x41))
            }
        case .big5: try each { reader, byte in reader.big5(byte, .big5) }
        case .gbk, .gb18030: try each { reader, byte in reader.gb18030(byte, .gb18030) }
        case .iso2022JP: try iso2022JP(.jis0208)
        default:
            let table = CharacterTable.singleByte(kind)
            try each { reader, byte in reader.take(1, table?.scalar(Int(byte) - 0x80)) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends ASCII directly, and calls the closure for any other byte; false means that no character begins there.
    private mutating func each(
        _ character: (inout TextReader, UInt8) -> Bool
    ) throws(TextReadingFailure) {
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                output.append(byte)
                index += 1
            } else if !character(&self, byte) {
                throw .init(offset: index)
            }
        }
    }

    private func byte(_ distance: Int) -> UInt8? {
        index + distance < bytes.count ? bytes[index + distance] : nil
    }

    private mutating func take(_ length: Int, _ scalar: UInt32?) -> Bool {
        guard let scalar = scalar.flatMap(Unicode.Scalar.init), let sequence = UTF8.encode(scalar) else { return false }
        index += length
        output.append(contentsOf: sequence)
        return true
    }

    private mutating func shiftJIS(_ byte: UInt8, _ table: CharacterTable) -> Bool {
        switch byte {
        case 0x80: return take(1, 0x80)
        case 0xA1...0xDF: return take(1, 0xFF61 + UInt32(byte) - 0xA1)
        case 0x81...0x9F, 0xE0...0xFC:
            guard let trail = self.byte(1), (0x40...0x7E).contains(trail) || (0x80...0xFC).contains(trail) else {
                return false
            }
            let lead = Int(byte) - (byte < 0xA0 ? 0x81 : 0xC1)
            let pointer = lead * 188 + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)
            // The rows of user-defined characters.
            if (8_836...10_715).contains(pointer) { return take(2, UInt32(0xE000 - 8_836 + pointer)) }
            return take(2, table.scalar(pointer))
        default: return false
        }
    }

    private mutating func eucJP(_ byte: UInt8) -> Bool {
        guard let second = self.byte(1), (0xA1...0xFE).contains(second) else { return false }
        switch byte {
        case 0x8E: return second <= 0xDF && take(2, 0xFF61 + UInt32(second) - 0xA1)
        case 0x8F:
            guard let third = self.byte(2), (0xA1...0xFE).contains(third) else { return false }
            return take(3, CharacterTable.jis0212.scalar((Int(second) - 0xA1) * 94 + Int(third) - 0xA1))
        case 0xA1...0xFE: return take(2, CharacterTable.jis0208.scalar((Int(byte) - 0xA1) * 94 + Int(second) - 0xA1))
        default: return false
        }
    }

    private mutating func big5(_ byte: UInt8, _ table: CharacterTable) -> Bool {
        guard (0x81...0xFE).contains(byte), let trail = self.byte(1),
            (0x40...0x7E).contains(trail) || (0xA1...0xFE).contains(trail)
        else { return false }
        // Four codes stand for a letter and a combining mark.
        let composed: (UInt32, UInt32)? =
            switch (byte, trail) {
            case (0x88, 0x62): (0xCA, 0x304)
            case (0x88, 0x64): (0xCA, 0x30C)
            case (0x88, 0xA3): (0xEA, 0x304)
            case (0x88, 0xA5): (0xEA, 0x30C)
            default: nil
            }
        if let (letter, mark) = composed { return take(0, letter) && take(2, mark) }
        return take(2, table.scalar((Int(byte) - 0x81) * 157 + Int(trail) - (trail < 0x7F ? 0x40 : 0x62)))
    }

    private mutating func gb18030(_ byte: UInt8, _ pairs: CharacterTable) -> Bool {
        if byte == 0x80 { return take(1, 0x20AC) }
        guard byte != 0xFF, let second = self.byte(1) else { return false }
        switch second {
        case 0x40...0x7E, 0x80...0xFE:
            return take(2, pairs.scalar((Int(byte) - 0x81) * 190 + Int(second) - (second < 0x7F ? 0x40 : 0x41)))
        case 0x30...0x39:
            guard let third = self.byte(2), (0x81...0xFE).contains(third), let fourth = self.byte(3),
                (0x30...0x39).contains(fourth)
            else { return false }
            let pointer =
                ((Int(byte) - 0x81) * 10 + Int(second) - 0x30) * 1_260 + (Int(third) - 0x81) * 10 + Int(fourth) - 0x30
            return take(4, CharacterTable.rangesScalar(pointer))
        default: return false
        }
    }
}

extension TextReader {
    private enum Mode { case ascii, roman, katakana, pairs }

    private mutating func iso2022JP(_ table: CharacterTable) throws(TextReadingFailure) {
        var mode = Mode.ascii
        // An escape sequence directly after another is an error, so that no text can hide behind them.
        var isBehindEscape = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x1B, !isBehindEscape, let next = escape() {
                mode = next
                index += 3
                isBehindEscape = true
            } else if read(byte, mode, table) {
                isBehindEscape = false
            } else {
                throw .init(offset: index)
            }
        }
    }

    private func escape() -> Mode? {
        switch (byte(1), byte(2)) {
        case (0x28, 0x42): .ascii
        case (0x28, 0x4A): .roman
        case (0x28, 0x49): .katakana
        case (0x24, 0x40), (0x24, 0x42): .pairs
        default: nil
        }
    }

    private mutating func read(_ byte: UInt8, _ mode: Mode, _ table: CharacterTable) -> Bool {
        guard byte < 0x80, ![0x0E, 0x0F, 0x1B].contains(byte) else { return false }
        switch mode {
        case .ascii: return take(1, UInt32(byte))
        case .roman: return take(1, byte == 0x5C ? 0xA5 : byte == 0x7E ? 0x203E : UInt32(byte))
        case .katakana: return (0x21...0x5F).contains(byte) && take(1, 0xFF61 + UInt32(byte) - 0x21)
        case .pairs:
            guard (0x21...0x7E).contains(byte), let trail = self.byte(1), (0x21...0x7E).contains(trail) else {
                return false
            }
            return take(2, table.scalar((Int(byte) - 0x21) * 94 + Int(trail) - 0x21))
        }
    }
}
