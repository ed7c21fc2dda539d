public import SternaSerialization

extension ServerResponse {
    /// Returns an event stream (server-sent events) that a closure writes.
    ///
    ///     server.route("GET", "/prices") { _ in
    ///         .events { writer in try await writer.write(ServerSentEvent(data: "1.25", id: "1")) }
    ///     }
    ///
    /// If the closure throws, the connection is cut.
    public static func events(
        mediaType: String = "text/event-stream", headers: ServerHeaders = ["Cache-Control": "no-cache"],
        _ write: @escaping @Sendable (ServerBodyWriter) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(headers: headers.describing(mediaType), body: .stream(length: nil, write))
    }

    /// Returns an event stream of a list of events.
    ///
    ///     server.route("GET", "/prices") { request in
    ///         .events(prices, after: request.headers["Last-Event-ID"], every: .milliseconds(50))
    ///     }
    ///
    /// - Parameters:
    ///   - events: the events, each sent in a piece of its own.
    ///   - id: the id after whose event the stream resumes, so that the response is 204 if that is the last one. The stream has all
    ///     events if none has the id.
    ///   - pause: the wait before each event but the first.
    ///   - cut: the number of bytes after which the connection is cut; after the last event if there are fewer. Nil, the default,
    ///     ends the response after the last event.
    ///   - mediaType: another one makes the stream invalid.
    ///   - headers: further header fields.
    public static func events(
        _ events: [ServerSentEvent], after id: String? = nil, every pause: Duration = .zero, cutAt cut: Int? = nil,
        mediaType: String = "text/event-stream", headers: ServerHeaders = ["Cache-Control": "no-cache"]
    ) -> ServerResponse {
        var rest = events[...]
        if let id, !id.isEmpty, let last = events.lastIndex(where: { $0.id == id }) {
            rest = events[(last + 1)...]
            guard !rest.isEmpty else { return ServerResponse(status: 204) }
        }
        return .events(mediaType: mediaType, headers: headers) { [rest] writer in
            var output = EventStreamOutput(writer, cutAt: cut)
            for (place, event) in rest.enumerated() {
                if place > 0, pause > .zero { try await Task.sleep(for: pause) }
                try await output.write(event.wireText)
            }
            try output.end()
        }
    }
}

extension ServerBodyWriter {
    /// Writes an event of an event stream in one piece: its type unless that is `message`, its id unless that is empty, its data.
    /// A line break in the type or the id is sent as a space.
    public func write(_ event: ServerSentEvent) async throws { try await write(event.wireText) }
}

extension ServerSentEvent {
    /// The event as a server sends it.
    var wireText: String {
        var text = type == "message" ? "" : "event: \(Self.oneLine(type))\n"
        if !id.isEmpty { text += "id: \(Self.oneLine(id))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: Self.isLineEnd) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }

    private static func oneLine(_ text: String) -> String { String(text.map { isLineEnd($0) ? " " : $0 }) }

    private static func isLineEnd(_ character: Character) -> Bool {
        character == "\n" || character == "\r" || character == "\r\n"
    }
}

/// Writes an event stream up to the byte at which it is cut.
struct EventStreamOutput {
    private let writer: ServerBodyWriter
    /// The number of bytes before the cut; nil if the stream is not cut.
    private var room: Int?

    init(_ writer: ServerBodyWriter, cutAt cut: Int?) {
        self.writer = writer
        room = cut.map { max(0, $0) }
    }

    mutating func write(_ text: String) async throws {
        guard let room else { return try await writer.write(text) }
        let bytes = Array(text.utf8)
        try await writer.write(Array(bytes.prefix(room)))
        self.room = max(0, room - bytes.count)
        if bytes.count > room { try end() }
    }

    /// Cuts the connection if the stream is to be cut.
    func end() throws { if room != nil { throw ServerStreamReset.internalError } }
}
