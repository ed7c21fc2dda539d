import Sterna
import Synchronization

/// Observes each request on its way to the network, and the head of its response. Removes unwanted header fields, and
/// reports what is sent.
final class NetworkLog: Interceptor {
    private let removedHeaders: Set<String>
    private let showsRequest: @Sendable (Request) throws -> Void
    private let showsRedirect: @Sendable (Response) throws -> Void
    private let dump: HeadDump?
    private let last = Mutex<Response?>(nil)
    private let answered = Atomic(false)
    private let withholdsBody: Bool
    private let record: TransferRecord?

    /// - Parameters:
    ///   - removedHeaders: names in lower case.
    ///   - record: receives the facts of requests and responses.
    ///   - request: called with each request.
    ///   - redirect: called with each response that another request followed.
    ///   - dump: gets the head of each response.
    ///   - withholdsBody: whether a request without credentials is sent with an empty body, since the server will ask for them.
    init(
        removedHeaders: Set<String>, record: TransferRecord? = nil, dump: HeadDump? = nil, withholdsBody: Bool = false,
        request: @escaping @Sendable (Request) throws -> Void,
        redirect: @escaping @Sendable (Response) throws -> Void
    ) {
        self.removedHeaders = removedHeaders
        self.record = record
        showsRequest = request
        showsRedirect = redirect
        self.dump = dump
        self.withholdsBody = withholdsBody
    }

    /// The head of the last response as received, before its content was decoded.
    var lastHead: Response? { last.withLock { $0 } }

    /// Forgets the last head, which was shown: the next request does not follow a redirect.
    func forgetHead() { last.withLock { $0 = nil } }

    /// Whether a server has answered.
    var hasAnswer: Bool { answered.load(ordering: .relaxed) }

    func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        if !removedHeaders.isEmpty {
            for field in request.headers where removedHeaders.contains(field.name.canonicalName) {
                request.headers[field.name] = nil
            }
        }
        if withholdsBody, let body = request.body, body.length != 0, !request.headers.contains(.authorization) {
            var question = request
            question.body = .bytes([], mediaType: body.mediaType)
            let response = try await exchange(question, next)
            guard response.status.kind == .successful else { return response }
            // The server has accepted the empty body, which was not meant.
        }
        return try await exchange(request, next)
    }

    private func exchange(_ request: Request, _ next: Chain) async throws -> Response {
        if let redirect = last.withLock({ $0.take() }) { try showsRedirect(redirect) }
        try showsRequest(request)
        record?.sent(request)
        var response = try await next(request)
        if let record { response = record.received(response) }
        try dump?.write(response)
        var head = response
        head.body = ResponseBody()
        last.withLock { $0 = head }
        answered.store(true, ordering: .relaxed)
        return response
    }
}
