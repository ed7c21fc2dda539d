import Dispatch
import HTTPTypes
import Synchronization
import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Events: the buffer and its observers", .timeLimit(.minutes(5)))
struct EventBufferTests {
    /// Writes events down.
    private final class Log: Sendable {
        private let all = Mutex<[String]>([])

        var lines: [String] { all.withLock { $0.map { $0 } } }
        func add(_ line: String) { all.withLock { $0.append(line) } }

        func observer(_ name: String = "", _ families: SternaEvent.Families = .all) -> EventObserver {
            EventObserver(families) { [self] in add("\(name)\($0)") }
        }
    }

    private func post(_ numbers: Range<Int>, to source: EventSource) {
        for number in numbers { source.post(SternaEvent(.dataReceived(bytes: number))) }
    }

    @Test("Observers are called in their order, with the events in theirs, of the families that each receives")
    func order() async {
        let log = Log()
        let source = EventSource(
            [log.observer("a "), log.observer("b ", .network), log.observer("c ", .tasks)], capacity: 100)
        source.post(SternaEvent(.requestBegan))
        source.post(SternaEvent(.taskResumed))
        source.post(SternaEvent(.transferStarted))
        await source.buffer.flush()
        expectEqual(
            log.lines, ["a requestBegan", "b requestBegan", "a taskResumed", "c taskResumed", "a transferStarted"])
    }

    @Test("A source wants what its observers receive, and nothing without them")
    func wanted() {
        let none = EventSource([], capacity: 1)
        #expect(!none.wants(.network) && !none.wants(.tasks) && !none.wants(.transfers))
        let some = EventSource([EventObserver(.tasks) { _ in }], below: none)
        #expect(some.wants(.tasks) && !some.wants(.network) && !none.wants(.tasks))
    }

    @Test("Beyond the capacity events are lost, and counted where they were")
    func full() async {
        let (log, gate) = (Log(), DispatchSemaphore(value: 0))
        let source = EventSource(
            [
                EventObserver { event in
                    if case .taskCreated = event.kind { gate.wait() }
                    log.add("\(event)")
                }
            ], capacity: 3)
        source.post(SternaEvent(.taskCreated(nil)))
        // The buffer is empty once the observer has that event.
        #expect(await eventually { !source.buffer.isFilled })
        post(0..<5, to: source)
        gate.signal()
        await source.buffer.flush()
        post(5..<6, to: source)
        await source.buffer.flush()
        expectEqual(
            log.lines,
            [
                "taskCreated", "dataReceived 0", "dataReceived 1", "dataReceived 2", "dropped 2", "dataReceived 5",
            ])
    }

    @Test("A slow observer holds up nobody who posts")
    func slow() async {
        let (seen, gate) = (Counter(), DispatchSemaphore(value: 0))
        let source = EventSource(
            [
                EventObserver { _ in
                    gate.wait()
                    gate.signal()
                    seen.add()
                }
            ], capacity: 10)
        post(0..<10_000, to: source)
        expectEqual(seen.value, 0)
        gate.signal()
        await source.buffer.flush()
        // Those that waited, and the number of the others; or one that was taken at once besides.
        #expect(seen.value >= 11 && seen.value <= 22)
    }

    @Test("A blocked observer holds up no other buffer")
    func independent() async {
        let (seen, gate) = (Counter(), DispatchSemaphore(value: 0))
        let blocked = (0..<8).map { _ in EventSource([EventObserver { _ in gate.wait() }], capacity: 10) }
        for source in blocked { post(0..<1, to: source) }
        #expect(await eventually { !blocked.contains { $0.buffer.isFilled } })
        let other = EventSource([EventObserver { _ in seen.add() }], capacity: 10)
        post(0..<1, to: other)
        await other.buffer.flush()
        expectEqual(seen.value, 1)
        for _ in blocked { gate.signal() }
    }

    @Test("Of sources that share a buffer, the observers of the one whose events were lost learn of it")
    func lost() async {
        let (log, gate) = (Log(), DispatchSemaphore(value: 0))
        let source = EventSource(
            [
                EventObserver { event in
                    if case .taskCreated = event.kind { gate.wait() }
                    log.add("a \(event)")
                }
            ], capacity: 1)
        let derived = EventSource([log.observer("b ")], below: source)
        source.post(SternaEvent(.taskCreated(nil)))
        #expect(await eventually { !source.buffer.isFilled })
        post(0..<1, to: source)
        post(1..<3, to: derived)
        source.buffer.afterDelivery { log.add("all delivered") }
        gate.signal()
        await source.buffer.flush()
        expectEqual(log.lines, ["a taskCreated", "a dataReceived 0", "b dropped 2", "all delivered"])
    }

    @Test("An observer that posts events itself")
    func again() async {
        let log = Log()
        let own = Mutex<EventSource?>(nil)
        let source = EventSource(
            [
                EventObserver { event in
                    log.add("\(event)")
                    if case .requestBegan = event.kind {
                        own.withLock { $0 }?.post(SternaEvent(.taskResumed))
                    }
                }
            ], capacity: 10)
        own.withLock { $0 = source }
        source.post(SternaEvent(.requestBegan))
        #expect(await eventually { log.lines == ["requestBegan", "taskResumed"] })
        own.withLock { $0 = nil }
    }

