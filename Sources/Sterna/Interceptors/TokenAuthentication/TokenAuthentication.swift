import HTTPTypes
import NIOCore
public import SternaCore
import SternaTransport
import Synchronization

/// Adds a token to requests, and refreshes it before it expires and after a server has rejected it; the counterpart of Alamofire's
/// `AuthenticationInterceptor`.
///
///     let tokens = try TokenAuthentication(saved, for: ["https://api.example.com"]) { expired in
///         let reply = try await login.post("refresh", parameters: ["token": expired?.refreshToken ?? ""])
///         return AccessToken(try await reply.json()["token"].string ?? "", lifetime: .seconds(600))
///     }
///     let api = try Session(baseURL: "https://api.example.com") { $0.auth.tokens = tokens }
///
/// Only requests to its origins carry the token, also after a redirect; requests that already have the field do not. All requests
/// that need a new token wait for one refresh. If it fails, they fail with its error, whose response is the one that rejected the
/// token, unless the error has its own. A request that was rejected with an old token is sent once more with the new one, if its
/// body can be sent again; otherwise its response is the result. The session's credentials do not answer challenges to a request
/// with the token in Authorization.
///
/// Sessions may share it. The refresh runs in a task of its own, so cancelling a request only ends that request's wait. Requests
/// that the closure sends do not use the token, whatever session sends them. A request from a detached task would wait for the
/// refresh that it is part of: set its ``RequestSettings/Auth/usesTokens`` to false.
public final class TokenAuthentication: Sendable {
    /// Obtains a token to replace one that has expired or was rejected; nil if there was none yet.
    public typealias Refresh = @Sendable (_ expired: AccessToken?) async throws -> AccessToken

    /// The field that carries the token.
    public enum Location: Sendable, Hashable {
        /// Authorization, with the scheme `Bearer` (RFC 6750, 2.1) or another one.
        case authorization(scheme: String = "Bearer")
        /// A field that contains only the token, such as `X-Auth-Token`.
        case header(String)
    }

    /// How a token is sent and refreshed.
    public struct Options: Sendable {
        /// The field that carries the token; `Authorization: Bearer` by default.
        public var location = Location.authorization()

        /// How long before its expiry a token is refreshed, but not before half of its lifetime; a minute by default.
        public var refreshesBefore = Duration.seconds(60)

        /// The maximum number of refreshes within ``refreshWindow``; 5 by default. Beyond it, an expired token is sent until a
        /// server rejects it; a request without a token, or with a rejected one, fails with `limitExceeded`.
        public var mostRefreshes = 5

        /// The time over which refreshes are counted; 30 seconds by default.
        public var refreshWindow = Duration.seconds(30)

        /// Returns whether a response rejects the token; by default for status 401. It is called with each response to a request
        /// that carried the token. A body that did not arrive together with the head is not read yet: `response.body.whole` is then
        /// nil, unless a network interceptor has collected it.
        public var isRejected: @Sendable (Request, Response) -> Bool = { _, response in response.status.code == 401 }

        /// The clock that measures lifetimes; the system's by default.
        public var clock = NetworkClock.system

        public init() {}
    }

    /// A request that waits for a refresh. The error of the refresh is a result; the wait itself throws only for the request's
    /// cancellation or deadline. The result is nil if the token was replaced meanwhile.
    private typealias Waiter = UserWait<Result<TokenRule.Ticket?, SternaError>>

    private struct State {
        var rule: TokenRule
        var waiters: [ObjectIdentifier: Waiter] = [:]

        /// The error of the last failed refresh, and whether no refresh has succeeded since.
        var failure: SternaError?
        var isFailing = false

        /// The head of the response that rejected the current token; nil if none has.
        var rejection: Response?

        mutating func note(_ rejected: Rejection) {
            guard rule.isCurrent(rejected.ticket) else { return }
            let response = rejected.response
            rejection = Response(
                status: response.status, version: response.version, section: response.section, url: response.url)
        }
    }

    /// A token that a server has rejected, and its response.
    struct Rejection {
        let ticket: TokenRule.Ticket
        let response: Response
    }

    /// The state for a request that cannot simply use the current token.
    private struct Asking {
        let lastFailure: SternaError?
        let isFailing: Bool
        let rejection: Response?
        var waiter: Waiter?
    }

    // A list, since there are few: hashing an origin costs more.
    let origins: [Origin]
    let options: Options
    private let refreshing: Refresh?
    private let state: Mutex<State>

    /// The name of the field that carries the token; nil if it is not a valid name.
    private let name: HTTPField.Name?

    /// The field of the last sent token, which the next request usually sends, too.
    private let lastField = Mutex<(number: UInt64, field: HTTPField)?>(nil)

    /// The objects whose refresh the current task is part of.
    @TaskLocal private static var underWay: Set<ObjectIdentifier> = []

