import Sterna
import Synchronization

/// Shows the heads of a handshake's requests and responses on standard error.
///
/// A request is shown with its response, or when the next request follows: only then is it known whether the server has chosen HTTP/2,
/// over which the handshake is another request.
final class HandshakeHeads: Sendable {
    private let text: HeadText
    private let http2: HTTP2Mode
    private let request = Mutex<Request?>(nil)

    init(_ text: HeadText, _ http2: HTTP2Mode) { (self.text, self.http2) = (text, http2) }

    /// Keeps a request that is sent, and shows the one before it, if that had no response.
    func sent(_ request: Request) {
        show(nil)
        self.request.withLock { $0 = request }
    }

    /// Shows the last request, and its response; has no effect a second time.
    func show(_ response: Response?) {
        guard let request = request.withLock({ $0.take() }) else { return }
        let version = response?.version ?? Exchange.version(of: request, http2)
        Descriptor.standardError.print(text.request(request, version: version))
        if let response { Descriptor.standardError.print(text.response(response)) }
    }
}
