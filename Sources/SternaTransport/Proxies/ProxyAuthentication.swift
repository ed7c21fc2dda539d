import SternaCore
import SternaSecurity
import Synchronization

/// A proxy's credentials, its own or those of an authenticator: the current answer, and the question to the authenticator in
/// progress.
///
/// All connections to the proxy share it, on every event loop. An answer is a set of credentials. One task at a time asks the
/// authenticator, and all challenged connections wait for it.
final class ProxyAuthentication: Sendable {
    /// The number of times that each connection, or forwarded request, may ask the authenticator.
    static let mostAnswers = 3

    /// The number of times that each connection may answer a challenge with a user name and password that are known: by Digest
    /// in place of Basic, or with another nonce.
    static let mostRenewals = 3

    /// An answer; a later one has a higher number.
    struct Answer: Sendable {
        let number: Int
        let authorization: ProxyAuthorization
        /// Makes what is sent in place of the authorization, if the proxy offers Digest.
        var digest: ProxyDigest?
        /// The number of the answer with the same user name and password, by Basic, that this one replaces.
        var predecessor: Int?
    }

    /// The progress of one connection attempt, or of one forwarded request.
    struct Progress: Sendable {
        /// The number of the answer that was sent last; nil if none was.
        var sent: Int?
        /// What was sent by Digest.
        var digest: DigestAuthorization?
        var refusedCount = 0
        var askedCount = 0
        fileprivate var renewals = 0
        fileprivate let began: Int
    }

    /// The error of a question to which the authenticator gave no credentials.
    struct NoCredentials: Error {
        /// What the authenticator threw; nil if it returned nil.
        let cause: (any Error)?
    }

    typealias Receiver = @Sendable (Result<Void, NoCredentials>) -> Void

    private struct Question {
        let number: Int
        var task: Task<Void, Never>?
        var receivers: [Int: Receiver]
    }

    private struct State {
        var answer: Answer?
        var lastAnswer = 0
        var question: Question?
        var lastQuestion = 0
        var lastReceiver = 0
        /// How often the authenticator gave no credentials, and its last reason.
        var surrenders = 0
        var lastSurrender = NoCredentials(cause: nil)

        mutating func forget(_ number: Int?) {
            if let answer, answer.number == number { self.answer = nil }
        }
    }

    private let authenticator: (any ProxyAuthenticator)?
    private let state: Mutex<State>

    /// - Parameter proxy: provides its own credentials as the first answer, by Basic before any challenge.
    init(_ proxy: Proxy, _ authenticator: (any ProxyAuthenticator)?) {
        self.authenticator = authenticator
        var state = State()
        if let username = proxy.username, let password = proxy.password {
            state.answer = Answer(number: 0, authorization: .password(username, password))
        }
        self.state = Mutex(state)
    }

    /// The answer to send without a challenge.
    var answer: Answer? { state.withLock { $0.answer } }

    /// Whether there is an authenticator to ask.
    var hasAuthenticator: Bool { authenticator != nil }

    /// Forgets the last answer of an attempt, which the proxy has refused. A proxy's own credentials are kept if there is no
    /// authenticator that could replace them.
    func refused(_ progress: Progress) {
        guard hasAuthenticator else { return }
        state.withLock { $0.forget(progress.sent) }
    }

    /// Returns whether a challenge can be answered without a question: by Digest in place of Basic, or with another nonce.
    ///
    /// - Parameter canHashBody: whether the body of the challenged request can be hashed.
    func renew(
        _ progress: inout Progress, for challenges: [SternaCore.AuthenticationChallenge], canHashBody: Bool = true
    ) -> Bool {
        let (sent, used) = (progress.sent, progress.digest)
        let isRenewed = state.withLock { state in
            guard let sent, let answer = state.answer else { return false }
            guard answer.number == sent else { return answer.predecessor == sent }
            let challenge = DigestChallenge.strongest(in: challenges, canHashBody: canHashBody)
            if let digest = answer.digest {
                guard let challenge, let used else { return false }
                return digest.renew(by: challenge, after: used)
            }
            guard let challenge, case .password(let user, let password) = answer.authorization.content else {
                return false
            }
            state.lastAnswer += 1
            state.answer = Answer(
                number: state.lastAnswer, authorization: answer.authorization,
                digest: ProxyDigest(user, password, challenge), predecessor: sent)
            return true
        }
        guard isRenewed, progress.renewals < Self.mostRenewals else { return false }
        progress.renewals += 1
        return true
    }

    /// Notes that the proxy has accepted an answer by Digest, and its Proxy-Authentication-Info.
    ///
    /// Throws `unacceptableResponse` for a wrong proof that the proxy knows the password.
    func accepted(
        _ number: Int?, _ used: DigestAuthorization, info: String? = nil,
        bodyHash: (DigestHash) throws(SternaError) -> [UInt8]? = { (_) throws(SternaError) in nil }
    ) throws(SternaError) {
        let digest = state.withLock { $0.answer?.number == number ? $0.answer?.digest : nil }
        try digest?.accepted(used, info: info, bodyHash: bodyHash)
    }

    /// Returns the progress of a new connection attempt.
    func progress() -> Progress { Progress(began: state.withLock { $0.surrenders }) }

    /// Identifies the wait of one receiver, to end it.
    struct Wait: Sendable {
        fileprivate let question: Int
        fileprivate let receiver: Int
    }

