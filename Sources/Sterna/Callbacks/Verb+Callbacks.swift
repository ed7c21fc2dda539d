public import SternaCore
public import SternaSerialization

/// The verbs with callbacks; see ``Session/request(_:_:parameters:query:body:headers:as:progress:success:failure:_:)``.
extension Session.Verb {
    /// Sends a request; `success` receives a JSON tree, or the value of the given response serializer.
    @discardableResult
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.request(
            method, reference, parameters: parameters, query: query, body: body, headers: headers, as: serializer,
            progress: progress, success: success, failure: failure, configure)
    }

    /// Sends a request with a JSON body of named values.
    @discardableResult
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, json: Parameters, query: Parameters? = nil, headers: Headers = [:],
        as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.send(
            RequestDraft(method, reference, json: json, query: query, headers: headers).configured(
                in: session, configure), as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Sends a request with a JSON body of a value.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, json: some Encodable, query: Parameters? = nil, headers: Headers = [:],
        as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.send(
            RequestDraft(method, reference, json: json, query: query, headers: headers).configured(
                in: session, configure), as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Sends a request with a URL-encoded form of named values.
    @discardableResult
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, form: Parameters, query: Parameters? = nil, headers: Headers = [:],
        as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.send(
            RequestDraft(method, reference, form: form, query: query, headers: headers).configured(
                in: session, configure), as: serializer,
            progress: progress, success: success, failure: failure)
    }

    /// Sends a request with a URL-encoded form of a value.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, form: some Encodable, query: Parameters? = nil, headers: Headers = [:],
        as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.send(
            RequestDraft(method, reference, form: form, query: query, headers: headers).configured(
                in: session, configure), as: serializer,
            progress: progress, success: success, failure: failure)
    }
}
