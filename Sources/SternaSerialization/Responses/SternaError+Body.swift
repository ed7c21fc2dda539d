import NIOCore
public import SternaCore

extension SternaError {
    /// The response body as a JSON tree, whatever its media type; nil if it is not JSON.
    public var json: JSON? {
        guard let body, body.readableBytes > 0 else { return nil }
        return try? JSON(parsing: body.readableBytesView)
    }

    /// The fields of the request that the response refuses, each with its reasons, as in responses with status 422; empty if the
    /// body names none.
    ///
    ///     if let reason = error.invalidFields["email"]?.first { emailLabel.text = reason }
    ///
    /// They are read from the lists of problem details (RFC 9457, 3), JSON:API and most APIs, and from dictionaries of fields.
    /// Reasons that concern the whole request are only in ``SternaCore/SternaError/message``. Bodies of more than 64 KiB are not
    /// read; at most 100 fields are kept, with ten reasons each; in the reasons for passwords and other secrets quotations become
    /// `***`.
    public var invalidFields: [String: [String]] { body.map { ServerMessage.fields(in: $0) } ?? [:] }

    /// Decodes the response body from JSON, such as an API's own error type; returns nil if it does not fit.
    ///
    /// - Parameter decoding: how values are read; by default by the session's `decoding`.
    public func decode<T: Decodable>(_ type: T.Type = T.self, _ decoding: DecodingSettings? = nil) -> T? {
        guard let body, body.readableBytes > 0 else { return nil }
        let decoding = decoding ?? response?.decoding ?? DecodingSettings()
        return try? JSONDecoding.decode(type, from: body, decoding.rules, limits: .response)
    }
}
