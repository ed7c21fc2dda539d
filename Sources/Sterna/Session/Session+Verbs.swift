import HTTPTypes
public import SternaCore

/// The verbs: `try await api.get("users")`, and with callbacks `api.get("users", success: …, failure: …)`.
extension Session {
    /// Asks for a resource (GET).
    public var get: Verb { Verb(session: self, method: .get) }

    /// Asks for the header fields of a resource (HEAD).
    public var head: Verb { Verb(session: self, method: .head) }

    /// Gives a resource something to process (POST).
    public var post: Verb { Verb(session: self, method: .post) }

    /// Replaces a resource (PUT).
    public var put: Verb { Verb(session: self, method: .put) }

    /// Changes a resource (PATCH).
    public var patch: Verb { Verb(session: self, method: .patch) }

    /// Removes a resource (DELETE).
    public var delete: Verb { Verb(session: self, method: .delete) }

    /// Asks for the communication options of a resource (OPTIONS).
    public var options: Verb { Verb(session: self, method: .options) }

    /// A method of a session, which sends a request when called: `api.post("users", parameters: ["name": name])`.
    ///
    /// All verbs take the same arguments in the same order:
    ///
    /// - the URL, relative to the session's base URL or absolute;
    /// - `parameters:`, encoded by the request serializer into the query or the body, by method; or `encoding:`, an `Encodable`
    ///   value that encodes to parameters;
    /// - `query:`, which always goes into the query;
    /// - `body:`; parameters then go into the query;
    /// - `headers:`, which replace the session's;
    /// - a closure that changes the settings of this request: `{ $0.timeout = .seconds(5) }`.
    ///
    /// Parameters and header fields are literals, which keep their order, or dictionary variables, whose keys are sent in ascending
    /// order.
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
                    method, reference, parameters: parameters, query: query, body: body, headers: headers, configure))
        }

        /// Sends a request; an overload for dictionary variables.
        @discardableResult
        @_disfavoredOverload
        public func callAsFunction<P: ParameterList, Q: ParameterList, H: HeaderList>(
            _ reference: some URLConvertible, parameters: P? = Parameters?.none, query: Q? = Parameters?.none,
            body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(
                    method, reference, parameters: parameters, query: query, body: body, headers: headers, configure))
        }

        /// Sends a request with parameters encoded from a value.
        ///
        /// The value encodes to a dictionary, by the rules of ``SternaCore/Parameters/init(encoding:keepingNils:)``. The
        /// serializer's ``SternaSerialization/QueryEncoder/keepsNilMembers`` decides whether nil members are sent. To send JSON as
        /// JSONEncoder writes it, including top-level arrays, use ``SternaCore/Body/json(_:encoder:)``.
        ///
        /// Throws `encodingFailed` for a value that does not encode to a dictionary.
        @discardableResult
        public func callAsFunction(
            _ reference: some URLConvertible, encoding value: some Encodable, query: Parameters? = nil,
            body: Body? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                session.encoding(
                    value,
                    in: RequestDraft(method, reference, query: query, body: body, headers: headers, configure)))
        }

        /// Sends a request with parameters encoded from a value; an overload for dictionary variables.
        @discardableResult
        @_disfavoredOverload
        public func callAsFunction<Q: ParameterList, H: HeaderList>(
            _ reference: some URLConvertible, encoding value: some Encodable, query: Q? = Parameters?.none,
            body: Body? = nil, headers: H = Headers(), _ configure: (inout RequestSettings) -> Void = { _ in },
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                session.encoding(
                    value,
                    in: RequestDraft(
                        method, reference, query: query?.asParameters, body: body, headers: headers.asHeaders,
                        configure)))
        }
    }

    /// Returns a draft whose parameters are encoded from a value for the session's serializer, or the draft's own.
    func encoding(_ value: some Encodable, in draft: RequestDraft) throws(SternaError) -> RequestDraft {
        var draft = draft
        draft.parameters = try plan.parameters(encoding: value, draft.settings)
        return draft
    }
}
