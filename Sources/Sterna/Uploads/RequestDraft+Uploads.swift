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
        guard method != .get, method != .head else {
            let fault = BodyFault.methodWithoutBody(method.rawValue)
            throw SternaError(.invalidRequest, phase: .prepare, "Nothing was sent: \(fault).", underlying: fault)
        }
        return RequestDraft(method, reference, body: body, headers: headers)
    }

    /// A request with a form of several parts, which the closure appends; without a body where it appends none.
    ///
    /// - Parameter parameters: fields that go in front of the parts.
    ///
    /// Throws for a part that cannot be sent.
    public static func upload(
        to reference: some URLConvertible, method: Request.Method = .post, parameters: Parameters? = nil,
        headers: Headers = [:], multipart: (inout MultipartForm) throws -> Void
    ) throws -> RequestDraft {
        var form = MultipartForm()
        if let parameters { form.append(parameters) }
        try multipart(&form)
        guard let body = try form.body() else { return RequestDraft(method, reference, headers: headers) }
        return try upload(body, to: reference, method: method, headers: headers)
    }
}
