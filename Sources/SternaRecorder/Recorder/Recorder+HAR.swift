import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization

extension Recorder.Exchange {
    /// The entries of a HAR document: one for each attempt, or one of the call if there are none.
    ///
    /// - Parameters:
    ///   - showsSecrets: whether credentials are kept.
    ///   - room: the maximum size of the bodies that are decoded, which is reduced by theirs.
    func entries(showsSecrets: Bool, room: inout Int) -> [HARDocument.Entry] {
        var writer = HARWriter(secretHeaders: showsSecrets ? [] : secretHeaders, room: room)
        var entries = attempts.map { writer.entry($0, started: started) }
        room = writer.room
        if entries.isEmpty { entries = [writer.entry(self)] }
        for index in entries.indices {
            entries[index].json["_call"] = JSON("\(id)")
            if attempts.count > 1 { entries[index].json["_attempt"] = JSON(index + 1) }
            guard index == entries.count - 1 else { continue }
            if !decisions.isEmpty { entries[index].json["_decisions"] = .array(decisions.map { JSON($0) }) }
            if let error {
                entries[index].json["_callError"] = JSON(error)
                // A response whose status or redirect the call has rejected is no failure of the exchange.
                if entries[index].response.status == 0, entries[index].failure == nil { entries[index].failure = error }
            }
        }
        return showsSecrets ? entries : entries.map { $0.redacted() }
    }
}

extension Recorder.Attempt {
    /// Whether the response opened a WebSocket (RFC 6455, 4.2.2; RFC 8441, 5).
    fileprivate var isWebSocket: Bool {
        guard let responseHead, head.headers[.secWebSocketVersion] != nil else { return false }
        return responseHead.status.code == (responseHead.version.major < 2 ? 101 : 200)
    }
}

/// Writes recorded messages as parts of a HAR document.
struct HARWriter {
    /// The maximum size of all decoded bodies of a document in bytes. A server may send many small ones that become large.
    static let usualRoom = 256 << 20

    /// Names of fields in lower case whose values are hidden.
    let secretHeaders: Set<String>

    /// The maximum size of the bodies that are still decoded.
    var room = Self.usualRoom

    mutating func entry(_ attempt: Recorder.Attempt, started: Date) -> HARDocument.Entry {
        let metrics = attempt.metrics
        let version = metrics.version ?? attempt.responseHead?.version
        let coding = attempt.responseHead?.section[.contentEncoding]
        let content = attempt.responseBody?.content(coding, room: &room)
        var entry = HARDocument.Entry(
            started: started + metrics.whole.start / .seconds(1),
            request: request(attempt.head, version, attempt.requestBody, isBodyKnown: attempt.isBodyKnown),
            response: response(attempt.responseHead, attempt.responseBody, content: content),
            timings: timings(metrics))
        if metrics.proxy == nil { entry.serverIPAddress = metrics.remoteAddress.flatMap(Self.address) }
        if let error = attempt.error { entry.failure = error }
        if metrics.reason != .first { entry.json["_reason"] = JSON(metrics.reason.rawValue) }
        if let version = metrics.tlsVersion { entry.json["_tlsVersion"] = JSON(version) }
        if let tls = attempt.tls { entry.json["_tls"] = tls.json }
        if let number = metrics.connectionNumber { entry.connection = "\(number)" }
        if let number = metrics.streamNumber { entry.json["_stream"] = JSON(number) }
        if let proxy = metrics.proxy { entry.json["_proxy"] = JSON(proxy) }
        let messages = attempt.messages.map(\.document)
        if messages.contains(where: { $0.json["eventName"].string != nil }) {
            entry.events = messages
        } else if !messages.isEmpty || attempt.isWebSocket {
            // An empty list tells that it was a WebSocket.
            entry.webSocketMessages = messages
        }
        if let trailers = attempt.responseHead?.trailers, !trailers.isEmpty {
            entry.json["_trailers"] = .array(fields(trailers).map(\.json))
        }
        if !attempt.interimResponses.isEmpty {
            entry.json["_interimResponses"] = .array(
                attempt.interimResponses.map {
                    ["status": JSON($0.status), "headers": .array(fields($0.headers).map(\.json))]
                })
        }
        return entry
    }

