import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The limit of a complete response head, on a clock of the test's own: ten seconds from the end of the request.
@Suite("The time for a response's head", .timeLimit(.minutes(5)))
struct HeadTimeoutTests {
    private func start(
        _ fake: FakeConnection, _ change: (inout Request) -> Void = { _ in }
    ) async throws -> Task<Response, any Error> {
        try await fake.start(total: .seconds(100_000)) {
            $0.timeouts.firstByte = .seconds(10)
            change(&$0)
        }
    }

    /// Sends a text one byte a second for as long as the connection is open; returns how many seconds that was.
    private func drip(_ fake: FakeConnection, _ text: String) async throws -> Int {
        var seconds = 0
        for byte in text {
            guard fake.isOpen else { return seconds }
            try await fake.receive(String(byte))
            await fake.advance(1)
            seconds += 1
        }
        return seconds
    }

    private func expectHeadTimeout(
        _ fake: FakeConnection, _ task: Task<Response, any Error>, location: SourceLocation = #_sourceLocation
    ) async {
        #expect(!fake.isOpen, sourceLocation: location)
        guard !fake.isOpen else { return task.cancel() }
        let error = await FakeConnection.error(task)
        expectEqual(error?.kind, .timedOut, sourceLocation: location)
        expectEqual(error?.phase, .read, sourceLocation: location)
        expectEqual(error?.detail.contains("10 s"), true, sourceLocation: location)
        expectEqual(error?.requestSent, true, sourceLocation: location)
    }

    private static let slow = "HTTP/1.1 200 OK\r\nX-Slow: " + String(repeating: "s", count: 100)

    @Test("A head of one byte a second ends within the first-byte time-out, and not before")
    func drip() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        try await expectEqual(drip(fake, Self.slow), 10)
        await expectHeadTimeout(fake, task)
    }

    @Test("The limit begins with the end of the request, not with the first byte")
    func lateStart() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        await fake.advance(7)
        #expect(fake.isOpen)
        try await expectEqual(drip(fake, Self.slow), 3)
        await expectHeadTimeout(fake, task)
    }

    @Test("A head that is complete in time is followed by a body of any duration")
    func slowBody() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-")
        await fake.advance(9)
        try await fake.receive("Length: 60\r\n\r\n")
        try await expectEqual(drip(fake, String(repeating: "b", count: 60)), 60)
        try await expectEqual(task.value.body.whole?.readableBytes, 60)
        #expect(fake.isOpen)
    }

    @Test("An interim response restarts the limit, followed at once or not", arguments: ["", "HTTP/1.1 2"])
    func interim(next: String) async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        await fake.advance(8)
        try await fake.receive("HTTP/1.1 103 Early Hints\r\n\r\n\(next)")
        await fake.advance(8)
        #expect(fake.isOpen)
        try await fake.receive(next.isEmpty ? "H" : "0")
        await fake.advance(1)
        #expect(fake.isOpen)
        await fake.advance(1)
        await expectHeadTimeout(fake, task)
    }

    @Test("The limit of a head that begins while the request is sent starts at its first byte")
    func whileSending() async throws {
        let fake = try await FakeConnection()
        let gate = Counter()
        let pieces = Counter()
        let producer = BodyProducer(length: nil, isReplayable: false) {
            {
                if pieces.add() == 2 { _ = await eventually { gate.value > 0 } }
                return pieces.value > 3 ? nil : Bytes(repeating: 7, count: 1_000)
            }
        }
        let task = try await start(fake) {
            $0.method = .post
            $0.body = Body(segments: [.producer(producer)])
        }
        #expect(await eventually { pieces.value == 2 })
        await fake.advance(100)
        #expect(fake.isOpen)
        try await expectEqual(drip(fake, Self.slow), 10)
        gate.add()
        await expectHeadTimeout(fake, task)
    }

    @Test("A slow head does not shorten the limit of the next one on its connection")
    func reused() async throws {
        let fake = try await FakeConnection()
        let first = try await start(fake)
        try await fake.receive("HTTP/1.1 200 OK\r\n")
        await fake.advance(9)
        try await fake.receive("Content-Length: 0\r\n\r\n")
        try await expectEqual(first.value.status, .ok)
        let second = try await start(fake)
        await fake.advance(9)
        try await fake.receive("HTTP/1.1 204 No Content\r\n\r\n")
        try await expectEqual(second.value.status, .noContent)
        #expect(fake.isOpen)
    }
}
