import Sterna

/// An interceptor made of a closure.
struct Doing: Interceptor {
    private let work: @Sendable (Request, Chain) async throws -> Response

    init(_ work: @escaping @Sendable (Request, Chain) async throws -> Response) { self.work = work }

    func intercept(_ request: Request, next: Chain) async throws -> Response { try await work(request, next) }
}
