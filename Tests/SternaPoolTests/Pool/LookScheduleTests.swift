import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Many time-outs one after the other do not cost a look at all requests each.
@Suite("Pool: checks of time limits", .timeLimit(.minutes(5)))
struct LookScheduleTests {
    @Test(arguments: [(0, 0), (1, 0), (256, 0), (10_000, 10_000_000), (.max, .max)] as [(Int, Int64)])
    func distance(count: Int, distance: Int64) {
        expectEqual(LookSchedule.distance(for: count), distance)
    }

    @Test("Four thousand requests run out of time, 100 us apart")
    func staggered() async throws {
        let count = 4_000
        let fake = try await FakeConnection()
        // It has the only connection.
        let held = try await fake.start()
        let (shard, loop) = (fake.shard, fake.loop)
        let start = loop.now
        let tasks = (1...count).map { number in
            Task {
                var request = Request(.get, fake.url)
                request.timeouts.queue = .seconds(3_600)
                let exchange = Exchange(
                    request, endpoint: fake.endpoint, shard: shard, hasReservation: false,
                    deadline: start + .microseconds(1_000_000 + Int64(number) * 100))
                return try await withUnsafeThrowingContinuation { exchange.begin($0) } as Response
            }
        }
        while fake.endpoint.change({ $0.line.count }) < count { await Task.yield() }
        await loop.advanceTime(by: .seconds(2))
        for task in tasks {
            let error = await FakeConnection.error(task)
            expectEqual(error?.kind, .timedOut)
        }
        let looked = try await loop.executeInContext { shard.counts.looked }
        // A look at all for each would be eight million.
        #expect(looked < 1_000_000, "\(looked)")
        let rest = try await loop.executeInContext { shard.active.count }
        expectEqual(rest, 1)
        #expect(fake.endpoint.change { $0.line.isEmpty })
        try await fake.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try await held.value
    }
}
