import Sterna

/// The URLs that a view loads through a session: `sterna-https://example.com/` in place of `https://example.com/`, since WebKitGTK lets no
/// program answer the requests of `http` and `https`.
enum WebViewURL {
    static let prefix = "sterna-"

    static let schemes = ["http", "https"]

    /// Returns the URL for WebKit.
    static func shown(_ url: HTTPURL) -> String { prefix + url.href }

    /// Returns the URL for the session; nil for any other scheme.
    static func asked(_ text: String) -> HTTPURL? {
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        return http(String(text.dropFirst(prefix.count)))
    }

    /// Returns the URL of a text that is one of `http` or `https`.
    static func http(_ text: String) -> HTTPURL? {
        guard let url = try? HTTPURL(text), url.scheme == .http || url.scheme == .https else { return nil }
        return url
    }
}

/// Which header fields pass between a view and a session.
enum WebViewFields {
    /// Those that the session makes itself, or that describe a connection (RFC 9110, 7.6.1).
    private static let ofSession: Set<String> = [
        "host", "cookie", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
        "accept-encoding", "proxy-authorization", "proxy-connection", "user-agent",
    ]

    /// Those that hold for the bytes on the wire, or that the session keeps.
    private static let ofTransfer: Set<String> = [
        "set-cookie", "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "trailer",
        "strict-transport-security", "alt-svc",
    ]

    /// Returns the fields of a request for the session. URLs of the view's schemes are the server's.
    static func asked(_ fields: [(String, String)]) -> Headers {
        Headers(
            fields.filter { !ofSession.contains($0.0.lowercased()) }.map { name, value in
                let isURL = ["referer", "origin"].contains(name.lowercased()) && value.hasPrefix(WebViewURL.prefix)
                return (name, isURL ? String(value.dropFirst(WebViewURL.prefix.count)) : value)
            })
    }

    /// Returns the fields of a response for the view, with a policy that keeps the page from loading anything past the session.
    static func shown(_ fields: some Sequence<(String, String)>, isConfined: Bool) -> [(String, String)] {
        var shown = fields.filter { !ofTransfer.contains($0.0.lowercased()) }.map { name, value in
            let isOrigin = name.lowercased() == "access-control-allow-origin" && WebViewURL.http(value) != nil
            return (name, isOrigin ? WebViewURL.prefix + value : value)
        }
        if isConfined { shown.append(("Content-Security-Policy", confinement)) }
        return shown
    }

    static let confinement =
        "default-src sterna-http: sterna-https: data: blob: 'unsafe-inline' 'unsafe-eval'; form-action sterna-http: sterna-https:"
}
