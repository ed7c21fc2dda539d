import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Test servers: WebSockets", .timeLimit(.minutes(5)))
struct WebSocketServerTests {
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    // MARK: The handshake

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let request: String

        init(_ name: String, _ status: Int, without: String? = nil, _ more: ServerHeaders = [:], body: String = "") {
            testDescription = name
            self.status = status
            var fields = SocketHandshake.fields
            if let without { fields[without] = nil }
            for field in more { fields[field.name] = nil }
            var text = "GET /ws/echo HTTP/1.1\r\nHost: a\r\n"
            for field in fields.fields + more.fields { text += "\(field.name): \(field.value)\r\n" }
            request = text + "\r\n" + body
        }
    }

    static let refusals = [
        Refusal("without Upgrade", 426, without: "Upgrade"), Refusal("without Connection", 426, without: "Connection"),
        Refusal("Connection: close", 426, ["Connection": "close"]), Refusal("h2c", 426, ["Upgrade": "h2c"]),
        Refusal("without a version", 426, without: "Sec-WebSocket-Version"),
        Refusal("version 8", 426, ["Sec-WebSocket-Version": "8"]),
        Refusal("two versions", 426, ["Sec-WebSocket-Version": "13, 8"]),
        Refusal("without a key", 400, without: "Sec-WebSocket-Key"),
        Refusal("a key of 15 bytes", 400, ["Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAA"]),
        Refusal("a key of 17 bytes", 400, ["Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAAA="]),
        Refusal("a key that is no base64", 400, ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=?"]),
        Refusal(
            "two keys", 400,
            ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="]),
        Refusal("a body", 400, ["Content-Length": "1"], body: "x"),
    ]

    @Test("What is no handshake is refused", arguments: refusals)
    func refused(refusal: Refusal) async throws {
        try await TestServer.withServer { server in
            let response = try await RawClient.with(port: server.port) { client in
                try await client.send(refusal.request)
                return try await client.response()
            }
            expectEqual(response.status, refusal.status)
            guard refusal.status == 426 else { return }
            expectEqual(response.headers["Upgrade"], "websocket")
            expectEqual(response.headers["Sec-WebSocket-Version"], "13")
        }
    }

    @Test("Other methods are refused")
    func methods() async throws {
        try await TestServer.withServer { server in
            server.route(nil, "/any") { _ in .webSocket { _ in } }
            try await expectEqual(server.ask("POST", "/any", headers: SocketHandshake.fields).status, 405)
            try await expectEqual(server.ask("POST", "/ws/echo", headers: SocketHandshake.fields).status, 405)
        }
    }

    @Test("The key is answered, names and tokens count in any case")
    func accepted() async throws {
        let fields: ServerHeaders = [
            "upgrade": "h2c, WebSocket", "connection": "keep-alive, upgrade", "sec-websocket-version": "13",
            "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/ws/echo", headers: fields)
            expectEqual(response.status, 101)
            expectEqual(response.headers["Sec-WebSocket-Accept"], Self.accept)
            expectEqual(response.headers["Upgrade"], "websocket")
            expectEqual(response.headers["Connection"], "Upgrade")
            expectNil(response.headers["Sec-WebSocket-Protocol"])
            expectNil(response.headers["Sec-WebSocket-Extensions"])
        }
    }

    @Test(
        "The server's first subprotocol that the client offers is chosen",
        arguments: [("b, a", "a"), ("c,b", "b"), ("c", nil), ("A", nil)] as [(String, String?)])
    func subprotocols(offered: String, chosen: String?) async throws {
        let seen = Mutex<String??>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket(subprotocols: ["a", "b"]) { socket in seen.withLock { $0 = .some(socket.subprotocol) } }
            }
            try await server.withSocket("/chat", headers: ["Sec-WebSocket-Protocol": offered]) { client, head in
                expectEqual(head.headers["Sec-WebSocket-Protocol"], chosen)
                try await expectEqual(client.frame()?.closeCode, 1000)
            }
            expectEqual(seen.withLock { $0 }, .some(chosen))
            try await server.withSocket("/ws/echo?subprotocols=x,a", headers: ["Sec-WebSocket-Protocol": "a"]) {
                _, head in
                expectEqual(head.headers["Sec-WebSocket-Protocol"], "a")
            }
        }
    }

    @Test("Compression is agreed on if both sides want it")
    func compression() async throws {
        let offer: ServerHeaders = ["Sec-WebSocket-Extensions": "permessage-deflate"]
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/echo", headers: offer) { _, head in
                #expect(head.headers["Sec-WebSocket-Extensions"]?.hasPrefix("permessage-deflate") == true)
            }
            try await server.withSocket("/ws/echo?compress=0", headers: offer) { _, head in
                expectNil(head.headers["Sec-WebSocket-Extensions"])
            }
        }
    }

    @Test("Fields of the route replace those of the handshake")
    func replacedFields() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket(headers: ["Sec-WebSocket-Accept": "no", "X-A": "1"]) { _ in }
            }
            try await server.withSocket("/chat") { _, head in
                expectEqual(head.headers.all("Sec-WebSocket-Accept"), ["no"])
                expectEqual(head.headers["X-A"], "1")
            }
        }
    }

    // MARK: Messages

    @Test("Messages of any kind and size come back in one frame")
    func echo() async throws {
        let large = Array(repeating: UInt8(0x61), count: 70_000)
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/echo") { client, _ in
                for frame in [
                    SocketFrame(0x81, "hé"), SocketFrame(0x82, [0, 255]), SocketFrame(0x81, ""),
                    SocketFrame(0x82, Array(large.prefix(126))), SocketFrame(0x81, large),
                ] {
                    try await client.send(frame.masked)
                    try await expectEqual(client.frame(), frame)
                }
                try await client.send(SocketFrame(0x01, "a").masked + SocketFrame(0x00, "b").masked)
                try await client.send(SocketFrame(0x80, "c").masked)
                try await expectEqual(client.frame(), SocketFrame(0x81, "abc"))
                try await client.send(SocketFrame.close(1000).masked)
                try await expectEqual(client.frames(), [.close(1000)])
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("What comes with the handshake, and with the end of the client's direction, is not lost")
    func early() async throws {
        let frames =
            SocketFrame(0x81, "one").masked + SocketFrame(0x81, "two").masked + SocketFrame.close(4000, "x").masked
        try await TestServer.withServer { server in
            let received = try await RawClient.with(port: server.port) { client in
                try await client.send(Array(SocketHandshake.text("/ws/echo").utf8) + frames)
                try await client.endOutput()
                try await expectEqual(client.head().status, 101)
                return try await client.frames()
            }
            expectEqual(received, [SocketFrame(0x81, "one"), SocketFrame(0x81, "two"), .close(4000)])
        }
    }

    @Test("A ping is answered, also within a message")
    func ping() async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/echo") { client, _ in
                try await client.send(SocketFrame(0x01, "a").masked + SocketFrame(0x89, "?").masked)
                try await expectEqual(client.frame(), SocketFrame(0x8A, "?"))
                try await client.send(SocketFrame(0x80, "b").masked)
                try await expectEqual(client.frame(), SocketFrame(0x81, "ab"))
            }
        }
    }

    @Test("A close is answered with the same code", arguments: [1000, 1001, 1011, 3000, 4999] as [UInt16])
    func close(code: UInt16) async throws {
        let seen = Mutex<(Int, String)?>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    for try await _ in socket {}
                    let code = socket.closeCode.map { Int($0.rawValue) } ?? 0
                    seen.withLock { $0 = (code, socket.closeReason) }
                }
            }
            try await server.withSocket("/chat") { client, _ in
                try await client.send(SocketFrame.close(code, "why").masked)
                try await expectEqual(client.frames().map(\.closeCode), [Int(code)])
            }
        }
        expectEqual(seen.withLock { $0?.0 }, Int(code))
        expectEqual(seen.withLock { $0?.1 }, "why")
    }

    @Test(
        "A violation is answered with its code, and ends the connection",
        arguments: [
            ([0x81, 0x01, 0x61], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002), ([0xC1, 0x80, 0, 0, 0, 0], 1002),
            ([0x80, 0x80, 0, 0, 0, 0], 1002), ([0x09, 0x80, 0, 0, 0, 0], 1002), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
            // Invalid already in the first fragment.
            ([0x01, 0x82, 0, 0, 0, 0, 0xC3, 0x28], 1007), ([0x88, 0x81, 0, 0, 0, 0, 3], 1002),
            ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], 1002),
        ] as [([UInt8], Int)])
    func violation(bytes: [UInt8], code: Int) async throws {
        let fault = Mutex<ServerWebSocket.Fault?>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    do {
                        for try await _ in socket {}
                    } catch let error as ServerWebSocket.Fault {
                        fault.withLock { $0 = error }
                    }
                }
            }
            try await server.withSocket("/chat") { client, _ in
                try await client.send(bytes)
                try await expectEqual(client.frames().map(\.closeCode), [code])
            }
            try await server.waitForOpenConnections(0)
        }
        expectEqual(fault.withLock { $0.map { Int($0.code.rawValue) } }, code)
    }

    @Test("The end without a close frame is a fault, and nothing more is sent")
    func lost() async throws {
        let fault = Mutex<ServerWebSocket.Fault?>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    do {
                        for try await _ in socket {}
                    } catch let error as ServerWebSocket.Fault {
                        fault.withLock { $0 = error }
                    }
                }
            }
            try await server.withSocket("/chat") { client, _ in
                try await client.send(SocketFrame(0x01, "half").masked)
                try await client.endOutput()
                try await expectEqual(client.frames(), [])
            }
        }
        expectEqual(fault.withLock { $0?.code.rawValue }, 1006)
    }

    struct Oops: Error {}

    @Test("The closure's end closes the socket, and waits for the client's answer", arguments: [true, false])
    func closureEnds(throwing: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    try await socket.send("hello")
                    if throwing { throw Oops() }
                }
            }
            try await server.withSocket("/chat") { client, _ in
                try await expectEqual(client.frame(), SocketFrame(0x81, "hello"))
                try await expectEqual(client.frame()?.closeCode, throwing ? 1011 : 1000)
                // What comes before the answer is discarded.
                try await client.send(SocketFrame(0x81, "late").masked + SocketFrame.close(1000).masked)
                try await expectEqual(client.frames(), [])
            }
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A route pings, closes with any code, and sends nothing after that")
    func sending() async throws {
        let pong = Mutex<Bytes?>(nil)
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { _ in
                .webSocket { socket in
                    try await socket.ping(Bytes(text: "p"))
                    var iterator = socket.makeAsyncIterator()
                    try await expectEqual(iterator.next(), .text("m"))
                    pong.withLock { $0 = socket.lastPong }
                    try await socket.close(WebSocket.CloseCode(rawValue: 4001), reason: "done")
                    try await socket.close()
                    await #expect(throws: ChannelError.self) { try await socket.send("late") }
                    try await expectNil(iterator.next())
                }
            }
            try await server.withSocket("/chat") { client, _ in
                try await expectEqual(client.frame(), SocketFrame(0x89, "p"))
                try await client.send(SocketFrame(0x8A, "p").masked + SocketFrame(0x81, "m").masked)
                try await expectEqual(client.frame(), .close(4001, "done"))
                try await client.send(SocketFrame.close(4001).masked)
                try await expectEqual(client.frames(), [])
            }
        }
        expectEqual(pong.withLock { $0 }, Bytes(text: "p"))
    }

    @Test("Over TLS")
    func tls() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue(), http2: .byALPN)) { server in
            try await RawClient.with(port: server.port, tls: .init(roots: [authority.pem])) { client in
                try await client.send(Array(SocketHandshake.text("/ws/echo").utf8) + SocketFrame(0x81, "a").masked)
                try await expectEqual(client.head().status, 101)
                try await expectEqual(client.frame(), SocketFrame(0x81, "a"))
                try await client.send(SocketFrame.close(1000).masked)
                try await expectEqual(client.frames(), [.close(1000)])
            }
        }
    }

    // MARK: HTTP/2

    @Test("An extended CONNECT opens the same routes")
    func http2() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server in
            try await HTTP2Client.with(port: server.port) { client in
                try await expectEqual(client.request("GET", "/1k").status, 200)
                try await client.withStream(SocketHandshake.connect("/ws/echo"), hasBody: true) { stream, inbound in
                    var switched = SwitchedStream()
                    try await switched.readHead(&inbound)
                    expectEqual(switched.status, "200")
                    expectNil(switched.head["sec-websocket-accept"])
                    try await stream.send(SocketFrame(0x81, "over two").masked)
                    try await switched.read(10, &inbound)
                    expectEqual(switched.bytes, [0x81, 8] + Array("over two".utf8))
                    try await stream.send(SocketFrame.close(1000).masked)
                    try await switched.read(.max, &inbound)
                    expectEqual(Array(switched.bytes.dropFirst(10)), [0x88, 2, 3, 0xE8])
                    expectNil(switched.reset)
                    try await stream.send([], endStream: true)
                }
                let old = SocketHandshake.connect("/ws/echo", [("sec-websocket-version", "8")])
                try await client.withStream(old, hasBody: true) { _, inbound in
                    var switched = SwitchedStream()
                    try await switched.readHead(&inbound)
                    expectEqual(switched.status, "426")
                    expectEqual(switched.head["sec-websocket-version"], "13")
                }
                try await server.waitForOpenStreams(0)
            }
        }
    }

    // MARK: Routes

    @Test("Counted messages, then a close")
    func count() async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/count/3") { client, _ in
                for number in 1...3 { try await expectEqual(client.frame(), SocketFrame(0x81, "\(number)")) }
                try await expectEqual(client.frame(), .close(1000))
            }
            try await server.withSocket("/ws/count/0") { client, _ in
                try await expectEqual(client.frame(), .close(1000))
            }
            try await expectEqual(server.ask("GET", "/ws/count/x", headers: SocketHandshake.fields).status, 400)
        }
    }

    @Test("Closes with a code", arguments: [1000, 1001, 4711, 65_535, 0] as [UInt16])
    func closeRoute(code: UInt16) async throws {
        try await TestServer.withServer { server in
            try await server.withSocket("/ws/close/\(code)?reason=why") { client, _ in
                try await expectEqual(client.frame(), .close(code, "why"))
            }
        }
    }
}
