import HTTPTypes
import Logging
import SternaCore

/// Decides what the line of an event says: level, message, and metadata. `docs/Observability.md` has the table.
struct LogRule {
    /// Whether the logger wants `trace`, and lines get header fields and commands.
    let isTrace: Bool

    /// The maximum size of a body that is shown.
    let bodyLimit: Int

    /// The outcome of the event's call as far as it is known.
    let outcome: LogOutcome

    static let failed: Logger.Message = "Request failed"

    // MARK: Level and message

    /// Returns the level of an event's line, and its message, which is the same for all events with the same outcome.
    func head(_ kind: SternaEvent.Kind) -> (level: Logger.Level, message: Logger.Message) {
        switch kind {
        case .requestBegan: return (.debug, "Request began")
        case .attemptBegan: return (.debug, "Attempt began")
        case .hostResolved: return (.trace, "Host resolved")
        case .connected: return (.trace, "Connected")
        case .proxyConnected: return (.trace, "Proxy connected")
        case .tlsEstablished: return (.trace, "TLS established")
        case .connectionAcquired: return (.trace, "Connection acquired")
        case .requestSent: return (.trace, "Request sent")
        case .informationalReceived: return (.trace, "Informational response received")
        case .responseBegan: return (.debug, "Response began")
        case .responseEnded: return (.trace, "Response ended")
        case .attemptFailed: return (.debug, "Attempt failed")
        case .retryScheduled: return (.debug, "Retry scheduled")
        case .requestEnded:
            return Self.end(outcome.failure?.kind, ended: "Request ended", cancelled: "Request cancelled", Self.failed)
        case .taskCreated: return (.debug, "Task created")
        case .taskResumed: return (.debug, "Task resumed")
        case .taskSuspended: return (.debug, "Task suspended")
        case .taskCancelled: return (.debug, "Task cancelled")
        case .requestAdapted: return (.trace, "Request adapted")
        case .adaptationFailed: return (.debug, "Adaptation failed")
        case .redirectDecided: return (.debug, "Redirect decided")
        case .newBodyNeeded: return (.debug, "New body needed")
        case .challengeReceived: return (.debug, "Challenge received")
        case .bodyDataSent: return (.trace, "Body data sent")
        case .responseReceived: return (.debug, "Response received")
        case .dataReceived: return (.trace, "Data received")
        case .responseValidated: return (.trace, "Response validated")
        case .valueParsed: return (.trace, "Value parsed")
        case .becameDownload: return (.debug, "Became a download")
        case .bytesWritten: return (.trace, "Bytes written")
        case .downloadResumed: return (.debug, "Download resumed")
        case .destinationChosen: return (.debug, "Destination chosen")
        case .downloadFinished: return (.debug, "Download finished")
        case .downloadNotMoved: return (.warning, "Download not moved")
        case .taskCompleted(let error):
            return Self.end(error?.kind, ended: "Task completed", cancelled: "Task completed", "Task failed")
        case .sessionInvalidated: return (.debug, "Session invalidated")
        case .transferStarted: return (.debug, "Transfer started")
        case .transferHeadersReceived: return (.debug, "Transfer headers received")
        case .transferRedirected: return (.debug, "Transfer redirected")
        case .transferRetryScheduled: return (.debug, "Transfer retry scheduled")
        case .transferFinished: return (.debug, "Transfer finished")
        case .transferFailed(let error):
            return Self.end(error.kind, ended: "", cancelled: "Transfer cancelled", "Transfer failed")
        case .queueFinished: return (.debug, "Queue finished")
        case .dropped: return (.warning, "Events dropped")
        }
    }

    private static func end(
        _ failure: SternaError.Kind?, ended: Logger.Message, cancelled: Logger.Message, _ failed: Logger.Message
    ) -> (Logger.Level, Logger.Message) {
        switch failure {
        case nil: (.debug, ended)
        case .cancelled: (.debug, cancelled)
        default: (.warning, failed)
        }
    }

    // MARK: Metadata

