extension HTTPURL {
    /// A URL's pieces in one allocation, so that copies of a URL cost one reference count.
    ///
    /// All strings are ASCII in normal form. `authority` begins with `hostLength` bytes of host, `target` with `pathLength` bytes
    /// of path. The rest of `target`, if any, begins with "?".
    final class Storage: Sendable {
        let authority: String
        let target: String
        let fragment: String?
        /// "name", "name:password" or ":password", percent-encoded; empty if there is none.
        let userinfo: String
        let hostLength: Int
        let pathLength: Int
        let scheme: Scheme
        let hostKind: HostKind
        let port: UInt16?

        init(
            scheme: Scheme, userinfo: String, authority: String, hostLength: Int, hostKind: HostKind, port: UInt16?,
            target: String, pathLength: Int, fragment: String?
        ) {
            self.authority = authority
            self.target = target
            self.fragment = fragment
            self.userinfo = userinfo
            self.hostLength = hostLength
            self.pathLength = pathLength
            self.scheme = scheme
            self.hostKind = hostKind
            self.port = port
        }
    }
}

extension HTTPURL.Storage {
    /// Returns the same authority with another target and fragment.
    func replacing(target: String, pathLength: Int, fragment: String?) -> HTTPURL.Storage {
        HTTPURL.Storage(
            scheme: scheme, userinfo: userinfo, authority: authority, hostLength: hostLength, hostKind: hostKind,
            port: port, target: target, pathLength: pathLength, fragment: fragment)
    }

    func removingUserinfo() -> HTTPURL.Storage {
        guard !userinfo.isEmpty else { return self }
        return HTTPURL.Storage(
            scheme: scheme, userinfo: "", authority: authority, hostLength: hostLength, hostKind: hostKind, port: port,
            target: target, pathLength: pathLength, fragment: fragment)
    }

    var host: String {
        guard hostLength < authority.utf8.count else { return authority }
        return String(authority.utf8.prefix(hostLength)) ?? authority
    }

    /// Bytes of everything before the target, user information and its "@" included.
    var prefixLength: Int {
        scheme.rawValue.utf8.count + 3 + (userinfo.isEmpty ? 0 : userinfo.utf8.count + 1) + authority.utf8.count
    }

    /// Bytes of the whole serialisation.
    var length: Int {
        prefixLength + target.utf8.count + (fragment.map { $0.utf8.count + 1 } ?? 0)
    }

    func serialised(withUserinfo: Bool, withFragment: Bool) -> String {
        var text = ""
        text.reserveCapacity(length)
        text += scheme.rawValue
        text += "://"
        if withUserinfo, !userinfo.isEmpty {
            text += userinfo
            text += "@"
        }
        text += authority
        text += target
        if withFragment, let fragment {
            text += "#"
            text += fragment
        }
        return text
    }
}
