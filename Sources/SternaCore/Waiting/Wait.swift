public import Synchronization

/// The wait of one Swift task for a result. It ends once: with the first result, or with the task's cancellation.
///
/// The code that produces results keeps the waits in its state, takes them out under its lock, and ends them after unlocking:
///
///     let wait = Wait<Void>()
///     state.withLock { $0.waits[wait.id] = wait }
///     defer { state.withLock { $0.waits[wait.id] = nil } }
///     try await wait.value()
///
/// A result may come before the task waits. Only this type resumes continuations, so that none is resumed twice or forgotten. Exceptions
/// are ``BlockingWork`` and the path of a request through the engine, which saves the object.
///
/// Invariant of the continuation: it is resumed once, since the stage changes from `waiting` to `ended` once.
// Inlinable, since the runtime would have to look up the types of each wait otherwise.
@usableFromInline
package final class Wait<Value: Sendable>: Sendable, Identifiable {
    // Not one state with the result in it: generic code destroys a wait, and would have to look up the state's type each time.
    @usableFromInline
    let stage: Mutex<WaitStage>

    // Invariant: set under the lock before the stage is `waiting`, and not changed again.
    @exclusivity(unchecked) @usableFromInline
    nonisolated(unsafe) var continuation: UnsafeContinuation<Value, any Error>?

    /// A result that came before the task waited.
    // Invariant: set under the lock before the stage is `ended`, and not changed again.
    @exclusivity(unchecked) @usableFromInline
    nonisolated(unsafe) var early: EarlyResult<Value>?

    // The stage is made here, since an initial value of a property is not inlined.
    @inlinable
    package init() { stage = Mutex(.idle) }

    /// Whether there is a result.
    @inlinable
    package var isEnded: Bool {
        stage.withLock { stage in
            if case .ended = stage { true } else { false }
        }
    }

    /// Returns the result once there is one. Call it once.
    ///
    /// - Parameters:
    ///   - cancelled: the error if the Swift task is cancelled first.
    ///   - begin: called when the task waits; not called if the wait has ended by then.
    @inlinable
    package func value(
        cancelled: @autoclosure @Sendable () -> any Error = CancellationError(), begin: () -> Void = {},
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try await value(onCancel: { end(.failure(cancelled())) }, begin: begin)
    }

    /// Returns the result once there is one. Call it once.
    ///
    /// - Parameters:
    ///   - onCancel: called when the Swift task is cancelled; it ends the wait.
    ///   - begin: called when the task waits; not called if the wait has ended by then.
    @inlinable
    package func value(
        onCancel: @Sendable () -> Void, begin: () -> Void = {}, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            // Keeps the closure on the caller's actor; with `nonisolated(nonsending)` it would leave it.
            _ = isolation
            return try await withUnsafeThrowingContinuation { continuation in
                if hold(continuation) { begin() }
            }
        } onCancel: {
            onCancel()
        }
    }

    /// Returns the result once there is one, also in a Swift task that is cancelled. Call it once.
    @inlinable
    package nonisolated(nonsending) func valueIgnoringCancellation() async throws -> Value {
        try await withUnsafeThrowingContinuation { continuation in
            _ = hold(continuation)
        }
    }

    /// Keeps a continuation until the end. Returns false if there is a result already, with which it resumes the continuation.
    @inlinable
    func hold(_ continuation: UnsafeContinuation<Value, any Error>) -> Bool {
        let isEnded = stage.withLock { stage in
            if case .ended = stage { return true }
            self.continuation = continuation
            stage = .waiting
            return false
        }
        guard isEnded else { return true }
        // There is none for a second call, which is a mistake.
        continuation.resume(with: early?.result ?? .failure(CancellationError()))
        return false
    }

    /// Ends the wait. Returns false if it has ended already, with nothing changed.
    @inlinable
    @discardableResult
    package func end(_ result: Result<Value, any Error>) -> Bool {
        let former = stage.withLock { stage in
            let former = stage
            if case .idle = former { early = EarlyResult(result) }
            stage = .ended
            return former
        }
        switch former {
        case .idle: return true
        case .ended: return false
        case .waiting:
            continuation?.resume(with: result)
            return true
        }
    }
}

extension Wait<Void> {
    /// Ends the wait. Returns false if it has ended already.
    @inlinable
    @discardableResult
    package func end() -> Bool { end(.success(())) }
}

/// How far a ``Wait`` is: no task waits yet, one waits, or there is a result.
@usableFromInline
enum WaitStage: Sendable {
    case idle, waiting, ended
}

/// The result of a ``Wait`` that ended before its task waited.
@usableFromInline
final class EarlyResult<Value: Sendable>: Sendable {
    @usableFromInline let result: Result<Value, any Error>

    @inlinable
    init(_ result: Result<Value, any Error>) { self.result = result }
}
