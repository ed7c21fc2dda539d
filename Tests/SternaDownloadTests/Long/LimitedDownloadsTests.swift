import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Downloads: one bandwidth limit for many", .timeLimit(.minutes(20)))
struct LimitedDownloadsTests {
    private static let rate = 20_000_000

    @Test("A hundred concurrent downloads stay within 5% of a limit, by a clock that stands still between their turns")
    func clock() async throws {
        let (count, size) = (100, 200_000)
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let time = TestClock()
                let limit = BandwidthLimit(download: Self.rate)
                var options = EngineOptions()
                options.clock = time.clock
                let api = try Downloading.session(server) {
                    $0.network.engine = Engine(options: options)
                    $0.limits.bandwidth = limit
                }
                let tasks = (0..<count).map { api.download("range/\(size)", to: .file("\(folder)/\($0)")) }
                try #require(await eventually { limit.downloads.waiterCount > 0 })
                let start = time.now
                // The last moment at which a download waited for its turn.
                var end = start
                while !tasks.allSatisfy(\.isFinished) {
                    let isSettled = await Self.settled {
                        limit.downloads.waiterCount == tasks.count { !$0.isFinished }
                    }
                    if limit.downloads.waiterCount > 0 { end = time.now }
                    // Others may wait for timers of the engine, or for the machine. As long as one download waits for its turn, a
                    // step that comes too early takes nothing from the limit.
                    await time.advance(by: isSettled ? .milliseconds(5) : .microseconds(250))
                }
                let taken = Double((end - start).nanoseconds) / 1e9
                for task in tasks {
                    try expectEqual(Downloading.bytes(try await task.value.path), Downloading.alphabet(size))
                }
                // The burst comes before the time begins.
                let expected = Double(count * size - Self.rate / 16) / Double(Self.rate)
                #expect(abs(taken / expected - 1) <= 0.05, "\(taken) s for what should take \(expected) s")
            }
        }
    }

    /// Waits a moment for a condition; returns whether it was met.
    private static func settled(_ isMet: () -> Bool) async -> Bool {
        for _ in 0..<20 {
            if isMet() { return true }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return isMet()
    }

    @Test("Downloads keep a limit by the system's clock", .enabled(if: LongTests.areOn, "Set STERNA_LONG_TESTS=1."))
    func system() async throws {
        let (count, size) = (100, 4_000_000)
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let api = try Downloading.session(server) {
                    $0.limits.bandwidth = BandwidthLimit(download: Self.rate)
                }
                let start = ContinuousClock.now
                let tasks = (0..<count).map { api.download("range/\(size)", to: .file("\(folder)/\($0)")) }
                for task in tasks { try await expectEqual(task.value.length, Int64(size)) }
                let taken = (ContinuousClock.now - start) / .seconds(1)
                let expected = Double(count * size) / Double(Self.rate)
                #expect(abs(taken / expected - 1) <= 0.05, "\(taken) s for what should take \(expected) s")
            }
        }
    }
}