    /// Returns the metadata of an event's line, without secrets and harmless for a terminal.
    func metadata(_ event: SternaEvent) -> Logger.Metadata {
        var values = LogValues()
        values["sterna.call"] = event.call?.id
        if event.call == nil, let owner = event.owner as? any Identifiable {
            values[event.kind.family == .transfers ? "sterna.transfer" : "sterna.call"] = "\(owner.id)"
        }
        if event.attempt > 0 { values["sterna.attempt"] = event.attempt }
        if event.call != nil || event.kind.family == .transfers { values.add("sterna.elapsed", event.time) }
        if event.kind.family == .network {
            addNetwork(event, to: &values)
        } else {
            add(event.kind, to: &values)
        }
        return values.all
    }

    private func addNetwork(_ event: SternaEvent, to values: inout LogValues) {
        switch event.kind {
        case .requestBegan:
            values["http.request.method"] = event.call?.method
            values["url.full"] = event.call?.url
        case .attemptBegan(let reason, let request):
            values["sterna.reason"] = reason.rawValue
            values.add(request)
            add(bodyOf: request, to: &values)
            guard isTrace else { return }
            values.add(request.headers, "http.request.header", outcome.secretHeaders)
            values.add("sterna.curl", CurlCommand(request, loggedBytes: bodyLimit).text, limit: .max)
        case .hostResolved(let host, let addresses):
            values["server.address"] = host
            values["sterna.addresses"] = addresses.prefix(8).map { "\($0)" }.joined(separator: ", ")
        case .connected(let peer):
            let (address, port) = Self.parts(ofPeer: peer)
            values["network.peer.address"] = address
            values["network.peer.port"] = port
        case .proxyConnected(let proxy, let response):
            values["sterna.proxy"] = proxy
            values["http.response.status_code"] = response?.status.code
        case .tlsEstablished(let version):
            values["tls.protocol.version"] = version.map { $0.hasPrefix("TLS ") ? String($0.dropFirst(4)) : $0 }
        case .connectionAcquired(let isReused): values["sterna.connection.reused"] = isReused
        case .requestSent(let bytes): values["http.request.size"] = bytes
        case .informationalReceived(let response):
            values["http.response.status_code"] = response.status
            if isTrace { values.add(response.headers, "http.response.header", outcome.secretHeaders) }
        case .responseBegan(let response):
            values.add(response)
            if isTrace { values.add(response.headers, "http.response.header", outcome.secretHeaders) }
        case .responseEnded(let bytes): values["http.response.size"] = bytes
        case .attemptFailed(let error): values.add(error.kind, error.detail)
        case .retryScheduled(let retry):
            values["sterna.retry.number"] = retry.number
            values["sterna.retry.reason"] = "\(retry.reason)"
            values.add("sterna.retry.delay", retry.delay)
        case .requestEnded(let metrics): addEnd(event, metrics, to: &values)
        default: break
        }
    }

    private func addEnd(_ event: SternaEvent, _ metrics: RequestMetrics, to values: inout LogValues) {
        values["http.request.method"] = event.call?.method
        values["url.full"] = event.call?.url
        let status = outcome.status ?? metrics.attempts.last { $0.status != nil }?.status
        values["http.response.status_code"] = status
        values["sterna.source"] = outcome.source?.rawValue
        values["sterna.attempts"] = metrics.attempts.count
        values["http.request.size"] = metrics.bytesSent
        values["http.response.size"] = metrics.bytesReceived
        values["http.response.body.size"] = outcome.bodySize
        values.add("sterna.response.body", outcome.body?.text, limit: .max)
        if let failure = outcome.failure { values.add(failure.kind, failure.detail) }
    }

    private func add(bodyOf request: Request, to values: inout LogValues) {
        values["http.request.body.size"] = request.body?.length
        values.add("sterna.request.body", LogBody(request, limit: bodyLimit)?.text, limit: .max)
    }

