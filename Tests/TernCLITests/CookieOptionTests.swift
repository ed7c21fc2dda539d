import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--cookie` and `--cookie-jar`.
@Suite("tern: cookies", .timeLimit(.minutes(5)))
struct CookieOptionTests {
    private static let text = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\ts3cret\n"

    @Test("Cookies that a redirect sets go with the next request, and are forgotten afterwards") func redirects()
        async throws
    {
        try await TestServer.withServer { server in
            let shown = try await TernProcess.run("-v", server.url("/cookies/set?sid=s3cret"))
            expectEqual(shown.status, 0, "\(shown.errors)")
            expectEqual(server.requests().last?.headers["Cookie"], "sid=s3cret")
            #expect(shown.text.contains("Cookie: ***\n"), "\(shown.text)")
            try await expectEqual(TernProcess.run(server.url("/cookies")).status, 0)
            expectNil(server.requests().last?.headers["Cookie"])
        }
    }

    @Test("--cookie with values is for the URL's own origin, together with the cookies that are set") func values()
        async throws
    {
        try await TestServer.withServer { first in
            try await TestServer.withServer { second async throws in
                let away = first.url("/redirect-to?url=\(second.url("/get"))")
                try await expectEqual(TernProcess.run("-b", "a=1; b=2", away).status, 0)
                expectEqual(first.requests().last?.headers["Cookie"], "a=1; b=2")
                expectNil(second.requests().last?.headers["Cookie"])
                try await expectEqual(TernProcess.run("-b", "a=1", "-b", "", first.url("/cookies/set?c=3")).status, 0)
                expectEqual(first.requests().last?.headers["Cookie"], "a=1; c=3")
            }
        }
    }

    @Test("--cookie with a file or an empty text lets the requests of a command line share the cookies that are set")
    func shared() async throws {
        try await TestServer.withServer { server in
            let urls = [server.url("/cookies/set?c=3"), server.url("/get")]
            let cases: [(options: [String], field: String?)] = [
                (["-b", ""], "c=3"), (["-b", "/none/such"], "c=3"), (["-b", "a=1"], "a=1"), ([], nil),
            ]
            for (options, field) in cases {
                let outcome = try await TernProcess(options + ["--no-follow"] + urls).outcome()
                expectEqual(outcome.status, 0, "\(outcome.errors)")
                expectEqual(server.requests().last?.headers["Cookie"], field, "\(options)")
            }
        }
    }

    @Test("--cookie with a file sends what belongs to the URL, and does not change the file") func file() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.text + "other.test\tFALSE\t/\tFALSE\t0\tx\ty\n", to: "jar")
        let json = try CookieSnapshot(Self.text.utf8, format: .cookiesText).bytes()
        try folder.write(String(decoding: json, as: UTF8.self), to: "jar2")
        try await TestServer.withServer { server in
            for name in ["jar", "jar2"] {
                let path = folder.path(name)
                let before = folder.content(name)
                let sent = try await TernProcess.run("-v", "-b", path, server.url("/cookies/set?new=1"))
                expectEqual(sent.status, 0, "\(sent.errors)")
                #expect(!sent.text.contains("Cookie: sid"))
                expectEqual(server.requests().last?.headers["Cookie"], "sid=s3cret; new=1")
                expectEqual(folder.content(name), before)
                let hidden = try await TernProcess.run("--curl", "-b", path, "-b", "k=s3cret", server.url("/get"))
                #expect(hidden.text.contains("'Cookie: ***'"), "\(hidden.text)")
                let shown = try await TernProcess.run(
                    "--curl", "--show-secrets", "-b", path, "-b", "k=s3cret", server.url("/get"))
                #expect(shown.text.contains("'Cookie: k=s3cret; sid=s3cret'"), "\(shown.text)")
            }
        }
        expectEqual(folder.names, ["jar", "jar2"])
    }

    @Test("A file without cookies' form is refused before any request is sent") func refused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("A note of mine\n", to: "note")
        try folder.write("{\"a\": 1}", to: "a.json")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("elsewhere"))
        for arguments in [
            ["-b", folder.path("note")], ["-b", folder.path("a.json")],
            ["-b", folder.path], ["-c", folder.path("note")], ["-c", folder.path("a.json")],
        ] {
            let outcome = try await TernProcess(arguments + ["http://127.0.0.1:1/"]).outcome()
            expectEqual(outcome.status, 26, "\(arguments): \(outcome.errors)")
            expectEqual(outcome.errors.split(separator: "\n").count, 1, "\(outcome.errors)")
        }
        expectEqual(folder.content("note"), Array("A note of mine\n".utf8))
        expectEqual(folder.content("a.json"), Array("{\"a\": 1}".utf8))
    }

    @Test("--cookie-jar is read and written, in the form of its name or of its content") func jar() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.text, to: "b.json")
        try await TestServer.withServer { server in
            for (name, format) in [("jar", .cookiesText), ("jar.json", .json), ("b.json", .cookiesText)]
                as [(String, CookieSnapshot.FileFormat)]
            {
                let path = folder.path(name)
                let curl = try await TernProcess.run("-c", path, "--curl", server.url("/cookies/set?lang=en"))
                expectEqual(curl.status, 0, "\(curl.errors)")
                let set = try await TernProcess.run("-c", path, server.url("/cookies/set?lang=en"))
                expectEqual(set.status, 0, "\(set.errors)")
                let kept = try #require(try CookieSnapshot(contentsOf: path, format: format))
                #expect(kept.cookies.contains { $0.name == "lang" && $0.value == "en" }, "\(name)")
                try await expectEqual(TernProcess.run("--cookie-jar", path, server.url("/cookies")).status, 0)
                expectEqual(server.requests().last?.headers["Cookie"]?.contains("lang=en"), true, "\(name)")
                try await expectEqual(TernProcess.run("-c", path, server.url("/cookies/delete?lang=")).status, 0)
                try await expectEqual(TernProcess.run("-c", path, server.url("/cookies")).status, 0)
                #expect(server.requests().last?.headers["Cookie"]?.contains("lang") != true, "\(name)")
            }
        }
    }

    @Test("A cookie that a cookies.txt cannot hold is left out with a warning") func tabs() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            server.route("GET", "/tab") { _ in ServerResponse(headers: ["Set-Cookie": "a=s3cret\tx"]) }
            for (name, isKept) in [("jar", false), ("jar.json", true)] {
                let path = folder.path(name)
                let outcome = try await TernProcess.run("-c", path, server.url("/tab"))
                expectEqual(outcome.status, 0, "\(outcome.errors)")
                let warns = outcome.errors.contains("Warning: not written to \(path): “a”.")
                expectEqual(warns, !isKept, "\(outcome.errors)")
                #expect(!outcome.errors.contains("s3cret"))
                let kept = try CookieSnapshot(contentsOf: path, format: isKept ? .json : .cookiesText)
                expectEqual(kept?.cookies.count ?? 0, isKept ? 1 : 0)
                try await expectEqual(TernProcess.run("-c", path, server.url("/cookies")).status, 0)
                expectEqual(server.requests().last?.headers["Cookie"], isKept ? "a=s3cret\tx" : nil)
            }
            let moved = try await TernProcess.run(
                "cookies", "--cookie-jar", folder.path("jar.json"), "--to", folder.path("out"))
            expectEqual(moved.status, 0, "\(moved.errors)")
            #expect(moved.errors.contains("“a”") && moved.errors.contains("Wrote 0 cookies"), "\(moved.errors)")
        }
    }

    @Test("Cookies set before a failure are saved, and a jar that cannot be written is an error") func failures()
        async throws
    {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            server.route("GET", "/lost") { _ in
                ServerResponse(status: 302, headers: ["Location": "http://127.0.0.1:1/", "Set-Cookie": "a=1"])
            }
            let lost = try await TernProcess.run("-c", folder.path("jar"), server.url("/lost"))
            expectEqual(lost.status, 7)
            try expectEqual(CookieSnapshot(contentsOf: folder.path("jar"), format: .cookiesText)?.cookies.count, 1)
            let failed = try await TernProcess.run("--fail", "-c", folder.path("jar2"), server.url("/status/404"))
            expectEqual(failed.status, 22)
            let bad = try await TernProcess.run("-c", folder.path("none/jar"), server.url("/cookies/set?a=1"))
            expectEqual(bad.status, 23)
            #expect(bad.errors.contains("does not exist"), "\(bad.errors)")
            // No request was sent: the cookies of a login would be lost.
            expectEqual(server.requests().last?.target.contains("status"), true)
        }
    }

    @Test("Downloads use the jar of --cookie-jar, too") func downloads() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "download", "-s", "--cookie-jar", folder.path("jar"), "-o", folder.path("file"),
                server.url("/cookies/set?a=1"))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(server.requests().last?.headers["Cookie"], "a=1")
            let continued = try await TernProcess.run(
                "-s", "-c", folder.path("jar"), "-C", "-", "-o", folder.path("file2"), server.url("/1k"))
            expectEqual(continued.status, 0, "\(continued.errors)")
            expectEqual(server.requests().last?.headers["Cookie"], "a=1")
        }
    }

    @Test(
        "The format of a file is detected by its content",
        arguments: [
            ("", .nothing), (" \n", .nothing), ("\u{FEFF}{", .cookies(.json)), ("\n {\"a\"", .cookies(.json)),
            ("# a\n\n#b", .cookies(.cookiesText)), ("a\tTRUE\t/\tTRUE\t0\tname", .cookies(.cookiesText)),
            ("x\na\tTRUE\t/\tTRUE\t0\tname\tvalue", .cookies(.cookiesText)), ("a b", .other), ("[1]", .other),
            ("# a\nb", .other), ("Set-Cookie: a=b", .other),
        ] as [(String, CookieSource.Kind)])
    func kinds(content: String, kind: CookieSource.Kind) {
        expectEqual(CookieSource.kind(of: Array(content.utf8)), kind)
    }
}
