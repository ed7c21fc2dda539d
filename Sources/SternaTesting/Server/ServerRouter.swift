/// The handler of a route.
enum ServerRouteHandler: Sendable {
    /// Answers on the event loop without reading the request's body, at little cost.
    case immediate(@Sendable (ServerRequest) throws -> ServerResponse)
    /// Answers in a separate task, which may read the body and wait.
    case suspending(@Sendable (ServerRequest) async throws -> ServerResponse)
}

/// A path pattern, its methods, and its handler.
struct ServerRoute: Sendable {
    enum Segment: Sendable {
        case literal(String)
        case parameter(String)
        /// Matches the rest of the path, also an empty one.
        case rest
    }

    /// `nil` matches every method.
    let methods: [String]?
    let pattern: String
    let segments: [Segment]
    let handler: ServerRouteHandler

    init(_ methods: [String]?, _ pattern: String, _ handler: ServerRouteHandler) {
        self.methods = methods
        self.pattern = pattern
        self.handler = handler
        self.segments = Self.split(pattern).map { piece in
            if piece == "*" { return .rest }
            if piece.hasPrefix("{") && piece.hasSuffix("}") { return .parameter(String(piece.dropFirst().dropLast())) }
            return .literal(String(piece))
        }
    }

    static func split(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { $0 }
    }

    /// Returns the path's parameters; nil if the pattern does not match.
    func match(_ path: [Substring]) -> [String: String]? {
        var parameters: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .rest = segment {
                guard index <= path.count else { return nil }
                parameters["*"] = ASCIIText.percentDecoded(
                    path[index...].joined(separator: "/"), plusIsSpace: false)
                return parameters
            }
            guard index < path.count else { return nil }
            switch segment {
            case .literal(let text):
                guard path[index] == text else { return nil }
            case .parameter(let name):
                guard !path[index].isEmpty else { return nil }
                parameters[name] = ASCIIText.percentDecoded(path[index], plusIsSpace: false)
            case .rest:
                break
            }
        }
        return segments.count == path.count ? parameters : nil
    }

    func takes(_ method: String) -> Bool {
        guard let methods else { return true }
        return methods.contains(method) || (method == "HEAD" && methods.contains("GET"))
    }
}

/// Finds the handler of a request: routes registered by the test first, the newest first, then the built-in ones.
struct ServerRouter: Sendable {
    enum Outcome {
        case found(ServerRouteHandler, [String: String])
        case wrongMethod(allowed: [String])
        case unknown
    }

    private var custom: [ServerRoute] = []
    private let builtIn: [Substring: [ServerRoute]]

    init(builtIn routes: [ServerRoute]) {
        builtIn = Dictionary(grouping: routes) { route in ServerRoute.split(route.pattern).first ?? "" }
    }

    mutating func add(_ route: ServerRoute) {
        custom.append(route)
    }

    func route(method: String, path: String) -> Outcome {
        let segments = ServerRoute.split(path)
        var allowed: [String] = []
        for route in custom.reversed() {
            guard let parameters = route.match(segments) else { continue }
            if route.takes(method) { return .found(route.handler, parameters) }
            allowed += route.methods ?? []
        }
        for route in builtIn[segments.first ?? ""] ?? [] {
            guard let parameters = route.match(segments) else { continue }
            if route.takes(method) { return .found(route.handler, parameters) }
            allowed += route.methods ?? []
        }
        if allowed.isEmpty { return .unknown }
        if allowed.contains("GET") { allowed.append("HEAD") }
        allowed.append("OPTIONS")
        return .wrongMethod(allowed: allowed)
    }
}
