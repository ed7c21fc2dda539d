import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: pings", .timeLimit(.minutes(5)))
struct WebSocketPingTests {
    @Test("Pings are answered at once, without a reader")
    func automaticPong() throws {
        let scene = try SocketScene()
        scene.stream.receive(.ping("a"), .ping(""), .text("unread"), .ping("b"))
        expectEqual(scene.stream.takeSent(), [.pong("a"), .pong(""), .pong("b")])
    }

    @Test("While there is no room, only the latest of many pings is answered, once there is")
    func flood() async throws {
        let scene = try SocketScene()
        scene.stream.setCapacity(0)
        for number in 0..<1_000 { scene.stream.receive(.ping("\(number)")) }
        #expect(await eventually { scene.stream.waitingCount == 1 })
        expectEqual(scene.stream.putCount, 0)
        scene.stream.setCapacity(.max)
        #expect(await eventually { scene.stream.putCount > 0 })
        expectEqual(scene.stream.takeSent(), [.pong("999")])
        scene.stream.receive(.ping("next"))
        expectEqual(scene.stream.takeSent(), [.pong("next")])
    }

    /// Returns the payload of the only frame sent, a ping.
    private func ping(_ scene: SocketScene) async -> [UInt8] {
        #expect(await eventually { scene.stream.putCount > 0 })
        let sent = scene.stream.takeSent()
        expectEqual(sent.map(\.opcode), [9])
        return sent.first?.payload ?? []
    }

    @Test("A pong is matched by its payload; it answers the pings before it, too")
    func matching() async throws {
        let scene = try SocketScene()
        expectNil(scene.socket.roundTrip)
        let first = Task { try await scene.socket.ping() }
        _ = await ping(scene)
        let second = Task { try await scene.socket.ping() }
        let payload = await ping(scene)
        scene.stream.receive(.pong("unasked"), .pong(""), Frame(opcode: 10, payload: [0, 0, 0, 0, 0, 0, 0, 99]))
        expectNil(scene.socket.roundTrip)
        scene.stream.receive(Frame(opcode: 10, payload: payload))
        let (one, other) = (try await first.value, try await second.value)
        #expect(one >= other && other >= .zero)
        #expect(scene.socket.roundTrip != nil)
    }

    @Test("A ping ends with its task, and with the WebSocket")
    func ends() async throws {
        let scene = try SocketScene()
        let first = Task { try await scene.socket.ping() }
        _ = await ping(scene)
        first.cancel()
        await expectEqual(failure(of: first), .cancelled)
        let second = Task { try await scene.socket.ping() }
        _ = await ping(scene)
        scene.stream.receive(.close(1000))
        await expectEqual(failure(of: second), .webSocketClosed)
        let error = await socketError { _ = try await scene.socket.ping() }
        expectEqual(error?.kind, .webSocketClosed)
    }

    /// Returns frames of numbered texts.
    private static func texts(_ numbers: Range<Int>) -> Bytes {
        var bytes = Bytes()
        for number in numbers { bytes.writeImmutableBuffer(Frame.text("\(number)").bytes) }
        return bytes
    }

    @Test("A ping is answered behind a full queue of messages; then the queue has its former bound, and loses nothing")
    func unread() async throws {
        let scene = try SocketScene()
        let count = 3 * WebSocketState.queuedParts
        scene.stream.receive(Self.texts(0..<count))
        #expect(scene.stream.isPaused)
        let task = Task { try await scene.socket.ping() }
        scene.stream.receive(Frame(opcode: 10, payload: await ping(scene)))
        _ = try await task.value
        #expect(await eventually { !scene.stream.isPaused })
        scene.stream.receive(Self.texts(count..<count + 2))
        #expect(scene.stream.isPaused)
        var messages = scene.socket.makeAsyncIterator()
        for number in 0..<count + 2 { try await expectEqual(messages.next(isolation: nil), .text("\(number)")) }
        #expect(await eventually { !scene.stream.isPaused })
    }

