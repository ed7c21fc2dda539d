import SternaCore

/// Converts text to the bytes of a character set other than UTF-8.
struct CharacterConversion {
    let encoding: TextEncoding
    let unencodable: QueryEncoder.UnencodableStyle

    /// Returns the bytes; throws for a character that the set lacks.
    func bytes(_ text: String) throws(ParameterError) -> [UInt8] {
        if let bytes = encoding.encode(text) { return bytes }
        if unencodable == .characterReference,
            let bytes = encoding.encode(text, replacing: { "&#\($0.value);" })
        {
            return bytes
        }
        throw ParameterError(.notEncodable("a character is not in the character set \(encoding)"))
    }
}

extension TextEncoding {
    /// The character set for queries: UTF-8 for all Unicode forms (Encoding Standard, 4.3, "get an output encoding").
    var ofQueries: TextEncoding {
        switch kind {
        case .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian: .utf8
        default: self
        }
    }
}
