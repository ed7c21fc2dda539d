import HTTPTypes

extension SternaEvent: CustomStringConvertible, CustomReflectable {
    /// For instance `42 GET https://example.com/users, attempt 1, 0.012 s: responseBegan 200`; without secrets and without the values of fields.
    public var description: String {
        guard let call else { return "\(kind)" }
        let number = attempt > 0 ? ", attempt \(attempt)" : ""
        return "\(call)\(number), \(time): \(kind)"
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["kind": "\(kind)", "call": call as Any, "attempt": attempt, "time": time])
    }
}

extension SternaEvent.Kind: CustomStringConvertible, CustomReflectable {
    /// The name of the case, and what is short and no secret.
    public var description: String {
        guard let detail, !detail.isEmpty else { return name }
        return "\(name) \(detail)"
    }

    public var customMirror: Mirror { Mirror(self, children: ["kind": description]) }

    /// The family; nil for ``dropped(_:)``, which all receive.
    public var family: SternaEvent.Families? {
        switch self {
        case .requestBegan, .attemptBegan, .hostResolved, .connected, .proxyConnected, .tlsEstablished,
            .connectionAcquired, .requestSent, .informationalReceived, .responseBegan, .responseEnded, .attemptFailed,
            .retryScheduled, .requestEnded:
            .network
        case .taskCreated, .taskResumed, .taskSuspended, .taskCancelled, .requestAdapted, .adaptationFailed,
            .redirectDecided, .newBodyNeeded, .challengeReceived, .bodyDataSent, .responseReceived, .dataReceived,
            .responseValidated, .valueParsed, .becameDownload, .bytesWritten, .downloadResumed, .destinationChosen,
            .downloadFinished, .downloadNotMoved, .taskCompleted, .sessionInvalidated:
            .tasks
        case .transferStarted, .transferHeadersReceived, .transferRedirected, .transferRetryScheduled,
            .transferFinished, .transferFailed, .queueFinished:
            .transfers
        case .dropped: nil
        }
    }

    /// The name of the case.
    public var name: String {
        switch self {
        case .requestBegan: "requestBegan"
        case .attemptBegan: "attemptBegan"
        case .hostResolved: "hostResolved"
        case .connected: "connected"
        case .proxyConnected: "proxyConnected"
        case .tlsEstablished: "tlsEstablished"
        case .connectionAcquired: "connectionAcquired"
        case .requestSent: "requestSent"
        case .informationalReceived: "informationalReceived"
        case .responseBegan: "responseBegan"
        case .responseEnded: "responseEnded"
        case .attemptFailed: "attemptFailed"
        case .retryScheduled: "retryScheduled"
        case .requestEnded: "requestEnded"
        case .taskCreated: "taskCreated"
        case .taskResumed: "taskResumed"
        case .taskSuspended: "taskSuspended"
        case .taskCancelled: "taskCancelled"
        case .requestAdapted: "requestAdapted"
        case .adaptationFailed: "adaptationFailed"
        case .redirectDecided: "redirectDecided"
        case .newBodyNeeded: "newBodyNeeded"
        case .challengeReceived: "challengeReceived"
        case .bodyDataSent: "bodyDataSent"
        case .responseReceived: "responseReceived"
        case .dataReceived: "dataReceived"
        case .responseValidated: "responseValidated"
        case .valueParsed: "valueParsed"
        case .becameDownload: "becameDownload"
        case .bytesWritten: "bytesWritten"
        case .downloadResumed: "downloadResumed"
        case .destinationChosen: "destinationChosen"
        case .downloadFinished: "downloadFinished"
        case .downloadNotMoved: "downloadNotMoved"
        case .taskCompleted: "taskCompleted"
        case .sessionInvalidated: "sessionInvalidated"
        case .transferStarted: "transferStarted"
        case .transferHeadersReceived: "transferHeadersReceived"
        case .transferRedirected: "transferRedirected"
        case .transferRetryScheduled: "transferRetryScheduled"
        case .transferFinished: "transferFinished"
        case .transferFailed: "transferFailed"
        case .queueFinished: "queueFinished"
        case .dropped: "dropped"
        }
    }

    private var detail: String? {
        switch self {
        case .requestBegan, .taskResumed, .taskSuspended, .taskCancelled, .valueParsed(.success), .taskCompleted(nil),
            .sessionInvalidated, .transferStarted, .transferFinished, .taskCreated(nil):
            nil
        case .attemptBegan(let reason, let request): "\(reason): \(Self.shown(request))"
        case .hostResolved(let host, let addresses): "\(host): \(addresses.count)"
        case .connected(let address): address
        case .proxyConnected(let proxy, let response): proxy + (response.map { " \($0.status.code)" } ?? "")
        case .tlsEstablished(let version): version
        case .connectionAcquired(let isReused): isReused ? "reused" : "new"
        case .requestSent(let bytes), .responseEnded(let bytes): "\(bytes)"
        case .informationalReceived(let response): "\(response.status)"
        case .responseBegan(let response), .responseReceived(let response), .transferHeadersReceived(let response),
            .responseValidated(let response, nil):
            "\(response.status.code)"
        case .responseValidated(let response, let error?): "\(response.status.code) \(error.kind.rawValue)"
        case .attemptFailed(let error), .adaptationFailed(_, let error), .valueParsed(.failure(let error)),
            .downloadNotMoved(_, let error), .taskCompleted(let error?), .transferFailed(let error),
            .transferRetryScheduled(let error, _):
            error.kind.rawValue
        case .retryScheduled(let retry): "\(retry.number): \(retry.reason)"
        case .requestEnded(let metrics): "\(metrics.attempts.count)"
        case .taskCreated(let request?), .requestAdapted(_, let request), .newBodyNeeded(let request, _):
            Self.shown(request)
        case .redirectDecided(let response, .follow(let request)), .transferRedirected(let response, let request):
            "\(response.status.code) to \(Self.shown(request))"
        case .redirectDecided(let response, .deliver): "\(response.status.code) delivered"
        case .redirectDecided(let response, .refuse): "\(response.status.code) refused"
        case .challengeReceived(let challenge): "\(challenge.scheme): \(challenge.disposition)"
        case .bodyDataSent(let progress), .bytesWritten(let progress): "\(progress)"
        case .dataReceived(let bytes): "\(bytes)"
        case .becameDownload(let id): "\(id)"
        case .downloadResumed(let offset, _): "\(offset)"
        case .destinationChosen(let path), .downloadFinished(let path): path
        case .queueFinished(let finished, let failed): "\(finished), \(failed) failed"
        case .dropped(let count): "\(count)"
        }
    }

    private static func shown(_ request: Request) -> String {
        "\(request.method.rawValue) \(Redaction.show(request.url))"
    }
}
