import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaWireTestSupport

/// An authenticator that does what a test says, and keeps what it was asked.
final class ProxyLogin: ProxyAuthenticator {
    private let asked = Mutex<[ProxyChallenge]>([])
    private let answer: @Sendable (ProxyChallenge) async throws -> ProxyAuthorization?

    init(_ answer: @escaping @Sendable (ProxyChallenge) async throws -> ProxyAuthorization?) { self.answer = answer }

    /// Gives these credentials until they are refused.
    convenience init(_ username: String = "ada", _ password: String = "pw") {
        self.init { $0.refusedCount == 0 ? .basic(username, password) : nil }
    }

    var challenges: [ProxyChallenge] { asked.withLock { $0 } }

    func authorization(for challenge: ProxyChallenge) async throws -> ProxyAuthorization? {
        asked.withLock { $0.append(challenge) }
        return try await answer(challenge)
    }
}

extension ProxyScene {
    /// A session through the proxy, whose URL has no credentials unless some are given.
    func session(
        _ login: ProxyLogin, username: String? = nil, password: String = "", engine: Engine = Wire.engine(),
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        let url = username.map { proxy.url(username: $0, password: password) } ?? proxy.url
        return try session(url, engine: engine) {
            $0.network.proxies.authenticator = login
            configure(&$0)
        }
    }

    /// What the proxy was shown, request by request.
    var shown: [TestProxy.Credentials?] { proxy.requests().map(\.credentials) }
}

extension TestProxy.Credentials {
    static let right = TestProxy.Credentials("ada", "pw")
    static let wrong = TestProxy.Credentials("eve", "no")
}
