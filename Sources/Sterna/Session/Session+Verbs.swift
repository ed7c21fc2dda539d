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

    /// Asks what a resource allows (OPTIONS).
    public var options: Verb { Verb(session: self, method: .options) }

    /// A method of a session, which sends a request when it is called: `api.post("users", parameters: ["name": name])`.
    ///
    /// All verbs take the same arguments in the same order:
    ///
    /// - where the request goes, relative to the session's base URL or absolute;
    /// - `parameters:`, which the request serializer puts into the query or the body, by method; or `encoding:`, an `Encodable` value
    ///   that comes to them;
    /// - `query:`, which always goes into the query;
    /// - `body:`; parameters then go into the query;
    /// - `headers:`, which replace the session's;
    /// - a closure that changes what differs from the session for this request: `{ $0.timeout = .seconds(5) }`.
    ///
    /// Parameters and header fields are written as literals, which keep their order, or are dictionaries in variables, whose keys are
    /// sent in ascending order.
    public struct Verb: Sendable {
        let session: Session
        let method: Request.Method

        /// Sends a request and collects the answer.
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
        public func callAsFunction(
            _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil,
            body: Body? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> Reply {
            try await session.send(
                RequestDraft(
                    method, reference, parameters: parameters, query: query, body: body, headers: headers, configure))
        }

        /// Sends a request of dictionaries in variables.
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

        /// Sends a request with parameters that a value makes.
        ///
        /// The value comes to a dictionary, by the rules of ``SternaCore/Parameters/init(encoding:keepingNils:)``; the serializer's
        /// ``SternaSerialization/QueryEncoder/keepsNilMembers`` says what becomes of members that are nil. For JSON as JSONEncoder
        /// writes it, arrays at the top among it, there is ``SternaCore/Body/json(_:encoder:)``.
        ///
        /// Throws `encodingFailed` for a value that comes to no dictionary.
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

        /// Sends a request with parameters that a value makes, and dictionaries in variables.
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

    /// Returns a draft with the parameters that a value makes for the session's serializer, or the draft's own.
    func encoding(_ value: some Encodable, in draft: RequestDraft) throws(SternaError) -> RequestDraft {
        var draft = draft
        draft.parameters = try plan.parameters(encoding: value, draft.settings)
        return draft
    }
}
