/// What the characters of a set are, by pointer, as the Encoding Standard's indexes (5) number them.
struct CharacterTable: Sendable {
    enum Key: Hashable, Sendable {
        case singleByte(TextEncoding.Kind)
        /// JIS X 0208 with NEC's and IBM's additions, as EUC-JP and ISO-2022-JP write it.
        case jis0208
        /// The same as Shift_JIS writes it.
        case shiftJIS
        case jis0212
        case eucKR
        case big5
        /// GB18030 in two bytes, and in four.
        case gbPairs, gbQuads
    }

    // Zero where there is no character: none of these tables has U+0000.
    private let scalars: [UInt32]
    private let pointers: [UInt32: Int]

    func scalar(_ pointer: Int) -> UInt32? {
        guard scalars.indices.contains(pointer), scalars[pointer] != 0 else { return nil }
        return scalars[pointer]
    }

    func pointer(_ scalar: UInt32) -> Int? { pointers[scalar] }

    init(_ key: Key, converter: any TextConverter) {
        var scalars = [UInt32](repeating: 0, count: key.count)
        var start = 0
        while start < key.count {
            let end = min(start + 128, key.count)
            Self.fill(&scalars, start..<end, key, converter)
            start = end
        }
        for pointer in scalars.indices where !key.takes(scalars[pointer]) { scalars[pointer] = 0 }
        for (pointer, scalar) in key.corrections where scalars.indices.contains(pointer) { scalars[pointer] = scalar }
        self.scalars = scalars

        var pointers: [UInt32: Int] = [:]
        pointers.reserveCapacity(key.count)
        for (pointer, scalar) in scalars.enumerated() where scalar != 0 && key.writes(pointer) {
            if pointers[scalar] == nil || key.prefersLast(scalar) { pointers[scalar] = pointer }
        }
        self.pointers = pointers
    }

    // Converters take a whole run or nothing of it, so a run with holes is halved until each hole stands alone.
    private static func fill(_ scalars: inout [UInt32], _ run: Range<Int>, _ key: Key, _ converter: any TextConverter) {
        let text = converter.decode(run.flatMap(key.bytes), as: key.encoding)
        if let found = text?.unicodeScalars, found.count == run.count {
            for (pointer, scalar) in zip(run, found) { scalars[pointer] = scalar.value }
        } else if run.count > 1 {
            let middle = run.lowerBound + run.count / 2
            fill(&scalars, run.lowerBound..<middle, key, converter)
            fill(&scalars, middle..<run.upperBound, key, converter)
        }
    }
}

extension CharacterTable.Key {
    var encoding: TextEncoding {
        switch self {
        case .singleByte(let kind): TextEncoding(kind)
        case .jis0208, .shiftJIS: .shiftJIS
        case .jis0212: .eucJP
        case .eucKR: .eucKR
        case .big5: .big5
        case .gbPairs, .gbQuads: .gb18030
        }
    }

    var count: Int {
        switch self {
        case .singleByte: 128
        case .jis0208, .jis0212: 94 * 94
        case .shiftJIS: 60 * 188
        case .eucKR, .gbPairs: 126 * 190
        case .big5: 126 * 157
        case .gbQuads: 39_420
        }
    }

    /// The bytes of a pointer below ``count`` in the set that the converter is asked for.
    func bytes(_ pointer: Int) -> [UInt8] {
        switch self {
        case .singleByte: [UInt8(0x80 + pointer)]
        case .jis0208, .shiftJIS:
            pair(pointer, row: 188, lead: pointer / 188 < 0x1F ? 0x81 : 0xC1, low: 0x40, high: 0x41, turn: 0x3F)
        case .jis0212: [0x8F] + pair(pointer, row: 94, lead: 0xA1, low: 0xA1, high: 0xA1, turn: 0)
        case .eucKR: pair(pointer, row: 190, lead: 0x81, low: 0x41, high: 0x41, turn: 0)
        case .big5: pair(pointer, row: 157, lead: 0x81, low: 0x40, high: 0x62, turn: 0x3F)
        case .gbPairs: pair(pointer, row: 190, lead: 0x81, low: 0x40, high: 0x41, turn: 0x3F)
        case .gbQuads: Self.quad(pointer)
        }
    }

