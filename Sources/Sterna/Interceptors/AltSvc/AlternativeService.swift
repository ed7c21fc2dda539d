public import SternaCore

/// An alternative service that an origin names in an Alt-Svc field (RFC 7838, 3).
public struct AlternativeService: Sendable, Hashable {
    /// The protocol by its ALPN name, such as `h3`.
    public let protocolName: String

    /// The host: a lower-case ASCII name, or an address, with brackets if it is IPv6; nil for the origin's own host.
    public let host: String?

    /// The port, 1 to 65535.
    public let port: Int

    /// How long the service may be used after the response was made, in seconds, at most 2,147,483,647; a day if the field does not
    /// say.
    public let maxAge: Int

    /// Whether the service stays usable after a change of network.
    public let persists: Bool

    init(protocolName: String, host: String?, port: Int, maxAge: Int = 86_400, persists: Bool = false) {
        self.protocolName = protocolName
        self.host = host
        self.port = port
        self.maxAge = maxAge
        self.persists = persists
    }
}

extension AlternativeService: CustomStringConvertible {
    /// Protocol, host and port, such as `h3=alt.example.com:443`.
    public var description: String { "\(protocolName)=\(host ?? ""):\(port)" }
}

extension Response {
    /// The alternative services that the response names (RFC 7838, 3), in the server's order of preference; empty without a valid
    /// Alt-Svc field, and if the field withdraws them (`clear`).
    ///
    /// Requests do not use them yet.
    public var alternativeServices: [AlternativeService] {
        guard case .services(let services) = AltSvcField(section[values: "Alt-Svc"]) else { return [] }
        return services
    }
}
