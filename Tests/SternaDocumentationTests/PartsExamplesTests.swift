import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Parts.md.
@Suite("Examples: bodies of several parts", .timeLimit(.minutes(5)))
struct PartsExamplesTests {
    @Test("Parts, frames and ranges of a test server")
    func examples() async throws {
        let film = Array(repeating: UInt8(7), count: 60_000)
        try await TestServer.withServer { server in
            server.route("GET", "/film") { request in .ranges(of: film, for: request) }
            server.route("GET", "/report") { _ in
                .multipart([.text("two nests"), .bytes(film, mediaType: "video/mp4")])
            }
            server.route("GET", "/video.mjpg") { _ in .redirect(to: "/frames?rate=100&count=3") }
            server.route("GET", "/film.mp4") { request in .ranges(of: film, for: request) }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            try await parts(of: api)
            try await frames(of: api)
            try await ranges(of: api)
            let pieces = try await api.get("film", headers: ["Range": "bytes=0-9"]) { $0.responseSerializer = .data }
            #expect(pieces.status == 206 && pieces.body.count == 10)
        }
    }

    private func parts(of api: Session) async throws {
        var count = 0
        func handle(_ bytes: Bytes) { count += bytes.count }
        try await api.withResponse(to: .get("report")) { response in
            for try await part in response.parts {
                print(part.headers, part.mediaType?.essence ?? "text/plain")
                for try await bytes in part.body { handle(bytes) }
            }
        }
        #expect(count == 60_009)
        try await api.withResponse(to: .get("report")) { response in
            var all = 0
            for try await _ in response.parts(limits: {
                $0.body = 1 << 20
                $0.parts = 10
            }) { all += 1 }
            #expect(all == 2)
        }
    }

    private func frames(of api: Session) async throws {
        var texts: [String] = []
        func show(_ frame: Bytes) { texts.append(frame.text) }
        try await api.withResponse(to: .get("video.mjpg")) { response in
            for try await frame in response.parts {
                show(try await frame.body.collect(upTo: 4 << 20))
            }
        }
        #expect(texts == ["frame 0", "frame 1", "frame 2"])
    }

    private func ranges(of api: Session) async throws {
        var count = 0
        func handle(_ bytes: Bytes) { count += bytes.count }
        for try await piece in api.ranges([0..<1_000, 50_000..<51_000], of: .get("film.mp4")) {
            guard let range = piece.range else { break }  // the whole file, whose length the server does not say
            print("\(range) of \(piece.completeLength ?? 0) bytes")
            for try await bytes in piece.body { handle(bytes) }
        }
        #expect(count == 2_000)
    }
}
