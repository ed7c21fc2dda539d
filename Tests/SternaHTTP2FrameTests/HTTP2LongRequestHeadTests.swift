import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// A request's field section that does not fit into one frame of the peer's (RFC 9113 §4.2).
@Suite("HTTP/2: long heads of requests", .timeLimit(.minutes(5)))
struct HTTP2LongRequestHeadTests {
    /// Text of which no code of RFC 7541 makes less than five eighths.
    private static func text(_ count: Int) -> String {
        String(decoding: Wire.pattern(count).map { $0 % 94 + 33 }, as: UTF8.self)
    }

    /// One request between two others: it must fail before anything is sent, and they must not notice.
    private func refused(isFirst: Bool, _ headers: Headers, secure: Bool = false) async throws {
        try await FrameScene.withSession(secure: secure) { connection in
            try await connection.handshake()
            for path in isFirst ? ["/behind"] : ["/before", "/behind"] {
                let request = try await connection.request()
                expectEqual(request.path, path)
                try await connection.respond(request.stream, text: path)
            }
            try await connection.roundTrip()
            expectEqual(connection.requestCount, (isFirst ? 1 : 2))
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            if !isFirst { try await api.expect("/before", at: "before") }
            let error = await FrameScene.failure([.limitExceeded, .invalidRequest], [.prepare]) {
                try await api.get("long", headers: headers)
            }
            expectEqual(error?.requestSent, false)
            try await api.expect("/behind", at: "behind")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("One long field is refused, and the connection is good", arguments: [false, true], [false, true])
    func field(isFirst: Bool, secure: Bool) async throws {
        try await refused(isFirst: isFirst, ["X-Long": Self.text(40_000)], secure: secure)
    }

    @Test("So are many fields")
    func fields() async throws {
        try await refused(isFirst: false, Headers((0..<200).map { ("X-Field-\($0)", Self.text(200)) }))
    }

    @Test("So is one behind fields that are new to the connection's table")
    func table() async throws {
        try await refused(isFirst: false, ["X-New": "1", "X-Long": Self.text(40_000), "X-Newer": "2"])
    }

    @Test("What fits is sent whole", arguments: [1_000, 12_000])
    func fitting(count: Int) async throws {
        let text = Self.text(count)
        let request = try await FrameScene.sent { api, _ in try await api.get("row", headers: ["X-Long": text]) }
        expectEqual(request["x-long"], text)
        #expect(request.block.count <= 16_384 * request.frameCount)
    }

    @Test("A peer that takes larger frames is sent larger heads")
    func larger() async throws {
        let text = Self.text(40_000)
        try await FrameScene.withSession { connection in
            try await connection.handshake(settings: [(WireFrame.Setting.maxFrameSize, 1 << 17)])
            try await connection.respond(connection.request().stream, text: "before")
            let request = try await connection.request()
            expectEqual(request["x-long"], text)
            try await connection.respond(request.stream, text: "long")
        } body: { api, _ in
            try await api.expect("before", at: "before")
            let reply = try await api.get("row", headers: ["X-Long": text])
            try await expectEqual(reply.text(), "long")
        }
    }
}