    /// Creates an authentication.
    ///
    /// - Parameters:
    ///   - token: the first token; nil to obtain one by a refresh when the first request needs it.
    ///   - urls: absolute URLs, whose origins (scheme, host and port) receive the token.
    ///   - refresh: obtains new tokens; with nil, the default, the token is sent until it is replaced.
    /// - Throws: `invalidURL` for a URL that is not absolute, or neither http nor https.
    public init(
        _ token: AccessToken? = nil, for urls: [any URLConvertible], options: Options = Options(),
        refresh: Refresh? = nil
    ) throws(SternaError) {
        origins = Array(Set(try urls.map { (url) throws(SternaError) in try Self.origin(of: url) }))
        self.options = options
        name = HTTPField.Name(Self.fieldName(of: options.location))
        refreshing = refresh
        let limits = TokenRule.Limits(
            leeway: TimeAmount(clamping: options.refreshesBefore), mostRefreshes: max(0, options.mostRefreshes),
            window: TimeAmount(clamping: options.refreshWindow), canRefresh: refresh != nil)
        var rule = TokenRule(limits: limits)
        if let token { rule.replace(by: token, at: options.clock.now) }
        state = Mutex(State(rule: rule))
    }

    private static func origin(of url: any URLConvertible) throws(SternaError) -> Origin {
        do {
            let parsed = try url.resolve(against: nil)
            guard parsed.scheme == .http || parsed.scheme == .https else {
                throw HTTPURL.ParseError.unsupportedScheme(nil)
            }
            return parsed.origin
        } catch {
            throw SternaError(
                .invalidURL, phase: .prepare, "The origins of a token are absolute http or https URLs: \(error)")
        }
    }

