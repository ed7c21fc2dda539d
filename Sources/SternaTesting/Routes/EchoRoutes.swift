extension BuiltInRoutes {
    static let echo: [ServerRoute] =
        [now(["GET"], "/get") { pretty(described($0)) }]
        + ["POST", "PUT", "PATCH", "DELETE"].map { method in
            later([method], "/\(method.lowercased())") { try await pretty(echoed($0)) }
        }
        + ["/anything", "/anything/*"].map { pattern in
            later(nil, pattern) { request in
                var members = try await echoed(request)
                let position = members.firstIndex { $0.0 == "origin" } ?? members.endIndex
                members.insert(("method", .string(request.method)), at: position)
                return pretty(members)
            }
        }

    static let inspection: [ServerRoute] = [
        now(["GET"], "/headers") { pretty([("headers", headers($0))]) },
        now(["GET"], "/ip") { pretty([("origin", .string($0.remoteAddress))]) },
        now(["GET"], "/user-agent") { request in
            pretty([("user-agent", request.headers["User-Agent"].map { .string($0) } ?? .null)])
        },
        now(["GET", "POST"], "/response-headers") { request in
            var headers = ServerHeaders()
            for item in request.queryItems where isToken(item.name) { headers.add(item.name, item.value) }
            let type = headers["Content-Type"] ?? "application/json"
            headers["Content-Type"] = nil
            headers["Content-Length"] = nil
            headers["Transfer-Encoding"] = nil
            let shown = EchoJSON.grouped(headers).text(pretty: true)
            return .bytes(Array(shown.utf8), mediaType: type, headers: headers)
        },
    ]

    /// Whether the text can be a field name (RFC 9110 §5.6.2).
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// The members httpbin shows of a request without a body.
    static func described(_ request: ServerRequest) -> [(String, EchoJSON)] {
        [
            ("args", args(request)), ("headers", headers(request)), ("origin", .string(request.remoteAddress)),
            ("url", .string(request.url)),
        ]
    }

    static func args(_ request: ServerRequest) -> EchoJSON {
        .grouped(request.queryItems.map { .init(name: $0.name, value: $0.value) })
    }

    /// Repeated lines are joined by a comma, as HTTP allows for most fields (RFC 9110 §5.3).
    static func headers(_ request: ServerRequest) -> EchoJSON {
        var members: [(String, EchoJSON)] = []
        var seen: Set<String> = []
        for field in request.headers where seen.insert(field.name.lowercased()).inserted {
            members.append((field.name, .string(request.headers.all(field.name).joined(separator: ", "))))
        }
        return .object(members)
    }

    private static func echoed(_ request: ServerRequest) async throws -> [(String, EchoJSON)] {
        let bytes = try await request.body.collect()
        let body = try EchoBody(bytes, contentType: request.headers["Content-Type"])
        return [
            ("args", args(request)), ("data", .string(body.data)), ("files", .grouped(body.files)),
            ("form", .grouped(body.form)), ("headers", headers(request)), ("json", body.json),
            ("origin", .string(request.remoteAddress)), ("url", .string(request.url)),
        ]
    }
}
