public import SternaCore

/// Decides which addresses may be connected to.
///
/// A policy checks each address of a host just before the connection is opened. A name therefore cannot resolve to one address for
/// a check and to another for the connection.
///
/// A proxy resolves names itself, so with a proxy the policy checks only addresses that appear in URLs. It never checks the proxy's
/// own address.
///
///     settings.network.dialPolicy = .publicOnly           // for URLs that strangers give
public struct DialPolicy: Sendable, Hashable {
    private let rule: Rule

    /// Every address; the default.
    public static let all = DialPolicy(rule: .all)

    /// Public addresses only: unicast addresses that the Internet routes, by IANA's registries of special-purpose addresses (RFC
    /// 6890).
    ///
    /// Refuses loopback, link-local, private, shared (RFC 6598), cloud metadata, multicast and reserved addresses, and those set
    /// aside for documentation, benchmarks or protocols. Also refuses IPv6 addresses that carry such an IPv4 address, and Unix
    /// domain sockets.
    public static let publicOnly = DialPolicy(rule: .publicOnly)

    /// Returns a custom policy, which equals only itself. It refuses Unix domain sockets, which have no address.
    ///
    /// - Parameters:
    ///   - name: the policy's name in messages.
    ///   - allows: whether an address may be connected to, given the host as in the URL, without brackets. It must return at once.
    ///     An IPv4 address in IPv6's mapped form is passed as an IPv4 address.
    public static func custom(
        _ name: String, _ allows: @escaping @Sendable (IPAddress, _ host: String, _ port: Int) -> Bool
    ) -> DialPolicy {
        DialPolicy(rule: .custom(CustomRule(name, allows)))
    }

    /// Whether a Unix domain socket may be connected to.
    package var allowsUnixSockets: Bool { rule == .all }

    /// Whether the policy equals only itself.
    package var hasClosure: Bool {
        if case .custom = rule { true } else { false }
    }

    /// Returns why an address must not be connected to; nil if it may.
    package func refusal(of address: IPAddress, host: String, port: Int) -> SternaError? {
        switch rule {
        case .all: return nil
        case .publicOnly:
            let scope = AddressScope(address)
            guard scope != .global else { return nil }
            return Self.error(
                address, host, port, because: Self.explanation(address, scope),
                "The dial policy allows public addresses only; to connect to this one, set another, such as .all or .custom."
            )
        case .custom(let custom):
            guard !custom.allows(address.unmapped, host, port) else { return nil }
            return Self.error(
                address, host, port, because: "refused",
                "The dial policy “\(FieldSyntax.printable(custom.name))” does not allow it; change the policy "
                    + "to connect to this address.")
        }
    }

    private static func explanation(_ address: IPAddress, _ scope: AddressScope) -> String {
        guard let carried = AddressScope.carried(by: address).first(where: { AddressScope($0) == scope }) else {
            return scope.explanation
        }
        return "\(scope.explanation), because it embeds \(carried)"
    }

    private static func error(
        _ address: IPAddress, _ host: String, _ port: Int, because reason: String, _ advice: String
    ) -> SternaError {
        let subject = IPAddress(host) == address ? "the address" : "its address \(address)"
        return SternaError(
            .addressRefused, phase: .connect,
            "Not connected to \(FieldSyntax.printable(host, limit: 255)) on port \(port): \(subject) is \(reason). \(advice)"
        )
    }
}

extension DialPolicy: CustomStringConvertible {
    public var description: String {
        switch rule {
        case .all: "all"
        case .publicOnly: "publicOnly"
        case .custom(let custom): "custom(\(FieldSyntax.printable(custom.name)))"
        }
    }
}

extension DialPolicy {
    private enum Rule: Sendable, Hashable {
        case all, publicOnly
        case custom(CustomRule)
    }

    private final class CustomRule: Sendable, Hashable {
        let name: String
        let allows: @Sendable (IPAddress, String, Int) -> Bool

        init(_ name: String, _ allows: @escaping @Sendable (IPAddress, String, Int) -> Bool) {
            self.name = name
            self.allows = allows
        }

        static func == (one: CustomRule, other: CustomRule) -> Bool { one === other }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}