    /// The entry of a call without attempts.
    mutating func entry(_ exchange: Recorder.Exchange) -> HARDocument.Entry {
        var entry = HARDocument.Entry(
            started: exchange.started, request: request(exchange.head, exchange.responseHead?.version, nil),
            response: response(exchange.responseHead, exchange.responseBody, content: exchange.responseBody?.bytes),
            timings: HARDocument.Timings(receive: milliseconds(exchange.duration)))
        if exchange.responseHead?.source == .cache {
            // As Chromium writes it, which names the kind of its cache.
            entry.json["_fromCache"] = "memory"
            entry.json["response"]["bodySize"] = 0
        }
        return entry
    }

    mutating func request(
        _ head: RequestHead, _ version: HTTPVersion?, _ body: Recorder.Body?, isBodyKnown: Bool = true
    ) -> HARDocument.Request {
        let type = head.headers[.contentType] ?? ""
        var postData: HARDocument.Content?
        if let body {
            postData = content(type, body.content(head.headers[.contentEncoding], room: &room), size: body.size)
        }
        return HARDocument.Request(
            method: head.method.rawValue, url: head.url.href, httpVersion: version?.description ?? "",
            headers: fields(head.headers), postData: postData,
            bodySize: body.map { Int(clamping: $0.size) } ?? (isBodyKnown ? 0 : nil))
    }

    func response(
        _ head: ResponseHead?, _ body: Recorder.Body?, content bytes: Bytes?
    ) -> HARDocument.Response {
        guard let head else { return HARDocument.Response(status: 0, httpVersion: "") }
        let type = head.section[.contentType] ?? ""
        return HARDocument.Response(
            status: head.status.code, statusText: head.section.reasonPhrase, httpVersion: head.version.description,
            headers: fields(head.section.fields), content: content(type, bytes, size: body?.size ?? 0),
            bodySize: body.map { Int(clamping: $0.size) })
    }

    private func content(_ mediaType: String, _ bytes: Bytes?, size: Int64) -> HARDocument.Content {
        HARDocument.Content(
            mediaType: mediaType, bytes: bytes?.array, size: bytes?.readableBytes ?? Int(clamping: size))
    }

    func fields(_ headers: HTTPFields) -> [HARDocument.Field] {
        headers.map { field in
            let isHidden = !secretHeaders.isEmpty && secretHeaders.contains(field.name.rawName.lowercased())
            return HARDocument.Field(name: field.name.rawName, value: isHidden ? Redaction.mark : field.value)
        }
    }

    /// The phases; a gap between two of them is in none.
    func timings(_ metrics: AttemptMetrics) -> HARDocument.Timings {
        let opening = [metrics.connect, metrics.proxying, metrics.tls].compactMap(\.self)
        let connect = opening.reduce(Duration.zero) { $0 + $1.duration }
        return HARDocument.Timings(
            blocked: metrics.queue.map { milliseconds($0.duration) },
            dns: metrics.resolve.map { milliseconds($0.duration) },
            connect: opening.isEmpty ? nil : milliseconds(connect),
            ssl: metrics.tls.map { milliseconds($0.duration) },
            send: metrics.write.map { milliseconds($0.duration) } ?? 0,
            wait: metrics.wait.map { milliseconds($0.duration) } ?? 0,
            receive: metrics.read.map { milliseconds($0.duration) } ?? 0)
    }

    /// Returns a duration in milliseconds with three decimals.
    private func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1_000
    }

    /// Returns the address of an address and port; nil for the path of a socket.
    static func address(_ peer: String) -> String? {
        guard let colon = peer.lastIndex(of: ":"), !peer.hasPrefix("/") else { return nil }
        let host = peer[..<colon]
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
        return IPAddress(bare) == nil ? nil : bare
    }
}
