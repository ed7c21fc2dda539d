import Sterna
import Synchronization

/// The sessions that send a store's requests: those of the program, with an interceptor that records secrets. Creating a session is
/// slow, so transfers share it while it is in use.
final class WorkSessions: Sendable {
    private struct Pair {
        let given: WeakSession
        let own: WeakSession
    }

    private let last = Mutex<Pair?>(nil)

    /// Returns the session that sends the requests in place of the program's.
    func session(for given: Session) -> Session {
        last.withLock { last in
            if let last, last.given.isSame(as: given), let own = last.own.session { return own }
            let own = given.with { $0.networkInterceptors.append(SecretNoting()) }
            last = Pair(given: WeakSession(given), own: WeakSession(own))
            return own
        }
    }
}

/// Records the secrets of each request in the ``SentSecrets`` of its transfer.
private struct SecretNoting: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        request.options[SentSecretsKey.self]?.note(request)
        return try await next(request)
    }
}

/// The option with the ``SentSecrets`` of a request's transfer.
enum SentSecretsKey: RequestOptionKey {
    static var defaultValue: SentSecrets? { nil }
}
