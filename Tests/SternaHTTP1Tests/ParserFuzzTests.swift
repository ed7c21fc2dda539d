import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("Randomly damaged responses")
struct ParserFuzzTests {
    static let special: [UInt8] = Array("\r\n\0 \t:;,\"0159afAF-+xHTTP/.1".utf8) + [0x7F, 0x80, 0xFF]

    static let words: [[UInt8]] = [
        "Content-Length: 5\r\n", "Content-Length: 7, 5\r\n", "Transfer-Encoding: chunked\r\n", "\r\n\r\n", "0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "FFFFFFFFFFFFFFFF", "99999999999999999999", "\r\n ",
        "Connection: close\r\n", "HTTP/1.0",
    ].map { Array($0.utf8) }

    static func mutate(_ seed: [UInt8], _ generator: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let position = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1 where position < bytes.count: bytes[position] = special.randomElement(using: &generator) ?? 0
            case 2: bytes.insert(special.randomElement(using: &generator) ?? 0, at: position)
            case 3 where position < bytes.count: bytes.remove(at: position)
            case 4: bytes.insert(contentsOf: words.randomElement(using: &generator) ?? [], at: position)
            case 5:
                let end = min(bytes.count, position + Int.random(in: 0...12, using: &generator))
                bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
            default:
                bytes.removeSubrange(position..<min(bytes.count, position + Int.random(in: 0...6, using: &generator)))
            }
        }
        return bytes
    }

    static func cut(_ bytes: [UInt8], _ generator: inout SeededRandom) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    /// The most bytes of body that any reading of a chunked message allows: sizes read as far as they are digits, lines
    /// taken to end at any LF.
    static func allowance(ofChunked rest: ArraySlice<UInt8>) -> Int {
        var rest = rest
        var total = 0
        while !rest.isEmpty {
            var size = 0
            var digits = 0
            while let first = rest.first, let digit = Character(Unicode.Scalar(first)).hexDigitValue, first < 0x80 {
                size = min(size * 16 + digit, 1 << 40)
                digits += 1
                rest = rest.dropFirst()
            }
            guard digits > 0, size > 0, let newline = rest.firstIndex(of: 0x0A) else { break }
            rest = rest[(newline + 1)...]
            total += min(size, rest.count)
            rest = rest.dropFirst(size).dropFirst(2)
        }
        return total
    }

    static func endOfHead(in bytes: [UInt8], after interim: Int) -> Int? {
        var left = interim
        for index in bytes.indices where index >= 3 {
            guard bytes[index] == 0x0A,
                bytes[index - 1] == 0x0A || bytes[index - 1] == 0x0D && bytes[index - 2] == 0x0A
            else { continue }
            if left == 0 { return index + 1 }
            left -= 1
        }
        return nil
    }

    @Test(
        "25,000 damaged responses: no trap, the same however they are cut, no more body than the framing allows",
        .timeLimit(.minutes(5)), arguments: [UInt64(1), 2, 3, 4, 5])
    func damaged(seed: UInt64) {
        var generator = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15)
        let seeds = SplitInputTests.messages.map { Array($0.text.utf8) }
        var accepted = 0
        for number in 0..<5_000 {
            let input = Self.mutate(seeds.randomElement(using: &generator) ?? [], &generator)
            let isHead = number % 16 == 0
            let whole = ParserTranscript.of([input], isHeadRequest: isHead, closes: true)
            let text = String(decoding: input, as: UTF8.self).debugDescription
            let pieces = Self.cut(input, &generator)
            expectEqual(ParserTranscript.of(pieces, isHeadRequest: isHead, closes: true), whole, "\(text)")
            if number % 50 == 0 {
                let bytes = ParserTranscript.of(input.map { [$0] }, isHeadRequest: isHead, closes: true)
                expectEqual(bytes, whole, "\(text)")
            }
            #expect(!(whole.failure != nil && whole.hasEnded), "\(text)")
            guard let status = whole.status else {
                #expect(whole.body.isEmpty, "\(text)")
                continue
            }
            #expect(!(whole.isChunked && whole.declaredLength != nil), "\(text)")
            if isHead || status == 204 || status == 304 {
                #expect(whole.body.isEmpty && whole.hasEnded, "\(text)")
            } else if whole.isChunked {
                let start = Self.endOfHead(in: input, after: whole.interim.count) ?? input.count
                #expect(whole.body.count <= Self.allowance(ofChunked: input[start...]), "\(text)")
            } else if let length = whole.declaredLength {
                #expect(Int64(whole.body.count) <= length, "\(text)")
                expectEqual(whole.hasEnded, (Int64(whole.body.count) == length), "\(text)")
            } else {
                #expect(whole.hasEnded && !whole.isPersistent, "\(text)")
            }
            if whole.hasEnded { accepted += 1 }
        }
        // The damage must not be so great that nothing behind the head is ever reached.
        #expect(accepted > 300)
    }

    @Test("10,000 random inputs")
    func noise() {
        var generator = SeededRandom(seed: 42)
        for _ in 0..<10_000 {
            var input = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? Self.special.randomElement(using: &generator) ?? 0
                    : UInt8.random(in: .min ... .max, using: &generator)
            }
            if Bool.random(using: &generator) {
                input = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + input
            }
            let whole = ParserTranscript.of([input], closes: true)
            expectEqual(ParserTranscript.of(Self.cut(input, &generator), closes: true), whole)
            #expect(whole.body.count <= input.count)
        }
    }
}
