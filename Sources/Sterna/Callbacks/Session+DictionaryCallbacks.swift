public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// The verbs with callbacks for parameters and header fields in variables that are dictionaries.
///
/// Their keys are sent in ascending order, as a dictionary has none. A literal needs none of this: beside a variable, it is
/// read as a dictionary, too.
extension Session {
    /// The same as ``request(_:_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func request<P: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), settings: RequestSettings = RequestSettings(),
        progress: ProgressCallback? = nil, success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            method, reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders,
            settings: settings, progress: progress, success: success, failure: failure)
    }

    /// The same as ``request(_:_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func request<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        body: Body? = nil, headers: H = Headers(), settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            method, reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders,
            settings: settings, as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``get(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func get<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        get(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``get(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func get<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        get(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``head(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func head<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        head(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``head(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func head<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        head(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``post(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func post<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        post(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``post(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func post<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        post(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``put(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func put<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        put(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``put(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func put<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        put(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``patch(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func patch<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        patch(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``patch(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func patch<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        patch(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``delete(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func delete<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        delete(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``delete(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func delete<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        delete(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }

    /// The same as ``options(_:parameters:body:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func options<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        options(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``options(_:parameters:body:headers:settings:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func options<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, body: Body? = nil, headers: H = Headers(),
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        options(
            reference, parameters: parameters?.asParameters, body: body, headers: headers.asHeaders, settings: settings,
            as: serializer, progress: progress, success: success, failure: failure)
    }
}
