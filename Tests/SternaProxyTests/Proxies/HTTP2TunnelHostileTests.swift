import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Proxies that break HTTP/2: an error for those whom it concerns, soon, and a connection that works for the next.
@Suite("Proxies: HTTP/2 that is broken", .timeLimit(.minutes(5)))
struct HTTP2TunnelHostileTests {
    /// When a proxy does it.
    enum Moment: Sendable {
        /// In the place of its SETTINGS.
        case opening
        /// While a CONNECT waits for its answer.
        case waiting
        /// In a tunnel that is open, behind the first bytes of TLS.
        case open
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let moment: Moment
        let name: String
        let bytes: @Sendable (_ stream: UInt32) -> [UInt8]
        /// Whether it may be passed over, so that time has to end the request.
        var isHarmless = false

        init(
            _ moment: Moment, _ name: String, isHarmless: Bool = false,
            _ frames: @escaping @Sendable (UInt32) -> [WireFrame]
        ) {
            self.moment = moment
            self.name = name
            self.isHarmless = isHarmless
            bytes = { frames($0).flatMap(\.bytes) }
        }

        init(_ moment: Moment, _ name: String, text: String) {
            self.moment = moment
            self.name = name
            bytes = { _ in Array(text.utf8) }
        }

        var testDescription: String { "\(moment): \(name)" }
    }

    private static let ok = HeaderBlock.encode([(":status", "200")])

    private static func setting(_ identifier: UInt16, _ value: UInt32) -> [WireFrame] {
        [.settings([(identifier, value)])]
    }

    static let openings: [Row] = [
        Row(.opening, "HTTP/1.1", text: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        Row(.opening, "no frame", text: String(repeating: "z", count: 100)),
        Row(.opening, "GOAWAY first") { _ in [.goAway(last: 0)] },
        Row(.opening, "an error and nothing else") { _ in [.settings([]), .goAway(last: 0, code: .internalError)] },
        Row(.opening, "HEADERS first") { _ in [.headers(1, ok)] },
        Row(.opening, "a window too large") { _ in setting(WireFrame.Setting.initialWindowSize, 1 << 31) },
        Row(.opening, "frames too small") { _ in setting(WireFrame.Setting.maxFrameSize, 1) },
        Row(.opening, "SETTINGS of a stream") { _ in [WireFrame(.settings, stream: 1)] },
        Row(.opening, "SETTINGS cut off") { _ in [WireFrame(.settings, payload: [0, 1, 0, 0, 0])] },
        Row(.opening, "an acknowledgement with content") { _ in
            [.settings([]), WireFrame(.settings, flags: WireFrame.Flag.ack, payload: [0, 1, 0, 0, 0, 0])]
        },
    ]

    /// What is wrong at any time.
    private static func always(_ moment: Moment) -> [Row] {
        [
            Row(moment, "DATA of no stream") { _ in [.data(0, [1])] },
            Row(moment, "DATA of a stream that never was") { _ in [.data(99, [1])] },
            Row(moment, "HEADERS of a stream that never was") { _ in [.headers(99, ok)] },
            Row(moment, "HEADERS of the proxy's own") { _ in [.headers(2, ok)] },
            Row(moment, "PUSH_PROMISE") { [.pushPromise($0, promised: 2, ok)] },
            Row(moment, "RST_STREAM of no stream") { _ in [.reset(0, .cancel)] },
            Row(moment, "RST_STREAM of a stream that never was") { _ in [.reset(99, .cancel)] },
            Row(moment, "RST_STREAM cut off") { [WireFrame(.reset, stream: $0, payload: [0])] },
            Row(moment, "no increment") { _ in [.windowUpdate(0, 0)] },
            Row(moment, "a window without end") { _ in [.windowUpdate(0, 0x7FFF_FFFF), .windowUpdate(0, 0x7FFF_FFFF)] },
            Row(moment, "a stream's window without end") {
                [.windowUpdate($0, 0x7FFF_FFFF), .windowUpdate($0, 0x7FFF_FFFF)]
            },
            Row(moment, "CONTINUATION of nothing") { [.continuation($0, ok)] },
            Row(moment, "a frame too large") { [WireFrame(.data, stream: $0, payload: [], rawLength: 0xFF_FFFF)] },
            Row(moment, "a block that is none") { [.headers($0, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])] },
            Row(moment, "a block with another frame in it") { [.headers($0, ok, endHeaders: false), .ping()] },
            Row(moment, "GOAWAY of a stream") {
                [WireFrame(.goAway, stream: $0, payload: [UInt8](repeating: 0, count: 8))]
            },
            Row(moment, "GOAWAY with an error") { _ in [.goAway(last: 0, code: .internalError)] },
            Row(moment, "PING cut off") { _ in [WireFrame(.ping, payload: [1])] },
            Row(moment, "padding longer than its frame") { [WireFrame(.data, flags: 8, stream: $0, payload: [9, 1])] },
        ]
    }

    static let waiting: [Row] =
        always(.waiting) + [
            Row(.waiting, "GOAWAY for all that follows") { [.goAway(last: $0)] + [.reset($0, .internalError)] }
        ]

