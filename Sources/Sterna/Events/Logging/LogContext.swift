import Logging
import SternaCore
import Synchronization

/// The logger of a call, and what its metadata provider returned where the call and each attempt were made.
///
/// The provider reads task-local values such as the current span, which the thread that writes the lines does not have.
final class LogContext: EventContext {
    private struct State {
        /// In the order of capturing; the first belongs to the call.
        var provided: [(attempt: Int, metadata: Logger.Metadata)]
        var outcome = LogOutcome()
    }

    /// The maximum number of attempts whose metadata is kept.
    private static let mostAttempts = 64

    let logger: Logger
    private let bodyLimit: Int
    private let state: Mutex<State>

    init(_ logger: Logger, bodyLimit: Int) {
        (self.logger, self.bodyLimit) = (logger, bodyLimit)
        state = Mutex(State(provided: [(0, logger.metadataProvider?.get() ?? [:])]))
    }

    func attemptBegan(_ number: Int, _ request: Request) {
        // Here, since the attempt's event may be lost while a later one is written.
        let secretHeaders = request.options[SecretHeadersKey.self].map { $0.lowercased() }
        if !secretHeaders.isEmpty { state.withLock { $0.outcome.secretHeaders.formUnion(secretHeaders) } }
        // A task without the values, such as one that coalesced calls share, leaves those of the call.
        guard let provided = logger.metadataProvider?.get(), !provided.isEmpty else { return }
        state.withLock { state in
            // The call's own stays.
            if state.provided.count > Self.mostAttempts { state.provided.remove(at: 1) }
            state.provided.append((number, provided))
        }
    }

    func received(_ response: Response, body: Bytes?) {
        let new = LogOutcome(response, body: body, limit: bodyLimit)
        state.withLock { state in
            let secretHeaders = state.outcome.secretHeaders
            state.outcome = new
            state.outcome.secretHeaders = secretHeaders
        }
    }

    func failed(_ error: SternaError) {
        let failure = LogOutcome.Failure(error)
        state.withLock { $0.outcome.failure = failure }
    }

    /// Returns the metadata for an event's attempt, and the outcome of the call.
    func state(of event: SternaEvent) -> (provided: Logger.Metadata, outcome: LogOutcome) {
        state.withLock { state in
            var attempt = event.attempt
            if case .requestEnded = event.kind { attempt = 0 }
            let last = state.provided.filter { $0.attempt <= attempt }.max { $0.attempt < $1.attempt }
            return (last?.metadata ?? [:], state.outcome)
        }
    }
}

/// What the events of a call do not have: its response as the caller gets it, and its error.
struct LogOutcome: Sendable {
    struct Failure: Sendable {
        let kind: SternaError.Kind
        let detail: String

        init(_ error: SternaError) { (kind, detail) = (error.kind, error.detail) }
    }

    var status: Int?
    var source: ResponseSource?
    var bodySize: Int?
    var body: LogBody?
    var failure: Failure?
    /// Names in lower case.
    var secretHeaders: Set<String> = []

    init() {}

    init(_ response: Response, body: Bytes?, limit: Int) {
        (status, source, bodySize) = (response.status.code, response.source, body?.count)
        self.body = body.flatMap { LogBody($0, mediaType: response[.contentType], limit: limit) }
    }
}
