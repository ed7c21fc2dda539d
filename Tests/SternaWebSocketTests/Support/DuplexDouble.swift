import Dispatch
import NIOCore
import SternaCore
import Synchronization

/// A duplex stream in memory, with a clock that the test moves.
final class DuplexDouble: DuplexStream {
    struct Timer: DuplexTimer {
        let due: Duration
        let number: Int
        let action: @Sendable () -> Void
        let stream: WeakStream

        func cancel() { stream.stream?.remove(number) }
    }

    struct WeakStream: Sendable {
        weak let stream: DuplexDouble?
    }

    private struct State {
        var handler: (any DuplexHandler)?
        var isPaused = false
        var incoming: [Bytes] = []
        var end: SternaError??
        var sent: [Bytes] = []
        var capacity = Int.max
        var stored = 0
        var waits: [Wait<Void>] = []
        var isFinished = false
        var isCancelled = false
        var now = Duration.zero
        var timers: [Timer] = []
        var number = 0
        var answersCloses = false
    }

    private let state = Mutex(State())
    /// The event loop: calls of the handler come one at a time.
    private let loop = DispatchQueue(label: "duplex")

    // MARK: The peer's side

    /// Delivers bytes, or stores them while the handler has paused.
    func receive(_ bytes: Bytes) {
        state.withLock { $0.incoming.append(bytes) }
        loop.sync { self.flush() }
    }

    func receive(_ frames: Frame...) {
        var bytes = Bytes()
        for frame in frames { bytes.writeImmutableBuffer(frame.bytes) }
        receive(bytes)
    }

    /// Answers a close frame that is put, with its code.
    func answersCloses() { state.withLock { $0.answersCloses = true } }

    /// Ends the peer's direction, orderly or by an error.
    func end(_ error: SternaError? = nil) {
        state.withLock { $0.end = .some(error) }
        loop.sync { self.flush() }
    }

    private func flush() {
        while true {
            enum Step {
                case none
                case bytes(any DuplexHandler, Bytes)
                case end(any DuplexHandler, SternaError?)
            }
            let step: Step = state.withLock { state in
                guard let handler = state.handler else { return .none }
                if !state.isPaused, !state.incoming.isEmpty { return .bytes(handler, state.incoming.removeFirst()) }
                guard let end = state.end, state.incoming.isEmpty || end != nil else { return .none }
                state.handler = nil
                return .end(handler, end)
            }
            switch step {
            case .none: return
            case .bytes(let handler, let bytes):
                if !handler.received(bytes) { state.withLock { $0.isPaused = true } }
            case .end(let handler, let error): handler.ended(error)
            }
        }
    }

    /// The frames that were sent since the last call, unmasked.
    func takeSent() -> [Frame] {
        var all = state.withLock { state in
            var all = Bytes()
            for bytes in state.sent { all.writeImmutableBuffer(bytes) }
            state.sent = []
            return all
        }
        return Frame.parse(&all)
    }

    /// The number of pieces that were put.
    var putCount: Int { state.withLock { $0.sent.count } }

    var isFinished: Bool { state.withLock { $0.isFinished } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    var isReleased: Bool { state.withLock { $0.handler == nil } }
    var waitingCount: Int { state.withLock { $0.waits.count } }
    var timerCount: Int { state.withLock { $0.timers.count } }

    /// Lets the network hold fewer bytes; zero is no room.
    func setCapacity(_ capacity: Int) {
        let waits = state.withLock { state in
            state.capacity = capacity
            state.stored = 0
            guard capacity > 0 else { return [Wait<Void>]() }
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.end() }
    }

    func advance(by time: Duration) {
        let end = state.withLock { state in state.now + time }
        while true {
            let due = state.withLock { state -> Timer? in
                let next = state.timers.filter { $0.due <= end }.min { ($0.due, $0.number) < ($1.due, $1.number) }
                guard let next else {
                    state.now = end
                    return nil
                }
                state.now = max(state.now, next.due)
                state.timers.removeAll { $0.number == next.number }
                return next
            }
            guard let due else { return }
            loop.sync { due.action() }
        }
    }

    private func remove(_ number: Int) { state.withLock { $0.timers.removeAll { $0.number == number } } }

    // MARK: DuplexStream

    func next() async throws -> Bytes? { nil }

    func deliver(to handler: any DuplexHandler) {
        state.withLock { $0.handler = handler }
        loop.sync { self.flush() }
    }

    func resumeReading() {
        state.withLock { state in
            state.isPaused = false
        }
        loop.async { self.flush() }
    }

    var hasRoom: Bool { state.withLock { !$0.isCancelled && !$0.isFinished && $0.stored < $0.capacity } }

    func room() async throws {
        let wait = Wait<Void>()
        let waits = try state.withLock { state throws(SternaError) in
            if state.isCancelled || state.isFinished { throw SternaError(.connectionClosed, phase: .write, "over") }
            guard state.stored >= state.capacity else { return false }
            state.waits.append(wait)
            return true
        }
        guard waits else { return }
        defer { state.withLock { $0.waits.removeAll { $0 === wait } } }
        try await wait.value(cancelled: SternaError.cancelled(phase: .write))
    }

    func put(_ bytes: Bytes) {
        let answers = state.withLock { state in
            guard !state.isFinished, !state.isCancelled else { return false }
            state.sent.append(bytes)
            if state.capacity < .max { state.stored += bytes.count }
            var bytes = bytes
            guard state.answersCloses, let close = Frame.parse(&bytes).first(where: { $0.opcode == 8 }) else {
                return false
            }
            state.incoming.append(close.bytes)
            return true
        }
        if answers { loop.async { self.flush() } }
    }

    func finish() { state.withLock { $0.isFinished = true } }

    func cancel() {
        let waits = state.withLock { state in
            state.isCancelled = true
            if state.end == nil { state.end = .some(SternaError.cancelled(phase: .read)) }
            state.incoming = []
            defer { state.waits = [] }
            return state.waits
        }
        for wait in waits { wait.end(.failure(SternaError(.connectionClosed, phase: .write, "over"))) }
        loop.async { self.flush() }
    }

    func schedule(in time: Duration, _ action: @escaping @Sendable () -> Void) -> any DuplexTimer {
        state.withLock { state in
            state.number += 1
            let timer = Timer(
                due: state.now + time, number: state.number, action: action, stream: WeakStream(stream: self))
            state.timers.append(timer)
            return timer
        }
    }
}
