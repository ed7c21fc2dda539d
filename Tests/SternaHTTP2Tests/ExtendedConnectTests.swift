import HTTPTypes
import NIOCore
import SternaCore
import SternaSecurity
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Extended CONNECT (RFC 8441).
@Suite("HTTP/2: extended CONNECT", .timeLimit(.minutes(5)))
struct ExtendedConnectTests {
    private static let allowed = [(WireFrame.Setting.enableConnectProtocol, UInt32(1))]

    private static func transport(_ engine: Engine = HTTP2Scene.engine()) -> EngineTransport {
        var routing = RouteConfiguration()
        routing.http2 = .priorKnowledge
        return engine.transport(routing: routing)
    }

    @Test("A stream carries bytes both ways after a 200")
    func bothWays() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            expectEqual(request.names.prefix(5), [":method", ":protocol", ":scheme", ":authority", ":path"])
            expectEqual(request.method, "CONNECT")
            expectEqual(request[":protocol"], "echo")
            expectEqual(request.path, "/chat")
            expectEqual(request["upgrade"], nil)
            expectEqual(request["connection"], nil)
            expectEqual(request["sec-websocket-key"], nil)
            expectEqual(request["sec-websocket-version"], "13")
            #expect(!request.endStream)
            try await connection.respondHead(request.stream)
            let body = try await connection.body(of: request.stream, atLeast: 5)
            expectEqual(String(decoding: body, as: UTF8.self), "hello")
            try await connection.send(.data(request.stream, Array("there".utf8), end: true))
            let rest = try await connection.body(of: request.stream)
            expectEqual(String(decoding: rest, as: UTF8.self), "bye")
        } body: { peer in
            var request = try DuplexScene.request(peer.url + "/chat")
            request.headers[try #require(.init("Sec-WebSocket-Key"))] = "dGhlIHNhbXBsZSBub25jZQ=="
            request.headers[try #require(.init("Sec-WebSocket-Version"))] = "13"
            let engine = HTTP2Scene.engine()
            let response = try await Self.transport(engine).send(request)
            expectEqual(response.status.code, 200)
            let stream = try #require(response.duplex)
            stream.put(Bytes(string: "hello"))
            try await expectEqual(DuplexScene.text(stream, count: 5), "there")
            try await expectEqual(stream.next(), nil)
            stream.put(Bytes(string: "bye"))
            stream.finish()
            try await peer.waitForScripts()
        }
    }

    @Test("The request waits for the server's settings")
    func waits() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.receivePreface()
            #expect(connection.frames(of: 1).isEmpty)
            try await connection.send([.settings(Self.allowed)])
            let request = try await connection.request()
            expectEqual(request.method, "CONNECT")
            try await connection.respondHead(request.stream)
            try await connection.waitForClose()
        } body: { peer in
            let response = try await Self.transport().send(try DuplexScene.request(peer.url))
            #expect(response.duplex != nil)
            response.duplex?.cancel()
        }
    }

    @Test("A refusal is an ordinary response")
    func refused() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            try await connection.respond(request.stream, status: 403, text: "no")
            try await connection.serve { try await connection.respondHead($0.stream) }
        } body: { peer in
            let transport = Self.transport()
            let response = try await transport.send(try DuplexScene.request(peer.url))
            expectEqual(response.status.code, 403)
            #expect(response.duplex == nil)
            try await expectEqual(String(buffer: response.body.collect(upTo: 10)), "no")
            let second = try await transport.send(try DuplexScene.request(peer.url))
            #expect(second.duplex != nil)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Many streams share a connection, each with its own bytes and end")
    func many() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let requests = try await connection.requests(8)
            for request in requests { try await connection.respondHead(request.stream) }
            for request in requests {
                let body = try await connection.body(of: request.stream)
                try await connection.sendBody(request.stream, body)
            }
        } body: { peer in
            let transport = Self.transport()
            let echoes = try await HTTP2Scene.texts(8) { number in
                let response = try await transport.send(try DuplexScene.request(peer.url + "/\(number)"))
                let stream = try #require(response.duplex)
                stream.put(Bytes(string: "number \(number)"))
                stream.finish()
                return try await DuplexScene.text(stream, count: .max)
            }
            expectEqual(echoes, (0..<8).map { "number \($0)" })
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A server that does not allow it gets an Upgrade over HTTP/1, and is not asked again")
    func fallback() async throws {
        let authority = try CertificateAuthority()
        var options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]), http2: .byALPN)
        options.http2Settings.allowsExtendedConnect = false
        try await TestServer.withServer(options) { server in
            server.route("GET", "/switch") { request in
                ServerResponse(
                    body: .raw { connection in
                        try await connection.write(
                            "HTTP/1.1 101 Switching\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nhello")
                        await connection.waitForClose()
                    })
            }
            let transport = Engine(options: Wire.options).transport(.authority(pem: authority.pem))
            for _ in 0..<2 {
                let response = try await transport.send(try DuplexScene.request(server.url + "/switch"))
                expectEqual(response.version, HTTPVersion(major: 1, minor: 1))
                let stream = try #require(response.duplex)
                try await expectEqual(DuplexScene.text(stream, count: 5), "hello")
            }
            // The first connection negotiated HTTP/2 in vain.
            expectEqual(server.totalConnections, 3)
        }
    }

    @Test("An open connection of other requests, whose server does not allow it, is left for HTTP/1")
    func fallbackFromShared() async throws {
        let authority = try CertificateAuthority()
        var options = TestServer.Options(tls: try authority.issue(hosts: ["localhost"]), http2: .byALPN)
        options.http2Settings.allowsExtendedConnect = false
        try await TestServer.withServer(options) { server in
            server.route("GET", "/switch") { _ in
                ServerResponse(
                    body: .raw { connection in
                        try await connection.write(
                            "HTTP/1.1 101 Switching\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nhello")
                        await connection.waitForClose()
                    })
            }
            let transport = Engine(options: Wire.options).transport(.authority(pem: authority.pem))
            let plain = try await transport.send(Request(.get, try HTTPURL(server.url + "/1k")))
            expectEqual(plain.version, .http2)
            let response = try await transport.send(try DuplexScene.request(server.url + "/switch"))
            let stream = try #require(response.duplex)
            try await expectEqual(DuplexScene.text(stream, count: 5), "hello")
            let again = try await transport.send(Request(.get, try HTTPURL(server.url + "/1k")))
            expectEqual(again.version, .http2)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("A server that never sends its settings is dead after an unanswered PING, and its permit returns")
    func silent() async throws {
        let time = TestClock()
        try await FramePeer.withPeer(answersPings: false) { connection in
            try await connection.receivePreface()
            try await connection.waitForClose()
        } body: { peer in
            var options = Wire.options
            options.clock = time.clock
            options.http2.pingInterval = .seconds(30)
            options.http2.pingTimeout = .seconds(10)
            let engine = Engine(options: options)
            let transport = Self.transport(engine)
            var request = try DuplexScene.request(peer.url, total: .seconds(3_600))
            // Only the PING's times pass, however long a busy machine takes to connect.
            for limit in [\Timeouts.resolve, \.connect, \.tls, \.write, \.firstByte] {
                request.timeouts[keyPath: limit] = .seconds(3_600)
            }
            try await Wire.pass(.seconds(30), on: time) { [request] in
                let error = await #expect(throws: SternaError.self) { _ = try await transport.send(request) }
                expectEqual(error?.kind, .connectionClosed)
            }
            let isClosed = await eventually { await engine.statistics().openConnections == 0 }
            #expect(isClosed)
        }
    }

    @Test("A reset of the stream ends it with an error, and leaves the connection")
    func reset() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            try await connection.send(.reset(request.stream, .cancel))
            try await connection.serve { try await connection.respondHead($0.stream) }
        } body: { peer in
            let transport = Self.transport()
            let response = try await transport.send(try DuplexScene.request(peer.url))
            let stream = try #require(response.duplex)
            await Wire.failure(.truncated, .read) { _ = try await stream.next() }
            // A reader learns of the end a moment before writers.
            await #expect(throws: SternaError.self) {
                while true {
                    try await stream.room()
                    await Task.yield()
                }
            }
            let second = try await transport.send(try DuplexScene.request(peer.url))
            #expect(second.duplex != nil)
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A cancelled stream is reset with CANCEL, a released one, too", arguments: [true, false])
    func cancelled(cancels: Bool) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            try await expectEqual(connection.resetCode(of: request.stream), .cancel)
        } body: { peer in
            do {
                let response = try await Self.transport().send(try DuplexScene.request(peer.url))
                let stream = try #require(response.duplex)
                if cancels {
                    stream.cancel()
                    await Wire.failure(.cancelled, .read) { _ = try await stream.next() }
                }
            }
            try await peer.waitForScripts()
        }
    }

    @Test("What is sent keeps within the windows, and waits for room")
    func windows() async throws {
        let count = 2 << 20
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            let body = try await connection.body(of: request.stream)
            expectEqual(body.count, count)
            try await connection.send(.data(request.stream, [], end: true))
        } body: { peer in
            let response = try await Self.transport().send(try DuplexScene.request(peer.url))
            let stream = try #require(response.duplex)
            try await DuplexScene.send(count, by: stream)
            stream.finish()
            try await expectEqual(stream.next(), nil)
            try await peer.waitForScripts()
        }
    }

    @Test("A handler that pauses keeps the server within a window")
    func pause() async throws {
        let content = Wire.pattern(3 << 20)
        let isFull = Gate()
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: Self.allowed)
            let request = try await connection.request()
            try await connection.respondHead(request.stream)
            let sent = try await connection.fill(request.stream, content)
            #expect(sent < content.count)
            isFull.open()
            try await connection.sendBody(request.stream, Array(content[sent...]))
        } body: { peer in
            let response = try await Self.transport().send(try DuplexScene.request(peer.url))
            let stream = try #require(response.duplex)
            let recorder = DuplexRecorder()
            recorder.isPausing = true
            stream.deliver(to: recorder)
            await isFull.pass()
            recorder.isPausing = false
            stream.resumeReading()
            let isOver = await eventually { recorder.ends.count == 1 }
            #expect(isOver)
            expectEqual(recorder.count, content.count)
        }
    }
}
