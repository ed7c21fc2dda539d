import NIOCore
public import SternaCore

extension SternaError {
    /// The answer's body as a JSON tree, whatever its media type is; nil where it is none.
    public var json: JSON? {
        guard let body, body.readableBytes > 0 else { return nil }
        return try? JSON(parsing: body.readableBytesView)
    }

    /// The answer's body as a `Decodable` value from JSON, such as an API's own error; nil where it does not fit.
    public func decode<T: Decodable>(_ type: T.Type = T.self, _ decoding: DecodingSettings = DecodingSettings()) -> T? {
        guard let body, body.readableBytes > 0 else { return nil }
        return try? JSONDecoding.decode(type, from: body, decoding.rules, limits: .response)
    }
}