    @Test(
        "A ping behind more unread messages than a bound ends after its time-out, and says why; the WebSocket goes on")
    func unreadBeyondBound() async throws {
        let scene = try SocketScene { $0.pingTimeout = .seconds(7) }
        let count = 17 * WebSocketState.queuedParts
        scene.stream.receive(Self.texts(0..<count))
        let task = Task { try await scene.socket.ping() }
        // The answer waits behind the messages for which there is no room.
        scene.stream.receive(Frame(opcode: 10, payload: await ping(scene)))
        scene.stream.advance(by: .milliseconds(6_999))
        scene.stream.advance(by: .milliseconds(1))
        let error = await socketError { _ = try await task.value }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .wait)
        #expect(error?.detail.contains("has not read") == true, "\(error?.detail ?? "none")")
        expectNil(error?.advice)
        expectNil(scene.socket.closure)
        var messages = scene.socket.makeAsyncIterator()
        for number in 0..<count { try await expectEqual(messages.next(isolation: nil), .text("\(number)")) }
        #expect(await eventually { !scene.stream.isPaused })
    }

    @Test("A ping that the server does not answer ends after its time-out, not before")
    func unanswered() async throws {
        let scene = try SocketScene { $0.pingTimeout = .seconds(7) }
        let ended = Counter()
        let task = Task {
            defer { ended.add() }
            return try await scene.socket.ping()
        }
        let payload = await ping(scene)
        scene.stream.advance(by: .milliseconds(6_999))
        expectEqual(ended.value, 0)
        scene.stream.advance(by: .milliseconds(1))
        let error = await socketError { _ = try await task.value }
        expectEqual(error?.kind, .timedOut)
        #expect(error?.detail.contains("did not answer") == true, "\(error?.detail ?? "none")")
        // A late answer is dropped, and another ping has its own.
        scene.stream.receive(Frame(opcode: 10, payload: payload))
        let second = Task { try await scene.socket.ping() }
        scene.stream.receive(Frame(opcode: 10, payload: await ping(scene)))
        _ = try await second.value
        // That of the pings that keep the connection alive.
        expectEqual(scene.stream.timerCount, 1)
    }

    @Test("A ping to a server that does not read ends after its time-out, too")
    func noRoom() async throws {
        let scene = try SocketScene { $0.pingTimeout = .seconds(7) }
        scene.stream.setCapacity(0)
        let task = Task { try await scene.socket.ping() }
        _ = await ping(scene)
        scene.stream.advance(by: .seconds(7))
        let error = await socketError { _ = try await task.value }
        expectEqual(error?.kind, .timedOut)
        expectNil(scene.socket.closure)
    }

    @Test("Pings keep the connection alive; a peer that sends nothing until the next is due is lost")
    func keepAlive() async throws {
        let scene = try SocketScene { $0.pingInterval = .seconds(10) }
        scene.stream.advance(by: .seconds(9))
        expectEqual(scene.stream.putCount, 0)
        for _ in 0..<3 {
            scene.stream.advance(by: .seconds(10))
            let sent = scene.stream.takeSent()
            expectEqual(sent.map(\.opcode), [9])
            scene.stream.receive(Frame(opcode: 10, payload: sent.first?.payload ?? []))
        }
        #expect(scene.socket.roundTrip != nil)
        scene.stream.advance(by: .seconds(10))
        // Anything is a sign of life: the pong may be behind a long message.
        scene.stream.receive(Bytes(copying: [0x82, 0x05]))
        scene.stream.advance(by: .seconds(10))
        expectNil(scene.socket.closure)
        scene.stream.advance(by: .seconds(10))
        expectEqual(scene.socket.closure, WebSocket.Closure(.lost, isByPeer: true))
        #expect(scene.stream.isCancelled)
        let (_, error) = await scene.readAll()
        expectEqual(error?.kind, .webSocketClosed)
        expectEqual((error?.underlying as? WebSocket.Closure)?.code, .lost)
    }

    @Test("A peer is not lost while the program does not read, or while the peer does not")
    func silence() async throws {
        let scene = try SocketScene { $0.pingInterval = .seconds(10) }
        scene.stream.advance(by: .seconds(10))
        expectEqual(scene.stream.takeSent().map(\.opcode), [9])
        var bytes = Bytes()
        for _ in 0..<WebSocketState.queuedParts { bytes.writeImmutableBuffer(Frame.text("x").bytes) }
        scene.stream.receive(bytes)
        #expect(scene.stream.isPaused)
        scene.stream.advance(by: .seconds(100))
        expectNil(scene.socket.closure)
        var messages = scene.socket.makeAsyncIterator()
        for _ in 0..<WebSocketState.queuedParts { _ = try await messages.next(isolation: nil) }
        _ = scene.stream.takeSent()
        scene.stream.setCapacity(0)
        scene.stream.advance(by: .seconds(100))
        expectNil(scene.socket.closure)
        expectEqual(scene.stream.putCount, 0)
    }

    @Test("Without an interval there are no pings")
    func none() throws {
        let scene = try SocketScene { $0.pingInterval = nil }
        scene.stream.advance(by: .seconds(1_000))
        expectEqual(scene.stream.putCount, 0)
        expectEqual(scene.stream.timerCount, 0)
    }
}
