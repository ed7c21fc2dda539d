import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Fields behind a request's body (RFC 9110, 6.5; RFC 9112, 7.1.2).
@Suite("Trailers of requests", .timeLimit(.minutes(5)))
struct RequestTrailerTests {
    private struct Mishap: Error {}

    private static let digest = HTTPField.Name("X-Digest") ?? .eTag
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func body(_ text: String = "hello", _ fields: HTTPFields = [digest: "abc"]) -> Body {
        Body.text(text).withTrailers { fields }
    }

    /// What a server received of one request that it answers when the last chunk is there; the head and the rest.
    private func received(
        _ body: Body, secure: Bool = false, threshold: Int64? = nil, before: [ScriptedServer.Step] = [],
        headers: Headers = [:]
    ) async throws -> (head: String, rest: String) {
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        // Behind the head stand the chunks, and an empty line behind the fields or the last chunk.
        let script: [ScriptedServer.Step] = [.receiveHead] + before + [.receiveHead, .send(Self.ok)]
        return try await ScriptedServer.withServer(tls: bundle, connections: [script]) { server in
            let api = try DialScene.session(server.url, authority: authority) {
                $0.limits.continueThreshold = threshold
            }
            let reply = try await api.post("a", body: body, headers: headers)
            expectEqual(reply.status, 200)
            let text = String(decoding: server.received(connection: 0), as: UTF8.self)
            let end = try #require(text.firstRange(of: "\r\n\r\n")).upperBound
            return (String(text[..<end]), String(text[end...]))
        }
    }

    @Test("A body with trailers is sent in chunks, with the fields after it", arguments: [false, true])
    func sent(secure: Bool) async throws {
        let (head, rest) = try await received(Self.body(), secure: secure)
        #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!head.contains("Content-Length"))
        expectEqual(rest, "5\r\nhello\r\n0\r\nX-Digest: abc\r\n\r\n")
    }

