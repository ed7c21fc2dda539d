public import Dispatch

/// Where callbacks run.
///
/// The callbacks of one request come one after another whatever the target is; those of several requests do where it is a
/// serial queue. A program needs a main loop for ``main``: an application has one, as has a program whose `main` is
/// asynchronous while it awaits; any other calls `dispatchMain()` or `RunLoop.main.run()`, or chooses a queue of its own.
public enum CallbackTarget: Sendable {
    /// A queue; one that is concurrent runs callbacks of several requests at the same time.
    case queue(DispatchQueue)

    /// An executor of tasks.
    case executor(any TaskExecutor)

    /// The main queue, which is the main actor's: `MainActor.assumeIsolated { … }` reaches its state from a callback. In a
    /// program for Linux whose `main` is asynchronous it is no longer the first thread's, so do not ask `Thread.isMainThread`.
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
            // A queue of its own keeps the order where the target is concurrent.
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

    /// Runs a callback behind those that were posted before.
    func post(_ work: @escaping @Sendable () -> Void) {
        switch way {
        case .queue(let queue): queue.async(execute: work)
        case .stream(let continuation): continuation.yield(work)
        }
    }

    /// Runs the last callback.
    func end(_ work: @escaping @Sendable () -> Void) {
        post(work)
        // A stream whose end is not said would keep its task waiting for ever.
        if case .stream(let continuation) = way { continuation.finish() }
    }
}
