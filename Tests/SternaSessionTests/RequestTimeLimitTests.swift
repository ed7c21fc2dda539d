import Dispatch
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The limits of one request, above those of its session.
@Suite("Time limits of one request")
struct RequestTimeLimitTests {
    private func timeouts(_ configure: (inout RequestSettings) -> Void) async throws -> Timeouts {
        let (api, mock) = try mocked {
            $0.timeouts.connect = .seconds(11)
            $0.timeouts.total = .seconds(12)
            $0.timeouts.minimumThroughput = .init(bytesPerSecond: 13)
        }
        try await api.get("a", configure)
        return try #require(mock.requests.first).timeouts
    }

    @Test("Setting one limit keeps the session's others")
    func total() async throws {
        let timeouts = try await timeouts { $0.timeouts.total = .seconds(1) }
        expectEqual(timeouts.total, .seconds(1))
        expectEqual(timeouts.connect, .seconds(11))
        expectEqual(timeouts.minimumThroughput?.bytesPerSecond, 13)
        expectEqual(timeouts.firstByte, Timeouts().firstByte)
    }

    @Test("Without a setting the session's limits apply") func none() async throws {
        let timeouts = try await timeouts { _ in }
        expectEqual(timeouts.total, .seconds(12))
        expectEqual(timeouts.connect, .seconds(11))
    }

    @Test("Each limit can be set") func each() async throws {
        let limits: [(WritableKeyPath<Timeouts, Duration>, KeyPath<Timeouts, Duration>)] = [
            (\.queue, \.queue), (\.resolve, \.resolve), (\.connect, \.connect), (\.proxy, \.proxy), (\.tls, \.tls),
            (\.write, \.write), (\.firstByte, \.firstByte), (\.betweenBytes, \.betweenBytes), (\.total, \.total),
        ]
        for (index, limit) in limits.enumerated() {
            let timeouts = try await timeouts { $0.timeouts[keyPath: limit.0] = .seconds(100 + index) }
            for (other, path) in limits.enumerated() {
                expectEqual((timeouts[keyPath: path.1] == .seconds(100 + index)), (other == index))
            }
        }
    }

    @Test("The time-out of all steps, then that of one step") func steps() async throws {
        let timeouts = try await timeouts {
            $0.timeout = .seconds(3)
            $0.timeouts.firstByte = .seconds(30)
        }
        expectEqual(timeouts.connect, .seconds(3))
        expectEqual(timeouts.betweenBytes, .seconds(3))
        expectEqual(timeouts.firstByte, .seconds(30))
        expectEqual(timeouts.total, .seconds(12))
    }

    @Test("All limits at once, and limits calculated from the session's") func all() async throws {
        let whole = try await timeouts { $0.timeouts = Timeouts() }
        expectEqual(whole, Timeouts())
        let doubled = try await timeouts {
            $0.timeouts.total *= 2
            $0.timeouts.minimumThroughput?.bytesPerSecond *= 2
        }
        expectEqual(doubled.total, .seconds(24))
        expectEqual(doubled.connect, .seconds(11))
        expectEqual(doubled.minimumThroughput?.bytesPerSecond, 26)
        let one = try await timeouts { settings in
            settings.timeouts = Timeouts()
            settings.timeouts.total = .seconds(1)
        }
        expectEqual(one.total, .seconds(1))
        expectEqual(one.connect, Timeouts().connect)
    }

    @Test("A session's minimum throughput can be switched off") func speed() async throws {
        let timeouts = try await timeouts { $0.timeouts.minimumThroughput = nil }
        expectNil(timeouts.minimumThroughput)
    }

    @Test("A request with callbacks") func callback() async throws {
        let (api, mock) = try mocked { $0.callbacks = .queue(.global()) }
        await withCheckedContinuation { done in
            api.get("a", success: { _, _ in done.resume() }, failure: { _, _ in done.resume() }) {
                $0.timeouts.total = .seconds(1)
            }
        }
        expectEqual(mock.requests.first?.timeouts.total, .seconds(1))
    }
}
