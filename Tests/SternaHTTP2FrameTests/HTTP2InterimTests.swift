import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Interim responses over HTTP/2 (RFC 9113 §8.1; RFC 8297).
@Suite("HTTP/2: interim responses", .timeLimit(.minutes(5)))
struct HTTP2InterimTests {
    private static let link = HTTPField.Name("Link") ?? .eTag

    private static func hints(_ stream: UInt32, _ links: String...) -> WireFrame {
        .headers(stream, HeaderBlock.encode([(":status", "103")] + links.map { ("link", $0) }))
    }

    @Test("100 and 103 are told of with their fields, in their order", arguments: [false, true])
    func told(secure: Bool) async throws {
        let told = Mutex<[InformationalResponse]>([])
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(
                .headers(stream, HeaderBlock.encode([(":status", "100")])), Self.hints(stream, "</a>", "</b>"),
                .headers(stream, HeaderBlock.encode([(":status", "199"), ("x-a", "b")])), Self.hints(stream, "</c>"))
            try await connection.respond(stream, headers: [("x-a", "final")], text: "ok")
        } body: { api, _ in
            let reply = try await api.get("row") {
                $0.onInformational = { response in told.withLock { $0.append(response) } }
            }
            try await expectEqual(reply.text(), "ok")
            expectEqual(reply.headers.count, 1)
            expectNil(reply.headers[Self.link])
        }
        let responses = told.withLock { $0 }
        expectEqual(responses.map(\.status), [100, 103, 199, 103])
        expectEqual(responses.map { $0.headers[values: Self.link] }, [[], ["</a>", "</b>"], [], ["</c>"]])
    }

    @Test("They come before the answer")
    func early() async throws {
        let told = Counter()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(Self.hints(stream, "</a>"))
            // The answer waits for the hints to have arrived.
            #expect(await eventually { told.value == 1 })
            try await connection.respond(stream, text: "ok")
        } body: { api, _ in
            let reply = try await api.get("row") { $0.onInformational = { _ in told.add() } }
            try await expectEqual(reply.text(), "ok")
            expectEqual(told.value, 1)
        }
    }

    @Test("As many as are allowed", arguments: [1, 16])
    func most(count: Int) async throws {
        let told = Counter()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send((0..<count).map { Self.hints(stream, "</\($0)>") })
            try await connection.respond(stream, text: "ok")
        } body: { api, _ in
            let reply = try await api.get("row") { $0.onInformational = { _ in told.add() } }
            try await expectEqual(reply.text(), "ok")
        }
        expectEqual(told.value, count)
    }

    @Test("Nobody has to listen, and a length in one means nothing")
    func unheard() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(
                .headers(stream, HeaderBlock.encode([(":status", "103"), ("content-length", "40")])))
            try await connection.respond(stream, headers: [("content-length", "2")], text: "ok")
        } body: { api, _ in
            try await api.expect("ok", at: "row")
        }
    }

    @Test("Each request of a connection receives its own")
    func apart() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            for link in ["</a>", "</b>"] {
                let stream = try await connection.request().stream
                try await connection.send(Self.hints(stream, link))
                try await connection.respond(stream, text: "ok")
            }
        } body: { api, peer in
            for link in ["</a>", "</b>"] {
                let told = Mutex<[String?]>([])
                try await api.get("row") {
                    $0.onInformational = { response in told.withLock { $0.append(response.headers[Self.link]) } }
                }
                expectEqual(told.withLock { $0 }, [link])
            }
            expectEqual(peer.connectionCount, 1)
        }
    }
}
