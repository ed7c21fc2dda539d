/// Makes inputs out of valid ones.
struct Mutator {
    private static let longest = 16 << 10
    private static let mostInputs = 512

    private var inputs: [[UInt8]]
    private let seedCount: Int
    private let tokens: [[UInt8]]
    private var generator: MutationGenerator

    init(seeds: [[UInt8]], tokens: [[UInt8]], seed: UInt64) {
        inputs = seeds.isEmpty ? [[]] : seeds
        seedCount = inputs.count
        self.tokens = tokens
        generator = MutationGenerator(seed: seed)
    }

    /// Takes a valid input to begin with; of many, one gives way.
    mutating func keep(_ input: [UInt8]) {
        guard input.count <= 2_048 else { return }
        if inputs.count < Self.mostInputs {
            inputs.append(input)
        } else if inputs.count > seedCount {
            inputs[seedCount + below(inputs.count - seedCount)] = input
        }
    }

    mutating func next() -> [UInt8] {
        // Every second one begins with a seed: what others became of may be far from the format's variety.
        var bytes = generator.next() & 1 == 0 ? inputs[below(seedCount)] : inputs[below(inputs.count)]
        var changes = 1
        while changes < 6, generator.next() & 1 == 0 { changes += 1 }
        for _ in 0..<changes { change(&bytes) }
        if bytes.count > Self.longest { bytes.removeLast(bytes.count - Self.longest) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        switch below(16) {
        case 0, 1: flip(&bytes)
        case 2: overwrite(&bytes)
        case 3: insert(randomBytes(1 + below(8)), into: &bytes)
        case 4: delete(from: &bytes)
        case 5: duplicate(in: &bytes)
        case 6: splice(&bytes)
        case 7, 8: insert(token(), into: &bytes)
        case 9: replace(in: &bytes, with: token())
        case 10: repeatToken(in: &bytes)
        case 11, 12, 13: replaceNumber(in: &bytes)
        case 14: replaceBinaryNumber(in: &bytes)
        default: truncate(&bytes)
        }
    }

    // MARK: Bytes

    private mutating func flip(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
    }

    private mutating func overwrite(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let values: [UInt8] = [0, 1, 0x0A, 0x0D, 0x20, 0x7F, 0x80, 0xBF, 0xC0, 0xED, 0xF4, 0xFE, 0xFF]
        bytes[below(bytes.count)] = values[below(values.count)]
    }

    private mutating func insert(_ piece: [UInt8], into bytes: inout [UInt8]) {
        bytes.insert(contentsOf: piece, at: below(bytes.count + 1))
    }

    private mutating func delete(from bytes: inout [UInt8]) { bytes.removeSubrange(range(of: bytes, 32)) }

    private mutating func duplicate(in bytes: inout [UInt8]) {
        let piece = bytes[range(of: bytes, 64)]
        bytes.insert(contentsOf: Array(piece), at: below(bytes.count + 1))
    }

    private mutating func splice(_ bytes: inout [UInt8]) {
        let other = inputs[below(inputs.count)]
        let end = below(bytes.count + 1)
        bytes.replaceSubrange(end..., with: other[below(other.count + 1)...])
    }

    private mutating func replace(in bytes: inout [UInt8], with piece: [UInt8]) {
        bytes.replaceSubrange(range(of: bytes, 8), with: piece)
    }

    private mutating func truncate(_ bytes: inout [UInt8]) {
        bytes.removeLast(bytes.count - below(bytes.count + 1))
    }

    // MARK: Structure

    private mutating func token() -> [UInt8] {
        tokens.isEmpty || below(8) == 0
            ? BoundaryNumbers.texts[below(BoundaryNumbers.texts.count)] : tokens[below(tokens.count)]
    }

    /// Repeats a token, as nesting and limits on counts need it.
    private mutating func repeatToken(in bytes: inout [UInt8]) {
        let piece = token()
        let most = below(16) == 0 ? 4_096 : 40
        let count = min(1 + below(most), Self.longest / max(piece.count, 1))
        insert(Array(repeatElement(piece, count: count).joined()), into: &bytes)
    }

    // MARK: Numbers

    /// Writes a boundary number in place of digits, or behind some as an exponent.
    private mutating func replaceNumber(in bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let start = below(bytes.count)
        guard
            let first = bytes[start...].firstIndex(where: Self.isDigit) ?? bytes.firstIndex(where: Self.isDigit)
        else { return replaceBinaryNumber(in: &bytes) }
        var lower = first
        while lower > 0, Self.isDigit(bytes[lower - 1]) { lower -= 1 }
        let upper = bytes[first...].firstIndex { !Self.isDigit($0) } ?? bytes.count
        var number = BoundaryNumbers.texts[below(BoundaryNumbers.texts.count)]
        if below(8) == 0 { number.insert(UInt8(ascii: "-"), at: 0) }
        if below(8) == 0 {
            bytes.insert(contentsOf: [UInt8(ascii: "e")] + number, at: upper)
        } else {
            bytes.replaceSubrange(lower..<upper, with: number)
        }
    }

    /// Writes a boundary number of 1, 2, 4 or 8 bytes over others, or as a length of DER.
    private mutating func replaceBinaryNumber(in bytes: inout [UInt8]) {
        let width = 1 << below(4)
        var value = BoundaryNumbers.values[below(BoundaryNumbers.values.count)]
        if below(4) == 0 { value = UInt64(bytes.count) &+ UInt64(below(9)) &- 4 }
        var digits = (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
        if below(3) == 0 { digits.reverse() }
        guard bytes.count >= width else { return bytes += digits }
        let start = below(bytes.count - width + 1)
        if below(6) == 0 {
            bytes.replaceSubrange(start..<start + 1, with: [0x80 | UInt8(width)] + digits)
        } else {
            bytes.replaceSubrange(start..<start + width, with: digits)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    // MARK: Chance

    private mutating func range(of bytes: [UInt8], _ longest: Int) -> Range<Int> {
        let start = below(bytes.count + 1)
        return start..<min(bytes.count, start + below(longest + 1))
    }

    private mutating func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
    }

    private mutating func below(_ count: Int) -> Int {
        Int(truncatingIfNeeded: (generator.next() >> 16) % UInt64(max(count, 1)))
    }
}

/// Random numbers that follow from a seed (SplitMix64).
public struct MutationGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
