import HTTPTypes
public import SternaCore
public import SternaSerialization

/// The events of a server (server-sent events; WHATWG HTML, section 9.2), over as many connections as it takes.
///
///     for try await event in api.events("prices") { print(event.type, event.data) }
///
/// After a lost connection, and after the server has ended a response, the stream connects again and sends the id of the last event
/// as `Last-Event-ID`, so that the server can send what was missed. ``EventStreamSettings`` has the waits and limits. The sequence
/// ends when the server answers 204. It throws for another status or media type, with the server's message, for a limit that the
/// server exceeds, and for errors that another connection does not mend.
///
/// Each iterator has a connection of its own, which is closed when the iterator is released or its Swift task is cancelled. A slow
/// reader slows the server down.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    /// What happens to a stream.
    public enum Update: Sendable {
        /// The server has accepted the request; its response without the events.
        case opened(Response)
        case event(ServerSentEvent)
        /// The connection has ended, by an error or else by the server; the stream connects again after a wait.
        case reconnecting(after: Duration, SternaError?)
    }

    static let lastEventID = "Last-Event-ID"

    let plan: SessionPlan
    let draft: RequestDraft
    let settings: EventStreamSettings

    /// The events, and the changes of the connection between them.
    ///
    ///     for try await update in api.events("prices").updates {
    ///         switch update {
    ///         case .opened: print("connected")
    ///         case .event(let event): print(event.data)
    ///         case .reconnecting(let wait, let error): print(error?.message ?? "ended", "again in \(wait)")
    ///         }
    ///     }
    public var updates: some AsyncSequence<Update, any Error> & Sendable { EventStreamUpdates(stream: self) }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: EventStreamReader(plan, draft, settings)) }

    /// Reads the events one after another, by a connection of its own.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: EventStreamReader

        // Events come in bunches. Those that have arrived are handed over without a change of executors, which costs more than an
        // event.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> ServerSentEvent? {
            if let event = reader.arrivedEvent() { return event }
            return try await reader.nextEvent()
        }
    }
}

/// The updates of an event stream.
struct EventStreamUpdates: AsyncSequence, Sendable {
    typealias Element = EventStream.Update
    let stream: EventStream

    func makeAsyncIterator() -> Iterator {
        Iterator(reader: EventStreamReader(stream.plan, stream.draft, stream.settings))
    }

    struct Iterator: AsyncIteratorProtocol {
        var reader: EventStreamReader

        mutating func next() async throws -> EventStream.Update? { try await reader.next() }
    }
}
