import Sterna
import SternaPlatform
import Testing

@testable import SternaTestSupport

/// What nghttp2's server does that others do not: padding, trailer fields, pushes, tables and windows of any size.
@Suite(
    "Interop: nghttpd", .enabled(if: HTTP2Program.nghttpd.mayRun, "nghttpd is not installed"), .serialized,
    .timeLimit(.minutes(5)))
struct NghttpdInteropTests {
    static let settings: [[String]] = [
        ["--padding=255"],
        ["--trailer", "x-terns: 2"],
        ["--no-content-length"],
        ["--header-table-size=0", "--encoder-header-table-size=0"],
        ["--header-table-size=64K", "--encoder-header-table-size=64K"],
        ["--window-bits=12", "--connection-window-bits=16"],
        ["--window-bits=30", "--connection-window-bits=30"],
        ["--max-concurrent-streams=100", "--early-response"],
        ["--push=/tern.json=/large.bin"],
        ["--workers=4", "--no-rfc7540-pri"],
    ]

    @Test("Downloads and uploads at once, whatever it is set to", arguments: settings)
    func options(extra: [String]) async throws {
        try await HTTP2Origin.with(.nghttpd, extra: extra) { origin in
            let engine = Engine()
            let api = try origin.session(engine)
            try await api.get("tern.json")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...10 {
                    group.addTask {
                        let content = Array(HTTP2Origin.large[(number * 1_000)..<(number * 30_011)])
                        try await origin.check(.bytes(content), is: content, by: api)
                        let reply = try await api.get("tern.json")
                        try await expectEqual(reply.text(), HTTP2Origin.small)
                        expectEqual(reply.fields("Content-Length").isEmpty, extra.contains("--no-content-length"))
                    }
                }
                for _ in 0..<2 {
                    group.addTask { try await #expect(origin.largeIsWhole(by: api)) }
                }
                try await group.waitForAll()
            }
            await expectEqual(engine.statistics().dials, 1)
        }
    }

    @Test("Trailer fields arrive")
    func trailers() async throws {
        try await HTTP2Origin.with(.nghttpd, extra: ["--trailer", "x-terns: 2"]) { origin in
            let api = try origin.session(Engine())
            try await api.withResponse(to: .get("large.bin")) { response in
                for try await _ in response.body {}
                expectEqual(response.body.trailers?.fields("X-Terns"), ["2"])
            }
        }
    }

    @Test("More requests than it takes at a time are all served", arguments: [1, 3])
    func fewStreams(limit: Int) async throws {
        try await HTTP2Origin.with(.nghttpd, extra: ["--max-concurrent-streams=\(limit)"]) { origin in
            let api = try origin.session(Engine())
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<60 { group.addTask { try await api.get("tern.json").text() } }
                for try await text in group { expectEqual(text, HTTP2Origin.small) }
            }
        }
    }
}
