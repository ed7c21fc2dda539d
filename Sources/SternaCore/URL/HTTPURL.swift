/// An absolute URL of the scheme `http`, `https`, `ws` or `wss`, parsed and normalised by the WHATWG URL Standard.
///
/// The value is stored as the pieces that a request needs: reading the Host field's value, the request target and the origin
/// allocates no memory. Input and serialization are limited to ``maximumLength`` bytes of UTF-8.
///
/// `description` leaves out user information, so that a URL may be logged; ``href`` includes it.
public struct HTTPURL: Sendable, Hashable {
    let storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// The maximum length of the input and of the serialization, in bytes of UTF-8: 65,536.
    public static var maximumLength: Int { 65_536 }

    /// Parses an absolute URL.
    ///
    /// - Throws: ``ParseError`` if the standard requires failure, for schemes other than the four, and for input or a result over
    ///   ``maximumLength``.
    public init(_ string: String) throws(ParseError) {
        storage = try URLParser.parse(string, base: nil)
    }

    /// Resolves a reference, which may itself be absolute, against a base (WHATWG URL Standard, 4.4).
    ///
    /// The base's user information is kept only for references without an authority, as in the standard.
    ///
    /// - Throws: ``ParseError`` if the standard requires failure, for schemes other than the four, and for input or a result over
    ///   ``maximumLength``.
    public init(_ reference: String, relativeTo base: HTTPURL) throws(ParseError) {
        storage = try URLParser.parse(reference, base: base.storage)
    }

    /// Parses or resolves a reference of an HTTP message: unlike in browsers, an empty host is refused, as in `http:///path` and
    /// `///path` (RFC 9110, 4.2.1). A reference to the base's address inherits the base's ``zone``.
    ///
    /// - Parameter allowsZone: whether the reference may contain a zone, because it comes from the program.
    /// - Throws: ``ParseError``, which is `missingHost` for an empty host.
    package init(
        withHost reference: String, relativeTo base: HTTPURL? = nil, allowsZone: Bool = false
    ) throws(ParseError) {
        let parsed = try URLParser.parse(reference, base: base?.storage, needsHost: true, allowsZone: allowsZone)
        storage = allowsZone ? parsed : parsed.inZone(of: base?.storage)
    }

    /// Parses or resolves a reference with the caller's encoder for hosts outside ASCII, instead of UTS #46.
    ///
    /// - Throws: ``ParseError`` if the standard requires failure, for schemes other than the four, and for input or a result over
    ///   ``maximumLength``.
    package init(
        _ reference: String, relativeTo base: HTTPURL? = nil, hostEncoder: any HostEncoder
    ) throws(ParseError) {
        storage = try URLParser.parse(reference, base: base?.storage, encoder: hostEncoder)
    }
}

extension HTTPURL {
    /// The scheme.
    public var scheme: Scheme { storage.scheme }

    /// The host as it is serialised: a lower-case ASCII name, a dotted IPv4 address, or an IPv6 address in brackets, with its zone.
    public var host: String { storage.host }

    /// The kind of the host.
    package var hostKind: HostKind { storage.hostKind }

    /// The host for a resolver: an IPv6 address without brackets and zone, otherwise the same as ``host``.
    public var hostWithoutBrackets: String {
        guard hostKind == .ipv6 else { return host }
        return String(storage.authority.utf8.dropFirst().prefix { $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "%") })
            ?? host
    }

    /// The port, 0 to 65535; nil when it is the scheme's default.
    public var port: Int? { storage.port.map(Int.init) }

    /// The port to connect to, 0 to 65535.
    public var effectivePort: Int { port ?? scheme.defaultPort }

    /// The URL's user name, percent-decoded; nil if it has neither a name nor a password.
    public var user: String? { userinfo?.decodedUsername }

    /// The URL's password, percent-decoded; empty for a name without one, nil if it has neither.
    public var password: String? { userinfo?.decodedPassword }

    /// The URL's user name and password; nil if both are empty.
    package var userinfo: Userinfo? { storage.userinfo.isEmpty ? nil : Userinfo(serialised: storage.userinfo) }

    /// The path, percent-encoded; it begins with "/".
    public var path: String {
        let target = storage.target
        guard storage.pathLength < target.utf8.count else { return target }
        return String(target.utf8.prefix(storage.pathLength)) ?? target
    }

    /// The query, percent-encoded and without its "?"; nil if there is none, as opposed to an empty one.
    public var query: String? {
        guard storage.pathLength < storage.target.utf8.count else { return nil }
        return String(storage.target.utf8.dropFirst(storage.pathLength + 1))
    }

    /// The fragment, percent-encoded and without its "#"; nil if there is none.
    public var fragment: String? { storage.fragment }

    /// The request target in origin form, path and query (RFC 9112, 3.2.1).
    public var requestTarget: String { storage.target }

    /// The host, with the port unless it is the default. Without a ``zone`` it is the Host field's value (RFC 9112, 3.2).
    public var authority: String { storage.authority }

    /// Scheme, host and port.
    public var origin: Origin { Origin(storage) }

    /// The whole URL in the standard's serialisation, **user information included**; not for logs.
    public var href: String { storage.serialised(withUserinfo: true, withFragment: true) }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user information.
    public var description: String { storage.serialised(withUserinfo: false, withFragment: true) }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows ``description``, so that `dump` reveals no password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPURL.Storage: Hashable {
    // The lengths, the kind and the port follow from the strings.
    static func == (left: HTTPURL.Storage, right: HTTPURL.Storage) -> Bool {
        left === right
            || left.scheme == right.scheme && left.target == right.target && left.authority == right.authority
                && left.fragment == right.fragment && left.userinfo == right.userinfo
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(authority)
        hasher.combine(target)
        hasher.combine(fragment)
        hasher.combine(userinfo)
    }
}

