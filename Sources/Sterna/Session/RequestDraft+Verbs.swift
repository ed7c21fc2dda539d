import HTTPTypes
public import SternaCore

/// Drafts by method: `.get("users")`, `.post("users", parameters: ["name": name])`.
extension RequestDraft {
    /// A GET request.
    public static var get: Verb { Verb(method: .get) }

    /// A HEAD request.
    public static var head: Verb { Verb(method: .head) }

    /// A POST request.
    public static var post: Verb { Verb(method: .post) }

    /// A PUT request.
    public static var put: Verb { Verb(method: .put) }

    /// A PATCH request.
    public static var patch: Verb { Verb(method: .patch) }

    /// A DELETE request.
    public static var delete: Verb { Verb(method: .delete) }

    /// An OPTIONS request.
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
