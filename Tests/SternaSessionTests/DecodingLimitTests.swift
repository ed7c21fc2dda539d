import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Limits on the decoded size of a body", .timeLimit(.minutes(5)))
struct DecodingLimitTests {
    private func session(_ source: ChunkedBody, _ configure: (inout SessionSettings) -> Void = { _ in }) throws
        -> Session
    {
        try mocked(
            by: MockTransport { _ in .init(headers: ["Content-Encoding": "gzip"], body: ResponseBody(source)) },
            configure
        ).api
    }

    /// 64 MiB of zeros in about 64 KiB.
    private static let bomb = Zlib.deflate(Array(repeating: UInt8(0), count: 64 << 20), .gzip, level: 9)

    @Test("A decompression bomb is rejected by its ratio, after a few megabytes", arguments: [false, true])
    func ratio(streamed: Bool) async throws {
        let source = ChunkedBody(Self.bomb, size: 256)
        let api = try session(source)
        let error = await #expect(throws: SternaError.self) {
            if streamed {
                try await api.withResponse(to: .get("a")) { response in
                    for try await _ in response.body {}
                }
            } else {
                try await api.get("a")
            }
        }
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(error?.phase, .decode)
        #expect(Self.bomb.count - source.left < 8 << 10)
    }

    @Test("A decompression bomb that is whole in memory is rejected, too", arguments: [1, 2])
    func whole(layers: Int) async throws {
        let coded = layers == 1 ? Self.bomb : Zlib.deflate(Self.bomb, .gzip)
        let field = layers == 1 ? "gzip" : "gzip, gzip"
        let (api, _) = try mocked(
            by: MockTransport { _ in
                .init(headers: ["Content-Encoding": field], body: ResponseBody(Bytes(copying: coded)))
            })
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("A body above the size limit is rejected at any ratio")
    func size() async throws {
        let content = noise(200_000)
        let coded = Zlib.deflate(content, .gzip)
        for (limit, fits) in [(Int64(199_999), false), (200_000, true)] {
            let api = try session(ChunkedBody(coded, size: 1_000)) { $0.limits.decompression.bytes = limit }
            if fits {
                try await expectEqual(api.get("a").body.array, content)
            } else {
                let error = await #expect(throws: SternaError.self) { try await api.get("a") }
                expectEqual(error?.kind, .limitExceeded)
            }
        }
    }

    @Test("With raised limits the body streams in bounded pieces, and is read only on demand")
    func raised() async throws {
        let source = ChunkedBody(Self.bomb, size: 1 << 10)
        let api = try session(source) { $0.limits.decompression.ratio = 10_000 }
        let count = try await api.withResponse(to: .get("a")) { response in
            #expect(source.left >= Self.bomb.count - (4 << 10))
            var count = 0
            for try await piece in response.body {
                #expect(piece.count <= 1 << 20)
                count += piece.count
            }
            return count
        }
        expectEqual(count, 64 << 20)
    }

    @Test("A small body that compresses well is accepted")
    func small() async throws {
        let coded = Zlib.deflate(Array(repeating: UInt8(0x20), count: 2 << 20), .gzip)
        try await expectEqual(session(ChunkedBody(coded, size: 100)).get("a").body.count, 2 << 20)
    }

    @Test("The limit on collected bytes applies to the decoded body")
    func collected() async throws {
        let coded = Zlib.deflate(Array(repeating: UInt8(0x20), count: 2 << 20), .gzip)
        for size in [100, coded.count] {
            let api = try session(ChunkedBody(coded, size: size)) { $0.limits.collectedBytes = 1 << 20 }
            let error = await #expect(throws: SternaError.self) { try await api.get("a") }
            expectEqual(error?.kind, .limitExceeded)
        }
    }

    @Test("Over the network", arguments: ["gzip", "deflate"])
    func network(route: String) async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let tree = try await api.get(route).json()
            expectEqual(tree[route == "gzip" ? "gzipped" : "deflated"].bool, true)
            server.route("GET", "/bomb") { _ in
                .bytes(Self.bomb, headers: ["Content-Encoding": "gzip"])
            }
            server.route("GET", "/slow") { _ in
                ServerResponse(
                    headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain"],
                    body: .stream(length: nil) { writer in
                        for byte in Zlib.gzip(ContentDecodingTests.text) { try await writer.write([byte]) }
                    })
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("bomb") }
            expectEqual(error?.kind, .limitExceeded)
            try await expectEqual(api.get("slow").text(), ContentDecodingTests.text)
            try await server.waitForOpenConnections(1)
        }
    }
}

/// A coding within a coding is bounded too, though nothing of it may come out at the end.
@Suite("Nested content codings")
struct StackedCodingTests {
    @Test("A body whose inner coding expands, but decodes to nothing, is rejected", .timeLimit(.minutes(5)))
    func unfolding() async throws {
        // Empty members of gzip, packed: each layer unfolds, and the innermost yields no byte.
        let empty = Zlib.deflate([], .gzip)
        var inner: [UInt8] = []
        for _ in 0..<800_000 { inner += empty }
        let packed = Zlib.deflate(inner, .gzip, level: 9)
        let mock = MockTransport { _ in
            .init(headers: ["Content-Encoding": "gzip, gzip"], body: ResponseBody(Bytes(copying: packed)))
        }
        let api = try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .limitExceeded)
    }
}
