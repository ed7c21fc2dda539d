import ArgumentParser
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--fail-with-body`, `--check-status`, the parts of `--print` about the end, and their names in HTTPie.
@Suite("tern: status and parts", .timeLimit(.minutes(5)))
struct StatusOptionTests {
    @Test("--fail-with-body shows or saves the body, and exits with 22") func failWithBody() async throws {
        try await TestServer.withServer { server in
            let shown = try await TernProcess.run("--fail-with-body", server.url("/status/404"))
            expectEqual(shown.status, 22)
            expectEqual(shown.text, #"{"message": "Not Found"}"#)
            #expect(shown.errors.contains("404 Not Found"), "\(shown.errors)")
            let folder = try TemporaryFolder()
            let saved = try await TernProcess.run(
                "--fail-with-body", "-o", folder.path("file"), server.url("/status/500"))
            expectEqual(saved.status, 22)
            expectEqual(folder.content("file")?.isEmpty, false)
            try await expectEqual(TernProcess.run("--fail-with-body", server.url("/status/200")).status, 0)
        }
    }

    @Test(
        "--check-status exits as HTTPie does",
        arguments: [
            ("/status/200", [], 0), ("/redirect/1", [], 0), ("/redirect/1", ["--no-follow"], 3), ("/status/404", [], 4),
            ("/status/503", [], 5),
        ] as [(String, [String], Int32)])
    func checkStatus(_ path: String, _ options: [String], _ status: Int32) async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(["--check-status"] + options + [server.url(path)]).outcome()
            expectEqual(outcome.status, status)
            expectEqual(outcome.errors.contains("Warning: HTTP "), status != 0)
            // The response is shown all the same.
            #expect(status == 3 || status == 0 || !outcome.text.isEmpty)
        }
    }

    @Test("--print s prints the code of the final status, M the timing as JSON") func letters() async throws {
        try await TestServer.withServer { server in
            try await expectEqual(TernProcess.run("--print", "s", server.url("/redirect/1")).text, "200\n")
            try await expectEqual(TernProcess.run("-ps", "--fail", server.url("/status/404")).text, "404\n")
            let both = try await TernProcess.run("-psb", server.url("/status/404"))
            expectEqual(both.text, "404\n" + #"{"message": "Not Found"}"#)
            let timing = try await JSON(parsing: TernProcess.run("-pM", server.url("/redirect/1")).output)
            expectEqual(timing["redirects"].int, 1)
            expectEqual(timing["attempts"][0]["status"].int, 302)
            expectEqual(timing["attempts"][1]["reused"], true)
            #expect((timing["attempts"][0]["phases"]["connect"]["end"].double ?? 0) > 0)
            #expect((timing["duration"].double ?? 0) > 0)
        }
    }

    @Test("--headers, --body and --meta stand for letters of --print, and exclude each other") func names() async throws
    {
        try await TestServer.withServer { server in
            let url = server.url("/status/404")
            let head = try await TernProcess.run("--headers", url).text
            #expect(head.hasPrefix("HTTP/1.1 404 Not Found\n") && !head.contains("message"))
            let body = try await TernProcess.run("--body", url, environment: ["TERM": "dumb"], onTerminal: true)
            #expect(body.text.contains("message") && !body.text.contains("HTTP/1.1"))
            let meta = try await TernProcess.run("--meta", url).text
            #expect(meta.hasPrefix("GET ") && meta.contains("; sent "))
        }
        for options in [["--headers", "--body"], ["--meta", "--print", "h"], ["--fail", "--check-status"]] {
            #expect(throws: (any Error).self) { try OutputOptions.parse(options) }
        }
    }
}

/// `--offline` without a cache prints the request.
@Suite("tern: --offline prints the request", .timeLimit(.minutes(5)))
struct OfflinePrintTests {
    @Test("The request is printed, and nothing is sent") func prints() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/post")
            let outcome = try await TernProcess.run("--offline", url, "a=1", "X-B:c")
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("POST /post HTTP/1.1\nHost: 127.0.0.1:\(server.port)\n"), "\(outcome.text)")
            #expect(outcome.text.contains("\nX-B: c\n"))
            #expect(outcome.text.hasSuffix("\nContent-Length: 9\n\n{\"a\":\"1\"}\n"), "\(outcome.text)")
            try await expectEqual(TernProcess.run("--offline", "-pB", url, "a=1").text, "{\"a\":\"1\"}\n")
            let head = try await TernProcess.run("--offline", "-pH", url, "a=1").text
            #expect(head.hasSuffix("\nContent-Length: 9\n"))
            #expect(server.requests().isEmpty)
        }
    }

    @Test("Files and the parts of forms are printed if they are short") func files() async throws {
        let folder = try TemporaryFolder()
        try folder.write("from a file", to: "note")
        try folder.write(String(repeating: "x", count: 300 << 10), to: "long")
        let form = try await TernProcess.run("--offline", "-f", "-pB", "a.test", "a=1", "f@\(folder.path("note"))").text
        #expect(form.contains("name=\"f\"; filename=\"note\"") && form.contains("\r\n\r\nfrom a file\r\n"), "\(form)")
        try await expectEqual(
            TernProcess.run("--offline", "-pB", "a.test", "@\(folder.path("note"))").text, "from a file\n")
        try await expectEqual(
            TernProcess.run("--offline", "-pB", "a.test", "@\(folder.path("long"))").text,
            "(307200 bytes from \(folder.path("long")))\n")
    }

    @Test("Secrets are left out unless --show-secrets asks for them") func secrets() async throws {
        let arguments = ["--offline", "-a", "user:hidden", "https://a.test/?token=hidden", "password=hidden"]
        let shown = try await TernProcess(arguments).outcome().text
        expectEqual(shown.ranges(of: "hidden").count, 0)
        expectEqual(shown.ranges(of: "***").count, 3)
        let open = try await TernProcess(["--show-secrets"] + arguments).outcome().text
        expectEqual(open.ranges(of: "hidden").count, 2)
        #expect(open.contains("Authorization: Basic "))
    }

    @Test("Nothing can be saved, and tern download needs a cache for --offline") func refused() async throws {
        for arguments in [["--offline", "-o", "/tmp/none", "a.test"], ["download", "--offline", "a.test"]] {
            let outcome = try await TernProcess(arguments).outcome()
            expectEqual(outcome.status, 2)
            #expect(outcome.errors.contains("--cache"), "\(outcome.errors)")
        }
    }
}
