/// A challenge of a server or a proxy: an authentication scheme with its parameters (RFC 9110, 11.3).
///
/// It is read from WWW-Authenticate or Proxy-Authenticate. ``description`` and mirrors show scheme and realm only.
public struct AuthenticationChallenge: Sendable, Hashable {
    /// A parameter of a challenge.
    package struct Parameter: Sendable, Hashable {
        /// The name as the peer sent it; case-insensitive in ASCII.
        package let name: String

        /// The value without quotes and escapes.
        package let value: String

        /// Makes a parameter.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The scheme as the peer sent it, such as `Basic` or `Digest`; case-insensitive in ASCII.
    public let scheme: String

    /// The single value that some schemes use in place of parameters (token68); nil if there is none.
    public let token: String?

    /// The parameters in their order, each name once.
    package let parameters: [Parameter]

    /// Makes a challenge.
    package init(_ scheme: String, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    /// The value of a parameter, by its name in any case; nil if there is none.
    public subscript(name: String) -> String? {
        parameters.first { Self.isSame($0.name, name) }?.value
    }

    /// The realm of the credentials, to show to users; nil if the peer sends none.
    public var realm: String? { self["realm"] }

    /// Whether the challenge has this scheme, by its name in any case.
    public func hasScheme(_ name: String) -> Bool { Self.isSame(scheme, name) }

    // Only ASCII letters have two cases here: a token has no other characters.
    package static func isSame(_ name: String, _ other: String) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return name.utf8.count == other.utf8.count && zip(name.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
    }
}

extension AuthenticationChallenge: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme and the realm.
    public var description: String {
        let scheme = FieldSyntax.printable(scheme)
        return realm.map { "\(scheme) “\(FieldSyntax.printable($0))”" } ?? scheme
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows only the scheme and the realm.
    public var customMirror: Mirror {
        Mirror(self, children: ["scheme": scheme, "realm": realm as Any], displayStyle: .struct)
    }
}
