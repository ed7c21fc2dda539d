public import FoundationEssentials
public import SternaCore

extension Body {
    /// A JSON value as `application/json`; throws `encodingFailed` for a number that JSON has no form for.
    public static func json(_ value: JSON, options: JSON.WritingOptions = []) throws(SternaError) -> Body {
        .bytes(try encodingErrors { try value.serialized(options) }, mediaType: "application/json")
    }

    /// An `Encodable` value as `application/json`; throws `encodingFailed` with the encoder's reason.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws(SternaError) -> Body {
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw SternaError(
                .encodingFailed, phase: .prepare, "The body cannot be encoded: \(error)", underlying: error)
        }
        return .bytes(data, mediaType: "application/json")
    }

    /// Parameters as `application/x-www-form-urlencoded`; throws `encodingFailed` for nesting without end.
    public static func form(_ parameters: Parameters, encoder: QueryEncoder = QueryEncoder()) throws(SternaError)
        -> Body
    {
        .bytes(
            try encodingErrors { try encoder.encodedBytes(parameters) }, mediaType: "application/x-www-form-urlencoded")
    }

    /// Bytes of Foundation's type, as `application/octet-stream` unless another type is given.
    public static func data(_ data: Data, mediaType: String = "application/octet-stream") -> Body {
        .bytes(data, mediaType: mediaType)
    }
}
