public import HTTPTypes

/// An interim response, which a server sends before its final one (RFC 9110, 15.2).
public struct InformationalResponse: Sendable {
    /// 100 to 199, never 101.
    public let status: Int

    /// The header fields, such as the Link fields of 103 (RFC 8297).
    public let headers: HTTPFields

    public init(status: Int, headers: HTTPFields) {
        self.status = status
        self.headers = headers
    }
}

/// The option key of a request's handler for interim responses.
package enum InformationalResponseKey: RequestOptionKey {
    package static var defaultValue: (@Sendable (InformationalResponse) -> Void)? { nil }
}

/// The option key of a request whose content the server confirms as it arrives (draft-ietf-httpbis-resumable-upload, 5).
///
/// A 104 whose only Upload-Offset is larger than all before it does not count against the limit on interim responses. That holds for
/// 100,000 of them; later ones count, as every other interim response does.
package enum ConfirmedProgressKey: RequestOptionKey {
    package static var defaultValue: Bool { false }
}
