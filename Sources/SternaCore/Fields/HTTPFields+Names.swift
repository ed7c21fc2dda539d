public import HTTPTypes

// Disfavored, so that an expression such as `.init("X-A")` is still a field name.
extension HTTPFields {
    /// The value of a field by its name in any case, as in `reply.headers["X-Rate-Limit"]`.
    ///
    /// Several lines of the name are joined by a comma and a space (RFC 9110, 5.3). Nil without such a field, and for a text that
    /// is not a field name.
    @_disfavoredOverload
    public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    /// The values of a field's lines, one by one, by its name in any case; empty without such a field.
    @_disfavoredOverload
    public subscript(values name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}

extension FieldSection {
    /// The value of a field by its name in any case; nil without such a field.
    @_disfavoredOverload
    public subscript(name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    /// The values of a field's lines, one by one, by its name in any case; empty without such a field.
    @_disfavoredOverload
    public subscript(values name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}

extension Response {
    /// The value of a header field by its name in any case; nil without such a field.
    @_disfavoredOverload
    public subscript(name: String) -> String? { section[name] }
}
