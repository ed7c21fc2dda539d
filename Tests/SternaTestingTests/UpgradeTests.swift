import NIOCore
import NIOHTTP2
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Test servers: switched protocols", .timeLimit(.minutes(5)))
struct UpgradeTests {
    private static let head =
        "GET /lines HTTP/1.1\r\nHost: a\r\nUpgrade: lines\r\nConnection: keep-alive, Upgrade\r\n\r\n"

    /// Sends back what comes, and a last word.
    private static let echo = ServerResponse.upgrade(to: "lines", headers: ["X-A": "1"]) { stream in
        while let bytes = try await stream.read() { try await stream.write(bytes) }
        try await stream.write("end")
    }

    // MARK: HTTP/1

    @Test(
        "The bytes right behind the request belong to the protocol, and the client's end leaves the server's direction open"
    )
    func early() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in Self.echo }
            let (head, text) = try await RawClient.with(port: server.port) { client in
                try await client.send(Self.head + "early ")
                let head = try await client.head()
                let early = try await client.bytes(6)
                try await client.send("late ")
                try await client.endOutput()
                return (head, String(decoding: early, as: UTF8.self) + (try await client.rest()))
            }
            expectEqual(head.status, 101)
            expectEqual(head.reason, "Switching Protocols")
            expectEqual(head.headers["Upgrade"], "lines")
            expectEqual(head.headers["Connection"], "Upgrade")
            expectEqual(head.headers["X-A"], "1")
            expectNil(head.headers["Content-Length"])
            expectEqual(text, "early late end")
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("The bytes right behind the request arrive in pieces, too", arguments: [1, 7, 60, 90])
    func pieces(size: Int) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in Self.echo }
            let text = try await RawClient.with(port: server.port) { client in
                let all = Array((Self.head + "early").utf8)
                for start in stride(from: 0, to: all.count, by: size) {
                    try await client.send(Array(all[start..<min(start + size, all.count)]))
                }
                _ = try await client.head()
                try await client.endOutput()
                return try await client.rest()
            }
            expectEqual(text, "earlyend")
        }
    }

    @Test("The server may end its direction first")
    func serverEnds() async throws {
        let received = Mutex<String?>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { stream in
                    try await stream.write("bye")
                    try await stream.finish()
                    try await stream.finish()
                    await #expect(throws: ChannelError.self) { try await stream.write("more") }
                    var text = ""
                    while let bytes = try await stream.read() { text += bytes.text }
                    received.withLock { $0 = text }
                }
            }
            try await RawClient.with(port: server.port) { client in
                try await client.send(Self.head)
                _ = try await client.head()
                try await expectEqual(client.rest(), "bye")
                try await client.send("late")
                try await client.endOutput()
            }
            #expect(await eventually { received.withLock { $0 } != nil })
            expectEqual(received.withLock { $0 }, "late")
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A closure that throws, or resets, resets the connection", arguments: [true, false])
    func reset(throwing: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { stream in
                    _ = try await stream.read()
                    if throwing { throw ServerStreamReset.internalError }
                    await stream.reset()
                }
            }
            await #expect(throws: (any Error).self) {
                try await RawClient.with(port: server.port) { client in
                    try await client.send(Self.head)
                    _ = try await client.head()
                    try await client.send("go")
                    _ = try await client.rest()
                }
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A client that leaves ends the closure")
    func leaving() async throws {
        let (began, ended) = (Gate(), Gate())
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { _ in
                    began.open()
                    try? await Task.sleep(for: .seconds(3600))
                    #expect(Task.isCancelled)
                    ended.open()
                }
            }
            try await RawClient.with(port: server.port) { client in
                try await client.send(Self.head)
                _ = try await client.head()
                await began.wait()
                await server.resetConnection(0)
            }
            await ended.wait()
        }
    }

    @Test("A closure that does not read stops the client")
    func backPressure() async throws {
        let (start, sentAll) = (Gate(), Gate())
        let size = 64 << 20
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { stream in
                    await start.wait()
                    var count = 0
                    while let bytes = try await stream.read() { count += bytes.count }
                    try await stream.write("\(count)")
                }
            }
            let text = try await RawClient.with(port: server.port) { client in
                try await client.send(Self.head)
                _ = try await client.head()
                let channel = client.channel
                let sending = Task {
                    try await channel.writeAndFlush(ByteBuffer(repeating: 1, count: size)).get()
                    sentAll.open()
                    try await channel.close(mode: .output).get()
                }
                for _ in 0..<50 { try await expectEqual(server.ask("GET", "/1k").status, 200) }
                #expect(!sentAll.isOpen)
                start.open()
                try await sending.value
                return try await client.rest()
            }
            expectEqual(text, "\(size)")
        }
    }

    @Test(
        "A request that does not ask for the protocol is refused",
        arguments: [
            ("GET /lines HTTP/1.1\r\nHost: a\r\n\r\n", 426),
            ("GET /lines HTTP/1.1\r\nHost: a\r\nUpgrade: lines\r\n\r\n", 426),
            ("GET /lines HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: other, liness\r\n\r\n", 426),
            ("GET /lines HTTP/1.0\r\nHost: a\r\nUpgrade: lines\r\nConnection: Upgrade\r\n\r\n", 426),
            (
                "GET /lines HTTP/1.1\r\nHost: a\r\nUpgrade: lines\r\nConnection: Upgrade\r\nContent-Length: 1\r\n\r\nx",
                400
            ),
        ])
    func refused(request: String, status: Int) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in Self.echo }
            let response = try await RawClient.with(port: server.port) { client in
                try await client.send(request)
                return try await client.response()
            }
            expectEqual(response.status, status)
            if status == 426 { expectEqual(response.headers["Upgrade"], "lines") }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("Other routes answer an upgrade as any request")
    func plainRoute() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/1k", headers: SocketHandshake.fields)
            expectEqual(response.status, 200)
            expectEqual(response.body.count, 1024)
        }
    }

    // MARK: HTTP/2

    @Test("Extended CONNECT is announced unless it is switched off", arguments: [true, false])
    func announced(allows: Bool) async throws {
        var options = TestServer.Options(http2: .byPriorKnowledge)
        options.http2Settings.allowsExtendedConnect = allows
        try await TestServer.withServer(options) { server in
            try await HTTP2Client.with(port: server.port) { client in
                try await expectEqual(client.request("GET", "/1k").status, 200)
                expectEqual(client.setting(.enableConnectProtocol), allows ? 1 : nil)
            }
        }
    }

    /// Runs a closure with the stream of an extended CONNECT, after the server's settings have come.
    private static func connected<R: Sendable>(
        _ server: TestServer, _ target: String = "/lines", to name: String = "lines",
        _ body: @Sendable (HTTP2Client.Stream, inout SwitchedStream.Inbound, inout SwitchedStream) async throws -> R
    ) async throws -> R {
        try await HTTP2Client.with(port: server.port) { client in
            try await expectEqual(client.request("GET", "/1k").status, 200)
            let head = SocketHandshake.connect(target, to: name)
            return try await client.withStream(head, hasBody: true) { stream, inbound in
                var switched = SwitchedStream()
                try await switched.readHead(&inbound)
                return try await body(stream, &inbound, &switched)
            }
        }
    }

    @Test("An extended CONNECT reaches the same route, and END_STREAM is the end of a direction")
    func http2() async throws {
        let seen = Mutex<ServerRequest?>(nil)
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/lines") { request in
                seen.withLock { $0 = request }
                return Self.echo
            }
            try await Self.connected(server) { stream, inbound, switched in
                expectEqual(switched.status, "200")
                expectEqual(switched.head["x-a"], "1")
                expectNil(switched.head["upgrade"])
                expectNil(switched.head["content-length"])
                try await stream.send(Array("one ".utf8))
                try await switched.read(4, &inbound)
                expectEqual(switched.text, "one ")
                try await stream.send(Array("two ".utf8), endStream: true)
                try await switched.read(.max, &inbound)
                expectEqual(switched.text, "one two end")
                expectNil(switched.reset)
            }
            expectEqual(seen.withLock { $0?.method }, "GET")
            expectEqual(seen.withLock { $0?.headers["Upgrade"] }, "lines")
            expectEqual(server.requests().last?.method, "CONNECT")
            expectEqual(server.requests().last?.target, "/lines")
            try await server.waitForOpenStreams(0)
        }
    }

    @Test("More than a window goes both ways, at the reader's pace")
    func http2Windows() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/lines") { _ in Self.echo }
            try await Self.connected(server) { stream, inbound, switched in
                let size = 300_000
                let sending = Task { try await stream.send(Array(repeating: 0x61, count: size), endStream: true) }
                try await switched.read(.max, &inbound)
                try await sending.value
                expectEqual(switched.bytes.count, size + 3)
            }
        }
    }

    @Test("The server may end its direction first over HTTP/2, too")
    func http2ServerEnds() async throws {
        let received = Mutex<String?>(nil)
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { stream in
                    try await stream.write("bye")
                    try await stream.finish()
                    var text = ""
                    while let bytes = try await stream.read() { text += bytes.text }
                    received.withLock { $0 = text }
                }
            }
            try await Self.connected(server) { stream, inbound, switched in
                try await switched.read(.max, &inbound)
                expectEqual(switched.text, "bye")
                try await stream.send(Array("late".utf8), endStream: true)
                #expect(await eventually { received.withLock { $0 } != nil })
                expectEqual(received.withLock { $0 }, "late")
            }
            try await server.waitForOpenStreams(0)
        }
    }

    @Test("A closure that throws resets its stream, and no other", arguments: [true, false])
    func http2Reset(throwing: Bool) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/lines") { _ in
                .upgrade(to: "lines") { stream in
                    _ = try await stream.read()
                    if throwing { throw ServerStreamReset.enhanceYourCalm }
                    await stream.reset()
                }
            }
            try await Self.connected(server) { stream, inbound, switched in
                try await stream.send(Array("go".utf8))
                try await switched.read(.max, &inbound)
                expectEqual(switched.reset, throwing ? 0xB : 0x8)
            }
        }
    }

    @Test(
        "Other routes answer an extended CONNECT, but not by a 2xx, which would switch",
        arguments: [("/1k", "501"), ("/status/404", "404"), ("/nowhere", "404"), ("/redirect/1", "302")])
    func http2PlainRoute(target: String, status: String) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            try await Self.connected(server, target) { _, _, switched in expectEqual(switched.status, status) }
        }
    }

    @Test("Neither a GET nor another protocol switches a stream")
    func http2Refused() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            server.route("GET", "/lines") { _ in Self.echo }
            try await expectEqual(server.ask2("GET", "/lines").status, 426)
            try await Self.connected(server, to: "other") { _, _, switched in expectEqual(switched.status, "426") }
        }
    }
}
