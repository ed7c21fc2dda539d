import HTTPTypes
import NIOCore
import NIOPosix
import SternaCore
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Connections that switch protocols (RFC 9110, 7.8).
@Suite("HTTP/1: a switch of protocols", .timeLimit(.minutes(5)))
struct ProtocolSwitchTests {
    static let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"

    @Test(
        "A 101 must name protocols that the request asked for",
        arguments: [
            ("echo", "echo", true), ("echo", "ECHO", true), ("Echo, other/2", "other/2", true),
            ("a, b", "a, b", true), ("echo", "other", false), ("echo", "echo, other", false), ("echo", "", false),
            ("", "echo", false), ("echo/1", "echo", false),
        ])
    func rule(asked: String, named: String, isAgreed: Bool) throws {
        var request = try DuplexScene.request("http://switch.test/")
        request.headers[.upgrade] = asked.isEmpty ? nil : asked
        let section = FieldSection(named.isEmpty ? [:] : [.upgrade: named])
        if isAgreed {
            try ProtocolSwitch.check(section, of: request)
        } else {
            #expect(throws: ParseFailure.self) { try ProtocolSwitch.check(section, of: request) }
        }
    }

    /// Runs work with a stream to a server that switches protocols, then plays the steps.
    private func with(
        _ steps: [ScriptedServer.Step], engine: Engine = Wire.engine(), head: String = head,
        total: Duration = Wire.patience,
        _ work: (any DuplexStream, ScriptedServer) async throws -> Void
    ) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(head)] + steps]) { server in
            let response = try await engine.transport().send(DuplexScene.request(server.url, total: total))
            expectEqual(response.status.code, 101)
            try await work(try #require(response.duplex), server)
        }
    }

    @Test("Bytes pass both ways, those behind the head first")
    func bothWays() async throws {
        try await with([.receive(atLeast: 5), .send("there"), .close], head: Self.head + "early ") { stream, server in
            try await expectEqual(DuplexScene.text(stream, count: 6), "early ")
            stream.put(Bytes(string: "hello"))
            try await expectEqual(DuplexScene.text(stream, count: 5), "there")
            try await expectEqual(stream.next(), nil)
            let received = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(received.hasSuffix("\r\n\r\nhello"))
            #expect(received.contains("Upgrade: echo\r\n"))
            #expect(!received.contains("Content-Length"))
        }
    }

    @Test("Large amounts pass at the pace of the slower side")
    func large() async throws {
        let count = 8 << 20
        let reply = ScriptedServer.Step.sendRepeating(Array("y".utf8), count: count)
        try await with([.receive(atLeast: count), reply, .closeOutput]) { stream, _ in
            try await DuplexScene.send(count, by: stream)
            var received = 0
            while let piece = try await stream.next() { received += piece.readableBytes }
            expectEqual(received, count)
        }
    }

    @Test("A refusal is an ordinary response, and the connection serves the next request")
    func refused() async throws {
        try await ScriptedServer.withServer(connections: [
            [.receiveHead, .answer("no", status: 426), .receiveHead, .send(Self.head), .hang]
        ]) { server in
            let engine = Wire.engine()
            let response = try await engine.transport().send(DuplexScene.request(server.url))
            expectEqual(response.status.code, 426)
            #expect(response.duplex == nil)
            try await expectEqual(String(buffer: response.body.collect(upTo: 10)), "no")
            let second = try await engine.transport().send(DuplexScene.request(server.url))
            #expect(second.duplex != nil)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("A protocol that was not asked for is refused, and so is an unasked switch")
    func unasked() async throws {
        for (head, isAsked) in [(Self.head.replacing("echo", with: "other"), true), (Self.head, false)] {
            try await ScriptedServer.withServer(connections: [[.receiveHead, .send(head), .hang]]) { server in
                var request = try DuplexScene.request(server.url)
                if !isAsked { request.delivery = .head }
                let sent = request
                await Wire.failure(.malformedResponse, .read) { _ = try await Wire.engine().transport().send(sent) }
                #expect(try await server.waitForClose(connection: 0, within: 60))
            }
        }
    }

    @Test("The total time-out ends with the handshake, the limits between bytes, too")
    func total() async throws {
        let time = TestClock()
        var options = Wire.options
        options.clock = time.clock
        let engine = Engine(options: options)
        try await with([.receive(atLeast: 4), .send("late"), .hang], engine: engine, total: .seconds(30)) { stream, _ in
            await time.advance(by: .seconds(86_400))
            stream.put(Bytes(string: "ping"))
            try await expectEqual(DuplexScene.text(stream, count: 4), "late")
        }
    }

    @Test("A peer that takes no bytes ends the stream by the write time-out")
    func write() async throws {
        let time = TestClock()
        var options = Wire.options
        options.clock = time.clock
        let server = try await UnreadingServer()
        var request = try DuplexScene.request("http://127.0.0.1:\(server.port)/")
        request.timeouts.write = .seconds(20)
        let response = try await Engine(options: options).transport().send(request)
        let stream = try #require(response.duplex)
        try await Wire.pass(.seconds(20), on: time) {
            let error = await #expect(throws: SternaError.self) { try await DuplexScene.send(1 << 30, by: stream) }
            expectEqual(error?.kind, .timedOut)
            expectEqual(error?.phase, .write)
            #expect(error?.detail.contains("accepted no bytes for 20 s") == true)
        }
        await server.close()
    }

    @Test("Each side can end its direction alone")
    func halfClose() async throws {
        try await with([.send("bye"), .closeOutput, .receive(atLeast: 5), .waitForClose]) { stream, server in
            try await expectEqual(DuplexScene.text(stream, count: 3), "bye")
            try await expectEqual(stream.next(), nil)
            stream.put(Bytes(string: "after"))
            stream.finish()
            stream.put(Bytes(string: "never"))
            #expect(try await server.waitForClose(connection: 0, within: 60))
            #expect(String(decoding: server.received(connection: 0), as: UTF8.self).hasSuffix("\r\n\r\nafter"))
            await #expect(throws: SternaError.self) { try await stream.room() }
        }
    }

    @Test("The server's end in one read with the head leaves this side's direction open")
    func earlyHalfClose() async throws {
        // In one piece with the end: the socket sends both at once.
        try await ScriptedServer.withServer(connections: [
            [.receiveHead, .send(Self.head + "bye"), .closeOutput, .receive(atLeast: 1 << 20), .waitForClose]
        ]) { server in
            let response = try await Wire.engine().transport().send(DuplexScene.request(server.url))
            let stream = try #require(response.duplex)
            try await expectEqual(DuplexScene.text(stream, count: 3), "bye")
            try await expectEqual(stream.next(), nil)
            try await DuplexScene.send(1 << 20, by: stream)
            stream.finish()
            #expect(try await server.waitForClose(connection: 0, within: 60))
            #expect(server.received(connection: 0).count > 1 << 20)
        }
    }

    @Test("A handler that answers each piece is not called within itself, and its answers arrive in order")
    func answering() async throws {
        let count = 200_000
        try await with([.sendRepeating(Array("q".utf8), count: count), .receive(atLeast: count), .close]) { stream, _ in
            let echo = DuplexEcho(stream)
            stream.deliver(to: echo)
            let isOver = await eventually { echo.hasEnded }
            #expect(isOver)
            expectEqual(echo.count, count)
            #expect(!echo.wasReentered)
        }
    }

    @Test("A cancelled stream closes its connection, and so does a released one", arguments: [true, false])
    func ends(cancels: Bool) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(Self.head), .hang]]) { server in
            let engine = Wire.engine()
            do {
                let response = try await engine.transport().send(DuplexScene.request(server.url))
                let stream = try #require(response.duplex)
                if cancels {
                    stream.cancel()
                    await Wire.failure(.cancelled, .read) { _ = try await stream.next() }
                    // A reader learns of the end a moment before writers.
                    await Wire.failure(.cancelled, .read) {
                        while true {
                            try await stream.room()
                            await Task.yield()
                        }
                    }
                }
            }
            #expect(try await server.waitForClose(connection: 0, within: 60))
            let isClosed = await eventually { await engine.statistics().openConnections == 0 }
            #expect(isClosed)
        }
    }

    @Test("A cancelled read ends alone; the stream goes on")
    func cancelledRead() async throws {
        try await with([.receive(atLeast: 1), .send("on"), .hang]) { stream, _ in
            let read = Task { try await stream.next() }
            read.cancel()
            await #expect(throws: SternaError.self) { _ = try await read.value }
            stream.put(Bytes(string: "!"))
            try await expectEqual(DuplexScene.text(stream, count: 2), "on")
        }
    }

    @Test("A handler receives what has arrived and what follows, and the end")
    func handler() async throws {
        try await with([.receive(atLeast: 1), .send(" and more"), .close], head: Self.head + "first") { stream, _ in
            let recorder = DuplexRecorder()
            stream.deliver(to: recorder)
            stream.put(Bytes(string: "!"))
            let isOver = await eventually { !recorder.ends.isEmpty }
            #expect(isOver)
            expectEqual(recorder.text, "first and more")
            expectEqual(recorder.ends.count, 1)
            #expect(recorder.ends.allSatisfy { $0 == nil })
        }
    }

    @Test("A handler that pauses slows the server down until it reads on")
    func pause() async throws {
        let count = 32 << 20
        try await with([.sendRepeating(Array("z".utf8), count: count), .closeOutput]) { stream, _ in
            let recorder = DuplexRecorder()
            recorder.isPausing = true
            stream.deliver(to: recorder)
            let hasBegun = await eventually { recorder.count > 0 }
            #expect(hasBegun)
            let before = recorder.count
            stream.resumeReading()
            let goesOn = await eventually { recorder.count > before }
            #expect(goesOn)
            #expect(recorder.count < count)
            recorder.isPausing = false
            stream.resumeReading()
            let isOver = await eventually { recorder.ends.count == 1 }
            #expect(isOver)
            expectEqual(recorder.count, count)
        }
    }

    @Test("The server's reset reaches reader, handler and writers", arguments: [true, false])
    func reset(hasHandler: Bool) async throws {
        try await with([.receive(atLeast: 1), .reset]) { stream, _ in
            let recorder = DuplexRecorder()
            if hasHandler { stream.deliver(to: recorder) }
            stream.put(Bytes(string: "!"))
            if hasHandler {
                let isOver = await eventually { recorder.ends.count == 1 }
                #expect(isOver)
                expectEqual(recorder.ends.first??.kind, .truncated)
            } else {
                await Wire.failure(.truncated, .read) { while try await stream.next() != nil {} }
            }
            // A reader learns of the end a moment before writers.
            await #expect(throws: SternaError.self) {
                while true {
                    try await stream.room()
                    await Task.yield()
                }
            }
        }
    }

    @Test("Switched connections count in the limits while they are open, and give their permits back")
    func permits() async throws {
        try await ScriptedServer.withServer(
            connections: Array(repeating: [.receiveHead, .send(Self.head), .hang], count: 3)
        ) { server in
            var options = Wire.options
            options.maximumConnectionsPerOrigin = 2
            let engine = Engine(options: options)
            var streams: [any DuplexStream] = []
            for _ in 0..<2 {
                let response = try await engine.transport().send(DuplexScene.request(server.url))
                streams.append(try #require(response.duplex))
            }
            let third = Task { try await engine.transport().send(DuplexScene.request(server.url)) }
            await engine.settle()
            expectEqual(server.acceptedConnections, 2)
            streams.removeLast()
            let response = try await third.value
            #expect(response.duplex != nil)
            expectEqual(server.acceptedConnections, 3)
        }
    }
}

/// A server that switches protocols, and then reads nothing.
private final class UnreadingServer: Sendable {
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    init() async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func close() async { try? await channel.close().get() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: ProtocolSwitchTests.head)), promise: nil)
        }
    }
}
