/// Parameters in a form that verbs accept: ``Parameters``, or a dictionary whose values are of one type.
///
/// ``Parameters/init(_:)`` converts a dictionary of mixed values. ``Parameters/init(untyped:)`` converts one of `Any`, and throws
/// an error that names an unsupported value.
public protocol ParameterList {
    /// The parameters; the keys of a dictionary in ascending order.
    var asParameters: Parameters { get }
}

extension Parameters: ParameterList {
    public var asParameters: Parameters { self }
}

extension Dictionary: ParameterList where Key == String, Value: ParameterConvertible {
    public var asParameters: Parameters {
        Parameters(pairs: sorted { $0.key < $1.key }.lazy.map { ($0.key, $0.value.parameterValue) })
    }
}

/// Header fields in a form that verbs accept: ``Headers``, or a dictionary of names and values.
public protocol HeaderList {
    /// The header fields; the names of a dictionary in ascending order.
    var asHeaders: Headers { get }
}

extension Headers: HeaderList {
    public var asHeaders: Headers { self }

    /// Takes a dictionary of names and values, in ascending order of the names.
    public init(_ dictionary: [String: String]) {
        lines = dictionary.sorted { $0.key < $1.key }.map { Line(name: $0.key, value: $0.value) }
    }
}

extension Dictionary: HeaderList where Key == String, Value == String {
    public var asHeaders: Headers { Headers(self) }
}
