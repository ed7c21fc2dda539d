public import Sterna
import SternaSigning

/// Objects of a bucket.
extension S3Bucket {
    /// Returns an object's content and header fields (GetObject), collected in memory.
    ///
    /// - Parameters:
    ///   - range: the bytes to get; nil, the default, for all. A range that begins after the end fails with the code
    ///     `InvalidRange`.
    ///   - version: the version of the object; nil, the default, for the latest.
    ///   - configure: changes the settings of this request.
    ///
    /// Throws the server's error, and `invalidRequest` for an empty or negative range.
    nonisolated(nonsending) public func get(
        _ key: String, range: Range<Int64>? = nil, version: String? = nil,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> Reply {
        try await send(.get, try url(key, [("versionId", version)]), headers: try Self.rangeField(range), configure)
    }

    /// Passes an object to a closure while its content is still arriving (GetObject). The closure reads `response.body`.
    ///
    /// The arguments are those of ``get(_:range:version:_:)``. Throws the server's error before it calls the closure, and errors of
    /// the closure.
    public func withObject<R>(
        _ key: String, range: Range<Int64>? = nil, version: String? = nil,
        isolation: isolated (any Actor)? = #isolation, _ read: (Response) async throws -> R
    ) async throws -> R {
        let draft = RequestDraft(
            .get, try url(key, [("versionId", version)]), headers: try Self.rangeField(range))
        return try await client.session.withResponse(to: draft) { response in
            guard !response.status.isSuccess else { return try await read(response) }
            let body = await BodyPrefix.read(response.body, upTo: S3Error.longest, on: client.session.loopClock)
            throw S3ResponseSerializer.failure(response, body.bytes).at(Request(.get, response.url))
        }
    }

    /// Stores an object (PutObject), and replaces one of the same key.
    ///
    /// A body that can be read only once is sent in signed chunks if its length is known; otherwise it is collected first.
    ///
    /// - Parameters:
    ///   - body: the content, such as `.bytes`, `.text` or `.stream`.
    ///   - contentType: the object's media type; nil, the default, for the body's.
    ///   - metadata: the object's metadata, by names without the prefix `x-amz-meta-`.
    ///   - headers: further header fields, such as `Cache-Control` or `x-amz-storage-class`.
    /// - Returns: the entity tag and version of the new object, as far as the server names them.
    @discardableResult
    nonisolated(nonsending) public func put(
        _ key: String, _ body: Body, contentType: String? = nil, metadata: Headers = [:], headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> S3ObjectInfo {
        var headers = headers
        for line in metadata.lines { headers.append("x-amz-meta-\(line.name)", line.value) }
        if let contentType { headers["Content-Type"] = contentType }
        let reply = try await send(.put, try url(of: key), body: body, headers: headers, configure)
        return S3ObjectInfo(key: key, reply.response, isStored: true)
    }

    /// Stores the content of a file (PutObject); AWS accepts up to 5 GB. The file is read twice: first for its hash, then while it
    /// is sent.
    ///
    /// The other arguments are those of ``put(_:_:contentType:metadata:headers:_:)``. Throws the server's error, and
    /// `fileUnreadable` if the file cannot be read.
    @discardableResult
    nonisolated(nonsending) public func put(
        _ key: String, file: some FileReference, contentType: String? = nil, metadata: Headers = [:],
        headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> S3ObjectInfo {
        try await put(
            key, try .file(file, mediaType: contentType), metadata: metadata, headers: headers, configure)
    }

    /// Stores the pieces of a sequence (PutObject), which are sent in signed chunks as they arrive.
    ///
    /// - Parameter length: the exact length in bytes, which S3 requires in advance.
    ///
    /// The other arguments are those of ``put(_:_:contentType:metadata:headers:_:)``. Throws the server's error, and errors of the
    /// sequence.
    @discardableResult
    nonisolated(nonsending) public func put<S: AsyncSequence & Sendable>(
        _ key: String, stream: S, length: Int64, contentType: String? = nil, metadata: Headers = [:],
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> S3ObjectInfo where S.Element: BodyPiece {
        try await put(
            key, .stream(stream, length: length, mediaType: contentType), metadata: metadata, headers: headers,
            configure)
    }

    /// Returns the size, date and metadata of an object (HeadObject).
    ///
    /// Throws `unacceptableStatus`, with the code `NotFound` if the object does not exist.
    nonisolated(nonsending) public func head(_ key: String, version: String? = nil) async throws -> S3ObjectInfo {
        S3ObjectInfo(
            key: key, try await send(.head, try url(key, [("versionId", version)])).response, isStored: false)
    }

    /// Deletes an object, or one version of it (DeleteObject). Has no effect if it does not exist.
    nonisolated(nonsending) public func delete(_ key: String, version: String? = nil) async throws {
        _ = try await send(.delete, try url(key, [("versionId", version)]))
    }

    /// Copies an object of up to 5 GB into this bucket, on the server (CopyObject).
    ///
    /// - Parameters:
    ///   - source: the key of the object to copy.
    ///   - bucket: the bucket of that object; nil, the default, for this one.
    ///   - key: the key of the copy.
    ///   - version: the version to copy; nil, the default, for the latest.
    ///   - headers: further header fields, such as `x-amz-metadata-directive`.
    ///
    /// Throws the server's error, also if it reports one after the status 200.
    nonisolated(nonsending) public func copy(
        _ source: String, from bucket: S3Bucket? = nil, to key: String, version: String? = nil, headers: Headers = [:]
    ) async throws {
        let origin = bucket?.name ?? name
        try S3Address.check(bucket: origin)
        try S3Address.check(key: source)
        var headers = headers
        let suffix = version.map { "?versionId=\(S3Address.encoded($0))" } ?? ""
        headers["x-amz-copy-source"] = "/\(origin)/\(S3Address.encoded(source, keepsSlashes: true))\(suffix)"
        // The server sends the status 200 before it makes the copy; the body has the outcome.
        let reply = try await send(.put, try url(of: key), headers: headers)
        guard S3XML.rootName(reply.body) == "CopyObjectResult" else {
            throw S3XML.malformed("The response to a copy is not a CopyObjectResult").at(reply.url)
        }
    }

    /// Returns a presigned URL, which permits requests of one method for an object without credentials until it expires.
    ///
    /// - Parameters:
    ///   - method: the method; GET by default, PUT for an upload.
    ///   - headers: header fields that the request must have.
    ///   - expires: how long the URL is valid, from 1 s to 7 days; 1 hour by default.
    /// - Throws: `invalidRequest` for a client without credentials and for an expiry out of range.
    nonisolated(nonsending) public func presign(
        _ key: String, method: Request.Method = .get, headers: Headers = [:], expires: Duration = .seconds(3_600)
    ) async throws -> HTTPURL {
        guard let signing = client.signing else {
            throw SternaError(.invalidRequest, phase: .prepare, "A client without credentials cannot presign URLs.")
        }
        return try await signing.presign(method, try url(of: key), headers: headers, expires: expires)
    }

    private static func rangeField(_ range: Range<Int64>?) throws(SternaError) -> Headers {
        guard let range else { return [:] }
        guard range.lowerBound >= 0, !range.isEmpty else {
            throw SternaError(
                .invalidRequest, phase: .prepare, "A range of bytes begins at 0 or later, and is not empty.")
        }
        return ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"]
    }
}

extension HTTPResponse.Status {
    var isSuccess: Bool { (200..<300).contains(code) }
}
