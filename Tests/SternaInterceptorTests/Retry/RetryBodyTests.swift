import Dispatch
import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Retries of requests whose body can be read only once: the closure `needNewBody`.
@Suite("Retries: new bodies", .timeLimit(.minutes(5)))
struct RetryBodyTests {
    private let scene = RetryScene()

    /// The bodies that arrived.
    private final class Arrived: Sendable {
        private let list = Mutex<[String]>([])

        var texts: [String] { list.withLock { $0 } }

        func read(_ request: Request) async throws {
            guard let body = request.body else { return }
            var text = ""
            var reader = BodyReader(body)
            while let piece = try await reader.next() { text += piece.text }
            list.withLock { [text] in $0.append(text) }
        }
    }

    private static func once(_ text: String) -> Body {
        .stream(
            AsyncStream<Bytes> {
                $0.yield(Bytes(text: text))
                $0.finish()
            })
    }

    @Test(
        "A retry asks for a new body, each time one was read, and for none that can be read again",
        arguments: [false, true])
    func asked(isReplayable: Bool) async throws {
        let (arrived, log) = (Arrived(), TaskEventLines())
        let asked = Mutex(0)
        let (api, _) = try scene.make({
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
            $0.events.observers = [log.observer()]
            var decisions = TaskDecisions()
            decisions.needNewBody = { _, _ in
                let number = asked.withLock { number in
                    number += 1
                    return number
                }
                return isReplayable ? .bytes(Array("new \(number)".utf8)) : Self.once("new \(number)")
            }
            $0.tasks.decisions = decisions
        }) { request, number in
            try await arrived.read(request)
            guard number == 2 else { throw RetryScene.closed }
            return .json([:])
        }
        let task = api.dataTask(RequestDraft(.put, "a", body: Self.once("first")))
        _ = try await scene.run { try await task.value }
        expectEqual(arrived.texts, ["first", "new 1", isReplayable ? "new 1" : "new 2"])
        #expect(await eventually { log.lines("taskCompleted").count == 1 })
        expectEqual(log.lines("newBodyNeeded").count, (isReplayable ? 1 : 2))
    }

    @Test("Without a new body the outcome is the caller's", arguments: [false, true])
    func none(isResponse: Bool) async throws {
        let asked = Mutex(0)
        let (api, mock) = try scene.make({
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
            var decisions = TaskDecisions()
            decisions.needNewBody = { _, _ in
                asked.withLock { $0 += 1 }
                return nil
            }
            $0.tasks.decisions = decisions
        }) { _, _ in
            guard isResponse else { throw RetryScene.closed }
            return RetryScene.later("1")
        }
        let task = api.dataTask(RequestDraft(.put, "a", body: Self.once("first")))
        let error = try await scene.run { await #expect(throws: SternaError.self) { try await task.value } }
        expectEqual(error?.kind, (isResponse ? .unacceptableStatus : .connectionClosed))
        expectEqual(mock.requests.count, 1)
        expectEqual(asked.withLock { $0 }, 1)
    }

    @Test("No new body is requested for a retry that method, limit or time exclude", arguments: 0..<3)
    func notAsked(reason: Int) async throws {
        let asked = Mutex(0)
        let (api, mock) = try scene.make({
            $0.callbacks = .queue(DispatchQueue(label: "decisions"))
            if reason == 1 { $0.retry = .none }
            var decisions = TaskDecisions()
            decisions.needNewBody = { _, _ in
                asked.withLock { $0 += 1 }
                return nil
            }
            $0.tasks.decisions = decisions
        }) { _, _ in RetryScene.later("20") }
        let draft = RequestDraft(reason == 0 ? .post : .put, "a", body: Self.once("first")) {
            if reason == 2 { $0.timeouts.total = .seconds(10) }
        }
        let task = api.dataTask(draft)
        _ = try await scene.run { await #expect(throws: SternaError.self) { try await task.value } }
        expectEqual(mock.requests.count, 1)
        expectEqual(asked.withLock { $0 }, 0)
    }
}
