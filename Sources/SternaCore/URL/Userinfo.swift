/// A URL's user name and password, kept percent-encoded; descriptions and mirrors never show them.
package struct Userinfo: Sendable, Hashable {
    /// The user name, percent-encoded; may be empty.
    package let username: String

    /// The password, percent-encoded; empty if there is none.
    package let password: String

    /// Splits the stored form at its first colon, the only one that it can contain; nil if it is empty.
    init?(serialised: String) {
        guard !serialised.isEmpty else { return nil }
        let utf8 = serialised.utf8
        if let colon = utf8.firstIndex(of: UInt8(ascii: ":")) {
            username = String(serialised[..<colon])
            password = String(serialised[utf8.index(after: colon)...])
        } else {
            username = serialised
            password = ""
        }
    }

    /// The user name, percent-decoded; bytes that are not UTF-8 become U+FFFD.
    package var decodedUsername: String { PercentCoding.decode(username) }

    /// The password, percent-decoded; bytes that are not UTF-8 become U+FFFD.
    package var decodedPassword: String { PercentCoding.decode(password) }

    /// Whether both are UTF-8 after decoding.
    package var isUTF8: Bool {
        [username, password].allSatisfy { text in
            String(validating: PercentCoding.decode(Array(text.utf8)[...]), as: UTF8.self) != nil
        }
    }
}

extension Userinfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `***`.
    package var description: String { "***" }

    /// The same as ``description``.
    package var debugDescription: String { description }

    /// Has no children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
