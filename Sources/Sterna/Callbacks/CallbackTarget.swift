public import Dispatch

/// Where callbacks run.
///
/// The callbacks of one request run one after another, whatever the target. On a serial queue, so do those of several requests.
///
/// ``main`` needs a running main loop. An application has one, as has a program with an asynchronous `main` while it awaits. Other
/// programs call `dispatchMain()` or `RunLoop.main.run()`, or choose their own queue.
public enum CallbackTarget: Sendable {
    /// A queue; a concurrent one runs callbacks of several requests at the same time.
    case queue(DispatchQueue)

    /// A task executor.
    case executor(any TaskExecutor)

    /// The main queue, whose callbacks reach the main actor's state with `MainActor.assumeIsolated { … }`. On Linux, if `main` is
    /// asynchronous, the queue leaves the first thread, so do not rely on `Thread.isMainThread`.
    public static var main: CallbackTarget { .queue(.main) }
}

/// Runs the callbacks of one request in the order in which they were posted.
struct CallbackLine: Sendable {
    private enum Way: Sendable {
        case queue(DispatchQueue)
        case stream(AsyncStream<@Sendable () -> Void>.Continuation)
    }

    private let way: Way

    init(_ target: CallbackTarget) {
        switch target {
        case .queue(let queue):
            // A separate queue keeps the order if the target is concurrent.
            let isMain = queue === DispatchQueue.main
            way = .queue(isMain ? queue : DispatchQueue(label: "sterna.callbacks", target: queue))
        case .executor(let executor):
            let (stream, continuation) = AsyncStream<@Sendable () -> Void>.makeStream()
            Task(executorPreference: executor) {
                for await work in stream { work() }
            }
            way = .stream(continuation)
        }
    }

    /// Enqueues a callback behind those posted before.
    func post(_ work: @escaping @Sendable () -> Void) {
        switch way {
        case .queue(let queue): queue.async(execute: work)
        case .stream(let continuation): continuation.yield(work)
        }
    }

    /// Runs the last callback.
    func end(_ work: @escaping @Sendable () -> Void) {
        post(work)
        // Without its end, the stream would keep its task waiting forever.
        if case .stream(let continuation) = way { continuation.finish() }
    }
}
