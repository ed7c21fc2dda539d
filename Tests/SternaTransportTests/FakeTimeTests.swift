import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import SternaSecurity
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The time-outs to the second, on a clock of the test's own.
@Suite("Time-outs on a fake clock", .timeLimit(.minutes(5)))
struct FakeTimeTests {
    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

    @Test("The first-byte time-out of 60 s")
    func firstByte() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start()
        await fake.advance(59)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .wait)
    }

    @Test("60 s between bytes, restarted by each")
    func betweenBytes() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start()
        await fake.advance(50)
        try await fake.receive(Self.head)
        for _ in 0..<5 {
            await fake.advance(59)
            #expect(fake.isOpen)
            try await fake.receive("x")
        }
        await fake.advance(59)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
        expectEqual(error?.status, 200)
    }

    @Test("A short time-out between bytes applies after a long one to the first")
    func shortAfterLong() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start {
            $0.timeouts.firstByte = .seconds(1_000)
            $0.timeouts.betweenBytes = .seconds(10)
        }
        await fake.advance(500)
        try await fake.receive(Self.head + "half")
        await fake.advance(9)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        guard !fake.isOpen else { return task.cancel() }
        await expectEqual(FakeConnection.error(task)?.phase, .read)
    }

    @Test("A head that stops midway fails by the time-out between bytes")
    func halfHead() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start {
            $0.timeouts.firstByte = .seconds(1_000)
            $0.timeouts.betweenBytes = .seconds(10)
        }
        await fake.advance(500)
        try await fake.receive("HTTP/1.1 200 OK\r\nX-Ha")
        await fake.advance(10)
        #expect(!fake.isOpen)
        await fake.advance(1_000)
        await expectEqual(FakeConnection.error(task)?.phase, .read)
    }

    @Test("The total time-out applies, however fast the response is")
    func total() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start(total: .seconds(100))
        try await fake.receive("HTTP/1.1 200 OK\r\n\r\n")
        for _ in 0..<9 {
            await fake.advance(11)
            try await fake.receive("x")
        }
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
    }

    @Test("An idle connection closes at its time and not before")
    func idle() async throws {
        let fake = try await FakeConnection()
        await fake.advance(49)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
    }

    @Test("Each use restarts the idle time")
    func idleAfterUse() async throws {
        let fake = try await FakeConnection()
        for _ in 0..<3 {
            await fake.advance(40)
            let task = try await fake.start()
            await fake.advance(20)
            try await fake.receive(Self.head + "0123456789")
            try await expectEqual(task.value.body.whole?.readableBytes, 10)
            #expect(fake.isOpen)
        }
        await fake.advance(49)
        #expect(fake.isOpen)
        await fake.advance(1)
        #expect(!fake.isOpen)
    }

    @Test("A streamed body that is not read fails only by the total time-out")
    func unread() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start(total: .seconds(5_000), delivery: .head)
        let piece = String(repeating: "p", count: 200_000)
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + piece)
        let response = try await task.value
        try await fake.receive(piece)
        try await fake.loop.executeInContext { fake.channel.pipeline.read() }
        await fake.advance(4_000)
        #expect(fake.isOpen)
        await fake.advance(1_000)
        #expect(!fake.isOpen)
        let error = await #expect(throws: SternaError.self) { for try await _ in response.body {} }
        expectEqual(error?.kind, .timedOut)
    }

    @Test(
        "A silent server times out even after its reader was slow",
        arguments: 1...4)
    func silentAfterPause(taken: Int) async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start(delivery: .head)
        let piece = String(repeating: "p", count: 70_000)
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + piece)
        let response = try await task.value
        for _ in 0..<3 { try await fake.receive(piece) }
        // As the event loop does when it has read.
        try await fake.loop.executeInContext { fake.channel.pipeline.read() }
        await fake.advance(1_000)
        #expect(fake.isOpen)
        var iterator = response.body.makeAsyncIterator()
        var count = 0
        for _ in 0..<taken { count += try await iterator.next()?.readableBytes ?? 0 }
        await fake.loop.run()
        try await fake.receive(piece)
        try await fake.loop.executeInContext { fake.channel.pipeline.read() }
        while count < 5 * piece.utf8.count, let chunk = try await iterator.next() { count += chunk.readableBytes }
        await fake.loop.run()
        await fake.advance(61)
        #expect(!fake.isOpen)
        guard !fake.isOpen else { return }
        let error = await #expect(throws: SternaError.self) { _ = try await iterator.next() }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
    }

    @Test("Bytes without a request end an idle connection", arguments: ["x", "HTTP/1.1 408 Request Timeout\r\n\r\n"])
    func unasked(text: String) async throws {
        let fake = try await FakeConnection()
        try await fake.receive(text)
        #expect(!fake.isOpen)
    }

    @Test("Nothing is read of a response once its body is released")
    func released() async throws {
        let fake = try await FakeConnection()
        do {
            let task = try await fake.start(delivery: .head)
            try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf")
            _ = try await task.value
        }
        let deadline = ContinuousClock.now + .seconds(15)
        while fake.isOpen, ContinuousClock.now < deadline { await fake.loop.run() }
        #expect(!fake.isOpen)
    }
}
