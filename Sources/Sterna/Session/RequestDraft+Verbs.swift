import HTTPTypes
public import SternaCore

/// Drafts by method: `.get("users")`, `.post("users", parameters: ["name": name])`.
extension RequestDraft {
    /// Creates drafts of GET requests (RFC 9110, 9.3.1).
    public static var get: Verb { Verb(method: .get) }

    /// Creates drafts of HEAD requests (RFC 9110, 9.3.2).
    public static var head: Verb { Verb(method: .head) }

    /// Creates drafts of POST requests (RFC 9110, 9.3.3).
    public static var post: Verb { Verb(method: .post) }

    /// Creates drafts of PUT requests (RFC 9110, 9.3.4).
    public static var put: Verb { Verb(method: .put) }

    /// Creates drafts of PATCH requests (RFC 5789).
    public static var patch: Verb { Verb(method: .patch) }

    /// Creates drafts of DELETE requests (RFC 9110, 9.3.5).
    public static var delete: Verb { Verb(method: .delete) }

    /// Creates drafts of OPTIONS requests (RFC 9110, 9.3.7).
    public static var options: Verb { Verb(method: .options) }

    /// A method that creates drafts when called; its arguments are those of
    /// ``RequestDraft/init(_:_:parameters:query:body:headers:_:)`` without the method.
    public struct Verb: Sendable {
        let method: Request.Method

        /// Creates a draft.
        public func callAsFunction(
            _ reference: some URLConvertible, parameters: Parameters? = nil, query: Parameters? = nil,
            body: Body? = nil, headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
        ) -> RequestDraft {
            RequestDraft(
                method, reference, parameters: parameters, query: query, body: body, headers: headers, configure)
        }

        /// Creates a draft with a JSON body of named values.
        public func callAsFunction(
            _ reference: some URLConvertible, json: Parameters, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }
        ) -> RequestDraft {
            RequestDraft(method, reference, json: json, query: query, headers: headers, configure)
        }

        /// Creates a draft with a JSON body of a value.
        @_disfavoredOverload
        public func callAsFunction(
            _ reference: some URLConvertible, json: some Encodable, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }
        ) -> RequestDraft {
            RequestDraft(method, reference, json: json, query: query, headers: headers, configure)
        }

        /// Creates a draft with a URL-encoded form of named values.
        public func callAsFunction(
            _ reference: some URLConvertible, form: Parameters, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }
        ) -> RequestDraft {
            RequestDraft(method, reference, form: form, query: query, headers: headers, configure)
        }

        /// Creates a draft with a URL-encoded form of a value.
        @_disfavoredOverload
        public func callAsFunction(
            _ reference: some URLConvertible, form: some Encodable, query: Parameters? = nil, headers: Headers = [:],
            _ configure: (inout RequestSettings) -> Void = { _ in }
        ) -> RequestDraft {
            RequestDraft(method, reference, form: form, query: query, headers: headers, configure)
        }
    }
}
