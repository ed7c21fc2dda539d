extension Parameters {
    /// Makes parameters of an `Encodable` value that encodes as a dictionary; keys keep the order of encoding.
    ///
    /// Dates, data, URLs, UUIDs, sets and other ``ParameterConvertible`` values are converted by that conformance. Otherwise the
    /// result matches JSONEncoder's: a key that is written twice keeps the last value, repeated requests for a nested container
    /// return the same one, and a super encoder writes under `super`.
    ///
    /// - Parameter keepingNils: whether optional members that are nil become null; by default they are left out, as synthesized
    ///   conformances leave them out.
    /// - Throws: ``ParameterError`` with the key path, if the value is not a dictionary at the top, has containers nested deeper
    ///   than ``maximumDepth``, or throws itself.
    public init(encoding value: some Encodable, keepingNils: Bool = false) throws(ParameterError) {
        if let parameters = value as? Parameters {
            self = parameters
            return
        }
        let encoded = try ParameterEncoding(keepsNils: keepingNils).encode(value, depth: 0, codingPath: [])
        guard case .dictionary(let parameters) = encoded else {
            throw ParameterError(.notEncodable("a value of type \(type(of: value)) has no names for its parts"))
        }
        self = parameters
    }
}

extension ParameterValue {
    /// Makes a value of an `Encodable` one, by the rules of ``Parameters/init(encoding:keepingNils:)``.
    ///
    /// - Throws: ``ParameterError`` as that initializer does.
    public init(encoding value: some Encodable, keepingNils: Bool = false) throws(ParameterError) {
        self = try ParameterEncoding(keepsNils: keepingNils).encode(value, depth: 0, codingPath: [])
    }
}
