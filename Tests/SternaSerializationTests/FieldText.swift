import SternaSerialization

extension QueryEncoder.Field {
    /// The field as `name=value`, or its name alone where it has no value.
    var text: String { value.map { "\(name)=\($0)" } ?? name }
}
