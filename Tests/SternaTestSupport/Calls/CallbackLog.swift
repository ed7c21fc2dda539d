import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

/// The arguments of requests' callbacks, in order.
final class CallbackLog<Value: Sendable>: Sendable {
    enum Event: Sendable {
        case progress(RequestProgress)
        case success(Value)
        case failure(SternaError, hasTask: Bool)
    }

    private let state = Mutex((events: [Event](), waiters: [(Int, CheckedContinuation<Void, Never>)]()))

    var events: [Event] { state.withLock { $0.events.map { $0 } } }

    var progress: [RequestProgress] {
        events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }

    var values: [Value] { events.compactMap { if case .success(let value) = $0 { value } else { nil } } }

    var errors: [SternaError] { events.compactMap { if case .failure(let error, _) = $0 { error } else { nil } } }

    /// The number of ends of either kind.
    var ends: Int { values.count + errors.count }

    var onProgress: Session.ProgressCallback { { _, progress in self.add(.progress(progress)) } }
    var onSuccess: Session.Success<Value> { { _, value in self.add(.success(value)) } }
    var onFailure: Session.Failure { { task, error in self.add(.failure(error, hasTask: task != nil)) } }

    private func add(_ event: Event) {
        let ready = state.withLock { state in
            state.events.append(event)
            let ends = Self.ends(of: state.events)
            let ready = state.waiters.filter { $0.0 <= ends }
            state.waiters.removeAll { $0.0 <= ends }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    private static func ends(of events: [Event]) -> Int {
        events.reduce(0) { if case .progress = $1 { $0 } else { $0 + 1 } }
    }

    /// Waits for a number of ends.
    func wait(ends: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                let isReady = Self.ends(of: state.events) >= ends
                if !isReady { state.waiters.append((ends, continuation)) }
                return isReady
            }
            if isReady { continuation.resume() }
        }
    }
}

extension DispatchQueue {
    /// Waits until all earlier work of the queue has run.
    func drained() async {
        await withCheckedContinuation { continuation in self.async { continuation.resume() } }
    }
}
