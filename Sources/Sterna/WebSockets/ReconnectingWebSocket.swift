public import SternaCore

/// The messages of a WebSocket that connects again after a lost connection, and the changes of the connection between them.
///
///     let prices = api.reconnectingWebSocket("prices", opened: { socket in try await socket.send("subscribe STN") })
///     for try await update in prices {
///         switch update {
///         case .opened: print("connected")
///         case .message(let message): print(message)
///         case .reconnecting(let wait, let error): print(error.message, "again in \(wait)")
///         }
///     }
///
/// The waits grow by ``WebSocketSettings/backoff`` with each failure until a message arrives. The sequence ends after a close
/// with 1000 and after one by this side. It throws for codes that ``WebSocketSettings/retriedCodes`` leaves out, for refused
/// handshakes whose status ``WebSocketSettings/retriedStatuses`` leaves out, and for errors that another connection does not mend.
///
/// Each iterator has connections of its own. The last one is closed with 1001 when the iterator is released.
public struct ReconnectingWebSocket: AsyncSequence, Sendable {
    public typealias Element = Update

    /// What happens to the WebSocket.
    public enum Update: Sendable {
        /// The WebSocket is open, and the closure `opened` has returned. Messages are sent by it.
        case opened(WebSocket)
        case message(WebSocket.Message)
        /// The WebSocket has ended, or could not be opened; the next one is opened after a wait. The error's `underlying` is the
        /// ``WebSocket/Closure`` of one that was open.
        case reconnecting(after: Duration, SternaError)
    }

    let plan: SessionPlan
    let draft: RequestDraft
    let settings: WebSocketSettings
    let opened: @Sendable (WebSocket) async throws -> Void

    /// Returns a reader with connections of its own.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Update, any Error> { Iterator(source: self) }

    private struct Iterator: AsyncIteratorProtocol {
        private enum State {
            /// Connects next, after a wait.
            case closed(wait: Duration)
            case open(WebSocket, WebSocket.AsyncIterator)
            case over
        }

        private let source: ReconnectingWebSocket
        private var state = State.closed(wait: .zero)
        private var failures = 0

        init(source: ReconnectingWebSocket) { self.source = source }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Update? {
            switch state {
            case .over: return nil
            case .closed(let wait):
                do {
                    if wait > .zero { try await source.plan.settings.network.engine.loopClock.wait(wait) }
                    return try await open()
                } catch {
                    return try settle(error)
                }
            case .open(let socket, var messages):
                do {
                    if let message = try await messages.next(isolation: actor) {
                        failures = 0
                        state = .open(socket, messages)
                        return .message(message)
                    }
                } catch {
                    return try settle(error)
                }
                let closure = socket.closure ?? WebSocket.Closure(.lost, isByPeer: true)
                return try settle(closure.error(phase: .read).at(socket.response.url))
            }
        }

        private mutating nonisolated(nonsending) func open() async throws -> Update {
            let socket = try await source.plan.webSocket(source.draft, source.settings)
            do {
                try await source.opened(socket)
            } catch {
                try? await socket.close(.goingAway)
                throw error
            }
            state = .open(socket, socket.makeAsyncIterator())
            return .opened(socket)
        }

        private mutating func settle(_ error: any Error) throws -> Update? {
            failures += 1
            // An error of the program's own closure passes unchanged.
            let known = error as? SternaError ?? (error is CancellationError ? .cancelled(phase: .wait) : nil)
            let decision = known.map {
                WebSocketReconnectionRule.decide($0, source.settings, failures: failures, random: .random(in: 0..<1))
            }
            switch (decision, known) {
            case (.connect(let delay), let known?):
                state = .closed(wait: delay)
                return .reconnecting(after: delay, known)
            case (.finish, _):
                state = .over
                return nil
            default:
                state = .over
                throw known ?? error
            }
        }
    }
}

/// Decides whether a ``ReconnectingWebSocket`` connects again, without I/O and clock.
enum WebSocketReconnectionRule {
    enum Decision: Sendable, Hashable {
        case finish
        /// Ends the sequence with the failure's error.
        case fail
        case connect(after: Duration)
    }

    /// Decides after a WebSocket has ended, or could not be opened.
    ///
    /// - Parameters:
    ///   - failures: the number of failures since a message last arrived, this one included.
    ///   - random: a random number from 0 to 1.
    static func decide(
        _ error: SternaError, _ settings: WebSocketSettings, failures: Int, random: Double
    ) -> Decision {
        if let closure = error.underlying as? WebSocket.Closure, error.kind == .webSocketClosed {
            guard closure.isByPeer, closure.code != .normal else { return .finish }
            guard settings.retriedCodes.contains(closure.code) else { return .fail }
        } else if error.kind == .unacceptableStatus {
            guard settings.retriedStatuses.contains(error.status) else { return .fail }
        } else {
            guard EventStreamRule.isTransient(error.kind, error.phase) else { return .fail }
        }
        if let limit = settings.failureLimit, failures >= limit { return .fail }
        let delay = settings.backoff.delay(before: max(0, failures - 1), random: random)
        return .connect(after: max(delay, error.response.flatMap(RetryAfter.delay) ?? .zero))
    }
}
