public import HTTPTypes

/// A request as it is sent down the chain: a value, made once, copied by whoever needs another.
public struct Request: Sendable {
    public typealias Method = HTTPRequest.Method

    /// The method (RFC 9110, 9).
    public var method: Method

    /// Where it goes.
    public var url: HTTPURL

    /// The header fields. Content-Length and Transfer-Encoding are the transport's, whatever stands here; Host is the URL's
    /// unless it is set here.
    public var headers: HTTPFields

    /// The content, or nil for none.
    public var body: Body?

    /// How long each part may take.
    public var timeouts = Timeouts()

    /// The end of the time for everything; set by the session when the call begins.
    public var deadline: Deadline?

    /// When the response is handed over.
    public var delivery = Delivery.whole

    /// What policies were told for this request.
    public var options = RequestOptions()

    /// Told how much of the body the network has taken; called on the connection's event loop, so it must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)?

    /// Who goes first where requests wait for a connection to the same origin.
    public var priority = Priority.normal

    /// Told of interim responses (RFC 9110, 15.2), such as 103 with its Link fields (RFC 8297); called on the connection's event
    /// loop, so it must return at once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalKey.self] }
        set { options[InformationalKey.self] = newValue }
    }

    /// Writes down what happens, where somebody wants to know.
    package var recorder: MetricsRecorder? {
        get { options[RecorderKey.self] }
        set { options[RecorderKey.self] = newValue }
    }

    /// An order among requests that wait.
    public enum Priority: Int, Sendable, Hashable, Comparable {
        case low, normal, high

        public static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
    }

    /// Whether the body waits for the server to ask for it: there is one, and `Expect: 100-continue` (RFC 9110, 10.1.1).
    public var expectsContinue: Bool { body != nil && headers[.expect]?.lowercased() == "100-continue" }

    /// When a transport hands a response over.
    public enum Delivery: Sendable, Hashable {
        /// When the body is complete, if that is small; a large body is streamed.
        case whole
        /// As soon as the head is there.
        case head
    }

    public init(_ method: Method = .get, _ url: HTTPURL, headers: HTTPFields = [:], body: Body? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Whether sending the request twice means no more than sending it once (RFC 9110, 9.2.2).
    public var isIdempotent: Bool {
        switch method {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// Whether the request can be made again: it has no body, or one that can be read from its start.
    public var isReplayable: Bool { body?.isReplayable ?? true }
}

extension Request: CustomReflectable {
    /// The request without the credentials of its URL and its header fields, and with no more of its body than its length, so
    /// that nothing that prints members shows a secret.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "url": Redaction.show(url),
                "headers": Headers(headers).masked(options[SecretHeadersKey.self]), "body": body as Any,
                "timeouts": timeouts, "deadline": deadline as Any, "delivery": delivery,
            ], displayStyle: .struct)
    }
}

private enum InformationalKey: RequestOptionKey {
    static var defaultValue: (@Sendable (InformationalResponse) -> Void)? { nil }
}

private enum RecorderKey: RequestOptionKey {
    static var defaultValue: MetricsRecorder? { nil }
}
