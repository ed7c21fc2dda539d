extension Parameters {
    /// Makes parameters of an `Encodable` value that comes to a dictionary, its keys in the order in which it encodes them.
    ///
    /// Dates, data, URLs, UUIDs, sets and whatever else is ``ParameterConvertible`` become what that conformance says.
    /// Otherwise the result is JSONEncoder's: a key that is written twice keeps the last value, a nested container that is
    /// asked for twice is one, and a super encoder writes under `super`.
    ///
    /// - Parameter keepingNils: whether optional members that are nil become null; by default they are left out, as
    ///   synthesized conformances leave them out.
    /// - Throws: ``ParameterError`` with the key path, when the value is no dictionary at the top, has containers nested
    ///   deeper than ``maximumDepth``, or throws itself.
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
    /// - Throws: ``ParameterError`` as that does.
    public init(encoding value: some Encodable, keepingNils: Bool = false) throws(ParameterError) {
        self = try ParameterEncoding(keepsNils: keepingNils).encode(value, depth: 0, codingPath: [])
    }
}
