import Sterna
import Synchronization

/// Sends the user and the password of a proxy only when it asks for them, for `--proxy-digest` and `--proxy-anyauth`.
final class ProxyLogin: ProxyAuthenticator {
    private struct Key: Hashable {
        let isDigestOnly: Bool
        let proxy: String?
        let user: String?
        let password: String?
    }

    // Connections and answered challenges are shared by requests with the same authenticator, so that one user has one login, and
    // another user has another.
    private static let logins = Mutex<[Key: ProxyLogin]>([:])

    private let isDigestOnly: Bool
    /// The users and passwords by proxies without them.
    private let credentials = Mutex<[Proxy: (user: String, password: String)]>([:])

    private init(isDigestOnly: Bool) { self.isDigestOnly = isDigestOnly }

    /// Returns the one login of these options.
    ///
    /// - Parameters:
    ///   - isDigestOnly: whether credentials are never sent by Basic.
    ///   - proxy: the proxy's URL; nil for the environment's proxies.
    ///   - credentials: the user and the password of `--proxy-user`; nil for those of the proxies' URLs.
    static func shared(
        isDigestOnly: Bool, proxy: String?, credentials: (user: String, password: String)?
    ) -> ProxyLogin {
        let key = Key(
            isDigestOnly: isDigestOnly, proxy: proxy, user: credentials?.user, password: credentials?.password)
        return logins.withLock { logins in
            if let known = logins[key] { return known }
            let login = ProxyLogin(isDigestOnly: isDigestOnly)
            logins[key] = login
            return login
        }
    }

    /// Keeps the user and the password of a proxy for its challenges. Returns the proxy without them, which would otherwise be
    /// sent at once; a proxy of SOCKS is returned as it is.
    func withholding(_ proxy: Proxy) throws(SternaError) -> Proxy {
        guard proxy.kind != .socks5, let user = proxy.username else { return proxy }
        let plain = try Proxy(proxy.kind, host: proxy.host, port: proxy.port)
        credentials.withLock { $0[plain] = (user, proxy.password ?? "") }
        return plain
    }

    func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
        guard challenge.refusedCount == 0, let known = credentials.withLock({ $0[challenge.proxy] }) else { return nil }
        // The password is sent by Digest if the proxy offers that, else by Basic.
        guard !isDigestOnly || DigestChallenge.strongest(in: challenge.challenges) != nil else { return nil }
        return .password(known.user, known.password)
    }
}
