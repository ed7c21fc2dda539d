public import SternaCore

/// Names and passwords by host, as ftp, curl and git read them from `~/.netrc`.
///
///     machine api.example.com
///         login ada
///         password "pass word"
///     default login anonymous password ada@example.com
///
/// Words are separated by blanks and ends of lines. `machine` and `default` begin an entry, which `login`, `password` and `account`
/// complete; `macdef` hides all lines up to an empty one; `#` at the place of a word hides the rest of its line. A word in double quotes
/// may hold blanks, and the escapes `\"`, `\\`, `\n`, `\r` and `\t`; without quotes a backslash is a character like any other, as in curl.
/// Keywords have no case. Words that mean nothing are passed over.
///
/// The first entry of a host counts, and `default` is an entry of every host. Hosts are compared as URLs have them: in lower case, IDNs
/// in their ASCII form, and to the last character, so that neither `example.com.` nor `example.com.evil.test` is `example.com`. A
/// `machine` with a port or a user is no host, and never found. Ports and schemes make no difference.
public struct Netrc: Sendable {
    /// What makes the file unsafe, as a sentence, where one named explicitly can be read by others; nil if nothing does.
    public internal(set) var warning: String?

    let entries: [NetrcEntry]

    /// Reads a text. Throws `fileUnreadable` for a quoted word without its end, for a keyword without its value, for more than 128 KiB,
    /// and for lines that are not UTF-8.
    public init(parsing text: String) throws(SternaError) {
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

    /// Returns the credential of a host; nil if its first entry has no password.
    ///
    /// - Parameters:
    ///   - host: as in ``SternaCore/HTTPURL/host``; anything else is brought into that form first.
    ///   - user: leaves out the entries of other users; nil for any.
    public func credential(for host: String, user: String? = nil) -> Credential? {
        guard let host = NetrcParser.host(host) else { return nil }
        let found = entries.first { entry in
            guard entry.machine.matches(host) else { return false }
            guard let user, let login = entry.login else { return true }
            return user.utf8.elementsEqual(login.utf8)
        }
        guard let found, let password = found.password else { return nil }
        return Credential(user: found.login ?? user ?? "", password: password)
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "\(entries.count) entries" }

    /// Shows the number of entries alone.
    public var customMirror: Mirror { Mirror(self, children: ["count": entries.count], displayStyle: .struct) }
}

/// The entry of a machine, or of all machines.
struct NetrcEntry: Sendable, Hashable {
    enum Machine: Sendable, Hashable {
        case host(String)
        case any
        /// A text that is no host.
        case none

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
}
