import NIOCore
import SternaCore
import SternaPlatform
import Synchronization

/// A call that is being recorded. Its context, so that no table of running calls is needed, and lost events leave none open.
final class RecordedCall: EventContext {
    /// What the events say of an attempt.
    struct Observed: Sendable {
        var interim: [InformationalResponse] = []
        var response: ResponseHead?
        var error: String?
    }

    struct State: Sendable {
        var id: UInt64 = 0
        var started: Date?
        var began: NIODeadline?
        var clock = NetworkClock.system
        var duration = Duration.zero
        var request: RequestHead?
        var transfers: [RecordedTransfer] = []
        var observed: [Int: Observed] = [:]
        var retries: [String] = []
        var response: ResponseHead?
        var body: Bytes?
        var note: String?
        var error: String?
        var metrics: RequestMetrics?
        var messages: MessageRecording?
        /// Whether the exchange was added to the recorder; nothing is recorded afterwards.
        var isFinished = false
    }

    /// The maximum number of attempts and retries of a call that are recorded, and of interim responses of an attempt.
    private static let (mostAttempts, mostInterim) = (200, 16)

    private let recorder: Recorder
    private let budget: RecordingBudget
    private let state = Mutex(State())

    init(_ recorder: Recorder) {
        self.recorder = recorder
        budget = RecordingBudget(recorder.memory)
    }

    /// The words of an error.
    static func text(_ error: any Error) -> String {
        guard let known = error as? SternaError else { return "\(type(of: error))" }
        return "\(known.kind.rawValue): \(known.detail)"
    }

    // MARK: In the tasks of the call

    func requestBegan(_ request: Request) {
        let head = RequestHead(request)
        let (id, began) = (request.call?.id ?? 0, request.recorder?.began)
        let clock = request.call?.clock ?? .system
        state.withLock { state in
            (state.id, state.request, state.began, state.started) = (id, head, began, Date())
            state.clock = clock
        }
    }

    func attemptBegan(_ number: Int, _ request: Request) {}

    nonisolated(nonsending) func files(of request: Request) async -> RequestBodyRecording.Files {
        await RequestBodyRecording.files(of: request, recorder.limits)
    }

    func begin(_ request: inout Request, files: RequestBodyRecording.Files) -> RecordedTransfer {
        let transfer = RecordedTransfer(&request, files: files, budget, recorder.limits)
        state.withLock { if $0.transfers.count < Self.mostAttempts { $0.transfers.append(transfer) } }
        return transfer
    }

    func received(_ response: Response, body: Bytes?) {
        let head = ResponseHead(response)
        let note = response.note
        state.withLock { state in
            (state.response, state.note) = (head, note)
            // A body from the network is that of an attempt.
            if head.source != .network || state.transfers.isEmpty { state.body = body }
        }
    }

    func failed(_ error: SternaError) {
        let text = Self.text(error)
        state.withLock { $0.error = text }
    }

    func passed(_ message: StreamMessage) {
        state.withLock { state in
            guard !state.isFinished else { return }
            if state.messages == nil { state.messages = MessageRecording() }
            state.messages?.add(message, budget, recorder.limits)
        }
    }

    func ended(_ metrics: RequestMetrics, in buffer: EventBuffer) {
        let (clock, began) = state.withLock { ($0.clock, $0.began) }
        let duration = began.map { max(0, (clock.now - $0).nanoseconds) } ?? 0
        state.withLock { ($0.metrics, $0.duration) = (metrics, .nanoseconds(duration)) }
        // Events that wait are limited, and so are the calls that wait for them.
        guard recorder.finishing.wrappingAdd(1, ordering: .relaxed).oldValue < buffer.capacity else {
            recorder.finishing.wrappingSubtract(1, ordering: .relaxed)
            return finish()
        }
        buffer.afterDelivery {
            self.recorder.finishing.wrappingSubtract(1, ordering: .relaxed)
            self.finish()
        }
    }

    // MARK: On the thread of events

    func receive(_ event: SternaEvent) {
        let (kind, number) = (event.kind, event.attempt)
        switch kind {
        case .informationalReceived(let response):
            observe(number) { attempt in
                if attempt.interim.count >= Self.mostInterim { attempt.interim.removeFirst() }
                attempt.interim.append(response)
            }
        case .responseBegan(let response):
            let head = ResponseHead(response)
            observe(number) { $0.response = head }
        case .attemptFailed(let error):
            let text = Self.text(error)
            observe(number) { $0.error = text }
        case .retryScheduled(let retry):
            let text = "Retry \(retry.number) after \(retry.delay): \(retry.reason)."
            state.withLock { if $0.retries.count < Self.mostAttempts { $0.retries.append(text) } }
        default: break
        }
    }

    private func observe(_ number: Int, _ change: (inout Observed) -> Void) {
        guard number > 0, number <= Self.mostAttempts else { return }
        state.withLock { change(&$0.observed[number, default: Observed()]) }
    }

    /// Adds the exchange to the recorder, after the last event of the call if observers keep up.
    private func finish() {
        let all = state.withLock { state in
            var all = State()
            all.isFinished = true
            swap(&all, &state)
            return all
        }
        guard let exchange = Recorder.Exchange(all, limits: recorder.limits) else { return }
        budget.release(all.transfers.reduce(all.messages?.unfinished ?? 0) { $0 + $1.snapshot.headBytes })
        guard budget.take(exchange.unmeasuredSize, of: .heads) else { return }
        recorder.add(exchange, size: budget.takeOver())
    }
}

/// The bytes that a running call has taken from its recorder's memory. They return when the call is released, unless its exchange
/// takes them over.
final class RecordingBudget: Sendable {
    private let memory: RecorderMemory
    private let taken = Mutex(0)

    init(_ memory: RecorderMemory) { self.memory = memory }

    deinit { memory.release(taken.withLock { $0 }) }

    /// Takes bytes, for which the oldest exchanges are removed; returns false if there are not so many.
    func take(_ count: Int, of part: RecorderMemory.Part) -> Bool {
        guard memory.take(count, of: part) else { return false }
        taken.withLock { $0 += count }
        return true
    }

    /// Returns some of the bytes that were taken.
    func release(_ count: Int) {
        // The exchange may have taken them over, while a body still arrives.
        let released = taken.withLock { taken in
            let released = min(taken, count)
            taken -= released
            return released
        }
        memory.release(released)
    }

    /// Returns the number of bytes that were taken, which no longer return.
    func takeOver() -> Int {
        taken.withLock { taken in
            defer { taken = 0 }
            return taken
        }
    }
}
