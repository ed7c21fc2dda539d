public import Sterna
public import SternaSigning

/// A client of Amazon S3, or of a server with its protocol.
///
///     let s3 = try S3(region: "eu-central-1", credentials: AWSEnvironmentCredentials())
///     let photos = s3.bucket("photos")
///     try await photos.put("2026/tern.jpg", file: "tern.jpg", contentType: "image/jpeg")
///     for try await object in photos.list(prefix: "2026/") { print(object.key, object.size) }
public struct S3: Sendable {
    /// The session that sends the requests. It also signs requests that the program sends by it.
    public let session: Session

    /// How requests are signed; nil for a client without credentials.
    public let signing: AWSSigning?

    let address: S3Address

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - region: the region of the buckets, such as `eu-central-1`: 1 to 64 lower-case letters, digits and hyphens.
    ///   - credentials: the provider of the access key; nil for public buckets.
    ///   - endpoint: the URL of a server other than AWS, such as `http://localhost:9000`; nil, the default, for AWS.
    ///   - style: where URLs have the bucket's name; nil, the default, for virtual hosts at AWS and paths elsewhere.
    ///   - configure: changes the settings of the session.
    /// - Throws: `invalidRequest` for an invalid region, `invalidURL` for an endpoint that is not an http or https URL or has user
    ///   information or a query, and the errors of the session's settings.
    public init(
        region: String, credentials: (any AWSCredentialProvider)?, endpoint: String? = nil,
        style: S3AddressStyle? = nil, _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws(SternaError) {
        address = try S3Address(region: region, endpoint: endpoint, style: style)
        var signing: AWSSigning?
        if let credentials {
            var own = AWSSigning.s3(region: region, credentials: credentials)
            // S3 redirects requests for new buckets to another region's host.
            if endpoint == nil {
                let isChina = region.hasPrefix("cn-")
                own.trustsHost = { S3Host.isService($0, isChina: isChina) }
            }
            signing = own
        }
        session = try Session { settings in
            settings.auth.awsSigning = signing
            settings.responseSerializer = S3ResponseSerializer()
            configure(&settings)
        }
        self.signing = signing
    }

    /// Returns a bucket by its name, without a request.
    public func bucket(_ name: String) -> S3Bucket { S3Bucket(client: self, name: name) }
}

/// A bucket of S3.
///
/// Its methods throw `SternaError`; ``SternaCore/SternaError/s3Error`` has the code that the server reports. They throw
/// `invalidRequest` for a bucket's name or key that is not valid in URLs: a name has 3 to 255 letters, digits, hyphens, underscores
/// and periods, but no two periods in a row; a key has 1 to 1,024 bytes, and no part `.` or `..` between slashes.
public struct S3Bucket: Sendable {
    /// The client that the bucket belongs to.
    public let client: S3

    /// The bucket's name.
    public let name: String

    /// Returns the URL of an object, without a signature. Throws `invalidRequest` for an invalid bucket's name or key.
    ///
    /// The client's session signs requests for it: `s3.session.download(try bucket.url(of: "big.iso"))`.
    public func url(of key: String) throws(SternaError) -> HTTPURL {
        try client.address.url(bucket: name, key: key)
    }

    func url(_ key: String?, _ query: [(String, String?)]) throws(SternaError) -> HTTPURL {
        try client.address.url(
            bucket: name, key: key, query: query.compactMap { name, value in value.map { (name, $0) } })
    }

    nonisolated(nonsending) func send(
        _ method: Request.Method, _ url: HTTPURL, body: Body? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> Reply {
        try await client.session.send(
            RequestDraft(method, url, body: body, headers: headers).configured(in: client.session, configure))
    }
}
