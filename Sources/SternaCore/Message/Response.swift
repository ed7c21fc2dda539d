public import HTTPTypes

/// A response: its head, and a body that is complete or streamed.
// Invariant: `storage` is mutated only while a single `Response` refers to it.
public struct Response: @unchecked Sendable {
    // In a box, so that interceptors pass one word, and keep one word while they wait.
    @usableFromInline var storage: Storage

    @usableFromInline
    final class Storage {
        // Invariant: accesses never overlap, because it is mutated only through the one `Response` that refers to it.
        @exclusivity(unchecked) @usableFromInline final var content: Content

        @inlinable
        @inline(__always)
        init(_ content: consuming Content) { self.content = content }
    }

    @usableFromInline
    struct Content: Sendable {
        @usableFromInline var status: HTTPResponse.Status
        @usableFromInline var version: HTTPVersion
        @usableFromInline var section: FieldSection
        @usableFromInline var body: ResponseBody
        @usableFromInline var url: HTTPURL
        @usableFromInline var redirects: [RedirectStep] = []
        @usableFromInline var recorder: MetricsRecorder?
        @usableFromInline var hasUnknownCoding = false
        @usableFromInline var isDecoded = false
        @usableFromInline var isKeptRedirect = false
        @usableFromInline var note: String?
        @usableFromInline var retries = 0
        @usableFromInline var source = ResponseSource.network
        @usableFromInline var sessionDecoding: (any AnyObject & Sendable)?
        @usableFromInline var duplex: (any DuplexStream)?

        init(
            _ status: HTTPResponse.Status, _ version: HTTPVersion, _ section: FieldSection, _ body: ResponseBody,
            _ url: HTTPURL
        ) {
            (self.status, self.version, self.section, self.body, self.url) = (status, version, section, body, url)
        }
    }

    @inlinable
    mutating func makeOwn() {
        if !isKnownUniquelyReferenced(&storage) { copy() }
    }

    @usableFromInline
    @inline(never)
    mutating func copy() { storage = Storage(storage.content) }

