import HTTPTypes
import NIOCore
import SternaCore
import SternaSerialization

/// Reads an event stream, connection by connection.
struct EventStreamReader {
    private enum State {
        /// Connects next, after a wait.
        case closed(wait: Duration)
        case open(Connection)
        case over
    }

    private let plan: SessionPlan
    private let draft: RequestDraft
    private let settings: EventStreamSettings
    private var state = State.closed(wait: .zero)
    private var parser: EventStreamParser
    private var reconnectionTime: Duration
    /// The number of failures since a response was last accepted.
    private var failures = 0
    /// The error of bytes that have arrived, which ends the connection when it is read next.
    private var fault: SternaError?

    init(_ plan: SessionPlan, _ draft: RequestDraft, _ settings: EventStreamSettings) {
        (self.plan, self.draft, self.settings) = (plan, draft, settings)
        parser = EventStreamParser(lastEventID: settings.lastEventID)
        parser.limits = settings.limits
        reconnectionTime = max(.zero, settings.reconnectionTime)
    }

    private var reconnects: Bool { settings.reconnects ?? (draft.method == .get) }

    /// The response of the current connection.
    var response: Response? { if case .open(let connection) = state { connection.response } else { nil } }

    /// Returns what happens next: an event, or a change of the connection; nil at the end.
    mutating func next() async throws -> EventStream.Update? {
        switch state {
        case .over: return nil
        case .closed(let wait):
            do {
                if wait > .zero { try await plan.settings.network.engine.loopClock.wait(wait) }
                return try await connect()
            } catch {
                return try settle(error)
            }
        case .open(let connection):
            do {
                return try await read(connection)
            } catch {
                connection.cancel()
                return try settle(plan.describe(error, connection.streamed.request, answeredBy: connection.response))
            }
        }
    }

    /// Returns the next event if its bytes have arrived already; nil if it has to be waited for, and after an error.
    mutating func arrivedEvent() -> ServerSentEvent? {
        guard fault == nil, case .open(let connection) = state else { return nil }
        do {
            let event = try parser.next()
            if let event { connection.note(event) }
            return event
        } catch {
            fault = error
            return nil
        }
    }

    /// Returns the next event; nil at the end of the stream.
    mutating func nextEvent() async throws -> ServerSentEvent? {
        while let update = try await next() {
            if case .event(let event) = update { return event }
        }
        return nil
    }

    /// Gives up the connection; the stream has no more events.
    mutating func end() {
        if case .open(let connection) = state { connection.cancel() }
        state = .over
    }

    /// Ends the stream and returns its error with the request's details.
    mutating func fail(with error: SternaError) -> SternaError {
        guard case .open(let connection) = state else { return error }
        end()
        return plan.describe(error, connection.streamed.request, answeredBy: connection.response)
    }

    private mutating func read(_ connection: Connection) async throws -> EventStream.Update? {
        if let fault {
            self.fault = nil
            throw fault
        }
        while true {
            if let event = try parser.next() {
                connection.note(event)
                return .event(event)
            }
            guard let bytes = try await connection.next() else { break }
            parser.append(bytes)
        }
        adopt()
        return try settle(.ended, nil)
    }

    /// Keeps the time that the server has set, within limits: it must cause neither a storm of requests nor the end of the stream.
    private mutating func adopt() {
        guard let time = parser.reconnectionTime else { return }
        reconnectionTime = min(max(time, .milliseconds(100)), .seconds(24 * 3_600))
    }

    // MARK: Connecting

    private mutating func connect() async throws -> EventStream.Update? {
        let streamed = try await plan.open(nextDraft)
        let response = streamed.response
        let connection = Connection(streamed)
        if response.status == .noContent {
            connection.cancel()
            return try settle(.noContent, nil)
        }
        if let error = await refusal(of: response) {
            connection.cancel()
            throw plan.describe(error, streamed.request, answeredBy: response)
        }
        failures = 0
        parser = EventStreamParser(lastEventID: parser.lastEventID)
        parser.limits = settings.limits
        state = .open(connection)
        return .opened(response.withoutBody)
    }

    private var nextDraft: RequestDraft {
        var next = draft
        if next.headers["Accept"] == nil { next.headers["Accept"] = Self.mediaType }
        // Neither a cache nor another request shares the response.
        if next.headers["Cache-Control"] == nil { next.headers["Cache-Control"] = "no-store" }
        next.settings.cache.policy = .ignored
        if !parser.lastEventID.isEmpty { next.headers[EventStream.lastEventID] = parser.lastEventID }
        next.settings.timeouts.betweenBytes = settings.silence
        next.settings.timeouts.minimumThroughput = nil
        // The stream itself decides when it connects again.
        if next.settings.ownOptions[ifSet: RetryPolicyKey.self] == nil { next.settings.retry = .none }
        return next
    }

    private static let mediaType = "text/event-stream"
    private static let validation = ResponseValidation(statuses: CollectionOfOne(200), mediaTypes: [mediaType])

    /// Returns the error of a response that is no event stream, with the server's message; nil for an event stream.
    private func refusal(of response: Response) async -> SternaError? {
        let isOK = Self.validation.accepts(status: response.status.code)
        if isOK, Self.validation.typeError(response, body: Bytes()) == nil { return nil }
        let body = await BodyPrefix.read(response.body, on: plan.settings.network.engine.loopClock).bytes
        guard !Task.isCancelled else { return SternaError.cancelled(phase: .read) }
        guard isOK, var error = Self.validation.typeError(response, body: body) else {
            return Self.validation.check(response, body: body)
        }
        error.serverMessage = ServerMessage.find(in: body, mediaType: response.mediaType)
        return error
    }

    // MARK: The end of a connection

    private mutating func settle(_ error: any Error) throws -> EventStream.Update? {
        adopt()
        failures += 1
        let known = SternaError.wrap(error, as: .interceptorFailed, phase: .read, "\(error)")
        let outcome = EventStreamRule.Outcome.failed(
            known.kind, known.phase, status: known.status, retryAfter: known.response.flatMap(RetryAfter.delay))
        return try settle(outcome, known)
    }

    private mutating func settle(_ outcome: EventStreamRule.Outcome, _ error: SternaError?) throws -> EventStream
        .Update?
    {
        let decision = EventStreamRule.decide(
            outcome, settings, reconnects: reconnects, reconnectionTime: reconnectionTime, failures: failures,
            random: .random(in: 0..<1))
        switch decision {
        case .connect(let delay):
            state = .closed(wait: delay)
            return .reconnecting(after: delay, error)
        case .finish, .fail:
            state = .over
            if let error { throw error }
            return nil
        }
    }

    /// A connection whose response is read; it is given up with its last reference.
    private final class Connection: Sendable {
        let streamed: StreamedResponse
        private let body: ClaimedBody

        init(_ streamed: StreamedResponse) {
            self.streamed = streamed
            body = ClaimedBody(streamed.response.body)
        }

        var response: Response { streamed.response }

        func next() async throws -> Bytes? { try await body.next() }

        func cancel() { streamed.response.body.cancel() }

        /// Passes an event to the call's observer, if there is one.
        func note(_ event: ServerSentEvent) {
            streamed.recorder?.context?.passed(.event(name: event.type, id: event.id, data: event.data))
        }

        deinit {
            streamed.response.body.cancel()
            streamed.recorder?.requestEnded()
        }
    }
}
