import SternaCore

/// Compares hosts and paths of requests and cookies (draft-ietf-httpbis-rfc6265bis-22, 5.1.3 and 5.1.4).
enum CookieMatching {
    /// The maximum length of a host with cookies, in bytes.
    static let longestHost = 255

    /// Returns whether a host is a domain or a subdomain of it. Both are in the form of `HTTPURL.host`.
    static func isDomain(_ domain: String, of host: String, _ kind: HTTPURL.HostKind) -> Bool {
        isWithin(host, domain) && (kind == .domain || host.utf8.count == domain.utf8.count)
    }

    /// Returns whether a name equals a domain, or ends with a dot and the domain.
    static func isWithin(_ name: String, _ domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let rest = name.dropLast(domain.count)
        return rest.last == UInt8(ascii: ".") && name[rest.endIndex...].elementsEqual(domain)
    }

    /// Returns whether a request path is at or below a cookie's path.
    static func isPath(_ cookie: String, of request: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var cookie = cookie
        return cookie.withUTF8 { own in
            guard own.count <= request.count, request.starts(with: own) else { return false }
            return own.last == UInt8(ascii: "/") || own.count == request.count
                || request[request.startIndex + own.count] == UInt8(ascii: "/")
        }
    }

    static func isPath(_ cookie: String, of request: String) -> Bool {
        var request = request
        return request.withUTF8 { isPath(cookie, of: $0[...]) }
    }

    /// Returns the default path of cookies that a URL sets without `Path`.
    static func defaultPath(_ url: HTTPURL) -> String {
        let path = url.path.utf8
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(Substring(path[..<slash]))
    }

}
