import Sterna
import SternaSigning

/// Where URLs have the bucket's name.
public enum S3AddressStyle: String, Sendable, Hashable, CaseIterable {
    /// In the host, as AWS recommends: `https://bucket.s3.region.amazonaws.com/key`. A name that is not a host name, or has a
    /// period with https, is in the path nevertheless, as is every name if the endpoint's host is an address.
    case virtualHost
    /// In the path, as many other servers require: `https://s3.region.amazonaws.com/bucket/key`.
    case path
}

/// Builds the URLs of buckets and objects.
struct S3Address: Sendable, Hashable {
    /// The URL of the service. Slashes at the end of its path are ignored.
    let endpoint: HTTPURL
    let style: S3AddressStyle

    /// Creates the address of AWS in a region, or of another server.
    ///
    /// - Parameters:
    ///   - endpoint: the server's URL; nil for AWS.
    ///   - style: nil for virtual hosts at AWS, and paths elsewhere.
    /// - Throws: `invalidRequest` for an invalid region, `invalidURL` for an invalid endpoint.
    init(region: String, endpoint: String?, style: S3AddressStyle?) throws(SternaError) {
        let isName = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D }
        guard !region.isEmpty, region.utf8.count <= 64, region.utf8.allSatisfy(isName) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "A region has lower-case letters, digits and hyphens, as in “eu-central-1”.")
        }
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        let url = try Self.url(endpoint ?? "https://s3.\(region).\(domain)")
        guard url.scheme == .http || url.scheme == .https, url.userinfo == nil, url.query == nil else {
            throw SternaError(
                .invalidURL, phase: .prepare,
                "The endpoint of S3 is an http or https URL without user information and query.")
        }
        self.endpoint = url
        self.style = style ?? (endpoint == nil ? .virtualHost : .path)
    }

    /// Returns the URL of a bucket or of an object in it. Throws `invalidRequest` for an invalid name or key.
    func url(bucket: String, key: String?, query: [(String, String)] = []) throws(SternaError) -> HTTPURL {
        try Self.check(bucket: bucket)
        if let key { try Self.check(key: key) }
        let object = key.map { "/" + Self.encoded($0, keepsSlashes: true) } ?? ""
        // TLS certificates cover only one label before the service's name.
        let isInHost =
            style == .virtualHost && endpoint.hostKind == .domain && Self.isHostName(bucket)
            && !(endpoint.scheme.isSecure && bucket.utf8.contains(UInt8(ascii: ".")))
        let authority = isInHost ? "\(bucket).\(endpoint.authority)" : endpoint.authority
        var path = endpoint.path
        while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        if !isInHost { path += "/\(bucket)" }
        path += object
        var text = "\(endpoint.scheme.rawValue)://\(authority)\(path.isEmpty ? "/" : path)"
        if !query.isEmpty {
            text += "?"
            text += query.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        }
        return try Self.url(text)
    }

    /// Returns a text percent-encoded as S3 signs it.
    static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
        AWSCanonicalRequest.encoded(Array(text.utf8), keepsSlashes: keepsSlashes)
    }

    private static func url(_ text: String) throws(SternaError) -> HTTPURL {
        do {
            return try HTTPURL(text)
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
    }

    /// Checks the name of a bucket. Throws `invalidRequest` for an invalid one.
    static func check(bucket: String) throws(SternaError) {
        let isName = { (byte: UInt8) in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || "-._".utf8.contains(byte)
        }
        guard (3...255).contains(bucket.utf8.count), bucket.utf8.allSatisfy(isName), !bucket.contains("..") else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(bucket))” is not a bucket's name: that has 3 characters or more, of letters, digits, "
                    + "hyphens and periods.")
        }
    }

    /// Checks a key. Throws `invalidRequest` for a key that a URL cannot have.
    static func check(key: String) throws(SternaError) {
        let hasDots = key.utf8.split(separator: UInt8(ascii: "/")).contains {
            $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8)
        }
        guard (1...1_024).contains(key.utf8.count), !hasDots else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(key))” cannot be used as a key: a key has 1 to 1,024 bytes, and no part “.” or “..” "
                    + "between slashes, which URLs drop.")
        }
    }

    private static func isHostName(_ bucket: String) -> Bool {
        bucket.utf8.count <= 63 && bucket.utf8.first != UInt8(ascii: "-") && bucket.utf8.last != UInt8(ascii: "-")
            && bucket.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
            }
    }
}
