import HTTPTypes
public import SternaCore
import Synchronization

/// A transport that answers without a network, and records its requests.
///
///     let mock = MockTransport { request in .json(["path": .string(request.url.path)]) }
///     let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }
///
/// Its closure returns the same ``ServerResponse`` values as the routes of a ``TestServer``. A WebSocket is a connection in memory:
///
///     let mock = MockTransport { _ in .webSocket { socket in try await socket.send("hello") } }
///
/// Raw bytes and invalid fields, which only a server can send, fail with `malformedResponse`. A request whose fields the engine would refuse fails with
/// `invalidHeader`.
public final class MockTransport: Transport {
    private let answer: @Sendable (Request) async throws -> ServerResponse
    private let seen = Mutex<[Request]>([])

    /// Answers each request with a closure, which may throw as a transport would.
    public init(_ answer: @escaping @Sendable (Request) async throws -> ServerResponse) {
        self.answer = answer
    }

    /// Answers from a list in order; throws `connectionClosed` after the last response.
    public convenience init(responses: [ServerResponse]) {
        let queue = ResponseQueue(responses)
        self.init { _ in
            guard let next = queue.next() else {
                throw SternaError(.connectionClosed, phase: .wait, "The mock has no response left.")
            }
            return next
        }
    }

    /// The requests so far, as they reached the transport.
    public var requests: [Request] { seen.withLock { $0 } }

    public func send(_ request: Request) async throws -> Response {
        try request.headers.checkValues()
        seen.withLock { $0.append(request) }
        return try await answer(request).response(to: request)
    }
}

private final class ResponseQueue: Sendable {
    private let rest: Mutex<ArraySlice<ServerResponse>>

    init(_ responses: [ServerResponse]) { rest = Mutex(responses[...]) }

    func next() -> ServerResponse? { rest.withLock { $0.popFirst() } }
}

extension ServerResponse {
    /// Returns the response as a transport does. Throws `malformedResponse` for fields and bytes that only a server can send.
    fileprivate func response(to request: Request) throws(SternaError) -> Response {
        if let upgrade { return try response(to: request, by: upgrade) }
        let section = FieldSection(try Self.checked(headers), reason: reason ?? "")
        return Response(
            status: .init(code: min(max(status, 100), 999)), section: section, body: try responseBody(),
            url: request.url)
    }

    /// Returns the response that switches protocols, with the client's end of a connection in memory, or the refusal.
    private func response(to request: Request, by upgrade: ServerUpgrade) throws(SternaError) -> Response {
        let offer = ServerUpgrade.Offer(
            method: request.method.rawValue, headers: ServerHeaders(request.headers), version: .http11,
            hasBody: request.body != nil, isConnect: false)
        switch upgrade.answer(offer) {
        case .refused(let refusal): return try refusal.response(to: request)
        case .accepted(let headers, let run):
            guard request.delivery == .duplex else {
                throw SternaError(
                    .malformedResponse, phase: .wait,
                    "The mock's response switches protocols, but only the requests of webSocket and upgrade can.")
            }
            let section = FieldSection(try Self.checked(headers), reason: "Switching Protocols")
            var response = Response(status: .switchingProtocols, section: section, url: request.url)
            response.duplex = MockDuplex(clock: request.call?.clock ?? .system, run)
            return response
        }
    }

    private func responseBody() throws(SternaError) -> ResponseBody {
        switch body {
        case .empty: ResponseBody()
        case .bytes(let bytes): ResponseBody(Bytes(copying: bytes))
        case .content(let body): body
        case .stream(let length, let write):
            ResponseBody(
                WrittenBody(length: length, trailers: length == nil ? try Self.checked(trailers) : [:], write))
        case .raw:
            throw SternaError(
                .malformedResponse, phase: .wait,
                "A mock cannot send raw bytes. Answer with a TestServer or a ScriptedServer.")
        }
    }

    private static func checked(_ headers: ServerHeaders) throws(SternaError) -> HTTPFields {
        var fields = HTTPFields()
        for field in headers {
            guard let name = HTTPField.Name(field.name), FieldSyntax.isValue(field.value) else {
                throw SternaError(
                    .malformedResponse, phase: .wait,
                    "The field “\(FieldSyntax.printable(field.name))” of a mock's response is invalid. "
                        + "Answer with a ScriptedServer to send it.")
            }
            fields.append(HTTPField(name: name, value: field.value))
        }
        return fields
    }
}
