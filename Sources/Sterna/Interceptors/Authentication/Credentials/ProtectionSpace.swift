public import SternaCore

/// The part of a server that one credential opens: its origin and the realm that it names (RFC 9110, 11.5).
public struct ProtectionSpace: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: Origin

    /// The server's name for the space; nil if it gives none, as with Bearer.
    public let realm: String?

    /// Makes a protection space.
    public init(origin: Origin, realm: String?) {
        self.origin = origin
        self.realm = realm
    }

    // Realms compare byte by byte.
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
