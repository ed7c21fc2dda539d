public import HTTPTypes
public import SternaCore
public import SternaSerialization

/// Drafts of uploads; ``Session`` has methods with the same arguments that send them.
///
/// The first closure changes the settings, the optional second one receives progress:
///
///     .upload(file: path, to: "isos") { $0.timeout = .seconds(5) }
///     .upload(file: path, to: "isos") { $0.timeout = .seconds(5) } progress: { print($0) }
extension RequestDraft {
    /// A request with a body.
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no body and are an error.
    ///   - query: parameters for the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes the settings of this request.
    ///   - progress: called with upload progress; runs on an event loop, so it must return at once.
    ///
    /// Throws `invalidRequest` for GET and HEAD.
    public static func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil
    ) throws(SternaError) -> RequestDraft {
        try refuseWithoutBody(method)
        return RequestDraft(method, reference, query: query, body: body, headers: headers) { settings in
            if let progress { settings.uploadProgress = progress }
            configure(&settings)
        }
    }

    /// A request with a file, sent straight from the disk if the connection allows it. The media type follows from the file's name
    /// unless it is given.
    ///
    /// Throws `fileUnreadable` if the file does not exist or may not be read.
    public static func upload(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil
    ) throws(SternaError) -> RequestDraft {
        let path = try file.filePath()
        return try upload(
            try .file(path, mediaType: mediaType ?? MediaType.ofFile(named: path)), to: reference, method: method,
            query: query, headers: headers, configure, progress: progress)
    }

    /// A request with a multipart form, whose parts the closure appends; without a body if there are neither parameters nor parts.
    ///
    /// - Parameters:
    ///   - parameters: fields that go in front of the parts. They are encoded after the closure returns, so it can set the form's
    ///     boundary, name style and encoder. Without an encoder of its own the form uses that of the sending session.
    ///   - multipart: appends the parts; called at once.
    ///
    /// Throws `invalidRequest` for GET and HEAD, and for a part that cannot be sent.
    public static func upload(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        query: Parameters? = nil, headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil
    ) throws -> RequestDraft {
        var settings = RequestSettings()
        settings.uploadProgress = progress
        configure(&settings)
        return try upload(
            reference, method: method, parameters: parameters, query: query, headers: headers, settings,
            form: MultipartForm(), multipart)
    }

    /// Creates the draft with settings and an empty form that a session has made.
    static func upload(
        _ reference: some URLConvertible, method: Request.Method, parameters: Parameters?, query: Parameters?,
        headers: Headers, _ settings: RequestSettings, form: MultipartForm,
        _ append: (inout MultipartForm) throws -> Void
    ) throws -> RequestDraft {
        try refuseWithoutBody(method)
        var draft = RequestDraft(method, reference, query: query, headers: headers)
        draft.settings = settings
        var form = form
        try append(&form)
        // Parameters that the closure has set come last and replace those of the same name.
        if let parameters { form.parameters = form.parameters.map(parameters.merging) ?? parameters }
        guard form.needsEncoder else {
            draft.body = try form.body()
            draft.content = .own
            return draft
        }
        // Invalid parts fail now; the parameters may be valid only for the session's encoder.
        var parts = form
        parts.parameters = nil
        _ = try parts.body()
        draft.body = try? form.body()
        draft.content = .multipart(PendingForm(form))
        return draft
    }

    /// A request with a form that was filled in field by field; without a body if no field was added.
    ///
    /// - Parameter method: POST by default; GET, HEAD and DELETE become POST, since they have no form, unless the form disables
    ///   that (``FormBuilder/changesMethodToPost``): then GET and HEAD are errors.
    public static func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Parameters? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil
    ) throws(SternaError) -> RequestDraft {
        let method = form.method(for: method)
        try refuseWithoutBody(method)
        var draft = RequestDraft(method, reference, query: query, body: try form.body(), headers: headers) { settings in
            if let progress { settings.uploadProgress = progress }
            configure(&settings)
        }
        draft.content = .own
        return draft
    }

    private static func refuseWithoutBody(_ method: Request.Method) throws(SternaError) {
        let method = method.normalized
        guard method == .get || method == .head else { return }
        let fault = BodyFault.methodWithoutBody(method.rawValue)
        throw SternaError(.invalidRequest, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
    }
}
