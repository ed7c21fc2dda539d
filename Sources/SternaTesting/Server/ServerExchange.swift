import NIOCore
import NIOHTTP1

/// One request and its response on a connection. Lives on the connection's event loop.
final class ServerExchange {
    let identifier: Int
    let head: HTTPRequestHead
    let request: ServerRequest
    let record: Int
    let pipe: ServerBodyPipe?
    let declaredLength: Int?
    var expectsContinue: Bool
    var keepAlive: Bool
    var requestEnded = false
    var responseStarted = false
    var responseEnded = false
    var wantsBody = true
    /// Whether the handler is done with the body, so that the rest of it is dropped.
    var discarding = false
    var received = 0
    /// What is recorded of the body.
    var recorded: [UInt8] = []
    var discarded = 0
    var task: Task<Void, Never>?

    init(
        identifier: Int, head: HTTPRequestHead, request: ServerRequest, record: Int, pipe: ServerBodyPipe?,
        declaredLength: Int?
    ) {
        self.identifier = identifier
        self.head = head
        self.request = request
        self.record = record
        self.pipe = pipe
        self.declaredLength = declaredLength
        self.expectsContinue =
            pipe != nil && request.headers.hasToken("100-continue", in: "Expect") && head.version == .http1_1
        // After CONNECT or an upgrade offer NIO's decoder stops, so the connection cannot be read any further.
        self.keepAlive = head.isKeepAlive && head.method != .CONNECT && !request.headers.contains("Upgrade")
    }

    var isHTTP10: Bool { head.version.major == 1 && head.version.minor == 0 }
}
