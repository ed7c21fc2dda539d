import HTTPTypes
import SternaCore
import SternaTransport
import Synchronization

/// Answers the challenges of servers (401), and sends known credentials without a challenge.
///
/// It is below redirects and retries, and so handles each of their requests. It is part of the chain only if a setting of the
/// session or the request enables it.
struct AuthenticationInterceptor: Interceptor {
    let settings: AuthenticationSettings
    let memory: AuthenticationMemory
    let time: LoopClock

    /// Whether all requests go to a Unix domain socket.
    let isLocal: Bool

    /// The session's proxies, which may send requests for loopback hosts to other machines.
    let proxies: ProxySettings

    /// Makes the interceptor of a session, whose settings keep the memory for derived sessions.
    init(_ settings: inout SessionSettings) {
        memory = settings.resolveMemory()
        self.settings = settings.auth.challenges
        time = settings.network.engine.loopClock
        isLocal = settings.network.unixSocket != nil
        proxies = settings.network.proxies
    }

    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        let shared = settings.policy ?? .standard
        let policy = request.state.choices.authentication?.over(shared) ?? shared
        let own = request.state.access.credentials
        // An interceptor above this one refreshes rejected tokens.
        guard !policy.schemes.isEmpty, !request.state.access.carriesToken else { return try await next(request) }
        guard policy.isPreemptive, !request.headers.contains(.authorization),
            let known = known(for: request, own, policy)
        else {
            let response = try await next(request)
            guard response.status.code == 401 else { return response }
            var transaction = AuthenticationTransaction(request, by: self, policy, own)
            return try await transaction.complete(response, next)
        }
        return try await send(request, with: known, policy, own, next)
    }

    // A separate function, whose locals would otherwise occupy memory in every waiting request.
    @inline(never)
    nonisolated(nonsending) private func send(
        _ request: Request, with known: KnownSpaces.Entry, _ policy: AuthenticationPolicy, _ own: CallCredentials?,
        _ next: Chain
    ) async throws -> Response {
        var transaction = AuthenticationTransaction(request, by: self, policy, own)
        try await transaction.begin(with: known)
        return try await transaction.complete(try await next(transaction.current), next)
    }

    /// Returns the known credential that a request may carry without a challenge.
    private func known(
        for request: Request, _ own: CallCredentials?, _ policy: AuthenticationPolicy
    ) -> KnownSpaces.Entry? {
        guard memory.spaces.withLock({ $0.knows(request.url) }) else { return nil }
        // A closure of the program may select the proxy; it is not called under a lock.
        let isExposed = isExposed(request.url)
        let chosen = own?.credential(.url, for: request) ?? own?.credential(.request, for: request)
        return memory.spaces.withLock { spaces in
            spaces.entry(for: request.url) { entry in
                guard policy.schemes.contains(entry.scheme) else { return false }
                if entry.scheme != .digest, isExposed, !entry.source.isExplicit, !policy.allowsInsecurePasswords {
                    return false
                }
                if let chosen { return chosen == entry.credential }
                guard entry.isShared else { return false }
                let session = own?.credential(.session, for: request)
                switch entry.source {
                case .session: return session == entry.credential
                case .remembered: return session == nil
                default: return true
                }
            }
        }
    }

    /// Returns whether others can read a request to a URL on its way: it crosses the network without TLS.
    func isExposed(_ url: HTTPURL) -> Bool {
        guard !url.scheme.isSecure, !isLocal else { return false }
        return !ProxyExceptions.isLoopback(url.hostWithoutBrackets) || proxies.receives(url)
    }
}
