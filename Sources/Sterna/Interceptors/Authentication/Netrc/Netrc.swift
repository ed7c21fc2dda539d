package import SternaCore

/// Names and passwords by host, as ftp, curl and git read them from `~/.netrc`.
///
///     machine api.example.com
///         login ada
///         password "pass word"
///     default login anonymous password ada@example.com
///
/// Words are separated by blanks and line ends. `machine` and `default` begin an entry, which `login`, `password` and `account`
/// complete. `macdef` begins a macro, which is skipped up to the next empty line. `#` at the start of a word other than a value
/// begins a comment up to the end of the line. A word in double quotes may contain blanks, and the escapes `\"`, `\\`, `\n`, `\r`
/// and `\t`; without quotes a backslash is an ordinary character, as in curl. Keywords are case-insensitive. Unknown words are
/// ignored.
///
/// The first entry of a host that has a password counts; `default` matches every host. An entry without a password is skipped for
/// further ones of the same host, but never for `default`: the host has an entry of its own. Hosts are compared in the form of
/// URLs: lower case, IDNs in ASCII, and in full, so that neither `example.com.` nor `example.com.evil.test` matches `example.com`.
/// A `machine` with a port or a user is not a host, and never matches. Ports and schemes are not compared.
package struct Netrc: Sendable {
    /// A sentence that warns about a file at an explicit path that other users own, can read or can change; nil for a safe file.
    package internal(set) var warning: String?

    let entries: [NetrcEntry]

    /// Parses a text. Throws `fileUnreadable` for a quoted word without a closing quote, a keyword without a value, a word of more
    /// than 4,096 bytes, and more than 128 KiB.
    package init(parsing text: String) throws(SternaError) {
        try self.init(parsing: Array(text.utf8), name: "The text")
    }

    init(parsing bytes: [UInt8], name: String) throws(SternaError) {
        do {
            entries = try NetrcParser.parse(bytes)
        } catch {
            throw SternaError(
                .fileUnreadable, phase: .prepare,
                "\(name) cannot be read as .netrc: line \(error.line): \(error.reason).")
        }
    }

    /// Returns the credential of a host; nil without an entry, or if no entry of its own has a password.
    ///
    /// - Parameters:
    ///   - host: the host, in the form of ``SternaCore/HTTPURL/host`` or a form that can be converted to it.
    ///   - user: skips entries with another login; nil skips none.
    package func credential(for host: String, user: String? = nil) -> Credential? {
        guard let host = NetrcParser.host(host) else { return nil }
        let matching = entries.lazy.filter { entry in
            entry.machine.matches(host) && entry.isOf(user)
        }
        guard let first = matching.first else { return nil }
        let found = matching.first { $0.password != nil && $0.machine.isAny == first.machine.isAny }
        return found?.credential(of: user)
    }

    /// Returns the credential of a host that has a `machine` of its own; nil without one, whatever `default` has.
    ///
    /// - Parameter user: skips entries with another login; nil skips none.
    package func ownCredential(for host: String, user: String? = nil) -> Credential? {
        guard let host = NetrcParser.host(host) else { return nil }
        let found = entries.first { entry in
            entry.password != nil && !entry.machine.isAny && entry.machine.matches(host) && entry.isOf(user)
        }
        return found?.credential(of: user)
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    package var description: String { "\(entries.count) entries" }

    /// Shows only the number of entries.
    package var customMirror: Mirror { Mirror(self, children: ["count": entries.count], displayStyle: .struct) }
}

/// The entry of one machine, or of all machines.
struct NetrcEntry: Sendable, Hashable {
    enum Machine: Sendable, Hashable {
        case host(String)
        case any
        /// An invalid host, which never matches.
        case none

        /// Whether it is `default`.
        var isAny: Bool { self == .any }

        func matches(_ host: String) -> Bool {
            switch self {
            case .host(let own): own.utf8.elementsEqual(host.utf8)
            case .any: true
            case .none: false
            }
        }
    }

    let machine: Machine
    var login: String?
    var password: String?

    /// Whether the entry may be used for a user: it names no other login. True for nil.
    func isOf(_ user: String?) -> Bool {
        guard let user, let login else { return true }
        return user.utf8.elementsEqual(login.utf8)
    }

    /// Returns the credential of the entry, or of a user if it names none; nil without a password.
    func credential(of user: String?) -> Credential? {
        password.map { Credential(user: login ?? user ?? "", password: $0) }
    }
}
