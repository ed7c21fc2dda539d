import NIOCore
import Sterna
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTesting

@Suite("Mocks of switched protocols", .timeLimit(.minutes(5)))
struct MockDuplexTests {
    private static func request(_ fields: ServerHeaders = SocketHandshake.fields) throws -> Request {
        var request = Request(.get, try HTTPURL("http://api.example.com/ws"))
        for field in fields { request.headers[field.name] = field.value }
        request.delivery = .duplex
        return request
    }

    /// Collects what a handler receives, and pauses after each piece if it is told so.
    private final class Handler: DuplexHandler {
        private struct State {
            var text = ""
            var pieces = 0
            var end: Result<Void, SternaError>?
        }

        private let pauses: Bool
        private let state = Mutex(State())

        init(pauses: Bool = false) { self.pauses = pauses }

        var text: String { state.withLock { $0.text } }
        var pieces: Int { state.withLock { $0.pieces } }
        var hasEnded: Bool { state.withLock { $0.end != nil } }
        var errorKind: SternaError.Kind? {
            state.withLock { if case .failure(let error)? = $0.end { error.kind } else { nil } }
        }

        func received(_ bytes: Bytes) -> Bool {
            state.withLock { state in
                state.text += bytes.text
                state.pieces += 1
            }
            return !pauses
        }

        func ended(_ error: SternaError?) {
            state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
        }
    }

