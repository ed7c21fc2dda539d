public import SternaCore

extension Session {
    /// Asks the server to switch to another protocol (RFC 9110, 7.8), and returns the bytes of the connection both ways.
    ///
    ///     let stream = try await api.upgrade("containers/1/attach", to: "tcp")
    ///
    /// The request is a GET with the session's cookies, credentials, proxies and trust. Over HTTP/2 it becomes an extended CONNECT
    /// (RFC 8441) if the server allows it. ``SternaCore/Timeouts/total`` ends with the handshake. The connection counts in the
    /// session's limits until the stream ends.
    ///
    /// Throws `unacceptableStatus` if the server does not switch, with the status, the fields, the body and the server's message;
    /// `redirectRefused` if it redirects from https to http; and `invalidHeader` for fields that belong to the handshake.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute; ws counts as http, and wss as https.
    ///   - protocol: the protocol, as in the Upgrade field.
    ///   - headers: header fields, which replace the session's.
    nonisolated(nonsending) public func upgrade(
        _ reference: some URLConvertible, to protocol: String, headers: Headers = [:]
    ) async throws -> UpgradedStream {
        let draft = RequestDraft(.get, reference, headers: headers)
        return UpgradedStream(try await plan.openUpgrade(draft, to: `protocol`), plan)
    }
}
