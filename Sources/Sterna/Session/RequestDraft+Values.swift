public import HTTPTypes
public import SternaCore
import SternaSerialization

/// Drafts of parameters and header fields in variables that are dictionaries, and of `Encodable` values.
extension RequestDraft {
    /// Makes a draft of any method, of dictionaries.
    @_disfavoredOverload
    public init<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, body: Body? = nil, headers: H = Headers()
    ) {
        self.init(
            method, reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders)
    }

    /// Makes a draft of any method with parameters that a value makes.
    ///
    /// - Throws: `encodingFailed` for a value that comes to no dictionary.
    public init(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        keepingNils: Bool = false, query: Parameters? = nil, headers: Headers = [:]
    ) throws(SternaError) {
        let parameters = try encodingErrors { try Parameters(encoding: value, keepingNils: keepingNils) }
        self.init(method, reference, parameters: parameters, query: query, headers: headers)
    }

    /// The same as ``get(_:parameters:query:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func get<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        headers: H = Headers()
    ) -> RequestDraft {
        get(reference, parameters: parameters?.asParameters, query: query?.asParameters, headers: headers.asHeaders)
    }

    /// The same as ``head(_:parameters:query:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func head<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        headers: H = Headers()
    ) -> RequestDraft {
        head(reference, parameters: parameters?.asParameters, query: query?.asParameters, headers: headers.asHeaders)
    }

    /// The same as ``post(_:parameters:query:body:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func post<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers()
    ) -> RequestDraft {
        post(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders)
    }

    /// The same as ``put(_:parameters:query:body:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func put<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers()
    ) -> RequestDraft {
        put(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders)
    }

    /// The same as ``patch(_:parameters:query:body:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func patch<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers()
    ) -> RequestDraft {
        patch(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders)
    }

    /// The same as ``delete(_:parameters:query:body:headers:)``, of dictionaries.
    @_disfavoredOverload
    public static func delete<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
        body: Body? = nil, headers: H = Headers()
    ) -> RequestDraft {
        delete(
            reference, parameters: parameters?.asParameters, query: query?.asParameters, body: body,
            headers: headers.asHeaders)
    }
}
