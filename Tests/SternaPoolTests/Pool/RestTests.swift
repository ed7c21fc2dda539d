import HTTPTypes
import NIOCore
import NIOEmbedded
import Sterna
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Short waits for a connection that is about to be free, in time of the test's own. A request that fails to look the host up has
/// left for another connection.
@Suite("Pool: rests", .timeLimit(.minutes(5)))
struct RestTests {
    private struct NoResolver: HostResolver {
        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            throw SternaError(.hostNotFound, phase: .resolve, "Nothing is looked up here.")
        }
    }

    private func makeFake() async throws -> FakeConnection {
        var options = EngineOptions()
        options.resolver = NoResolver()
        return try await FakeConnection(options: options)
    }

    static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    /// Sends a HEAD, which is answered.
    private func head(_ fake: FakeConnection) async throws {
        let task = try await fake.start { $0.method = .head }
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        try await expectEqual(task.value.status.code, 200)
    }

    /// Makes the origin one that sends nothing behind its responses to HEAD.
    private func trust(_ fake: FakeConnection) async throws {
        for _ in 0..<3 {
            try await head(fake)
            await fake.loop.advanceTime(by: .milliseconds(5))
        }
    }

    private func conduct(_ fake: FakeConnection) -> HeadConduct.Step { fake.endpoint.headConduct.withLock { $0.next } }

    /// Finishes a request that has been written.
    private func answer(_ fake: FakeConnection, _ task: Task<Response, any Error>) async throws {
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
        try await expectEqual(task.value.body.whole?.text, "next")
    }

    /// Sees a request leave for a connection that cannot be opened.
    private func expectDial(_ fake: FakeConnection, _ task: Task<Response, any Error>, attempt: Int = 1) async throws {
        let isOver = Counter()
        let error = Task {
            defer { isOver.add() }
            return await FakeConnection.error(task)
        }
        #expect(
            await eventually {
                await fake.loop.run()
                return isOver.value == 1
            })
        let known = await error.value
        expectEqual(known?.kind, .hostNotFound)
        expectEqual(known?.attempt, attempt)
        #expect(!fake.isOpen)
    }

    @Test("After HEAD the next request waits for a silent rest, three times")
    func silence() async throws {
        let fake = try await makeFake()
        for number in 0..<5 {
            try await head(fake)
            let task: Task<Response, any Error>
            if number < 3 {
                task = fake.begin()
                #expect(await eventually { fake.endpoint.hasWaiters })
                await fake.loop.advanceTime(by: .microseconds(4_999))
                try await expectNil(fake.channel.readOutbound(as: ByteBuffer.self))
                await fake.loop.advanceTime(by: .microseconds(1))
                _ = try await fake.channel.waitForOutboundWrite(as: ByteBuffer.self)
            } else {
                task = try await fake.start()
            }
            try await answer(fake, task)
        }
        expectEqual(conduct(fake), .reuse)
        #expect(fake.isOpen)
    }

    @Test(
        "Content after a HEAD ends the connection, and does not affect the waiting request",
        arguments: [whole, "content", "H"])
    func content(text: String) async throws {
        let fake = try await makeFake()
        try await head(fake)
        let task = fake.begin()
        #expect(await eventually { fake.endpoint.hasWaiters })
        await fake.loop.advanceTime(by: .milliseconds(2))
        try await fake.receive(text)
        try await expectDial(fake, task)
        expectEqual(conduct(fake), .close)
    }

    @Test("Content together with the response to HEAD does the same", arguments: [whole, "content"])
    func atOnce(text: String) async throws {
        let fake = try await makeFake()
        try await trust(fake)
        let task = try await fake.start { $0.method = .head }
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + text)
        try await expectEqual(task.value.status.code, 200)
        #expect(!fake.isOpen)
        expectEqual(conduct(fake), .close)
    }

    @Test("Once an origin has sent content, its connection closes after each HEAD")
    func known() async throws {
        let fake = try await makeFake()
        fake.endpoint.headConduct.withLock { $0.sentContent() }
        try await head(fake)
        #expect(!fake.isOpen)
    }

    @Test("Content that comes late makes the connection stale: a GET goes to a fresh one")
    func lateGet() async throws {
        let fake = try await makeFake()
        try await trust(fake)
        try await head(fake)
        let task = try await fake.start()
        try await fake.receive("<html>content of the HEAD</html>")
        try await expectDial(fake, task, attempt: 2)
        expectEqual(conduct(fake), .close)
    }

    @Test("After late content a POST fails, and its message names the HEAD")
    func latePost() async throws {
        let fake = try await makeFake()
        try await trust(fake)
        try await head(fake)
        let task = try await fake.start {
            $0.method = .post
            $0.body = .text("x")
        }
        try await fake.receive("{}")
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .malformedResponse)
        expectEqual(error?.requestSent, true)
        #expect(error?.message.contains("HEAD") == true)
        #expect(!fake.isOpen)
        expectEqual(conduct(fake), .close)
    }

    @Test("Only the request after a HEAD is resent, and only for the first bytes", arguments: [true, false])
    func others(begins: Bool) async throws {
        let fake = try await makeFake()
        try await trust(fake)
        try await head(fake)
        var task = try await fake.start()
        if begins {
            try await fake.receive("HTTP/1.1 103 Early Hints\r\n\r\n")
        } else {
            try await answer(fake, task)
            task = try await fake.start()
        }
        try await fake.receive("content")
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .malformedResponse)
        #expect(error?.message.contains("HEAD") == false)
        expectEqual(conduct(fake), .reuse)
    }

    @Test("A response that ends an idle connection does not count as content", arguments: [true, false])
    func idle(isResponse: Bool) async throws {
        let fake = try await makeFake()
        try await trust(fake)
        try await fake.receive(isResponse ? "HTTP/1.1 408 Request Timeout\r\n\r\n" : "content")
        #expect(!fake.isOpen)
        expectEqual(conduct(fake), isResponse ? .reuse : .close)
    }

    @Test("A resting connection is closed with the idle ones")
    func closed() async throws {
        let fake = try await makeFake()
        try await head(fake)
        try await fake.loop.executeInContext { fake.shard.closeIdle() }
        await fake.loop.run()
        #expect(!fake.isOpen)
        await fake.advance(1)
        expectEqual(fake.endpoint.permits.open(of: fake.endpoint), 0)
        expectEqual(fake.endpoint.pools[0].expectedCount, 0)
        expectEqual(conduct(fake), .rest)
    }

    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let repeats: Bool
        var after = 2
        var isFurtherAttempt = true
        var change: @Sendable (inout Request) -> Void = { _ in }
    }

    static let losses: [Loss] = [
        Loss(testDescription: "soon", repeats: true), Loss(testDescription: "after 100 ms", repeats: true, after: 100),
        Loss(testDescription: "after 101 ms", repeats: false, after: 101),
        Loss(testDescription: "no further request of a call", repeats: false, isFurtherAttempt: false),
        Loss(testDescription: "PATCH", repeats: true) { $0.method = .patch },
        Loss(testDescription: "forbidden", repeats: false) { $0.options[ResendsNonIdempotentKey.self] = false },
        Loss(testDescription: "a body that is read once", repeats: false) {
            $0.body = Body(segments: [.producer(BodyProducer(length: nil, isReplayable: false) { { nil } })])
        },
    ]

    @Test(
        "A POST whose connection closes soon after the response before it goes to a fresh one, once", arguments: losses)
    func post(loss: Loss) async throws {
        let fake = try await makeFake()
        try await answer(fake, fake.start())
        let task = fake.begin(isFurtherAttempt: loss.isFurtherAttempt) {
            $0.method = .post
            $0.body = .text("x")
            loss.change(&$0)
        }
        _ = try await fake.channel.waitForOutboundWrite(as: ByteBuffer.self)
        await fake.loop.advanceTime(by: .milliseconds(Int64(loss.after)))
        fake.channel.close(promise: nil)
        if loss.repeats { return try await expectDial(fake, task, attempt: 2) }
        await fake.loop.run()
        let error = await FakeConnection.error(task)
        #expect(error?.kind == .connectionClosed || error?.kind == .writeFailed)
        expectEqual(error?.attempt, 1)
    }
}
