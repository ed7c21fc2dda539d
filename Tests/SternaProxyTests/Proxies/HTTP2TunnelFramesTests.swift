import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Tunnels through a proxy that speaks HTTP/2 frame by frame, right and wrong.
@Suite("Proxies: tunnels over HTTP/2, frame by frame", .timeLimit(.minutes(5)))
struct HTTP2TunnelFramesTests {
    private static let frame = HTTP2Scene.frame

    /// A scripted proxy, and an origin that is `origin.test`.
    private func with(
        credits: Bool = true, dress: PeerConnection.Dress? = nil, location: SourceLocation = #_sourceLocation,
        _ body: (_ api: Session, FramePeer, TestServer) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost", "origin.test", "origin1.test"])
        try await TestServer.withServer(.init(tls: bundle)) { origin in
            let port = origin.port
            try await FramePeer.withPeer(tls: bundle, patience: .seconds(60), location: location) { connection in
                try await connection.handshake()
                try await connection.carryAll(to: port, credits: credits, dress: dress)
            } body: { peer in
                try await PoolSupport.withLoops { group in
                    let engine = PoolSupport.engine(group: group)
                    let api = try ProxyScene.session(peer.url, engine: engine, authority: authority) {
                        $0.timeout = PoolSupport.ages
                    }
                    let result: Result<Void, any Error>
                    do { result = .success(try await body(api, peer, origin)) } catch { result = .failure(error) }
                    await engine.shutDown(within: .seconds(1))
                    try result.get()
                }
            }
        }
    }

    struct DressRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let dress: PeerConnection.Dress

