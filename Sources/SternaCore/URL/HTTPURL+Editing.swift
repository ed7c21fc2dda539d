extension HTTPURL {
    /// Returns the URL without user name and password.
    package func removingUserinfo() -> HTTPURL {
        HTTPURL(storage.removingUserinfo())
    }

    /// Returns the URL with `https` for `http` and `wss` for `ws`: the default port becomes the new default, other ports stay.
    package func upgradedToTLS() -> HTTPURL {
        let secure: Scheme
        switch scheme {
        case .http: secure = .https
        case .ws: secure = .wss
        case .https, .wss: return self
        }
        let port = storage.port.flatMap { Int($0) == secure.defaultPort ? nil : $0 }
        return HTTPURL(
            Storage(
                scheme: secure, userinfo: storage.userinfo, authority: port == nil ? host : storage.authority,
                hostLength: storage.hostLength, hostKind: storage.hostKind, port: port, target: storage.target,
                pathLength: storage.pathLength, fragment: storage.fragment))
    }

    /// Returns the URL with `http` for `ws` and `https` for `wss`, by which a WebSocket's handshake is sent (RFC 6455, 3). The
    /// default ports are the same.
    package func forHandshake() -> HTTPURL {
        let scheme: Scheme
        switch self.scheme {
        case .ws: scheme = .http
        case .wss: scheme = .https
        case .http, .https: return self
        }
        return HTTPURL(
            Storage(
                scheme: scheme, userinfo: storage.userinfo, authority: storage.authority,
                hostLength: storage.hostLength, hostKind: storage.hostKind, port: storage.port,
                target: storage.target, pathLength: storage.pathLength, fragment: storage.fragment))
    }

    /// Returns the URL with another path and query, in which the segments `.` and `..` stay; nil unless they begin with a slash.
    ///
    /// Characters that they must not contain are percent-encoded; "%" counts as already encoded.
    package func replacingTarget(_ target: String) -> HTTPURL? {
        guard target.utf8.first == UInt8(ascii: "/") else { return nil }
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = PercentCoding.encode(String(target[..<(end ?? target.endIndex)]), keeping: .path)
        let query = end.map { PercentCoding.encode(String(target[target.utf8.index(after: $0)...]), keeping: .query) }
        return HTTPURL(
            storage.replacing(
                target: query.map { "\(path)?\($0)" } ?? path, pathLength: path.utf8.count, fragment: storage.fragment))
    }

    /// Returns the URL without its fragment.
    package func removingFragment() -> HTTPURL {
        replacingFragment(nil)
    }

    /// Returns the URL with another fragment; nil removes it.
    ///
    /// Characters that a fragment must not contain are percent-encoded; "%" counts as already encoded.
    public func replacingFragment(_ fragment: String?) -> HTTPURL {
        if fragment == nil, storage.fragment == nil { return self }
        return HTTPURL(
            storage.replacing(
                target: storage.target, pathLength: storage.pathLength,
                fragment: fragment.map { PercentCoding.encode($0, keeping: .fragment) }))
    }

    /// Returns the URL with another query; nil removes it.
    ///
    /// Characters that a query must not contain, such as "#" and white space, are percent-encoded; "%" counts as already encoded.
    ///
    /// - Parameter query: the query without its "?".
    public func replacingQuery(_ query: String?) -> HTTPURL {
        var target = path
        if let query {
            target += "?"
            target += PercentCoding.encode(query, keeping: .query)
        }
        return HTTPURL(
            storage.replacing(target: target, pathLength: storage.pathLength, fragment: storage.fragment))
    }

    /// Returns the URL with `encoded` appended to its query, after an "&" if the query is not empty.
    ///
    /// The fragment stays after it. An empty `encoded` changes nothing. The length is not limited here.
    ///
    /// - Parameter encoded: form-encoded fields, without a leading "?" or "&". Characters that a query must not contain are
    ///   percent-encoded; "%" counts as already encoded.
    public func appendingQuery(_ encoded: String) -> HTTPURL {
        guard !encoded.isEmpty else { return self }
        let addition = PercentCoding.encode(encoded, keeping: .query)
        let old = storage.target
        var target = ""
        target.reserveCapacity(old.utf8.count + 1 + addition.utf8.count)
        target += old
        let queryLength = old.utf8.count - storage.pathLength
        if queryLength == 0 {
            target += "?"
        } else if queryLength > 1 {
            target += "&"
        }
        target += addition
        return HTTPURL(
            storage.replacing(target: target, pathLength: storage.pathLength, fragment: storage.fragment))
    }
}
