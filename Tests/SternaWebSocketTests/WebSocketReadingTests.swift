import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: messages that arrive", .timeLimit(.minutes(5)))
struct WebSocketReadingTests {
    @Test("Texts and bytes, whole, in fragments and in small reads")
    func messages() async throws {
        let scene = try SocketScene()
        scene.stream.receive(.text("é"), .binary([1, 2]), .text("", isFinal: true))
        scene.stream.receive(
            .text("a", isFinal: false), .ping("x"), .continuation("b", isFinal: false), .continuation("c"))
        for byte in Frame.text("slow").bytes.array { scene.stream.receive(Bytes(copying: [byte])) }
        scene.stream.receive(.close(1000))
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("é"), .binary(Bytes(copying: [1, 2])), .text(""), .text("abc"), .text("slow")])
        expectNil(error)
    }

    @Test("A waiting reader receives a message at once; the sequence goes on in a second loop")
    func waiting() async throws {
        let scene = try SocketScene()
        let first = await scene.reading()
        scene.stream.receive(.text("a"))
        try await expectEqual(first.value, .text("a"))
        let second = await scene.reading()
        scene.stream.receive(.text("b"))
        try await expectEqual(second.value, .text("b"))
    }

    @Test("A large message is one message")
    func large() async throws {
        let scene = try SocketScene { $0.messageBytes = 1 << 20 }
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0) }
        var rest = Frame.binary(bytes).bytes
        let reader = await scene.reading()
        while let piece = rest.readSlice(length: min(rest.readableBytes, 60_000)), piece.readableBytes > 0 {
            scene.stream.receive(piece)
        }
        try await expectEqual(reader.value, .binary(Bytes(copying: bytes)))
    }

    @Test("A message above the limit ends the socket with 1009, whole or in fragments", arguments: [true, false])
    func tooBig(_ isWhole: Bool) async throws {
        let scene = try SocketScene { $0.messageBytes = 5 }
        if isWhole {
            scene.stream.receive(.text("first"), .text("second"))
        } else {
            scene.stream.receive(.text("first"), .text("sec", isFinal: false), .continuation("ond"))
        }
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("first")])
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(scene.stream.takeSent().map(\.code), [1009])
    }

    @Test("A second reader is an error while the first one exists, and the first goes on")
    func secondReader() async throws {
        let scene = try SocketScene()
        let first = await scene.reading()
        var other = scene.socket.makeAsyncIterator()
        let error = await socketError { _ = try await other.next(isolation: nil) }
        expectEqual(error?.kind, .invalidRequest)
        scene.stream.receive(.text("a"))
        try await expectEqual(first.value, .text("a"))
        scene.stream.receive(.text("b"))
        #expect(await eventually { (try? await other.next(isolation: nil)) == .text("b") })
    }

    @Test("A reader that is cancelled loses no message")
    func cancelledReader() async throws {
        let scene = try SocketScene()
        let reader = await scene.reading()
        reader.cancel()
        await expectEqual(failure(of: reader), .cancelled)
        scene.stream.receive(.text("a"), .close(1000))
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("a")])
        expectNil(error)
    }

    @Test("A full queue pauses the stream; half of it read resumes the stream, and nothing is lost or out of order")
    func backPressure() async throws {
        let scene = try SocketScene()
        let count = 3 * WebSocketState.queuedParts
        var bytes = Bytes()
        for number in 0..<count { bytes.writeImmutableBuffer(Frame.text("\(number)").bytes) }
        scene.stream.receive(bytes)
        #expect(scene.stream.isPaused)
        scene.stream.receive(.text("last"))
        var messages = scene.socket.makeAsyncIterator()
        for number in 0..<count {
            try await expectEqual(messages.next(isolation: nil), .text("\(number)"))
        }
        try await expectEqual(messages.next(isolation: nil), .text("last"))
        #expect(!scene.stream.isPaused)
    }

    @Test("Few large messages pause the stream, too")
    func largeBackPressure() async throws {
        let scene = try SocketScene()
        let half = Frame.binary([UInt8](repeating: 7, count: WebSocketState.queuedBytes / 2))
        scene.stream.receive(half)
        #expect(!scene.stream.isPaused)
        scene.stream.receive(half)
        #expect(scene.stream.isPaused)
    }

    @Test("Messages that were not parsed before the peer's end are read before its error")
    func endWhilePaused() async throws {
        let scene = try SocketScene()
        var bytes = Bytes()
        for number in 0..<200 { bytes.writeImmutableBuffer(Frame.text("\(number)").bytes) }
        scene.stream.receive(bytes)
        scene.stream.end(SternaError(.connectionClosed, phase: .read, "reset"))
        let (messages, error) = await scene.readAll()
        expectEqual(messages.count, 200)
        expectEqual(error?.kind, .webSocketClosed)
        expectEqual((error?.underlying as? WebSocket.Closure)?.code, .lost)
    }

    // MARK: Pieces

    private func pieces(_ scene: SocketScene, _ count: Int) async throws -> [WebSocket.Piece] {
        var found: [WebSocket.Piece] = []
        for try await piece in scene.socket.pieces {
            found.append(piece)
            if found.count == count { break }
        }
        return found
    }

    @Test("Pieces come as they arrive, of messages above the limit, too")
    func pieces() async throws {
        let scene = try SocketScene { $0.messageBytes = 3 }
        scene.stream.receive(.close(1000))
        let empty = try await pieces(scene, 1)
        expectEqual(empty, [])
        let other = try SocketScene { $0.messageBytes = 3 }
        let reader = Task { try await pieces(other, 3) }
        #expect(await eventually { other.connection.isAwaited })
        other.stream.receive(.text("long", isFinal: false))
        other.stream.receive(.continuation("er"), .binary([1]))
        let found = try await reader.value
        expectEqual(found.map(\.bytes.text), ["long", "er", "\u{1}"])
        expectEqual(found.map(\.isFirst), [true, false, true])
        expectEqual(found.map(\.isLast), [false, true, true])
        expectEqual(found.map(\.isText), [true, true, false])
    }

    @Test("A reader of messages after one of pieces begins with a whole message, and the other way round")
    func modes() async throws {
        let scene = try SocketScene()
        scene.stream.receive(.text("a", isFinal: false))
        let beginning = try await pieces(scene, 1)
        expectEqual(beginning.map(\.bytes.text), ["a"])
        scene.stream.receive(.continuation("b", isFinal: false), .continuation("c"), .text("d", isFinal: false))
        scene.stream.receive(.continuation("e"), .text("f"))
        var messages: WebSocket.AsyncIterator? = scene.socket.makeAsyncIterator()
        try await expectEqual(messages?.next(isolation: nil), .text("de"))
        try await expectEqual(messages?.next(isolation: nil), .text("f"))
        scene.stream.receive(.text("g", isFinal: false))
        messages = nil
        scene.stream.receive(.continuation("h"))
        let rest = try await pieces(scene, 1)
        expectEqual(rest.map(\.bytes.text), ["gh"])
    }
}
