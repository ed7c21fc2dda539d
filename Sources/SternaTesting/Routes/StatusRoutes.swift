import NIOHTTP1

extension BuiltInRoutes {
    static let status: [ServerRoute] = [
        now(nil, "/status/{code}") { request in
            let code = try number("code", of: request, in: 200...599)
            let reason = HTTPResponseStatus(statusCode: code).reasonPhrase
            switch code {
            case 204, 205, 304: return ServerResponse(status: code)
            case 300...399: return .redirect(to: "/redirect/1", status: code)
            case 401:
                return .message(reason, status: code, headers: ["WWW-Authenticate": "Basic realm=\"Fake Realm\""])
            case 407:
                return .message(reason, status: code, headers: ["Proxy-Authenticate": "Basic realm=\"Fake Realm\""])
            case 400...599: return .message(reason.isEmpty ? "status \(code)" : reason, status: code)
            default: return ServerResponse(status: code)
            }
        },
        later(nil, "/delay/{seconds}") { request in
            let delay = try seconds(request.parameters["seconds"], default: 0, atMost: 60)
            try await Task.sleep(for: .seconds(delay))
            return pretty(described(request))
        },
    ]

    static let redirects: [ServerRoute] = [
        now(nil, "/redirect/{n}") { try step($0, path: "/redirect", prefix: "") },
        now(nil, "/relative-redirect/{n}") { try step($0, path: "/relative-redirect", prefix: "") },
        now(nil, "/absolute-redirect/{n}") { try step($0, path: "/absolute-redirect", prefix: $0.origin) },
        now(nil, "/redirect-to") { request in
            guard let target = request.query("url") else { throw badRequest("the query names no url") }
            let status = try number(query: "status_code", of: request, default: 302, in: 300...399)
            return .redirect(to: target, status: status)
        },
    ]

    private static func step(_ request: ServerRequest, path: String, prefix: String) throws -> ServerResponse {
        let left = try number("n", of: request, in: 1...10_000)
        let status = try number(query: "status_code", of: request, default: 302, in: 300...399)
        guard left > 1 else { return .redirect(to: prefix + "/get", status: status) }
        let query = request.query.map { "?" + $0 } ?? ""
        return .redirect(to: "\(prefix)\(path)/\(left - 1)\(query)", status: status)
    }
}
