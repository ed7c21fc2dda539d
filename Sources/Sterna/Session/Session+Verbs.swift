public import HTTPTypes
public import SternaCore

extension Session {
    /// Sends a request of any method and collects the answer.
    ///
    /// - Parameters:
    ///   - reference: where it goes, relative to the base URL or absolute.
    ///   - parameters: what the request serializer puts into the query or the body, by method.
    ///   - query: what always goes into the query.
    ///   - body: the body; `parameters` then go into the query.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes what differs from the session for this request; runs where the caller runs.
    ///
    /// Throws `SternaError`: for an answer whose status the response serializer does not accept among others.
    @discardableResult
    public func request(
        _ method: Request.Method, _ reference: some URLConvertible, parameters: Parameters? = nil,
        query: Parameters? = nil, body: Body? = nil, headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var draft = RequestDraft(
            method, reference, parameters: parameters, query: query, body: body, headers: headers)
        configure(&draft.settings)
        return try await send(draft)
    }

    /// Asks for a resource (GET). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func get(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .get, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Asks for the header fields of a resource (HEAD). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func head(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .head, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Gives a resource something to process (POST). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func post(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .post, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Replaces a resource (PUT). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func put(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .put, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Changes a resource (PATCH). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func patch(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .patch, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Removes a resource (DELETE). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func delete(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .delete, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }

    /// Asks what a resource allows (OPTIONS). See ``request(_:_:parameters:query:body:headers:_:)``.
    @discardableResult
    public func options(
        _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil, body: Body? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .options, reference, parameters: parameters, query: query, body: body, headers: headers, configure,
            isolation: isolation)
    }
}
