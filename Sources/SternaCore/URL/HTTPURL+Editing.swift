extension HTTPURL {
    /// The URL without user name and password.
    public func removingUserinfo() -> HTTPURL {
        HTTPURL(storage.removingUserinfo())
    }

    /// The URL without its fragment.
    public func removingFragment() -> HTTPURL {
        replacingFragment(nil)
    }

    /// The URL with another fragment, or with none where `fragment` is nil.
    ///
    /// What a fragment may not hold is percent-encoded; "%" is taken as already encoded.
    public func replacingFragment(_ fragment: String?) -> HTTPURL {
        if fragment == nil, storage.fragment == nil { return self }
        return HTTPURL(
            storage.replacing(
                target: storage.target, pathLength: storage.pathLength,
                fragment: fragment.map { PercentCoding.encode($0, keeping: .fragment) }))
    }

    /// The URL with another query, or with none where `query` is nil.
    ///
    /// What a query may not hold, "#" and white space among it, is percent-encoded; "%" is taken as already encoded.
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

    /// The URL with `encoded` after its query, joined by "&" where there is one that is not empty.
    ///
    /// The fragment stays behind it. Nothing happens where `encoded` is empty. The length is not limited here.
    ///
    /// - Parameter encoded: form-encoded fields, without "?" or "&" in front; what a query may not hold is
    ///   percent-encoded, "%" is taken as already encoded.
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
