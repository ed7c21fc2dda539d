import NIOCore
import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: messages that are sent", .timeLimit(.minutes(5)))
struct WebSocketSendingTests {
    @Test("One masked frame a message")
    func frames() async throws {
        let scene = try SocketScene()
        try await scene.socket.send("héllo")
        try await scene.socket.send(Bytes(copying: [0, 255]))
        try await scene.socket.send("")
        expectEqual(scene.stream.putCount, 3)
        expectEqual(scene.stream.takeSent(), [.text("héllo"), .binary([0, 255]), .text("")])
    }

    @Test("Messages wait for room, and go in the order of the calls")
    func order() async throws {
        let scene = try SocketScene()
        var tasks = [await scene.stuck("0")]
        for number in 1..<20 { tasks.append(await scene.queued("\(number)")) }
        expectEqual(scene.stream.putCount, 0)
        scene.stream.setCapacity(.max)
        for task in tasks { try await task.value }
        expectEqual(scene.stream.takeSent().map(\.text), (0..<20).map { "\($0)" })
    }

    @Test("A task that is cancelled while it waits for room or for its turn sends nothing; the others go on")
    func cancelled() async throws {
        let scene = try SocketScene()
        let first = await scene.stuck("first")
        let second = await scene.queued("second")
        let third = await scene.queued("third")
        second.cancel()
        await expectEqual(failure(of: second), .cancelled)
        first.cancel()
        await expectEqual(failure(of: first), .cancelled)
        scene.stream.setCapacity(.max)
        try await third.value
        expectEqual(scene.stream.takeSent(), [.text("third")])
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await scene.socket.send("late")
        }
        await expectEqual(failure(of: late), .cancelled)
        expectEqual(scene.stream.putCount, 0)
    }

    @Test("After the end, and while closing, a message throws the closure")
    func afterTheEnd() async throws {
        let scene = try SocketScene()
        let waiting = await scene.stuck("waiting")
        let queued = await scene.queued("queued")
        scene.stream.receive(.close(1001, "bye"))
        for task in [waiting, queued] {
            scene.stream.setCapacity(.max)
            await expectEqual(failure(of: task), .webSocketClosed)
        }
        let error = await socketError { try await scene.socket.send("x") }
        expectEqual(error?.kind, .webSocketClosed)
        expectEqual(
            error?.underlying as? WebSocket.Closure, WebSocket.Closure(.goingAway, reason: "bye", isByPeer: true))
        expectEqual(scene.stream.takeSent().map(\.code), [1001])
    }

    // MARK: Pieces

    private static func sequence(_ pieces: [String], throwing error: (any Error)? = nil) -> AsyncThrowingStream<
        String, any Error
    > {
        AsyncThrowingStream { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish(throwing: error)
        }
    }

    @Test("A fragment for each piece, and an empty one at the end; other messages wait")
    func pieces() async throws {
        let scene = try SocketScene()
        try await scene.socket.send(pieces: Self.sequence(["a", "", "b"]))
        expectEqual(
            scene.stream.takeSent(),
            [.text("a", isFinal: false), .continuation("b", isFinal: false), .continuation("")])
        try await scene.socket.send(pieces: Self.sequence([]))
        expectEqual(scene.stream.takeSent(), [.text("")])
        let (source, feed) = AsyncStream<Bytes>.makeStream()
        let long = Task { try await scene.socket.send(pieces: source) }
        feed.yield(Bytes(copying: [1]))
        #expect(await eventually { scene.stream.putCount == 1 })
        let other = await scene.queued("other")
        scene.stream.receive(.ping("p"))
        feed.yield(Bytes(copying: [2]))
        feed.finish()
        try await long.value
        try await other.value
        let sent = scene.stream.takeSent()
        expectEqual(
            sent.filter { $0.opcode != 10 },
            [
                .binary([1], isFinal: false), Frame(opcode: 0, payload: [2], isFinal: false), .continuation(""),
                .text("other"),
            ])
        expectEqual(sent.filter { $0.opcode == 10 }, [.pong("p")])
    }

    private struct Broken: Error {}

    @Test(
        "A source that fails before the first piece sends nothing; later it ends the WebSocket",
        arguments: [false, true])
    func failingSource(_ hasBegun: Bool) async throws {
        let scene = try SocketScene()
        await #expect(throws: Broken.self) {
            try await scene.socket.send(pieces: Self.sequence(hasBegun ? ["a"] : [], throwing: Broken()))
        }
        if hasBegun {
            expectEqual(scene.stream.takeSent().map(\.code), [nil, 1011])
            #expect(scene.stream.isFinished)
            expectEqual(scene.socket.closure?.code, .internalError)
        } else {
            expectEqual(scene.stream.putCount, 0)
            try await scene.socket.send("next")
            expectEqual(scene.stream.takeSent(), [.text("next")])
        }
    }

    @Test("Cancelling in the middle of a message ends the WebSocket")
    func cancelledPieces() async throws {
        let scene = try SocketScene()
        let (source, feed) = AsyncStream<Bytes>.makeStream()
        let long = Task { try await scene.socket.send(pieces: source) }
        feed.yield(Bytes(copying: [1]))
        #expect(await eventually { scene.stream.putCount == 1 })
        long.cancel()
        await expectEqual(failure(of: long), .cancelled)
        expectEqual(scene.stream.takeSent().map(\.code), [nil, 1011])
        let (_, error) = await scene.readAll()
        expectNil(error)
    }
}
