public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// The verbs with callbacks for parameters that an `Encodable` value makes, as ``Session`` has them without.
///
/// A value that comes to no dictionary calls `failure` without a task.
extension Session {
    /// Sends a request of any method with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func request(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        begin(
            try draft(method, reference, encoding: value, headers, settings), settings, progress: progress,
            value: { reply in try reply.json() }, success, failure)
    }

    /// Sends a request of any method with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        headers: Headers = [:], settings: RequestSettings = RequestSettings(), as serializer: S,
        progress: ProgressCallback? = nil, success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        var settings = settings
        settings.responseSerializer = serializer
        return begin(
            try draft(method, reference, encoding: value, headers, settings), settings, progress: progress,
            value: { reply in try reply.make(by: serializer) }, success, failure)
    }

    /// Sends GET with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func get(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .get, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends GET with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func get<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .get, reference, encoding: value, headers: headers, settings: settings, as: serializer, progress: progress,
            success: success, failure: failure)
    }

    /// Sends HEAD with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func head(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .head, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends HEAD with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func head<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .head, reference, encoding: value, headers: headers, settings: settings, as: serializer, progress: progress,
            success: success, failure: failure)
    }

    /// Sends POST with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func post(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .post, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends POST with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func post<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .post, reference, encoding: value, headers: headers, settings: settings, as: serializer, progress: progress,
            success: success, failure: failure)
    }

    /// Sends PUT with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func put(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .put, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends PUT with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func put<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .put, reference, encoding: value, headers: headers, settings: settings, as: serializer, progress: progress,
            success: success, failure: failure)
    }

    /// Sends PATCH with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func patch(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .patch, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends PATCH with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func patch<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .patch, reference, encoding: value, headers: headers, settings: settings, as: serializer,
            progress: progress,
            success: success, failure: failure)
    }

    /// Sends DELETE with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func delete(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .delete, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends DELETE with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func delete<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .delete, reference, encoding: value, headers: headers, settings: settings, as: serializer,
            progress: progress,
            success: success, failure: failure)
    }

    /// Sends OPTIONS with parameters that a value makes; `success` is given a JSON tree.
    @discardableResult
    public func options(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), progress: ProgressCallback? = nil,
        success: @escaping Success<JSON>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .options, reference, encoding: value, headers: headers, settings: settings, progress: progress,
            success: success, failure: failure)
    }

    /// Sends OPTIONS with parameters that a value makes; `success` is given what a response serializer makes of the answer.
    @discardableResult
    public func options<S: ResponseSerializer>(
        _ reference: some URLConvertible, encoding value: some Encodable, headers: Headers = [:],
        settings: RequestSettings = RequestSettings(), as serializer: S, progress: ProgressCallback? = nil,
        success: @escaping Success<S.Value>, failure: @escaping Failure
    ) -> RequestTask? {
        request(
            .options, reference, encoding: value, headers: headers, settings: settings, as: serializer,
            progress: progress,
            success: success, failure: failure)
    }

    private func draft(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable, _ headers: Headers,
        _ settings: RequestSettings
    ) throws -> RequestDraft {
        RequestDraft(
            method, reference, parameters: try plan.parameters(encoding: value, settings), headers: headers)
    }
}