    private func add(_ kind: SternaEvent.Kind, to values: inout LogValues) {
        switch kind {
        case .taskCreated(let request?), .requestAdapted(_, let request): values.add(request)
        case .adaptationFailed(let request, let error):
            values.add(request)
            values.add(error.kind, error.detail)
        case .newBodyNeeded(let request, let isProvided):
            values.add(request)
            values["sterna.body.provided"] = isProvided
        case .redirectDecided(let response, let decision):
            values.add(response)
            switch decision {
            case .follow(let request):
                values["sterna.redirect"] = "follow"
                values.add(request)
            case .deliver: values["sterna.redirect"] = "deliver"
            case .refuse: values["sterna.redirect"] = "refuse"
            }
        case .transferRedirected(let response, let request):
            values.add(response)
            values.add(request)
        case .challengeReceived(let challenge):
            values["sterna.challenge.scheme"] = challenge.scheme
            values["sterna.challenge.realm"] = challenge.realm
            values["sterna.challenge.disposition"] = challenge.disposition.rawValue
        case .bodyDataSent(let progress), .bytesWritten(let progress):
            values["sterna.progress.completed"] = progress.completed
            values["sterna.progress.total"] = progress.total
        case .responseReceived(let response), .transferHeadersReceived(let response): values.add(response)
        case .responseValidated(let response, let error):
            values.add(response)
            if let error { values.add(error.kind, error.detail) }
        case .dataReceived(let bytes): values["sterna.bytes"] = bytes
        case .becameDownload(let id): values["sterna.download"] = id
        case .downloadResumed(let offset, let length):
            values["sterna.progress.completed"] = offset
            values["sterna.progress.total"] = length
        case .destinationChosen(let path), .downloadFinished(let path): values["file.path"] = path
        case .downloadNotMoved(let path, let error):
            values["file.path"] = path
            values.add(error.kind, error.detail)
        case .transferRetryScheduled(let error, let pause):
            values.add(error.kind, error.detail)
            values.add("sterna.retry.delay", pause)
        case .valueParsed(.failure(let error)), .taskCompleted(let error?), .transferFailed(let error):
            values.add(error.kind, error.detail)
        case .queueFinished(let finished, let failed):
            values["sterna.queue.finished"] = finished
            values["sterna.queue.failed"] = failed
        case .dropped(let count): values["sterna.dropped"] = count
        default: break
        }
    }

    /// Returns the metadata of a failed call that has recorded no events.
    static func metadata(of error: SternaError, _ call: Call, _ request: Request) -> Logger.Metadata {
        var values = LogValues()
        values["sterna.call"] = call.id
        values.add(request)
        values["http.response.status_code"] = error.response?.status.code
        values["sterna.attempts"] = call.attempts
        values.add(error.kind, error.detail)
        return values.all
    }

    /// Splits an address and port, such as `[::1]:80`; the path of a socket has no port.
    static func parts(ofPeer peer: String) -> (address: String, port: String?) {
        guard !peer.hasPrefix("/"), let colon = peer.lastIndex(of: ":") else { return (peer, nil) }
        let (address, port) = (peer[..<colon], peer[peer.index(after: colon)...])
        guard !port.isEmpty, port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return (peer, nil) }
        let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
        return (String(isBracketed ? address.dropFirst().dropLast() : address), String(port))
    }
}

/// The metadata of a line while it is made.
struct LogValues {
    private(set) var all: Logger.Metadata

    // Most lines have no more, so that the dictionary seldom grows.
    init() { all = Logger.Metadata(minimumCapacity: 12) }

    /// Sets the text of a value; nil changes nothing.
    subscript(key: String) -> (any CustomStringConvertible)? {
        get { all[key].map { "\($0)" } }
        set { add(key, newValue?.description, limit: LogText.longest) }
    }

    /// Sets a time in seconds.
    mutating func add(_ key: String, _ duration: Duration) { all[key] = .string(Self.seconds(duration)) }

    mutating func add(_ key: String, _ text: String?, limit: Int) {
        if let text { all[key] = .string(LogText.safe(text, limit: limit)) }
    }

    mutating func add(_ request: Request) {
        self["http.request.method"] = request.method.rawValue
        self["url.full"] = Redaction.show(request.url)
    }

    mutating func add(_ response: Response) {
        self["http.response.status_code"] = response.status.code
        let version = response.version
        self["network.protocol.version"] =
            version.major >= 2 && version.minor == 0 ? "\(version.major)" : "\(version.major).\(version.minor)"
    }

    mutating func add(_ fields: HTTPFields, _ key: String, _ secretNames: Set<String>) {
        all[key] = LogText.fields(fields, secretNames)
    }

    mutating func add(_ kind: SternaError.Kind, _ detail: String) {
        self["error.type"] = kind.rawValue
        self["sterna.error"] = detail
    }

    /// Returns seconds with six decimals.
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let micros = abs(attoseconds) / 1_000_000_000_000
        return "\(seconds).\(String(String(micros + 1_000_000).dropFirst()))"
    }
}
