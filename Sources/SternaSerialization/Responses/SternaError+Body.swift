import NIOCore
public import SternaCore

extension SternaError {
    /// The response body as a JSON tree, whatever its media type; nil if it is not JSON.
    public var json: JSON? {
        guard let body, body.readableBytes > 0 else { return nil }
        return try? JSON(parsing: body.readableBytesView)
    }

    /// Decodes the response body from JSON, such as an API's own error type; returns nil if it does not fit.
    public func decode<T: Decodable>(_ type: T.Type = T.self, _ decoding: DecodingSettings = DecodingSettings()) -> T? {
        guard let body, body.readableBytes > 0 else { return nil }
        return try? JSONDecoding.decode(type, from: body, decoding.rules, limits: .response)
    }
}
