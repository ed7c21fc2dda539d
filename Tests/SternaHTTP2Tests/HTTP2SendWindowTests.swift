import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Uploads and the windows that servers open for them (RFC 9113 §5.2, §6.9): every byte is judged by a ledger.
@Suite("HTTP/2: windows for uploads", .timeLimit(.minutes(5)))
struct HTTP2SendWindowTests {
    private static let window = WireFrame.Setting.initialWindowSize

    /// Sends one upload behind a first request, and expects it to be answered.
    private func upload(
        _ body: Body, script: @escaping @Sendable (PeerConnection, inout WindowLedger) async throws -> Void
    ) async throws {
        try await FramePeer.withPeer { connection in
            var ledger = WindowLedger(connection)
            try await script(connection, &ledger)
            ledger.check()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            try await expectEqual(api.post("row", body: body).text(), "all")
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("Uploads of 5 MB arrive unchanged", arguments: HTTP2Scene.Upload.allCases, [false, true])
    func whole(kind: HTTP2Scene.Upload, secure: Bool) async throws {
        let content = Wire.pattern(5_000_000)
        let file = try TestFile(content)
        let authority = try CertificateAuthority()
        let bundle = secure ? try authority.issue(hosts: ["localhost"]) : nil
        try await FramePeer.withPeer(tls: bundle) { connection in
            try await connection.handshake()
            for _ in 0..<2 {
                let request = try await connection.request()
                #expect(!request.endStream)
                expectEqual(request["content-length"], (kind == .open ? nil : "5000000"))
                expectNil(request["transfer-encoding"])
                #expect(HTTP2Scene.same(try await connection.body(of: request.stream), content))
                try await connection.respond(request.stream, text: "all")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer, authority: secure ? authority : nil)
            for _ in 0..<2 {
                let body = try HTTP2Scene.body(kind, content, file)
                try await expectEqual(api.post("row", body: body).text(), "all")
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A window of one byte sends one byte at a time", arguments: HTTP2Scene.Upload.allCases)
    func single(kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(25)
        let file = try TestFile(content)
        try await upload(try HTTP2Scene.body(kind, content, file, piece: 10)) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 1)])
            let stream = try await connection.request().stream
            for count in 1...content.count {
                try await expectEqual(connection.settledData(stream, atLeast: count), count)
                try await ledger.grant(stream, 1)
            }
            _ = try await connection.trailers(of: stream)
            #expect(HTTP2Scene.same(connection.content(of: stream), content))
            try await connection.respond(stream, text: "all")
        }
    }

    @Test("A window may be closed, opened, negative, and opened again", arguments: HTTP2Scene.Upload.allCases)
    func closed(kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(90_000)
        let file = try TestFile(content)
        try await upload(try HTTP2Scene.body(kind, content, file)) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 0)], connectionWindow: 1 << 20)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 0), 0)
            try await ledger.change([(Self.window, 30_000)])
            try await expectEqual(connection.settledData(stream, atLeast: 30_000), 30_000)
            try await ledger.change([(Self.window, 0)])
            try await ledger.grant(stream, 30_000)
            try await expectEqual(connection.settledData(stream, atLeast: 30_000), 30_000)
            try await ledger.change([(Self.window, 65_535)])
            _ = try await connection.trailers(of: stream)
            #expect(HTTP2Scene.same(connection.content(of: stream), content))
            try await connection.respond(stream, text: "all")
        }
    }

    @Test(
        "A negative window sends nothing before it is above zero again", arguments: HTTP2Scene.Upload.allCases
    )
    func negative(kind: HTTP2Scene.Upload) async throws {
        let content = Wire.pattern(200_000)
        let file = try TestFile(content)
        try await upload(try HTTP2Scene.body(kind, content, file)) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 61_440)], connectionWindow: 1 << 20)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 61_440), 61_440)
            try await ledger.change([(Self.window, 16_384)])
            for paid in [40_000, 5_056] {
                try await ledger.grant(stream, paid)
                try await expectEqual(connection.settledData(stream, atLeast: 0), 61_440)
            }
            try await ledger.grant(stream, 1)
            try await expectEqual(connection.settledData(stream, atLeast: 61_441), 61_441)
            try await ledger.change([(Self.window, 1 << 20)])
            _ = try await connection.trailers(of: stream)
            #expect(HTTP2Scene.same(connection.content(of: stream), content))
            try await connection.respond(stream, text: "all")
        }
    }

    @Test("An empty body needs no window", arguments: HTTP2Scene.Upload.allCases)
    func empty(kind: HTTP2Scene.Upload) async throws {
        let file = try TestFile([])
        try await upload(try HTTP2Scene.body(kind, [], file)) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 0)])
            let stream = try await connection.request().stream
            _ = try await connection.trailers(of: stream)
            expectEqual(connection.dataCount(stream), 0)
            try await connection.respond(stream, text: "all")
        }
    }

    @Test(
        "The end of a body needs no window, of the stream or the connection", arguments: [false, true])
    func endAtZero(isConnections: Bool) async throws {
        let ends = Gate()
        let body = HTTP2Scene.body(Wire.pattern(65_535), endsAt: ends)
        try await upload(body) { connection, ledger in
            let settings = isConnections ? [(Self.window, UInt32(1 << 20))] : []
            try await ledger.greet(settings: settings, connectionWindow: isConnections ? 65_535 : 1 << 20)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            ends.open()
            _ = try await connection.trailers(of: stream)
            expectEqual(connection.dataCount(stream), 65_535)
            try await connection.respond(stream, text: "all")
        }
    }

    @Test(
        "A body of unknown length may end while its window is negative", arguments: [0, 100, 16_384],
        [false, true])
    func endBelowZero(initial: UInt32, hasTrailers: Bool) async throws {
        let ends = Gate()
        let asked = Counter()
        var body = HTTP2Scene.body(Wire.pattern(65_535), endsAt: ends, asked: asked)
        if hasTrailers { body = body.withTrailers { [.contentLanguage: "en"] } }
        try await upload(body) { connection, ledger in
            try await ledger.greet(connectionWindow: 1 << 20)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 65_535), 65_535)
            try await ledger.change([(Self.window, initial)])
            ends.open()
            // A client may ask for more only when there is room for it.
            _ = await eventually(within: .seconds(2)) { asked.value > 0 }
            try await expectEqual(connection.settledData(stream, atLeast: 0), 65_535)
            try await ledger.grant(stream, 65_536)
            let trailers = try await connection.trailers(of: stream)
            expectEqual(trailers?.map(\.1), (hasTrailers ? ["en"] : nil))
            expectEqual(connection.dataCount(stream), 65_535)
            try await connection.respond(stream, text: "all")
        }
    }

    @Test("Window updates of ended streams, and of streams without uploads, change nothing")
    func finished() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            for _ in 0..<2 {
                let stream = try await connection.request().stream
                _ = try await connection.body(of: stream, creditsWindows: false)
                try await connection.send(.windowUpdate(stream, 1_000), .windowUpdate(0, 1_000))
                try await connection.roundTrip()
                try await connection.respond(stream, text: "in")
                try await connection.send(
                    .windowUpdate(stream, 1 << 20), .windowUpdate(1, 0x7FFF_FFFF), .priority(stream))
                try await connection.roundTrip()
            }
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            for _ in 0..<2 { try await expectEqual(api.post("row", body: .text("body")).text(), "in") }
            try await expectEqual(api.get("last").text(), "/last")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
