import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A total outage of an origin.
@Suite("Retries: an outage", .timeLimit(.minutes(5)))
struct RetryOutageTests {
    @Test("A thousand calls cause at most a fifth more requests, and the floor", arguments: [true, false])
    func outage(atOnce: Bool) async throws {
        let scene = RetryScene()
        let (api, mock) = try scene.make { _, _ in throw RetryScene.closed }
        let before = scene.time.now
        _ = try await scene.run {
            if atOnce {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<1_000 { group.addTask { _ = try? await api.get("a") } }
                }
            } else {
                for _ in 0..<1_000 { _ = try? await api.get("a") }
            }
        }
        let budget = RetryBudget()
        let windows = Double((scene.time.now - before).nanoseconds) / 1e9 / (budget.window / .seconds(1))
        let floor = Double(budget.floor) * (1 + windows)
        let more = Double(mock.requests.count - 1_000)
        #expect(more <= 200 + floor.rounded(.up), "\(more) in \(windows) windows")
        #expect(more >= Double(budget.floor))
    }

    @Test("Another origin is not held back, and a derived session shares the budget")
    func origins() async throws {
        let scene = RetryScene()
        let (api, mock) = try scene.make({
            $0.network.allowsOtherOrigins = true
            $0.retry.budget = RetryBudget(share: 0, floor: 1, window: .seconds(86_400))
        }) { _, _ in throw RetryScene.closed }
        let derived = api.with { $0.headers["X-Own"] = "1" }
        _ = try await scene.run {
            for (session, url) in [(api, "a"), (derived, "b"), (derived, "https://other.example.com/c")] {
                _ = try? await session.get(url)
            }
        }
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/v1/a", "/v1/b", "/c", "/c"])
    }
}
