/// An event of an event stream (server-sent events; WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The field `event`; `message` if the event has none.
    public var type: String

    /// The fields `data`, joined by LF. It can be empty.
    public var data: String

    /// The last event ID of the stream: the event's own, or else that of an earlier event; empty if there was none.
    public var id: String

    public init(type: String = "message", data: String, id: String = "") {
        (self.type, self.data, self.id) = (type, data, id)
    }
}
