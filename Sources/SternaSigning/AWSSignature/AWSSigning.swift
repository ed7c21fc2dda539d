public import HTTPTypes
public import SternaCore

/// Signs requests by AWS Signature Version 4.
///
///     let api = try Session(baseURL: "https://sqs.eu-central-1.amazonaws.com") {
///         $0.auth.awsSigning = AWSSigning(region: "eu-central-1", service: "sqs", credentials: AWSEnvironmentCredentials())
///     }
///
/// Each attempt is signed anew, with the provider's current credentials. Only requests to the origin of a call's first request are
/// signed; a redirect to another origin is followed without a signature, unless ``trustedHosts`` contains its host. All redirects
/// after an unsigned one are followed without a signature, too, unless ``RedirectPolicy/keepsCredentialsAcrossOrigins`` is set.
///
/// If a server refuses a request with 400, 401 or 403, and its Date field differs from the signature's time by more than four
/// minutes, the request is signed and sent once more with the server's time. Later requests to that origin use the server's time,
/// too. A body that can be read only once is not sent again.
public struct AWSSigning: Sendable {
    /// How the body takes part in the signature.
    public enum Payload: Sendable, Hashable {
        /// Signs the body's hash. A body that can be read only once is sent to S3 in signed chunks if its length is known;
        /// otherwise it is collected in memory first.
        case automatic
        /// Signs the body's hash; a body that can be read only once is collected in memory first.
        case signed
        /// Leaves the body out of the signature (`UNSIGNED-PAYLOAD`), for S3 over https.
        case unsigned
        /// Sends the body to S3 in signed chunks of 64 KiB, in the coding `aws-chunked`, followed by a checksum if one is given. A
        /// body of unknown length is collected in memory first. For other services the same as ``signed``.
        case chunked(AWSChecksum? = nil)
    }

    /// Where the signature is placed.
    public enum Placement: Sendable, Hashable {
        /// In the Authorization field.
        case header
        /// In the query, as in a presigned URL, which is valid for 1 to 604,800 seconds. The body is not signed for S3.
        case query(expires: Int)
    }

    /// The provider of the credentials, called before each attempt.
    public var credentials: any AWSCredentialProvider

    /// The region, such as `eu-central-1`.
    public var region: String

    /// The service's name in signatures, such as `s3` or `execute-api`.
    public var service: String

    /// How the body takes part in the signature; ``Payload/automatic`` by default.
    public var payload = Payload.automatic

    /// Where the signature is placed; in the Authorization field by default.
    public var placement = Placement.header

    /// Hosts, with their subdomains, to which redirects over https are signed, too; none by default.
    public var trustedHosts: Set<String> = []

    /// Returns whether redirects over https to a host are signed, in addition to ``trustedHosts``; false for all by default.
    package var trustsHost: @Sendable (String) -> Bool = { _ in false }

    package var vendor = AWSScope.Vendor.aws

    /// Returns the current time in seconds since 1970; replaced in tests.
    package var now: @Sendable () -> Int64 = { AWSTime.now() }

    /// Makes settings for a service in a region.
    public init(region: String, service: String, credentials: some AWSCredentialProvider) {
        self.region = region
        self.service = service
        self.credentials = credentials
    }

    /// Makes settings for a vendor that replaces Amazon's names in the algorithm (`aws`) and in header fields (`amz`).
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

    /// Returns whether a call whose first request went to an origin may sign a request to a URL.
    ///
    /// - Parameter hasLeft: whether a redirect has led to another origin.
    func allows(_ url: HTTPURL, from origin: Origin, hasLeft: Bool) -> Bool {
        if !hasLeft, url.origin == origin { return true }
        guard url.scheme.isSecure, url.hostKind == .domain else { return false }
        return trustsHost(url.host)
            || trustedHosts.contains { host in
                let host = host.lowercased()
                return !host.isEmpty && (url.host == host || url.host.hasSuffix("." + host))
            }
    }

    /// Returns a URL with the signature in its query: until it expires, everyone who has the URL can send the request.
    ///
    /// The signature does not cover the body for S3; for other services it covers an empty body. The query contains the session
    /// token of temporary credentials. User information and the fragment are removed.
    ///
    /// - Parameters:
    ///   - headers: signed fields, which the request must have when it is sent.
    ///   - expires: how long the URL is valid, in whole seconds: one second to seven days; one hour by default.
    /// - Throws: `invalidRequest` for another validity, unusable credentials, an invalid region or an invalid service;
    ///   `invalidHeader`; and the error of the credential provider.
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
