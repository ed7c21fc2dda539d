public import SternaCore

/// Resolves host names to addresses.
///
/// The session's dial policy checks the addresses, which are kept for their time to live. An empty result is not kept.
public protocol HostResolver: Sendable {
    /// Returns the addresses of a host, the best first.
    ///
    /// It should end soon after its task is cancelled. An error that is not a ``SternaError`` becomes the cause of one of kind
    /// `hostNotFound`.
    ///
    /// - Parameters:
    ///   - host: in lower case and in ASCII; a trailing dot marks a complete name (RFC 1034, 3.1).
    ///   - families: the address families wanted; addresses of others are dropped.
    func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost
}

/// The result of a resolver.
public struct ResolvedHost: Sendable, Hashable {
    /// The addresses, the best first.
    public var addresses: [IPAddress]

    /// How long the addresses may be kept, at most an hour, zero for not at all; nil for ``EngineOptions/resolvedLifetime``.
    public var timeToLive: Duration?

    /// Creates a result.
    public init(_ addresses: [IPAddress], timeToLive: Duration? = nil) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }
}

/// The address families to connect to.
public enum AddressFamilies: Sendable, Hashable, CaseIterable {
    case any, ipv4, ipv6

    /// Whether an address belongs to one of the families.
    public func contains(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: address.unmapped.family == .v4
        case .ipv6: address.unmapped.family == .v6
        }
    }
}
