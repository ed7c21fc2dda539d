public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// Uploads. Their arguments are those of the drafts, ``RequestDraft/upload(_:to:method:query:headers:_:progress:_:)``.
extension Session {
    /// Called while the network takes bytes of a body; on an event loop, so it must return at once.
    public typealias UploadProgress = @Sendable (TransferProgress) -> Void

    /// Sends a body and collects the answer.
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no body and are an error.
    ///   - query: what goes into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes what differs from the session for this request; runs where the caller runs.
    ///   - progress: called with how many bytes the network has taken, of how many, how fast.
    ///   - further: the same as `configure`, so that a closure behind the parentheses is one with `progress:` and without.
    ///
    /// A large body waits for the server to say that it wants it, see ``SessionSettings/continueThreshold``. Throws
    /// `SternaError`, `invalidRequest` for a method without a body among others.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                body, to: reference, method: method, query: query, headers: headers, configure, progress: progress,
                further))
    }

    /// Sends data and collects the answer.
    @discardableResult
    public func upload(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                data, to: reference, method: method, mediaType: mediaType, query: query, headers: headers, configure,
                progress: progress, further))
    }

    /// Sends a file, straight from the disk where the connection allows it; its media type is that of its name.
    ///
    /// Throws `fileUnreadable` before anything is sent where there is no such file, or it may not be read.
    @discardableResult
    public func upload(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query, headers: headers,
                configure, progress: progress, further))
    }

    /// Sends a form of several parts, which the closure appends.
    ///
    ///     try await api.upload("photos", multipart: { form in
    ///         form.append(file: imageURL, name: "image")
    ///         form.append(caption, name: "caption")
    ///     }) { $0.timeout = .seconds(5) }
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
        query: Parameters? = nil, headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                reference, method: method, parameters: parameters, query: query, headers: headers, form: plan.emptyForm,
                multipart: multipart, configure, progress: progress, further))
    }

    /// Sends a form that was filled in field by field.
    ///
    /// - Parameter method: POST by default; GET, HEAD and DELETE become POST, as they have no form, unless the form says
    ///   otherwise (``FormBuilder/changesMethodToPost``): then GET and HEAD are errors.
    ///
    /// A form without values goes out without a body.
    @discardableResult
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Parameters? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .submit(
                form, to: reference, method: method, query: query, headers: headers, configure, progress: progress,
                further))
    }
}

/// Uploads with parameters and header fields in variables that are dictionaries.
extension Session {
    /// Sends a body, of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList>(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Q? = Parameters?.none,
        headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                body, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure,
                progress: progress, further))
    }

    /// Sends data, of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList>(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Q? = Parameters?.none, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                data, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
                headers: headers.asHeaders, configure, progress: progress, further))
    }

    /// Sends a file, of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList>(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Q? = Parameters?.none, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
                headers: headers.asHeaders, configure, progress: progress, further))
    }

    /// Sends a form of several parts, of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, headers: H = Headers(), multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .upload(
                reference, method: method, parameters: parameters?.asParameters, query: query?.asParameters,
                headers: headers.asHeaders, form: plan.emptyForm, multipart: multipart, configure, progress: progress,
                further))
    }

    /// Sends a form that was filled in field by field, of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func submit<Q: ParameterList, H: HeaderList>(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Q? = Parameters?.none, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            .submit(
                form, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure,
                progress: progress, further))
    }
}
