import SternaCore
import SternaSecurity
import Synchronization

/// A proxy's credentials from one authenticator: the answer in use, and the question under way.
///
/// All connections to the proxy share it, on every event loop. One task at a time asks the authenticator, and all challenged
/// connections wait for it.
final class ProxyAuthentication: Sendable {
    /// The number of times that each connection may ask the authenticator.
    static let mostAnswers = 3

    /// An answer; a later one has a higher number.
    struct Answer: Sendable {
        let number: Int
        let authorization: ProxyAuthorization
    }

    /// The progress of one connection attempt.
    struct Turn: Sendable {
        /// The answer that was sent last; nil where none was.
        var sent: Int?
        var refusedCount = 0
        var askedCount = 0
        fileprivate let began: Int
    }

    /// The error of a question without an answer.
    struct NoAnswer: Error {
        /// What the authenticator threw; nil where it gave up.
        let cause: (any Error)?
    }

    typealias Receiver = @Sendable (Result<Void, NoAnswer>) -> Void

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
        /// How often the authenticator gave up, and its last reason.
        var surrenders = 0
        var lastSurrender = NoAnswer(cause: nil)

        mutating func forget(_ number: Int?) {
            if let answer, answer.number == number { self.answer = nil }
        }
    }

    private let authenticator: any ProxyAuthenticator
    private let state: Mutex<State>

    /// - Parameter proxy: provides its own credentials as the first answer.
    init(_ proxy: Proxy, _ authenticator: any ProxyAuthenticator) {
        self.authenticator = authenticator
        var state = State()
        if let username = proxy.username, let password = proxy.password {
            state.answer = Answer(number: 0, authorization: .basic(username, password))
        }
        self.state = Mutex(state)
    }

    /// The answer to send without a challenge.
    var answer: Answer? { state.withLock { $0.answer } }

    /// Forgets the last answer of a turn, which the proxy has refused.
    func refused(_ turn: Turn) { state.withLock { $0.forget(turn.sent) } }

    /// Begins the turn of a connection attempt.
    func turn() -> Turn { Turn(began: state.withLock { $0.surrenders }) }

    /// Identifies the wait of one receiver, to end it.
    struct Wait: Sendable {
        fileprivate let question: Int
        fileprivate let receiver: Int
    }

    /// Obtains another answer than the refused one, and calls the receiver when there is one, or when there is none.
    ///
    /// The receiver is called once, from any thread and possibly at once, unless ``leave(_:)`` comes first. Returns nil if it
    /// has been called.
    func ask(_ challenge: ProxyChallenge, _ turn: Turn, _ receive: @escaping Receiver) -> Wait? {
        let step: Result<Wait?, NoAnswer> = state.withLock { state in
            state.forget(turn.sent)
            // Another connection has been challenged meanwhile, and has obtained an answer.
            if state.answer != nil { return .success(nil) }
            // An authenticator that gave up while this connection was being opened would be asked again for the same reason.
            if state.surrenders > turn.began { return .failure(state.lastSurrender) }
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
            result = .success(try await authenticator.authorization(for: challenge))
        } catch {
            result = .failure(error)
        }
        let (receivers, outcome): ([Receiver], Result<Void, NoAnswer>) = state.withLock { state in
            // All receivers have left.
            guard let question = state.question, question.number == number else { return ([], .success(())) }
            state.question = nil
            var outcome = Result<Void, NoAnswer>.success(())
            switch result {
            case .success(let authorization?):
                state.lastAnswer += 1
                state.answer = Answer(number: state.lastAnswer, authorization: authorization)
            case .success(nil): outcome = .failure(NoAnswer(cause: nil))
            case .failure(let error): outcome = .failure(NoAnswer(cause: error))
            }
            if case .failure(let surrender) = outcome {
                state.surrenders += 1
                state.lastSurrender = surrender
            }
            return (Array(question.receivers.values), outcome)
        }
        for receive in receivers { receive(outcome) }
    }
}

/// An engine's authentications; forgets those that no endpoint uses.
final class ProxyAuthentications: Sendable {
    private struct Key: Hashable {
        let proxy: Proxy
        /// The trust policy for a TLS proxy: credentials sent under one policy are not sent under another.
        let policy: SecurityPolicy
        let authenticator: ObjectIdentifier
    }

    private struct Known {
        weak var authentication: ProxyAuthentication?
    }

    private struct State {
        var known: [Key: Known] = [:]
        var sweepAt = 64
    }

    private let state = Mutex(State())

    /// Returns the one authentication of a proxy by an authenticator; nil where the authenticator is never asked.
    func authentication(
        on route: Route, by authenticator: (any ProxyAuthenticator)?, policy: SecurityPolicy
    ) -> ProxyAuthentication? {
        guard let authenticator, case .proxy(let proxy) = route, proxy.kind != .socks5 else { return nil }
        // An authentication retains its authenticator, so that no other object has its identity meanwhile.
        let key = Key(
            proxy: proxy, policy: proxy.kind == .https ? policy : .system,
            authenticator: ObjectIdentifier(authenticator))
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
