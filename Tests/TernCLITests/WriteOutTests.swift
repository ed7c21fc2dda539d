import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--write-out`: the template, and the values compared with curl's.
@Suite("tern: --write-out", .timeLimit(.minutes(5)))
struct WriteOutTests {
    @Test(
        "A template is read as curl reads it: what is not complete stands for itself",
        arguments: [
            ("", []), ("a%%b", [.text("a%b")]), (#"\n\t\r\q\"#, [.text("\n\t\r\\q\\")]), ("100%", [.text("100%")]),
            ("%x%", [.text("%x%")]), ("%{http_code", [.text("%{http_code")]), ("%header{date", [.text("%header{date")]),
            ("a%{http_code}b", [.text("a"), .variable(.httpCode), .text("b")]),
            ("%{HTTP_Code}", [.variable(.httpCode)]), ("%{nope}", [.unknown("nope")]),
            ("%header{X-A}%{header_json}%{json}", [.header("X-A"), .headerJSON, .json]),
            ("%{stderr}e%{stdout}o", [.standardError, .text("e"), .standardOutput, .text("o")]),
            ("%output{a}%output{>>b}", [.file("a", appends: false), .file("b", appends: true)]),
            ("%{onerror}x", [.onError, .text("x")]), ("%{", [.text("%{")]), ("%", [.text("%")]),
        ] as [(String, [WriteOutTemplate.Piece])])
    func reads(_ text: String, _ pieces: [WriteOutTemplate.Piece]) {
        expectEqual(WriteOutTemplate(text).pieces, pieces)
    }

    @Test("Addresses are split at the port; those of IPv6 lose their brackets") func addresses() {
        #expect(WriteOutVariable.address("127.0.0.1:80") == ("127.0.0.1", 80))
        #expect(WriteOutVariable.address("[::1]:8080") == ("::1", 8080))
        #expect(WriteOutVariable.address("/run/a.sock") == ("", 0))
        #expect(WriteOutVariable.address(nil) == ("", 0))
    }

    @Test("Durations have six digits after the point") func durations() {
        expectEqual(TransferTimes.text(.microseconds(1_000_007)), "1.000007")
        expectEqual(TransferTimes.text(.zero), "0.000000")
        expectEqual(TransferTimes.text(.microseconds(-1_500_000)), "0.000000")
        expectEqual(TransferTimes.text(.milliseconds(250)), "0.250000")
    }

    @Test("The URL of a transfer that sent nothing has no credentials either") func effectiveURL() {
        let record = TransferRecord(url: "ada:s3cret@a.test/b")
        expectEqual(WriteOutVariable.effectiveURL.value(record.facts), .text("http://a.test/b"))
    }

    /// Every variable whose value is neither a time nor made of the client's own header fields.
    private static let variables = [
        "http_code", "response_code", "size_download", "size_upload", "size_header", "url", "url_effective", "method",
        "scheme", "content_type", "num_redirects", "redirect_url", "remote_ip", "remote_port", "local_ip",
        "http_version", "num_connects", "exitcode", "filename_effective", "num_headers", "urlnum", "referer",
    ]

    private static let template =
        variables.map { "\($0)=%{\($0)}" }.joined(separator: #"\n"#)
        + #"\n%header{content-type}|%header{none}|%%|%x|\t\q|%{stderr}err%{stdout}out\n%{unclosed"#

    private static let curl = "/usr/bin/curl"

    /// Arguments, and the path of the URL.
    private static let jobs: [([String], String)] = [
        ([], "/bytes/3000?seed=4"), (["-o", "FILE"], "/bytes/10?seed=1"),
        (["-o", "/dev/null"], "/stream-bytes/70000?seed=7"),
        ([], "/status/404"), (["--fail"], "/status/404"), (["--fail", "-o", "FILE"], "/status/500"),
        (["--fail-with-body"], "/status/404"), (["--fail-with-body", "-o", "FILE"], "/status/503"),
        (["-X", "DELETE"], "/status/204"), ([], "/fault/close-half"), (["-d", "abc"], "/status/200"),
        (["--http2-prior-knowledge"], "/bytes/100?seed=3"),
    ]

    @Test(
        "The same bytes as curl, the same exit status and the same file",
        .enabled(if: access(WriteOutTests.curl, X_OK) == 0), arguments: jobs.indices)
    func beside(_ job: Int) async throws {
        let (options, path) = Self.jobs[job]
        try await TestServer.withServer(.init(http2: [.byPriorKnowledge])) { server in
            let folder = try TemporaryFolder()
            let common = options.map { $0.replacing("FILE", with: folder.path("file")) } + ["-w", Self.template]
            let theirs = try await TernProcess(["-s"] + common + [server.url(path)], program: Self.curl).outcome()
            let theirFile = folder.content("file")
            let ours = try await TernProcess(common + [server.url(path)]).outcome()
            expectEqual(ours.text, theirs.text, "\(ours.errors)")
            expectEqual(ours.status, theirs.status)
            expectEqual(folder.content("file"), theirFile)
            #expect(ours.errors.hasPrefix("err"))
            #expect(theirs.errors.hasPrefix("err"))
        }
    }

    @Test("The same bytes as curl for redirects, followed and not", .enabled(if: access(WriteOutTests.curl, X_OK) == 0))
    func redirects() async throws {
        try await TestServer.withServer { server in
            // The page at the end shows the client's own header fields.
            let names = Self.variables.filter { $0 != "size_download" && $0 != "size_header" }
            let template = names.map { "\($0)=%{\($0)}" }.joined(separator: #"\n"#)
            let common = ["-o", "/dev/null", "-w", template, server.url("/redirect/2")]
            for (theirs, ours) in [(["-sL"], []), (["-s"], ["--no-follow"])] {
                let expected = try await TernProcess(theirs + common, program: Self.curl).outcome()
                let outcome = try await TernProcess(ours + common).outcome()
                expectEqual(outcome.text, expected.text, "\(outcome.errors)")
                #expect(outcome.text.contains("num_redirects=\(ours.isEmpty ? 2 : 0)\n"))
            }
        }
    }

    @Test("The same bytes as curl for a refused connection", .enabled(if: access(WriteOutTests.curl, X_OK) == 0))
    func refused() async throws {
        let closed = try ClosedPort()
        let common = ["-o", "/dev/null", "-w", Self.template + "%{onerror}!", "http://127.0.0.1:\(closed.port)/"]
        let theirs = try await TernProcess(["-s"] + common, program: Self.curl).outcome()
        let ours = try await TernProcess(common).outcome()
        expectEqual(ours.text, theirs.text)
        expectEqual(ours.status, 7)
        withExtendedLifetime(closed) {}
    }

    @Test("%{json} has every variable, and %{errormsg} is the line of the error") func json() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("-o", "/dev/null", "-w", "%{json}", server.url("/get"))
            let values = try JSON(parsing: outcome.output)
            for variable in WriteOutVariable.allCases {
                #expect(values[variable.rawValue] != .null || variable.isEmpty)
            }
            expectEqual(values["http_code"].int, 200)
            expectEqual(values["errormsg"], .null)
            #expect((values["time_total"].double ?? 0) >= (values["time_starttransfer"].double ?? 1))
            #expect((values["time_starttransfer"].double ?? 0) >= (values["time_connect"].double ?? 1))
            #expect((values["time_connect"].double ?? 0) > 0)
            #expect((values["local_port"].int ?? 0) > 0)
            let missing = try await TernProcess.run(
                "--fail", "-w", "%{errormsg}|%{exitcode}", server.url("/status/404"))
            expectEqual(missing.status, 22)
            #expect(
                missing.text.hasPrefix("The server answered 404") && missing.text.hasSuffix("|22"), "\(missing.text)")
        }
    }

    @Test("Templates come from files and from standard input, without their line ends") func files() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try folder.write("a%{http_code}\nb\\n\r\nc", to: "template")
            let url = server.url("/status/200")
            try await expectEqual(
                TernProcess.run("-o", "/dev/null", "-w", "@\(folder.path("template"))", url).text, "a200b\nc")
            try await expectEqual(
                TernProcess.run(
                    "-o", "/dev/null", "-w", "@-", url,
                    input: .bytes(Array("%{method}\n".utf8))
                ).text,
                "GET")
            let none = try await TernProcess.run("-w", "@\(folder.path("none"))", url)
            expectEqual(none.status, 26)
            #expect(none.errors.contains("--write-out cannot be read"), "\(none.errors)")
            expectEqual(server.requests().count, 2)
        }
    }

    @Test("%output writes and appends to files; one that cannot be opened is a warning") func outputs() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let (file, missing) = (folder.path("log"), folder.path("no/log"))
            let template = "a%output{\(file)}b%output{>>\(file)}%{http_code}%{stdout}d%output{\(missing)}e%{nope}f"
            let outcome = try await TernProcess.run("-o", "/dev/null", "-w", template, server.url("/status/200"))
            expectEqual(outcome.text, "adef")
            expectEqual(folder.content("log"), Array("b200".utf8))
            #expect(outcome.errors.contains("cannot be opened"), "\(outcome.errors)")
            #expect(outcome.errors.contains("unknown --write-out variable: 'nope'"), "\(outcome.errors)")
            expectEqual(outcome.status, 0)
        }
    }

    @Test("On a terminal secrets of URLs and fields are left out, in a pipe they are not") func secrets() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/cookie") { _ in ServerResponse(headers: ["Set-Cookie": "a=hidden"], body: .bytes([]))
            }
            let url = server.url("/cookie?token=hidden")
            let arguments = ["-o", "/dev/null", "-w", "%{url_effective}|%header{set-cookie}|%{header_json}", url]
            let shown = try await TernProcess(arguments, onTerminal: true).outcome()
            expectEqual(shown.text.ranges(of: "hidden").count, 0, "\(shown.text)")
            #expect(shown.text.contains("token=***|***|{"), "\(shown.text)")
            let piped = try await TernProcess(arguments).outcome()
            #expect(piped.text.contains("token=hidden|a=hidden|{"), "\(piped.text)")
            let open = try await TernProcess(["--show-secrets"] + arguments, onTerminal: true).outcome()
            #expect(open.text.contains("token=hidden|a=hidden|{"), "\(open.text)")
        }
    }
}

extension WriteOutVariable {
    /// Whether it has no value for a simple request.
    fileprivate var isEmpty: Bool { [.errorMessage, .redirectURL, .referer].contains(self) }
}
