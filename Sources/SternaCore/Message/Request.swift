public import HTTPTypes

/// A request, as a value that interceptors copy to change it.
// Invariant: `storage` is mutated only while a single `Request` refers to it.
public struct Request: @unchecked Sendable {
    public typealias Method = HTTPRequest.Method

    // In a box, so that interceptors pass one word.
    @usableFromInline var storage: Storage

    @usableFromInline
    final class Storage {
        // Invariant: accesses never overlap, because it is mutated only through the one `Request` that refers to it.
        @exclusivity(unchecked) @usableFromInline final var content: Content

        @inlinable
        @inline(__always)
        init(_ content: consuming Content) { self.content = content }
    }

    // It has the initializer that the compiler makes: the result of another one would be copied.
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
        @usableFromInline var carried: (any AnyObject & Sendable)?
        @usableFromInline var attemptReason: AttemptMetrics.Reason?
        @usableFromInline var uploadProgress: (@Sendable (TransferProgress) -> Void)?
        @usableFromInline var priority = Priority.normal
        @usableFromInline var call: Call?
    }

    @inlinable
    mutating func makeOwn() {
        if !isKnownUniquelyReferenced(&storage) { copy() }
    }

    @usableFromInline
    @inline(never)
    mutating func copy() { storage = Storage(storage.content) }

    /// The method (RFC 9110, 9); a standard method in another case is normalized, see
    /// ``HTTPTypes/HTTPRequest/Method/normalized``.
    public var method: Method {
        @inlinable get { storage.content.method }
        @inlinable set {
            makeOwn()
            storage.content.method = newValue.normalized
        }
    }

    /// The target URL.
    public var url: HTTPURL {
        @inlinable get { storage.content.url }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.url
        }
    }

    /// The header fields. The transport writes Content-Length and Transfer-Encoding, and ignores values set here. A Host field set
    /// here replaces the URL's host.
    ///
    /// A forwarding proxy receives the Host field, too, in addition to the whole URL in the request line. The proxy connects to the
    /// URL's host, and must replace the field by that host (RFC 9112, 3.2.2). A redirect to another origin drops the field.
    public var headers: HTTPFields {
        @inlinable get { storage.content.headers }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.headers
        }
    }

    /// The content; nil for none.
    public var body: Body? {
        @inlinable get { storage.content.body }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.body
        }
    }

    /// The time limits of each part.
    public var timeouts: Timeouts {
        @inlinable get { storage.content.timeouts }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.timeouts
        }
    }

    /// The time by which the request must be complete: the deadline of its ``call``, or an earlier one set by an interceptor.
    /// Nothing is sent once it has passed.
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

    /// The request's own deadline, regardless of its call's.
    package var ownDeadline: Deadline? { storage.content.deadline }

    /// The call that the request belongs to; nil for a request passed directly to a ``Transport``.
    public internal(set) var call: Call? {
        @inlinable get { storage.content.call }
        set {
            makeOwn()
            storage.content.call = newValue
        }
    }

    /// Assigns the request to a call.
    package mutating func join(_ call: Call) { self.call = call }

    /// When the response is delivered.
    package var delivery: Delivery {
        @inlinable get { storage.content.delivery }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.delivery
        }
    }

    /// The policies' settings for this request.
    public var options: RequestOptions {
        @inlinable get { storage.content.options }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.options
        }
    }

    /// The call state of the module Sterna; nil for most requests.
    package var carried: (any AnyObject & Sendable)? {
        @inlinable get { storage.content.carried }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.carried
        }
    }

    /// The reason for the request's first attempt; nil if the order of attempts determines it.
    package var attemptReason: AttemptMetrics.Reason? {
        @inlinable get { storage.content.attemptReason }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.attemptReason
        }
    }

    /// Called with upload progress on the connection's event loop; must return at once.
    public var uploadProgress: (@Sendable (TransferProgress) -> Void)? {
        @inlinable get { storage.content.uploadProgress }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.uploadProgress
        }
    }

    /// The priority among requests waiting for a connection to the same origin.
    public var priority: Priority {
        @inlinable get { storage.content.priority }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.priority
        }
    }

    /// Called with each interim response (RFC 9110, 15.2), such as 103 with its Link fields (RFC 8297), on the connection's event
    /// loop; must return at once.
    public var onInformational: (@Sendable (InformationalResponse) -> Void)? {
        get { options[InformationalResponseKey.self] }
        set { options[InformationalResponseKey.self] = newValue }
    }

    /// Records the metrics of the call and posts its events; nil if neither is enabled.
    package var recorder: MetricsRecorder? {
        @inlinable get { storage.content.call?.recorder }
    }

    /// The priority of a waiting request.
    public enum Priority: Int, Sendable, Hashable, Comparable {
        case low, normal, high

        public static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
    }

    /// Whether the request has a body that waits for the server's consent: `Expect: 100-continue` (RFC 9110, 10.1.1).
    public var expectsContinue: Bool { body != nil && headers[.expect]?.lowercased() == "100-continue" }

    /// When a transport delivers a response.
    @usableFromInline
    package enum Delivery: Sendable, Hashable {
        /// When the body is complete, if it is small; a large body is streamed.
        case whole
        /// As soon as the head has arrived.
        case head
        /// As `head`; if the server switches protocols (101, or 2xx to an extended CONNECT), with the bytes both ways in
        /// ``Response/duplex``. The protocol is named in the Upgrade field.
        case duplex

        /// Whether the response is wanted as soon as its head has arrived.
        package var isStreamed: Bool { self != .whole }
    }

    public init(_ method: Method = .get, _ url: HTTPURL, headers: HTTPFields = [:], body: Body? = nil) {
        storage = Storage(Content(method: method.normalized, url: url, headers: headers, body: body))
    }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110, 9.2.2). A partial PUT (14.5) does not
    /// count as idempotent.
    public var isIdempotent: Bool {
        switch method {
        case .put: headers[.contentRange] == nil
        case .get, .head, .delete, .options, .trace: true
        default: false
        }
    }

    /// Returns whether one request is a copy of the other, and neither was changed since.
    package func isUnchangedCopy(of other: Request) -> Bool { storage === other.storage }

    /// Whether the request can be sent again: it has no body, or a replayable one.
    public var isReplayable: Bool { body?.isReplayable ?? true }
}

extension Request: CustomReflectable {
    /// Shows the request without the credentials of its URL and header fields, and only the length of its body.
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
