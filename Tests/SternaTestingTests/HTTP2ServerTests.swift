import NIOHPACK
import NIOHTTP2
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Server over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2ServerTests {
    // MARK: Which version

    @Test("in the clear the preface selects HTTP/2, if enabled")
    func priorKnowledge() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await expectEqual(server.ask2("GET", "/1k").body.count, 1024)
            expectEqual(server.requests().last?.version, .http2)
            try await expectEqual(server.ask("POST", "/post", body: "a").status, 200)
            expectEqual(server.requests().last?.version, .http11)
            #expect((server.totalConnections, server.totalHTTP2Connections) == (2, 1))
            expectEqual(server.requestCount(over: .http2), 1)
            expectEqual(server.requestCount(over: .http11), 1)
            expectEqual(server.requestCount(over: .http10), 0)
        }
        try await TestServer.withServer(.init(http2: .byALPN)) { server async throws in
            let answer = try await RawClient.with(port: server.port) { client async throws in
                try await client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                return try await client.response()
            }
            expectEqual(answer.status, 400)
        }
    }

    @Test(
        "input that only begins like the preface is HTTP/1.1",
        arguments: [
            ["P", "OST /anything HTTP/1.1\r\nHost: a\r\n\r\n"], ["PR", "I", " /anything HTTP/1.1\r\nHost: a\r\n\r\n"],
        ])
    func almostPreface(pieces: [String]) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let response = try await RawClient.with(port: server.port) { client async throws in
                for piece in pieces { try await client.send(piece) }
                return try await client.response()
            }
            expectEqual(response.status, (pieces[0] == "P" ? 200 : 400))
            expectEqual(server.totalHTTP2Connections, 0)
        }
    }

    @Test("over TLS the handshake selects HTTP/2", arguments: [ServerHTTP2.byALPN, .byPriorKnowledge, []])
    func alpn(http2: ServerHTTP2) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: try authority.issue(), http2: http2)
        try await TestServer.withServer(options) { server async throws in
            let status = try await RawClient.with(port: server.port, tls: .init(roots: [authority.pem])) {
                client async throws in
                try await client.request("GET", "/1k").status
            }
            expectEqual(status, 200)
            expectEqual(server.requests().last?.version, .http11)
            let spoken = try? await HTTP2Client.with(port: server.port, roots: [authority.pem]) { client async throws in
                try await client.request("GET", "/absolute-redirect/1")
            }
            guard http2 == .byALPN else {
                #expect(spoken?.status != 302)
                return
            }
            #expect(spoken?.headers["location"] == "https://example.test/get")
            expectEqual(server.totalHTTP2Connections, 1)
        }
    }

    // MARK: Heads

    /// Over HTTP/2 names are in lower case and no body is chunked.
    static let cases = RouteTableTests.cases.filter { expected in
        expected.header?.0 != "Transfer-Encoding" && !expected.contains.contains("Host")
    }

    @Test("every route answers as over HTTP/1.1", arguments: cases)
    func answers(_ expected: RouteTableTests.Case) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let response = try await server.ask2(
                expected.method, expected.target, [], body: expected.method == "GET" ? nil : "")
            expectEqual(response.status, expected.status)
            expectNil(response.reset)
            if !expected.contains.isEmpty { #expect(response.text.contains(expected.contains)) }
            if let header = expected.header { expectEqual(response.headers[header.0], header.1) }
        }
    }

    @Test("a request's head is mapped")
    func requestHead() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let response = try await server.ask2(
                "GET", "/anything/x?q=1", [("cookie", "a=1"), ("x-one", "1"), ("cookie", "b=2"), ("cookie", "c=3")])
            #expect(response.text.contains("\"url\": \"http://example.test/anything/x?q=1\""))
            let record = try #require(server.requests().last)
            expectEqual(record.headers.all("Cookie"), ["a=1; b=2; c=3"])
            expectEqual(record.headers.fields.map(\.name), ["host", "cookie", "x-one"])
            expectEqual(record.headers["Host"], "example.test")
            expectEqual(record.target, "/anything/x?q=1")
        }
    }

    @Test("fields about a connection are left out, names are in lower case")
    func responseHead() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            server.route("GET", "/fields") { _ in
                ServerResponse(
                    reason: "Very Well",
                    headers: [
                        "Connection": "close", "Keep-Alive": "1", "Transfer-Encoding": "chunked", "Upgrade": "x",
                        "Proxy-Connection": "close", "X-Up-Per": " a\r\nb ", "no token": "1",
                    ], body: .bytes(Array("ok".utf8)))
            }
            let response = try await server.ask2("GET", "/fields")
            expectEqual(response.text, "ok")
            expectEqual(
                response.headers.fields.map(\.name), [":status", "date", "server", "x-up-per", "content-length"])
            expectEqual(response.headers["x-up-per"], "a  b")
        }
    }

    @Test("responses without a body", arguments: [("HEAD", "/bytes/100", "100"), ("GET", "/status/204", nil)])
    func bodyless(method: String, target: String, length: String?) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let response = try await server.ask2(method, target)
            expectEqual(response.headers["content-length"], length)
            #expect(response.body.isEmpty)
            expectNil(response.reset)
        }
    }

    @Test("trailers end a streamed body")
    func trailers() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            let response = try await server.ask2("GET", "/trailers")
            expectEqual(response.text, "body with trailers\n")
            expectEqual(response.trailers, ["x-checksum": "8d5f", "x-count": "2"])
        }
    }

    @Test("an expected 100 is sent when the body is read, a refusal without it")
    func expectContinue() async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await HTTP2Client.with(port: server.port) { client async throws in
                let fields = [("expect", "100-continue"), ("content-length", "5")]
                let head = HTTP2Client.head("POST", "/anything", fields)
                let accepted = try await client.withStream(head, hasBody: true) { stream, inbound in
                    guard case .headers(let interim) = try await inbound.next() else { return "no head" }
                    expectEqual(interim.headers.first(name: ":status"), "100")
                    try await stream.send(Array("hello".utf8), endStream: true)
                    return try await HTTP2Client.read(&inbound).text
                }
                #expect(accepted.contains("\"data\": \"hello\""))
                let refusal = HTTP2Client.head("POST", "/nowhere", fields)
                let refused = try await client.withStream(refusal, hasBody: true) { _, inbound in
                    try await HTTP2Client.read(&inbound)
                }
                expectEqual(refused.status, 404)
                expectEqual(refused.reset, 0)
            }
        }
    }

    @Test("a head the protocol forbids ends its stream only", arguments: [("X-Upper", "1"), ("connection", "close")])
    func malformedHead(field: (String, String)) async throws {
        try await TestServer.withServer(.init(http2: .byPriorKnowledge)) { server async throws in
            try await RawClient.with(port: server.port) { client async throws in
                // Preface, empty SETTINGS, two HEADERS of HPACK's static `GET http /`, the first with one more field.
                try await client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                let literal =
                    [0x00, UInt8(field.0.utf8.count)] + Array(field.0.utf8) + [UInt8(field.1.utf8.count)]
                    + Array(field.1.utf8)
                let block: [UInt8] = [0x82, 0x86, 0x84]
                let first = [0, 0, UInt8(block.count + literal.count), 1, 5, 0, 0, 0, 1] + block + literal
                try await client.send([0, 0, 0, 4, 0, 0, 0, 0, 0] + first + [0, 0, 3, 1, 5, 0, 0, 0, 3] + block)
                var frames: [(type: UInt8, stream: UInt8, start: [UInt8])] = []
                while frames.last.map({ $0.stream == 3 }) != true {
                    let head = try await client.bytes(9)
                    let payload = try await client.bytes(Int(head[1]) << 8 | Int(head[2]))
                    frames.append((head[3], head[8], Array(payload.prefix(4))))
                }
                let reset = try #require(frames.first { $0.type == 3 })
                expectEqual(reset.stream, 1)
                expectEqual(reset.start, [0, 0, 0, 1])
            }
            expectEqual(server.requestCount, 1)
        }
    }
}
