import HTTPTypes
import NIOCore
import NIOEmbedded
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// What is left of a body that nobody reads, on a clock of the test's own.
@Suite("Pool: draining", .timeLimit(.minutes(5)))
struct DrainTests {
    /// Has an answer begin and lets go of it unread; returns when the connection knows.
    private func giveUp(_ fake: FakeConnection, _ text: String) async throws -> HTTP1Connection {
        let connection = try await fake.channel.pipeline.handler(type: HTTP1Connection.self).get()
        do {
            let task = try await fake.start(delivery: .head)
            try await fake.receive(text)
            let response = try await task.value
            expectEqual(response.status.code, 200)
        }
        let isKnown = await eventually {
            await fake.loop.run()
            return (try? await fake.loop.executeInContext { connection.drain != nil || connection.isClosing }) != false
        }
        #expect(isKnown)
        return connection
    }

    /// The connection carries another request.
    private func expectKept(_ fake: FakeConnection) async throws {
        try #require(fake.isOpen)
        let task = try await fake.start()
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
        try await expectEqual(task.value.body.whole.map { String(buffer: $0) }, "next")
        #expect(fake.isOpen)
    }

    /// Beginnings of answers, and what is left of them.
    static let short: [(String, String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", " whole"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 65540\r\n\r\nhalf", String(repeating: "x", count: 65_536)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "5\r\nwhole\r\n0\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf", " whole\r\n0\r\nX-T: t\r\n\r\n"),
    ]

    @Test("A short remainder keeps the connection", arguments: short.indices)
    func keeps(index: Int) async throws {
        let (start, rest) = Self.short[index]
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, start)
        #expect(fake.isOpen)
        await fake.loop.advanceTime(by: .milliseconds(249))
        #expect(fake.isOpen)
        try await fake.receive(rest)
        try await expectKept(fake)
        // The time for it is over, and nothing comes of that.
        await fake.advance(1)
        try await expectKept(fake)
    }

    @Test("The remainder may arrive in pieces")
    func pieces() async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, Self.short[0].0)
        for piece in Self.short[0].1 {
            await fake.loop.advanceTime(by: .milliseconds(40))
            try await fake.receive(String(piece))
        }
        try await expectKept(fake)
    }

    @Test("A slow remainder closes the connection after 250 ms", arguments: short.indices)
    func slow(index: Int) async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, Self.short[index].0)
        await fake.loop.advanceTime(by: .milliseconds(200))
        #expect(fake.isOpen)
        await fake.loop.advanceTime(by: .milliseconds(50))
        #expect(!fake.isOpen)
        expectEqual(fake.endpoint.permits.open(of: fake.endpoint), 0)
    }

    @Test("Single bytes do not extend the time of a slow remainder")
    func drip() async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        for _ in 0..<4 {
            await fake.loop.advanceTime(by: .milliseconds(60))
            #expect(fake.isOpen)
            try await fake.receive("x")
        }
        await fake.loop.advanceTime(by: .milliseconds(10))
        #expect(!fake.isOpen)
    }

    @Test(
        "A long remainder, or one that ends with the connection, closes it at once",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 65541\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nContent-Length: 900000000000\r\n\r\nhalf", "HTTP/1.1 200 OK\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10005\r\nhalf",
        ])
    func long(text: String) async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, text)
        #expect(!fake.isOpen)
        expectEqual(fake.endpoint.permits.open(of: fake.endpoint), 0)
    }

    @Test("Chunks close the connection after more than 64 KiB")
    func longChunks() async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, Self.short[2].0)
        let chunk = "1000\r\n" + String(repeating: "c", count: 4_096) + "\r\n"
        for _ in 0..<16 {
            try await fake.receive(chunk)
            #expect(fake.isOpen)
        }
        try await fake.receive(chunk)
        #expect(!fake.isOpen)
    }

    @Test("Bytes after the remainder close it", arguments: ["!", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"])
    func behind(text: String) async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, Self.short[0].0)
        try await fake.receive(Self.short[0].1 + text)
        #expect(!fake.isOpen)
    }

    @Test("An invalid remainder closes the connection")
    func broken() async throws {
        let fake = try await FakeConnection()
        _ = try await giveUp(fake, Self.short[2].0)
        try await fake.receive("nonsense\r\n")
        #expect(!fake.isOpen)
    }

    @Test(
        "Over a socket, a long or slow remainder closes it, and the next request uses another",
        arguments: [10, 900_000])
    func socket(length: Int) async throws {
        let begun: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhalf"), .hang,
        ]
        let next: [ScriptedServer.Step] = [.receiveHead, .answer("next")]
        try await ScriptedServer.withServer(connections: [begun, next]) { server in
            let engine = PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }
            let api = try PoolSupport.session(server.url, engine)
            try await api.withResponse(to: .get("row")) { expectEqual($0.status.code, 200) }
            try await expectEqual(api.get("next").text(), "next")
            #expect(try await server.waitForClose(connection: 0, within: PoolSupport.limit))
            await PoolSupport.expectNothing(engine)
        }
    }
}
