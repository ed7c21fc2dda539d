public import HTTPTypes
public import SternaCore
public import SternaSerialization

extension RequestDraft {
    /// A request with a body, POST unless another method is given.
    ///
    /// Throws `invalidRequest` for GET and HEAD, which have no body.
    public static func upload(
        _ body: Body, to reference: some URLConvertible, method: Request.Method = .post, headers: Headers = [:]
    ) throws(SternaError) -> RequestDraft {
        try refuseWithoutBody(method)
        return RequestDraft(method, reference, body: body, headers: headers)
    }

    private static func refuseWithoutBody(_ method: Request.Method) throws(SternaError) {
        let method = method.normalized
        guard method == .get || method == .head else { return }
        let fault = BodyFault.methodWithoutBody(method.rawValue)
        throw SternaError(.invalidRequest, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
    }

    /// A request with a form of several parts, which the closure appends; without a body where there are neither parameters
    /// nor parts.
    ///
    /// - Parameter parameters: fields that go in front of the parts. They are written when the closure is done, so that it can
    ///   set the form's boundary, name style and encoder; unless it sets the encoder, by that of the session that sends the
    ///   request.
    ///
    /// Throws `invalidRequest` for GET and HEAD, and for a part that cannot be sent.
    public static func upload(
        to reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void
    ) throws -> RequestDraft {
        try upload(
            MultipartForm(), to: reference, method: method, parameters: parameters, headers: headers,
            multipart: multipart)
    }

    static func upload(
        _ empty: MultipartForm, to reference: some URLConvertible, method: Request.Method, parameters: Parameters?,
        headers: Headers, multipart: (inout MultipartForm) throws -> Void
    ) throws -> RequestDraft {
        try refuseWithoutBody(method)
        var form = empty
        try multipart(&form)
        // Those that the closure has set come behind, over those of the same name.
        if let parameters { form.parameters = form.parameters.map(parameters.merging) ?? parameters }
        guard form.needsEncoder else {
            var draft = RequestDraft(method, reference, body: try form.body(), headers: headers)
            draft.content = .own
            return draft
        }
        // What is wrong with a part is an error now; the parameters may be fine for the session's encoder alone.
        var parts = form
        parts.parameters = nil
        _ = try parts.body()
        var draft = RequestDraft(method, reference, body: try? form.body(), headers: headers)
        draft.content = .form(PendingForm(form))
        return draft
    }

    /// A request with a form that was filled in field by field; without a body where nothing was added.
    static func submit(
        _ form: FormBuilder, to reference: some URLConvertible, method: Request.Method, headers: Headers
    ) throws(SternaError) -> RequestDraft {
        let method = form.method(for: method)
        try refuseWithoutBody(method)
        var draft = RequestDraft(method, reference, body: try form.body(), headers: headers)
        draft.content = .own
        return draft
    }
}

/// A form whose parameters are written by the encoder of the session that sends it.
final class PendingForm: Sendable {
    private let form: MultipartForm

    init(_ form: MultipartForm) { self.form = form }

    func body(by serializer: any RequestSerializer) throws(SternaError) -> Body? {
        try form.body(fallback: SessionHeaders.settings(of: serializer)?.encoder)
    }
}
