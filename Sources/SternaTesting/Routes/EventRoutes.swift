import SternaSerialization

extension BuiltInRoutes {
    static let events: [ServerRoute] = [now(["GET"], "/events/{n}") { try numberedEvents($0) }]

    /// Events that are numbered from 1 to n, after the one in `Last-Event-ID`; 204 after the last one.
    private static func numberedEvents(_ request: ServerRequest) throws -> ServerResponse {
        let count = try number("n", of: request, in: 0...1_000_000_000)
        let size = try number(query: "size", of: request, default: 0, in: 0...(64 << 20))
        let comments = try number(query: "comments", of: request, default: 0, in: 0...1_000_000_000)
        let interval = try seconds(request.query("interval"), default: 0, atMost: 60)
        let cut = try request.query("cut").map { _ in
            try number(query: "cut", of: request, default: 0, in: 0...bytesLimit)
        }
        let retry = request.query("retry")
        let last = request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
        guard last <= 0 || last < count else { return ServerResponse(status: 204) }
        return .events(mediaType: request.query("type") ?? "text/event-stream") { writer in
            var output = EventStreamOutput(writer, cutAt: cut)
            if let retry { try await output.write("retry: \(retry)\n\n") }
            for event in max(0, last)..<count {
                if event > max(0, last), interval > 0 { try await Task.sleep(for: .seconds(interval)) }
                var rest = comments
                while rest > 0 {
                    let some = min(rest, 1_000)
                    try await output.write(String(repeating: ": keep-alive\n\n", count: some))
                    rest -= some
                }
                let text = "\(event + 1)"
                let padding = String(repeating: ".", count: max(0, size - text.utf8.count))
                try await output.write(ServerSentEvent(data: text + padding, id: text).wireText)
            }
            try output.end()
        }
    }
}
