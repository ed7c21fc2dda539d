import HTTPTypes
public import SternaCore

/// The verbs: `try await api.get("users")`, and with callbacks `api.get("users", success: …, failure: …)`.
extension Session {
    /// Sends GET requests, which retrieve a resource (RFC 9110, 9.3.1).
    public var get: Verb { Verb(session: self, method: .get) }

    /// Sends HEAD requests, which retrieve only the header fields of a resource (RFC 9110, 9.3.2).
    public var head: Verb { Verb(session: self, method: .head) }

    /// Sends POST requests, whose content a resource processes (RFC 9110, 9.3.3).
    public var post: Verb { Verb(session: self, method: .post) }

    /// Sends PUT requests, which create or replace a resource (RFC 9110, 9.3.4).
    public var put: Verb { Verb(session: self, method: .put) }

    /// Sends PATCH requests, which change a part of a resource (RFC 5789).
    public var patch: Verb { Verb(session: self, method: .patch) }

    /// Sends DELETE requests, which remove a resource (RFC 9110, 9.3.5).
    public var delete: Verb { Verb(session: self, method: .delete) }

    /// Sends OPTIONS requests, which ask for the communication options of a resource (RFC 9110, 9.3.7).
    public var options: Verb { Verb(session: self, method: .options) }

    /// A method of a session, which sends a request when called: `api.post("users", parameters: ["name": name])`.
    ///
    /// All verbs take the same arguments in the same order:
    ///
    /// - the URL, relative to the session's base URL or absolute;
    /// - `parameters:`, which the session's request serializer puts into the query or the body, by method; or `json:` or `form:`,
    ///   a body in that format, of a literal, a dictionary, or any `Encodable`;
    /// - `query:`, which always goes into the query;
    /// - `body:`; parameters then go into the query;
    /// - `headers:`, which replace the session's;
    /// - a closure that changes the settings of this request: `{ $0.timeout = .seconds(5) }`.
    ///
    /// Literals keep their order. `Parameters(dictionary)` and `Headers(dictionary)` take variables, in ascending order of their
    /// keys.
    public struct Verb: Sendable {
        let session: Session
        let method: Request.Method

        /// Sends a request and collects the response.
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
        public func callAsFunction(
            _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil,
            body: Body? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(
                    method, reference, parameters: parameters, query: query, body: body, headers: headers
                ).configured(in: session, configure))
        }

        /// Sends a request with a JSON body of named values; see
        /// ``RequestDraft/init(_:_:json:query:headers:_:)``.
        @discardableResult
        public func callAsFunction(
            _ reference: some URLConvertible, json: Parameters, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(method, reference, json: json, query: query, headers: headers).configured(
                    in: session, configure))
        }

        /// Sends a request with a JSON body of a value; see
        /// ``RequestDraft/init(_:_:json:query:headers:_:)``.
        @discardableResult
        @_disfavoredOverload
        public func callAsFunction(
            _ reference: some URLConvertible, json: some Encodable, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(method, reference, json: json, query: query, headers: headers).configured(
                    in: session, configure))
        }

        /// Sends a request with a URL-encoded form of named values; see
        /// ``RequestDraft/init(_:_:form:query:headers:_:)``.
        @discardableResult
        public func callAsFunction(
            _ reference: some URLConvertible, form: Parameters, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(method, reference, form: form, query: query, headers: headers).configured(
                    in: session, configure))
        }

        /// Sends a request with a URL-encoded form of a value; see
        /// ``RequestDraft/init(_:_:form:query:headers:_:)``.
        @discardableResult
        @_disfavoredOverload
        public func callAsFunction(
            _ reference: some URLConvertible, form: some Encodable, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(method, reference, form: form, query: query, headers: headers).configured(
                    in: session, configure))
        }
    }
}
