import NIOCore
import Sterna
import SternaCore
import SternaRecorder
import SternaSerialization

/// Makes responses of recorded ones.
struct ReplayedResponse {
    let recorded: RecordedEntry

    /// The response as it can be sent again: without the fields of the connection, and with the content decoded, as documents have
    /// it, so that Content-Encoding, Content-Length and digests of the coded content are left out.
    ///
    /// - Parameter recordedOrigins: the origins whose redirects lead to the replaying server itself; empty for a mock.
    func response(to method: String, recordedOrigins: Set<Origin>) -> ServerResponse {
        let entry = recorded.entry
        let response = entry.response
        if recorded.isWebSocket { return webSocket(entry.webSocketMessages ?? []) }
        let hasContent = method != "HEAD" && response.status != 204 && response.status != 304
        var content = response.content
        let type = response.headers.first { $0.name.lowercased() == "content-type" }
        if let type, MediaType(content.mimeType)?["charset"] == nil { content.mimeType = type.value }
        let bytes = content.bytes
        // Programs leave out the content of redirects, which clients do not show.
        let needsContent = hasContent && !(300..<400).contains(response.status)
        if needsContent, bytes == nil, content.text != nil || (content.size ?? 0) > 0 {
            return .message("Entry \(recorded.number) was recorded without its content.", status: 502)
        }
        let isCoded = response.headers.contains { $0.name.lowercased() == "content-encoding" }
        var dropped = HARDocument.Request.connectionFields
        for field in response.headers where field.name.lowercased() == "connection" {
            for name in field.value.split(separator: ",") { dropped.insert(ASCIIText.trimmed(name).lowercased()) }
        }
        if hasContent {
            dropped.formUnion(["content-length", "content-encoding"])
            if isCoded { dropped.formUnion(["content-digest", "content-md5", "digest", "repr-digest"]) }
        }
        // A client would leave the server.
        if !recordedOrigins.isEmpty { dropped.insert("alt-svc") }
        var headers = ServerHeaders()
        for field in response.headers where !field.name.hasPrefix(":") && !dropped.contains(field.name.lowercased()) {
            // Chromium joins repeated fields by line feeds.
            for line in field.value.split(separator: "\n", omittingEmptySubsequences: false) {
                let isTarget = field.name.lowercased() == "location"
                headers.add(field.name, isTarget ? target(String(line), recordedOrigins) : String(line))
            }
        }
        return ServerResponse(
            status: response.status, reason: response.statusText.isEmpty ? nil : response.statusText, headers: headers,
            body: hasContent ? .bytes(bytes ?? []) : .empty)
    }

    /// Whether the document has a failure in place of a response.
    var isFailure: Bool {
        !recorded.isWebSocket && !(200...599).contains(recorded.entry.response.status)
    }

    private func target(_ text: String, _ recordedOrigins: Set<Origin>) -> String {
        guard let base = recorded.url, let url = try? HTTPURL(text, relativeTo: base),
            recordedOrigins.contains(url.origin)
        else { return text }
        // Two slashes at the beginning would precede a host.
        let target = url.requestTarget
        return (target.hasPrefix("//") ? "/." : "") + target + (url.fragment.map { "#\($0)" } ?? "")
    }

    /// Sends the messages that were received, each after those that the client had sent before it.
    private func webSocket(_ messages: [HARDocument.Message]) -> ServerResponse {
        let subprotocol = recorded.entry.response.headers.first { $0.name.lowercased() == "sec-websocket-protocol" }
        return .webSocket(subprotocols: subprotocol.map { [$0.value] } ?? []) { socket in
            var received = socket.makeAsyncIterator()
            for message in messages where message.opcode == 1 || message.opcode == 2 {
                if message.isSent {
                    guard try await received.next() != nil else { return }
                } else if message.json["_size"].int != nil {
                    // As a recorder writes a message whose bytes it did not keep.
                    return try await socket.close(
                        .internalError, reason: "Entry \(recorded.number) was recorded without a message.")
                } else if message.opcode == 1 {
                    try await socket.send(message.data)
                } else if let bytes = message.bytes {
                    try await socket.send(Bytes(copying: bytes))
                }
            }
        }
    }
}
