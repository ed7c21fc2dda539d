import Dispatch
import SternaCore

/// Runs the decoding of images on threads of their own, so that callers, tasks and event loops go on.
enum ImageWork {
    private static let queue = DispatchQueue(label: "sterna.images", attributes: .concurrent)

    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: .init(catching: work)) }
        }
    }
}
