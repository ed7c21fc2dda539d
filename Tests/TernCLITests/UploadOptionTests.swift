import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// `--multipart`, `--form` with files, `--compress` and `tern upload`.
@Suite(.timeLimit(.minutes(5))) struct UploadOptionTests {
    /// The options of upload, by their long names, that have no effect on uploads of several requests.
    static let oneRequest: Set = [
        "--print", "--include", "--pretty", "--curl", "--show-secrets", "--compress", "--cookie", "--cookie-jar",
        "--session", "--session-read-only", "--cache", "--hsts", "--offline", "--no-follow", "--max-redirects",
        "--max-redirs",
        "--location-trusted", "--post301", "--post302", "--post303", "--retry", "--retry-delay", "--retry-max-time",
        "--retry-all-errors", "--no-decode", "--headers", "--body", "--meta", "--write-out", "--fail-with-body",
        "--check-status", "--timeline",
    ]

    private func echo(_ arguments: [String], at path: String = "/post") async throws -> JSON {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(arguments.map { $0.replacing("URL", with: server.url(path)) }).outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            return try JSON(parsing: outcome.text)
        }
    }

    @Test(arguments: [["--multipart"], ["--form"], ["-f"]])
    func sendsPartsOfAForm(_ flags: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write("a,b\n", to: "t.csv")
        try folder.write("from a file", to: "n.txt")
        let file = folder.path("t.csv")
        let parts = ["name=Ada", "n:=[1,2]", "note=@\(folder.path("n.txt"))", "table@\(file)", "raw@\(file);type=x/y"]
        let echo = try await echo(flags + ["URL"] + parts)
        expectEqual(echo["form"], ["name": "Ada", "n[]": ["1", "2"], "note": "from a file"])
        expectEqual(echo["files"]["table"].string, "a,b\n")
        expectEqual(echo["headers"]["Content-Type"].string?.hasPrefix("multipart/form-data; boundary="), true)
    }

    @Test func uploadsAFileByPUT() async throws {
        let folder = try TemporaryFolder()
        try folder.write("content", to: "a b.csv")
        let file = folder.path("a b.csv")
        let echo = try await echo(["upload", file, "URL/", "X-A:b", "q==1"], at: "/anything")
        expectEqual(echo["method"].string, "PUT")
        expectEqual(echo["url"].string?.contains("/anything/a%20b.csv?q=1"), true)
        expectEqual(echo["data"].string, "content")
        expectEqual(echo["headers"]["Content-Type"].string, "text/csv")
        expectEqual(echo["headers"]["X-A"].string, "b")
        let posted = try await self.echo(["upload", "-X", "POST", file, "URL"])
        expectEqual(posted["data"].string, "content")
    }

    @Test func compressesTheBody() async throws {
        let folder = try TemporaryFolder()
        try folder.write(String(repeating: "content ", count: 10_000), to: "a.txt")
        let file = folder.path("a.txt")
        for arguments in [["--compress", "URL", "@\(file)"], ["upload", "--compress", "-X", "POST", file, "URL"]] {
            let echo = try await echo(arguments)
            expectEqual(echo["headers"]["Content-Encoding"].string, "gzip")
            #expect((echo["headers"]["Content-Length"].string.flatMap { Int($0) } ?? .max) < 1_000)
        }
    }

    @Test(arguments: [
        (["--multipart", "http://127.0.0.1:1/", "a@/none/at/all"], Int32(26), "/none/at/all"),
        (["upload", "/none/at/all", "http://127.0.0.1:1/"], 26, "/none/at/all"),
        (["http://127.0.0.1:1/", "a@/etc/hostname"], 2, "--multipart"), (["upload", "/etc/hostname"], 2, "URL"),
        (["--multipart", "--json", "http://127.0.0.1:1/", "a=b"], 2, "exclude"),
    ])
    func refuses(_ arguments: [String], _ status: Int32, _ reason: String) async throws {
        let outcome = try await TernProcess(arguments).outcome()
        expectEqual(outcome.status, status)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func showsPartsAsACurlCommand() async throws {
        let folder = try TemporaryFolder()
        try folder.write("content", to: "a.csv")
        let outcome = try await TernProcess(
            ["--curl", "--multipart", "http://127.0.0.1:1/", "password=s3cret", "f@\(folder.path("a.csv"))"]
        ).outcome()
        expectEqual(outcome.status, 0)
        #expect(!outcome.text.contains("s3cret"))
        #expect(outcome.text.contains(folder.path("a.csv")))
    }

    @Test("A password in a body is shown only with --show-secrets")
    func secrets() async throws {
        try await TestServer.withServer { server in
            let arguments = ["-v", "--ignore-stdin", server.url("/status/204"), "name=Ada", "password=hunter2"]
            for form in ["--form", "--json", "--multipart"] {
                let hidden = try await TernProcess.run([form] + arguments)
                expectEqual(hidden.status, 0)
                #expect((hidden.text + hidden.errors).contains("Ada"))
                #expect(!(hidden.text + hidden.errors).contains("hunter2"), "\(form)")
                let shown = try await TernProcess.run(["--show-secrets", form] + arguments)
                #expect((shown.text + shown.errors).contains("hunter2"), "\(form)")
            }
        }
    }
}
