import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// CR LF in a header value, name or method: refused before connecting.
@Suite("Injection into requests", .timeLimit(.minutes(5)))
struct InjectionTests {
    static let breaks = [
        "a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1", "a\0b", "\r\n", "\n", "\r", "a\u{7F}", "\u{1}",
        "\u{1B}[0m",
        "a\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n",
    ]

    /// A request that must be refused without a connection.
    private func refused(
        _ kind: SternaError.Kind, location: SourceLocation = #_sourceLocation, _ ask: (Session) async throws -> Void
    ) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("")]]) { server in
            let api = try Wire.session(server.url)
            await Wire.failure(kind, .prepare, location: location) { try await ask(api) }
            expectEqual(server.acceptedConnections, 0, sourceLocation: location)
        }
    }

    @Test("CR LF in a header value", arguments: breaks)
    func values(value: String) async throws {
        try await refused(.invalidHeader) { try await $0.get("row", headers: ["X-Test": value]) }
        try await refused(.invalidHeader) { try await $0.get("row", headers: ["Host": value]) }
        try await refused(.invalidHeader) { try await $0.get("row", headers: ["Content-Length": value]) }
        try await refused(.invalidHeader) { try await $0.with { $0.headers["X-Test"] = value }.get("row") }
        try await refused(.invalidHeader) { api in
            try await api.get("row") { $0.auth.header = .bearer(value) }
        }
        try await refused(.invalidHeader) { try await $0.with { $0.auth.header = .bearer(value) }.get("row") }
        try await refused(.invalidHeader) {
            try await $0.post("row", body: .bytes([1], mediaType: value))
        }
        #expect(throws: SternaError.self) { try Session { $0.headers["X-Test"] = value } }
    }

    @Test(
        "CR LF in a header name",
        arguments: breaks + ["", " ", "a b", "a:", ":a", "a\tb", "\u{E9}", "a(b)", "\"a\"", "a/b"])
    func names(name: String) async throws {
        try await refused(.invalidHeader) { try await $0.get("row", headers: [name: "1"]) }
        try await refused(.invalidHeader) { try await $0.get("row", headers: ["X-Test\(name): 1\r\nX": "1"]) }
    }

    @Test(
        "CR LF in a method", arguments: breaks + ["", "GET /x HTTP/1.1\r\nA: b\r\n\r\nGET", "GE T", "G\u{E9}T", "GET:"])
    func methods(method: String) {
        // The type of a method cannot hold one.
        expectNil(HTTPRequest.Method(method))
    }

    @Test("What an interceptor sets by the text of a name is refused, and nothing is sent", arguments: breaks)
    func interceptorText(value: String) async throws {
        struct Injector: Interceptor {
            var name: String
            var value: String

            func intercept(_ request: Request, next: Chain) async throws -> Response {
                var request = request
                request.headers[name] = value
                return try await next(request)
            }
        }
        for (name, value) in [("X-Test", value), ("Host", value), ("Content-Length", value), ("X\(value)", "1")] {
            try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
                let api = try Wire.session(server.url) {
                    $0.networkInterceptors = [Injector(name: name, value: value)]
                }
                await Wire.failure(.invalidHeader, .prepare) { try await api.get("row") }
                #expect(server.received(connection: 0).isEmpty)
            }
        }
    }

    @Test("An interceptor cannot add CR LF either", arguments: breaks)
    func interceptor(value: String) async throws {
        struct Injector: Interceptor {
            var value: String

            func intercept(_ request: Request, next: Chain) async throws -> Response {
                var request = request
                if let name = HTTPField.Name("X-Test") {
                    request.headers.append(HTTPField(name: name, lenientValue: Array(value.utf8)))
                }
                return try await next(request)
            }
        }
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
            let api = try Wire.session(server.url) { $0.networkInterceptors = [Injector(value: value)] }
            // The value is refused, or made harmless by the type of a field.
            _ = try? await api.get("row")
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(!sent.contains("\nX-Injected"))
            #expect(!sent.contains("\rX-Injected"))
            #expect(!sent.contains("\nGET /second"))
            #expect(sent.unicodeScalars.allSatisfy { $0 != "\0" && $0 != "\u{7F}" && $0 != "\u{1B}" })
        }
    }

    @Test(
        "CR LF and blanks in a URL do not reach the request line",
        arguments: [
            "/a\r\nX-Injected: 1", "/a?b=\r\nX-Injected: 1", "/a HTTP/1.1\r\nX-Injected: 1\r\n\r\n", "/a#\r\nX: 1",
            "/\t\u{0}\u{7F}",
        ])
    func targets(target: String) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
            let api = try Wire.session(server.url)
            do {
                try await api.get(server.url + target)
            } catch let error as SternaError {
                expectEqual(error.kind, .invalidURL)
                return
            }
            let lines = String(decoding: server.received(connection: 0), as: UTF8.self).split(separator: "\r\n")
            expectEqual(lines.first?.split(separator: " ").count, 3)
            expectEqual(lines.first?.hasSuffix(" HTTP/1.1"), true)
            #expect(!lines.contains { $0.hasPrefix("X-Injected") || $0.hasPrefix("X:") })
        }
    }

    @Test("A query's parameters with CR LF stay in the query", arguments: breaks)
    func parameters(value: String) async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
            try await Wire.session(server.url).get("row", parameters: ["q\(value)": "v\(value)"])
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(sent.hasPrefix("GET /row?q"))
            #expect(!sent.contains("\r\nX-Injected"))
            #expect(!sent.contains("GET /second"))
        }
    }

    @Test("A caller's fields cannot change the framing")
    func framing() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .receive(atLeast: 5), .answer("in")]]) {
            server in
            let headers: Headers = ["Content-Length": "3", "Transfer-Encoding": "chunked", "transfer-encoding": "gzip"]
            try await Wire.session(server.url).post("row", body: .bytes(Array("hello".utf8)), headers: headers)
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self).lowercased()
            expectEqual(sent.components("\r\ncontent-length:"), 2)
            #expect(sent.contains("\r\ncontent-length: 5\r\n"))
            #expect(!sent.contains("transfer-encoding"))
            #expect(sent.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test("There is one Host field, the caller's if it is set")
    func host() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .answer("in")]]) { server in
            let api = try Wire.session(server.url)
            try await api.get("row", headers: ["hOST": "other.test"])
            let sent = String(decoding: server.received(connection: 0), as: UTF8.self)
            #expect(sent.hasPrefix("GET /row HTTP/1.1\r\nHost: other.test\r\n"))
            expectEqual(sent.lowercased().components("\r\nhost:"), 2)
        }
    }
}

extension String {
    /// How many parts a separator makes.
    fileprivate func components(_ separator: String) -> Int {
        var count = 1
        var rest = utf8[...]
        let pattern = Array(separator.utf8)
        while rest.count >= pattern.count {
            if rest.starts(with: pattern) { count += 1 }
            rest = rest.dropFirst()
        }
        return count
    }
}
