package import SternaCore
import SternaTransport

/// Waits of interceptors for the program's code: credential stores, handlers, signers.
package enum CredentialWait {
    /// Returns the result of an operation, which runs in a task of its own and is cancelled when its request ends. Throws
    /// `timedOut` at the request's deadline.
    nonisolated(nonsending) package static func wait<Value: Sendable>(
        for request: Request, on time: LoopClock, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let wait = UserWait<Value>(
            for: request, on: time, in: .wait,
            late: SternaError(
                .timedOut, phase: .wait,
                "The request ran out of time while it waited for credentials or its signature."))
        return try await wait.result(of: work)
    }
}
