import HTTPTypes
import NIOCore
package import SternaCore

/// The credentials of one request that a proxy forwards (RFC 9110, 11.7.2), and the answers to the proxy's challenges.
///
/// An interceptor holds the value, since the engine sends a request once. Tunnels use the same credentials.
package struct ForwardedCredentials: Sendable {
    private let authentication: ProxyAuthentication
    private let proxy: Proxy
    private let endpoint: Endpoint
    private let shard: Shard
    private var progress: ProxyAuthentication.Progress

    /// Returns nil if no proxy forwards the request, or if the proxy has no credentials and there is no authenticator.
    init?(_ endpoint: Endpoint) {
        guard endpoint.forwarding != nil, let authentication = endpoint.proxyAuthentication,
            case .proxy(let proxy) = endpoint.route
        else { return nil }
        self.authentication = authentication
        self.proxy = proxy
        self.endpoint = endpoint
        shard = endpoint.pools[0].shard
        progress = authentication.progress()
    }

    /// Adds the current credentials for the proxy to a request, if there are any.
    ///
    /// Throws if the credentials cannot be made or written, and if the request runs out of time.
    package nonisolated(nonsending) mutating func apply(to request: inout Request) async throws {
        let answer = authentication.answer
        progress.sent = answer?.number
        progress.digest = nil
        // Proxies may be chosen for each URL, and the next choice may be another proxy, which must not see the credentials.
        if endpoint.isChosenForEachURL { request.options[ForwardingEndpointKey.self] = ForwardingEndpoint(endpoint) }
        let authorization: Authorization
        switch answer?.authorization.content {
        case nil: return
        case .fixed(let fixed): authorization = fixed
        case .password(let user, let password):
            guard let digest = answer?.digest else {
                authorization = .basic(user, password)
                break
            }
            let seen = Self.proxyRequest(request)
            let algorithm = digest.algorithmOfBody
            var hash: [UInt8]?
            do {
                if let algorithm {
                    let body = request.body
                    // A slow source may delay it.
                    hash = try await wait(request).result(of: { try await DigestBody.hash(body, by: algorithm) })
                }
            } catch {
                throw SternaError.wrap(
                    error, as: .fileUnreadable, phase: .prepare, "The body could not be read to be hashed.")
            }
            let bodyHash = hash
            let made = try digest.answer(method: seen.method.rawValue, uri: seen.target) {
                $0 == algorithm ? bodyHash : nil
            }
            progress.digest = made
            authorization = made.authorization
        case .each(let make):
            let seen = Self.proxyRequest(request)
            do {
                authorization = try await wait(request).result(of: { try await make(seen) })
            } catch let error as SternaError {
                throw error
            } catch {
                throw SternaError(
                    .proxyFailed, phase: .proxy, "The credentials for the proxy \(proxy) could not be made.",
                    underlying: error)
            }
        }
        request.headers[.proxyAuthorization] = try authorization.proxyFieldValue
    }

    /// What follows a proxy's challenge.
    package enum Step: Sendable {
        /// The response is the caller's.
        case deliver
        /// The request is sent again, with other credentials.
        case again
        /// The authenticator may have other credentials; see ``ask(_:about:)``.
        case ask
    }

    /// Decides what follows a challenge.
    package mutating func step(after response: Response, to request: Request) -> Step {
        let challenges = AuthenticationChallenge.parse(response.section[values: .proxyAuthenticate])
        // Other requests profit from a fresh nonce even if this one cannot be sent again.
        if authentication.renew(&progress, for: challenges, canHashBody: DigestBody.canHash(request.body)) {
            return request.isReplayable ? .again : .deliver
        }
        if progress.sent != nil { progress.refusedCount += 1 }
        guard authentication.hasAuthenticator, progress.askedCount < ProxyAuthentication.mostAnswers,
            request.isReplayable
        else {
            authentication.refused(progress)
            return .deliver
        }
        progress.askedCount += 1
        return .ask
    }

    /// Asks the authenticator; returns whether to send the request again.
    ///
    /// Throws `proxyFailed` with the authenticator's error as `underlying`, and throws if the request runs out of time.
    package nonisolated(nonsending) func ask(_ response: Response, about request: Request) async throws -> Bool {
        let challenge = ProxyChallenge(
            proxy: proxy.withoutCredentials, request: Self.proxyRequest(request),
            challenges: AuthenticationChallenge.parse(response.section[values: .proxyAuthenticate]),
            refusedCount: progress.refusedCount,
            response: Response(
                status: response.status, version: response.version, section: response.section, url: response.url))
        let (authentication, progress) = (authentication, progress)
        do {
            let wait: UserWait<Void> = wait(request)
            try await wait.value {
                let waiter = authentication.ask(challenge, progress) { wait.end($0.mapError { $0 as any Error }) }
                return { if let waiter { authentication.leave(waiter) } }
            }
            return true
        } catch let none as ProxyAuthentication.NoCredentials {
            guard let cause = none.cause else { return false }
            var error = SternaError(
                .proxyFailed, phase: .proxy,
                "The proxy \(proxy) refused a request (407): it requires credentials, and the authenticator failed.",
                underlying: cause)
            error.proxyResponse = challenge.response
            throw error
        }
    }

    /// Reads the Proxy-Authentication-Info of a response that the proxy has passed on (RFC 7615, 4): the next nonce, and the
    /// proxy's proof that it knows the password.
    ///
    /// Throws `proxyFailed` for a wrong proof.
    package func accepted(by response: Response) throws(SternaError) {
        guard let used = progress.digest else { return }
        let info = Array(response.section[values: .proxyAuthenticationInfo]).joined(separator: ", ")
        do {
            try authentication.accepted(progress.sent, used, info: info.isEmpty ? nil : info) { algorithm in
                response.body.whole.map { algorithm.hash($0.readableBytesView) }
            }
        } catch {
            var failure = SternaError(
                .proxyFailed, phase: .proxy,
                "The proxy \(proxy) did not prove that it knows the password: \(error.detail)",
                underlying: error)
            failure.response = response
            throw failure
        }
    }

    private func wait<Value: Sendable>(_ request: Request) -> UserWait<Value> {
        UserWait(
            for: request, on: LoopClock(shard.clock, on: shard.loop), in: .proxy,
            late: Exchange.deadlinePassed(in: .proxy))
    }

    private static func proxyRequest(_ request: Request) -> ProxyRequest {
        // A proxy receives no user information and no fragment.
        ProxyRequest(
            method: request.method,
            target: "\(request.url.scheme.rawValue)://\(request.url.hostField)\(request.url.requestTarget)")
    }
}

extension EngineSender {
    /// Returns the credentials of a request to a URL that a proxy forwards; nil if no proxy forwards it, or if the proxy has no
    /// credentials and there is no authenticator.
    package func forwardedCredentials(for url: HTTPURL) throws(SternaError) -> ForwardedCredentials? {
        ForwardedCredentials(try origins.endpoint(for: url, of: engine))
    }
}

extension Authorization {
    /// The value of Proxy-Authorization; throws `invalidHeader` if it cannot be written.
    var proxyFieldValue: String {
        get throws(SternaError) {
            var failure: SternaError
            do throws(SternaError) {
                return try Headers.field("Proxy-Authorization", fieldValue).value
            } catch {
                failure = error
            }
            failure.phase = .proxy
            throw failure
        }
    }
}

/// The endpoint that a request's proxy credentials are for.
struct ForwardingEndpoint: Sendable {
    let endpoint: Endpoint

    init(_ endpoint: Endpoint) { self.endpoint = endpoint }
}

enum ForwardingEndpointKey: RequestOptionKey {
    static let defaultValue: ForwardingEndpoint? = nil
}