    /// Obtains another answer than the refused one. Calls the receiver when there is one, or with an error if there will be none.
    ///
    /// The receiver is called once, from any thread and possibly at once, unless ``leave(_:)`` comes first. Returns nil if it
    /// has been called.
    func ask(_ challenge: ProxyChallenge, _ progress: Progress, _ receive: @escaping Receiver) -> Wait? {
        let step: Result<Wait?, NoCredentials> = state.withLock { state in
            state.forget(progress.sent)
            // Another connection has been challenged meanwhile, and has obtained an answer.
            if state.answer != nil { return .success(nil) }
            // An authenticator that gave up while this connection was being opened would be asked again for the same reason.
            if state.surrenders > progress.began { return .failure(state.lastSurrender) }
            state.lastReceiver += 1
            let receiver = state.lastReceiver
            if let question = state.question {
                state.question?.receivers[receiver] = receive
                return .success(Wait(question: question.number, receiver: receiver))
            }
            state.lastQuestion += 1
            let number = state.lastQuestion
            // The task runs elsewhere: the authenticator is never called under the lock.
            let task = Task { await self.run(number, challenge) }
            state.question = Question(number: number, task: task, receivers: [receiver: receive])
            return .success(Wait(question: number, receiver: receiver))
        }
        switch step {
        case .success(nil):
            receive(.success(()))
            return nil
        case .success(let wait): return wait
        case .failure(let error):
            receive(.failure(error))
            return nil
        }
    }

    /// Stops waiting; the last receiver to leave cancels the authenticator's task.
    func leave(_ wait: Wait) {
        let task: Task<Void, Never>? = state.withLock { state in
            guard state.question?.number == wait.question else { return nil }
            state.question?.receivers[wait.receiver] = nil
            guard state.question?.receivers.isEmpty == true else { return nil }
            defer { state.question = nil }
            return state.question?.task
        }
        task?.cancel()
    }

    private func run(_ number: Int, _ challenge: ProxyChallenge) async {
        let result: Result<ProxyAuthorization?, any Error>
        do {
            let authorization = try await authenticator?.authorization(for: challenge)
            if case .password = authorization?.content { try Self.checkSupport(of: challenge) }
            result = .success(authorization)
        } catch {
            result = .failure(error)
        }
        let (receivers, outcome): ([Receiver], Result<Void, NoCredentials>) = state.withLock { state in
            // All receivers have left.
            guard let question = state.question, question.number == number else { return ([], .success(())) }
            state.question = nil
            var outcome = Result<Void, NoCredentials>.success(())
            switch result {
            case .success(let authorization?):
                state.lastAnswer += 1
                var answer = Answer(number: state.lastAnswer, authorization: authorization)
                if case .password(let user, let password) = authorization.content,
                    let offered = DigestChallenge.strongest(in: challenge.challenges)
                {
                    answer.digest = ProxyDigest(user, password, offered)
                }
                state.answer = answer
            case .success(nil): outcome = .failure(NoCredentials(cause: nil))
            case .failure(let error): outcome = .failure(NoCredentials(cause: error))
            }
            if case .failure(let surrender) = outcome {
                state.surrenders += 1
                state.lastSurrender = surrender
            }
            return (Array(question.receivers.values), outcome)
        }
        for receive in receivers { receive(outcome) }
    }

    /// Throws `proxyFailed` if the proxy accepts no scheme that uses a user name and password.
    private static func checkSupport(of challenge: ProxyChallenge) throws(SternaError) {
        guard let schemes = unsupported(challenge.challenges) else { return }
        throw SternaError(
            .proxyFailed, phase: .proxy, "The proxy \(challenge.proxy) accepts only \(schemes), which is not supported."
        )
    }

    /// The offered schemes if none of them takes a user name and password; nil if one does, or if no challenge could
    /// be read.
    static func unsupported(_ challenges: [SternaCore.AuthenticationChallenge]) -> String? {
        let isUsable = challenges.contains { $0.hasScheme("Basic") || DigestChallenge($0) != nil }
        guard !isUsable, !challenges.isEmpty else { return nil }
        return challenges.map(DigestChallenge.shownScheme).joined(separator: ", ")
    }
}

/// An engine's authentications; forgets those that no endpoint uses.
final class ProxyAuthentications: Sendable {
    private struct Key: Hashable {
        let proxy: Proxy
        /// The trust policy for a TLS proxy: credentials sent under one policy are not sent under another.
        let policy: SecurityPolicy
        let authenticator: ObjectIdentifier?
    }

    private struct Known {
        weak var authentication: ProxyAuthentication?
    }

    private struct State {
        var known: [Key: Known] = [:]
        var sweepAt = 64
    }

    private let state = Mutex(State())

    /// Returns the one authentication of a proxy by an authenticator, or by its own credentials; nil if there is neither, and for
    /// SOCKS.
    func authentication(
        on route: Route, by authenticator: (any ProxyAuthenticator)?, policy: SecurityPolicy
    ) -> ProxyAuthentication? {
        guard case .proxy(let proxy) = route, proxy.kind != .socks5, authenticator != nil || proxy.hasCredentials
        else { return nil }
        // An authentication retains its authenticator, so that no other object has its identity meanwhile.
        let key = Key(
            proxy: proxy, policy: proxy.kind == .https ? policy : .system,
            authenticator: authenticator.map { ObjectIdentifier($0) })
        return state.withLock { state in
            if let known = state.known[key]?.authentication { return known }
            if state.known.count >= state.sweepAt {
                state.known = state.known.filter { $0.value.authentication != nil }
                state.sweepAt = max(64, 2 * state.known.count)
            }
            let made = ProxyAuthentication(proxy, authenticator)
            state.known[key] = Known(authentication: made)
            return made
        }
    }
}
