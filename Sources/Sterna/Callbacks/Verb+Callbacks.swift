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

    /// Sends a request; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<P: ParameterList, Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), as serializer: S = Session.JSONTree(),
        progress: Session.ProgressCallback? = nil, success: @escaping Session.Success<S.Value>,
        failure: @escaping Session.Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.request(
            method, reference, parameters: parameters, query: query, body: body, headers: headers, as: serializer,
            progress: progress, success: success, failure: failure, configure)
    }

    /// Sends a request with parameters encoded from a value. A value that does not encode to a dictionary calls `failure` without a
    /// task.
    @discardableResult
    public func callAsFunction<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], as serializer: S = Session.JSONTree(), progress: Session.ProgressCallback? = nil,
        success: @escaping Session.Success<S.Value>, failure: @escaping Session.Failure,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.request(
            method, reference, encoding: value, query: query, body: body, headers: headers, as: serializer,
            progress: progress, success: success, failure: failure, configure)
    }

    /// Sends a request with parameters encoded from a value; an overload for dictionary variables.
    @discardableResult
    @_disfavoredOverload
    public func callAsFunction<Q: ParameterList, H: HeaderList, S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), as serializer: S = Session.JSONTree(),
        progress: Session.ProgressCallback? = nil, success: @escaping Session.Success<S.Value>,
        failure: @escaping Session.Failure, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DataTask? {
        session.request(
            method, reference, encoding: value, query: query, body: body, headers: headers, as: serializer,
            progress: progress, success: success, failure: failure, configure)
    }
}
