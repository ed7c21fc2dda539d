public import HTTPTypes
public import SternaCore
public import SternaPlatform
public import SternaSerialization

/// Drafts of uploads: ``Session`` has the same with the same arguments, and sends them.
///
/// Each takes a closure for its settings twice, since a trailing closure is one whether `progress:` stands before it or not:
///
///     .upload(file: path, to: "isos") { $0.timeout = .seconds(5) }
///     .upload(file: path, to: "isos", progress: { print($0) }) { $0.timeout = .seconds(5) }
extension RequestDraft {
    /// A request with a body.
    ///
    /// - Parameters:
    ///   - method: POST by default; GET and HEAD have no body and are an error.
    ///   - query: what goes into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes what differs from the session for this request.
    ///   - progress: called on an event loop with how much of the body the network has taken; it must return at once.
    ///
    /// Throws `invalidRequest` for GET and HEAD.
    public static func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try refuseWithoutBody(method)
        return RequestDraft(method, reference, query: query, body: body, headers: headers) { settings in
            if let progress { settings.uploadProgress = progress }
            configure(&settings)
            further(&settings)
        }
    }

    /// A request with data.
    public static func upload(
        _ data: Data, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String = "application/octet-stream", query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        try upload(
            .data(data, mediaType: mediaType), to: reference, method: method, query: query, headers: headers, configure,
            progress: progress, further)
    }

    /// A request with a file, sent straight from the disk where the connection allows it; its media type is that of its name unless
    /// another is given.
    ///
    /// Throws `fileUnreadable` where there is no such file, or it may not be read.
    public static func upload(
        file: some FileReference, to reference: some URLConvertible, method: Request.Method = .post,
        mediaType: String? = nil, query: Parameters? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        let path = try file.filePath()
        return try upload(
            try .file(path, mediaType: mediaType ?? MediaType.ofFile(named: path)), to: reference, method: method,
            query: query, headers: headers, configure, progress: progress, further)
    }

    /// A request with a form of several parts, which the closure appends; without a body where there are neither parameters
    /// nor parts.
    ///
    /// - Parameters:
    ///   - parameters: fields that go in front of the parts. They are written when the closure is done, so that it can
    ///     set the form's boundary, name style and encoder; unless it sets the encoder, by that of the session that sends the
    ///     request.
    ///   - multipart: appends the parts; called at once.
    ///
    /// Throws `invalidRequest` for GET and HEAD, and for a part that cannot be sent.
    public static func upload(
        _ reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        query: Parameters? = nil, headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void,
        _ configure: (inout RequestSettings) -> Void = { _ in }, progress: Session.UploadProgress? = nil,
        _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws -> RequestDraft {
        try upload(
            reference, method: method, parameters: parameters, query: query, headers: headers,
            form: { _ in MultipartForm() }, multipart: multipart, configure, progress: progress, further)
    }

    /// The same, with a form that a session begins by the settings of the request.
    static func upload(
        _ reference: some URLConvertible, method: Request.Method, parameters: Parameters?, query: Parameters?,
        headers: Headers, form makeForm: (RequestSettings) -> MultipartForm,
        multipart: (inout MultipartForm) throws -> Void, _ configure: (inout RequestSettings) -> Void,
        progress: Session.UploadProgress?, _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws -> RequestDraft {
        try refuseWithoutBody(method)
        var draft = RequestDraft(method, reference, query: query, headers: headers) { settings in
            if let progress { settings.uploadProgress = progress }
            configure(&settings)
            further(&settings)
        }
        var form = makeForm(draft.settings)
        try multipart(&form)
        // Those that the closure has set come behind, over those of the same name.
        if let parameters { form.parameters = form.parameters.map(parameters.merging) ?? parameters }
        guard form.needsEncoder else {
            draft.body = try form.body()
            draft.content = .own
            return draft
        }
        // What is wrong with a part is an error now; the parameters may be fine for the session's encoder alone.
        var parts = form
        parts.parameters = nil
        _ = try parts.body()
        draft.body = try? form.body()
        draft.content = .form(PendingForm(form))
        return draft
    }

    /// A request with a form that was filled in field by field; without a body where nothing was added.
    ///
    /// - Parameter method: POST by default; GET, HEAD and DELETE become POST, as they have no form, unless the form says
    ///   otherwise (``FormBuilder/changesMethodToPost``): then GET and HEAD are errors.
    public static func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method = .post,
        query: Parameters? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: Session.UploadProgress? = nil, _ further: (inout RequestSettings) -> Void = { _ in }
    ) throws(SternaError) -> RequestDraft {
        let method = form.method(for: method)
        try refuseWithoutBody(method)
        var draft = RequestDraft(method, reference, query: query, body: try form.body(), headers: headers) { settings in
            if let progress { settings.uploadProgress = progress }
            configure(&settings)
            further(&settings)
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
