import Dispatch
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

extension EventLog {
    /// The numbers of calls that have begun and ended, once they are delivered.
    fileprivate func counts(of api: Session) async -> [Int] {
        await api.flushEvents()
        let names = events.map(\.kind.name)
        return ["requestBegan", "requestEnded"].map { name in names.count { $0 == name } }
    }
}

@Suite("Callbacks: events of calls", .timeLimit(.minutes(5)))
struct CallbackObserverTests {
    @Test("A request begins once and ends once, however it ends")
    func ends() async throws {
        let tally = EventLog(.network)
        let mock = MockTransport { request in .json([:], status: request.url.path.hasSuffix("/404") ? 404 : 200) }
        let (api, _) = try mocked(by: mock) {
            $0.events.observers = [tally.observer]
            $0.callbacks = .queue(DispatchQueue(label: "test"))
        }
        let log = CallbackLog<JSON>()
        api.get("a", success: log.onSuccess, failure: log.onFailure)
        await log.wait()
        await expectEqual(tally.counts(of: api), [1, 1])
        api.get("404", success: log.onSuccess, failure: log.onFailure)
        await log.wait(ends: 2)
        await expectEqual(tally.counts(of: api), [2, 2])
        let task = try #require(api.get("a", success: log.onSuccess, failure: log.onFailure))
        task.cancel()
        await log.wait(ends: 3)
        await expectEqual(tally.counts(of: api), [3, 3])
        expectEqual(log.values.count + log.errors.count, 3)
    }

    @Test("A request that cannot be built has as many ends as begins")
    func unmade() async throws {
        let tally = EventLog(.network)
        let (api, _) = try mocked {
            $0.events.observers = [tally.observer]
            $0.callbacks = .queue(DispatchQueue(label: "test"))
        }
        let log = CallbackLog<JSON>()
        let task = api.get("http://[", success: log.onSuccess, failure: log.onFailure)
        expectNil(task)
        await log.wait()
        let counts = await tally.counts(of: api)
        expectEqual(counts.first, counts.last)
    }
}
