public import SternaCore
import Synchronization

/// Streams with callbacks.
///
///     api.streamTask(.get("events")).onLines { line in await store(line) } completion: { error in print(error ?? "done") }
///
/// They run on the session's ``SessionSettings/callbacks``, in order with the task's ``TaskDecisions``. The next piece is read
/// when the callback has returned, so that a slow callback holds back the server. `completion` is called last, with the error if
/// the task failed. A task that is cancelled silently calls nothing more. The body can be read once, by one of these or one of
/// the sequences.
extension DataStreamTask {
    /// Called when the task is complete, with its error if it failed.
    public typealias Completion = @Sendable (SternaError?) -> Void

    /// Calls a closure with the body's bytes as they arrive.
    @discardableResult
    public func onBytes(
        _ act: @escaping @Sendable (Bytes) async -> Void, completion: Completion? = nil
    ) -> DataStreamTask {
        deliver(bytes, to: act, completion)
    }

    /// Calls a closure with the body's text as it arrives; see ``strings``.
    @discardableResult
    public func onStrings(
        _ act: @escaping @Sendable (String) async -> Void, completion: Completion? = nil
    ) -> DataStreamTask {
        deliver(strings, to: act, completion)
    }

    /// Calls a closure with each line of the body; see ``lines(upTo:)``. A line above the limit fails the task with
    /// `limitExceeded`.
    ///
    /// - Parameter limit: the maximum length of a line in bytes; 1 MiB by default.
    @discardableResult
    public func onLines(
        upTo limit: Int = 1 << 20, _ act: @escaping @Sendable (String) async -> Void, completion: Completion? = nil
    ) -> DataStreamTask {
        deliver(lines(upTo: limit), to: act, completion)
    }

    /// Calls a closure with the value of each JSON line of the body; see ``jsonLines(of:upTo:)``. A line that does not decode fails
    /// the task with `decodingFailed`, one above the limit with `limitExceeded`.
    ///
    /// - Parameter limit: the maximum length of a line in bytes; 1 MiB by default.
    @discardableResult
    public func onJSONLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, upTo limit: Int = 1 << 20,
        _ act: @escaping @Sendable (Value) async -> Void, completion: Completion? = nil
    ) -> DataStreamTask {
        deliver(jsonLines(of: type, upTo: limit), to: act, completion)
    }

    private func deliver<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, to act: @escaping @Sendable (Pieces.Element) async -> Void, _ completion: Completion?
    ) -> DataStreamTask where Pieces.Element: Sendable {
        // A task with decisions has a callback queue, which ends with the task and then runs the completion. Others get one here.
        let own = callbackQueue == nil ? UserCallbackQueue(session.plan.settings.callbacks) : nil
        let shares = own == nil && endings.add(completion)
        Task {
            do {
                for try await piece in pieces {
                    guard !isSilent, await (own ?? callbackQueue)?.ask({ await act(piece) }) != nil else { break }
                }
                try await finished()
            } catch {
                // The error is also the task's, unless another reader has the body.
                if !isFinished, (error as? SternaError)?.kind == .invalidRequest {
                    own?.end { completion?(error as? SternaError) }
                    return
                }
                try? await finished()
            }
            guard !shares, let completion else { return }
            let callbackQueue = own ?? UserCallbackQueue(session.plan.settings.callbacks)
            callbackQueue.end { if !self.isSilent { completion(self.error) } }
        }
        return self
    }
}

/// The completion callbacks of a stream.
final class StreamEndings: Sendable {
    private let state = Mutex<(isOver: Bool, calls: [@Sendable (SternaError?) -> Void])>((false, []))

    /// Adds a callback; false if the task is complete, or if there is none to add.
    func add(_ call: (@Sendable (SternaError?) -> Void)?) -> Bool {
        guard let call else { return false }
        return state.withLock { state in
            if !state.isOver { state.calls.append(call) }
            return !state.isOver
        }
    }

    /// Returns the callbacks; no more can be added.
    func take() -> [@Sendable (SternaError?) -> Void] {
        state.withLock { state in
            state.isOver = true
            defer { state.calls = [] }
            return state.calls
        }
    }
}
