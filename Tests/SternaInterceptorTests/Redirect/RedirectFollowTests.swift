import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Redirects over the network", .timeLimit(.minutes(5)))
struct RedirectFollowTests {
    private func session(_ server: TestServer) throws -> Session {
        try Session(baseURL: server.url) {
            $0.network.engine = Engine()
            $0.retry = .none
        }
    }

    @Test(
        "Relative and absolute ones are followed to the end",
        arguments: ["redirect", "relative-redirect", "absolute-redirect"])
    func follow(route: String) async throws {
        try await TestServer.withServer { server in
            let reply = try await session(server).get("\(route)/3")
            expectEqual(reply.url.description, server.url("/get"))
            expectEqual(reply.response.redirects.map(\.url.path), ["/\(route)/3", "/\(route)/2", "/\(route)/1"])
            expectEqual(reply.response.redirects.map(\.status), [302, 302, 302])
            expectEqual(server.requestCount, 4)
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Twenty are followed, twenty-one are too many")
    func limit() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            try await expectEqual(api.get("redirect/20").response.redirects.count, 20)
            let error = await #expect(throws: SternaError.self) { try await api.get("redirect/21") }
            expectEqual(error?.kind, .tooManyRedirects)
            expectEqual(error?.status, 302)
            expectEqual(error?.requestSent, true)
            expectEqual(server.requestCount, 21 + 21)
        }
    }

    @Test("A circular redirect ends at the limit")
    func circle() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/circle") { _ in .redirect(to: "/circle") }
            let error = await #expect(throws: SternaError.self) { try await session(server).get("circle") }
            expectEqual(error?.kind, .tooManyRedirects)
            expectEqual(server.requestCount, 21)
        }
    }

    static let methods: [(Int, String, String)] = [
        (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "a=1"), (308, "POST", "a=1"),
    ]

    @Test("A POST is repeated or becomes a GET, by status", arguments: methods)
    func post(status: Int, method: String, body: String) async throws {
        try await TestServer.withServer { server in
            server.route(nil, "/end") { request in
                let body = String(decoding: try await request.body.collect(), as: UTF8.self)
                return .json(["method": .string(request.method), "body": .string(body)])
            }
            let tree = try await session(server).post(
                "redirect-to?url=/end&status_code=\(status)", parameters: ["a": 1]
            ).json()
            expectEqual(tree["method"].string, method)
            expectEqual(tree["body"].string, body)
            let last = try #require(server.requests().last)
            expectEqual(last.headers.contains("Content-Type"), (method == "POST"))
            expectEqual(last.headers["Content-Length"], (method == "POST" ? "3" : nil))
        }
    }

    @Test("A sequence that was sent is not sent again on 307")
    func stream() async throws {
        try await TestServer.withServer { server in
            let body = Body.stream(
                AsyncStream { continuation in
                    continuation.yield(Bytes(text: "x"))
                    continuation.finish()
                })
            let error = await #expect(throws: SternaError.self) {
                try await session(server).post("redirect-to?url=/post&status_code=307", body: body)
            }
            expectEqual(error?.kind, .bodyNotReplayable)
            expectEqual(error?.requestSent, true)
            expectEqual(error?.status, 307)
            expectEqual(server.requestCount, 1)
        }
    }

    @Test("HEAD stays HEAD")
    func head() async throws {
        try await TestServer.withServer { server in
            let api = try session(server)
            #expect(try await api.head("redirect/2").body.isEmpty)
            expectEqual(server.requests().map(\.method), ["HEAD", "HEAD", "HEAD"])
        }
    }

    @Test("A large body of a redirect is not read")
    func largeRedirect() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/large") { _ in
                ServerResponse(
                    status: 302, headers: ["Location": "/get"],
                    body: .stream(length: nil) { writer in
                        while true { try await writer.write(String(repeating: "x", count: 64 << 10)) }
                    })
            }
            let api = try session(server)
            try await expectEqual(api.get("large").status, 200)
        }
    }

    @Test("With doNotFollow the redirect is the response")
    func doNotFollow() async throws {
        try await TestServer.withServer { server in
            let api = try session(server).with { $0.redirects = .doNotFollow }
            let reply = try await api.get("redirect/1")
            expectEqual(reply.status, 302)
            expectEqual(reply.headers[.location], "/get")
            let location = try await api.withResponse(to: .get("redirect/1")) { $0[.location] }
            expectEqual(location, "/get")
            let followed = try await api.get("redirect/1") { $0.redirects = .follow }
            expectEqual(followed.status, 200)
            let fresh = try session(server)
            let status = try await fresh.withResponse(to: .get("redirect/1")) { $0.status.code }
            expectEqual(status, 200)
        }
    }

    @Test("Another port drops the credentials on the wire")
    func credentials() async throws {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let api = try session(first).with { $0.auth.header = .bearer("s3cret") }
                try await api.get("redirect-to", query: ["url": second.url("/get")])
                expectEqual(first.requests().map { $0.headers["Authorization"] }, ["Bearer s3cret"])
                expectEqual(second.requests().map { $0.headers["Authorization"] }, [nil])
                expectEqual(second.requests().map { $0.headers.all("Host") }, [["127.0.0.1:\(second.port)"]])
            }
        }
    }

    @Test("A target that cannot be reached is named by the error, not the first URL")
    func unreachable() async throws {
        let closed = try ClosedPort()
        let gone = "http://127.0.0.1:\(closed.port)/x"
        try await TestServer.withServer { server in
            let error = await #expect(throws: SternaError.self) {
                try await session(server).get("redirect-to", query: ["url": gone])
            }
            expectEqual(error?.kind, .connectionFailed)
            expectEqual(error?.url, gone)
        }
    }

    @Test("A status error behind a redirect shows where it came from")
    func statusBehind() async throws {
        try await TestServer.withServer { server in
            let error = await #expect(throws: SternaError.self) {
                try await session(server).get("redirect-to", query: ["url": "/status/404"])
            }
            expectEqual(error?.url, server.url("/status/404"))
            expectEqual(error?.response?.redirects.count, 1)
        }
    }
}
