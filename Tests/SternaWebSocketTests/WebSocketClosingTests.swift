import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: the end", .timeLimit(.minutes(5)))
struct WebSocketClosingTests {
    struct PeerClose: Sendable, CustomTestStringConvertible {
        let code: UInt16?
        let answer: Int
        let closure: WebSocket.CloseCode
        let isError: Bool
        var testDescription: String { code.map { "\($0)" } ?? "none" }
    }

    private static let rows: [PeerClose] = [
        PeerClose(code: 1000, answer: 1000, closure: .normal, isError: false),
        PeerClose(code: 1001, answer: 1001, closure: .goingAway, isError: false),
        PeerClose(code: nil, answer: 1000, closure: .noCode, isError: false),
        PeerClose(code: 1008, answer: 1008, closure: .policyViolation, isError: true),
        PeerClose(code: 1011, answer: 1011, closure: .internalError, isError: true),
        PeerClose(code: 4001, answer: 4001, closure: .init(rawValue: 4001), isError: true),
    ]

    @Test("The peer's close is answered with its code, or 1000, and ends the messages", arguments: rows)
    func peerCloses(_ row: PeerClose) async throws {
        let scene = try SocketScene()
        scene.stream.receive(.text("last"), .close(row.code, row.code == nil ? "" : "why"), .text("after"))
        expectEqual(scene.stream.takeSent().map(\.code), [row.answer])
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("last")])
        let closure = WebSocket.Closure(row.closure, reason: row.code == nil ? "" : "why", isByPeer: true)
        expectEqual(scene.socket.closure, closure)
        expectEqual(error?.kind, row.isError ? .webSocketClosed : nil)
        expectEqual(error?.underlying as? WebSocket.Closure, row.isError ? closure : nil)
        // The server ends the connection; this side does so if it does not.
        #expect(!scene.stream.isCancelled)
        scene.stream.advance(by: .seconds(1))
        #expect(scene.stream.isCancelled)
    }

    @Test("The server's end after the closing handshake ends this side's direction, too")
    func serverEnds() async throws {
        let scene = try SocketScene()
        scene.stream.receive(.close(1000))
        scene.stream.end()
        #expect(scene.stream.isFinished)
        #expect(!scene.stream.isCancelled)
    }

    /// Returns a task that closes, once its frame was sent.
    private func closing(_ scene: SocketScene, _ code: WebSocket.CloseCode = .normal) async -> Task<Void, any Error> {
        let task = Task { try await scene.socket.close(code, reason: "done") }
        #expect(await eventually { scene.stream.putCount > 0 })
        let sent = scene.stream.takeSent()
        expectEqual(sent.map(\.code), [Int(code.rawValue)])
        expectEqual(sent.first?.payload.count, 6)
        return task
    }

    enum Answer: String, CaseIterable, Sendable {
        case same, other, withoutCode, end, failure, none
    }

    @Test("After this side's close its code counts, however the peer answers", arguments: Answer.allCases)
    func ownClose(_ answer: Answer) async throws {
        let scene = try SocketScene()
        let reader = await scene.reading()
        let code = WebSocket.CloseCode(rawValue: 4000)
        let closing = await closing(scene, code)
        expectNil(scene.socket.closure)
        switch answer {
        case .same: scene.stream.receive(.close(4000, "done"))
        case .other: scene.stream.receive(.close(1000))
        case .withoutCode: scene.stream.receive(.close(nil))
        case .end: scene.stream.end()
        case .failure: scene.stream.end(SternaError(.connectionClosed, phase: .read, "reset"))
        case .none:
            scene.stream.advance(by: .milliseconds(4_999))
            expectNil(scene.socket.closure)
            scene.stream.advance(by: .milliseconds(1))
            #expect(scene.stream.isCancelled)
        }
        try await closing.value
        expectEqual(scene.socket.closure, WebSocket.Closure(code, reason: "done", isByPeer: false))
        try await expectNil(reader.value)
        expectEqual(scene.stream.putCount, 0)
        // A second close has no effect.
        try await scene.socket.close()
        expectEqual(scene.stream.putCount, 0)
    }

    @Test("Messages that arrive while closing are read; many unread ones do not hide the peer's answer")
    func messagesWhileClosing() async throws {
        let scene = try SocketScene()
        let closing = await closing(scene)
        for number in 0..<200 { scene.stream.receive(.text("\(number)")) }
        #expect(!scene.stream.isPaused)
        scene.stream.receive(.close(1000))
        try await closing.value
        let (messages, error) = await scene.readAll()
        expectEqual(messages.prefix(3), [.text("0"), .text("1"), .text("2")])
        expectNil(error)
    }

    @Test("A reader that lags behind gets all messages that arrive while closing")
    func slowReader() async throws {
        let scene = try SocketScene()
        var messages = scene.socket.makeAsyncIterator()
        scene.stream.receive(.text("first"))
        try await expectEqual(messages.next(), .text("first"))
        let closing = await closing(scene)
        for number in 0..<3_000 { scene.stream.receive(.text("\(number)")) }
        scene.stream.receive(.close(1000))
        var count = 0
        while try await messages.next() != nil { count += 1 }
        expectEqual(count, 3_000)
        try await closing.value
    }

    @Test("A close finds the peer's answer behind a full queue")
    func closeWhilePaused() async throws {
        let scene = try SocketScene()
        var bytes = Bytes()
        for number in 0..<200 { bytes.writeImmutableBuffer(Frame.text("\(number)").bytes) }
        scene.stream.receive(bytes)
        #expect(scene.stream.isPaused)
        scene.stream.receive(.close(1001))
        try await scene.socket.close()
        expectEqual(scene.socket.closure, WebSocket.Closure(.normal, isByPeer: false))
    }

    @Test("A close goes behind the messages that wait, within its time-out", arguments: [true, false])
    func closeBehindMessages(_ hasRoom: Bool) async throws {
        let scene = try SocketScene()
        let first = await scene.stuck("first")
        let second = await scene.queued("second")
        let closing = Task { try await scene.socket.close() }
        // That of the pings, and that of the close.
        #expect(await eventually { scene.stream.timerCount == 2 })
        let late = await socketError { try await scene.socket.send("late") }
        expectEqual(late?.kind, .webSocketClosed)
        if hasRoom {
            scene.stream.setCapacity(.max)
            try await first.value
            try await second.value
            #expect(await eventually { scene.stream.putCount == 3 })
            expectEqual(scene.stream.takeSent(), [.text("first"), .text("second"), .close(1000)])
            scene.stream.receive(.close(1000))
        } else {
            scene.stream.advance(by: .seconds(5))
            await expectEqual(failure(of: first), .webSocketClosed)
            await expectEqual(failure(of: second), .webSocketClosed)
            expectEqual(scene.stream.putCount, 0)
        }
        try await closing.value
    }

    @Test("A task that is cancelled while it closes throws, and the close goes on")
    func cancelledClose() async throws {
        let scene = try SocketScene()
        let closing = await closing(scene)
        closing.cancel()
        await expectEqual(failure(of: closing), .cancelled)
        expectNil(scene.socket.closure)
        scene.stream.receive(.close(1000))
        expectEqual(scene.socket.closure, WebSocket.Closure(.normal, reason: "done", isByPeer: false))
    }

    @Test(
        "Codes that are not for sending are refused",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000] as [UInt16])
    func invalidCodes(_ code: UInt16) async throws {
        let scene = try SocketScene()
        let error = await socketError { try await scene.socket.close(.init(rawValue: code)) }
        expectEqual(error?.kind, .invalidRequest)
        expectEqual(scene.stream.putCount, 0)
    }

    @Test("The end of the connection without a close is an error", arguments: [true, false])
    func lost(_ isOrderly: Bool) async throws {
        let scene = try SocketScene()
        scene.stream.receive(.text("a"))
        scene.stream.end(isOrderly ? nil : SternaError(.timedOut, phase: .write, "No byte was taken for 30 s."))
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("a")])
        expectEqual(error?.kind, .webSocketClosed)
        expectEqual(error?.underlying as? WebSocket.Closure, WebSocket.Closure(.lost, isByPeer: true))
        if !isOrderly { #expect(error?.detail.contains("30 s") == true) }
    }

    @Test("The session's cancellation is the reader's error")
    func sessionCancelled() async throws {
        let scene = try SocketScene()
        let reader = await scene.reading()
        scene.stream.end(.cancelled(phase: .read))
        await expectEqual(failure(of: reader), .cancelled)
        expectEqual(scene.socket.closure, WebSocket.Closure(.lost, isByPeer: false))
    }

    @Test("cancel ends at once, without a frame and without an error")
    func cancel() async throws {
        let scene = try SocketScene()
        let reader = await scene.reading()
        scene.socket.cancel()
        try await expectNil(reader.value)
        #expect(scene.stream.isCancelled)
        expectEqual(scene.stream.putCount, 0)
        expectEqual(scene.socket.closure, WebSocket.Closure(.lost, isByPeer: false))
        expectEqual(scene.stream.timerCount, 0)
    }

    @Test("A violation of the protocol is closed with its code, and throws after the messages before it")
    func violation() async throws {
        let scene = try SocketScene()
        scene.stream.receive(.text("a"), Frame(opcode: 3), .text("b"))
        let sent = scene.stream.takeSent()
        expectEqual(sent.map(\.code), [1002])
        #expect(scene.stream.isFinished)
        let (messages, error) = await scene.readAll()
        expectEqual(messages, [.text("a")])
        expectEqual(error?.kind, .malformedResponse)
        expectEqual((error?.underlying as? WebSocket.Closure)?.code, .protocolError)
        scene.stream.receive(.text("more"))
        scene.stream.advance(by: .seconds(1))
        #expect(scene.stream.isCancelled)
    }

    @Test("A violation while a message waits for room is closed before the message")
    func violationWhileSending() async throws {
        let scene = try SocketScene()
        let stuck = await scene.stuck("never")
        scene.stream.receive(Frame(opcode: 3))
        expectEqual(scene.stream.takeSent().map(\.code), [1002])
        scene.stream.advance(by: .seconds(1))
        await expectEqual(failure(of: stuck), .webSocketClosed)
    }

    @Test("Releasing the WebSocket closes it with 1001 and ends the connection")
    func release() async throws {
        let stream = DuplexDouble()
        weak var released: WebSocketConnection?
        do {
            let connection = WebSocketConnection(stream, WebSocketSettings())
            connection.start()
            released = connection
            let socket = WebSocket(
                connection, response: Response(status: .init(code: 101), url: try HTTPURL("http://a.example/")))
            stream.receive(.text("unread"))
            expectNil(socket.closure)
        }
        expectEqual(stream.takeSent().map(\.code), [1001])
        stream.receive(.text("more"), .close(1001))
        stream.end()
        #expect(stream.isFinished)
        stream.advance(by: .seconds(1))
        #expect(await eventually { released == nil })
        #expect(stream.isReleased)
    }

    @Test("A peer that does not answer the close of a released WebSocket is left")
    func releaseWithoutAnswer() async throws {
        let stream = DuplexDouble()
        do {
            let connection = WebSocketConnection(stream, WebSocketSettings())
            connection.start()
            _ = WebSocket(
                connection, response: Response(status: .init(code: 101), url: try HTTPURL("http://a.example/")))
        }
        #expect(!stream.isCancelled)
        stream.advance(by: .seconds(5))
        #expect(stream.isCancelled)
        expectEqual(stream.timerCount, 0)
    }
}
