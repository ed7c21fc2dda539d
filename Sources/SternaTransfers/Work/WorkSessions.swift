import Sterna
import Synchronization

/// The sessions by which a store's transfers send: those of the program, with what notes secrets. To make one takes longer than much else of a
/// transfer, so that it serves all transfers while it is in use.
final class WorkSessions: Sendable {
    private struct Pair {
        let given: WeakSession
        let own: WeakSession
    }

    private let last = Mutex<Pair?>(nil)

    /// Returns the session that sends in place of another one.
    func session(for given: Session) -> Session {
        last.withLock { last in
            if let last, last.given.isSame(as: given), let own = last.own.session { return own }
            let own = given.with { $0.networkInterceptors.append(SecretNoting()) }
            last = Pair(given: WeakSession(given), own: WeakSession(own))
            return own
        }
    }
}

/// Notes the secrets of each request in the ``SentSecrets`` of its transfer.
private struct SecretNoting: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        request.options[SentSecretsKey.self]?.note(request)
        return try await next(request)
    }
}

/// The option that holds where the secrets of a transfer's requests are noted.
enum SentSecretsKey: RequestOptionKey {
    static var defaultValue: SentSecrets? { nil }
}
