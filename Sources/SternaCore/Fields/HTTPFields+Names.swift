public import HTTPTypes

// Disfavored, so that an expression such as `.init("X-A")` is still a field name.
extension HTTPFields {
    /// The value of a field by its name in any case, as in `reply.headers["X-Rate-Limit"]`.
    ///
    /// Several lines of the name are joined by a comma and a space (RFC 9110, 5.3). Nil without such a field, and for a text that
    /// is not a field name.
    ///
    /// Setting replaces all lines of the name; nil removes them. A request with an invalid name, or a value with a control
    /// character other than a tab (RFC 9110, 5.5), fails with `invalidHeader`, and nothing of it is sent.
    @_disfavoredOverload
    public subscript(name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { self[values: name] = newValue.map { [$0] } ?? [] }
    }

    /// The values of a field's lines, one by one, by its name in any case; empty without such a field.
    ///
    /// Setting replaces all lines of the name; invalid names and values fail the request as those of the other subscript do.
    @_disfavoredOverload
    public subscript(values name: String) -> [String] {
        get { HTTPField.Name(name).map { self[values: $0] } ?? [] }
        set {
            RefusedField.remove(name, from: &self)
            guard FieldSyntax.isToken(name), let fieldName = HTTPField.Name(name) else {
                if !newValue.isEmpty { RefusedField.append(name, isToken: false, to: &self) }
                return
            }
            let isValid = newValue.allSatisfy { FieldSyntax.isValue($0) }
            self[fields: fieldName] = isValid ? newValue.map { HTTPField(name: fieldName, value: $0) } : []
            if !isValid { RefusedField.append(name, isToken: true, to: &self) }
        }
    }
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
