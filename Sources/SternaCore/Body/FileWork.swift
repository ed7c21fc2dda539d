import Dispatch

/// Runs file reads and writes, which may wait for a disk, on threads of their own, so that tasks and event loops go on.
package enum FileWork {
    private static let queue = DispatchQueue(label: "sterna.files", attributes: .concurrent)

    package static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: .init(catching: work)) }
        }
    }
}
