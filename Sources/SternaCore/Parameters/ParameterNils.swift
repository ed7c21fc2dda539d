// Nil values are left out of literals and of dictionaries in them, but become null in `Encodable` values, as in JSONEncoder.

/// An optional of any type.
protocol AnyOptional {
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
    var wrappedValue: Any? { self }
}

/// Returns whether a value is nil, at any level of optionals. An explicit null is not an optional.
func isNil(_ value: Any) -> Bool {
    var value = value
    while let optional = value as? any AnyOptional {
        guard let wrapped = optional.wrappedValue else { return true }
        value = wrapped
    }
    return false
}

/// A type whose values may contain nil.
protocol NilKeepingConvertible {
    /// This value as a parameter, with null for nil also in dictionaries.
    var valueKeepingNils: ParameterValue { get }
}

extension ParameterConvertible {
    /// This value as a parameter, with null for nil also in dictionaries, as in JSONEncoder.
    var keepingNils: ParameterValue { (self as? any NilKeepingConvertible)?.valueKeepingNils ?? parameterValue }
}

extension Optional: NilKeepingConvertible where Wrapped: ParameterConvertible {
    var valueKeepingNils: ParameterValue { self?.keepingNils ?? .null }
}

extension Array: NilKeepingConvertible where Element: ParameterConvertible {
    var valueKeepingNils: ParameterValue {
        // A cast for each element would cost more than the conversion.
        guard Element.self is any NilKeepingConvertible.Type else { return parameterValue }
        return .array(map(\.keepingNils))
    }
}

extension Set: NilKeepingConvertible where Element: ParameterConvertible {
    var valueKeepingNils: ParameterValue {
        guard Element.self is any NilKeepingConvertible.Type else { return parameterValue }
        return .set(map(\.keepingNils).sorted { $0.precedes($1) })
    }
}

extension Dictionary: NilKeepingConvertible where Key == String, Value: ParameterConvertible {
    var valueKeepingNils: ParameterValue {
        guard Value.self is any NilKeepingConvertible.Type else { return parameterValue }
        let sorted = self.sorted { $0.key < $1.key }
        return .dictionary(Parameters(pairs: sorted.lazy.map { ($0.key, $0.value.keepingNils) }))
    }
}
