public import SternaCore

/// Finds the addresses of hosts.
///
/// What it answers is judged by the session's dial policy and kept for as long as it says.
public protocol HostResolver: Sendable {
    /// The addresses of a host, the best first.
    ///
    /// It should end soon after the task it runs in is cancelled. Errors that are no ``SternaError`` become the cause
    /// of one of the kind `hostNotFound`.
    ///
    /// - Parameters:
    ///   - host: in lower case and in ASCII; a dot at its end says that it is complete (RFC 1034, 3.1).
    ///   - families: the kinds of addresses that are wanted; others are left out.
    func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost
}

/// What a resolver found.
public struct ResolvedHost: Sendable, Hashable {
    /// The addresses, the best first.
    public var addresses: [IPAddress]

    /// How long they may be kept, at most an hour; nil where that is not known.
    public var timeToLive: Duration?

    /// Makes an answer.
    public init(_ addresses: [IPAddress], timeToLive: Duration? = nil) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }
}

/// The kinds of addresses that are connected to.
public enum AddressFamilies: Sendable, Hashable, CaseIterable {
    case any, ipv4, ipv6

    /// Whether an address is of one of the kinds.
    public func contains(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: address.unmapped.family == .v4
        case .ipv6: address.unmapped.family == .v6
        }
    }
}
