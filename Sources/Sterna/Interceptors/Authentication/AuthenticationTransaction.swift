import HTTPTypes
import NIOCore
import SternaCore
import SternaTransport
import Synchronization

/// One request and the challenges to it, until the server accepts its credentials or the caller receives the 401.
struct AuthenticationTransaction {
    /// The request to send next.
    private(set) var current: Request

    private var original: Request
    private let interceptor: AuthenticationInterceptor
    private let own: CallCredentials?
    private var situation: AuthenticationRule.Situation
    private var rejected: [Credential] = []

    /// The credential that the current request carries, the paths it will cover, and its Digest response.
    private var carried: (entry: KnownSpaces.Entry, paths: [String], answer: DigestAuthorization?)?

    /// Whether to store the credential once the server has accepted it.
    private var stores = false

    /// Whether the last credential came from the request's own handler.
    private var isOwnHandler = false

    private var hasNewBody = false

    /// Held from the first call of a handler until the server has accepted or refused the last credential.
    private var permit: ChallengeHandlerQueue.Permit?

    private var memory: AuthenticationMemory { interceptor.memory }
    private var events: ChainEvents? { original.state.course.events }

    init(
        _ request: Request, by interceptor: AuthenticationInterceptor, _ policy: AuthenticationPolicy,
        _ own: CallCredentials?
    ) {
        self.interceptor = interceptor
        self.own = own
        original = request
        current = request
        let origin = request.url.origin
        situation = AuthenticationRule.Situation(origin: origin, challenges: [])
        situation.policy = policy
        situation.isExposed = interceptor.isExposed(request.url)
        situation.field = request.headers[.authorization]
        situation.sources = CredentialSource.allCases.filter { source in
            switch source {
            case .url:
                own?.credential(.url, for: request).map { !policy.withholdsEmptyPasswords || !$0.secret.isEmpty }
                    ?? false
            case .request, .session: own?.credential(source, for: request) != nil
            case .remembered:
                own?.hasAny(for: request) != true
                    && interceptor.memory.spaces.withLock { $0.remembersCredential(for: origin) }
            case .store: interceptor.settings.store != nil
            case .netrc: interceptor.settings.netrc != nil
            case .handler:
                (request.state.choices.challengeHandler ?? interceptor.settings.handler) != nil
                    || events?.answersChallenges == true
            }
        }
    }

    /// Makes the first request carry a known credential.
    nonisolated(nonsending) mutating func begin(with entry: KnownSpaces.Entry) async throws {
        try await carry(entry, digest: nil, paths: entry.paths, isPreemptive: true)
    }

    /// Sends the request again with credentials, until the response is no challenge, or one that cannot be answered.
    nonisolated(nonsending) mutating func complete(_ response: Response, _ next: Chain) async throws -> Response {
        var response = response
        while response.status.code == 401 {
            note(response)
            let decision: AuthenticationRule.Decision
            do {
                decision = try await decide(&response)
            } catch {
                throw failure(error, response)
            }
            switch decision {
            case .deliver(let note):
                response.note = note ?? response.note
                return response
            case .fail(let error): throw failure(error, response)
            case .ask: return response
            case .answer(let candidate, let credential, let source, let isRenewal):
                do {
                    try await answer(candidate, credential, source, isRenewal: isRenewal)
                } catch {
                    throw failure(error, response)
                }
            }
            response.body.cancel()
            original.recorder?.expect(.authentication)
            response = try await next(current)
        }
        do {
            try await accept(&response)
        } catch {
            throw failure(error, response)
        }
        return response
    }

    private func failure(_ error: any Error, _ response: Response) -> any Error {
        response.body.cancel()
        guard var known = error as? SternaError else { return error }
        known.requestSent = true
        if known.response == nil { known.response = response }
        return known.at(original)
    }

    // MARK: Decisions

    /// Records a 401 and the refusal of the credential that was sent.
    private mutating func note(_ response: Response) {
        situation.challenges = response.challenges
        situation.isReplayable = original.isReplayable
        situation.carriedLast = carried != nil
        let now = interceptor.time.clock.now
        if AuthenticationRule.refusesLast(situation), let last = situation.sent.last {
            memory.spaces.withLock { $0.refuse(last, at: now) }
            rejected.append(last.credential)
        }
        situation.refusedBefore = memory.spaces.withLock { $0.refused(at: situation.origin, now: now) }
        // Handlers are called again.
        situation.answers = situation.answers.filter { $0.key.source != .handler }
    }

