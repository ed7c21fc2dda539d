import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The PING by which the client learns how much has to be on its way.
@Suite("HTTP/2: probes", .timeLimit(.minutes(5)))
struct HTTP2ProbeTests {
    private static let ok = HeaderBlock.encode([(":status", "200")])

    /// The pings of the client's own, and its answers to the peer's, in order.
    private static func pings(_ connection: PeerConnection) -> [Bool] {
        connection.log.filter { $0.kind == .ping }.map { !$0.isAck }
    }

    @Test("A body within the first window is worth none", arguments: [1, 5, 16_384, 100_000])
    func small(size: Int) async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let stream = try await connection.request().stream
                try await connection.respond(stream, body: Wire.pattern(size))
            }
            try await connection.roundTrip()
            expectEqual(Self.pings(connection), [false])
        } body: { api, _ in
            for _ in 0..<2 {
                let body = try await api.get("row").body
                #expect(Wire.same(body, Wire.pattern(size)))
            }
        }
    }

    @Test("As large a frame as may be and a PING: the answer to it comes first (RFC 9113 §4.2, §6.7)")
    func frame() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(
                .headers(stream, Self.ok), .data(stream, Wire.pattern(16_384), end: true), .ping())
            _ = try await connection.receive(.ping)
            expectEqual(Self.pings(connection), [false])
        } body: { api, _ in
            let body = try await api.get("row").body
            #expect(Wire.same(body, Wire.pattern(16_384)))
        }
    }

    @Test("A large body is worth one, behind the answer to a PING that came with it", arguments: [false, true])
    func large(isTold: Bool) async throws {
        let size = 200_000
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let fields = isTold ? [("content-length", "\(size)")] : []
            try await connection.respondHead(stream, headers: fields)
            let content = Wire.pattern(size)
            let start = isTold ? 0 : 140_000
            if !isTold { try await connection.sendBody(stream, Array(content[..<130_000]), end: false) }
            try await connection.roundTrip()
            let before = Self.pings(connection)
            expectEqual(before, [false])
            if !isTold { try await connection.sendBody(stream, Array(content[130_000..<start]), end: false) }
            try await connection.send(.data(stream, Array(content[start..<start + 1_000])), .ping())
            _ = try await connection.receive("a probe") { $0.kind == .ping && !$0.isAck }
            if isTold { expectEqual(Self.pings(connection), [false, false, true]) }
            try await connection.sendBody(stream, Array(content[(start + 1_000)...]))
        } body: { api, _ in
            let body = try await api.get("row").body
            #expect(Wire.same(body, Wire.pattern(size)))
        }
    }
}
