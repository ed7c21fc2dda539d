import Dispatch

/// Runs work that blocks (files, name look-ups, decoding) on threads of its own, so that Swift tasks and event loops continue.
package struct BlockingWork: Sendable {
    private static let shared = BlockingWork("sterna.files")

    private let queue: DispatchQueue

    /// - Parameter inOrder: whether works run one at a time, in the order of their calls.
    package init(_ label: String, inOrder: Bool = false) {
        queue = DispatchQueue(label: label, attributes: inOrder ? [] : .concurrent)
    }

    /// Runs work on the threads that all reads and writes of files share.
    package nonisolated(nonsending) static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await shared.run(work)
    }

    /// Begins work on the threads that all reads and writes of files share.
    package static func begin(_ work: @escaping @Sendable () -> Void) { shared.begin(work) }

    /// Runs work and returns its result. The task's cancellation does not end the wait.
    package nonisolated(nonsending) func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: .init(catching: work)) }
        }
    }

    /// Runs work while the calling thread waits. Work that is in order must not call this.
    package func runBlocking(_ work: () -> Void) { queue.sync(execute: work) }

    /// Begins work, after a delay, and returns at once.
    package func begin(after delay: Duration = .zero, _ work: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return queue.async(execute: work) }
        queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
    }
}
