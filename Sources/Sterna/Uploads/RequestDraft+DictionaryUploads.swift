public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// Drafts of uploads with parameters and header fields from dictionary variables.
extension RequestDraft {
    /// A request with a body; an overload for dictionary variables.
    @_disfavoredOverload
    public static func upload<Q: ParameterList, H: HeaderList>(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Q? = Parameters?.none,
        headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try upload(
            body, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure,
            progress: progress, further)
    }

    /// A request with data; an overload for dictionary variables.
    @_disfavoredOverload
    public static func upload<Q: ParameterList, H: HeaderList>(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Q? = Parameters?.none, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try upload(
            data, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
            headers: headers.asHeaders, configure, progress: progress, further)
    }

    /// A request with a file; an overload for dictionary variables.
    @_disfavoredOverload
    public static func upload<Q: ParameterList, H: HeaderList>(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Q? = Parameters?.none, headers: H = Headers(),
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try upload(
            file: file, to: reference, method: method, mediaType: mediaType, query: query?.asParameters,
            headers: headers.asHeaders, configure, progress: progress, further)
    }

    /// A request with a multipart form; an overload for dictionary variables.
    @_disfavoredOverload
    public static func upload<P: ParameterList, Q: ParameterList, H: HeaderList>(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: P? = Parameters?.none,
        query: Q? = Parameters?.none, headers: H = Headers(), multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws -> RequestDraft {
        try upload(
            reference, method: method, parameters: parameters?.asParameters, query: query?.asParameters,
            headers: headers.asHeaders, multipart: multipart, configure, progress: progress, further)
    }

    /// A request with a form that was filled in field by field; an overload for dictionary variables.
    @_disfavoredOverload
    public static func submit<Q: ParameterList, H: HeaderList>(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Q? = Parameters?.none, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try submit(
            form, to: reference, method: method, query: query?.asParameters, headers: headers.asHeaders, configure,
            progress: progress, further)
    }
}