extension HTTPURL {
    /// A scheme that this library supports.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http, https, ws, wss

        /// 80 or 443.
        public var defaultPort: Int { isSecure ? 443 : 80 }

        /// Whether the connection uses TLS.
        public var isSecure: Bool { self == .https || self == .wss }
    }

    /// The kind of a host.
    package enum HostKind: String, Sendable, Hashable {
        /// A registered name.
        case domain
        /// An IPv4 address in dotted decimal.
        case ipv4
        /// An IPv6 address, in brackets within a URL.
        case ipv6
    }
}

extension HTTPURL {
    /// A URL's pieces in one allocation, so that copies of a URL cost one reference count.
    ///
    /// All strings are ASCII in normal form. `authority` begins with `hostLength` bytes of host, `target` with `pathLength` bytes
    /// of path. The rest of `target`, if any, begins with "?".
    final class Storage: Sendable {
        let authority: String
        let target: String
        let fragment: String?
        /// "name", "name:password" or ":password", percent-encoded; empty if there is none.
        let userinfo: String
        let hostLength: Int
        let pathLength: Int
        let scheme: Scheme
        let hostKind: HostKind
        let port: UInt16?

        init(
            scheme: Scheme, userinfo: String, authority: String, hostLength: Int, hostKind: HostKind, port: UInt16?,
            target: String, pathLength: Int, fragment: String?
        ) {
            self.authority = authority
            self.target = target
            self.fragment = fragment
            self.userinfo = userinfo
            self.hostLength = hostLength
            self.pathLength = pathLength
            self.scheme = scheme
            self.hostKind = hostKind
            self.port = port
        }
    }
}

extension HTTPURL.Storage {
    /// Returns the same authority with another target and fragment.
    func replacing(target: String, pathLength: Int, fragment: String?) -> HTTPURL.Storage {
        HTTPURL.Storage(
            scheme: scheme, userinfo: userinfo, authority: authority, hostLength: hostLength, hostKind: hostKind,
            port: port, target: target, pathLength: pathLength, fragment: fragment)
    }

    func removingUserinfo() -> HTTPURL.Storage {
        guard !userinfo.isEmpty else { return self }
        return HTTPURL.Storage(
            scheme: scheme, userinfo: "", authority: authority, hostLength: hostLength, hostKind: hostKind, port: port,
            target: target, pathLength: pathLength, fragment: fragment)
    }

    var host: String {
        guard hostLength < authority.utf8.count else { return authority }
        return String(authority.utf8.prefix(hostLength)) ?? authority
    }

    /// Bytes of everything before the target, user information and its "@" included.
    var prefixLength: Int {
        scheme.rawValue.utf8.count + 3 + (userinfo.isEmpty ? 0 : userinfo.utf8.count + 1) + authority.utf8.count
    }

    /// Bytes of the whole serialisation.
    var length: Int {
        prefixLength + target.utf8.count + (fragment.map { $0.utf8.count + 1 } ?? 0)
    }

    func serialised(withUserinfo: Bool, withFragment: Bool) -> String {
        var text = ""
        text.reserveCapacity(length)
        text += scheme.rawValue
        text += "://"
        if withUserinfo, !userinfo.isEmpty {
            text += userinfo
            text += "@"
        }
        text += authority
        text += target
        if withFragment, let fragment {
            text += "#"
            text += fragment
        }
        return text
    }
}