    private func pair(_ pointer: Int, row: Int, lead: Int, low: Int, high: Int, turn: Int) -> [UInt8] {
        let trail = pointer % row
        return [UInt8(pointer / row + lead), UInt8(trail + (trail < turn ? low : high))]
    }

    /// The four bytes of a pointer of GB18030, which is below 1,587,600.
    static func quad(_ pointer: Int) -> [UInt8] {
        [
            UInt8(pointer / 12_600 + 0x81), UInt8(pointer / 1_260 % 10 + 0x30), UInt8(pointer / 10 % 126 + 0x81),
            UInt8(pointer % 10 + 0x30),
        ]
    }

    /// Whether a character that the converter answers is one of the standard's.
    ///
    /// Converters give codes that stand for nothing private characters, and the standard has none there.
    func takes(_ scalar: UInt32) -> Bool {
        switch self {
        case .singleByte(.macintosh), .gbPairs, .gbQuads, .shiftJIS: true
        case .singleByte(.windows1253): scalar != 0xAA
        default: !(0xE000...0xF8FF).contains(scalar) && scalar != 0xFFFD
        }
    }

    /// Whether a pointer is used for writing.
    func writes(_ pointer: Int) -> Bool {
        switch self {
        // NEC's choice of IBM's characters, and the private characters.
        case .shiftJIS: !(8_272..<10_744).contains(pointer)
        // Hong Kong's characters are read only.
        case .big5: pointer >= (0xA1 - 0x81) * 157
        default: true
        }
    }

    func prefersLast(_ scalar: UInt32) -> Bool {
        self == .big5 && [0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345].contains(scalar)
    }

    /// Where the standard has a character that older tables have not, or another one.
    var corrections: [(Int, UInt32)] {
        switch self {
        case .singleByte(.koi8U): [(0x2E, 0x45E), (0x3E, 0x40E)]
        case .singleByte(.windows1255): [(0x4A, 0x5BA)]
        case .big5: Self.hongKong + Self.controlPictures
        default: []
        }
    }

    // The characters that came into Unicode after they had come into Hong Kong's set.
    private static let hongKong: [(Int, UInt32)] = [
        (0x8840, 0x31C0), (0x8841, 0x31C1), (0x8842, 0x31C2), (0x8843, 0x31C3), (0x8844, 0x31C4), (0x8846, 0x31C5),
        (0x8849, 0x31C6), (0x884A, 0x31C7), (0x884D, 0x31C8), (0x884F, 0x31C9), (0x8850, 0x31CA), (0x8851, 0x31CB),
        (0x8852, 0x31CC), (0x8854, 0x31CD), (0x8855, 0x31CE), (0x88A9, 0x23DA), (0x88AA, 0x23DB), (0x8C43, 0x9FA6),
        (0x8C6D, 0x9FA7), (0x8C74, 0x9FA8), (0x8CB7, 0x9FA9), (0x8CB9, 0x9FAA), (0x8CBB, 0x9FAB), (0x8CC0, 0x9FAC),
        (0x8CD7, 0x9FAD), (0x8CD8, 0x9FAE), (0x8CDA, 0x9FAF), (0x8CED, 0x9FB2), (0x8D48, 0x9FB3), (0xC879, 0x31CF),
        (0xC8A1, 0x9FB0), (0xC8A3, 0x9FB1),
    ].map { (code: Int, scalar: UInt32) -> (Int, UInt32) in
        let (lead, trail) = (code >> 8, code & 0xFF)
        return ((lead - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62), scalar)
    }

    private static let controlPictures: [(Int, UInt32)] =
        (UInt32(0)..<32).map { (5_432 + Int($0), 0x2400 + $0) } + [(5_464, 0x2421)]
}