        init(_ name: String, _ dress: @escaping PeerConnection.Dress) {
            testDescription = name
            self.dress = dress
        }
    }

    private static func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    static let dresses: [DressRow] = [
        DressRow("a byte a frame") { stream, bytes in pieces(bytes, 1).map { .data(stream, $0) } },
        DressRow("padding") { stream, bytes in pieces(bytes, 500).map { .data(stream, $0, padding: 255) } },
        DressRow("padding of no bytes") { stream, bytes in pieces(bytes, 500).map { .data(stream, $0, padding: 0) } },
        DressRow("an empty frame before each") { stream, bytes in
            pieces(bytes, 8_000).flatMap { [.data(stream, []), .data(stream, $0)] }
        },
        DressRow("other frames between") { stream, bytes in
            pieces(bytes, 4_000).flatMap { piece -> [WireFrame] in
                [
                    .ping(), .data(stream, piece), .windowUpdate(stream, 1), .windowUpdate(0, 1),
                    .priority(stream), .unknown(type: 0xFA, stream: stream, payload: [1, 2, 3]), .unknown(type: 0xFB),
                ]
            }
        },
    ]

    @Test("A tunnel carries the content of DATA, however it is split", arguments: dresses)
    func dressed(row: DressRow) async throws {
        try await with(dress: row.dress) { api, peer, _ in
            for count in [0, 1, 20_000] {
                let reply = try await api.get("https://origin.test/bytes/\(count)")
                expectEqual(reply.body.readableBytes, count)
            }
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 1)
        }
    }

    @Test("An upload stops at the proxy's windows, and resumes when they open")
    func windows() async throws {
        let content = Wire.pattern(1_000_000)
        try await with(credits: false) { api, peer, origin in
            origin.route("PUT", "/pattern") { request in
                .text(try await request.body.collect() == content ? "same" : "other")
            }
            let upload = Task { try await api.put("https://origin.test/pattern", body: .bytes(content)).text() }
            let connection = try await peer.connection(0)
            try await expectEqual(connection.settledData(1, atLeast: 65_535), 65_535)
            try await connection.send(.windowUpdate(0, 1 << 20))
            try await connection.roundTrip()
            expectEqual(connection.dataCount(1), 65_535)
            // The others have their own windows, and what is left of the connection's.
            #expect(try await api.get("https://origin1.test/bytes/100000").body.readableBytes == 100_000)
            expectEqual(connection.dataCount(1), 65_535)
            try await connection.send(.windowUpdate(1, 1 << 20), .windowUpdate(0, 1 << 20))
            try await expectEqual(upload.value, "same")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("A negative window stops sending until it is positive again")
    func shrinking() async throws {
        let content = Wire.pattern(300_000)
        try await with(credits: false) { api, peer, origin in
            origin.route("PUT", "/pattern") { request in
                .text(try await request.body.collect() == content ? "same" : "other")
            }
            let upload = Task { try await api.put("https://origin.test/pattern", body: .bytes(content)).text() }
            let connection = try await peer.connection(0)
            try await expectEqual(connection.settledData(1, atLeast: 65_535), 65_535)
            try await connection.set(WireFrame.Setting.initialWindowSize, 0)
            try await connection.send(.windowUpdate(0, 1 << 20), .windowUpdate(1, 65_535))
            try await connection.roundTrip()
            expectEqual(connection.dataCount(1), 65_535)
            try await connection.send(.windowUpdate(1, 1 << 20))
            try await expectEqual(upload.value, "same")
        }
    }

    // MARK: Answers that are none

    static let answers: [FrameRow] = [
        FrameRow("no status") { [.headers($0, HeaderBlock.encode([("x-a", "b")]))] },
        FrameRow("nothing at all") { [.headers($0, [])] },
        FrameRow("a status that is empty") { [.headers($0, HeaderBlock.encode([(":status", "")]))] },
        FrameRow("a status of letters") { [.headers($0, HeaderBlock.encode([(":status", "2x0")]))] },
        FrameRow("a status of two digits") { [.headers($0, HeaderBlock.encode([(":status", "20")]))] },
        FrameRow("a status of four digits") { [.headers($0, HeaderBlock.encode([(":status", "2000")]))] },
        FrameRow("a status below 100") { [.headers($0, HeaderBlock.encode([(":status", "099")]))] },
        FrameRow("two of them") { [.headers($0, HeaderBlock.encode([(":status", "200"), (":status", "200")]))] },
        FrameRow("one behind a field") { [.headers($0, HeaderBlock.encode([("x-a", "b"), (":status", "200")]))] },
        FrameRow("a pseudo-header field of requests") {
            [.headers($0, HeaderBlock.encode([(":status", "200"), (":method", "GET")]))]
        },
        FrameRow("a name in upper case") { [.headers($0, HeaderBlock.encode([(":status", "200"), ("X-A", "b")]))] },
        FrameRow("a line end in a value") {
            [.headers($0, HeaderBlock.encode([(":status", "200"), ("x-a", "b\r\nx-c: d")]))]
        },
        FrameRow("a field of HTTP/1.1's connections") {
            [.headers($0, HeaderBlock.encode([(":status", "200"), ("transfer-encoding", "chunked")]))]
        },
        FrameRow("101") { [.headers($0, HeaderBlock.encode([(":status", "101")]))] },
        FrameRow("1xx that ends the stream") { [.headers($0, HeaderBlock.encode([(":status", "103")]), end: true)] },
        FrameRow("200 that ends the stream") { [.headers($0, HeaderBlock.encode([(":status", "200")]), end: true)] },
        FrameRow("DATA before it") { [.data($0, [1, 2, 3]), .headers($0, HeaderBlock.encode([(":status", "200")]))] },
        FrameRow("DATA that ends the stream before it") { [.data($0, [], end: true)] },
        FrameRow("DATA between 1xx and it") {
            [.headers($0, HeaderBlock.encode([(":status", "103")])), .data($0, [1])]
        },
    ]

    @Test("An invalid response fails only its request, as over HTTP/1.1", arguments: answers)
    func malformed(row: FrameRow) async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            try await connection.handshake()
            if connection.number == 0 {
                let stream = try await connection.request().stream
                try await connection.send(row.frames(stream))
            }
            try await connection.serve { try await connection.respond($0.stream, status: 418) }
        } body: { peer in
            let api = try ProxyScene.session("https://ada:hidden@localhost:\(peer.port)", authority: authority)
            let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
            expectEqual(error?.requestSent, false)
            expectNil(error?.response)
            expectEqual(error.map { "\($0) \(String(reflecting: $0))".contains("hidden") }, false)
            let next = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
            expectEqual(next?.proxyResponse?.status.code, 418)
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 2)
            let connection = try await peer.connection(0)
            #expect(!connection.log.contains { $0.kind == .data || $0.kind == .goAway })
        }
    }

    @Test(
        "The head of a response has the limit of HTTP/1.1, in any number of frames",
        arguments: [40_000, 1_000_000])
    func long(count: Int) async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            try await connection.handshake()
            if connection.number == 0 {
                let stream = try await connection.request().stream
                let fields = (0..<count / 1_000).map { ("x-\($0)", String(repeating: "f", count: 1_000)) }
                let block = HeaderBlock.encode([(":status", "418")] + fields)
                // A client that has seen enough may close in the middle of it.
                try? await connection.send(WireFrame.headerFrames(stream, block, end: true))
            }
            try? await connection.serve { try await connection.respond($0.stream, status: 418) }
        } body: { peer in
            let api = try ProxyScene.session(peer.url, authority: authority)
            let error = await #expect(throws: SternaError.self) { try await api.get("https://origin.test/get") }
            #expect(error?.kind == .proxyFailed || count > 64 << 10 && error?.kind == .limitExceeded)
            expectEqual(error?.phase, .proxy)
            expectEqual((error?.proxyResponse?.status.code == 418), (count < 64 << 10))
            let next = await #expect(throws: SternaError.self) { try await api.get("https://origin.test/get") }
            expectEqual(next?.proxyResponse?.status.code, 418)
        }
    }

    @Test("Endless 1xx fail the request")
    func interim() async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            let hints = WireFrame.headers(stream, HeaderBlock.encode([(":status", "103")]))
            for _ in 0..<100 {
                guard connection.resets.isEmpty, !connection.isClosed else { return }
                try? await connection.send(Array(repeating: hints, count: 1_000))
            }
        } body: { peer in
            let api = try ProxyScene.session(peer.url, authority: authority)
            let error = await #expect(throws: SternaError.self) { try await api.get("https://origin.test/get") }
            #expect(error?.kind == .proxyFailed || error?.kind == .limitExceeded)
            expectEqual(error?.phase, .proxy)
            let connection = try await peer.connection(0)
            let isOver = await eventually { connection.isClosed || connection.resets.count == 1 }
            #expect(isOver)
        }
    }
}
