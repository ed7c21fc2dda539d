public import Sterna

/// Amazon S3, or a server that speaks its protocol.
///
///     let s3 = try S3(region: "eu-central-1", credentials: AWSEnvironmentCredentials())
///     let photos = s3.bucket("photos")
///     try await photos.put("2026/tern.jpg", file: "tern.jpg", contentType: "image/jpeg")
///     for try await object in photos.list(prefix: "2026/") { print(object.key, object.size) }
public struct S3: Sendable {
    /// The session that sends the requests; it signs every request that begins with it.
    public let session: Session

    /// Whether and how requests are signed; nil for a client without credentials.
    public let signing: AWSSigning?

    let address: S3Address

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - region: the region of the buckets, such as `eu-central-1`.
    ///   - credentials: where the access key comes from; nil for public buckets.
    ///   - endpoint: the URL of another server than AWS, such as `http://localhost:9000`.
    ///   - style: where the bucket's name stands in URLs; nil for virtual hosts at AWS, and paths elsewhere.
    ///   - configure: changes the settings of the session.
    /// - Throws: `invalidRequest` for a region that is no name, `invalidURL` for an endpoint that is no http or https URL, and the
    ///   errors of the session's settings.
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
            settings.awsSigning = signing
            settings.responseSerializer = S3ResponseSerializer()
            configure(&settings)
        }
        self.signing = signing
    }

    /// Returns a bucket by its name, without asking the server for it.
    public func bucket(_ name: String) -> S3Bucket { S3Bucket(client: self, name: name) }
}

/// A bucket of S3.
///
/// Its methods throw `SternaError`; ``SternaCore/SternaError/s3Error`` has the code of an error that the server reports.
public struct S3Bucket: Sendable {
    /// The client that the bucket belongs to.
    public let client: S3

    /// The bucket's name.
    public let name: String

    /// Returns the URL of an object, without a signature. Throws `invalidRequest` for a name that no URL can hold.
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
