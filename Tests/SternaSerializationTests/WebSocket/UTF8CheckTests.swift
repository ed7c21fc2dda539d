import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("UTF-8 in pieces")
struct UTF8CheckTests {
    /// Returns whether pieces are accepted, and the text complete.
    static func check(_ pieces: [ArraySlice<UInt8>]) -> (isAccepted: Bool, isComplete: Bool) {
        var check = UTF8Check()
        for piece in pieces {
            guard Array(piece).withUnsafeBytes({ check.accepts($0) }) else { return (false, false) }
        }
        return (true, check.isComplete)
    }

    static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    @Test("Each sequence of two bytes is text where Swift says so, alone, among others, and in two pieces")
    func pairs() {
        for first in UInt8(0x7F)...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let pair = [first, second]
                let isText = Self.isText(pair)
                let readings = [
                    Self.check([pair[...]]), Self.check([pair[..<1], pair[1...]]),
                    Self.check([(pair + "abcdefgh".utf8)[...]]), Self.check([("abcdefghi".utf8 + pair)[...]]),
                ]
                // A character that lacks its end is accepted, but not complete.
                for (isAccepted, isComplete) in readings where (isAccepted && isComplete) != isText {
                    Issue.record("\(pair): \(readings)")
                    return
                }
            }
        }
    }

    @Test(
        "Sequences of three and four bytes at the borders",
        arguments: [0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF, 0xC2] as [UInt8])
    func borders(lead: UInt8) {
        let bytes: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE2, 0xFF]
        for second in bytes {
            for third in bytes {
                for fourth in bytes {
                    for text in [
                        [lead, second, third], [lead, second, third, fourth],
                        [lead, second, third, fourth, 0x61, 0x62],
                    ] {
                        let isText = Self.isText(text)
                        for split in text.indices {
                            let (isAccepted, isComplete) = Self.check([text[..<split], text[split...]])
                            guard (isAccepted && isComplete) == isText else {
                                Issue.record("\(text), split at \(split)")
                                return
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("It fails at the first byte after which no text can follow")
    func firstImpossibleByte() {
        let texts: [[UInt8]] = [
            [0xF4, 0x90], [0xED, 0xA0], [0xE0, 0x9F], [0xF0, 0x8F], [0xC1], [0xF5], [0x61, 0x80], [0xC3, 0x61],
        ]
        for text in texts {
            #expect(!Self.check([text[...]]).isAccepted, "\(text)")
            #expect(Self.check([text.dropLast()]).isAccepted, "\(text)")
        }
    }

    @Test("Random texts, some damaged, in random pieces", arguments: 0..<40)
    func random(seed: Int) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                bytes +=
                    random.pick(["a", "tern tern", "ä", "€", "\u{1F426}", "\u{7FF}\u{800}", "\u{FFFF}\u{10FFFF}"]).utf8
            }
            if random.once(in: 2), !bytes.isEmpty {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            if random.once(in: 4) { _ = bytes.popLast() }
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                pieces.append(rest.prefix(.random(in: 1...20, using: &random)))
                rest = rest.dropFirst(pieces.last?.count ?? 1)
            }
            let (isAccepted, isComplete) = Self.check(pieces)
            guard (isAccepted && isComplete) == Self.isText(bytes) else {
                Issue.record("\(bytes) in \(pieces.map(\.count))")
                return
            }
        }
    }
}
