import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// Against servers that others wrote. Those that are not installed are left out; CI installs them.
@Suite("Interop: HTTP/2", .serialized, .timeLimit(.minutes(5)))
struct HTTP2InteropTests {
    @Test("A small document, its head, and one that is not there", arguments: HTTP2Program.there)
    func small(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            for _ in 0..<3 {
                let reply = try await api.get("tern.json")
                expectEqual(reply.status, 200)
                expectEqual(reply.response.version, .http2)
                try await expectEqual(reply.text(), HTTP2Origin.small)
                let head = try await api.head("large.bin")
                expectEqual(head.response.version, .http2)
                expectEqual(head.fields("Content-Length"), ["20971520"])
                #expect(try head.data().isEmpty)
                let missing = await #expect(throws: SternaError.self) { try await api.get("nothing-here") }
                expectEqual(missing?.status, 404)
                expectEqual(missing?.response?.version, .http2)
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    @Test("A hundred requests at once share one connection", arguments: HTTP2Program.there)
    func hundred(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            // A handshake that takes long on a busy machine would have more dialled.
            try await api.get("tern.json")
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let reply = try await api.get("tern.json")
                        expectEqual(reply.response.version, .http2)
                        return try await reply.text()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            expectEqual(texts, [String](repeating: HTTP2Origin.small, count: 100))
            let statistics = await engine.statistics()
            expectEqual(statistics.requests, 101)
            expectEqual(statistics.dials, 1)
            expectEqual(statistics.openConnections, 1)
        }
    }

    @Test("20 MiB arrive whole, also two at a time", arguments: HTTP2Program.there)
    func download(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            #expect(try await origin.largeIsWhole(by: api))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await api.withResponse(to: .get("large.bin")) { response in
                            var place = 0
                            for try await piece in response.body {
                                guard HTTP2Origin.holds(piece, at: place) else { return false }
                                place += piece.count
                            }
                            return place == HTTP2Origin.large.count
                        }
                    }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    enum Upload: CaseIterable {
        case bytes, file, stream
    }

    @Test("5 MiB are sent whole: bytes, a file, and what nobody knows the length of", arguments: HTTP2Program.there)
    func upload(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            let path = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UUID().uuidString)").path
            try Data(HTTP2Origin.upload).write(to: URL(filePath: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            for kind in Upload.allCases {
                let body: Body =
                    switch kind {
                    case .bytes: .bytes(HTTP2Origin.upload)
                    case .file: try .file(path)
                    case .stream: .stream(Self.pieces(HTTP2Origin.upload))
                    }
                try await origin.check(body, is: HTTP2Origin.upload, by: api)
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    private static func pieces(_ content: [UInt8]) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: content.count, by: 30_011) {
                continuation.yield(Bytes(copying: content[start..<min(start + 30_011, content.count)]))
            }
            continuation.finish()
        }
    }

    @Test("Forty uploads of all sizes at once, of which each gets its own back", arguments: HTTP2Program.there)
    func mixed(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            try await api.get("tern.json")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let content = Array(
                            HTTP2Origin.large[(number * 1_000)..<(number * 1_000 + number * number * 97)])
                        let body: Body = number % 2 == 0 ? .bytes(content) : .stream(Self.pieces(content))
                        try await origin.check(body, is: content, by: api, number: number)
                    }
                }
                try await group.waitForAll()
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    @Test("Downloads that are given up leave the connection as it was", arguments: HTTP2Program.there)
    func givenUp(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            for _ in 0..<10 {
                try await api.withResponse(to: .get("large.bin")) { response in
                    expectEqual(response.version, .http2)
                    for try await _ in response.body { break }
                }
                try await expectEqual(api.get("tern.json").text(), HTTP2Origin.small)
            }
            #expect(try await origin.largeIsWhole(by: api))
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    @Test(
        "A reload lets a download end; the next request opens another connection",
        arguments: HTTP2Program.there.filter { $0.reloadSignal != nil })
    func reload(program: HTTP2Program) async throws {
        try await HTTP2Origin.with(program) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            try await api.withResponse(to: .get("large.bin")) { response in
                expectEqual(response.headers.fields("X-Generation"), ["1"])
                var place = 0
                for try await piece in response.body {
                    // Until this goes on the server cannot have sent all of it.
                    if place == 0 { try await origin.reload() }
                    try #require(HTTP2Origin.holds(piece, at: place))
                    place += piece.count
                }
                expectEqual(place, HTTP2Origin.large.count)
            }
            // The new program may answer before the old one has heard that it is to go.
            for _ in 0..<500 where try await api.get("tern.json").fields("X-Generation") != ["2"] {
                try await Task.sleep(for: .milliseconds(10))
            }
            for _ in 0..<5 {
                let reply = try await api.get("tern.json")
                expectEqual(reply.response.version, .http2)
                expectEqual(reply.fields("X-Generation"), ["2"])
            }
            await expectEqual(engine.statistics().dials, 2)
        }
    }
}
