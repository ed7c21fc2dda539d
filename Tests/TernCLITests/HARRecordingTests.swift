import Sterna
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--har`: the file with all exchanges of a command line.
@Suite("tern --har", .timeLimit(.minutes(5)))
struct HARRecordingTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.path("a.har")
    }

    private func text() -> String { String(decoding: folder.content("a.har") ?? [], as: UTF8.self) }

    /// Each entry's method, path and status, in the order of the file.
    private func entries(_ server: TestServer) throws -> [String] {
        try HARDocument(file: file).entries.map { entry in
            let path = entry.request.url.replacing(server.url, with: "", maxReplacements: 1)
            return "\(entry.request.method) \(path) \(entry.response.status)"
        }
    }

    @Test("Redirects have entries of their own, for the owner alone, and the output is the same as without it")
    func redirects() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/redirect/2")
            let plain = try await TernProcess.run("--print", "s", url)
            let outcome = try await TernProcess.run("--har", file, "--print", "s", url)
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.errors, "")
            expectEqual(outcome.output, plain.output)
            try expectEqual(entries(server), ["GET /redirect/2 302", "GET /redirect/1 302", "GET /get 200"])
            expectEqual(FileStatus(path: file)?.permissions, 0o600)
            expectEqual(folder.names, ["a.har"])
            let shown = try await TernProcess.run("har", "show", file)
            expectEqual(shown.text.split(separator: "\n").count, 4)
        }
    }

    @Test("Secrets are left out unless --show-secrets is given; bodies are kept")
    func secrets() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/login") { _ in
                .json(
                    ["name": "Ada", "access_token": "s3cret-token"], headers: ["Set-Cookie": "session=s3cret-set"])
            }
            let words = [
                "--har", file, "-a", "ada:s3cret-auth", "-H", "X-Api-Key: s3cret-key", "-b", "session=s3cret-cookie",
                server.url("/login?token=s3cret-query&page=2"), "name=Ada", "password=s3cret-body",
            ]
            try await expectEqual(TernProcess.run(words).status, 0)
            #expect(!text().contains("s3cret"))
            let basic = "YWRhOnMzY3JldC1hdXRo"
            #expect(!text().contains(basic))
            let entry = try #require(try HARDocument(file: file).entries.first)
            #expect(entry.request.url.hasSuffix("/login?token=***&page=2"), "\(entry.request.url)")
            let sent = try #require(entry.request.postData?.text)
            try expectEqual(JSON(parsing: sent)["name"].string, "Ada")
            #expect(entry.response.content.text?.contains("Ada") == true)
            try await expectEqual(TernProcess.run(words + ["--show-secrets"]).status, 0)
            for secret in ["key", "cookie", "query", "body", "token", "set"].map({ "s3cret-\($0)" }) + [basic] {
                #expect(text().contains(secret), "\(secret)")
            }
        }
    }

    @Test(
        "All requests of the command line are in one file: of several URLs, at the same time, and after --next",
        arguments: [[], ["-Z"]])
    func several(options: [String]) async throws {
        try await TestServer.withServer { server in
            let words = options + ["--har", file, "-s", server.url("/get?n=[1-3]"), server.url("/status/204")]
            let outcome = try await TernProcess.run(words + ["--next", "-d", "a=1", server.url("/post")])
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let all = [
                "GET /get?n=1 200", "GET /get?n=2 200", "GET /get?n=3 200", "GET /status/204 204", "POST /post 200",
            ]
            try expectEqual(entries(server).sorted(), all)
        }
    }

    @Test("Retries have entries of their own")
    func retries() async throws {
        try await TestServer.withServer { server in
            let failed = Counter()
            server.route("GET", "/busy") { _ in
                failed.add() == 1 ? .text("busy", status: 503, headers: ["Retry-After": "0"]) : .text("done")
            }
            let outcome = try await TernProcess.run("--har", file, "--retry", "1", server.url("/busy"))
            expectEqual(outcome.text, "done")
            try expectEqual(entries(server), ["GET /busy 503", "GET /busy 200"])
        }
    }

    @Test("A download is recorded, too")
    func download() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "--har", file, "-s", "--download", "-o", folder.path("b"), server.url("/bytes/100"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(folder.content("b")?.count, 100)
            try expectEqual(entries(server), ["GET /bytes/100 200"])
        }
    }

    @Test("The file is written after a failure, too, and the exit status is that of the request")
    func failures() async throws {
        try await TestServer.withServer { server in
            let closed = try ClosedPort()
            let refused = "http://127.0.0.1:\(closed.port)/"
            let missing = try await TernProcess.run("--har", file, "--fail", server.url("/status/404"))
            expectEqual(missing.status, 22)
            try expectEqual(entries(server), ["GET /status/404 404"])
            let plain = try await TernProcess.run(refused)
            let unreachable = try await TernProcess.run("--har", file, refused)
            expectEqual(unreachable.status, 7)
            expectEqual(unreachable.errors, plain.errors)
            try expectEqual(entries(server), ["GET \(refused) 0"])
            let both = try await TernProcess.run("--har", file, "-s", refused, server.url("/status/200"))
            expectEqual(both.status, 7)
            try expectEqual(entries(server), ["GET \(refused) 0", "GET /status/200 200"])
        }
    }

    @Test("After Ctrl-C the file has what was exchanged until then")
    func interrupted() async throws {
        try await TestServer.withServer { server in
            let process = try TernProcess(["--har", file, "-s", server.url("/get"), server.url("/fault/stall")])
            try await server.waitForRequests(2, within: 60)
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, 130, "\(outcome.errors)")
            let found = try entries(server)
            expectEqual(found.count, 2)
            expectEqual(found.first, "GET /get 200")
            #expect(found.last?.hasPrefix("GET /fault/stall ") == true, "\(found)")
        }
    }

    @Test("A path that cannot be written is an error before anything is sent")
    func unwritable() async throws {
        try await TestServer.withServer { server in
            for (path, status) in [
                ("-", 2), ("", 2), ("/dev/null", 2), (folder.path, 23), (folder.path("none/a.har"), 23),
            ] as [(String, Int32)] {
                let outcome = try await TernProcess.run("--har=\(path)", server.url("/get"))
                expectEqual(outcome.status, status, "\(path): \(outcome.errors)")
                expectEqual(outcome.output, [])
                #expect(!outcome.errors.isEmpty)
            }
            expectEqual(server.requests().count, 0)
        }
    }

    @Test("A command line that is wrong or sends nothing leaves an earlier file as it is")
    func wrong() async throws {
        try folder.write("earlier", to: "a.har")
        for (words, status) in [
            (["http://a:99999/"], 3), (["--max-time", "-1", "http://a.test/"], 2), (["--help"], 0),
            (["--curl", "http://a.test/"], 2),
            (["--offline", "http://a.test/"], 2), (["http://a.test/", "--next", "--curl", "http://b.test/"], 2),
        ] as [([String], Int32)] {
            let outcome = try await TernProcess.run(["--har", file] + words)
            expectEqual(outcome.status, status, "\(words): \(outcome.errors)")
            expectEqual(text(), "earlier", "\(words)")
        }
        expectEqual(folder.names, ["a.har"])
    }

    @Test("A link is followed, and the last of several options counts")
    func links() async throws {
        try await TestServer.withServer { server in
            #expect(symlink("a.har", folder.path("link")) == 0)
            try folder.write("earlier", to: "a.har")
            let words = ["--har", folder.path("other"), "--har", folder.path("link"), server.url("/get")]
            try await expectEqual(TernProcess.run(words).status, 0)
            try expectEqual(entries(server), ["GET /get 200"])
            expectEqual(folder.names, ["a.har", "link"])
        }
    }

    @Test("It is an option of the whole command line, and none of the configuration file")
    func plans() async throws {
        let plan = try await RequestPlan(["--har", "x", "http://a/", "--next", "--show-secrets", "http://b/"])
        expectEqual(plan.recording, try HARRecording(path: "x", showsSecrets: true))
        #expect(!plan.commands.joined().contains { $0.contains("har") })
        try await expectNil(RequestPlan(["http://a/"]).recording)
        try folder.write("har = x", to: "config")
        #expect(chmod(folder.path("config"), 0o600) == 0)
        let error = await #expect(throws: UsageError.self) {
            _ = try await RequestPlan(["http://a/"], configuration: folder.path("config"))
        }
        #expect(error?.message.contains("for one request") == true, "\(error?.message ?? "")")
        try folder.write("har = x\nurl = http://a/", to: "options")
        let plan2 = try await RequestPlan(["-K", folder.path("options")])
        expectEqual(plan2.recording?.showsSecrets, false)
    }
}
