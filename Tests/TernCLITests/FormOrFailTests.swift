import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `-f` is `--form` for users of HTTPie, and `--fail` for users of curl.
@Suite("tern: -f", .timeLimit(.minutes(5)))
struct FormOrFailTests {
    @Test(
        "Without fields it is --fail, and no error page is saved",
        arguments: [
            ["-f"], ["-fsSL"], ["-f", "-d", "a=1"], ["-f", "-F", "a=1"], ["-f", "-j", "-d", "{}"],
            ["-f", "-G", "-d", "a=1"],
        ])
    func fails(options: [String]) async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(options + ["-o", "x", server.url("/status/404")], folder: folder.path)
                .outcome()
            expectEqual(outcome.status, 22, "\(outcome.errors)")
            expectEqual(folder.names, [])
        }
    }

    @Test("With fields it is --form", arguments: [["-f"], ["-sf"], ["-f", "--fail"]])
    func form(options: [String]) async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(options + [server.url("/anything"), "a=1"]).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            try expectEqual(JSON(parsing: outcome.text)["form"], ["a": "1"])
        }
    }

    @Test("If both are possible the error says so", arguments: [["-fsS"], ["-fL"], ["-fj"]])
    func both(options: [String]) async throws {
        let outcome = try await TernProcess(options + ["http://127.0.0.1:1/", "a=1"]).outcome()
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains("--form or --fail"), "\(outcome.errors)")
        let piped = try await TernProcess(["-f", "POST", "http://127.0.0.1:1/"], input: .bytes(Array("a=1".utf8)))
            .outcome()
        expectEqual(piped.status, 2)
        #expect(piped.errors.contains("--form or --fail"), "\(piped.errors)")
    }
}
