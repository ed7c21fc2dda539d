public import SternaCore

/// A server that requests go through.
///
/// Descriptions and mirrors do not show its credentials.
public struct Proxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP: whole URLs for `http`, a tunnel by CONNECT for `https` (RFC 9110, 9.3.6).
        case http
        /// The same within TLS to the proxy itself.
        case https
        /// SOCKS 5 (RFC 1928); names are resolved by the proxy.
        case socks5

        /// The port of a URL without one: 80 for `http`, 443 for `https`, 1080 for `socks5`.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .socks5: 1080
            }
        }
    }

    /// The protocol that the proxy speaks.
    public let kind: Kind

    /// The host: a lower-case ASCII name, a dotted IPv4 address, or an IPv6 address without brackets.
    public let host: String

    /// The port, from 1 to 65535.
    public let port: Int

    private var credentials: ProxyCredentials?

    /// Reads a proxy's URL, such as `http://user:password@proxy.example:3128`.
    ///
    /// The scheme is `http`, `https`, `socks5` or `socks5h`, the last two meaning the same; without one it is `http`.
    /// Without a port it is 80, 443 or 1080. User name and password are percent-decoded. Path, query and fragment are
    /// ignored.
    ///
    /// - Throws: `invalidURL` for anything else, and for credentials that ``init(_:host:port:username:password:)``
    ///   refuses.
    public init(_ url: String) throws(SternaError) {
        let (kind, rest) = try Self.split(url)
        let parsed: HTTPURL
        var port: Int?
        do {
            parsed = try HTTPURL("http://\(rest)")
            // A parsed URL omits its scheme's default port, but no port is the default of both schemes.
            port = try parsed.port ?? HTTPURL("https://\(rest)").port
        } catch {
            throw Self.invalid("\(error)")
        }
        // An @ that is not encoded ends the authority, so that a part of it would be taken for the host.
        guard !parsed.requestTarget.contains("@"), parsed.fragment?.contains("@") != true else {
            throw Self.invalid("There is an @ after the host; percent-encode any / \\ ? # in a user name or password.")
        }
        let userinfo = parsed.userinfo
        guard userinfo?.isUTF8 != false else {
            throw Self.invalid("Its user name and password are not UTF-8 when they are percent-decoded.")
        }
        try self.init(
            kind, host: parsed.host, port: port, username: userinfo?.decodedUsername,
            password: userinfo?.decodedPassword)
    }

    /// Creates a proxy from its parts.
    ///
    /// - Parameters:
    ///   - host: a name, an IPv4 address, or an IPv6 address with or without brackets.
    ///   - port: 1 to 65535; nil for 80, 443 or 1080.
    ///   - username: not percent-encoded. A proxy of HTTP takes it without ":" (RFC 7617, 2), SOCKS in 1 to 255 bytes
    ///     (RFC 1929, 2).
    ///   - password: not percent-encoded. SOCKS takes at most 255 bytes.
    /// - Throws: `invalidURL` if the host or the port is invalid, or the credentials cannot be sent. Control characters never can,
    ///   nor more than 8,192 bytes.
    public init(
        _ kind: Kind, host: String, port: Int? = nil, username: String? = nil, password: String? = nil
    ) throws(SternaError) {
        let port = port ?? kind.defaultPort
        guard (1...65_535).contains(port) else {
            throw Self.invalid("The port is out of range; use 1 to 65535.")
        }
        let origin: Origin
        do {
            origin = try Origin(scheme: .http, host: host, port: port)
        } catch {
            throw Self.invalid("\(error)")
        }
        self.kind = kind
        self.host = origin.hostKind == .ipv6 ? String(origin.host.dropFirst().dropLast()) : origin.host
        self.port = port
        credentials = try ProxyCredentials(username ?? "", password ?? "", for: kind)
    }

    /// Whether the proxy has a user name and password.
    public var hasCredentials: Bool { credentials != nil }

    /// The same proxy without its credentials.
    var withoutCredentials: Proxy {
        var proxy = self
        proxy.credentials = nil
        return proxy
    }

    /// The user name; nil without credentials. It may be empty if there is a password.
    package var username: String? { credentials?.username }

    /// The password; nil without credentials, empty if there is only a user name.
    package var password: String? { credentials?.password }
}

