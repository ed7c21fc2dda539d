import HTTPTypes
import NIOCore
import SternaCore

/// Credentials for proxies, and answers to their challenges.
///
/// User code runs in its own tasks. Cancelling a dial ends its wait at once.
extension Dialer {
    /// Returns the Proxy-Authorization value for a dial's next request to the proxy; nil for none.
    func authorization(for dial: Dial, _ proxy: Proxy) -> EventLoopFuture<String?> {
        let loop = dial.shard.loop
        guard let authentication = dial.endpoint.proxyAuthentication else {
            return loop.makeSucceededFuture(proxy.authorization)
        }
        var progress = dial.proxyProgress ?? authentication.progress()
        let answer = authentication.answer
        progress.sent = answer?.number
        progress.digest = nil
        defer { dial.proxyProgress = progress }
        switch answer?.authorization.content {
        case nil: return loop.makeSucceededFuture(nil)
        case .password(let user, let password):
            do throws(SternaError) {
                guard let digest = answer?.digest else {
                    return loop.makeSucceededFuture(try Authorization.basic(user, password).proxyFieldValue)
                }
                let target = ConnectHandshake.target(of: dial.endpoint)
                let made = try digest.answer(method: "CONNECT", uri: target) { $0.hash([]) }
                progress.digest = made
                return loop.makeSucceededFuture(try made.authorization.proxyFieldValue)
            } catch {
                return loop.makeFailedFuture(error)
            }
        case .fixed(let authorization):
            return loop.makeCompletedFuture { try authorization.proxyFieldValue }
        case .each(let make):
            let request = ProxyRequest(method: .connect, target: ConnectHandshake.target(of: dial.endpoint))
            let promise = loop.makePromise(of: String?.self)
            let task = Task {
                do {
                    promise.succeed(try await make(request).proxyFieldValue)
                } catch let error as SternaError where error.kind == .invalidHeader {
                    promise.fail(error)
                } catch {
                    promise.fail(
                        SternaError(
                            .proxyFailed, phase: .proxy, "The credentials for the proxy \(proxy) could not be made.",
                            underlying: error))
                }
            }
            return wait(dial, promise) { task.cancel() }
        }
    }

    /// Notes that the proxy has accepted a dial's credentials.
    func accepted(_ dial: Dial) {
        guard let progress = dial.proxyProgress, let used = progress.digest else { return }
        // Nothing is checked without Proxy-Authentication-Info, so nothing is thrown.
        try? dial.endpoint.proxyAuthentication?.accepted(progress.sent, used)
    }

    /// Returns the proxy's refusal if an authenticator may be able to answer it; nil for any other error.
    func challenge(_ error: any Error, to dial: Dial) -> SternaError? {
        guard dial.endpoint.proxyAuthentication != nil, !dial.isCancelled, let refusal = error as? SternaError,
            refusal.proxyResponse?.status.code == 407
        else { return nil }
        return refusal
    }

    /// Succeeds when there are credentials that the proxy has not refused, which ``authorization(for:_:)`` then returns. Otherwise
    /// fails with the refusal.
    func answer(_ refusal: SternaError, _ dial: Dial, _ proxy: Proxy) -> EventLoopFuture<Void> {
        let loop = dial.shard.loop
        guard let authentication = dial.endpoint.proxyAuthentication, let response = refusal.proxyResponse else {
            return loop.makeFailedFuture(refusal)
        }
        let challenges = AuthenticationChallenge.parse(response.section[values: .proxyAuthenticate])
        var progress = dial.proxyProgress ?? authentication.progress()
        if authentication.renew(&progress, for: challenges) {
            dial.proxyProgress = progress
            return loop.makeSucceededVoidFuture()
        }
        guard authentication.hasAuthenticator else {
            guard let schemes = ProxyAuthentication.unsupported(challenges) else {
                return loop.makeFailedFuture(refusal)
            }
            return loop.makeFailedFuture(
                Self.unanswered(refusal, "it accepts only \(schemes), which is not supported."))
        }
        if progress.sent != nil { progress.refusedCount += 1 }
        guard progress.askedCount < ProxyAuthentication.mostAnswers else {
            authentication.refused(progress)
            return loop.makeFailedFuture(
                Self.unanswered(refusal, "it refused the authenticator's credentials \(progress.askedCount) times."))
        }
        progress.askedCount += 1
        dial.proxyProgress = progress
        let challenge = ProxyChallenge(
            proxy: proxy.withoutCredentials,
            request: ProxyRequest(method: .connect, target: ConnectHandshake.target(of: dial.endpoint)),
            challenges: challenges,
            refusedCount: progress.refusedCount, response: response)
        let promise = loop.makePromise(of: Void.self)
        let waiter = authentication.ask(challenge, progress) { result in
            promise.completeWith(
                result.mapError { none in
                    let why = none.cause == nil ? "gave none." : "failed."
                    return Self.unanswered(refusal, "it requires credentials, and the authenticator \(why)", none.cause)
                })
        }
        return wait(dial, promise) { if let waiter { authentication.leave(waiter) } }
    }

    private static func unanswered(
        _ refusal: SternaError, _ why: String, _ cause: (any Error)? = nil
    ) -> SternaError {
        var error = refusal
        // The text before it names proxy, target and status.
        if let colon = error.detail.firstRange(of: "(407): ") { error.detail = error.detail[..<colon.upperBound] + why }
        error.underlying = cause
        return error
    }

    /// Waits until user code fulfils a promise, or the dial is cancelled.
    private func wait<Value: Sendable>(
        _ dial: Dial, _ promise: EventLoopPromise<Value>, _ giveUp: @escaping @Sendable () -> Void
    ) -> EventLoopFuture<Value> {
        // The first completion of a promise counts.
        dial.whenCancelled {
            promise.fail(SternaError.cancelled(phase: .proxy))
            giveUp()
        }
        return promise.futureResult.always { _ in dial.whenCancelled(nil) }
    }
}
