extension Parameters {
    /// Makes parameters of an `Encodable` value that comes to a dictionary, its keys in the order in which it encodes them.
    ///
    /// Dates, data, URLs, UUIDs, sets and whatever else is ``ParameterConvertible`` become what that conformance says;
    /// optional members that are nil are left out, as synthesized conformances leave them out.
    ///
    /// - Throws: ``ParameterError`` with the key path, when the value is no dictionary at the top, has containers nested
    ///   deeper than ``maximumDepth``, or throws itself.
    public init(encoding value: some Encodable) throws(ParameterError) {
        if let parameters = value as? Parameters {
            self = parameters
            return
        }
        let encoded = try ParameterEncoding.encode(value, depth: 0, codingPath: [])
        guard case .dictionary(let parameters) = encoded else {
            throw ParameterError(.notEncodable("a value of type \(type(of: value)) has no names for its parts"))
        }
        self = parameters
    }
}

extension ParameterValue {
    /// Makes a value of an `Encodable` one, by the rules of ``Parameters/init(encoding:)``.
    ///
    /// - Throws: ``ParameterError`` as that does.
    public init(encoding value: some Encodable) throws(ParameterError) {
        self = try ParameterEncoding.encode(value, depth: 0, codingPath: [])
    }
}
