/// An error that a handler or a body's writer throws to end the request's stream with `RST_STREAM` (RFC 9113 §6.4) after the
/// bytes written so far; over HTTP/1 it closes the connection.
public struct ServerStreamReset: Error, Sendable, Hashable {
    /// The error code (RFC 9113 §7).
    public var code: UInt32

    /// Makes a reset of that code, registered or not.
    public init(code: UInt32) {
        self.code = code
    }

    /// `NO_ERROR`: the server does not need the rest of the request.
    public static let noError = ServerStreamReset(code: 0x0)
    /// `PROTOCOL_ERROR`.
    public static let protocolError = ServerStreamReset(code: 0x1)
    /// `INTERNAL_ERROR`.
    public static let internalError = ServerStreamReset(code: 0x2)
    /// `REFUSED_STREAM`: the server has not processed the request, so it can be sent again (RFC 9113 §8.7).
    public static let refusedStream = ServerStreamReset(code: 0x7)
    /// `CANCEL`.
    public static let cancel = ServerStreamReset(code: 0x8)
    /// `ENHANCE_YOUR_CALM`.
    public static let enhanceYourCalm = ServerStreamReset(code: 0xB)
    /// `HTTP_1_1_REQUIRED`.
    public static let http11Required = ServerStreamReset(code: 0xD)
}
