import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Field sections that are too long, as they come or as they are decoded (RFC 9113 §10.5.1).
@Suite("HTTP/2: the length of field sections", .timeLimit(.minutes(5)))
struct HTTP2HeaderListTests {
    struct Section: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        init(_ name: String, _ make: (inout HeaderBlock) -> Void) {
            var block = HeaderBlock()
            make(&block)
            self.name = name
            bytes = block.bytes
        }

        var testDescription: String { name }
    }

    private static func text(_ count: Int) -> String { String(repeating: "v", count: count) }

    static let sections: [Section] = [
        Section("one field of 70,000 bytes") { $0.literal("x-a", text(70_000)) },
        Section("one field of a mebibyte") { $0.literal("x-a", text(1 << 20)) },
        Section("a long name") { $0.literal(text(70_000), "v") },
        Section("250 fields of 300 bytes") { block in
            for number in 0..<250 { block.literal("x-\(number)", text(300)) }
        },
        // 200 times 4,000 bytes in less than 5,000.
        Section("an entry of the table again and again") { block in
            block.literal("x-a", text(4_000), .withIncrementalIndexing)
            for _ in 0..<200 { block.index(62) }
        },
        // 60 megabytes in 20,000 bytes.
        Section("an entry of the table without end") { block in
            block.literal("x-a", text(4_000), .withIncrementalIndexing)
            for _ in 0..<16_000 { block.index(62) }
        },
        Section("many fields of hardly anything") { block in
            for _ in 0..<30_000 { block.literal("a", "") }
        },
    ]

    /// Fails one request by its limit; the next one is good, on whatever connection.
    private func refused(
        secure: Bool = false, engine: Engine = Wire.engine(),
        _ send: @escaping @Sendable (PeerConnection, UInt32) async throws -> Void
    ) async throws {
        let isSent = Counter()
        try await FrameScene.withSession(secure: secure, engine: engine) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            guard connection.number == 0 else { return try await connection.respond(stream, text: "again") }
            do {
                try await send(connection, stream)
            } catch let error as PeerError where error.kind == .closed {
                // The client has seen enough.
            }
            try await FrameScene.settle(connection)
            isSent.add()
            // The same connection, where it was left open.
            if let next = try await connection.requestOrClosed() {
                try await connection.respond(next.stream, text: "again")
            }
        } body: { api, peer in
            await FrameScene.failure([.limitExceeded], [.wait, .read]) { try await api.get("row") }
            #expect(await eventually { isSent.value == 1 })
            try await api.expect("again", at: "again")
            #expect(peer.connectionCount <= 2)
        }
    }

    @Test("A head that is too long", arguments: sections, [false, true])
    func head(section: Section, isEnded: Bool) async throws {
        try await refused { connection, stream in
            let block = HeaderBlock.encode([(":status", "200")]) + section.bytes
            try await connection.send(WireFrame.headerFrames(stream, block, end: isEnded))
        }
    }

    /// A few bytes that stand for many: references to one long entry of the table (RFC 7541 §2.3.2).
    private static func references(_ count: Int, definesEntry: Bool) -> [UInt8] {
        var block = HeaderBlock()
        block.index(8)
        if definesEntry { block.literal("x-a", text(4_000), .withIncrementalIndexing) }
        for _ in 0..<count { block.index(62) }
        return block.bytes
    }

    @Test(
        "However many references to a long entry: its limit is what the request fails by, and nothing else fails",
        arguments: [17, 18, 19, 22, 100, 5_000], [false, true])
    func references(count: Int, isOfThisBlock: Bool) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            if !isOfThisBlock {
                let stream = try await connection.request().stream
                try await connection.send(.headers(stream, Self.references(0, definesEntry: true), end: true))
            }
            let stream = try await connection.request().stream
            let block = Self.references(count, definesEntry: isOfThisBlock)
            try await connection.send(WireFrame.headerFrames(stream, block))
            _ = try await connection.resetCode(of: stream)
            // The table is the same on both sides.
            let second = try await connection.request().stream
            try await connection.send(.headers(second, Self.references(1, definesEntry: false), end: true))
        } body: { api, peer in
            if !isOfThisBlock { try await api.get("first") }
            let error = await FrameScene.failure([.limitExceeded]) { try await api.get("row") }
            expectEqual(error?.description.contains("header fields"), true)
            try await expectEqual(api.get("second").headers.first?.value.utf8.count, 4_000)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test(
        "Before the client's SETTINGS are acknowledged, too, however the peer's SETTINGS are cut",
        arguments: [4, 17, 18, 100, 5_000], [false, true])
    func unacknowledged(count: Int, isCut: Bool) async throws {
        try await FrameScene.withSession { connection in
            if isCut {
                try await connection.receivePreface()
                let settings = WireFrame.settings([(WireFrame.Setting.maxConcurrentStreams, 100)])
                try await connection.sendSplit([settings], every: 1)
            } else {
                try await connection.handshake(acknowledges: false)
            }
            let stream = try await connection.request().stream
            try await connection.send(WireFrame.headerFrames(stream, Self.references(count, definesEntry: true)))
            if count > 16 {
                _ = try await connection.resetCode(of: stream)
            } else {
                try await connection.sendBody(stream, Array("short".utf8))
            }
            let second = try await connection.request().stream
            try await connection.send(.settingsAck)
            try await connection.send(.headers(second, Self.references(1, definesEntry: false), end: true))
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .goAway })
        } body: { api, peer in
            if count > 16 {
                let error = await FrameScene.failure([.limitExceeded]) { try await api.get("row") }
                expectEqual(error?.description.contains("header fields"), true)
            } else {
                try await api.expect("short", at: "row")
            }
            try await expectEqual(api.get("second").headers.first?.value.utf8.count, 4_000)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("One SETTINGS frame is sent, and acknowledged once more than there are it is an error")
    func settings() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            guard connection.number == 0 else { return try await connection.respond(stream, text: "again") }
            let sent = connection.log.filter { $0.kind == .settings && !$0.isAck }
            expectEqual(sent.count, 1)
            expectEqual(connection.clientSettings[WireFrame.Setting.enablePush], 0)
            expectEqual(connection.clientSettings[WireFrame.Setting.initialWindowSize], 256 << 10)
            try await connection.send(.settingsAck)
            try await connection.waitForClose()
        } body: { api, _ in
            await FrameScene.failure([.malformedResponse]) { try await api.get("row") }
            try await api.expect("again", at: "again")
        }
    }

    @Test("Trailers that are too long", arguments: sections)
    func trailers(section: Section) async throws {
        try await refused { connection, stream in
            try await connection.respond(stream, body: [1], end: false)
            try await connection.send(WireFrame.headerFrames(stream, section.bytes, end: true))
        }
    }

    @Test("With TLS", arguments: sections.prefix(1))
    func secure(section: Section) async throws {
        try await refused(secure: true) { connection, stream in
            let block = HeaderBlock.encode([(":status", "200")]) + section.bytes
            try await connection.send(WireFrame.headerFrames(stream, block))
        }
    }

    @Test("The limit is the engine's", arguments: [1_000, 10_000])
    func limit(bytes: Int) async throws {
        let engine = FrameScene.engine { $0.limits.headBytes = bytes }
        try await refused(engine: engine) { connection, stream in
            try await connection.respond(stream, headers: [("x-a", Self.text(bytes))], text: "long")
        }
    }

    @Test("What is within it is good, and the client says what it takes", arguments: [1_000, 60_000, 200_000])
    func within(bytes: Int) async throws {
        let engine = FrameScene.engine { $0.limits.headBytes = max(256, bytes + 1_000) }
        try await FrameScene.withSession(engine: engine) { connection in
            try await connection.handshake()
            let limit = try #require(connection.clientSettings[WireFrame.Setting.maxHeaderListSize])
            #expect(limit >= UInt32(bytes))
            #expect(limit <= 16 << 20)
            let stream = try await connection.request().stream
            try await connection.respond(stream, headers: [("x-a", Self.text(bytes))], text: "ok")
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.headers.first?.value.utf8.count, bytes)
            try await expectEqual(reply.text(), "ok")
        }
    }
}
