public import SternaPlatform

/// A type whose values can be used in ``Parameters``.
///
/// An enumeration with a raw value needs only to declare the conformance.
public protocol ParameterConvertible: Sendable {
    /// This value as a parameter.
    var parameterValue: ParameterValue { get }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The raw value as a parameter.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension ParameterConvertible where Self: FixedWidthInteger {
    /// ``ParameterValue/integer(_:)`` if the number fits, or else ``ParameterValue/unsigned(_:)``, or else its digits as text.
    public var parameterValue: ParameterValue {
        if let value = Int64(exactly: self) { return .integer(value) }
        return UInt64(exactly: self).map { .unsigned($0) } ?? .string(description)
    }
}

extension Int: ParameterConvertible {}
extension Int8: ParameterConvertible {}
extension Int16: ParameterConvertible {}
extension Int32: ParameterConvertible {}
extension Int64: ParameterConvertible {}
extension UInt: ParameterConvertible {}
extension UInt8: ParameterConvertible {}
extension UInt16: ParameterConvertible {}
extension UInt32: ParameterConvertible {}
extension UInt64: ParameterConvertible {}

extension Double: ParameterConvertible {
    public var parameterValue: ParameterValue { .double(self) }
}

extension Float: ParameterConvertible {
    /// The double nearest to this number's shortest decimal text, so that `0.1` stays `0.1` when written.
    public var parameterValue: ParameterValue { .double(Double(description) ?? Double(self)) }
}

extension Decimal: ParameterConvertible {
    public var parameterValue: ParameterValue { .decimal(self) }
}

extension Bool: ParameterConvertible {
    public var parameterValue: ParameterValue { .bool(self) }
}

extension String: ParameterConvertible {
    public var parameterValue: ParameterValue { .string(self) }
}

extension Substring: ParameterConvertible {
    public var parameterValue: ParameterValue { .string(String(self)) }
}

extension Character: ParameterConvertible {
    public var parameterValue: ParameterValue { .string(String(self)) }
}

extension Date: ParameterConvertible {
    public var parameterValue: ParameterValue { .date(self) }
}

extension Data: ParameterConvertible {
    public var parameterValue: ParameterValue { .data(self) }
}

extension UUID: ParameterConvertible {
    /// The upper-case hexadecimal text with hyphens.
    public var parameterValue: ParameterValue { .string(uuidString) }
}

extension URL: ParameterConvertible {
    /// The absolute URL string.
    public var parameterValue: ParameterValue { .string(absoluteString) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The wrapped value, or ``ParameterValue/null``.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    public var parameterValue: ParameterValue { .array(map(\.parameterValue)) }
}

extension Set: ParameterConvertible where Element: ParameterConvertible {
    public var parameterValue: ParameterValue {
        .set(map(\.parameterValue).sorted { $0.precedes($1) })
    }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// The pairs with their keys in ascending order, without those whose value is nil.
    public var parameterValue: ParameterValue {
        let sorted = self.sorted { $0.key < $1.key }
        guard Value.self is any AnyOptional.Type else {
            return .dictionary(Parameters(pairs: sorted.lazy.map { ($0.key, $0.value.parameterValue) }))
        }
        return .dictionary(Parameters(given: sorted.lazy.map { ($0.key, $0.value) }))
    }
}

extension Parameters: ParameterConvertible {
    public var parameterValue: ParameterValue { .dictionary(self) }
}

extension ParameterValue: ParameterConvertible {
    public var parameterValue: ParameterValue { self }
}