    @Test("Several fields are sent in order, a repeated name and the caller's Trailer field included")
    func several() async throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: Self.digest, value: "one"))
        fields.append(HTTPField(name: .eTag, value: "\"two\""))
        fields.append(HTTPField(name: Self.digest, value: "three"))
        let (head, rest) = try await received(Self.body("x", fields), headers: ["Trailer": "X-Digest, ETag"])
        #expect(head.contains("\r\nTrailer: X-Digest, ETag\r\n"))
        expectEqual(rest, "1\r\nx\r\n0\r\nX-Digest: one\r\nETag: \"two\"\r\nX-Digest: three\r\n\r\n")
    }

    @Test("Empty trailers send no fields, and an empty body may have trailers")
    func empty() async throws {
        try await expectEqual(received(Self.body("x", [:])).rest, "1\r\nx\r\n0\r\n\r\n")
        try await expectEqual(received(Self.body("")).rest, "0\r\nX-Digest: abc\r\n\r\n")
    }

    @Test("Trailers are requested when the whole body has been read")
    func order() async throws {
        let count = Counter()
        let producer = BodyProducer(length: nil, isReplayable: false) {
            { count.add() <= 3 ? Bytes(string: "piece") : nil }
        }
        let body = Body(segments: [.producer(producer)]).withTrailers { [Self.digest: "\(count.value)"] }
        #expect(try await received(body).rest.hasSuffix("\r\n0\r\nX-Digest: 4\r\n\r\n"))
    }

    @Test("A transformed body keeps its trailers")
    func changed() async throws {
        let text = String(repeating: "long ", count: 2_000)
        for body in [
            Self.body(text).compressed(), Self.body(text).throttled(delay: .zero),
            try await Self.body(text).collected(),
        ] {
            #expect(body.trailers != nil)
            try await expectEqual(body.trailers?()[Self.digest], "abc")
        }
    }

    @Test("Trailers of a file are sent")
    func file() async throws {
        let file = try TestFile(Wire.pattern(300_000))
        let rest = try await ScriptedServer.withServer(connections: [
            [.receiveHead, .receive(atLeast: 300_000), .receiveHead, .send(Self.ok)]
        ]) { server in
            let body = try Body.file(file.path).withTrailers { [Self.digest: "abc"] }
            try await expectEqual(DialScene.session(server.url).post("a", body: body).status, 200)
            return server.received(connection: 0)
        }
        expectEqual(rest.suffix(22), Array("\r\n0\r\nX-Digest: abc\r\n\r\n".utf8)[...])
    }

    @Test(
        "Fields for framing, routing and processing are refused as trailers",
        arguments: [
            "Transfer-Encoding", "content-length", "HOST", "Connection", "Keep-Alive", "TE", "Trailer", "Upgrade",
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Content-Encoding", "Content-Type",
            "Content-Range", "Range", "Expect", "Max-Forwards", "Cache-Control", "If-Match", "If-None-Match",
            "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Proxy-Connection",
            "WWW-Authenticate",
        ])
    func forbidden(name: String) async throws {
        let field = try #require(HTTPField.Name(name))
        let error = try await Wire.refusal(.invalidHeader, .write, script: [], settings: { $0.network.proxies = .none })
        {
            api in
            _ = try await api.post("row", body: Self.body("x", [Self.digest: "abc", field: "1"]))
        }
        expectEqual(error?.detail.contains(name), true)
        expectEqual(error?.requestSent, true)
    }

    @Test("An error of the trailers' closure fails the request and closes the connection")
    func thrown() async throws {
        let error = try await Wire.refusal(.writeFailed, .write, script: [], settings: { $0.network.proxies = .none }) {
            api in
            _ = try await api.post("row", body: Body.text("x").withTrailers { throw Mishap() })
        }
        #expect(error?.underlying is Mishap)
        let own = try await Wire.refusal(.fileUnreadable, .write, script: [], settings: { $0.network.proxies = .none })
        { api in
            _ = try await api.post(
                "row",
                body: Body.text("x").withTrailers { throw SternaError(.fileUnreadable, phase: .write, "Gone.") })
        }
        expectEqual(own?.detail, "Gone.")
    }

    @Test("A closure that never returns trailers ends with the time-out or the cancellation")
    func hanging() async throws {
        let ended = Counter()
        let body = Body.text("x").withTrailers {
            defer { ended.add() }
            try await Task.sleep(for: .seconds(3_600))
            return [:]
        }
        try await Wire.refusal(.timedOut, .write, script: [], settings: { $0.timeouts.total = Wire.short }) { api in
            _ = try await api.post("row", body: body)
        }
        #expect(await eventually { ended.value == 1 })
    }

    @Test("A 307 requests the trailers again")
    func redirected() async throws {
        let away: [ScriptedServer.Step] = [
            .receiveHead, .receiveHead, .send("HTTP/1.1 307 Away\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
            .receiveHead, .receiveHead, .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [away]) { server in
            let count = Counter()
            let body = Body.text("x").withTrailers { [Self.digest: "\(count.add())"] }
            let reply = try await DialScene.session(server.url).post("a", body: body)
            expectEqual(reply.status, 200)
            let text = String(decoding: server.received(connection: 0), as: UTF8.self)
            let parts = text.split(separator: "POST ").map(String.init)
            expectEqual(parts.count, 2)
            expectEqual(parts.first?.hasSuffix("1\r\nx\r\n0\r\nX-Digest: 1\r\n\r\n"), true)
            expectEqual(parts.last?.hasSuffix("1\r\nx\r\n0\r\nX-Digest: 2\r\n\r\n"), true)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("The connection is kept after trailers")
    func kept() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .receiveHead, .send(Self.ok), .receiveHead, .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let api = try DialScene.session(server.url)
            try await api.post("a", body: Self.body())
            try await expectEqual(api.get("b").status, 200)
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("With Expect, trailers follow a requested body, and are not made for one that was not requested")
    func expects() async throws {
        let (head, rest) = try await received(
            Self.body(), threshold: 0, before: [.send("HTTP/1.1 100 Continue\r\n\r\n")])
        #expect(head.contains("\r\nExpect: 100-continue\r\n"))
        expectEqual(rest, "5\r\nhello\r\n0\r\nX-Digest: abc\r\n\r\n")

        let refusal: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"), .waitForClose,
        ]
        try await ScriptedServer.withServer(connections: [refusal]) { server in
            let count = Counter()
            let body = Body.text("hello").withTrailers {
                count.add()
                return [:]
            }
            let api = try DialScene.session(server.url) { $0.limits.continueThreshold = 0 }
            let error = await #expect(throws: SternaError.self) { try await api.post("a", body: body) }
            expectEqual(error?.status, 413)
            expectEqual(count.value, 0)
        }
    }

    @Test("After 417 the body and its trailers are sent without waiting")
    func expectationRefused() async throws {
        let refusal: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"), .waitForClose,
        ]
        try await ScriptedServer.withServer(connections: [refusal, [.receiveHead, .receiveHead, .send(Self.ok)]]) {
            server in
            let count = Counter()
            let body = Body.text("hello").withTrailers { [Self.digest: "\(count.add())"] }
            let api = try DialScene.session(server.url) { $0.limits.continueThreshold = 0 }
            try await expectEqual(api.post("a", body: body).status, 200)
            let text = String(decoding: server.received(connection: 1), as: UTF8.self)
            #expect(!text.contains("Expect"))
            #expect(text.hasSuffix("5\r\nhello\r\n0\r\nX-Digest: 1\r\n\r\n"))
        }
    }

    @Test("A field's value cannot begin another line")
    func injection() async throws {
        let (_, rest) = try await received(Self.body("x", [Self.digest: "a\r\nX-Other: b"]))
        #expect(!rest.contains("\r\nX-Other"))
    }
}
