public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// Uploads with callbacks, which run on ``SessionSettings/callbacks`` like those of other requests. An upload that cannot be built
/// calls `failure` without a task.
extension Session {
    /// Uploads a body, in the manner of AFNetworking's upload tasks of data and streams.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Parameters? = nil,
        headers: Headers = [:], as serializer: S = JSONTree(), progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(body, to: reference, method: method, query: query, headers: headers, configure), as: serializer,
            progress, success, failure)
    }

    /// Uploads data.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Parameters? = nil, headers: Headers = [:],
        as serializer: S = JSONTree(), progress: ProgressCallback? = nil, success: @escaping Success<S.Value>,
        failure: @escaping Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                data, to: reference, method: method, mediaType: mediaType, query: query, headers: headers, configure),
            as: serializer, progress, success, failure)
    }

    /// Uploads a file.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query, headers: headers,
                configure), as: serializer, progress, success, failure)
    }

    /// Uploads a multipart form, in the manner of AFNetworking's `POST:parameters:constructingBodyWithBlock:`.
    ///
    /// - Parameters:
    ///   - parameters: fields that go in front of the parts, encoded by the request serializer's encoder.
    ///   - multipart: appends the parts; called before this method returns.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        query: Parameters? = nil, headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        as serializer: S = JSONTree(), progress: ProgressCallback? = nil, success: @escaping Success<S.Value>,
        failure: @escaping Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                reference, method: method, parameters: parameters, query: query, headers: headers, form: plan.emptyForm,
                multipart: multipart, configure, progress: nil), as: serializer, progress, success, failure)
    }

    /// Submits a form that was filled in field by field.
    @discardableResult
    public func submit<S: ResponseSerializer>(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Parameters? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .submit(form, to: reference, method: method, query: query, headers: headers, configure), as: serializer,
            progress, success, failure)
    }
}

/// Uploads with callbacks, and with parameters and header fields from dictionary variables.
extension Session {
    /// Uploads a body; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Q? = Parameters?.none,
        headers: H = Headers(), as serializer: S = JSONTree(), progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                body, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure),
            as: serializer, progress, success, failure)
    }

    /// Uploads data; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Q? = Parameters?.none, headers: H = Headers(),
        as serializer: S = JSONTree(), progress: ProgressCallback? = nil, success: @escaping Success<S.Value>,
        failure: @escaping Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                data, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
                headers: headers.asHeaders, configure), as: serializer, progress, success, failure)
    }

    /// Uploads a file; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Q? = Parameters?.none, headers: H = Headers(), as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
                headers: headers.asHeaders, configure), as: serializer, progress, success, failure)
    }

    /// Uploads a multipart form; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func upload<P: ParameterList, Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, headers: H = Headers(), multipart: (inout MultipartForm) throws -> Void,
        as serializer: S = JSONTree(), progress: ProgressCallback? = nil, success: @escaping Success<S.Value>,
        failure: @escaping Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                reference, method: method, parameters: parameters?.asParameters, query: query?.asParameters,
                headers: headers.asHeaders, form: plan.emptyForm, multipart: multipart, configure, progress: nil),
            as: serializer, progress, success, failure)
    }

    /// Submits a form that was filled in field by field; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func submit<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Q? = Parameters?.none, headers: H = Headers(), as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .submit(
                form, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure),
            as: serializer, progress, success, failure)
    }
}
