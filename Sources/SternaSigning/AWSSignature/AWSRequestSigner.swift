import Crypto
import HTTPTypes
package import SternaCore

/// Adds signatures to requests, without I/O.
package struct AWSRequestSigner: Sendable {
    /// The constant that replaces the hash of an unsigned body.
    package static let unsignedPayload = "UNSIGNED-PAYLOAD"

    let signing: AWSSigning
    let credentials: AWSCredentials
    let scope: AWSScope
    private let key: HMAC<SHA256>

    /// Makes a signer for a time in seconds since 1970; throws `invalidRequest` for credentials, a region or a service that cannot
    /// be sent.
    package init(
        _ signing: AWSSigning, _ credentials: AWSCredentials, seconds: Int64, keys: AWSDerivedKeys = .shared
    ) throws(SternaError) {
        try credentials.check()
        for name in [signing.region, signing.service, signing.vendor.name, signing.vendor.fieldName]
        where name.isEmpty || !name.utf8.allSatisfy(Self.isNameByte) {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "“\(FieldSyntax.printable(name))” is not the name of an AWS region or service; such a name has letters, "
                    + "digits and hyphens.")
        }
        self.signing = signing
        self.credentials = credentials
        scope = AWSScope(
            vendor: signing.vendor, region: signing.region, service: signing.service, seconds: seconds)
        key = keys.key(scope, credentials)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    // MARK: Header

    /// Returns the request with its signature in the Authorization field, which replaces an existing one.
    ///
    /// - Parameter payloadHash: the hash of the body in hexadecimal digits, or the constant that replaces it.
    package func signed(_ request: Request, payloadHash: String) throws(SternaError) -> Request {
        var request = prepared(request)
        request.headers[.authorization] = nil
        try set("date", scope.timestamp, &request)
        if signing.isS3 || payloadHash == Self.unsignedPayload { try set("content-sha256", payloadHash, &request) }
        try set("security-token", credentials.sessionToken, &request)
        let canonical = AWSCanonicalRequest(request.headers, host: request.url.hostField)
        let value = """
            \(scope.algorithm) Credential=\(credentials.accessKey)/\(scope.text), \
            SignedHeaders=\(canonical.signedFields), Signature=\(signature(of: request, canonical, payloadHash))
            """
        // All parts of the value have been checked.
        request.headers.append(HTTPField(name: .authorization, value: value))
        return request
    }

    /// Returns the request with a body of signed chunks; throws `invalidRequest` if the body's length is unknown.
    func chunked(_ request: Request, _ body: Body, checksum: AWSChecksum?) throws(SternaError) -> Request {
        guard let length = body.length, AWSChunkedBody.length(length, checksum, scope.vendor) != nil else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "A body in signed chunks needs a length; give the body's, or use another payload.")
        }
        var request = request
        let coding = request.headers[.contentEncoding]
        request.headers[.contentEncoding] = coding.map { "aws-chunked,\($0)" } ?? "aws-chunked"
        try set("decoded-content-length", "\(length)", &request)
        try set("trailer", checksum?.field(scope.vendor), &request)
        request = try signed(
            request, payloadHash: AWSChunkedBody.payloadWord(scope.vendor, hasTrailer: checksum != nil))
        let seed = request.headers[.authorization].map { String($0.suffix(64)) } ?? ""
        request.body = AWSChunkedBody(scope: scope, key: key, seed: seed, checksum: checksum).body(body)
        return request
    }

    private func set(_ name: String, _ value: String?, _ request: inout Request) throws(SternaError) {
        let field = try Headers.field(scope.vendor.prefix + name, value ?? "")
        request.headers[field.name] = nil
        if value != nil { request.headers.append(field) }
    }

    // MARK: Query

    /// Returns the URL of a request with the signature in its query; parameters of another signature are replaced.
    ///
    /// Throws `invalidRequest` unless the URL is valid for one second to seven days.
    package func presigned(_ request: Request, payloadHash: String) throws(SternaError) -> HTTPURL {
        guard case .query(let expires) = signing.placement, (1...604_800).contains(expires) else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "A presigned URL is valid for a second at least, and for seven days at most.")
        }
        var request = prepared(request)
        request.headers[.authorization] = nil
        let prefix = scope.vendor.parameterPrefix
        request.url = request.url.replacingQuery(
            request.url.query.flatMap { query in
                let kept = query.split(separator: "&").filter { !Self.isOfSignature($0, prefix) }
                return kept.isEmpty ? nil : kept.joined(separator: "&")
            })
        let canonical = AWSCanonicalRequest(request.headers, host: request.url.hostField)
        var parameters = [
            ("Algorithm", scope.algorithm), ("Credential", "\(credentials.accessKey)/\(scope.text)"),
            ("Date", scope.timestamp), ("Expires", "\(expires)"), ("SignedHeaders", canonical.signedFields),
        ]
        if let token = credentials.sessionToken { parameters.append(("Security-Token", token)) }
        let pairs = parameters.map { name, value in
            "\(prefix)\(name)=\(AWSCanonicalRequest.encoded(Array(value.utf8), keepsSlashes: false))"
        }
        request.url = request.url.appendingQuery(pairs.joined(separator: "&"))
        return request.url.appendingQuery("\(prefix)Signature=\(signature(of: request, canonical, payloadHash))")
    }

    private static let ownParameters = [
        "Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Security-Token", "Signature",
    ]

    private static func isOfSignature(_ pair: Substring, _ prefix: String) -> Bool {
        pair.hasPrefix(prefix) && ownParameters.contains { pair.hasPrefix("\(prefix)\($0)=") }
    }

    // MARK: Both

    // Some servers read a plus sign in a query literally, others as a space. A signed query has none, so that both verify it.
    private func prepared(_ request: Request) -> Request {
        guard let query = request.url.query, query.utf8.contains(UInt8(ascii: "+")) else { return request }
        var request = request
        request.url = request.url.replacingQuery(
            query.split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20"))
        return request
    }

    private func signature(of request: Request, _ canonical: AWSCanonicalRequest, _ payloadHash: String) -> String {
        let text = canonical.text(
            method: request.method.rawValue, url: request.url, payloadHash: payloadHash, pathRule: signing.pathRule)
        return AWSScope.signature(of: scope.stringToSign(text), key)
    }
}
