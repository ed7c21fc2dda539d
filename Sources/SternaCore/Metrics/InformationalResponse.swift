public import HTTPTypes

/// An interim response, which a server sends before its final one (RFC 9110, 15.2).
public struct InformationalResponse: Sendable {
    /// 100 to 199, never 101.
    public let status: Int

    /// The header fields, such as the Link fields of 103 (RFC 8297).
    public let headers: HTTPFields

    /// Makes a response, for a transport of a program's own that calls ``Request/onInformational``.
    public init(status: Int, headers: HTTPFields) {
        self.status = status
        self.headers = headers
    }
}

/// The option key of a request's handler for interim responses.
package enum InformationalResponseKey: RequestOptionKey {
    package static var defaultValue: (@Sendable (InformationalResponse) -> Void)? { nil }
}

/// The option key of a request whose server confirms received content during the upload (draft-ietf-httpbis-resumable-upload, 5).
///
/// The first 100,000 responses with status 104 do not count toward the limit of interim responses, if each has a single
/// Upload-Offset that is larger than all before. Later ones count like other interim responses.
package enum ConfirmedProgressKey: RequestOptionKey {
    package static var defaultValue: Bool { false }
}
