import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Answers that come before the request's body is through (RFC 9113 §8.1): they are delivered, and cost the stream alone.
@Suite("HTTP/2: early responses", .timeLimit(.minutes(5)))
struct HTTP2EarlyFinalAnswerTests {
    /// How the server ends the stream whose body it does not want.
    enum Ending: CaseIterable {
        case resetAtOnce, resetLater, client
    }

    private static let window: [(UInt16, UInt32)] = [(WireFrame.Setting.initialWindowSize, 8_192)]

    /// Answers an upload whose window is used up.
    private static func answer(
        _ request: PeerRequest, _ connection: PeerConnection, status: Int, _ ending: Ending,
        code: WireFrame.Code = .noError
    ) async throws {
        _ = try await connection.body(of: request.stream, atLeast: 1, creditsWindows: false)
        let head = HeaderBlock.encode([(":status", "\(status)"), ("content-length", "8")])
        let frames: [WireFrame] = [
            .headers(request.stream, head), .data(request.stream, Array("too much".utf8), end: true),
        ]
        try await connection.send(frames + (ending == .resetAtOnce ? [.reset(request.stream, code)] : []))
    }

    @Test(
        "The response is delivered, and the connection is kept", arguments: HTTP2Scene.Upload.allCases,
        Ending.allCases)
    func delivered(kind: HTTP2Scene.Upload, ending: Ending) async throws {
        let content = Wire.pattern(300_000)
        let file = try TestFile(content)
        for (status, code) in [(413, WireFrame.Code.noError), (200, .noError), (200, .cancel), (413, .internalError)] {
            try await FramePeer.withPeer { connection in
                try await connection.greet(settings: Self.window)
                let request = try await connection.request()
                try await Self.answer(request, connection, status: status, ending, code: code)
                switch ending {
                case .resetAtOnce: break
                case .resetLater:
                    try await connection.roundTrip()
                    try await connection.send(.reset(request.stream, code))
                case .client:
                    let own = try await connection.resetCode(of: request.stream)
                    #expect(own == .noError || own == .cancel)
                }
                try await connection.roundTrip()
                // Nobody wants more of it, though there is room.
                let count = connection.frames(of: request.stream).count
                try await connection.send(.windowUpdate(request.stream, 1 << 20), .windowUpdate(0, 1 << 20))
                try await connection.roundTrip()
                expectEqual(connection.frames(of: request.stream).count, count)
                #expect(connection.frames(of: request.stream).count { $0.kind == .reset } <= 1)
                #expect(connection.frames(of: request.stream).allSatisfy { !$0.endsStream })
                try await connection.servePaths()
            } body: { peer in
                let api = try HTTP2Scene.session(peer)
                try await api.get("first")
                let body = try HTTP2Scene.body(kind, content, file)
                if status == 200 {
                    try await expectEqual(api.post("row", body: body).text(), "too much")
                } else {
                    let error = await Wire.failure(.unacceptableStatus, .decode) {
                        try await api.post("row", body: body)
                    }
                    expectEqual(error?.status, status)
                    expectEqual(error?.body.map { String(buffer: $0) }, "too much")
                }
                try await expectEqual(api.get("next").text(), "/next")
                expectEqual(peer.connectionCount, 1)
            }
        }
    }

    @Test("A pending source is cancelled when its bytes are no longer needed")
    func source() async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: Self.window)
            let request = try await connection.request()
            try await Self.answer(request, connection, status: 200, .resetAtOnce)
            try await connection.servePaths()
        } body: { peer in
            let told = Counter()
            let calls = Counter()
            let producer = BodyProducer(length: nil, isReplayable: false) {
                {
                    if calls.add() == 1 { return Bytes(repeating: 1, count: 100) }
                    do {
                        try await Task.sleep(for: .seconds(3_600))
                    } catch {
                        told.add()
                        throw error
                    }
                    return nil
                }
            }
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let reply = try await api.post("row", body: Body(segments: [.producer(producer)]))
            try await expectEqual(reply.text(), "too much")
            #expect(await eventually { told.value == 1 })
            try await expectEqual(api.get("next").text(), "/next")
        }
    }

    /// More than the 200 resets in 30 s after which SwiftNIO's HTTP/2 ends a connection unless it is told otherwise.
    @Test("300 early responses do not end the connection", arguments: [1, 20], [Ending.resetAtOnce, .client])
    func threeHundred(atOnce: Int, ending: Ending) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.greet(settings: Self.window)
            try await connection.send(.windowUpdate(0, 1 << 30))
            try await connection.serve { request in
                guard request.method == "POST" else { return try await connection.respond(request.stream, text: "end") }
                try await Self.answer(request, connection, status: 200, ending)
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let content = Wire.pattern(50_000)
            for _ in 0..<300 / atOnce {
                let texts = try await HTTP2Scene.texts(atOnce) { _ in
                    try await api.post("row", body: .bytes(content)).text()
                }
                try #require(peer.connectionCount == 1)
                try #require(texts.allSatisfy { $0 == "too much" })
            }
            try await expectEqual(api.get("last").text(), "end")
            expectEqual(peer.connectionCount, 1)
            expectEqual(peer.totalRequests, 302)
        }
    }
}
