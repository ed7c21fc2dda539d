public import SternaCore
public import SternaPlatform

extension Body {
    /// Makes a body of a JSON value as `application/json`; throws `encodingFailed` for a number that JSON cannot represent.
    public static func json(_ value: JSON, options: JSON.WritingOptions = []) throws(SternaError) -> Body {
        .bytes(try encodingErrors { try value.serialized(options) }, mediaType: "application/json")
    }

    /// Makes a body of an `Encodable` value as `application/json`; throws `encodingFailed` with the encoder's reason.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws(SternaError) -> Body {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw SternaError(
                .encodingFailed, phase: .prepare, "The body cannot be encoded: \(CodingReason.text(error))",
                underlying: error)
        }
        return .bytes(data, mediaType: "application/json")
    }

    /// Makes a body of parameters as `application/x-www-form-urlencoded`; throws `encodingFailed` for nesting deeper than
    /// ``SternaCore/Parameters/maximumDepth``, and for a value that the encoder cannot write.
    public static func form(_ parameters: Parameters, encoder: QueryEncoder = QueryEncoder()) throws(SternaError)
        -> Body
    {
        .bytes(
            try encodingErrors { try encoder.encodedBytes(parameters) }, mediaType: "application/x-www-form-urlencoded")
    }

    /// Makes a body of an `Encodable` value as `application/x-www-form-urlencoded`, by the rules of ``SternaCore/Parameters``.
    /// Throws `encodingFailed` for a value that does not encode as a keyed container.
    public static func form(
        encoding value: some Encodable, encoder: QueryEncoder = QueryEncoder()
    ) throws(SternaError) -> Body {
        let parameters: Parameters
        do {
            parameters = try Parameters(encoding: value, keepingNils: encoder.keepsNilMembers)
        } catch {
            throw SternaError(
                .encodingFailed, phase: .prepare, "The body cannot be encoded: \(CodingReason.text(error))",
                underlying: error)
        }
        return try form(parameters, encoder: encoder)
    }

    /// Makes a body of Foundation's `Data`, as `application/octet-stream` unless another type is given.
    public static func data(_ data: Data, mediaType: String = "application/octet-stream") -> Body {
        .bytes(data, mediaType: mediaType)
    }
}
