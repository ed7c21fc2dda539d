public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

extension Session {
    /// Called while the network takes bytes of a body; on an event loop, so it must return at once.
    public typealias UploadProgress = @Sendable (TransferProgress) -> Void

    /// Sends a body and collects the answer.
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no body and are an error.
    ///   - headers: header fields, which replace the session's.
    ///   - progress: told how many bytes the network has taken, of how many, how fast.
    ///   - configure: changes what differs from the session for this request; runs where the caller runs.
    ///
    /// A large body waits for the server to say that it wants it, see ``SessionSettings/continueThreshold``. Throws
    /// `SternaError`, `invalidRequest` for a method without a body among others.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, headers: Headers = [:],
        progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var draft = try RequestDraft.upload(body, to: reference, method: method, headers: headers)
        if let progress { draft.settings.uploadProgress = progress }
        configure(&draft.settings)
        return try await send(draft)
    }

    /// Sends a file, straight from the disk where the connection allows it; its media type is that of its name.
    ///
    /// Throws `fileUnreadable` before anything is sent where there is no such file, or it may not be read.
    @discardableResult
    public func upload(
        file path: String, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, headers: Headers = [:], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        let body = try Body.file(path, mediaType: mediaType ?? MediaType.ofFile(named: path))
        return try await upload(
            body, to: reference, method: method, headers: headers, progress: progress,
            configure: configure, isolation: isolation)
    }

    /// Sends a file of a file URL; see ``upload(file:to:method:mediaType:headers:progress:configure:isolation:)``.
    @discardableResult
    public func upload(
        file url: URL, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, headers: Headers = [:], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        guard url.isFileURL else {
            let fault = BodyFault.notAFileURL(scheme: url.scheme ?? "")
            throw SternaError(.fileUnreadable, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
        }
        return try await upload(
            file: url.path, to: reference, method: method, mediaType: mediaType, headers: headers,
            progress: progress,
            configure: configure, isolation: isolation)
    }

    /// Sends data.
    @discardableResult
    public func upload(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", headers: Headers = [:],
        progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            .data(data, mediaType: mediaType), to: reference, method: method, headers: headers, progress: progress,
            configure: configure, isolation: isolation)
    }

    /// Sends a form of several parts, which the closure appends.
    ///
    ///     try await api.upload("photos", multipart: { form in
    ///         form.append(file: imageURL, name: "image")
    ///         form.append(caption, name: "caption")
    ///     })
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no form and are an error, with or without parts.
    ///   - parameters: fields that go in front of the parts, by the encoder of the request's serializer. They are written when
    ///     the closure is done, so that it can set the form's boundary, name style and encoder.
    ///
    /// With neither parameters nor parts the request goes out without a body. Throws for a part that cannot be sent before
    /// anything is.
    @discardableResult
    public func upload(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var settings = RequestSettings()
        if let progress { settings.uploadProgress = progress }
        configure(&settings)
        var draft = try RequestDraft.upload(
            plan.emptyForm(settings), to: reference, method: method, parameters: parameters, headers: headers,
            multipart: multipart)
        draft.settings = settings
        return try await send(draft)
    }

    /// Sends a form that was filled in field by field.
    ///
    /// - Parameter method: POST by default; GET, HEAD and DELETE become POST, as they have no form, unless the form says
    ///   otherwise (``FormBuilder/changesMethodToPost``): then GET and HEAD are errors.
    ///
    /// A form without values goes out without a body.
    @discardableResult
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post, headers: Headers = [:],
        progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var draft = try RequestDraft.submit(form, to: reference, method: method, headers: headers)
        if let progress { draft.settings.uploadProgress = progress }
        configure(&draft.settings)
        return try await send(draft)
    }
}
