import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Several uploads on one connection: what one cannot use is the others', and what all want is shared.
@Suite("HTTP/2: uploads take turns", .timeLimit(.minutes(5)))
struct HTTP2UploadTurnsTests {
    private static let window = WireFrame.Setting.initialWindowSize

    /// Sends uploads at once behind a first request; each has a content of its own.
    private func uploads(
        _ kind: HTTP2Scene.Upload, _ count: Int, length: Int, beside: (@Sendable (Session) async throws -> Void)? = nil,
        script: @escaping @Sendable (PeerConnection, inout WindowLedger) async throws -> Void
    ) async throws {
        let contents = (0..<count).map { Wire.pattern(length, seed: UInt8($0)) }
        let files = try contents.map { try TestFile($0) }
        try await FramePeer.withPeer { connection in
            var ledger = WindowLedger(connection)
            try await script(connection, &ledger)
            ledger.check()
            // Their heads are taken when their content has come.
            for request in try await connection.requests(count) {
                _ = try await connection.trailers(of: request.stream)
                let number = Int(request.path?.dropFirst() ?? "") ?? 0
                let content = connection.content(of: request.stream)
                #expect(HTTP2Scene.same(content, contents[number]), "upload \(number)")
                try await connection.respond(request.stream, text: request.path ?? "")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let tasks = try (0..<count).map { number in
                let body = try HTTP2Scene.body(kind, contents[number], files[number])
                return Task { try await api.put("\(number)", body: body).text() }
            }
            try await beside?(api)
            for (number, task) in tasks.enumerated() { try await expectEqual(task.value, "/\(number)") }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
            withExtendedLifetime(files) {}
        }
    }

    /// The streams of the uploads, behind that of the first request.
    private static func streams(_ count: Int) -> [UInt32] { (0..<count).map { UInt32(2 * $0 + 3) } }

    @Test(
        "The connection's window may be used up before the streams' ones", arguments: HTTP2Scene.Upload.allCases)
    func connection(kind: HTTP2Scene.Upload) async throws {
        try await uploads(kind, 3, length: 100_000) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 1 << 20)])
            var open = 65_535
            for more in [10_000, 70_000, 154_466] {
                try await expectEqual(connection.settledData(atLeast: open), open)
                try await ledger.grant(0, more)
                open += more
            }
            try await expectEqual(connection.settledData(atLeast: 300_000), 300_000)
        }
    }

    @Test("A used-up connection window does not block a request without a body")
    func beside() async throws {
        let isUsedUp = Gate()
        try await uploads(
            .bytes, 2, length: 100_000,
            beside: { api in
                await isUsedUp.pass()
                let text = try await api.get("beside").text()
                expectEqual(text, "beside")
            }
        ) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 1 << 20)])
            try await expectEqual(connection.settledData(atLeast: 65_535), 65_535)
            try await connection.waitForRequests(3)
            isUsedUp.open()
            try await connection.waitForRequests(4)
            try await connection.respond(7, text: "beside")
            try await expectEqual(connection.settledData(atLeast: 65_535), 65_535)
            _ = try await connection.receive(.headers, stream: 7)
            try await ledger.grant(0, 200_000)
        }
    }

    @Test("A larger initial window enlarges the windows of all streams", arguments: HTTP2Scene.Upload.allCases)
    func raised(kind: HTTP2Scene.Upload) async throws {
        try await uploads(kind, 2, length: 100_000) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 10_000)], connectionWindow: 1 << 20)
            try await expectEqual(connection.settledData(atLeast: 20_000), 20_000)
            try await ledger.change([(Self.window, 60_000)])
            try await expectEqual(connection.settledData(atLeast: 120_000), 120_000)
            for stream in Self.streams(2) { expectEqual(connection.dataCount(stream), 60_000) }
            try await ledger.change([(Self.window, 100_000)])
            try await expectEqual(connection.settledData(atLeast: 200_000), 200_000)
        }
    }

    @Test("A stream's closed window does not block other streams", arguments: HTTP2Scene.Upload.allCases)
    func blocked(kind: HTTP2Scene.Upload) async throws {
        try await uploads(kind, 3, length: 60_000) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 0)], connectionWindow: 65_535)
            try await connection.waitForRequests(4)
            // The connection has room for one of them, which those that wait must not keep.
            for stream in Self.streams(3).reversed() {
                expectEqual(connection.dataCount(stream), 0)
                try await ledger.grant(stream, 60_000)
                try await expectEqual(connection.settledData(stream, atLeast: 60_000), 60_000)
                try await ledger.grant(0, 60_000)
            }
        }
    }

    @Test(
        "Small steps of the connection's window are shared by all", arguments: HTTP2Scene.Upload.allCases,
        [4_096, 20_000])
    func shared(kind: HTTP2Scene.Upload, step: Int) async throws {
        let length = 400_000
        try await uploads(kind, 4, length: length) { connection, ledger in
            try await ledger.greet(settings: [(Self.window, 1 << 20)])
            try await connection.waitForRequests(5)
            var open = 65_535
            _ = try await connection.settledData(atLeast: open)
            let before = Self.streams(4).map { connection.dataCount($0) }
            let steps = 320_000 / step
            for _ in 0..<steps {
                try await ledger.grant(0, step)
                open += step
                try await connection.wait("a step") { state in
                    let sum = state.log.reduce(0) { $1.kind == .data ? $0 + $1.payload.count : $0 }
                    return sum >= open ? () : nil
                }
            }
            let moved = zip(Self.streams(4), before).map { connection.dataCount($0) - $1 }
            expectEqual(moved.reduce(0, +), steps * step)
            // A quarter each would be fair; a quarter of that is more than one gets that waits for others.
            #expect(moved.allSatisfy { $0 >= steps * step / 16 }, "\(moved)")
            // More than the rest, so that the ends have room, too.
            try await ledger.grant(0, 4 * length)
        }
    }
}
