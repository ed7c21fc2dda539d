public import HTTPTypes

/// A response: its head, and a body that is there or is pulled.
public struct Response: Sendable {
    /// The status code (RFC 9110, 15).
    public var status: HTTPResponse.Status

    /// The version the server answered in.
    public var version: HTTPVersion

    /// The header section as it came.
    public var section: FieldSection

    /// The content.
    public var body: ResponseBody

    /// Where the answer came from: the request's URL, or the last of the redirects.
    public var url: HTTPURL

    /// The redirects that led here, first one first.
    public var redirects: [RedirectStep] = []

    package var recorder: MetricsRecorder?

    /// What the request has taken so far; nil where the session does not collect metrics. It is complete when the body has been
    /// read to its end.
    public var metrics: RequestMetrics? { recorder?.soFar }

    public init(
        status: HTTPResponse.Status, version: HTTPVersion = .http11, section: FieldSection = FieldSection(),
        body: ResponseBody = ResponseBody(), url: HTTPURL
    ) {
        self.status = status
        self.version = version
        self.section = section
        self.body = body
        self.url = url
    }

    /// The header fields as a list.
    public var headers: HTTPFields {
        get { section.fields }
        set { section.fields = newValue }
    }

    /// The value of a field, without making the list of all.
    public subscript(name: HTTPField.Name) -> String? { section[name] }
}

extension Response: CustomReflectable {
    /// The response without the credentials of its URL and its header fields, and with no more of its body than its length.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "version": version, "url": Redaction.show(url), "section": section, "body": body,
                "redirects": redirects,
            ], displayStyle: .struct)
    }
}

/// The version of HTTP a message was sent in.
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    public var major: Int
    public var minor: Int

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
    /// Who answered with the redirect.
    public var url: HTTPURL

    /// The status it answered with.
    public var status: Int

    public init(url: HTTPURL, status: Int) {
        self.url = url
        self.status = status
    }
}

extension RedirectStep: CustomReflectable {
    /// The step without the credentials of its URL.
    public var customMirror: Mirror {
        Mirror(self, children: ["url": Redaction.show(url), "status": status], displayStyle: .struct)
    }
}
