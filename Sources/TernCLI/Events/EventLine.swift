import Sterna

/// An event as text.
enum EventLine {
    /// Returns an event without the line break at its end: as a line of JSON, or its data as they are, after its type unless that is
    /// the standard's default.
    static func text(_ event: ServerSentEvent, asJSON: Bool) -> String {
        if asJSON {
            let members: JSON = ["id": JSON(event.id), "type": JSON(event.type), "data": JSON(event.data)]
            return members.description
        }
        return event.type == "message" ? event.data : "\(event.type): \(event.data)"
    }
}