    static let open: [Row] =
        always(.open) + [
            Row(.open, "another head") { [.headers($0, ok)] },
            Row(.open, "trailers") { [.headers($0, HeaderBlock.encode([("x-a", "b")]), end: true)] },
            Row(.open, "END_STREAM") { [.data($0, [], end: true)] },
            Row(.open, "DATA behind END_STREAM") { [.data($0, [], end: true), .data($0, [1])] },
            Row(.open, "RST_STREAM") { [.reset($0, .connectError)] },
            Row(.open, "no error") { [.reset($0, .noError)] },
            Row(.open, "what is no TLS") { [.data($0, Array("HTTP/1.1 200 OK\r\n\r\n".utf8))] },
            Row(.open, "more than the window") { stream in
                let piece = WireFrame.data(stream, [UInt8](repeating: 0x16, count: 16_384))
                return Array(repeating: piece, count: 2_000)
            },
        ]

    static let floods: [Row] =
        [Moment.waiting, .open].flatMap { moment -> [Row] in
            [
                Row(moment, "PING", isHarmless: true) { _ in Array(repeating: .ping(), count: 50_000) },
                Row(moment, "SETTINGS", isHarmless: true) { _ in Array(repeating: .settings([]), count: 50_000) },
                Row(moment, "what nobody knows", isHarmless: true) { _ in
                    Array(repeating: .unknown(type: 0xFA), count: 50_000)
                },
                Row(moment, "PRIORITY", isHarmless: true) { Array(repeating: .priority($0), count: 50_000) },
                Row(moment, "windows", isHarmless: true) { Array(repeating: .windowUpdate($0, 1), count: 50_000) },
            ]
        } + [
            Row(.open, "DATA with nothing", isHarmless: true) { Array(repeating: .data($0, []), count: 50_000) }
        ]

    private func play(_ row: Row, location: SourceLocation = #_sourceLocation) async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"]), location: location) { connection in
            if connection.number == 0 {
                try await Self.begin(row, connection)
                // The client may have gone, and owes nothing.
                try? await connection.serve { try await connection.respond($0.stream, status: 418) }
            } else {
                try await connection.handshake()
                try await connection.serve { try await connection.respond($0.stream, status: 418) }
            }
        } body: { peer in
            // A flood ends the connection long before; the TLS handshake may take its time on a busy machine.
            let limit = Duration.seconds(10)
            let patient = try ProxyScene.session(peer.url, authority: authority)
            let api = patient.with {
                $0.timeouts.proxy = limit
                $0.timeouts.tls = limit
            }
            let error = await #expect(throws: SternaError.self, sourceLocation: location) {
                try await api.get("https://origin.test/get")
            }
            let kinds: Set<SternaError.Kind> = [.proxyFailed, .connectionClosed, .tlsFailed, .limitExceeded]
            let text = error.map { "\($0)" } ?? ""
            expectEqual(
                error.map { kinds.contains($0.kind) || row.isHarmless && $0.kind == .timedOut }, true, "\(text)",
                sourceLocation: location)
            #expect(error?.phase == .proxy || error?.phase == .tls, "\(text)", sourceLocation: location)
            expectEqual(error?.requestSent, false, sourceLocation: location)
            expectNil(error?.response, sourceLocation: location)
            let next = await Wire.failure(.proxyFailed, .proxy, location: location) {
                try await patient.get("https://origin.test/get")
            }
            expectEqual(next?.proxyResponse?.status.code, 418, sourceLocation: location)
        }
    }

    private static func begin(_ row: Row, _ connection: PeerConnection) async throws {
        if row.moment == .opening {
            try await connection.receivePreface()
            return try await connection.send(bytes: row.bytes(1))
        }
        try await connection.handshake()
        let stream = try await connection.request().stream
        if row.moment == .open {
            try await connection.respondHead(stream)
            _ = try await connection.receive(.data, stream: stream)
        }
        // A client that closes in the middle of it has seen enough.
        try? await connection.send(bytes: row.bytes(stream))
    }

    @Test("In the handshake", arguments: openings)
    func opening(row: Row) async throws { try await play(row) }

    @Test("While a CONNECT waits", arguments: waiting)
    func waits(row: Row) async throws { try await play(row) }

    @Test("In an open tunnel", arguments: open)
    func tunnel(row: Row) async throws { try await play(row) }

    @Test("Floods", arguments: floods)
    func flood(row: Row) async throws { try await play(row) }

    @Test("Silence instead of SETTINGS blocks no request forever")
    func silence() async throws {
        let authority = try CertificateAuthority()
        try await FramePeer.withPeer(tls: try authority.issue(hosts: ["localhost"])) { connection in
            guard connection.number > 0 else { return }
            try await connection.handshake()
            try await connection.serve { try await connection.respond($0.stream, status: 418) }
        } body: { peer in
            let api = try ProxyScene.session(peer.url, authority: authority)
            let hasty = api.with { $0.timeouts.proxy = .milliseconds(700) }
            await Wire.failure(.timedOut, .proxy) { try await hasty.get("https://origin.test/get") }
            let next = await Wire.failure(.proxyFailed, .proxy) { try await api.get("https://origin.test/get") }
            expectEqual(next?.proxyResponse?.status.code, 418)
            expectEqual(peer.connectionCount, 2)
        }
    }
}
