public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Uploads with callbacks, which run where those of the other verbs do: on a main queue that runs, by default. What cannot be
/// sent calls `failure` without a task.
extension Session {
    /// Sends a form of several parts, as AFNetworking's `POST:parameters:constructingBodyWithBlock:`; `success` is given a
    /// JSON tree.
    ///
    /// - Parameters:
    ///   - parameters: fields that go in front of the parts, by the encoder of the request's serializer.
    ///   - multipart: appends the parts; called before this returns.
    @discardableResult
    public func upload(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(),
        multipart: (inout MultipartForm) throws -> Void, progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(
            try .upload(
                plan.emptyForm(settings), to: reference, method: method, parameters: parameters, headers: headers,
                multipart: multipart),
            settings, progress: progress, value: { reply in try reply.json() }, success, failure)
    }

    /// Sends a form of several parts; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func upload<S: ResponseSerializer>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(),
        multipart: (inout MultipartForm) throws -> Void, as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        var settings = settings
        settings.responseSerializer = serializer
        return begin(
            try .upload(
                plan.emptyForm(settings), to: reference, method: method, parameters: parameters, headers: headers,
                multipart: multipart),
            settings, progress: progress, value: { reply in try reply.make(by: serializer) }, success, failure)
    }

    /// Sends a file; `success` is given a JSON tree.
    @discardableResult
    public func upload(
        file path: String, to reference: some URLConvertible, method: Request.Method = .post,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(
            try .upload(
                .file(path, mediaType: MediaType.ofFile(named: path)), to: reference, method: method, headers: headers),
            settings, progress: progress, value: { reply in try reply.json() }, success, failure)
    }

    /// Sends a body, as AFNetworking's upload tasks of data and streams; `success` is given a JSON tree.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(
            try .upload(body, to: reference, method: method, headers: headers),
            settings, progress: progress, value: { reply in try reply.json() }, success, failure)
    }

    /// Sends a form that was filled in field by field; `success` is given a JSON tree.
    @discardableResult
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(
            try .submit(form, to: reference, method: method, headers: headers),
            settings, progress: progress, value: { reply in try reply.json() }, success, failure)
    }
}
