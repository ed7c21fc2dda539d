public import Sterna

/// Objects of a bucket.
extension S3Bucket {
    /// Returns an object's content and header fields (GetObject), collected in memory.
    ///
    /// - Parameters:
    ///   - range: the bytes to get; nil for all of them. One that begins behind the end fails with the code `InvalidRange`.
    ///   - version: a version of the object; nil for the latest.
    ///   - configure: changes the settings of this request.
    nonisolated(nonsending) public func get(
        _ key: String, range: Range<Int64>? = nil, version: String? = nil,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> Reply {
        try await send(.get, try url(key, [("versionId", version)]), headers: try Self.rangeField(range), configure)
    }

    /// Passes an object to a closure while its content still arrives (GetObject); the closure pulls `response.body`.
    ///
    /// Throws the server's error before the closure is called.
    public func withObject<R>(
        _ key: String, range: Range<Int64>? = nil, version: String? = nil,
        isolation: isolated (any Actor)? = #isolation, _ read: (Response) async throws -> R
    ) async throws -> R {
        let draft = RequestDraft(
            .get, try url(key, [("versionId", version)]), headers: try Self.rangeField(range))
        return try await client.session.withResponse(to: draft) { response in
            guard !response.status.isSuccess else { return try await read(response) }
            let body = await AnswerBody.read(response.body, upTo: S3Error.longest, on: client.session.loopClock)
            throw S3ResponseSerializer.failure(response, body.bytes).at(Request(.get, response.url))
        }
    }

    /// Stores an object (PutObject), replacing one of the same key.
    ///
    /// A body that can be read only once is sent in signed chunks if its length is known; else it is collected first.
    ///
    /// - Parameters:
    ///   - body: the content: `.bytes`, `.text`, `.stream`. Its media type is the object's, unless `contentType` is given.
    ///   - metadata: the object's own metadata, by names without the prefix `x-amz-meta-`.
    ///   - headers: further fields, such as `Cache-Control` or `x-amz-storage-class`.
    /// - Returns: what the server says of the new object.
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

    /// Stores the content of a file (PutObject), which is read while it is sent, after it was read for its hash; AWS takes up to 5 GB.
    ///
    /// Throws `fileUnreadable` if the file cannot be read.
    @discardableResult
    nonisolated(nonsending) public func put(
        _ key: String, file: some FileReference, contentType: String? = nil, metadata: Headers = [:],
        headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) async throws -> S3ObjectInfo {
        try await put(
            key, try .file(file, mediaType: contentType), metadata: metadata, headers: headers, configure)
    }

    /// Stores the chunks of a sequence (PutObject), sent as they come, in signed chunks.
    ///
    /// - Parameter length: the exact number of bytes, which S3 has to know first.
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
    /// Throws `unacceptableStatus`, whose code is `NotFound` where there is no such object.
    nonisolated(nonsending) public func head(_ key: String, version: String? = nil) async throws -> S3ObjectInfo {
        S3ObjectInfo(
            key: key, try await send(.head, try url(key, [("versionId", version)])).response, isStored: false)
    }

    /// Removes an object, or one version of it (DeleteObject); does nothing if there is none.
    nonisolated(nonsending) public func delete(_ key: String, version: String? = nil) async throws {
        _ = try await send(.delete, try url(key, [("versionId", version)]))
    }

    /// Copies an object into this bucket, on the server (CopyObject); objects of up to 5 GB.
    ///
    /// - Parameters:
    ///   - source: the key of the object to copy.
    ///   - bucket: its bucket; nil for this one.
    ///   - key: the key of the copy.
    ///   - version: the version to copy; nil for the latest.
    ///   - headers: further fields, such as `x-amz-metadata-directive`.
    nonisolated(nonsending) public func copy(
        _ source: String, from bucket: S3Bucket? = nil, to key: String, version: String? = nil, headers: Headers = [:]
    ) async throws {
        let origin = bucket?.name ?? name
        try S3Address.check(bucket: origin)
        try S3Address.check(key: source)
        var headers = headers
        let suffix = version.map { "?versionId=\(S3Address.encoded($0))" } ?? ""
        headers["x-amz-copy-source"] = "/\(origin)/\(S3Address.encoded(source, keepsSlashes: true))\(suffix)"
        // The status is 200 before the copy is made; the body has the outcome.
        let reply = try await send(.put, try url(of: key), headers: headers)
        guard S3XML.rootName(reply.body) == "CopyObjectResult" else {
            throw S3XML.malformed("The answer to a copy is not a CopyObjectResult").at(reply.url)
        }
    }

    /// Returns a URL that lets whoever has it make one kind of request for an object until it expires, without credentials.
    ///
    /// - Parameters:
    ///   - method: the method; PUT for an upload.
    ///   - headers: fields that the request must then have.
    ///   - expires: for how long the URL is valid: a second to seven days.
    /// - Throws: `invalidRequest` for a client without credentials or for another time.
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
