public import SternaCore
import Synchronization

#if Foundation
public import Foundation
#endif

/// A request started with callbacks: a handle to observe and cancel it.
///
/// Releasing the handle does not cancel the request.
public final class RequestTask: Sendable {
    /// The request, as built by the session.
    public let request: Request

    private let state: Mutex<State>
    private let line: CallbackLine
    private let progressCallback: (@Sendable (RequestTask, RequestProgress) -> Void)?

    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var isFinished = false
        var progress = RequestProgress()
        // At most one callback is pending, and it reads the newest state when it runs, so a fast network does not flood the queue.
        var isProgressPosted = false
        #if Foundation
        var uploadObject: Progress?
        var downloadObject: Progress?
        #endif
    }

    init(
        _ request: Request, line: CallbackLine, progress: (@Sendable (RequestTask, RequestProgress) -> Void)?
    ) {
        self.request = request
        self.line = line
        progressCallback = progress
        state = Mutex(State())
    }

    /// Cancels the request; `failure` is called with `cancelled`, unless the request has already ended.
    public func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Whether the request has ended; its final callback may still be pending.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The progress of sending and receiving.
    public var progress: RequestProgress { state.withLock { $0.progress } }

    func start(_ work: @escaping @Sendable () async -> Void) {
        let task = Task { await work() }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func finish(_ callback: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.isFinished = true
            state.task = nil
        }
        // A progress report may be decided on but not yet posted; its callback still comes before this one.
        line.end {
            self.deliverProgress()
            callback()
        }
    }

    func report(_ change: @Sendable (inout RequestProgress) -> Void) {
        let isToPost = state.withLock { state in
            guard !state.isFinished else { return false }
            change(&state.progress)
            guard !state.isProgressPosted else { return false }
            state.isProgressPosted = true
            return true
        }
        guard isToPost else { return }
        line.post { self.deliverProgress() }
    }

    private func deliverProgress() {
        let progress: RequestProgress? = state.withLock { state in
            guard state.isProgressPosted else { return nil }
            state.isProgressPosted = false
            return state.progress
        }
        guard let progress else { return }
        #if Foundation
        let objects = state.withLock { ($0.uploadObject, $0.downloadObject) }
        objects.0?.take(progress.upload)
        objects.1?.take(progress.download)
        #endif
        progressCallback?(self, progress)
    }
}

/// The progress of a request in both directions.
public struct RequestProgress: Sendable, Hashable, CustomStringConvertible {
    /// The progress of the request's body.
    public var upload = TransferProgress(completed: 0)

    /// The progress of the response's body.
    public var download = TransferProgress(completed: 0)

    public init() {}

    /// For instance `sent 37% of 1.2 GB; received 0 B`.
    public var description: String { "sent \(upload); received \(download)" }
}

#if Foundation
extension RequestTask {
    /// The upload progress as Foundation's type; cancelling it cancels the request. It changes where callbacks run.
    public var uploadProgress: Progress {
        state.withLock { state in
            let object = state.uploadObject ?? makeObject(state.progress.upload)
            state.uploadObject = object
            return object
        }
    }

    /// The download progress as Foundation's type; cancelling it cancels the request. It changes where callbacks run.
    public var downloadProgress: Progress {
        state.withLock { state in
            let object = state.downloadObject ?? makeObject(state.progress.download)
            state.downloadObject = object
            return object
        }
    }

    private func makeObject(_ progress: TransferProgress) -> Progress {
        let object = Progress.discreteProgress(totalUnitCount: -1)
        object.isPausable = false
        object.isCancellable = true
        object.cancellationHandler = { [weak self] in self?.cancel() }
        object.take(progress)
        return object
    }
}

extension Progress {
    /// Copies the progress of a transfer: bytes as units, a negative total if the length is unknown.
    public func take(_ progress: TransferProgress) {
        totalUnitCount = progress.total ?? -1
        completedUnitCount = progress.completed
    }
}
#endif