    @Test("Progress that was not delivered is replaced")
    func replaced() async {
        let (log, gate) = (Log(), DispatchSemaphore(value: 0))
        let source = EventSource(
            [
                EventObserver { event in
                    if case .taskCreated = event.kind { gate.wait() }
                    log.add("\(event.kind.name)")
                }
            ], capacity: 10)
        source.post(SternaEvent(.taskCreated(nil)))
        #expect(await eventually { !source.buffer.isFilled })
        let (first, second) = (EventSlot(), EventSlot())
        for count in 1...5 {
            source.post(SternaEvent(.bytesWritten(TransferProgress(completed: Int64(count)))), in: first)
            source.post(SternaEvent(.bodyDataSent(TransferProgress(completed: Int64(count)))), in: second)
        }
        gate.signal()
        await source.buffer.flush()
        expectEqual(log.lines, ["taskCreated", "bytesWritten", "bodyDataSent"])
        source.post(SternaEvent(.bytesWritten(TransferProgress(completed: 6))), in: first)
        await source.buffer.flush()
        expectEqual(log.lines.last, "bytesWritten")
        expectEqual(log.lines.count, 4)
    }

    @Test("From many threads at once, each thread's events keep their order", arguments: [0, 1])
    func threads(round: Int) async {
        let seen = Mutex<[Int: [Int]]>([:])
        let source = EventSource(
            [
                EventObserver { event in
                    guard case .dataReceived(let number) = event.kind else { return }
                    seen.withLock { $0[number / 10_000, default: []].append(number) }
                }
            ], capacity: 100_000)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { self.post((thread * 10_000)..<(thread * 10_000 + 1_000), to: source) }
            }
        }
        await source.buffer.flush()
        let all = seen.withLock { $0 }
        expectEqual(all.values.map(\.count), Array(repeating: 1_000, count: 8))
        #expect(all.values.allSatisfy { $0 == $0.sorted() })
    }

    @Test("A cancelled task does not wait for a slow observer")
    func cancelledFlush() async {
        let gate = DispatchSemaphore(value: 0)
        let source = EventSource([EventObserver { _ in gate.wait() }], capacity: 10)
        post(0..<1, to: source)
        let wait = Task { await source.buffer.flush() }
        wait.cancel()
        await wait.value
        gate.signal()
    }

    // MARK: Sequences

    private func names(_ events: SternaEvents, _ count: Int) async -> [String] {
        var names: [String] = []
        for await event in events {
            names.append("\(event)")
            if names.count == count { break }
        }
        return names
    }

    @Test("A sequence has the events from its making on, of its families and of derived sources")
    func sequence() async {
        let source = EventSource([], capacity: 100)
        let derived = EventSource([], below: source)
        source.post(SternaEvent(.taskResumed))
        let events = SternaEvents(of: source, .tasks, capacity: 10)
        let others = SternaEvents(of: derived, .all, capacity: 10)
        #expect(source.wants(.network) && derived.wants(.tasks))
        source.post(SternaEvent(.taskSuspended))
        source.post(SternaEvent(.requestBegan))
        derived.post(SternaEvent(.taskCancelled))
        source.post(SternaEvent(.taskCompleted(nil)))
        let seen = await names(events, 3)
        expectEqual(seen, ["taskSuspended", "taskCancelled", "taskCompleted"])
        let other = await names(others, 1)
        expectEqual(other, ["taskCancelled"])
    }

    @Test("A reader that is slow loses events, and learns how many")
    func slowReader() async {
        let source = EventSource([], capacity: 100)
        let events = SternaEvents(of: source, .all, capacity: 2)
        post(0..<5, to: source)
        await source.buffer.flush()
        let first = await names(events, 3)
        expectEqual(first, ["dataReceived 0", "dataReceived 1", "dropped 3"])
        post(5..<6, to: source)
        let next = await names(events, 1)
        expectEqual(next, ["dataReceived 5"])
    }

    @Test("A sequence ends with the reader's cancellation, and nothing is wanted afterwards")
    func cancelled() async {
        let source = EventSource([], capacity: 100)
        let reader = Task { [events = SternaEvents(of: source, .all, capacity: 10)] in
            var count = 0
            for await _ in events { count += 1 }
            return count
        }
        post(0..<1, to: source)
        await source.buffer.flush()
        reader.cancel()
        let count = await reader.value
        #expect(count <= 1)
        #expect(await eventually { !source.wants(.all) })
    }

    @Test("A sequence ends with its source, after the last event")
    func ended() async {
        var source: EventSource? = EventSource([], capacity: 100)
        let events = source.map { SternaEvents(of: $0, .all, capacity: 10) }
        source?.post(SternaEvent(.taskCancelled))
        source = nil
        var seen: [String] = []
        if let events { for await event in events { seen.append("\(event)") } }
        expectEqual(seen, ["taskCancelled"])
    }

    // MARK: Descriptions

    @Test("No description of an event has a secret")
    func secrets() throws {
        let url = try HTTPURL("https://ada:lovelace@example.com/a?token=hidden#part")
        let request = Request(.get, url, headers: [.authorization: "Bearer hidden"])
        let response = Response(status: .ok, url: url)
        let error = SternaError(.cancelled, phase: .read, "hidden")
        let call = ObservedCall(id: 7, request)
        expectEqual(call.url, "https://example.com/a?token=***")
        let kinds: [SternaEvent.Kind] = [
            .attemptBegan(.first, request), .taskCreated(request), .requestAdapted(from: request, to: request),
            .redirectDecided(response, .follow(request)), .valueParsed(.success("hidden")), .taskCompleted(error),
            .transferRedirected(response, request), .responseReceived(response), .attemptFailed(error),
        ]
        for kind in kinds {
            let event = SternaEvent(kind, call: call, attempt: 1)
            var text = "\(event) \(String(reflecting: event)) "
            dump(event, to: &text)
            #expect(!text.contains("hidden") && !text.contains("lovelace"), "\(text)")
        }
    }
}
