public import SternaCore

/// A part of a server with its own credentials, identified by origin and realm (RFC 9110, 11.5).
public struct ProtectionSpace: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin

    /// The realm, the server's name for the space; nil if the challenge has none, as Bearer allows (RFC 6750, 3).
    public var realm: String? { exactRealm?.text }

    private let exactRealm: ExactText?

    /// Makes a protection space.
    public init(origin: Origin, realm: String?) {
        self.origin = origin
        exactRealm = realm.map { ExactText($0) }
    }
}

extension ProtectionSpace: CustomStringConvertible {
    /// The origin and the realm, without control characters.
    public var description: String {
        realm.map { "“\(FieldSyntax.printable($0))” of \(origin)" } ?? "\(origin)"
    }
}