    @Test("A WebSocket's response has its fields, and frames both ways")
    func webSocket() async throws {
        let mock = MockTransport { _ in
            .webSocket { socket in for try await message in socket { try await socket.send(message) } }
        }
        let response = try await mock.send(Self.request())
        expectEqual(response.status.code, 101)
        expectEqual(response.headers["Sec-WebSocket-Accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        let stream = try #require(response.duplex)
        stream.put(Bytes(copying: SocketFrame(0x81, "hi").masked))
        try await expectEqual(stream.next()?.array, [0x81, 2, 0x68, 0x69])
        stream.put(Bytes(copying: SocketFrame.close(1000).masked))
        try await expectEqual(stream.next()?.array, [0x88, 2, 0x03, 0xE8])
        try await expectNil(stream.next())
        expectEqual(mock.requests.count, 1)
    }

    @Test("What is no handshake is refused, and a request that cannot switch fails")
    func refused() async throws {
        let mock = MockTransport { _ in .webSocket { _ in } }
        let response = try await mock.send(Self.request([:]))
        expectEqual(response.status.code, 426)
        #expect(response.duplex == nil)
        let plain = Request(.get, try HTTPURL("http://api.example.com/ws"), headers: try Self.request().headers)
        let error = await #expect(throws: SternaError.self) { try await mock.send(plain) }
        expectEqual(error?.kind, .malformedResponse)
    }

    @Test("Both sides may end their direction first")
    func halfClose() async throws {
        let received = Mutex<String?>(nil)
        let serverEnds = MockDuplex(clock: .system) { stream in
            try await stream.write("bye")
            try await stream.finish()
            var text = ""
            while let bytes = try await stream.read() { text += bytes.text }
            received.withLock { $0 = text }
        }
        try await expectEqual(serverEnds.next()?.text, "bye")
        try await expectNil(serverEnds.next())
        serverEnds.put(Bytes(text: "late"))
        serverEnds.finish()
        serverEnds.put(Bytes(text: "too late"))
        #expect(await eventually { received.withLock { $0 } != nil })
        expectEqual(received.withLock { $0 }, "late")

        let clientEnds = MockDuplex(clock: .system) { stream in
            while let bytes = try await stream.read() { try await stream.write(bytes) }
            try await stream.write("end")
        }
        clientEnds.put(Bytes(text: "a"))
        clientEnds.finish()
        var text = ""
        while let bytes = try await clientEnds.next() { text += bytes.text }
        expectEqual(text, "aend")
    }

    @Test("The closure waits for a client that does not read")
    func serverWaits() async throws {
        let (isWritten, waits) = (Gate(), Gate())
        let stream = MockDuplex(clock: .system) { stream in
            try await stream.write([UInt8](repeating: 1, count: 40 << 10))
            let second = stream.put(Bytes(repeating: 2, count: 40 << 10))
            second.whenSuccess { isWritten.open() }
            // A write that is complete at once has opened the gate by the loop's next turn.
            try await second.eventLoop.submit {}.get()
            waits.open()
            try await second.get()
            try await stream.write("end")
        }
        await waits.wait()
        #expect(!isWritten.isOpen)
        try await expectEqual(stream.next()?.count, 40 << 10)
        await isWritten.wait()
        try await expectEqual(stream.next()?.count, 40 << 10)
        try await expectEqual(stream.next()?.text, "end")
        try await expectNil(stream.next())
    }

    @Test("The client has no room while the closure does not read")
    func clientWaits() async throws {
        let start = Gate()
        let stream = MockDuplex(clock: .system) { stream in
            await start.wait()
            while try await stream.read() != nil {}
        }
        #expect(stream.hasRoom)
        while stream.hasRoom { stream.put(Bytes(copying: [UInt8](repeating: 1, count: 64 << 10))) }
        let waiting = Task { try await stream.room() }
        let cancelled = Task { try await stream.room() }
        cancelled.cancel()
        let error = await #expect(throws: SternaError.self) { try await cancelled.value }
        expectEqual(error?.kind, .cancelled)
        start.open()
        try await waiting.value
        #expect(await eventually { stream.hasRoom })
        stream.cancel()
    }

    @Test("A handler receives what has come already, what comes later, and the end")
    func handler() async throws {
        let gate = Gate()
        let stream = MockDuplex(clock: .system) { stream in
            try await stream.write("a")
            await gate.wait()
            try await stream.write("b")
        }
        let handler = Handler()
        stream.deliver(to: handler)
        #expect(await eventually { handler.text == "a" })
        #expect(!handler.hasEnded)
        gate.open()
        #expect(await eventually { handler.hasEnded })
        expectEqual(handler.text, "ab")
        expectNil(handler.errorKind)
        let error = await #expect(throws: SternaError.self) {
            let busy = MockDuplex(clock: .system) { _ = try await $0.read() }
            busy.deliver(to: handler)
            _ = try await busy.next()
        }
        expectEqual(error?.kind, .invalidRequest)
    }

    @Test("A handler that pauses receives the next piece after it resumes")
    func pausing() async throws {
        let written = Gate()
        let stream = MockDuplex(clock: .system) { stream in
            for text in ["a", "b", "c"] { try await stream.write(text) }
            written.open()
        }
        await written.wait()
        let handler = Handler(pauses: true)
        stream.deliver(to: handler)
        #expect(await eventually { handler.pieces == 1 })
        for expected in ["ab", "abc"] {
            stream.resumeReading()
            #expect(await eventually { handler.text == expected })
            #expect(!handler.hasEnded)
        }
        stream.resumeReading()
        #expect(await eventually { handler.hasEnded })
    }

    @Test("A reset of the closure fails the client's read", arguments: [true, false])
    func reset(throwing: Bool) async throws {
        let stream = MockDuplex(clock: .system) { stream in
            _ = try await stream.read()
            if throwing { throw ServerStreamReset.internalError }
            await stream.reset()
        }
        let reading = Task { try await stream.next() }
        stream.put(Bytes(text: "go"))
        let error = await #expect(throws: SternaError.self) { try await reading.value }
        expectEqual(error?.kind, .connectionClosed)
    }

    enum Leaving: CaseIterable { case cancel, release }

    @Test("A client that cancels, or releases the stream, ends the closure", arguments: Leaving.allCases)
    func leaving(_ leaving: Leaving) async throws {
        let (began, ended) = (Gate(), Gate())
        var stream: MockDuplex? = MockDuplex(clock: .system) { stream in
            began.open()
            await #expect(throws: CancellationError.self) { try await stream.read() }
            await #expect(throws: (any Error).self) { try await stream.write("a") }
            ended.open()
        }
        await began.wait()
        if leaving == .cancel, let held = stream {
            held.cancel()
            let error = await #expect(throws: SternaError.self) { try await held.next() }
            expectEqual(error?.kind, .cancelled)
        }
        stream = nil
        await ended.wait()
    }

    @Test("Timers follow the clock")
    func timers() async throws {
        let time = TestClock()
        let stream = MockDuplex(clock: time.clock) { _ = try await $0.read() }
        let (fired, cancelled) = (Counter(), Counter())
        _ = stream.schedule(in: .seconds(5)) { fired.add() }
        let timer = stream.schedule(in: .seconds(5)) { cancelled.add() }
        timer.cancel()
        await time.advance(by: .seconds(4))
        expectEqual(fired.value, 0)
        await time.advance(by: .seconds(1))
        expectEqual(fired.value, 1)
        expectEqual(cancelled.value, 0)
    }
}
