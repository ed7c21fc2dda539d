import MutationKit

/// Random numbers that are the same for the same seed.
struct SeededRandom: RandomNumberGenerator {
    private var generator: MutationGenerator

    init(seed: some BinaryInteger) { generator = MutationGenerator(seed: UInt64(truncatingIfNeeded: seed)) }

    mutating func next() -> UInt64 { generator.next() }
}

extension RandomNumberGenerator {
    /// Returns true once in `count` times, on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &self)]
    }
}

/// Bytes without a period, the same for the same seed: they hardly compress, and a piece sent twice or out of place shows.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { target in
        for start in stride(from: 0, to: count, by: 8) {
            withUnsafeBytes(of: random.next().littleEndian) { word in
                target[start..<min(start + 8, count)].copyBytes(from: word.prefix(count - start))
            }
        }
    }
    return bytes
}
