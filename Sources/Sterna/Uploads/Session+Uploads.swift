public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Uploads. Their arguments are those of the drafts, ``RequestDraft/upload(_:to:method:query:headers:_:progress:_:)``.
extension Session {
    /// Called with upload progress; runs on an event loop, so it must return at once.
    public typealias UploadProgress = @Sendable (TransferProgress) -> Void

    /// Uploads a body and collects the response.
    ///
    ///     try await api.upload(body, to: "isos") { $0.timeout = .seconds(5) } progress: { print($0) }
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no body and are an error.
    ///   - query: parameters for the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes the settings of this request; runs in the caller's context.
    ///   - progress: called with upload progress: the bytes sent, the total, and the rate in bytes per second.
    ///
    /// A large body waits for `100 (Continue)`, see ``SessionSettings/Limits/continueThreshold``. Throws `SternaError`, for example
    /// `invalidRequest` for a method without a body.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                body, to: reference, method: method, query: query, headers: headers, progress: progress
            ).configured(in: self, configure))
    }

    /// Uploads a file, straight from the disk if the connection allows it. The media type follows from the file's name unless it is
    /// given.
    ///
    /// Throws `fileUnreadable` before anything is sent if the file does not exist or may not be read.
    @discardableResult
    public func upload(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query, headers: headers,
                progress: progress
            ).configured(in: self, configure))
    }

    /// Uploads a multipart form, whose parts the closure appends.
    ///
    ///     try await api.upload("photos", multipart: { form in
    ///         form.append(file: imageURL, name: "image")
    ///         form.append(caption, name: "caption")
    ///     }) { $0.timeout = .seconds(5) }
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no form and are an error, with or without parts.
    ///   - parameters: fields that go in front of the parts, encoded by the request serializer's encoder. They are encoded after
    ///     the closure returns, so it can set the form's boundary, name style and encoder.
    ///
    /// Without parameters and parts the request has no body. Throws before anything is sent if a part cannot be sent.
    @discardableResult
    public func upload(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        query: Parameters? = nil, headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var settings = RequestSettings()
        settings.uploadProgress = progress
        settings.change(in: plan, configure)
        return try await send(
            .upload(
                reference, method: method, parameters: parameters, query: query, headers: headers, settings,
                form: plan.emptyForm(settings), multipart))
    }

    /// Submits a form that was filled in field by field.
    ///
    /// - Parameter method: POST by default; GET, HEAD and DELETE become POST, since they have no form, unless the form disables
    ///   that (``FormBuilder/changesMethodToPost``): then GET and HEAD are errors.
    ///
    /// A form without values is sent without a body.
    @discardableResult
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Parameters? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .submit(
                form, to: reference, method: method, query: query, headers: headers, progress: progress
            ).configured(in: self, configure))
    }
}
