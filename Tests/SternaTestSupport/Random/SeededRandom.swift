/// Random numbers that are the same for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: some BinaryInteger) { state = UInt64(truncatingIfNeeded: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension RandomNumberGenerator {
    /// Returns true once in `count` times, on average.
    mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &self)]
    }
}

/// Bytes without a period, the same at each call: they hardly compress, and a piece sent twice or out of place shows.
func noise(_ count: Int) -> [UInt8] {
    var random = SeededRandom(seed: 1)
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
