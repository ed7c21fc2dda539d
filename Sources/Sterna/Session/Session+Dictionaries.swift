public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// The verbs for parameters and header fields in variables that are dictionaries.
///
/// Their keys are sent in ascending order, as a dictionary has none. A literal needs none of this: beside a variable, it is
/// read as a dictionary, too.
extension Session {
    /// The same as ``request(_:_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func request<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            method, reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``get(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func get<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await get(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``head(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func head<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await head(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``post(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func post<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await post(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``put(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func put<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await put(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``patch(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func patch<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await patch(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``delete(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func delete<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await delete(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``options(_:parameters:query:body:headers:_:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func options<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await options(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders, configure, isolation: isolation)
    }

    /// The same as ``upload(_:to:method:headers:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, headers: [String: String],
        progress: UploadProgress? = nil, configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            body, to: reference, method: method, headers: headers.asHeaders, progress: progress, configure: configure,
            isolation: isolation)
    }

    /// The same as ``upload(file:to:method:mediaType:headers:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        file path: String, to reference: some URLConvertible, method: Request.Method = .post, mediaType: String? = nil,
        headers: [String: String], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            file: path, to: reference, method: method, mediaType: mediaType, headers: headers.asHeaders,
            progress: progress, configure: configure, isolation: isolation)
    }

    /// The same as ``upload(file:to:method:mediaType:headers:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        file url: URL, to reference: some URLConvertible, method: Request.Method = .post, mediaType: String? = nil,
        headers: [String: String], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            file: url, to: reference, method: method, mediaType: mediaType, headers: headers.asHeaders,
            progress: progress, configure: configure, isolation: isolation)
    }

    /// The same as ``upload(_:to:method:mediaType:headers:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", headers: [String: String], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            data, to: reference, method: method, mediaType: mediaType, headers: headers.asHeaders, progress: progress,
            configure: configure, isolation: isolation)
    }

    /// The same as ``upload(_:method:parameters:headers:multipart:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        headers: H = Headers(), multipart: (inout MultipartForm) throws -> Void, progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await upload(
            reference, method: method, parameters: parameters?.asParameters, headers: headers.asHeaders,
            multipart: multipart, progress: progress, configure: configure, isolation: isolation)
    }

    /// The same as ``submit(_:to:method:headers:progress:configure:isolation:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        headers: [String: String], progress: UploadProgress? = nil,
        configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await submit(
            form, to: reference, method: method, headers: headers.asHeaders, progress: progress, configure: configure,
            isolation: isolation)
    }
}
