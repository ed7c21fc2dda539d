public import HTTPTypes
public import SternaCore

/// The verbs for parameters that an `Encodable` value makes.
///
/// The request serializer puts them where it puts parameters: into the query, a form, JSON or a property list. The value comes to
/// a dictionary, by the rules of ``SternaCore/Parameters/init(encoding:keepingNils:)``; the serializer's
/// ``SternaSerialization/QueryEncoder/keepsNilMembers`` says what becomes of members that are nil. For JSON as JSONEncoder writes
/// it, arrays at the top among it, there is ``SternaCore/Body/json(_:encoder:)``.
extension Session {
    /// Sends a request of any method with parameters that a value makes. Throws `encodingFailed` for one that comes to no
    /// dictionary, and what ``request(_:_:parameters:query:body:headers:_:isolation:)`` throws.
    @discardableResult
    public func request(
        _ method: Request.Method, _ reference: some URLConvertible, encoding value: some Encodable,
        query: Parameters? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        var draft = RequestDraft(method, reference, query: query, headers: headers)
        configure(&draft.settings)
        draft.parameters = try plan.parameters(encoding: value, draft.settings)
        return try await send(draft)
    }

    /// Sends GET with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func get(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .get, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends HEAD with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func head(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .head, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends POST with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func post(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .post, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends PUT with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func put(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .put, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends PATCH with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func patch(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .patch, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends DELETE with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func delete(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .delete, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }

    /// Sends OPTIONS with parameters that a value makes. See ``request(_:_:encoding:query:headers:_:isolation:)``.
    @discardableResult
    public func options(
        _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        try await request(
            .options, reference, encoding: value, query: query, headers: headers, configure, isolation: isolation)
    }
}
