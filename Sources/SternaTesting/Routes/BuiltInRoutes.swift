/// The built-in routes of every server, modelled on httpbin.
enum BuiltInRoutes {
    static let all: [ServerRoute] =
        [index] + echo + inspection + status + streams + events + parts + webSockets + compression + redirects
        + authentication + cookies + caching + documents + uploads + faults + webSocketFaults

    private static let index = ServerRoute(
        ["GET"], "/",
        .immediate { _ in
            let lines = all.map { route in
                (route.methods ?? ["*"]).joined(separator: ",") + " " + route.pattern
            }
            return .text(lines.joined(separator: "\n") + "\n")
        })

    /// A route that answers without reading the body.
    static func now(
        _ methods: [String]?, _ pattern: String, _ answer: @escaping @Sendable (ServerRequest) throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(methods, pattern, .immediate(answer))
    }

    /// A route that reads the body or waits.
    static func later(
        _ methods: [String]?, _ pattern: String,
        _ answer: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) -> ServerRoute {
        ServerRoute(methods, pattern, .suspending(answer))
    }

    static func pretty(_ members: [(String, EchoJSON)], status: Int = 200, headers: ServerHeaders = [:])
        -> ServerResponse
    {
        .text(
            EchoJSON.object(members).text(pretty: true), mediaType: "application/json", status: status,
            headers: headers)
    }

    static func badRequest(_ text: String) -> ServerRouteError {
        ServerRouteError(status: 400, message: text)
    }

    /// Returns a path's number within bounds.
    static func number(_ name: String, of request: ServerRequest, in range: ClosedRange<Int>) throws -> Int {
        guard let text = request.parameters[name], let value = Int(text), range.contains(value) else {
            throw badRequest("\(name) must be \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns a query's number within bounds.
    static func number(
        query name: String, of request: ServerRequest, default fallback: Int, in range: ClosedRange<Int>
    ) throws -> Int {
        guard let text = request.query(name) else { return fallback }
        guard let value = Int(text), range.contains(value) else {
            throw badRequest("\(name) must be \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Returns the seconds in a query or path text, with fractions.
    static func seconds(_ text: String?, default fallback: Double, atMost limit: Double) throws -> Double {
        guard let text else { return fallback }
        guard let value = Double(text), value.isFinite, value >= 0 else {
            throw badRequest("\(text) is not a number of seconds")
        }
        return min(value, limit)
    }
}
