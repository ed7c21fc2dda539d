import Sterna
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/HAR.md.
@Suite("Examples: HAR files", .timeLimit(.minutes(5)))
struct HARExamplesTests {
    private static let document = HARDocument(entries: [
        HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0),
            request: .init(method: "GET", url: "https://api.example.com/birds?page=2"),
            response: .init(
                status: 200, headers: [.init(name: "Content-Type", value: "application/json")],
                content: .init(mediaType: "application/json", bytes: Array(#"["tern"]"#.utf8)))),
        HARDocument.Entry(
            started: Date(timeIntervalSince1970: 1), request: .init(method: "GET", url: "https://api.example.com/fish"),
            response: .init(status: 404)),
    ])

    @Test("Reading, writing and exports")
    func files() throws {
        let folder = try TestFolder()
        let (path, failures) = (folder.path + "/all.har", folder.path + "/failures.har")
        try Self.document.write(to: path)
        let har = try HARDocument(file: path)
        for entry in har.entries where entry.response.status >= 400 {
            print(entry.request.method, entry.request.url, entry.response.status, entry.time)
        }
        try HARDocument(entries: har.entries.filter { $0.response.status >= 400 }).write(to: failures)
        try expectEqual(HARDocument(file: failures).entries.map(\.response.status), [404])

        let shareable = har.redacted()
        let complete = try har.serialized(showsSecrets: true)
        try expectEqual(HARDocument(parsing: complete), shareable)

        let command = try har.entries[0].exported(as: .curl)
        let file = try har.entries[0].exported(as: .http)
        let code = try har.entries[0].exported(as: .swift)
        #expect(command.hasPrefix("curl ") && file.hasPrefix("GET ") && code.hasPrefix("let reply"))
    }

    @Test("Recorder")
    func recorder() async throws {
        let scene = try TestFolder()
        let path = scene.path + "/api.har"
        do {
            let recorder = Recorder()
            let api = try Session(baseURL: "https://api.example.com") { $0.events.record(with: recorder) }
            try await api.with { $0.network.transport = MockTransport { _ in .json(["tern"]) } }.get("birds")
            try await api.recorder?.har().write(to: path)
        }
        try expectEqual(HARDocument(file: path).entries.map(\.response.content.text), [#"["tern"]"#])
        let folder = scene.path + "/recording"
        do {
            var limits = Recorder.Limits()
            limits.exchanges = 10_000
            limits.keepsBinaryBodies = true
            let recorder = try Recorder(folder: folder, limits: limits)
            for exchange in await recorder.exchanges() where exchange.error != nil {
                print(exchange.request.url, exchange.attempts.map(\.metrics.whole.duration), exchange.decisions)
            }
            expectEqual(recorder.limits.exchanges, 10_000)
        }
    }

    @Test("Replay")
    func replay() async throws {
        let har = Self.document
        let api = try Session(baseURL: "https://api.example.com") {
            $0.network.transport = MockTransport(replaying: har)
        }
        let birds = try await api.get("birds?page=2").json()
        expectEqual(birds, ["tern"])
        try await TestServer.withServer { server in
            server.replay(har)
            let reply = try await Session { $0.network.engine = Engine() }.get(server.url("/birds?page=2"))
            expectEqual(reply.body.text, #"["tern"]"#)
        }
    }
}
