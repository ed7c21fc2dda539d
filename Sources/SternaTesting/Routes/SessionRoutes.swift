import SternaPlatform

extension BuiltInRoutes {
    static let authentication: [ServerRoute] = [
        now(nil, "/basic-auth/{user}/{password}") { request in
            let user = request.parameters["user"] ?? ""
            let expected = Data("\(user):\(request.parameters["password"] ?? "")".utf8).base64EncodedString()
            guard credentials("Basic", of: request) == expected else {
                return .message(
                    "Unauthorized", status: 401,
                    headers: ["WWW-Authenticate": "Basic realm=\"Fake Realm\", charset=\"UTF-8\""])
            }
            return pretty([("authenticated", .bool(true)), ("user", .string(user))])
        },
        now(nil, "/bearer") { request in
            guard let token = credentials("Bearer", of: request), !token.isEmpty else {
                return .message("Unauthorized", status: 401, headers: ["WWW-Authenticate": "Bearer"])
            }
            return pretty([("authenticated", .bool(true)), ("token", .string(token))])
        },
    ]

    private static func credentials(_ scheme: String, of request: ServerRequest) -> String? {
        let parts = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, ASCIIText.equalIgnoringCase(parts[0], scheme) else { return nil }
        return ASCIIText.trimmed(parts[1])
    }

    static let cookies: [ServerRoute] = [
        now(["GET"], "/cookies") { request in
            var pairs: [ServerHeaders.Field] = []
            for piece in request.headers.all("Cookie").flatMap({ $0.split(separator: ";") }) {
                let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { continue }
                pairs.append(.init(name: ASCIIText.trimmed(parts[0]), value: ASCIIText.trimmed(parts[1])))
            }
            return pretty([("cookies", .grouped(pairs))])
        },
        now(["GET"], "/cookies/set") { request in
            var response = ServerResponse.redirect(to: "/cookies")
            for item in request.queryItems {
                response.headers.add("Set-Cookie", "\(item.name)=\(item.value); Path=/")
            }
            return response
        },
        now(["GET"], "/cookies/delete") { request in
            var response = ServerResponse.redirect(to: "/cookies")
            for item in request.queryItems {
                response.headers.add("Set-Cookie", "\(item.name)=; Path=/; Max-Age=0")
            }
            return response
        },
    ]

    static let caching: [ServerRoute] = [
        now(["GET"], "/etag/{etag}") { request in
            let etag = "\"\(request.parameters["etag"] ?? "")\""
            if let asked = request.headers["If-None-Match"], matches(asked, etag) {
                return ServerResponse(status: 304, headers: ["ETag": etag])
            }
            if let asked = request.headers["If-Match"], !matches(asked, etag) {
                return .message("the entity tag is \(etag)", status: 412, headers: ["ETag": etag])
            }
            return pretty(described(request), headers: ["ETag": etag])
        },
        now(["GET"], "/cache") { request in
            let validators: ServerHeaders = [
                "ETag": "\"cache\"", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT",
            ]
            if request.headers.contains("If-None-Match") || request.headers.contains("If-Modified-Since") {
                return ServerResponse(status: 304, headers: validators)
            }
            return pretty(described(request), headers: validators)
        },
        now(["GET"], "/cache/{seconds}") { request in
            let seconds = try number("seconds", of: request, in: 0...1_000_000_000)
            return pretty(described(request), headers: ["Cache-Control": "public, max-age=\(seconds)"])
        },
    ]

    /// Whether a list of entity tags contains one, by weak comparison (RFC 9110 §8.8.3.2).
    private static func matches(_ list: String, _ etag: String) -> Bool {
        list.split(separator: ",").map { ASCIIText.trimmed($0) }.contains { candidate in
            candidate == "*" || candidate == etag || candidate == "W/" + etag
        }
    }
}
