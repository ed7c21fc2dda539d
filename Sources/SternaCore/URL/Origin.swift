/// Scheme, host and port: the key of pooled connections and the scope of credentials (RFC 6454, 4).
public struct Origin: Sendable, Hashable {
    /// The scheme.
    public let scheme: HTTPURL.Scheme

    /// The host, with the port unless it is the scheme's default.
    public let authority: String

    private let hostLength: Int
    private let effectivePort: UInt16

    /// The kind of the host.
    package let hostKind: HTTPURL.HostKind

    init(_ storage: HTTPURL.Storage) {
        scheme = storage.scheme
        authority = storage.authority
        hostLength = storage.hostLength
        hostKind = storage.hostKind
        effectivePort = storage.port ?? UInt16(truncatingIfNeeded: storage.scheme.defaultPort)
    }

    /// Makes an origin of its parts; the host is parsed as in a URL.
    ///
    /// - Parameters:
    ///   - host: a name, an IPv4 address, or an IPv6 address with or without brackets, without a zone.
    ///   - port: 0 to 65535; nil for the scheme's default.
    /// - Throws: ``HTTPURL/ParseError`` if the host is invalid or the port is out of range.
    public init(scheme: HTTPURL.Scheme, host: String, port: Int? = nil) throws(HTTPURL.ParseError) {
        var bytes = Array(host.utf8)
        guard bytes.count <= HTTPURL.maximumLength else { throw .tooLong }
        if bytes.contains(UInt8(ascii: ":")), bytes.first != UInt8(ascii: "[") {
            bytes = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
        }
        let parsed = try HostParser.parse(bytes[...], allowsZone: false)
        guard let number = UInt16(exactly: port ?? scheme.defaultPort) else { throw .portOutOfRange }
        self.scheme = scheme
        hostKind = parsed.kind
        hostLength = parsed.text.utf8.count
        effectivePort = number
        authority = Int(number) == scheme.defaultPort ? parsed.text : "\(parsed.text):\(number)"
    }

    /// The host, as in ``HTTPURL/host``.
    public var host: String {
        guard hostLength < authority.utf8.count else { return authority }
        return String(authority.utf8.prefix(hostLength)) ?? authority
    }

    /// The network interface of a link-local IPv6 address, as in ``HTTPURL/zone``.
    package var zone: String? {
        guard hostKind == .ipv6, let mark = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return nil }
        return String(host.utf8[mark...].dropFirst(AddressZone.mark.utf8.count).dropLast())
    }

    /// The port, 0 to 65535, also if it is the scheme's default.
    public var port: Int { Int(effectivePort) }

    // Together with the scheme, the authority in normal form determines host, kind and port.
    public static func == (left: Origin, right: Origin) -> Bool {
        left.scheme == right.scheme && left.authority == right.authority
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(scheme)
        hasher.combine(authority)
    }
}

extension Origin: CustomStringConvertible {
    /// The serialised origin, such as `https://example.com:8443` (RFC 6454, 6.2).
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}
