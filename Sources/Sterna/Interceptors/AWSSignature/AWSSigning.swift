public import HTTPTypes
public import SternaCore

/// Signs requests by AWS Signature Version 4.
///
///     let api = try Session(baseURL: "https://sqs.eu-central-1.amazonaws.com") {
///         $0.awsSigning = AWSSigning(region: "eu-central-1", service: "sqs", credentials: AWSEnvironmentCredentials())
///     }
///
/// Each attempt is signed anew, with the credentials of then. Only requests to the origin that a call begins with are signed; a
/// redirect to another one is followed without a signature, unless ``trustedHosts`` has its host. So are the redirects after that one,
/// wherever they lead, unless ``RedirectPolicy/keepsCredentialsAcrossOrigins`` is set.
///
/// If a server refuses a request with 400, 401 or 403 and its Date field is more than four minutes from this machine's clock, the
/// request is signed once more with the server's time, which later requests to that origin keep.
public struct AWSSigning: Sendable {
    /// How the body takes part in the signature.
    public enum Payload: Sendable, Hashable {
        /// Signs the body's hash. For S3, a body that can be read only once is sent in signed chunks if its length is known.
        /// Another one is collected first.
        case automatic
        /// Signs the body's hash; a body that can be read only once is collected first.
        case signed
        /// `UNSIGNED-PAYLOAD`: leaves the body out, for S3 over https.
        case unsigned
        /// Sends the body to S3 in signed chunks of 64 KiB, in the coding `aws-chunked`, with a checksum behind them if one is
        /// named. A body of unknown length is collected first.
        case chunked(AWSChecksum? = nil)
    }

    /// Where the signature stands.
    public enum Placement: Sendable, Hashable {
        /// In the Authorization field.
        case header
        /// In the query, as in a presigned URL, which is valid for a number of seconds.
        case query(expires: Int)
    }

    /// Where the credentials come from, asked before each attempt.
    public var credentials: any AWSCredentialProvider

    /// The region, such as `eu-central-1`.
    public var region: String

    /// The service's name in signatures, such as `s3` or `execute-api`.
    public var service: String

    /// How the body takes part; the hash of the body by default.
    public var payload = Payload.automatic

    /// Where the signature stands; in the Authorization field by default.
    public var placement = Placement.header

    /// Hosts that signed requests may be redirected to over https, with all names below them; none by default.
    public var trustedHosts: Set<String> = []

    /// Whether signed requests may be redirected to a host besides ``trustedHosts``; none by default.
    package var trustsHost: @Sendable (String) -> Bool = { _ in false }

    package var vendor = AWSScope.Vendor.aws

    /// The present moment in seconds since 1970, for tests.
    package var now: @Sendable () -> Int64 = { AWSTime.now() }

    /// Makes settings for a service in a region.
    public init(region: String, service: String, credentials: some AWSCredentialProvider) {
        self.region = region
        self.service = service
        self.credentials = credentials
    }

    /// Makes settings for a vendor that puts names of its own in place of Amazon's: in the algorithm (`aws`) and in header fields
    /// (`amz`).
    package init(
        region: String, service: String, credentials: some AWSCredentialProvider, vendor: String, fieldName: String
    ) {
        self.init(region: region, service: service, credentials: credentials)
        self.vendor = AWSScope.Vendor(name: vendor, fieldName: fieldName)
    }

    /// Makes settings for S3 in a region.
    public static func s3(region: String, credentials: some AWSCredentialProvider) -> AWSSigning {
        AWSSigning(region: region, service: "s3", credentials: credentials)
    }

    /// Whether S3's rules apply.
    package var isS3: Bool { ["s3", "s3express", "s3-outposts", "s3-object-lambda"].contains(service) }

    var pathRule: AWSCanonicalRequest.PathRule { isS3 ? .asIs : .normalized }

    /// Whether a call that began at an origin may sign requests to a URL.
    ///
    /// - Parameter hasLeft: whether a redirect has led to another origin before.
    func allows(_ url: HTTPURL, from origin: Origin, hasLeft: Bool) -> Bool {
        if !hasLeft, url.origin == origin { return true }
        guard url.scheme.isSecure, url.hostKind == .domain else { return false }
        return trustsHost(url.host)
            || trustedHosts.contains { host in
                let host = host.lowercased()
                return !host.isEmpty && (url.host == host || url.host.hasSuffix("." + host))
            }
    }

    /// Returns a URL that permits a request until it expires, to whoever has it: the signature stands in its query.
    ///
    /// S3's URLs leave the body out of the signature; for other services it is that of `body`. The URL holds a session token, if
    /// there is one.
    ///
    /// - Parameters:
    ///   - headers: fields that the request must then have.
    ///   - expires: for how long the URL is valid: a second to seven days.
    /// - Throws: `invalidRequest` for another time, `invalidHeader`, and what the provider of the credentials throws.
    nonisolated(nonsending) public func presign(
        _ method: Request.Method = .get, _ url: HTTPURL, headers: Headers = [:], expires: Duration = .seconds(3_600)
    ) async throws -> HTTPURL {
        var request = Request(method, url.removingUserinfo().removingFragment())
        try headers.merge(into: &request.headers)
        var signing = self
        signing.placement = .query(expires: Int(clamping: expires.components.seconds))
        let credentials = try await signing.credentials.credentials()
        return try AWSRequestSigner(signing, credentials, seconds: now()).presigned(
            request, payloadHash: isS3 ? AWSRequestSigner.unsignedPayload : AWSScope.emptyHash)
    }
}

extension AWSSigning: CustomReflectable {
    /// Shows everything but the credentials.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "region": region, "service": service, "payload": payload, "placement": placement,
                "trustedHosts": trustedHosts, "credentials": "\(type(of: credentials))",
            ], displayStyle: .struct)
    }
}
