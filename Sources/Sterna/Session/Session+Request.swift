public import HTTPTypes
public import SternaCore

/// Requests of any method; ``send(_:)`` takes a ``RequestDraft`` with `json:` or `form:`.
extension Session {
    /// Sends a request of any method and collects the response.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the base URL or absolute.
    ///   - parameters: encoded by the request serializer into the query or the body, by method.
    ///   - query: parameters that always go into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes the settings of this request; runs in the caller's context.
    ///
    /// Throws `SternaError`, for example if the response serializer does not accept the response's status.
    @discardableResult
    public func request(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await send(
            RequestDraft(
                method, reference, parameters: parameters, query: query, body: body, headers: headers
            ).configured(in: self, configure))
    }
}