extension Proxy {
    private static let longestURL = 16_384

    private static func split(_ url: String) throws(SternaError) -> (Kind, Substring) {
        let blank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var bytes = url.utf8[...]
        while let last = bytes.last, blank(last) { bytes.removeLast() }
        bytes = bytes.drop(while: blank)
        guard !bytes.isEmpty else {
            throw invalid("It is empty; write it like http://host:3128.")
        }
        guard bytes.count <= longestURL else {
            throw invalid("It is longer than \(longestURL) bytes.")
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw invalid("It holds a control character; remove it, or percent-encode it where it belongs.")
        }
        let text = Substring(bytes)
        var kind = Kind.http
        var rest = text
        if let mark = text.firstRange(of: "://") {
            kind = try scheme(text[..<mark.lowerBound], of: text)
            rest = text[mark.upperBound...]
        }
        guard let first = rest.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "\\") else {
            throw invalid("It has no host; write it like http://host:3128.")
        }
        return (kind, rest)
    }

    private static func scheme(_ name: Substring, of text: Substring) throws(SternaError) -> Kind {
        switch name.lowercased() {
        case "http": return .http
        case "https": return .https
        case "socks5", "socks5h": return .socks5
        case let other:
            // An unknown scheme may be a part of a password, and is not shown if the URL has an @.
            let isKnown = ["socks", "socks4", "socks4a", "ftp", "ws", "wss"].contains(other)
            let shown = isKnown || !text.utf8.contains(UInt8(ascii: "@"))
            let which = shown ? "The scheme “\(FieldSyntax.printable(other))”" : "Its scheme"
            throw invalid("\(which) is not supported; use http, https, socks5 or socks5h.")
        }
    }

    fileprivate static func invalid(_ reason: String) -> SternaError {
        SternaError(.invalidURL, phase: .prepare, "The proxy cannot be used. \(reason)")
    }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind, host and port as a URL, without credentials.
    public var description: String {
        "\(kind.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows kind, host and port, and whether there are credentials.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["kind": kind, "host": host, "port": port, "hasCredentials": hasCredentials],
            displayStyle: .struct)
    }
}

/// A user name and password that can be sent.
private struct ProxyCredentials: Sendable, Hashable {
    let username: String
    let password: String

    private static let longest = 8_192

    /// Returns nil if both are empty.
    init?(_ username: String, _ password: String, for kind: Proxy.Kind) throws(SternaError) {
        if username.isEmpty, password.isEmpty { return nil }
        for (text, name) in [(username, "user name"), (password, "password")] {
            guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw Proxy.invalid("Its \(name) holds a control character, which cannot be sent.")
            }
            let most = kind == .socks5 ? SOCKS5Handshake.longestField : Self.longest
            guard text.utf8.count <= most else {
                throw Proxy.invalid("Its \(name) is longer than \(most) bytes.")
            }
        }
        switch kind {
        case .http, .https:
            guard !username.utf8.contains(UInt8(ascii: ":")) else {
                throw Proxy.invalid("Its user name holds a colon, which Basic authentication cannot send.")
            }
        case .socks5:
            guard !username.isEmpty else {
                throw Proxy.invalid("It has a password without a user name, which SOCKS5 cannot send.")
            }
        }
        self.username = username
        self.password = password
    }

    // Strings compare by canonical equivalence, but a proxy that receives other bytes may see another user.
    static func == (left: ProxyCredentials, right: ProxyCredentials) -> Bool {
        left.username.utf8.elementsEqual(right.username.utf8) && left.password.utf8.elementsEqual(right.password.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in username.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0))
        for byte in password.utf8 { hasher.combine(byte) }
    }
}
