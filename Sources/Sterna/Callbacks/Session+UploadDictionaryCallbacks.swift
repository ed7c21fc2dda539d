public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Uploads with callbacks for parameters and header fields in variables that are dictionaries.
///
/// Their keys are sent in ascending order, as a dictionary has none. A literal needs none of this: beside a variable, it is
/// read as a dictionary, too.
extension Session {
    /// The same as ``upload(_:method:parameters:headers:settings:multipart:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload<P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        headers: H = Headers(), settings: RequestSettings = RequestSettings(),
        multipart: (inout MultipartForm) throws -> Void, progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        upload(
            reference, method: method, parameters: parameters?.asParameters, headers: headers.asHeaders,
            settings: settings, multipart: multipart, progress: progress, success: success, failure: failure)
    }

    /// The same as ``upload(_:method:parameters:headers:settings:multipart:as:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload<S: ResponseSerializer, P: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        headers: H = Headers(), settings: RequestSettings = RequestSettings(),
        multipart: (inout MultipartForm) throws -> Void, as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        upload(
            reference, method: method, parameters: parameters?.asParameters, headers: headers.asHeaders,
            settings: settings, multipart: multipart, as: serializer, progress: progress, success: success,
            failure: failure)
    }

    /// The same as ``upload(file:to:method:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        file path: String, to reference: some URLConvertible, method: Request.Method = .post, headers: [String: String],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        upload(
            file: path, to: reference, method: method, headers: headers.asHeaders, settings: settings,
            progress: progress, success: success, failure: failure)
    }

    /// The same as ``upload(_:to:method:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, headers: [String: String],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        upload(
            body, to: reference, method: method, headers: headers.asHeaders, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// The same as ``submit(_:to:method:headers:settings:progress:success:failure:)``, of dictionaries.
    @discardableResult
    @_disfavoredOverload
    public func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        headers: [String: String], settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        submit(
            form, to: reference, method: method, headers: headers.asHeaders, settings: settings, progress: progress,
            success: success, failure: failure)
    }
}
