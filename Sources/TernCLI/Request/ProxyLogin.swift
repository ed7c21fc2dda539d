import Sterna
import Synchronization

/// Sends the user and the password of a proxy only when it asks for them, for `--proxy-digest` and `--proxy-anyauth`.
final class ProxyLogin: ProxyAuthenticator {
    // Each exists once, since connections are shared only by requests with the same authenticator.
    static let digest = ProxyLogin(isDigestOnly: true)
    static let strongest = ProxyLogin(isDigestOnly: false)

    private let isDigestOnly: Bool
    /// The users and passwords by proxies without them.
    private let credentials = Mutex<[Proxy: (user: String, password: String)]>([:])

    private init(isDigestOnly: Bool) { self.isDigestOnly = isDigestOnly }

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
