public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Requests with callbacks, in the manner of AFNetworking's managers.
///
///     api.get("users/1", success: { task, value in … }, failure: { task, error in … }) { $0.timeout = .seconds(5) }
///
/// Callbacks run on the session's ``SessionSettings/callbacks``: by default the main queue, which must run. A program that blocks
/// its main thread receives no callbacks; see ``CallbackTarget``.
///
/// Either `success` or `failure` is called, once; neither if the task is cancelled silently. A request that cannot be built (a bad
/// URL, parameters that cannot be encoded) calls `failure` without a task, and returns nil.
extension Session {
    /// Called with the decoded value of a response.
    public typealias Success<Value> = @Sendable (DataTask, Value) -> Void

    /// Called with an error; without a task if the request could not be built.
    public typealias Failure = @Sendable (DataTask?, SternaError) -> Void

    /// Called with progress of sending and receiving; calls never overlap.
    public typealias ProgressCallback = @Sendable (DataTask, RequestProgress) -> Void

    /// Sends the request that a draft describes.
    ///
    /// - Parameters:
    ///   - draft: the request.
    ///   - serializer: decides which responses are accepted and makes the value for `success`; a JSON tree by default.
    ///   - progress: called with progress of sending and receiving.
    /// - Returns: the task; nil if `failure` was called without one.
    @discardableResult
    public func send<S: ResponseSerializer>(
        _ draft: RequestDraft, as serializer: S = JSONTree(), progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> DataTask? {
        begin(draft, as: serializer, progress, success, failure)
    }

    /// Sends a request of any method.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the base URL or absolute.
    ///   - parameters: encoded by the request serializer into the query or the body, by method.
    ///   - query: parameters that always go into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - serializer: decides which responses are accepted and makes the value for `success`; a JSON tree by default.
    ///   - progress: called with progress of sending and receiving.
    ///   - configure: changes the settings of this request; called before this method returns.
    /// - Returns: the task; nil if `failure` was called without one.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:], as serializer: S = JSONTree(),
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        begin(
            RequestDraft(
                method, reference, parameters: parameters, query: query, body: body, headers: headers
            ).configured(in: self, configure),
            as: serializer, progress, success, failure)
    }
}
