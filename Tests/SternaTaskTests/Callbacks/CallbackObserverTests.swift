import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Counts the begins and the ends of requests.
private final class Tally: NetworkObserver {
    private let counts = Mutex((began: 0, ended: 0))

    var began: Int { counts.withLock { $0.began } }
    var ended: Int { counts.withLock { $0.ended } }

    func requestBegan(_ request: ObservedRequest) { counts.withLock { $0.began += 1 } }
    func requestEnded(_ request: ObservedRequest, _ metrics: RequestMetrics) { counts.withLock { $0.ended += 1 } }
}

@Suite("Callbacks: observers", .timeLimit(.minutes(5)))
struct CallbackObserverTests {
    @Test("A request begins once and ends once, however it ends")
    func ends() async throws {
        let tally = Tally()
        let mock = MockTransport { request in .json([:], status: request.url.path.hasSuffix("/404") ? 404 : 200) }
        let (api, _) = try mocked(by: mock) {
            $0.observer = tally
            $0.callbacks = .queue(DispatchQueue(label: "test"))
        }
        let log = CallbackLog<JSON>()
        api.get("a", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        expectEqual(tally.began, 1)
        expectEqual(tally.ended, 1)
        api.get("404", success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 2)
        expectEqual(tally.began, 2)
        expectEqual(tally.ended, 2)
        let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
        task.cancel()
        await log.wait(ends: 3)
        expectEqual(tally.began, 3)
        expectEqual(tally.ended, 3)
        expectEqual(log.values.count + log.errors.count, 3)
    }

    @Test("One that cannot be made has no begin without an end")
    func unmade() async throws {
        let tally = Tally()
        let (api, _) = try mocked {
            $0.observer = tally
            $0.callbacks = .queue(DispatchQueue(label: "test"))
        }
        let log = CallbackLog<JSON>()
        let task = api.get("http://[", success: log.onSuccess, failure: log.onFailure)
        expectNil(task)
        await log.wait()
        expectEqual(tally.began, tally.ended)
    }
}
