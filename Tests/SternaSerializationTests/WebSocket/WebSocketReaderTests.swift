import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

/// The rules of RFC 6455, sections 5 to 8, a row each.
@Suite("WebSocket: reader")
struct WebSocketReaderTests {
    typealias Item = WebSocketTranscript.Item

    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let bytes: [UInt8]
        let items: [Item]
        var fault: UInt16?
        var side = WebSocketSide.client

        var testDescription: String { rule }

        init(
            _ rule: String, _ frames: [WebSocketFrame], _ items: [Item] = [], fault: UInt16? = nil,
            side: WebSocketSide = .client
        ) {
            self.init(rule, bytes: frames.flatMap(\.bytes), items, fault: fault, side: side)
        }

        init(
            _ rule: String, bytes: [UInt8], _ items: [Item] = [], fault: UInt16? = nil,
            side: WebSocketSide = .client
        ) {
            (self.rule, self.bytes, self.items, self.fault, self.side) = (rule, bytes, items, fault, side)
        }
    }

    static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    static let long = String(repeating: "a", count: 200)
    static let longer = [UInt8](repeating: 7, count: 70_000)

    static let examples: [Row] = [
        Row("5.7: a text without a mask", bytes: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.text("Hello")]),
        Row(
            "5.7: a text with a mask",
            bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], [.text("Hello")], side: .server),
        Row(
            "5.7: a text in fragments", bytes: [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F],
            [.text("Hello")]),
        Row("5.7: a ping", bytes: [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.ping("Hello")]),
        Row(
            "5.7: a pong with a mask",
            bytes: [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], [.pong("Hello")], side: .server),
        Row(
            "5.7: 256 bytes of data", bytes: [0x82, 0x7E, 0x01, 0x00] + [UInt8](repeating: 1, count: 256),
            [.binary([UInt8](repeating: 1, count: 256))]),
        Row(
            "5.7: 64 KiB of data",
            bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 1, count: 65_536),
            [.binary([UInt8](repeating: 1, count: 65_536))]),
    ]

    static let messages: [Row] = [
        Row("nothing", []),
        Row("empty messages", [.init(1), .init(2)], [.text(""), .binary([])]),
        Row(
            "lengths at the borders of the forms",
            [125, 126, 127, 65_535, 65_536].map { WebSocketFrame(2, noise($0)) },
            [125, 126, 127, 65_535, 65_536].map { .binary(noise($0)) }),
        Row(
            "lengths at the borders of the forms, with a mask",
            [125, 126, 127, 65_535, 65_536].map { WebSocketFrame(2, noise($0), mask: mask) },
            [125, 126, 127, 65_535, 65_536].map { .binary(noise($0)) }, side: .server),
        Row(
            "a mask of zeros", [.init(1, "zero", mask: [0, 0, 0, 0])], [.text("zero")], side: .server),
        Row(
            "fragments without bytes",
            [
                .init(1, isFinal: false), .init(0, isFinal: false), .init(0, "ab", isFinal: false), .init(0),
            ], [.text("ab")]),
        Row("fragments, all of them empty", [.init(2, isFinal: false), .init(0)], [.binary([])]),
        Row(
            "control frames between fragments",
            [
                .init(1, "a", isFinal: false), .init(9, "p"), .init(0, "b", isFinal: false), .init(10, "q"),
                .init(0, "c"),
            ], [.ping("p"), .pong("q"), .text("abc")]),
        Row("a ping of 125 bytes", [.init(9, String(long.prefix(125)))], [.ping(String(long.prefix(125)))]),
        Row("control frames without bytes", [.init(9), .init(10)], [.ping(""), .pong("")]),
        Row(
            "a character in fragments", [.init(1, [0xF0, 0x9F], isFinal: false), .init(0, [0x90, 0xA6])],
            [.text("\u{1F426}")]),
        Row("data need not be UTF-8", [.init(2, [0xFF, 0xC0])], [.binary([0xFF, 0xC0])]),
    ]

    static let violations: [Row] = [
        Row("5.2: RSV1 without an extension", [.init(1, "a", reserved: 4)], fault: 1002),
        Row("5.2: RSV2", [.init(1, "a", reserved: 2)], fault: 1002),
        Row("5.2: RSV3", [.init(1, "a", reserved: 1)], fault: 1002),
        Row("5.2: a reserved bit of a ping", [.init(9, "a", reserved: 4)], fault: 1002),
        Row("5.2: unknown kinds of data", [.init(1, "a"), .init(3, "b")], [.text("a")], fault: 1002),
        Row("5.2: the kind 7", [.init(7)], fault: 1002),
        Row("5.2: unknown kinds of control frames", [.init(11)], fault: 1002),
        Row("5.2: the kind 15", [.init(15)], fault: 1002),
        Row("5.1: a server with a mask", [.init(1, "a", mask: mask)], fault: 1002),
        Row("5.1: a client without a mask", [.init(1, "a")], fault: 1002, side: .server),
        Row("5.1: a client's ping without a mask", [.init(9, "a")], fault: 1002, side: .server),
        Row("5.2: 16 bits for a short length", bytes: WebSocketFrame(2, [1]).bytes(length: [126, 0, 1]), fault: 1002),
        Row(
            "5.2: 16 bits for 125 bytes", bytes: WebSocketFrame(2, noise(125)).bytes(length: [126, 0, 125]),
            fault: 1002),
        Row(
            "5.2: 64 bits for 65,535 bytes",
            bytes: WebSocketFrame(2, noise(65_535)).bytes(length: [127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]), fault: 1002),
        Row("5.2: 64 bits for no bytes", bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0], fault: 1002),
        Row("5.2: the top bit of 64", bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 1, 0, 0], fault: 1002),
        Row("5.5: a ping in fragments", [.init(9, "a", isFinal: false)], fault: 1002),
        Row("5.5: a close in fragments", [.init(8, isFinal: false)], fault: 1002),
        Row("5.5: a ping of 126 bytes", [.init(9, noise(126))], fault: 1002),
        Row("5.5: a ping of 65,536 bytes", bytes: [0x89, 127, 0, 0, 0, 0, 0, 1, 0, 0], fault: 1002),
        Row("5.4: a continuation of nothing", [.init(0, "a")], fault: 1002),
        Row("5.4: a continuation after the end", [.init(1, "a"), .init(0, "b")], [.text("a")], fault: 1002),
        Row("5.4: a message within another", [.init(1, "a", isFinal: false), .init(1, "b")], fault: 1002),
        Row("5.4: data within a text", [.init(1, "a", isFinal: false), .init(2, "b")], fault: 1002),
        Row("8.1: a text that is not UTF-8", [.init(1, [0x61, 0xFF])], fault: 1007),
        Row("8.1: a text that ends within a character", [.init(1, [0xE2, 0x82])], fault: 1007),
        Row(
            "8.1: fragments that end within a character", [.init(1, [0xE2], isFinal: false), .init(0, [0x82])],
            fault: 1007),
        Row(
            "8.1: an empty last fragment after half a character", [.init(1, [0xE2, 0x82], isFinal: false), .init(0)],
            fault: 1007),
        Row("8.1: a surrogate", [.init(1, [0xED, 0xA0, 0x80])], fault: 1007),
        Row(
            "8.1: a text that is not UTF-8, with a mask", [.init(1, [0xC0, 0x80], mask: mask)], fault: 1007,
            side: .server),
        Row("nothing follows a fault", [.init(3), .init(1, "a"), .init(8)], fault: 1002),
    ]

    static let closes: [Row] = [
        Row("a close without a code", [.init(8)], [.close(nil, "")]),
        Row("a close with a code", [.init(closing: 1000)], [.close(1000, "")]),
        Row("a close with a reason", [.init(closing: 1001, Array("går".utf8))], [.close(1001, "går")]),
        Row(
            "a close with a reason of 123 bytes", [.init(closing: 4999, Array(long.utf8.prefix(123)))],
            [.close(4999, String(long.prefix(123)))]),
        Row("nothing follows a close", [.init(8), .init(1, "a"), .init(3)], [.close(nil, "")]),
        Row(
            "a close within a message", [.init(1, "a", isFinal: false), .init(closing: 1000)], [.close(1000, "")]),
        Row("a close of one byte", [.init(8, [3])], fault: 1002),
        Row("a close of 126 bytes", [.init(closing: 1000, noise(124))], fault: 1002),
        Row("a reason that is not UTF-8", [.init(closing: 1000, [0xFF])], fault: 1007),
        Row("a reason that ends within a character", [.init(closing: 1000, [0x61, 0xC3])], fault: 1007),
    ]

    static func read(_ row: Row, pieceSize: Int) -> WebSocketTranscript {
        WebSocketTranscript(row.bytes, pieceSize: pieceSize, by: WebSocketReader(row.side))
    }

    @Test("Rules, in one piece and byte by byte", arguments: examples + messages + violations + closes)
    func rules(row: Row) {
        for size in [row.bytes.count, 1] {
            let reading = Self.read(row, pieceSize: size)
            #expect(reading.matches(WebSocketTranscript(row.items, fault: row.fault)), "pieces of \(size): \(reading)")
        }
    }

    @Test("Every split gives the same events", arguments: examples + messages + violations + closes)
    func splits(row: Row) {
        let whole = Self.read(row, pieceSize: row.bytes.count)
        let splits =
            row.bytes.count < 1_000
            ? Array(0...row.bytes.count)
            : Array(0...20) + Array(row.bytes.count - 20...row.bytes.count) + [1_000, 4_096]
        for split in splits {
            let reading = WebSocketTranscript(
                [row.bytes[..<split], row.bytes[split...]], by: WebSocketReader(row.side))
            guard reading.matches(whole) else {
                Issue.record("split at \(split): \(reading)")
                return
            }
        }
    }

    @Test("Random frames in random pieces give what they give in one", arguments: 0..<60)
    func randomPieces(seed: Int) {
        var random = SeededRandom(seed: seed)
        let side: WebSocketSide = seed % 2 == 0 ? .client : .server
        var bytes: [UInt8] = []
        var items: [Item] = []
        for _ in 0..<30 {
            func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
                let mask = side == .client ? nil : (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
                bytes += WebSocketFrame(opcode, payload, isFinal: isFinal, mask: mask).bytes
            }
            let isText = random.once(in: 2)
            let text = String(
                repeating: random.pick(["a", "ä", "€", "\u{1F426}", "tern "]),
                count: .random(in: 0..<80, using: &random))
            let content = isText ? Array(text.utf8) : noise(.random(in: 0..<400, using: &random))
            var rest = content[...]
            var opcode: UInt8 = isText ? 1 : 2
            while random.once(in: 2) {
                let part = rest.prefix(.random(in: 0...rest.count, using: &random))
                frame(opcode, Array(part), isFinal: false)
                rest = rest.dropFirst(part.count)
                opcode = 0
                if random.once(in: 3) {
                    frame(9, Array("ping".utf8))
                    items.append(.ping("ping"))
                }
            }
            frame(opcode, Array(rest))
            items.append(isText ? .text(text) : .binary(content))
        }
        for _ in 0..<20 {
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(.random(in: 1...(random.once(in: 2) ? 10 : 2_000), using: &random))
                pieces.append(piece)
                rest = rest.dropFirst(piece.count)
            }
            let reading = WebSocketTranscript(pieces, by: WebSocketReader(side))
            #expect(reading.matches(WebSocketTranscript(items)), "\(reading)")
        }
    }

    @Test("Each close code that may be sent is read, and no other")
    func closeCodes() {
        let valid = Set([1000, 1001, 1002, 1003] + Array(1007...1014) + Array(3000...4999) as [UInt16])
        for code in UInt16.min...UInt16.max {
            let reading = WebSocketTranscript(
                [WebSocketFrame(closing: code).bytes], by: WebSocketReader(.client))
            let expected =
                valid.contains(code)
                ? WebSocketTranscript([.close(code, "")]) : WebSocketTranscript(fault: 1002)
            guard reading.matches(expected) else {
                Issue.record("\(code): \(reading)")
                return
            }
        }
    }

    // MARK: Parts

    @Test("A small message in one read is one part, and its parts are returned before a frame is complete")
    func parts() throws {
        let small = WebSocketFrame(1, "small").bytes
        expectEqual(WebSocketTranscript([small + small], by: WebSocketReader(.client)).parts, [5, 5])
        var reader = WebSocketReader(.client)
        let frame = WebSocketFrame(2, noise(100_000)).bytes
        reader.append(Bytes(bytes: frame[..<40_010]))
        expectEqual(
            try reader.next(), .content(.binary, Bytes(bytes: noise(100_000)[..<40_000]), isFirst: true, isLast: false))
        expectNil(try reader.next())
        reader.append(Bytes(bytes: frame[40_010...]))
        expectEqual(
            try reader.next(), .content(.binary, Bytes(bytes: noise(100_000)[40_000...]), isFirst: false, isLast: true))
        expectNil(try reader.next())
    }

    @Test("A text fails at its first impossible byte, before its frame is complete")
    func failsEarly() throws {
        var reader = WebSocketReader(.client)
        let head: [UInt8] = [0x81, 126, 0x10, 0x00]
        reader.append(Bytes(bytes: head + [0x61, 0xCE]))
        expectEqual(try reader.next(), .content(.text, Bytes(bytes: [0x61, 0xCE]), isFirst: true, isLast: false))
        reader.append(Bytes(bytes: [0x41]))
        for _ in 0..<2 {
            let fault = #expect(throws: WebSocketFault.self) { try reader.next() }
            expectEqual(fault?.code, 1007)
            reader.append(Bytes(bytes: WebSocketFrame(1, "a").bytes))
        }
    }

    @Test("A small part of data does not retain a large read")
    func retainsNoRead() throws {
        var reader = WebSocketReader(.client)
        reader.append(Bytes(bytes: WebSocketFrame(2, noise(64)).bytes + WebSocketFrame(2, noise(60_000)).bytes))
        guard case .content(_, let small, _, _)? = try reader.next() else {
            Issue.record("There is no message.")
            return
        }
        #expect(small.storageCapacity < 1_024)
    }

    @Test("Copies of a reader read on independently")
    func copies() throws {
        var first = WebSocketReader(.client)
        first.append(Bytes(bytes: WebSocketFrame(1, "abc").bytes[..<3]))
        _ = try first.next()
        var second = first
        second.append(Bytes(text: "xy"))
        first.append(Bytes(text: "bc"))
        expectEqual(try first.next(), .content(.text, Bytes(text: "bc"), isFirst: false, isLast: true))
        expectEqual(try second.next(), .content(.text, Bytes(text: "xy"), isFirst: false, isLast: true))
    }

    // MARK: Limits

    struct LimitRow: Sendable, CustomTestStringConvertible {
        let rule: String
        let frames: [WebSocketFrame]
        var fault: UInt16?
        var detail = ""
        var testDescription: String { rule }
    }

    static let limitRows: [LimitRow] = [
        LimitRow(rule: "a frame at the limit", frames: [.init(2, noise(100))]),
        LimitRow(
            rule: "a frame above", frames: [.init(2, noise(101))], fault: 1009, detail: "frame of more than 100 B"),
        LimitRow(rule: "a message at the limit", frames: [.init(2, noise(100), isFinal: false), .init(0, noise(50))]),
        LimitRow(
            rule: "a message above", frames: [.init(2, noise(100), isFinal: false), .init(0, noise(51))], fault: 1009,
            detail: "message of more than 150 B"),
        LimitRow(
            rule: "a message above, after another", frames: [.init(2, noise(100)), .init(2, noise(100))]),
        LimitRow(
            rule: "fragments at the limit", frames: [.init(2, isFinal: false), .init(0, isFinal: false), .init(0)]),
        LimitRow(
            rule: "fragments above",
            frames: [.init(2, isFinal: false), .init(0, isFinal: false), .init(0, isFinal: false), .init(0)],
            fault: 1008,
            detail: "more than 3 frames"),
        LimitRow(
            rule: "fragments of two messages",
            frames: [.init(2, isFinal: false), .init(0), .init(2, isFinal: false), .init(0)]),
        LimitRow(rule: "control frames at the limit", frames: [.init(9), .init(10), .init(9), .init(10)]),
        LimitRow(
            rule: "control frames above", frames: [.init(9), .init(10), .init(9), .init(10), .init(9)], fault: 1008,
            detail: "more than 4 control frames"),
        LimitRow(
            rule: "control frames with data between",
            frames: [
                .init(9), .init(10), .init(9), .init(10), .init(2, isFinal: false), .init(9), .init(9), .init(0),
                .init(9),
            ]),
    ]

    @Test("Limits", arguments: limitRows)
    func limits(row: LimitRow) {
        var limits = WebSocketLimits()
        (limits.frameBytes, limits.messageBytes, limits.fragmentCount, limits.controlFrameCount) = (100, 150, 3, 4)
        limits.controlFramePeriod = .seconds(100_000)
        let bytes = row.frames.flatMap(\.bytes)
        for size in [bytes.count, 1] {
            let reading = WebSocketTranscript(bytes, pieceSize: size, by: WebSocketReader(.client, limits: limits))
            expectEqual(reading.fault?.code, row.fault)
            #expect(reading.fault?.detail.contains(row.detail) ?? true, "\(reading)")
        }
    }

    @Test("Control frames of an idle connection do not add up without end")
    func slowControlFrames() {
        var limits = WebSocketLimits()
        (limits.controlFrameCount, limits.controlFramePeriod) = (2, .zero)
        let reading = WebSocketTranscript(
            [(0..<9).flatMap { _ in WebSocketFrame(9).bytes }], by: WebSocketReader(.client, limits: limits))
        expectNil(reading.fault)
        expectEqual(reading.items.count, 9)
    }

    @Test("A length of 63 bits is a limit's fault, or without limits taken piece by piece")
    func longest() {
        let head: [UInt8] = [0x02, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        expectEqual(WebSocketTranscript([head], by: WebSocketReader(.client)).fault?.code, 1009)
        var limits = WebSocketLimits()
        (limits.frameBytes, limits.messageBytes) = (.max, nil)
        let reading = WebSocketTranscript([head + noise(1_000)], by: WebSocketReader(.client, limits: limits))
        expectNil(reading.fault)
        expectEqual(reading.parts, [1_000])
    }
}
