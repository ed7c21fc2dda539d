/// The response to a request in any version of HTTP, or the work that makes it.
enum RoutedResponse: Sendable {
    case ready(ServerResponse)
    /// A separate task computes the response.
    case pending(@Sendable () async -> ServerResponse)
}

extension ServerCore {
    /// Finds the request's route and calls its handler; without a route the response is 404 or 405.
    func respond(to request: ServerRequest) -> RoutedResponse {
        switch route(method: request.method, path: request.path) {
        case .found(let handler, let parameters):
            var request = request
            request.parameters = parameters
            return Self.respond(to: request, by: handler)
        case .wrongMethod(let allowed):
            let names = Array(Set(allowed)).sorted().joined(separator: ", ")
            if request.method == "OPTIONS" { return .ready(ServerResponse(headers: ["Allow": names])) }
            let text = "\(request.method) is not allowed on \(request.path)"
            return .ready(.message(text, status: 405, headers: ["Allow": names]))
        case .unknown:
            return .ready(.message("no route for \(request.method) \(request.path)", status: 404))
        }
    }

    private static func respond(to request: ServerRequest, by handler: ServerRouteHandler) -> RoutedResponse {
        switch handler {
        case .immediate(let respond):
            do { return .ready(try respond(request)) } catch { return .ready(response(to: error)) }
        case .suspending(let respond):
            return .pending {
                do { return try await respond(request) } catch { return response(to: error) }
            }
        }
    }

    private static func response(to error: any Error) -> ServerResponse {
        if let reset = error as? ServerStreamReset { return ServerResponse(reset: reset) }
        guard let known = error as? ServerRouteError, (400...599).contains(known.status) else {
            return .message("handler failed: \(error)", status: 500, headers: ["Connection": "close"])
        }
        return .message(known.message, status: known.status)
    }
}
