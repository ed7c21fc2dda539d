public import SternaCore

/// A part of a server with its own credentials, identified by origin and realm (RFC 9110, 11.5).
public struct ProtectionSpace: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin

    /// The realm, the server's name for the space; nil if the challenge has none, as Bearer allows (RFC 6750, 3).
    public let realm: String?

    /// Makes a protection space.
    public init(origin: Origin, realm: String?) {
        self.origin = origin
        self.realm = realm
    }

    // Strings compare by canonical equivalence, realms byte by byte.
    public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool {
        guard left.origin == right.origin else { return false }
        guard let realm = left.realm, let other = right.realm else { return left.realm == nil && right.realm == nil }
        return realm.utf8.elementsEqual(other.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        for byte in (realm ?? "").utf8 { hasher.combine(byte) }
    }
}

extension ProtectionSpace: CustomStringConvertible {
    /// The origin and the realm, without control characters.
    public var description: String {
        realm.map { "“\(FieldSyntax.printable($0))” of \(origin)" } ?? "\(origin)"
    }
}
