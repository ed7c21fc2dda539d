import CSternaZlib
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// RFC 7692, section 7.2.
@Suite("WebSocket: permessage-deflate")
struct WebSocketDeflateTests {
    typealias Item = WebSocketTranscript.Item

    /// What both sides remember, with the largest windows.
    static let remembering: WebSocketDeflate = {
        var deflate = WebSocketDeflate()
        (deflate.clientForgets, deflate.serverForgets) = (false, false)
        return deflate
    }()

    static func read(_ frames: [WebSocketFrame], limits: WebSocketLimits = WebSocketLimits()) -> WebSocketTranscript {
        let bytes = frames.flatMap(\.bytes)
        let reader = WebSocketReader(.client, limits: limits, deflate: remembering)
        let whole = WebSocketTranscript([bytes], by: reader)
        for size in [1, 3] {
            let reading = WebSocketTranscript(bytes, pieceSize: size, by: reader)
            #expect(reading.matches(whole), "pieces of \(size): \(reading), and in one: \(whole)")
        }
        return whole
    }

    static func expect(
        _ frames: [WebSocketFrame], _ items: [Item], fault: UInt16? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let reading = read(frames)
        #expect(
            reading.matches(WebSocketTranscript(items, fault: fault)), "\(reading)", sourceLocation: sourceLocation)
    }

    // MARK: RFC 7692's examples

    @Test("7.2.3.1: a message in one frame and in fragments")
    func hello() {
        Self.expect([.init(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4)], [.text("Hello")])
        Self.expect(
            [.init(1, [0xF2, 0x48, 0xCD], isFinal: false, reserved: 4), .init(0, [0xC9, 0xC9, 0x07, 0x00])],
            [.text("Hello")])
    }

    @Test("7.2.3.2: the window is kept")
    func sharedWindow() {
        Self.expect(
            [
                .init(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4),
                .init(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4),
            ], [.text("Hello"), .text("Hello")])
    }

    @Test("7.2.3.3: a block without compression")
    func stored() {
        Self.expect(
            [.init(1, [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], reserved: 4)],
            [.text("Hello")])
    }

    @Test("7.2.3.4: a final block, after which the window is kept")
    func finalBlock() {
        let final = WebSocketFrame(1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], reserved: 4)
        Self.expect([final], [.text("Hello")])
        Self.expect(
            [final, .init(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4), final],
            [.text("Hello"), .text("Hello"), .text("Hello")])
    }

    @Test("7.2.3.5: two blocks")
    func twoBlocks() {
        Self.expect(
            [.init(1, [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], reserved: 4)],
            [.text("Hello")])
    }

    @Test("7.2.3.6: an empty message")
    func empty() {
        Self.expect([.init(1, [0x00], reserved: 4)], [.text("")])
        Self.expect([.init(1, [0x02, 0x00], reserved: 4)], [.text("")])
    }

    @Test("A message without any bytes, and a final block without what follows it, are read")
    func lenient() {
        let hello = WebSocketFrame(1, [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4)
        let final = WebSocketFrame(1, [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], reserved: 4)
        let again = WebSocketFrame(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4)
        Self.expect(
            [hello, .init(1, reserved: 4), again, final, again],
            [.text("Hello"), .text(""), .text("Hello"), .text("Hello"), .text("Hello")])
    }

    @Test("Final blocks in the middle of a message")
    func finalBlocks() {
        let hello: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        Self.expect(
            [.init(1, hello + hello, isFinal: false, reserved: 4), .init(0, hello + [0x00])], [.text("HelloHelloHello")]
        )
    }

    @Test("Control frames and messages as they are stand between compressed ones")
    func mixed() {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        Self.expect(
            [
                .init(1, Array(hello[..<2]), isFinal: false, reserved: 4), .init(9, "p"), .init(0, Array(hello[2...])),
                .init(2, [1]), .init(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4), .init(closing: 1000),
            ], [.ping("p"), .text("Hello"), .binary([1]), .text("Hello"), .close(1000, "")])
    }

    // MARK: Violations

    @Test("RSV1 marks the first frame of a message only, and RSV2 and RSV3 stay forbidden")
    func reservedBits() {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        Self.expect(
            [.init(1, Array(hello[..<2]), isFinal: false, reserved: 4), .init(0, Array(hello[2...]), reserved: 4)], [],
            fault: 1002)
        Self.expect([.init(1, "a", isFinal: false), .init(0, "b", reserved: 4)], [], fault: 1002)
        Self.expect([.init(9, "a", reserved: 4)], [], fault: 1002)
        Self.expect([.init(8, reserved: 4)], [], fault: 1002)
        Self.expect([.init(1, hello, reserved: 6)], [], fault: 1002)
        Self.expect([.init(1, hello, reserved: 5)], [], fault: 1002)
    }

    @Test("Damaged bytes, and a message that ends within a block, are a fault")
    func damaged() {
        Self.expect([.init(1, [0x07], reserved: 4)], [], fault: 1007)
        Self.expect([.init(1, [0xFF, 0xFF, 0xFF], reserved: 4)], [], fault: 1007)
        Self.expect([.init(2, [0xF2, 0x48, 0xCD, 0xC9], reserved: 4)], [], fault: 1007)
        Self.expect([.init(2, [0x00, 0x06, 0x00, 0xF9, 0xFF, 0x48], reserved: 4)], [], fault: 1007)
        // A reference to what was before the first message.
        Self.expect([.init(1, [0xF2, 0x00, 0x11, 0x00, 0x00], reserved: 4)], [], fault: 1007)
    }

    @Test("A compressed text is checked as UTF-8")
    func text() {
        var coded = Zlib.deflate([0x61, 0xFF], .raw)
        Self.expect([.init(1, coded, reserved: 4)], [], fault: 1007)
        Self.expect([.init(2, coded, reserved: 4)], [.binary([0x61, 0xFF])])
        coded = Zlib.deflate([0x61, 0xE2, 0x82], .raw)
        Self.expect([.init(1, coded, reserved: 4)], [], fault: 1007)
    }

    // MARK: Limits

    @Test("A message's limit holds for what it decompresses to")
    func messageLimit() {
        var limits = WebSocketLimits()
        limits.messageBytes = 1_000
        for (size, fault) in [(1_000, nil), (1_001, 1009), (900_000, 1009)] as [(Int, UInt16?)] {
            let coded = Zlib.deflate([UInt8](repeating: 97, count: size), .raw)
            for kind: UInt8 in [1, 2] {
                let reading = Self.read([.init(kind, coded, reserved: 4)], limits: limits)
                expectEqual(reading.fault?.code, fault)
                if fault != nil {
                    #expect(reading.fault?.detail.contains("sent a message of more than") == true, "\(reading)")
                }
                expectEqual(reading.items.count, fault == nil ? 1 : 0)
            }
        }
    }

    @Test("Of a bomb, each event has at most 64 KiB")
    func bomb() {
        let coded = Zlib.deflate([UInt8](repeating: 0, count: 8 << 20), .raw, level: 9)
        let frame = WebSocketFrame(2, coded, reserved: 4).bytes
        var limits = WebSocketLimits()
        limits.messageBytes = 1 << 20
        let reader = WebSocketReader(.client, limits: limits, deflate: Self.remembering)
        let reading = WebSocketTranscript([frame], by: reader)
        expectEqual(reading.fault?.code, 1009)
        #expect(reading.parts.allSatisfy { $0 <= 64 << 10 })
        #expect(reading.parts.reduce(0, +) <= 1 << 20)
        limits.messageBytes = nil
        let whole = WebSocketTranscript(
            [frame], by: WebSocketReader(.client, limits: limits, deflate: Self.remembering))
        expectNil(whole.fault)
        expectEqual(whole.parts.reduce(0, +), 8 << 20)
        #expect(whole.parts.allSatisfy { $0 <= 64 << 10 })
    }

    @Test("Blocks without content that never end are a fault")
    func emptyBlocks() {
        var limits = WebSocketLimits()
        (limits.messageBytes, limits.fragmentCount) = (1_000, 1_000_000)
        let blocks = (0..<1_000).flatMap { _ in [0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8] }
        let frames =
            [WebSocketFrame(2, blocks, isFinal: false, reserved: 4)]
            + (0..<20).map { _ in WebSocketFrame(0, blocks, isFinal: false) }
        let reading = WebSocketTranscript(
            [frames.flatMap(\.bytes)], by: WebSocketReader(.client, limits: limits, deflate: Self.remembering))
        expectEqual(reading.fault?.code, 1009)
        #expect(reading.fault?.detail.contains("compressed message") == true, "\(reading)")
    }

    // MARK: Both sides

    struct Agreement: Sendable, CustomTestStringConvertible {
        var side: WebSocketSide
        var deflate = WebSocketDeflate()
        var testDescription: String { "\(side), \(deflate)" }
    }

    static let agreements: [Agreement] = [WebSocketSide.client, .server].flatMap { side in
        [true, false].flatMap { forgets in
            [9, 10, 12, 15].map { bits in
                var agreement = Agreement(side: side)
                (agreement.deflate.clientForgets, agreement.deflate.serverForgets) = (forgets, forgets)
                (agreement.deflate.clientWindowBits, agreement.deflate.serverWindowBits) = (bits, bits)
                return agreement
            }
        }
    }

    static func text(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += "{\"id\":\(Int.random(in: 0..<1_000, using: &random)),\"name\":\"tern\",\"far\":true},".utf8
        }
        return Array(bytes.prefix(count))
    }

    @Test(
        "What one side writes the other reads, messages of all sizes and kinds in one connection", arguments: agreements
    )
    func roundTrips(agreement: Agreement) {
        var random = SeededRandom(seed: 7)
        var writer = WebSocketWriter(agreement.side, deflate: agreement.deflate)
        let peer: WebSocketSide = agreement.side == .client ? .server : .client
        var bytes: [UInt8] = []
        var items: [Item] = []
        var sent = 0
        for size in [0, 1, 63, 64, 65, 300, 5_000, 32_768, 70_000, 200_000, 100, 64] {
            for content in [Self.text(size, &random), noise(size, seed: UInt64(size)), Self.text(size, &random)] {
                bytes += writer.frame(.binary, Bytes(bytes: content)).array
                items.append(.binary(content))
                sent += size
                // In parts, some of them empty.
                var rest = content[...]
                var isFirst = true
                while !isFirst || random.once(in: 2) {
                    let part = rest.prefix(random.once(in: 4) ? 0 : .random(in: 0...max(rest.count, 1), using: &random))
                    rest = rest.dropFirst(part.count)
                    let isLast = rest.isEmpty && random.once(in: 2)
                    bytes += writer.frame(.binary, Bytes(bytes: part), isFirst: isFirst, isLast: isLast).array
                    isFirst = false
                    if isLast {
                        items.append(.binary(content))
                        break
                    }
                }
            }
        }
        for size in [bytes.count, 1_000] {
            let reader = WebSocketReader(peer, deflate: agreement.deflate)
            let reading = WebSocketTranscript(bytes, pieceSize: size, by: reader)
            #expect(reading.items == items && reading.isOrderly && reading.fault == nil)
        }
        #expect(bytes.count < sent * 2)
    }

    @Test("A small message, and one that would grow, are sent as they are; the next one is read all the same")
    func growing() {
        for forgets in [true, false] {
            var deflate = WebSocketDeflate()
            (deflate.clientForgets, deflate.serverForgets) = (forgets, forgets)
            var writer = WebSocketWriter(.server, deflate: deflate)
            let text = [UInt8](repeating: 0x61, count: 400)
            let contents = [
                text, noise(400), text, [UInt8](repeating: 0x61, count: 63), noise(1_000), text + noise(400),
            ]
            let frames = contents.map { writer.frame(.binary, Bytes(bytes: $0)).array }
            expectEqual(frames.map { $0[0] & 0x40 != 0 }, [true, false, true, false, false, true])
            expectEqual(frames[1].count, 404)
            let reading = WebSocketTranscript(frames, by: WebSocketReader(.client, deflate: deflate))
            #expect(reading.matches(WebSocketTranscript(contents.map { .binary($0) })), "\(reading)")
        }
    }

    @Test("With a window that is kept, a repeated message is short; without, it is not")
    func takeover() {
        let content = Bytes(bytes: noise(300).map { $0 & 0x3F })
        var remembering = WebSocketWriter(.server, deflate: Self.remembering)
        var forgetting = WebSocketWriter(.client, deflate: WebSocketDeflate())
        let first = (
            remembering.frame(.binary, content).readableBytes, forgetting.frame(.binary, content).readableBytes
        )
        let second = (
            remembering.frame(.binary, content).readableBytes, forgetting.frame(.binary, content).readableBytes
        )
        #expect(second.0 < 30 && first.0 > 200)
        expectEqual(first.1, second.1)
    }

    @Test("The compressor keeps to its window")
    func window() {
        // What repeats after a thousand bytes is out of reach of a window of 512.
        let content = Bytes(bytes: noise(1_000) + noise(1_000))
        var sizes: [Int] = []
        for bits in [9, 15] {
            var deflate = Self.remembering
            deflate.serverWindowBits = bits
            var writer = WebSocketWriter(.server, deflate: deflate)
            sizes.append(writer.frame(.binary, content).readableBytes)
        }
        #expect(sizes[0] >= 2_000 && sizes[1] < 1_100, "\(sizes)")
    }

    @Test("A side that was asked for a window of 256 bytes compresses nothing, and reads what the other compresses")
    func smallestWindow() {
        var deflate = Self.remembering
        deflate.clientWindowBits = 8
        var client = WebSocketWriter(.client, deflate: deflate)
        expectEqual(client.frame(.text, Bytes(text: String(repeating: "a", count: 300))).array[0], 0x81)
        var server = WebSocketWriter(.server, deflate: deflate)
        let frame = server.frame(.text, Bytes(text: String(repeating: "a", count: 300))).array
        expectEqual(frame[0], 0xC1)
        expectEqual(
            WebSocketTranscript([frame], by: WebSocketReader(.client, deflate: deflate)).items,
            [.text(String(repeating: "a", count: 300))])
    }

    @Test("Copies of readers and writers go on independently")
    func copies() throws {
        var writer = WebSocketWriter(.server, deflate: Self.remembering)
        var reader = WebSocketReader(.client, deflate: Self.remembering)
        let first = Bytes(bytes: noise(500).map { $0 & 0x3F })
        reader.append(writer.frame(.binary, first))
        expectEqual(try reader.next(), .content(.binary, first, isFirst: true, isLast: true))
        var (otherWriter, otherReader) = (writer, reader)
        let second = Bytes(bytes: noise(500, seed: 2).map { $0 & 0x3F })
        for content in [first, second, first] {
            let frame = writer.frame(.binary, content)
            reader.append(frame)
            expectEqual(try reader.next(), .content(.binary, content, isFirst: true, isLast: true))
        }
        for content in [second, second, first] {
            let frame = otherWriter.frame(.binary, content)
            otherReader.append(frame)
            expectEqual(try otherReader.next(), .content(.binary, content, isFirst: true, isLast: true))
        }
    }
}
