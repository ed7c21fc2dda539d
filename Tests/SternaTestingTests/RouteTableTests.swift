import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Built-in routes", .timeLimit(.minutes(5)))
struct RouteTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let target: String
        let status: Int
        var contains: String = ""
        var header: (String, String)?

        init(
            _ method: String, _ target: String, _ status: Int, _ contains: String = "",
            _ header: (String, String)? = nil
        ) {
            self.method = method
            self.target = target
            self.status = status
            self.contains = contains
            self.header = header
        }

        var testDescription: String { "\(method) \(target)" }
    }

    static let cases: [Case] = [
        Case("GET", "/", 200, "GET /get\n"),
        Case("GET", "/get?a=1", 200, "\"url\": \"http://example.test/get?a=1\""),
        Case("POST", "/post", 200, "\"json\": null"),
        Case("PUT", "/put", 200, "\"form\": {}"),
        Case("PATCH", "/patch", 200, "\"data\": \"\""),
        Case("DELETE", "/delete", 200, "\"files\": {}"),
        Case("REPORT", "/anything/a/b", 200, "\"method\": \"REPORT\""),
        Case("GET", "/anything", 200, "\"method\": \"GET\""),
        Case("GET", "/headers", 200, "\"Host\": \"example.test\""),
        Case("GET", "/ip", 200, "\"origin\": \"127.0.0.1\""),
        Case("GET", "/user-agent", 200, "\"user-agent\": null"),
        Case("GET", "/status/200", 200),
        Case("GET", "/status/204", 204),
        Case("GET", "/status/302", 302, "", ("Location", "/redirect/1")),
        Case("GET", "/status/401", 401, "Unauthorized", ("WWW-Authenticate", "Basic realm=\"Fake Realm\"")),
        Case("POST", "/status/404", 404, "{\"message\": \"Not Found\"}"),
        Case("GET", "/status/418", 418, "\"message\""),
        Case("GET", "/status/599", 599, "\"message\""),
        Case("GET", "/status/100", 400, "code must be"),
        Case("GET", "/status/abc", 400, "code must be"),
        Case("GET", "/status/99999999999999999999", 400, "code must be"),
        Case("GET", "/delay/0.01", 200, "\"args\""),
        Case("GET", "/delay/-1", 400, "not a number of seconds"),
        Case("GET", "/delay/nan", 400, "not a number of seconds"),
        Case("GET", "/bytes/0", 200, "", ("Content-Length", "0")),
        Case("GET", "/bytes/-1", 400, "n must be"),
        Case("GET", "/stream-bytes/100?chunk_size=7", 200, "", ("Transfer-Encoding", "chunked")),
        Case("GET", "/stream-bytes/10?chunk_size=0", 400, "chunk_size must be"),
        Case("GET", "/stream/2", 200, "{\"id\": 1, "),
        Case(
            "GET", "/parts/2", 200, "{\"id\": 1}", ("Content-Type", "multipart/mixed; boundary=\"sterna-testing-part\"")
        ),
        Case("GET", "/parts/-1", 400, "n must be"),
        Case("GET", "/ranges/3", 200, "abc", ("Accept-Ranges", "bytes")),
        Case("GET", "/frames?count=2&rate=1000", 200, "frame 1"),
        Case("GET", "/frames?rate=0", 400, "rate must be"),
        Case("GET", "/ws/echo", 426, "the route is a WebSocket", ("Sec-WebSocket-Version", "13")),
        Case("GET", "/ws/count/x", 400, "n must be"),
        Case("GET", "/ws/close/65536", 400, "code must be"),
        Case("GET", "/drip?duration=0.01&numbytes=3&code=203", 203, "***", ("Content-Length", "3")),
        Case("GET", "/redirect/3", 302, "", ("Location", "/redirect/2")),
        Case("GET", "/redirect/1", 302, "", ("Location", "/get")),
        Case("GET", "/absolute-redirect/2", 302, "", ("Location", "http://example.test/absolute-redirect/1")),
        Case("POST", "/redirect-to?url=%2Fpost&status_code=307", 307, "", ("Location", "/post")),
        Case("GET", "/redirect-to", 400, "no url"),
        Case("GET", "/redirect-to?url=/x%0D%0AX-Injected:%20y", 302, "", ("Location", "/x  X-Injected: y")),
        Case("GET", "/basic-auth/u/p", 401, "", ("WWW-Authenticate", "Basic realm=\"Fake Realm\", charset=\"UTF-8\"")),
        Case("GET", "/bearer", 401, "", ("WWW-Authenticate", "Bearer")),
        Case("GET", "/cookies", 200, "\"cookies\": {}"),
        Case("GET", "/cookies/set?a=b", 302, "", ("Set-Cookie", "a=b; Path=/")),
        Case("GET", "/cookies/delete?a", 302, "", ("Set-Cookie", "a=; Path=/; Max-Age=0")),
        Case("GET", "/response-headers?X-A=1", 200, "\"X-A\": \"1\"", ("X-A", "1")),
        Case("GET", "/etag/abc", 200, "\"args\"", ("ETag", "\"abc\"")),
        Case("GET", "/cache", 200, "\"args\"", ("ETag", "\"cache\"")),
        Case("GET", "/cache/60", 200, "\"args\"", ("Cache-Control", "public, max-age=60")),
        Case("GET", "/image/png", 200, "PNG", ("Content-Type", "image/png")),
        Case("GET", "/xml", 200, "<flock", ("Content-Type", "application/xml")),
        Case("GET", "/json", 200, "\"flock\""),
        Case("GET", "/html", 200, "<h1>"),
        Case("GET", "/plist", 200, "<plist version"),
        Case("GET", "/robots.txt", 200, "Disallow"),
        Case("GET", "/encoding/utf8", 200, "キョクアジサシ"),
        Case("GET", "/1k", 200, "0123456789abcdef", ("Content-Length", "1024")),
        Case("GET", "/nowhere", 404, "{\"message\": \"no route for GET /nowhere\"}"),
        Case("POST", "/get", 405, "not allowed", ("Allow", "GET, HEAD, OPTIONS")),
        Case("OPTIONS", "/post", 200, "", ("Allow", "OPTIONS, POST")),
    ]

    @Test("status, content and header", arguments: cases)
    func answers(_ expected: Case) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask(expected.method, expected.target)
            expectEqual(response.status, expected.status)
            if !expected.contains.isEmpty { #expect(response.text.contains(expected.contains)) }
            if let header = expected.header { expectEqual(response.headers[header.0], header.1) }
        }
    }

    @Test(
        "credentials",
        arguments: [
            ("/basic-auth/u/p", "Basic dTpw", 200), ("/basic-auth/u/p", "basic dTpw", 200),
            ("/basic-auth/u/p", "Basic dTpx", 401), ("/bearer", "Bearer t0k", 200), ("/bearer", "Basic dTpw", 401),
        ])
    func credentials(target: String, header: String, status: Int) async throws {
        try await TestServer.withServer { server async throws in
            try await expectEqual(server.ask("GET", target, headers: ["Authorization": header]).status, status)
        }
    }

    @Test(
        "conditional requests",
        arguments: [
            ("/etag/x", "If-None-Match", "\"x\"", 304), ("/etag/x", "If-None-Match", "W/\"x\"", 304),
            ("/etag/x", "If-None-Match", "\"a\", *", 304), ("/etag/x", "If-None-Match", "\"y\"", 200),
            ("/etag/x", "If-Match", "\"y\"", 412), ("/cache", "If-None-Match", "\"y\"", 304),
        ])
    func conditions(target: String, name: String, value: String, status: Int) async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", target, headers: [name: value])
            expectEqual(response.status, status)
        }
    }

    @Test("cookies come back")
    func cookies() async throws {
        try await TestServer.withServer { server in
            let response = try await server.ask("GET", "/cookies", headers: ["Cookie": "a=1; b=x=y"])
            #expect(response.text.contains("\"a\": \"1\",\n    \"b\": \"x=y\""))
        }
    }
}
