import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import Synchronization

@testable import Sterna

/// A server that demands credentials.
final class GuardedMock: Sendable {
    let mock: MockTransport

    /// - Parameters:
    ///   - challenges: the WWW-Authenticate lines of each 401.
    ///   - accepts: whether a request has the right credentials.
    init(
        _ challenges: [String], body: String = "no", accepts: @escaping @Sendable (Request) -> Bool
    ) {
        mock = MockTransport { request in
            guard !accepts(request) else { return .json([:]) }
            return Self.refusal(challenges, body: body)
        }
    }

    static func refusal(_ challenges: [String], body: String = "no") -> ServerResponse {
        var answer = ServerResponse.text(body, status: 401)
        for challenge in challenges { answer.headers.add("WWW-Authenticate", challenge) }
        return answer
    }
}

/// A server of Digest (RFC 7616), which counts its nonces.
final class DigestMock: Sendable {
    private struct State {
        var nonce = 1
        var counts: Set<String> = []
        var refusals: [String] = []
    }

    private let state = Mutex(State())
    let user: String
    let password: String
    let algorithm: DigestHash
    let domain: String?

    init(_ user: String, _ password: String, _ algorithm: DigestHash = .sha256, domain: String? = nil) {
        (self.user, self.password, self.algorithm, self.domain) = (user, password, algorithm, domain)
    }

    /// Why requests were refused.
    var refusals: [String] { state.withLock { $0.refusals } }

    /// Makes all nonces stale.
    func renew() { state.withLock { $0.nonce += 1 } }

    var mock: MockTransport {
        MockTransport { request in
            guard let reason = self.refusal(request) else { return .json([:]) }
            self.state.withLock { $0.refusals.append(reason) }
            let nonce = self.state.withLock { $0.nonce }
            var challenge =
                "Digest realm=\"test\", qop=\"auth\", nonce=\"n\(nonce)\", algorithm=\(self.algorithm.rawValue)"
            if let domain = self.domain { challenge += ", domain=\"\(domain)\"" }
            if reason == "stale" { challenge += ", stale=true" }
            return GuardedMock.refusal([challenge])
        }
    }

    private func refusal(_ request: Request) -> String? {
        guard let field = request.headers[.authorization],
            let given = AuthenticationChallenge.parse([field]).first, given.hasScheme("Digest")
        else { return "missing" }
        let nonce = state.withLock { "n\($0.nonce)" }
        guard let sent = given["nonce"], let count = given["nc"], let client = given["cnonce"] else { return "broken" }
        let secret = algorithm.hex("\(user):test:\(password)")
        let target = algorithm.hex("\(request.method.rawValue):\(request.url.requestTarget)")
        let expected = algorithm.hex("\(secret):\(sent):\(count):\(client):auth:\(target)")
        guard given["username"] == user, given["response"] == expected else { return "wrong" }
        guard sent == nonce else { return "stale" }
        return state.withLock { $0.counts.insert("\(sent) \(count)").inserted } ? nil : "replayed"
    }
}
