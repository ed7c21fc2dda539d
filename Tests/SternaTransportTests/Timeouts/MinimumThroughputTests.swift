import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// The least speed of a body, on a clock of the test's own: 1,000 bytes a second over 10 s.
@Suite("Minimum throughput", .timeLimit(.minutes(5)))
struct MinimumThroughputTests {
    private func start(
        _ fake: FakeConnection, delivery: Request.Delivery = .whole, _ change: (inout Request) -> Void = { _ in }
    ) async throws -> Task<Response, any Error> {
        try await fake.start(total: .seconds(100_000), delivery: delivery) {
            $0.timeouts.minimumThroughput = .init(bytesPerSecond: 1_000, over: .seconds(10))
            change(&$0)
        }
    }

    private func head(_ length: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" }

    /// Sends a number of bytes each second, for as long as the connection is open; returns how many seconds that was.
    private func drip(_ fake: FakeConnection, bytes: Int, seconds: Int) async throws -> Int {
        let piece = String(repeating: "d", count: bytes)
        for second in 0..<seconds {
            guard fake.isOpen else { return second }
            if bytes > 0 { try await fake.receive(piece) }
            await fake.advance(1)
        }
        return seconds
    }

    @Test("10 bytes per second fail when the window is over, and not before", arguments: [false, true])
    func slow(isStreamed: Bool) async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, delivery: isStreamed ? .head : .whole)
        try await fake.receive(head(90_000))
        let seconds = try await drip(fake, bytes: 10, seconds: 40)
        #expect((9...20).contains(seconds))
        #expect(!fake.isOpen)
        let error: SternaError?
        if isStreamed {
            let response = try await task.value
            error = await #expect(throws: SternaError.self) { for try await _ in response.body {} }
        } else {
            error = await FakeConnection.error(task)
        }
        expectEqual(error?.kind, .timedOut)
        expectEqual(error?.phase, .read)
        expectEqual(error?.status, 200)
        expectEqual(error?.detail.contains("1000 bytes per second"), true)
    }

    @Test("A transfer that is fast enough completes")
    func quick() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        try await fake.receive(head(120_000))
        try await expectEqual(drip(fake, bytes: 1_200, seconds: 100), 100)
        try await expectEqual(task.value.body.whole?.readableBytes, 120_000)
        #expect(fake.isOpen)
    }

    @Test("The average counts, not each second")
    func bursts() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        try await fake.receive(head(200_000))
        for _ in 0..<10 {
            try await expectEqual(drip(fake, bytes: 0, seconds: 9), 9)
            try await fake.receive(String(repeating: "b", count: 20_000))
            await fake.advance(1)
        }
        try await expectEqual(task.value.body.whole?.readableBytes, 200_000)
    }

    @Test("A transfer that becomes slow fails")
    func slowing() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        try await fake.receive(head(200_000))
        try await expectEqual(drip(fake, bytes: 2_000, seconds: 30), 30)
        #expect(try await drip(fake, bytes: 100, seconds: 40) <= 20)
        #expect(!fake.isOpen)
        await expectEqual(FakeConnection.error(task)?.phase, .read)
    }

    @Test("A long wait for the first byte does not count once the response has begun")
    func slowToBegin() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake)
        await fake.advance(50)
        try await fake.receive(head(60_000))
        try await expectEqual(drip(fake, bytes: 1_200, seconds: 50), 50)
        try await expectEqual(task.value.body.whole?.readableBytes, 60_000)
    }

    @Test("A slow body after a long wait fails within its window, not by the limit between bytes")
    func slowAfterWait() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake) { $0.timeouts.firstByte = .seconds(600) }
        await fake.advance(15)
        try await fake.receive(head(90_000))
        #expect(try await drip(fake, bytes: 10, seconds: 100) <= 25)
        #expect(!fake.isOpen)
        guard !fake.isOpen else { return task.cancel() }
        await expectEqual(FakeConnection.error(task)?.kind, .timedOut)
    }

    @Test("A reader's pause does not count, neither during it nor later")
    func pausedReader() async throws {
        let fake = try await FakeConnection()
        let task = try await start(fake, delivery: .head)
        let piece = String(repeating: "p", count: 200_000)
        try await fake.receive(head(900_000) + piece)
        let response = try await task.value
        try await fake.receive(piece)
        try await fake.loop.executeInContext { fake.channel.pipeline.read() }
        await fake.advance(2_000)
        #expect(fake.isOpen)
        var iterator = response.body.makeAsyncIterator()
        var count = 0
        while count < 400_000, let chunk = try await iterator.next() { count += chunk.readableBytes }
        await fake.loop.run()
        try await expectEqual(drip(fake, bytes: 2_000, seconds: 80), 80)
        #expect(fake.isOpen)
    }

    @Test("A pause of a body's source does not count, neither during it nor later")
    func pausedSource() async throws {
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
        await fake.advance(2_000)
        #expect(fake.isOpen)
        gate.add()
        let isSent = await eventually {
            await fake.loop.run()
            return pieces.value > 3
        }
        #expect(isSent)
        await fake.loop.run()
        try await fake.receive(head(160_000))
        try await expectEqual(drip(fake, bytes: 2_000, seconds: 80), 80)
        try await expectEqual(task.value.body.whole?.readableBytes, 160_000)
    }

    @Test("Without a minimum a slow body may take forever")
    func none() async throws {
        let fake = try await FakeConnection()
        let task = try await fake.start(total: .seconds(100_000))
        try await fake.receive(head(1_000))
        try await expectEqual(drip(fake, bytes: 1, seconds: 900), 900)
        #expect(fake.isOpen)
        task.cancel()
    }

    @Test("Windows are at least a second and at most an hour")
    func windows() {
        var least = Timeouts.Throughput(bytesPerSecond: 1)
        expectEqual(least.window, .seconds(30))
        for (given, kept) in [
            (Duration.zero, Duration.seconds(1)), (.seconds(7), .seconds(7)), (.seconds(1 << 40), .seconds(3_600)),
        ] {
            least.window = given
            expectEqual(least.window, kept)
        }
        var one = Timeouts()
        one.minimumThroughput = least
        #expect(one != Timeouts())
        one.connect = .seconds(1)
        expectEqual(one.minimumThroughput, least)
    }
}