    /// The current token. Setting it replaces the token for all further and all waiting requests; the result of a refresh under way
    /// is then ignored. After setting nil, for example to log out, the next request obtains a token by a refresh.
    public var token: AccessToken? {
        get { state.withLock { $0.rule.token } }
        set {
            let now = options.clock.now
            let waiters = state.withLock { state in
                state.rule.replace(by: newValue, at: now)
                state.rejection = nil
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            lastField.withLock { $0 = nil }
            for waiter in waiters { waiter.end(.success(.success(nil))) }
        }
    }

    /// Whether tokens can be refreshed, so that a rejected request is sent again or fails.
    var canRefresh: Bool { refreshing != nil }

    /// The number of requests that wait for a refresh.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Requests

    /// Returns whether a request needs the token.
    func applies(to request: Request) -> Bool {
        guard origins.contains(request.url.origin), request.state.choices.usesToken else { return false }
        return !Self.underWay.contains(ObjectIdentifier(self)) && !(name.map(request.headers.contains) ?? false)
    }

    private static func fieldName(of location: Location) -> String {
        switch location {
        case .authorization: "Authorization"
        case .header(let name): name
        }
    }

    /// Returns a request with a token; throws `invalidHeader` for a token that cannot be sent.
    func applied(_ ticket: TokenRule.Ticket, to request: Request) throws(SternaError) -> Request {
        var request = request
        do {
            // The request has no field of this name: see `applies(to:)`.
            request.headers.append(try field(of: ticket))
        } catch {
            throw error.at(request)
        }
        switch options.location {
        case .authorization: request.state.access.carriesToken = true
        case .header(let name): request.options[SecretHeadersKey.self].insert(name)
        }
        return request
    }

    private func field(of ticket: TokenRule.Ticket) throws(SternaError) -> HTTPField {
        if let last = lastField.withLock({ $0 }), last.number == ticket.number { return last.field }
        let value =
            switch options.location {
            case .authorization(let scheme): Authorization(scheme, ticket.token.value).fieldValue
            case .header: ticket.token.value
            }
        let field = try Headers.field(Self.fieldName(of: options.location), value)
        lastField.withLock { $0 = (ticket.number, field) }
        return field
    }

    /// Returns the token for a request, after a refresh if one is needed; nil to send it without.
    ///
    /// The error of a refresh is given the response that caused the refresh, unless it has its own, so that requests that were
    /// never sent fail with a status, too.
    ///
    /// - Parameter rejected: the token that a server has rejected; nil before the request is sent.
    nonisolated(nonsending) func ticket(
        for request: Request, insteadOf rejected: Rejection? = nil, _ time: LoopClock
    ) async throws(SternaError) -> TokenRule.Ticket? {
        while true {
            let now = options.clock.now
            let (decision, asking) = state.withLock { state -> (TokenRule.Decision, Asking?) in
                if let rejected { state.note(rejected) }
                let decision = rejected.map { state.rule.rejected($0.ticket, at: now) } ?? state.rule.ask(at: now)
                // The usual case, for which no further state is needed.
                if case .use = decision { return (decision, nil) }
                let rejection = rejected?.response ?? state.rejection
                var asking = Asking(lastFailure: state.failure, isFailing: state.isFailing, rejection: rejection)
                if case .wait = decision {
                    let waiter = Self.waiter(for: request, time)
                    state.waiters[ObjectIdentifier(waiter)] = waiter
                    asking.waiter = waiter
                }
                return (decision, asking)
            }
            switch decision {
            case .use(let ticket): return ticket
            case .send, .giveUp: return nil
            case .failed:
                guard let failure = asking?.lastFailure else { return nil }
                throw Self.failure(failure, after: asking?.rejection)
            case .tooMany:
                let failure = asking?.isFailing == true ? asking?.lastFailure : nil
                throw Self.failure(tooMany(failure), after: asking?.rejection)
            case .wait(let number, let begins):
                guard let waiter = asking?.waiter else { return nil }
                if begins { begin(number) }
                defer { leave(waiter) }
                let outcome: Result<TokenRule.Ticket?, SternaError>
                do {
                    outcome = try await waiter.value()
                } catch {
                    throw Self.failure(of: error)
                }
                switch outcome {
                case .success(let ticket?): return ticket
                case .success(nil): break
                case .failure(let error): throw Self.failure(error, after: asking?.rejection)
                }
            }
        }
    }

    /// Returns the error of a request that would need more refreshes than the window permits.
    ///
    /// - Parameter failure: the error of the last refresh; nil if it obtained a token.
    private func tooMany(_ failure: SternaError?) -> SternaError {
        let most = max(0, options.mostRefreshes)
        guard most > 0 else {
            return SternaError(
                .limitExceeded, phase: .prepare,
                "A new token is needed, and the options allow no refresh (mostRefreshes).")
        }
        let count = "\(most) \(most == 1 ? "time" : "times") within \(options.refreshWindow)"
        guard let failure else {
            return SternaError(
                .limitExceeded, phase: .prepare,
                "The token was refreshed \(count), and the server has rejected the last one, too; a new refresh has to wait."
            )
        }
        return SternaError(
            .limitExceeded, phase: .prepare,
            "A refresh of the token was begun \(count), and the last one failed; a new one has to wait: \(failure.detail)",
            underlying: failure)
    }

    /// Returns the error of a refresh with the response that caused the refresh, unless it has its own.
    private static func failure(_ error: SternaError, after rejection: Response?) -> SternaError {
        guard error.response == nil, let rejection else { return error }
        var error = error
        error.response = rejection
        return error
    }

    /// Records that a token was rejected by the response to a request that cannot be sent again.
    func reject(_ rejected: Rejection) {
        state.withLock { state in
            state.note(rejected)
            state.rule.reject(rejected.ticket)
        }
    }

    private static func waiter(for request: Request, _ time: LoopClock) -> Waiter {
        Waiter(
            for: request, on: time, in: .prepare,
            late: SternaError(
                .timedOut, phase: .prepare, "The time for the whole request was up while it waited for a new token."))
    }

    private func leave(_ waiter: Waiter) {
        state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(waiter)) }
    }

    // MARK: Refreshing

    private func begin(_ number: UInt64) {
        guard let refreshing else { return }
        let expired = token
        let ids = Self.underWay.union([ObjectIdentifier(self)])
        // Detached: the cancellation and the task-local values of the request that begins it must not affect other requests.
        Task.detached {
            let result = await Self.$underWay.withValue(ids) { await Self.result(of: refreshing, expired) }
            self.end(number, result)
        }
    }

    private static func result(of refresh: Refresh, _ expired: AccessToken?) async -> Result<AccessToken, SternaError> {
        do {
            return .success(try await refresh(expired))
        } catch {
            return .failure(failure(of: error))
        }
    }

    private static func failure(of error: any Error) -> SternaError {
        error as? SternaError
            ?? SternaError(
                .interceptorFailed, phase: .prepare,
                "The token could not be refreshed: \(CodingReason.text(error))", underlying: error)
    }

    private func end(_ number: UInt64, _ result: Result<AccessToken, SternaError>) {
        let now = options.clock.now
        let (outcome, waiters): (Result<TokenRule.Ticket?, SternaError>, [Waiter]) = state.withLock { state in
            // A refresh that was superseded has no waiters: they resumed when the token was replaced.
            guard state.rule.currentRefresh == number else { return (.success(nil), []) }
            let waiters = Array(state.waiters.values)
            state.waiters = [:]
            switch result {
            case .success(let token):
                state.isFailing = false
                state.rejection = nil
                return (.success(state.rule.refreshed(number, with: token, at: now)), waiters)
            case .failure(let error):
                _ = state.rule.refreshed(number, with: nil, at: now)
                (state.failure, state.isFailing) = (error, true)
                return (.failure(error), waiters)
            }
        }
        for waiter in waiters { waiter.end(.success(outcome)) }
    }
}

extension TokenAuthentication: CustomReflectable {
    /// Shows the origins.
    public var customMirror: Mirror {
        Mirror(self, children: ["origins": origins.map(\.description).sorted()], displayStyle: .class)
    }
}
