import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Fields that a request may not have in HTTP/2, and how the others are written (RFC 9113 §8.2).
@Suite("HTTP/2: the fields of requests", .timeLimit(.minutes(5)))
struct HTTP2RequestFieldsTests {
    @Test("Names are in lower case, values as they are", arguments: [false, true])
    func lowerCase(secure: Bool) async throws {
        let request = try await FrameScene.sent(secure: secure) { api, _ in
            try await api.with { $0.headers["X-Session-FIELD"] = "Session Value" }
                .get("row", headers: ["X-ReQuest": "Own Value", "ACCEPT": "Text/Plain"])
        }
        #expect(request.names.allSatisfy { $0 == $0.lowercased() && !$0.isEmpty })
        expectEqual(request["x-session-field"], "Session Value")
        expectEqual(request["x-request"], "Own Value")
        expectEqual(request.values("accept"), ["Text/Plain"])
        expectEqual(request["user-agent"]?.isEmpty, false)
    }

    @Test("Lines of one name stay lines, in their order")
    func repeated() async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["X-Many": "1", "X-Other": "2", "x-many": "3"])
        }
        expectEqual(request.values("x-many"), ["1", "3"])
    }

    @Test(
        "Fields of the connection are not sent (RFC 9113 §8.2.2)",
        arguments: [
            ("Connection", "close"), ("connection", "keep-alive"), ("Keep-Alive", "timeout=5"),
            ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"), ("Proxy-Connection", "keep-alive"),
            ("Host", "other.test"), ("HOST", "other.test"),
        ])
    func connectionFields(name: String, value: String) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: [name: value, "X-Behind": "1"])
        }
        #expect(!request.names.contains(name.lowercased()))
        #expect(!request.names.contains(name))
        expectEqual(request["x-behind"], "1")
    }

    @Test(
        "Nor are the fields that Connection names", arguments: ["X-Hop", "close, x-hop", "x-other ,X-HOP", ",x-hop,"])
    func namedFields(connection: String) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["X-Hop": "1", "Connection": connection, "X-Stay": "2"])
        }
        expectNil(request["x-hop"])
        expectNil(request["connection"])
        expectEqual(request["x-stay"], "2")
    }

    @Test("TE says “trailers” or nothing", arguments: ["gzip", "trailers, deflate;q=0.5", "trailersx", ""])
    func te(value: String) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: ["TE": value, "X-Behind": "1"])
        }
        #expect(request.values("te").allSatisfy { $0 == "trailers" })
        expectEqual(request["x-behind"], "1")
    }

    @Test("“TE: trailers” is sent", arguments: ["trailers", "Trailers"])
    func trailers(value: String) async throws {
        let request = try await FrameScene.sent { api, _ in try await api.get("row", headers: ["TE": value]) }
        expectEqual(request.values("te").map { $0.lowercased() }, ["trailers"])
    }

    // MARK: Content-Length

    @Test("A body of known length has its Content-Length", arguments: [1, 5, 20_000])
    func length(count: Int) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.post("row", body: .bytes(Wire.pattern(count)))
        }
        expectEqual(request.values("content-length"), ["\(count)"])
    }

    @Test("A caller's Content-Length and Transfer-Encoding do not count")
    func framing() async throws {
        let request = try await FrameScene.sent { api, _ in
            let headers: Headers = ["Content-Length": "3", "Transfer-Encoding": "chunked", "content-length": "7"]
            try await api.post("row", body: .bytes(Array("hello".utf8)), headers: headers)
        }
        expectEqual(request.values("content-length"), ["5"])
        expectNil(request["transfer-encoding"])
    }

    @Test("A body of unknown length has none, and ends all the same")
    func unknownLength() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let request = try await connection.request()
            expectNil(request["content-length"])
            expectNil(request["transfer-encoding"])
            try await expectEqual(connection.body(of: request.stream), Array("one two".utf8))
            try await connection.respond(request.stream)
        } body: { api, _ in
            let stream = AsyncStream<Bytes> { continuation in
                for text in ["one", " ", "two"] { continuation.yield(Bytes(string: text)) }
                continuation.finish()
            }
            let reply = try await api.post("row", body: .stream(stream))
            expectEqual(reply.status, 200)
        }
    }

    @Test("A POST without a body says so", arguments: [Request.Method.post, .put, .patch])
    func none(method: Request.Method) async throws {
        let request = try await FrameScene.sent { api, _ in try await api.request(method, "row") }
        expectEqual(request.values("content-length"), ["0"])
        #expect(request.endStream)
    }

    // MARK: What cannot be sent

    @Test("A field that cannot be sent fails alone, before anything is sent", arguments: ["a\r\nb", "a\0", "\n"])
    func refused(value: String) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            for text in ["one", "two"] {
                let request = try await connection.request()
                expectEqual(request.path, "/\(text)")
                try await connection.respond(request.stream, text: text)
            }
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            try await api.expect("one", at: "one")
            await Wire.failure(.invalidHeader, .prepare) { try await api.get("bad", headers: ["X-Bad": value]) }
            try await api.expect("two", at: "two")
            expectEqual(peer.totalRequests, 2)
            expectEqual(peer.connectionCount, 1)
        }
    }
}