    /// Decides, and queries the credential sources that the decision needs.
    ///
    /// The body is read off its connection before the program's code is called, which may need the connection for requests of its
    /// own.
    private nonisolated(nonsending) mutating func decide(
        _ response: inout Response
    ) async throws -> AuthenticationRule.Decision {
        while true {
            let decision = AuthenticationRule.decide(situation)
            switch decision {
            case .ask(let question, let candidate):
                if question.source.waitsForUser { response.body = await response.body.collected() }
                situation.answers[question] = .some(try await credential(question, candidate, response))
            case .deliver(AuthenticationRule.Notes.notReplayable) where !hasNewBody:
                guard let events else { return decision }
                response.body = await response.body.collected()
                guard let body = await events.newBody(for: original) else { return decision }
                original.body = body
                current.body = body
                hasNewBody = true
                situation.isReplayable = true
            default: return decision
            }
        }
    }

    /// Returns the credential of a source; nil if it has none.
    private nonisolated(nonsending) mutating func credential(
        _ question: AuthenticationRule.Question, _ candidate: ChallengeCandidate, _ response: Response
    ) async throws -> Credential? {
        let settings = interceptor.settings
        switch question.source {
        case .url, .request, .session: return own?.credential(question.source, for: original)
        case .remembered: return memory.spaces.withLock { $0.rememberedCredential(for: question.space) }
        case .store:
            guard let store = settings.store else { return nil }
            do {
                return try await CredentialWait.wait(for: original, on: interceptor.time) {
                    try await store.credential(for: question.space)
                }
            } catch {
                throw SternaError.wrap(
                    error, as: .authenticationFailed, phase: .wait,
                    "The server asks for credentials, and the store that has them failed.")
            }
        case .netrc:
            guard let file = settings.netrc else { return nil }
            return try await memory.content(of: file).credential(
                for: original.url.host, user: own?.user(at: situation.origin))
        case .handler: return try await askHandlers(candidate, response)
        }
    }

    /// Calls the task's closure, the request's handler and the session's, in this order, until one decides.
    private nonisolated(nonsending) mutating func askHandlers(
        _ candidate: ChallengeCandidate, _ response: Response
    ) async throws -> Credential? {
        let challenge = CredentialChallenge(
            url: original.url.removingUserinfo(), method: original.method, space: candidate.space,
            scheme: candidate.scheme.name, challenges: situation.challenges, rejected: rejected,
            response: Response(
                status: response.status, version: response.version, section: response.section, url: response.url))
        let chosen = original.state.choices.challengeHandler
        let ownHandler = chosen.flattened()
        if ownHandler == nil, permit?.space != candidate.space {
            permit = nil
            let (queue, space) = (memory.handlerQueue, candidate.space)
            permit = try await CredentialWait.wait(for: original, on: interceptor.time) { await queue.take(space) }
            // Another request has obtained a credential meanwhile.
            if let known = memory.spaces.withLock({ $0.givenCredential(for: space) }), !rejected.contains(known) {
                (stores, isOwnHandler) = (false, false)
                return known
            }
        }
        let (events, handlers) = (events, [ownHandler, chosen.isSetToNil() ? nil : interceptor.settings.handler])
        let answer: (ChallengeDisposition, isOwn: Bool)
        do {
            answer = try await CredentialWait.wait(for: original, on: interceptor.time) {
                try await ChallengeHandlerQueue.$isAsking.withValue(true) {
                    if let decided = await events?.answer(challenge) { return (decided, false) }
                    for (index, handler) in handlers.enumerated() {
                        guard let handler else { continue }
                        let decided = try await handler.answer(challenge)
                        if case .useDefault = decided { continue }
                        return (decided, index == 0)
                    }
                    return (.useDefault, false)
                }
            }
        } catch {
            throw Self.handlerFailure(error)
        }
        events?.answered(challenge, answer.0)
        switch answer.0 {
        case .use(let credential, let stores):
            (self.stores, isOwnHandler) = (stores, answer.isOwn)
            return credential
        case .useDefault: return nil
        case .cancel:
            throw SternaError(.cancelled, phase: .wait, "The handler of the server's challenge cancelled the request.")
        case .fail(let error): throw Self.handlerFailure(error)
        }
    }

    private static func handlerFailure(_ error: any Error) -> SternaError {
        SternaError.wrap(
            error, as: .authenticationFailed, phase: .wait,
            "The server asks for credentials, and the handler of its challenge failed.")
    }

    // MARK: Answers

    /// Makes the current request carry a credential.
    private nonisolated(nonsending) mutating func answer(
        _ candidate: ChallengeCandidate, _ credential: Credential, _ source: CredentialSource, isRenewal: Bool
    ) async throws {
        if isRenewal { situation.renewals += 1 }
        if source != .handler { stores = false }
        let source = source == .request && situation.policy.remembersCredential ? .remembered : source
        let isShared = source.isOfSession || source == .handler && !isOwnHandler
        let entry = KnownSpaces.Entry(
            space: candidate.space, credential: credential, source: source, scheme: candidate.scheme.name,
            isShared: isShared)
        var digest: DigestChallenge?
        if case .digest(let challenge) = candidate.scheme { digest = challenge }
        try await carry(
            entry, digest: digest, paths: CoveredPaths.paths(candidate.scheme, of: original.url), isPreemptive: false)
    }

