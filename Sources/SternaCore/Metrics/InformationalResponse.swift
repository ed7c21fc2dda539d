public import HTTPTypes

/// An interim response: the server says something before it answers (RFC 9110, 15.2).
public struct InformationalResponse: Sendable {
    /// 100 to 199, never 101.
    public let status: Int

    /// Its header fields, such as the Link fields of 103 (RFC 8297).
    public let headers: HTTPFields

    public init(status: Int, headers: HTTPFields) {
        self.status = status
        self.headers = headers
    }
}

/// Where a request keeps what is called with interim responses.
package enum InformationalResponseKey: RequestOptionKey {
    package static var defaultValue: (@Sendable (InformationalResponse) -> Void)? { nil }
}
