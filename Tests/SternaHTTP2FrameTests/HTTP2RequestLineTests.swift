import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What the request line is in HTTP/2: pseudo-header fields (RFC 9113 §8.3.1).
@Suite("HTTP/2: the pseudo-header fields of requests", .timeLimit(.minutes(5)))
struct HTTP2RequestLineTests {
    static let pseudo: Set<String> = [":method", ":scheme", ":authority", ":path"]

    @Test("They come first, each once, before all others", arguments: [false, true])
    func order(secure: Bool) async throws {
        let request = try await FrameScene.sent(secure: secure) { api, _ in
            try await api.get("a/b", headers: ["X-One": "1", "Accept": "text/plain"])
        }
        expectEqual(request.stream % 2, 1)
        expectEqual(Set(request.names.prefix(4)), Self.pseudo)
        #expect(request.names.dropFirst(4).allSatisfy { !$0.hasPrefix(":") })
        #expect(request.names.count > 4)
        expectEqual(request.method, "GET")
        expectEqual(request.scheme, (secure ? "https" : "http"))
        expectEqual(request.path, "/a/b")
    }

    @Test("The answer's version is HTTP/2", arguments: [false, true])
    func version(secure: Bool) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            expectEqual(connection.clientSettings[WireFrame.Setting.enablePush], 0)
            try await connection.respond(connection.request().stream, text: "two")
        } body: { api, _ in
            let reply = try await api.get("row")
            expectEqual(reply.response.version, .http2)
            try await expectEqual(reply.text(), "two")
        }
    }

    @Test("The authority is the URL's host and port", arguments: [false, true])
    func authority(secure: Bool) async throws {
        let authority = Mutex("")
        let request = try await FrameScene.sent(secure: secure) { api, peer in
            authority.withLock { $0 = "\(secure ? "localhost" : "127.0.0.1"):\(peer.port)" }
            try await api.get("row")
        }
        expectEqual(request.authority, authority.withLock { $0 })
        expectNil(request["host"])
    }

    @Test("A Host field of the caller's is the authority", arguments: ["Host", "host", "hOST"])
    func host(name: String) async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", headers: [name: "other.test:8080", "X-Last": "1"])
        }
        expectEqual(request.values(":authority"), ["other.test:8080"])
        #expect(request.names.allSatisfy { $0.lowercased() != "host" })
        expectEqual(request["x-last"], "1")
        expectEqual(Set(request.names.prefix(4)), Self.pseudo)
    }

    @Test(
        "Path and query",
        arguments: [
            ("", "/"), ("/", "/"), ("?q=1", "/?q=1"), ("/a/b", "/a/b"), ("/a/b/", "/a/b/"),
            ("/a?x=1&y=%20&z", "/a?x=1&y=%20&z"), ("/a?", "/a?"), ("/a#part", "/a"), ("/a?b#part?c", "/a?b"),
            ("/a%2Fb", "/a%2Fb"), ("/\u{FC}", "/%C3%BC"), ("/a//b", "/a//b"), ("/a/../b", "/b"),
        ])
    func path(reference: String, path: String) async throws {
        let request = try await FrameScene.sent { api, peer in try await api.get(peer.url + reference) }
        expectEqual(request.values(":path"), [path])
    }

    @Test("Parameters are in the path's query")
    func parameters() async throws {
        let request = try await FrameScene.sent { api, _ in
            try await api.get("row", parameters: ["name": "a b&c"], headers: [:])
        }
        expectEqual(request.path?.hasPrefix("/row?name=a"), true)
        expectEqual(request.path?.contains(" "), false)
        expectEqual(request.path?.hasSuffix("%26c"), true)
    }

    @Test(
        "The method is as it is, and HEADERS end a request without a body",
        arguments: [Request.Method.get, .head, .delete, .options, .trace])
    func method(method: Request.Method) async throws {
        let request = try await FrameScene.sent { api, _ in try await api.request(method, "row") }
        expectEqual(request.method, method.rawValue)
        #expect(request.endStream)
        expectNil(request["content-length"])
    }

    @Test("A custom method")
    func ownMethod() async throws {
        let method = try #require(Request.Method("Purge"))
        let request = try await FrameScene.sent { api, _ in try await api.request(method, "row") }
        expectEqual(request.method, "Purge")
        #expect(request.endStream)
    }

    @Test("HEADERS do not end a request with a body, and DATA does", arguments: [Request.Method.post, .put, .patch])
    func body(method: Request.Method) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let request = try await connection.request()
            expectEqual(request.method, method.rawValue)
            #expect(!request.endStream)
            try await expectEqual(connection.body(of: request.stream), Array("hello".utf8))
            try await connection.respond(request.stream)
            try await connection.roundTrip()
            expectEqual(connection.log.count { $0.stream == request.stream && $0.endsStream }, 1)
            #expect(!connection.log.contains { $0.kind == .reset })
        } body: { api, _ in
            let reply = try await api.request(method, "row", body: .bytes(Array("hello".utf8)))
            expectEqual(reply.status, 200)
        }
    }

    @Test("Streams are odd and rise, from 1")
    func streams() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            var streams: [UInt32] = []
            for _ in 0..<3 {
                let request = try await connection.request()
                streams.append(request.stream)
                try await connection.respond(request.stream, text: "ok")
            }
            expectEqual(streams, [1, 3, 5])
        } body: { api, peer in
            for _ in 0..<3 { try await api.expect("ok", at: "row") }
            expectEqual(peer.connectionCount, 1)
        }
    }
}
