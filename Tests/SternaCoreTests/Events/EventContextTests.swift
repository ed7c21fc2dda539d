import HTTPTypes
import Synchronization
import Testing

@testable import SternaCore
@testable import SternaTestSupport

/// What observers capture where calls are made.
@Suite("Events: contexts")
struct EventContextTests {
    private final class Context: EventContext {
        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock { $0 } }

        private func add(_ line: String) { kept.withLock { $0.append(line) } }

        func attemptBegan(_ number: Int, _ request: Request) { add("attempt \(number) \(request.url.path)") }
        func received(_ response: Response, body: Bytes?) { add("received \(response.status.code)") }
        func failed(_ error: SternaError) { add("failed \(error.kind)") }
    }

    private func source(_ context: Context?, standing: SternaEvent.Families = []) -> EventSource {
        let observer = EventObserver(
            .all, standing: standing, capture: { family in family == .network ? context : nil }, { _ in })
        return EventSource([observer], capacity: 100)
    }

    @Test("An observer that captures decides for each call; only its standing families are wanted in any case")
    func decides() {
        let context = Context()
        let some = source(context, standing: .transfers)
        #expect(some.context(for: .network) === context && some.context(for: .tasks) == nil)
        #expect(some.wants(.transfers) && !some.wants(.network) && !some.wants(.tasks))
        #expect(source(nil).context(for: .network) == nil)
        #expect(EventSource([EventObserver { _ in }], capacity: 1).context(for: .network) == nil)
    }

    @Test("A source below another one captures by its own observers")
    func below() {
        let context = Context()
        let upper = source(context)
        #expect(EventSource([], below: upper).context(for: .network) == nil)
        #expect(EventSource(adding: [], below: upper).context(for: .network) === context)
    }

    @Test("The contexts of several observers all receive what happens; each observer finds its own")
    func several() throws {
        final class Other: EventContext {
            let ends = Mutex<[Int]>([])
            let begun = Mutex<[String]>([])

            func requestBegan(_ request: Request) { begun.withLock { $0.append(request.url.path) } }
            func attemptBegan(_ number: Int, _ request: Request) {}
            func received(_ response: Response, body: Bytes?) {}
            func failed(_ error: SternaError) {}
            func ended(_ metrics: RequestMetrics, in buffer: EventBuffer) {
                ends.withLock { $0.append(metrics.attempts.count) }
            }
        }
        let (context, other) = (Context(), Other())
        let contexts: [any EventContext] = [context, other]
        let observers = contexts.map { context in
            EventObserver(.all, standing: [], capture: { $0 == .network ? context : nil }, { _ in })
        }
        let events = EventSource(observers, capacity: 100)
        #expect(events.context(for: .tasks) == nil)
        let group = try #require(events.context(for: .network))
        #expect(group.find(Context.self) === context && group.find(Other.self) === other)
        #expect(context.find(Context.self) === context && context.find(Other.self) == nil)
        let request = Request(.get, try HTTPURL("https://a.test/b"))
        let recorder = MetricsRecorder(ObservedCall(id: 7, request, context: group), events: events)
        recorder.requestBegan(request)
        _ = recorder.attemptBegan(request)
        recorder.requestEnded(.cancelled(phase: .wait))
        expectEqual(context.lines, ["attempt 1 /b", "failed cancelled"])
        expectEqual(other.begun.withLock { $0 }, ["/b"])
        expectEqual(other.ends.withLock { $0 }, [1])
    }

    @Test("A call's attempts and failure reach its context; the engine's own repeats do not, nor a second end")
    func recorder() throws {
        let context = Context()
        let request = Request(.get, try HTTPURL("https://a.test/"))
        let recorder = MetricsRecorder(ObservedCall(id: 7, request, context: context), events: source(context))
        _ = recorder.attemptBegan(request)
        _ = recorder.attemptBegan(request, reason: .staleConnection)
        _ = recorder.attemptBegan(request)
        recorder.requestEnded(.cancelled(phase: .wait))
        recorder.requestEnded(SternaError(.timedOut, phase: .wait, "Late."))
        expectEqual(context.lines, ["attempt 1 /", "attempt 3 /", "failed cancelled"])
    }
}