    /// - Parameter digest: the challenge to answer; nil for the entry's known challenge, and for other schemes.
    private nonisolated(nonsending) mutating func carry(
        _ entry: KnownSpaces.Entry, digest: DigestChallenge?, paths: [String], isPreemptive: Bool
    ) async throws {
        var sent = AuthenticationRule.Sent(
            space: entry.space, credential: entry.credential, source: entry.source, isPreemptive: isPreemptive)
        let authorization: Authorization
        var digestAuthorization: DigestAuthorization?
        if let challenge = digest ?? entry.digest?.challenge {
            let hash = challenge.needsBodyHash ? try await bodyHash(by: challenge.algorithm) : nil
            let (method, uri) = (original.method.rawValue, original.url.requestTarget)
            let made = try memory.spaces.withLock { spaces throws(SternaError) -> DigestAuthorization? in
                var made: DigestAuthorization?
                let answer = { (entry: inout KnownSpaces.Entry) throws(SternaError) in
                    // All requests with the same nonce share a state, so that each nonce count is used once (RFC 7616, 3.4).
                    if let digest, entry.digest?.challenge.nonce != digest.nonce || entry.digest?.challenge != digest {
                        entry.digest = DigestState(digest)
                    }
                    made = try entry.digest?.authorization(
                        user: entry.credential.user ?? "", password: entry.credential.secret, method: method, uri: uri,
                        bodyHash: { (_) throws(SternaError) in hash })
                }
                if isPreemptive { try spaces.updateKnown(entry, answer) } else { try spaces.update(entry, answer) }
                return made
            }
            // The entry was removed meanwhile: the request is sent without it, and the server will challenge it.
            guard let made else { return }
            (authorization, digestAuthorization, sent.nonce) = (made.authorization, made, made.nonce)
        } else {
            authorization = AuthenticationRule.field(entry.credential)
        }
        current = original
        current.headers[.authorization] = try Headers.field("Authorization", authorization.fieldValue).value
        if digestAuthorization != nil {
            var identity = IdentityParts()
            for text in [entry.credential.user ?? "", entry.credential.secret] {
                identity.add(.authorization, text.utf8)
            }
            current.state.access.digestIdentity = identity.bytes
        }
        situation.sent.append(sent)
        carried = (entry, paths, digestAuthorization)
    }

    /// Hashes the body, which may come from a slow source, within the request's time.
    private nonisolated(nonsending) func bodyHash(by algorithm: DigestHash) async throws -> [UInt8]? {
        let body = original.body
        return try await CredentialWait.wait(for: original, on: interceptor.time) {
            try await DigestBody.hash(body, by: algorithm)
        }
    }

    // MARK: Acceptance

    /// Remembers the credential if the response shows that the server has accepted it.
    private nonisolated(nonsending) mutating func accept(_ response: inout Response) async throws {
        guard let (entry, paths, answer) = carried else { return }
        let isAccepted = AuthenticationRule.showsAcceptance(response.status.code)
        let info = answer == nil ? nil : response[HTTPField.Name.authenticationInfo]
        var bodyHash: [UInt8]?
        if let answer, let info, answer.quality == .authInt || info.contains("auth-int"), let body = response.body.whole
        {
            bodyHash = answer.algorithm.hash(body.readableBytesView)
        }
        let hash = bodyHash
        try memory.spaces.withLock { spaces throws(SternaError) in
            if let answer, let info {
                try spaces.updateKnown(entry) { entry throws(SternaError) in
                    try entry.digest?.note(info: info, answer: answer) { (_) throws(SternaError) in hash }
                }
            }
            guard isAccepted else { return }
            let accept = { (entry: inout KnownSpaces.Entry) throws(SternaError) in
                CoveredPaths.merge(paths, into: &entry.paths)
            }
            // An entry with a nonce that was removed meanwhile is not added again.
            if answer == nil { try spaces.update(entry, accept) } else { try spaces.updateKnown(entry, accept) }
            spaces.forgetRemembered(before: entry)
            spaces.forgetRefusal(entry.space, entry.credential)
        }
        guard isAccepted, stores, let store = interceptor.settings.store else { return }
        do {
            try await CredentialWait.wait(for: original, on: interceptor.time) {
                try await store.setCredential(entry.credential, for: entry.space)
            }
        } catch {
            response.note = "The server has accepted the credential, but the store could not keep it."
        }
    }
}

extension HTTPField.Name {
    /// Authentication-Info (RFC 9110, 11.6.3).
    fileprivate static let authenticationInfo = HTTPField.Name("Authentication-Info") ?? .authorization
}
