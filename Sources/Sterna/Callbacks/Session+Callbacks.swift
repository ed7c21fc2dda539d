public import SternaCore
public import SternaSerialization

/// The verbs with callbacks, as AFNetworking's managers have them.
///
///     api.get("users/1", success: { task, value in … }, failure: { task, error in … })
///
/// Callbacks run on the session's ``SessionSettings/callbacks``: the main queue by default, which must run. In a program whose
/// main thread blocks no callback is called; see ``CallbackTarget``. Either `success` or `failure` is called, once. A request that
/// cannot be made (a bad URL, parameters that cannot be encoded) calls `failure` without a task, and returns none.
extension Session {
    /// Called with the value of an answer.
    public typealias Success<Value> = @Sendable (RequestTask, Value) -> Void

    /// Called with what went wrong; without a task where the request could not be made.
    public typealias Failure = @Sendable (RequestTask?, SternaError) -> Void

    /// Called while bytes go and come, at most once at a time.
    public typealias ProgressCallback = @Sendable (RequestTask, RequestProgress) -> Void

    /// Sends a request of any method; `success` is given a JSON tree.
    ///
    /// - Parameters:
    ///   - parameters: what the request serializer puts into the query or the body, by method.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - settings: what differs from the session for this request.
    ///   - progress: called while bytes go and come.
    /// - Returns: the task; nil where `failure` was given none.
    @discardableResult
    public func request(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        var draft = RequestDraft(method, reference, parameters: parameters, body: body, headers: headers)
        draft.settings = settings
        return begin(draft, progress: progress, value: { reply in try reply.json() }, success, failure)
    }

    /// Sends a request of any method; `success` is given what a response serializer makes of the answer, which also says
    /// which answers are taken.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        var draft = RequestDraft(method, reference, parameters: parameters, body: body, headers: headers)
        draft.settings = settings
        draft.settings.responseSerializer = serializer
        return begin(draft, progress: progress, value: { reply in try reply.make(by: serializer) }, success, failure)
    }

    /// Asks for a resource (GET); `success` is given a JSON tree.
    @discardableResult
    public func get(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .get, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Asks for a resource (GET); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func get<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .get, reference, parameters: parameters, body: body, headers: headers, settings: settings, as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Asks for the header fields of a resource (HEAD); `success` is given a JSON tree.
    @discardableResult
    public func head(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .head, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Asks for the header fields of a resource (HEAD); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func head<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .head, reference, parameters: parameters, body: body, headers: headers, settings: settings, as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Gives a resource something to process (POST); `success` is given a JSON tree.
    @discardableResult
    public func post(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .post, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Gives a resource something to process (POST); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .post, reference, parameters: parameters, body: body, headers: headers, settings: settings, as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Replaces a resource (PUT); `success` is given a JSON tree.
    @discardableResult
    public func put(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .put, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Replaces a resource (PUT); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .put, reference, parameters: parameters, body: body, headers: headers, settings: settings, as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Changes a resource (PATCH); `success` is given a JSON tree.
    @discardableResult
    public func patch(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .patch, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Changes a resource (PATCH); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .patch, reference, parameters: parameters, body: body, headers: headers, settings: settings, as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Removes a resource (DELETE); `success` is given a JSON tree.
    @discardableResult
    public func delete(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .delete, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Removes a resource (DELETE); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func delete<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .delete, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Asks what a resource allows (OPTIONS); `success` is given a JSON tree.
    @discardableResult
    public func options(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .options, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// Asks what a resource allows (OPTIONS); `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func options<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .options, reference, parameters: parameters, body: body, headers: headers, settings: settings,
            as: serializer,
            progress: progress, success: success, failure: failure)
    }
}
