import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// What is too much of one response: its stream's error, since others on the connection did nothing.
@Suite("HTTP/2: limits of a response", .timeLimit(.minutes(5)))
struct HTTP2ResponseLimitTests {
    private static let codes: Set<WireFrame.Code> = [.protocolError, .enhanceYourCalm, .cancel]

    private static func hints(_ stream: UInt32, _ count: Int) -> [WireFrame] {
        let block = HeaderBlock.encode([(":status", "103"), ("link", "</a>")])
        return (0..<count).map { _ in .headers(stream, block) }
    }

    @Test("More interim heads than are allowed", arguments: [0, 1, 16], [false, true])
    func interim(count: Int, isSlow: Bool) async throws {
        let told = Counter()
        let engine = FrameScene.engine { $0.limits.informationalCount = count }
        try await FrameScene.streamError(.limitExceeded, reset: .required(Self.codes), engine: engine) {
            connection, stream in
            if isSlow {
                for frame in Self.hints(stream, count + 1) { try await connection.send(frame) }
            } else {
                try await connection.send(Self.hints(stream, count + 1))
            }
        } ask: { api in
            try await api.get("row") { $0.onInformational = { _ in told.add() } }
        }
        expectEqual(told.value, count)
    }

    @Test("Far more of them", arguments: [100, 2_000])
    func flood(count: Int) async throws {
        try await FrameScene.streamError(.limitExceeded, reset: .required(Self.codes)) { connection, stream in
            try await connection.send(Self.hints(stream, count))
        }
    }

    private static func fields(_ count: Int) -> [(String, String)] { (0..<count).map { ("x-\($0)", "1") } }

    @Test("More fields than are allowed", arguments: [257, 1_000], [false, true])
    func fields(count: Int, isEnded: Bool) async throws {
        let block = HeaderBlock.encode([(":status", "200")] + Self.fields(count))
        try await FrameScene.streamError(.limitExceeded, reset: isEnded ? .optional : .required(Self.codes)) {
            connection, stream in
            try await connection.send(WireFrame.headerFrames(stream, block, end: isEnded))
        }
    }

    @Test("More trailers than are allowed", arguments: [257, 1_000])
    func trailers(count: Int) async throws {
        let block = HeaderBlock.encode(Self.fields(count))
        try await FrameScene.streamError(.limitExceeded, reset: .optional) { connection, stream in
            try await connection.respond(stream, body: [1, 2, 3], end: false)
            try await connection.send(WireFrame.headerFrames(stream, block, end: true))
        }
    }

    @Test("As many as are allowed", arguments: [1, 20, 256])
    func allowed(count: Int) async throws {
        let engine = FrameScene.engine { $0.limits.fieldCount = count }
        try await FrameScene.withSession(engine: engine) { connection in
            try await connection.handshake()
            let stream = try await connection.request().stream
            try await connection.send(Self.hints(stream, 16))
            try await connection.respond(stream, headers: Self.fields(count), body: [1], end: false)
            try await connection.sendTrailers(stream, Self.fields(count))
        } body: { api, _ in
            let told = Counter()
            let reply = try await api.get("row") { $0.onInformational = { _ in told.add() } }
            expectEqual(reply.headers.count, count)
            expectEqual(reply.response.body.trailers?.count, count)
            expectEqual(told.value, 16)
        }
    }
}
