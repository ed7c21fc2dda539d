public import HTTPTypes
public import SternaCore
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
            try .upload(body, to: reference, method: method, query: query, headers: headers).configured(
                in: self, configure), of: ownSettings(configure), as: serializer,
            progress, success, failure)
    }

    /// Uploads a file; its media type follows from its name by default. A file that cannot be read calls `failure` with
    /// `fileUnreadable`.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> UploadTask? {
        begin(
            try .upload(
                file: file, to: reference, method: method, mediaType: mediaType, query: query, headers: headers
            ).configured(in: self, configure), of: ownSettings(configure), as: serializer, progress, success, failure)
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
        let settings = ownSettings(configure)
        return begin(
            try .upload(
                reference, method: method, parameters: parameters, query: query, headers: headers, settings,
                form: plan.emptyForm(settings), multipart), of: settings, as: serializer, progress, success, failure)
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
            try .submit(form, to: reference, method: method, query: query, headers: headers).configured(
                in: self, configure), of: ownSettings(configure), as: serializer,
            progress, success, failure)
    }
}
