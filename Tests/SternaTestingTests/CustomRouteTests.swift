import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Custom routes", .timeLimit(.minutes(5)))
struct CustomRouteTests {
    struct Oops: Error {}

    @Test("parameters, precedence and methods")
    func matching() async throws {
        try await TestServer.withServer { server async throws in
            server.route("GET", "/birds/{name}/rings/{ring}") { request in
                .text("\(request.parameters["name"] ?? "")-\(request.parameters["ring"] ?? "")")
            }
            server.route(nil, "/files/*") { .text("\($0.method) \($0.parameters["*"] ?? "") \($0.query("q") ?? "")") }
            server.route("GET", "/get") { _ in .text("mine") }
            server.route("GET", "/get") { _ in .text("newest") }
            try await expectEqual(server.ask("GET", "/birds/a%20b/rings/7").text, "a b-7")
            try await expectEqual(server.ask("GET", "/birds/a").status, 404)
            try await expectEqual(server.ask("POST", "/birds/a/rings/7").headers["Allow"], "GET, HEAD, OPTIONS")
            try await expectEqual(server.ask("PUT", "/files/a/b?q=%C3%A9").text, "PUT a/b é")
            try await expectEqual(server.ask("GET", "/get").text, "newest")
        }
    }

    @Test("errors become statuses")
    func errors() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/known") { _ in throw ServerRouteError(status: 422, message: "no \"good\"") }
            server.route("GET", "/unknown") { _ in throw Oops() }
            let known = try await server.ask("GET", "/known")
            expectEqual(known.status, 422)
            expectEqual(known.text, "{\"message\": \"no \\\"good\\\"\"}")
            let unknown = try await server.ask("GET", "/unknown")
            expectEqual(unknown.status, 500)
            #expect(unknown.text.contains("Oops"))
        }
    }

    @Test("reason, repeated headers and streams as given")
    func responses() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/made") { request in
                ServerResponse(
                    status: 299, reason: "Made Up",
                    headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2", "X-Origin": request.origin],
                    body: .stream(length: nil) { writer in
                        for piece in ["a", "", "bc"] { try await writer.write(piece) }
                    })
            }
            let response = try await server.ask("GET", "/made")
            expectEqual(response.status, 299)
            expectEqual(response.reason, "Made Up")
            expectEqual(response.headers.all("set-cookie"), ["a=1", "b=2"])
            #expect(response.headers["x-origin"] == "http://example.test")
            expectEqual(response.text, "abc")
        }
    }
}
