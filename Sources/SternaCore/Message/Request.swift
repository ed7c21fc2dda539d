public import HTTPTypes

/// A request as it is sent down the chain: a value, made once, copied by whoever needs another.
// Invariant: what `storage` refers to is changed only while nobody else refers to it.
public struct Request: @unchecked Sendable {
    public typealias Method = HTTPRequest.Method

    // In a box, so that each step of the chain hands on one word.
    @usableFromInline var storage: Storage

    @usableFromInline
    final class Storage {
        // Invariant: nobody has two accesses to it at once, for only who alone refers to it changes it, through one `Request`.
        @exclusivity(unchecked) @usableFromInline final var content: Content

        @inlinable
        @inline(__always)
        init(_ content: consuming Content) { self.content = content }
    }

    @usableFromInline
    struct Content: Sendable {
        @usableFromInline var method: Method
        @usableFromInline var url: HTTPURL
        @usableFromInline var headers: HTTPFields
        @usableFromInline var body: Body?
        @usableFromInline var timeouts = Timeouts()
        @usableFromInline var deadline: Deadline?
        @usableFromInline var delivery = Delivery.whole
        @usableFromInline var options = RequestOptions()
        @usableFromInline var uploadProgress: (@Sendable (TransferProgress) -> Void)?
        @usableFromInline var priority = Priority.normal
        @usableFromInline var call: Call?

        init(_ method: Method, _ url: HTTPURL, _ headers: HTTPFields, _ body: Body?) {
            (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        }
    }

    @inlinable
    mutating func makeOwn() {
        if !isKnownUniquelyReferenced(&storage) { copy() }
    }

    @usableFromInline
    @inline(never)
    mutating func copy() { storage = Storage(storage.content) }

    /// The method (RFC 9110, 9); a standard one that is set in another case is normalized, see
    /// ``HTTPTypes/HTTPRequest/Method/normalized``.
    public var method: Method {
        @inlinable get { storage.content.method }
        @inlinable set {
            makeOwn()
            storage.content.method = newValue.normalized
        }
    }

    /// Where it goes.
    public var url: HTTPURL {
        @inlinable get { storage.content.url }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.url
        }
    }

    /// The header fields. Content-Length and Transfer-Encoding are the transport's, whatever stands here; Host is the URL's
    /// unless it is set here.
    ///
    /// A Host field also goes to a proxy that forwards, beside the whole URL in the request line. The proxy connects to the URL's host;
    /// one that keeps to RFC 9112, 3.2.2, replaces the field by that host. A redirect to another origin drops the field.
    public var headers: HTTPFields {
        @inlinable get { storage.content.headers }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.headers
        }
    }

    /// The content, or nil for none.
    public var body: Body? {
        @inlinable get { storage.content.body }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.body
        }
    }

    /// How long each part may take.
    public var timeouts: Timeouts {
        @inlinable get { storage.content.timeouts }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.timeouts
        }
    }

    /// When the request must be complete: the deadline of its ``call``, or an earlier one that an interceptor sets. Nothing is sent
    /// once it has passed.
    ///
    /// A call's deadline is the caller's own, or the end of ``Timeouts/total``, whichever is earlier.
    public var deadline: Deadline? {
        get {
            guard let call = storage.content.call else { return storage.content.deadline }
            return storage.content.deadline.map { min($0, call.deadline) } ?? call.deadline
        }
        set {
            makeOwn()
            storage.content.deadline = newValue
        }
    }

    /// The deadline that was set for this request alone.
    package var ownDeadline: Deadline? { storage.content.deadline }

    /// The call that the request belongs to; nil for a request that is given to a ``Transport`` directly.
    public internal(set) var call: Call? {
        @inlinable get { storage.content.call }
        set {
            makeOwn()
            storage.content.call = newValue
        }
    }

    /// Makes the request one of a call.
    package mutating func join(_ call: Call) { self.call = call }

    /// When the response is handed over.
    public var delivery: Delivery {
        @inlinable get { storage.content.delivery }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.delivery
        }
    }

    /// What policies were told for this request.
    public var options: RequestOptions {
        @inlinable get { storage.content.options }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.options
        }
    }

    /// Told how much of the body the network has taken; called on the connection's event loop, so it must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)? {
        @inlinable get { storage.content.uploadProgress }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.uploadProgress
        }
    }

    /// Who goes first where requests wait for a connection to the same origin.
    public var priority: Priority {
        @inlinable get { storage.content.priority }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.priority
        }
    }

    /// Told of interim responses (RFC 9110, 15.2), such as 103 with its Link fields (RFC 8297); called on the connection's event
    /// loop, so it must return at once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalResponseKey.self] }
        set { options[InformationalResponseKey.self] = newValue }
    }

    /// Records the metrics of the call; nil when neither metrics nor an observer is enabled.
    package var recorder: MetricsRecorder? { storage.content.call?.recorder }

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
        storage = Storage(Content(method.normalized, url, headers, body))
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
