import HTTPTypes
import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization

// An exchange as a line of a recorder's folder. Heads and bodies have the form of HAR, so that its rules hide their secrets.
extension Recorder.Exchange {
    /// Returns the exchange as JSON.
    ///
    /// - Parameter showsSecrets: whether credentials are kept.
    func json(showsSecrets: Bool) -> JSON {
        var writer = HARWriter(secretHeaders: showsSecrets ? [] : secretHeaders)
        var tree: JSON = [
            "id": JSON("\(id)"), "started": JSON(started.timeIntervalSince1970),
            "duration": JSON(duration.wholeNanoseconds),
            "request": writer.request(head, nil, nil).json,
            "attempts": .array(
                attempts.map { ["entry": writer.entry($0, started: started).json, "metrics": $0.metrics.json] }),
            "decisions": .array(decisions.map { JSON($0) }),
            "marked": .array(secretHeaders.sorted().map { JSON($0) }),
        ]
        if let responseHead {
            tree["response"] = writer.response(responseHead, responseBody, content: responseBody?.bytes).json
            tree["url"] = JSON(responseHead.url.href)
            tree["source"] = JSON(responseHead.source.rawValue)
        }
        if let error { tree["error"] = JSON(error) }
        return showsSecrets ? tree : HARRedaction().shown(tree)
    }

    /// Reads an exchange from JSON; nil for anything else.
    init?(json: JSON) {
        guard let id = json["id"].string.flatMap({ UInt64($0) }), let started = json["started"].double,
            started.isFinite,
            let head = RequestHead(HARDocument.Request(json: json["request"]), marked: json["marked"])
        else { return nil }
        self.id = id
        self.started = Date(timeIntervalSince1970: min(max(started, 0), 253_402_300_799))
        self.head = head
        duration = .nanoseconds(max(0, json["duration"].number?.int64 ?? 0))
        decisions = json["decisions"].array?.compactMap(\.string) ?? []
        secretHeaders = head.secretHeaders
        error = json["error"].string
        let url = json["url"].string.flatMap { try? HTTPURL($0) } ?? head.url
        let response = HARDocument.Response(json: json["response"])
        var responseHead = ResponseHead(response, url: url)
        responseHead?.source = json["source"].string.flatMap { ResponseSource(rawValue: $0) } ?? .network
        self.responseHead = responseHead
        attempts = json["attempts"].array?.compactMap { Recorder.Attempt(json: $0, marked: json["marked"]) } ?? []
        let hasBody = responseHead != nil && response.bodySize != nil
        responseBody = hasBody ? Recorder.Body(response.content, size: response.bodySize) : nil
    }
}

extension Recorder.Attempt {
    fileprivate init?(json: JSON, marked: JSON) {
        let entry = HARDocument.Entry(json: json["entry"])
        let request = entry.request
        guard let head = RequestHead(request, marked: marked), let metrics = AttemptMetrics(json["metrics"], head)
        else {
            return nil
        }
        (self.head, self.metrics) = (head, metrics)
        isBodyKnown = request.bodySize != nil
        messages =
            entry.events?.map { Recorder.Message($0, isEvent: true) }
            ?? entry.webSocketMessages?.map { Recorder.Message($0, isEvent: false) } ?? []
        requestBody = request.postData.map { Recorder.Body($0, size: request.bodySize) }
        var responseHead = ResponseHead(entry.response, url: head.url)
        responseHead?.trailers = entry.json["_trailers"].array.map { list in
            HTTPFields(list.map(HARDocument.Field.init))
        }
        self.responseHead = responseHead
        let hasBody = responseHead != nil && entry.response.bodySize != nil
        responseBody = hasBody ? Recorder.Body(entry.response.content, size: entry.response.bodySize) : nil
        readTLS = Recorder.TLS(json: entry.json["_tls"])
        error = entry.failure
        interimResponses = (entry.json["_interimResponses"].array ?? []).prefix(16).map { json in
            InformationalResponse(
                status: min(max(json["status"].int ?? 100, 100), 199),
                headers: HTTPFields((json["headers"].array ?? []).map(HARDocument.Field.init)))
        }
    }
}

extension Recorder.Body {
    fileprivate init(_ content: HARDocument.Content, size: Int?) {
        let bytes = content.bytes
        self.init(size: Int64(size ?? bytes?.count ?? 0), bytes: bytes.map { Bytes(copying: $0) }, isDecoded: true)
    }
}

extension RequestHead {
    /// - Parameter marked: the names of secret fields.
    fileprivate init?(_ request: HARDocument.Request, marked: JSON) {
        guard let method = HTTPRequest.Method(request.method), let url = try? HTTPURL(request.url) else { return nil }
        let names = marked.array?.compactMap(\.string) ?? []
        self.init(method, url, HTTPFields(request.headers), secretHeaders: Set(names))
    }
}