    /// The status code (RFC 9110, 15).
    public var status: HTTPResponse.Status {
        @inlinable get { storage.content.status }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.status
        }
    }

    /// The reason phrase as the server sent it (RFC 9112, 4), to show to users; empty over HTTP/2, which has none.
    ///
    /// Programs must not rely on it, since proxies change it and servers omit it.
    public var reasonPhrase: String { section.reasonPhrase }

    /// The HTTP version of the response.
    public var version: HTTPVersion {
        @inlinable get { storage.content.version }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.version
        }
    }

    /// The header section as received.
    package var section: FieldSection {
        @inlinable get { storage.content.section }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.section
        }
    }

    /// The content.
    public var body: ResponseBody {
        @inlinable get { storage.content.body }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.body
        }
    }

    /// The URL of the response: the request's URL, or the target of the last redirect.
    public var url: HTTPURL {
        @inlinable get { storage.content.url }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.url
        }
    }

    /// The followed redirects that led to this response, in order.
    public var redirects: [RedirectStep] {
        @inlinable get { storage.content.redirects }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.redirects
        }
    }

    package var recorder: MetricsRecorder? {
        @inlinable get { storage.content.recorder }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.recorder
        }
    }

    /// The connection's bytes both ways, after a switch of protocols that the request asked for (``Request/Delivery/duplex``).
    package var duplex: (any DuplexStream)? {
        @inlinable get { storage.content.duplex }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.duplex
        }
    }

    /// Whether the body is in an unknown content coding that was not requested, and was left undecoded.
    package var hasUnknownCoding: Bool {
        @inlinable get { storage.content.hasUnknownCoding }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.hasUnknownCoding
        }
    }

    /// Whether the body was decoded, so that lengths, ranges, digests and entity tags in the fields refer to other bytes.
    package var isDecoded: Bool {
        @inlinable get { storage.content.isDecoded }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.isDecoded
        }
    }

    /// Whether a closure has chosen this redirect response as the result, so that its status is not an error.
    package var isKeptRedirect: Bool {
        @inlinable get { storage.content.isKeptRedirect }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.isKeptRedirect
        }
    }

    /// The number of retries that led to this response, including those of requests that redirected here.
    package var retries: Int {
        @inlinable get { storage.content.retries }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.retries
        }
    }

    /// The source of the response: the network, the cache, or the cache after revalidation.
    public package(set) var source: ResponseSource {
        @inlinable get { storage.content.source }
        _modify {
            makeOwn()
            yield &storage.content.source
        }
    }

    /// A sentence of the library about the response, for example why no credentials were sent after a 401; nil for most responses.
    public package(set) var note: String? {
        @inlinable get { storage.content.note }
        _modify {
            makeOwn()
            yield &storage.content.note
        }
    }

    /// The session's rules for values from JSON, of a type that a module above knows; nil unless a session has set them.
    package var sessionDecoding: (any AnyObject & Sendable)? {
        @inlinable get { storage.content.sessionDecoding }
        @inlinable _modify {
            makeOwn()
            yield &storage.content.sessionDecoding
        }
    }

    /// The metrics of the request so far; nil if the session does not collect metrics. They are complete when the body has been
    /// read to its end.
    public var metrics: RequestMetrics? { recorder?.snapshot }

    /// Makes a response, for a transport or an interceptor of a program's own.
    public init(
        status: HTTPResponse.Status, version: HTTPVersion = .http11, headers: HTTPFields = HTTPFields(),
        body: ResponseBody = ResponseBody(), url: HTTPURL
    ) {
        self.init(status: status, version: version, section: FieldSection(headers), body: body, url: url)
    }

    package init(
        status: HTTPResponse.Status, version: HTTPVersion = .http11, section: FieldSection,
        body: ResponseBody = ResponseBody(), url: HTTPURL
    ) {
        storage = Storage(Content(status, version, section, body, url))
    }

    /// The header fields as a list.
    public var headers: HTTPFields {
        get { section.fields }
        set { section.fields = newValue }
    }

    /// The value of a field, without parsing all fields.
    public subscript(name: HTTPField.Name) -> String? { section[name] }
}

extension Response: CustomReflectable {
    /// Shows the response without the credentials of its URL and its header fields, and only the length of its body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "version": version, "url": Redaction.show(url), "section": section, "body": body,
                "redirects": redirects,
            ], displayStyle: .struct)
    }
}

/// The source of a response.
public enum ResponseSource: String, Sendable, Hashable, CaseIterable {
    /// The server, or a proxy on the way to it.
    case network
    /// The session's cache, without a request to the server; also for a 504 because no stored response can be used.
    case cache
    /// The session's cache, after the server has confirmed with 304 that the stored response is current (RFC 9111, 4.3).
    case revalidated
}

/// The HTTP version of a message.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    public var major: Int
    public var minor: Int

    /// Makes a version, for a transport of a program's own, such as one of HTTP/3.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    public static let http10 = HTTPVersion(major: 1, minor: 0)
    public static let http11 = HTTPVersion(major: 1, minor: 1)
    public static let http2 = HTTPVersion(major: 2, minor: 0)

    public var description: String { major >= 2 && minor == 0 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)" }
}

/// One redirect that was followed.
public struct RedirectStep: Sendable, Hashable {
    /// The URL whose response redirected.
    public var url: HTTPURL

    /// The status of that response.
    public var status: Int

    /// Makes a step, for a transport of a program's own that follows redirects itself.
    public init(url: HTTPURL, status: Int) {
        self.url = url
        self.status = status
    }
}

extension RedirectStep: CustomReflectable {
    /// Shows the step without the credentials of its URL.
    public var customMirror: Mirror {
        Mirror(self, children: ["url": Redaction.show(url), "status": status], displayStyle: .struct)
    }
}
