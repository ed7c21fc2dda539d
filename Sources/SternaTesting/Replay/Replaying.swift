import HTTPTypes
import NIOCore
import SternaCore
public import SternaRecorder

/// The longest body of a request that is compared with recorded ones.
private let longestBody = 32 << 20

extension MockTransport {
    /// Answers with the responses of a HAR document.
    ///
    ///     let har = try HARDocument(file: "session.har")
    ///     let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = MockTransport(replaying: har) }
    ///
    /// An entry answers a request of the same method, URL and body; a WebSocket's entry answers only a WebSocket. Bodies are equal by their bytes, or by their values if both are
    /// JSON or URL-encoded forms; a boundary of multipart does not count. A request that no entry matches exactly is compared again
    /// with secrets hidden on both sides, so that documents without secrets can be replayed.
    ///
    /// Entries of the same request answer in their order, and the last of them repeats. A request that no entry matches receives
    /// 404 and a text that names the nearest entry and its differences. A recorded failure throws `connectionClosed`; a response
    /// that was recorded without its content becomes 502.
    public convenience init(replaying har: HARDocument) {
        let replay = HARReplay(har, comparesHosts: true)
        self.init { request in
            var bytes: [UInt8] = []
            if let body = request.body {
                var reader = BodyReader(body)
                while let piece = try await reader.next() {
                    guard piece.count <= longestBody - bytes.count else {
                        throw SternaError(
                            .limitExceeded, phase: .write, "The body is longer than \(longestBody) bytes.")
                    }
                    bytes += piece.array
                }
            }
            let question = HARReplay.Question(
                method: request.method.rawValue, url: request.url, body: bytes,
                mediaType: request.headers[.contentType] ?? request.body?.mediaType,
                isWebSocket: ServerHeaders(request.headers).hasToken("websocket", in: "Upgrade"))
            switch replay.answer(question) {
            case .none(let text): return .message(text, status: 404)
            case .entry(let entry):
                let replayed = ReplayedResponse(recorded: entry)
                guard !replayed.isFailure else {
                    throw SternaError(.connectionClosed, phase: .wait, "Entry \(entry.number) of the recording failed.")
                }
                return replayed.response(to: question.method, recordedOrigins: [])
            }
        }
    }
}

extension TestServer {
    /// Answers all requests with the responses of a HAR document, in place of the built-in routes and of those added before.
    ///
    /// Entries match as by ``MockTransport/init(replaying:)``, without regard to scheme and host, which only decide between entries
    /// of several hosts. Redirects to an origin of the document lead to this server. A recorded failure closes the connection.
    public func replay(_ har: HARDocument) {
        let replay = HARReplay(har, comparesHosts: false)
        let origins = replay.origins
        route(nil, "/*") { request in
            guard let url = try? HTTPURL(request.url) else {
                throw ServerRouteError(status: 400, message: "invalid target")
            }
            let question = HARReplay.Question(
                method: request.method, url: url, body: try await request.body.collect(upTo: longestBody),
                mediaType: request.headers["Content-Type"],
                isWebSocket: request.headers.hasToken("websocket", in: "Upgrade"))
            switch replay.answer(question) {
            case .none(let text): return .message(text, status: 404)
            case .entry(let entry):
                let replayed = ReplayedResponse(recorded: entry)
                return replayed.isFailure
                    ? ServerResponse(body: .raw { _ in })
                    : replayed.response(to: question.method, recordedOrigins: origins)
            }
        }
    }
}