extension ResponseHead {
    fileprivate init?(_ response: HARDocument.Response, url: HTTPURL) {
        guard (100...999).contains(response.status) else { return nil }
        self.init(
            status: .init(code: response.status), version: HTTPVersion(response.httpVersion) ?? .http11,
            section: FieldSection(HTTPFields(response.headers), reason: response.statusText), url: url)
    }
}

extension HTTPFields {
    /// Makes fields; those with an invalid name or value are left out, and those beyond the number that the type can have.
    fileprivate init(_ fields: [HARDocument.Field]) {
        self.init()
        for field in fields.prefix(HARDocument.mostFields) {
            guard let name = HTTPField.Name(field.name), HTTPField.isValidValue(field.value) else { continue }
            append(HTTPField(name: name, value: field.value))
        }
    }
}

extension HTTPVersion {
    /// Reads `HTTP/1.1` or `HTTP/2`.
    fileprivate init?(_ text: String) {
        guard text.hasPrefix("HTTP/") else { return nil }
        let parts = text.dropFirst(5).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let major = parts.first.flatMap({ UInt8($0) }) else { return nil }
        self.init(major: Int(major), minor: parts.count == 2 ? Int(UInt8(parts[1]) ?? 0) : 0)
    }
}

extension Duration {
    /// The nanoseconds, at most those of 292 years.
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, more) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || more ? .max : sum
    }
}

extension AttemptMetrics {
    private static let spans: [(String, any WritableKeyPath<AttemptMetrics, Span?> & Sendable)] = [
        ("queue", \.queue), ("resolve", \.resolve), ("connect", \.connect), ("proxying", \.proxying), ("tls", \.tls),
        ("write", \.write), ("wait", \.wait), ("read", \.read),
    ]

    private static let texts: [(String, any WritableKeyPath<AttemptMetrics, String?> & Sendable)] = [
        ("tlsVersion", \.tlsVersion), ("localAddress", \.localAddress), ("remoteAddress", \.remoteAddress),
        ("proxy", \.proxy),
    ]

    private static let counts: [(String, any WritableKeyPath<AttemptMetrics, Int64> & Sendable)] = [
        ("bytesSent", \.bytesSent), ("bytesReceived", \.bytesReceived), ("decodedBytes", \.decodedBytes),
    ]

    fileprivate var json: JSON {
        var tree: JSON = ["reason": JSON(reason.rawValue), "whole": Self.json(whole), "reused": JSON(isReused)]
        for (key, path) in Self.spans { if let span = self[keyPath: path] { tree[key] = Self.json(span) } }
        for (key, path) in Self.texts { if let text = self[keyPath: path] { tree[key] = JSON(text) } }
        for (key, path) in Self.counts { tree[key] = JSON(self[keyPath: path]) }
        if let version { tree["version"] = JSON("HTTP/\(version.major).\(version.minor)") }
        if let connectionNumber { tree["connection"] = JSON("\(connectionNumber)") }
        if let streamNumber { tree["stream"] = JSON(streamNumber) }
        if let status { tree["status"] = JSON(status) }
        if let failure { tree["failure"] = JSON(failure.rawValue) }
        return tree
    }

    fileprivate init?(_ json: JSON, _ head: RequestHead) {
        guard let reason = json["reason"].string.flatMap({ Reason(rawValue: $0) }), let whole = Self.span(json["whole"])
        else { return nil }
        self.init(reason: reason, method: head.method.rawValue, url: head.url, start: whole.start)
        end(at: whole.end)
        isReused = json["reused"].bool ?? false
        connectionNumber = json["connection"].string.flatMap { UInt64($0) }
        streamNumber = json["stream"].int
        for (key, path) in Self.spans { self[keyPath: path] = Self.span(json[key]) }
        for (key, path) in Self.texts { self[keyPath: path] = json[key].string }
        for (key, path) in Self.counts { self[keyPath: path] = max(0, json[key].number?.int64 ?? 0) }
        version = json["version"].string.flatMap { HTTPVersion($0) }
        status = json["status"].int
        failure = json["failure"].string.flatMap { SternaError.Kind(rawValue: $0) }
    }

    private static func json(_ span: Span) -> JSON {
        [JSON(span.start.wholeNanoseconds), JSON(span.end.wholeNanoseconds)]
    }

    private static func span(_ json: JSON) -> Span? {
        guard let ends = json.array, ends.count == 2, let start = ends[0].number?.int64,
            let end = ends[1].number?.int64,
            start >= 0, end >= start
        else { return nil }
        return Span(start: .nanoseconds(start), end: .nanoseconds(end))
    }
}
