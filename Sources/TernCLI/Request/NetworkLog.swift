import Sterna
import Synchronization

/// Sees each request as it goes to the network, and its answer's head: takes out header fields that were not wanted,
/// and tells what is sent.
final class NetworkLog: Interceptor {
    private let removedHeaders: Set<String>
    private let showsRequest: @Sendable (Request) throws -> Void
    private let showsRedirect: @Sendable (Response) throws -> Void
    private let last = Mutex<Response?>(nil)

    /// - Parameters:
    ///   - removedHeaders: names in lower case.
    ///   - request: told of each request.
    ///   - redirect: told of each answer that another request followed.
    init(
        removedHeaders: Set<String>, request: @escaping @Sendable (Request) throws -> Void,
        redirect: @escaping @Sendable (Response) throws -> Void
    ) {
        self.removedHeaders = removedHeaders
        showsRequest = request
        showsRedirect = redirect
    }

    /// The head of the last answer as it came, before its content was decoded.
    var lastHead: Response? { last.withLock { $0 } }

    func intercept(_ request: Request, next: Next) async throws -> Response {
        var request = request
        if !removedHeaders.isEmpty {
            for field in request.headers where removedHeaders.contains(field.name.canonicalName) {
                request.headers[field.name] = nil
            }
        }
        if let redirect = last.withLock({ $0.take() }) { try showsRedirect(redirect) }
        try showsRequest(request)
        let response = try await next(request)
        var head = response
        head.body = ResponseBody()
        last.withLock { $0 = head }
        return response
    }
}
