import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization

/// A server that accepts one token, and the refreshes that obtain it.
final class TokenScene: Sendable {
    static let origin = "https://api.example.com"

    private let state = Mutex((valid: "t1", refreshes: 0, expired: [String?]()))

    /// The token that the server accepts.
    var valid: String {
        get { state.withLock { $0.valid } }
        set { state.withLock { $0.valid = newValue } }
    }

    /// How many refreshes have begun, and the tokens that they were given.
    var refreshes: Int { state.withLock { $0.refreshes } }
    var expired: [String?] { state.withLock { $0.expired } }

    /// The server: 200 for the valid token, 401 for any other.
    var mock: MockTransport {
        MockTransport { [self] request in
            request.headers[.authorization] == "Bearer \(valid)" ? .json([:]) : .init(status: 401)
        }
    }

    /// Makes an authentication whose refresh obtains the valid token.
    ///
    /// - Parameters:
    ///   - held: what each refresh waits for.
    ///   - error: what each refresh throws.
    func tokens(
        _ first: AccessToken? = AccessToken("t0"), for urls: [String] = [TokenScene.origin], lifetime: Duration? = nil,
        held: Gate? = nil, error: (any Error)? = nil,
        _ configure: (inout TokenAuthentication.Options) -> Void = { _ in }
    ) throws -> TokenAuthentication {
        var options = TokenAuthentication.Options()
        configure(&options)
        return try TokenAuthentication(first, for: urls, options: options) { [self] expired in
            state.withLock { state in
                state.refreshes += 1
                state.expired.append(expired?.value)
            }
            await held?.wait()
            if let error { throw error }
            return AccessToken(valid, lifetime: lifetime)
        }
    }
}

extension MockTransport {
    /// The Authorization fields of the requests so far.
    var authorizations: [String?] { requests.map { $0.headers[.authorization] } }
}
