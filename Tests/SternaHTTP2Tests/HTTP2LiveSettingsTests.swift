import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// SETTINGS that change while a connection is used (RFC 9113 §6.5).
@Suite("HTTP/2: SETTINGS that change", .timeLimit(.minutes(5)))
struct HTTP2LiveSettingsTests {
    /// The size of the table that a block begins by changing; nil where it begins with a field (RFC 7541 §6.3).
    private static func announcedSize(_ block: [UInt8]) -> Int? {
        guard let first = block.first, first & 0xE0 == 0x20 else { return nil }
        guard first & 0x1F == 0x1F else { return Int(first & 0x1F) }
        var size = 0x1F
        var shift = 0
        for byte in block.dropFirst().prefix(4) {
            size += Int(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { break }
            shift += 7
        }
        return size
    }

    @Test("A smaller field table is announced in the next block, and observed", arguments: [0, 100])
    func table(size: UInt32) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake()
            for number in 0..<9 {
                // The peer's decoder has no more than that table, and refuses what refers to a larger one.
                let request = try await connection.request()
                expectEqual(request.path, "/\(number)")
                expectEqual(request["x-kept"], "a value that is worth an entry")
                if number == 3 {
                    let announced = try #require(Self.announcedSize(request.block))
                    #expect(announced <= Int(size))
                }
                if number == 2 { try await connection.set(WireFrame.Setting.headerTableSize, size) }
                if number == 5 { try await connection.set(WireFrame.Setting.headerTableSize, 4_096) }
                try await connection.respond(request.stream, text: "in")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for number in 0..<9 {
                let reply = try await api.get("\(number)", headers: ["X-Kept": "a value that is worth an entry"])
                expectEqual(reply.status, 200)
            }
            expectEqual(peer.connectionCount, 1)
            try await peer.waitForScripts()
        }
    }

    @Test("A larger field table may be used, but need not be", arguments: [8_192, UInt32.max])
    func largerTable(size: UInt32) async throws {
        try await FramePeer.withPeer { connection in
            try await connection.handshake(settings: [(WireFrame.Setting.headerTableSize, size)])
            for number in 0..<40 {
                let request = try await connection.request()
                expectEqual(request["x-long"], String(repeating: "\(number % 10)", count: 400))
                try await connection.respond(request.stream, text: "in")
            }
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            for number in 0..<40 {
                try await api.get("row", headers: ["X-Long": String(repeating: "\(number % 10)", count: 400)])
            }
            try await peer.waitForScripts()
        }
    }

    @Test(
        "Larger frames are sent only as long as the server allows them",
        arguments: HTTP2Scene.Upload.allCases, [20_000, 16_777_215])
    func frames(kind: HTTP2Scene.Upload, size: UInt32) async throws {
        let content = Wire.pattern(700_000)
        let file = try TestFile(content)
        try await FramePeer.withPeer { connection in
            var ledger = WindowLedger(connection)
            try await ledger.greet(
                settings: [(WireFrame.Setting.initialWindowSize, 50_000)], connectionWindow: 1 << 24)
            let stream = try await connection.request().stream
            try await expectEqual(connection.settledData(stream, atLeast: 50_000), 50_000)
            try await ledger.change([(WireFrame.Setting.maxFrameSize, size)])
            try await ledger.grant(stream, 300_000)
            try await expectEqual(connection.settledData(stream, atLeast: 350_000), 350_000)
            try await ledger.change([(WireFrame.Setting.maxFrameSize, 16_384)])
            try await ledger.grant(stream, 350_000)
            _ = try await connection.trailers(of: stream)
            #expect(HTTP2Scene.same(connection.content(of: stream), content))
            ledger.check()
            try await connection.respond(stream, text: "all")
        } body: { peer in
            let api = try HTTP2Scene.session(peer)
            try await api.get("first")
            let body = try HTTP2Scene.body(kind, content, file)
            try await expectEqual(api.put("row", body: body).text(), "all")
            try await peer.waitForScripts()
        }
    }

    @Test("SETTINGS between any two frames of responses are acknowledged in order and change nothing else")
    func between() async throws {
        let content = Wire.pattern(40_000)
        try await FramePeer.withPeer { connection in
            try await connection.greet()
            let requests = try await connection.requests(2)
            for (number, request) in requests.enumerated() {
                try await connection.set(WireFrame.Setting.initialWindowSize, UInt32(number))
                try await connection.respondHead(request.stream)
                try await connection.set(WireFrame.Setting.maxConcurrentStreams, UInt32(number))
                try await connection.sendBody(request.stream, Array(content[..<20_000]), end: false)
                try await connection.set(WireFrame.Setting.maxFrameSize, UInt32(16_384 + number))
                try await connection.sendBody(request.stream, Array(content[20_000...]))
                try await connection.set(WireFrame.Setting.initialWindowSize, 100_000)
            }
            expectEqual(connection.log.count { $0.kind == .settings && $0.isAck }, 9)
            try await connection.set(WireFrame.Setting.maxConcurrentStreams, 100)
            try await connection.servePaths()
        } body: { peer in
            let api = try HTTP2Scene.session(peer, PoolSupport.engine { $0.maximumConnectionsPerOrigin = 1 }) {
                $0.responseSerializer = .data
            }
            try await api.get("first")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        let body = try await api.get("\(number)").body
                        #expect(Wire.same(body, content))
                    }
                }
                try await group.waitForAll()
            }
            try await expectEqual(api.get("last").text(), "/last")
            expectEqual(peer.connectionCount, 1)
        }
    }
}
