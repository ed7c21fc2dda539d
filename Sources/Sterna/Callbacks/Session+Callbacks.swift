public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Requests with callbacks, as AFNetworking's managers have them.
///
///     api.get("users/1", success: { task, value in … }, failure: { task, error in … }) { $0.timeout = .seconds(5) }
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

    /// Sends what a draft describes.
    ///
    /// - Parameters:
    ///   - draft: the request.
    ///   - serializer: makes the value that `success` is given, and says which answers are taken; a JSON tree by default.
    ///   - progress: called while bytes go and come.
    /// - Returns: the task; nil where `failure` was given none.
    @discardableResult
    public func send<S: ResponseSerializer>(
        _ draft: RequestDraft, as serializer: S = JSONTree(), progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(draft, as: serializer, progress, success, failure)
    }

    /// Sends a request of any method.
    ///
    /// - Parameters:
    ///   - reference: where it goes, relative to the base URL or absolute.
    ///   - parameters: what the request serializer puts into the query or the body, by method.
    ///   - query: what always goes into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - serializer: makes the value that `success` is given, and says which answers are taken; a JSON tree by default.
    ///   - progress: called while bytes go and come.
    ///   - configure: changes what differs from the session for this request; called before this returns.
    /// - Returns: the task; nil where `failure` was given none.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> RequestTask? {
        begin(
            RequestDraft(
                method, reference, parameters: parameters, query: query, body: body, headers: headers, configure),
            as: serializer, progress, success, failure)
    }

    /// Sends a request of dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func request<P: ParameterList, Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers(), as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> RequestTask? {
        begin(
            RequestDraft(
                method, reference, parameters: parameters, query: query, body: body, headers: headers, configure),
            as: serializer, progress, success, failure)
    }

    /// Sends a request with parameters that a value makes; one that comes to no dictionary calls `failure` without a task.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> RequestTask? {
        begin(
            try encoding(
                value, in: RequestDraft(method, reference, query: query, body: body, headers: headers, configure)),
            as: serializer, progress, success, failure)
    }

    /// Sends a request with parameters that a value makes, and dictionaries in variables.
    @discardableResult
    @_disfavoredOverload
    public func request<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers(), as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> RequestTask? {
        request(
            method, reference, encoding: value, query: query?.asParameters, body: body, headers: headers.asHeaders,
            as: serializer, progress: progress, success: success, failure: failure, configure)
    }
}
