import ArgumentParser
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern cookies`.
@Suite("tern cookies", .timeLimit(.minutes(5)))
struct CookiesCommandTests {
    private static let jar = """
        # Netscape HTTP Cookie File
        #HttpOnly_a.test\tFALSE\t/\tTRUE\t4102444800\tsid\ts3cret1
        .a.test\tTRUE\t/x\tFALSE\t0\tlang\ts3cret2
        b.test\tFALSE\t/\tFALSE\t0\tsid\ts3cret3

        """

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(Self.jar, to: "jar")
        return folder
    }

    private func names(_ folder: TemporaryFolder, _ arguments: String...) async throws -> [String] {
        let outcome = try await TernProcess(["cookies", "-c", folder.path("jar"), "--json"] + arguments).outcome()
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        return try JSON(parsing: outcome.text).array?.compactMap { cookie in
            "\(cookie["name"].string ?? "") \(cookie["domain"].string ?? "")"
        } ?? []
    }

    @Test("It lists cookies without their values") func lists() async throws {
        let folder = try folder()
        let hidden = try await TernProcess.run("cookies", "--cookie-jar", folder.path("jar"))
        expectEqual(hidden.status, 0, "\(hidden.errors)")
        let lines = hidden.text.split(separator: "\n").map(String.init)
        expectEqual(lines.count, 4)
        expectEqual(lines.first, "NAME  VALUE  DOMAIN   PATH  EXPIRES               FLAGS")
        #expect(lines.contains("lang  ***    .a.test  /x    session"), "\(hidden.text)")
        #expect(lines.contains { $0.hasPrefix("sid   ***    a.test   /     20") && $0.hasSuffix("Z  Secure HttpOnly") })
        #expect(!hidden.text.contains("s3cret"))
        let shown = try await TernProcess.run("cookies", "--show-secrets", "-c", folder.path("jar"))
        #expect(shown.text.contains("s3cret2"))
        let json = try await TernProcess.run("cookies", "--json", "-c", folder.path("jar"))
        #expect(!json.text.contains("s3cret"))
    }

    @Test("A URL, a host and names select the cookies that are listed") func selects() async throws {
        let folder = try folder()
        try await expectEqual(names(folder), ["sid a.test", "lang a.test", "sid b.test"])
        try await expectEqual(names(folder, "a.test"), ["sid a.test", "lang a.test"])
        try await expectEqual(names(folder, "www.a.test"), ["lang a.test"])
        #expect(try await names(folder, "http://a.test/x/y") == ["lang a.test"])
        #expect(try await names(folder, "https://a.test/") == ["sid a.test"])
        try await expectEqual(names(folder, "--name", "sid"), ["sid a.test", "sid b.test"])
        try await expectEqual(names(folder, "--name", "sid", "b.test"), ["sid b.test"])
        #expect(try await names(folder, "c.test").isEmpty)
        let none = try await TernProcess.run("cookies", "-c", folder.path("jar"), "c.test")
        expectEqual(none.status, 0)
        #expect(none.output.isEmpty)
        expectEqual(none.errors, "No cookies.\n")
    }

    @Test("Cookies are removed from the file") func removes() async throws {
        let folder = try folder()
        let one = try await TernProcess.run("cookies", "-c", folder.path("jar"), "--remove", "http://a.test/x")
        expectEqual(one.errors, "Removed 1 cookie.\n")
        try await expectEqual(names(folder), ["sid a.test", "sid b.test"])
        let two = try await TernProcess.run("cookies", "-c", folder.path("jar"), "--remove", "--name", "sid", "b.test")
        expectEqual(two.status, 0)
        try await expectEqual(names(folder), ["sid a.test"])
        try await expectEqual(TernProcess.run("cookies", "-c", folder.path("jar"), "--clear").status, 0)
        #expect(try await names(folder).isEmpty)
    }

    @Test("--to converts a file between cookies.txt and JSON") func converts() async throws {
        let folder = try folder()
        let json = try await TernProcess.run("cookies", "-c", folder.path("jar"), "--to", folder.path("jar.json"))
        expectEqual(json.status, 0, "\(json.errors)")
        #expect(!json.errors.contains("s3cret"))
        try expectEqual(CookieSnapshot(contentsOf: folder.path("jar.json"))?.cookies.count, 3)
        let text = try await TernProcess.run(
            "cookies", "-c", folder.path("jar.json"), "--to", folder.path("b.txt"), "b.test")
        expectEqual(text.status, 0, "\(text.errors)")
        let content = String(decoding: folder.content("b.txt") ?? [], as: UTF8.self)
        #expect(content.hasSuffix("b.test\tFALSE\t/\tFALSE\t0\tsid\ts3cret3\n"))
    }

    @Test("A session's cookies are shown and cleared; the rest of the session stays") func sessions() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.path]
        try await TestServer.withServer { server in
            let host = "127.0.0.1:\(server.port)"
            let made = try await TernProcess.run(
                "--session", "s", server.url("/cookies/set?a=s3cret"), "X-A:1", environment: environment)
            expectEqual(made.status, 0, "\(made.errors)")
            let shown = try await TernProcess.run("cookies", "--session", "s", host, environment: environment)
            #expect(shown.text.contains("a     ***    127.0.0.1"), "\(shown.text)\(shown.errors)")
            let cleared = try await TernProcess.run(
                "cookies", "--session", "s", host, "--clear", environment: environment)
            expectEqual(cleared.errors, "Removed 1 cookie.\n")
            let sent = try await TernProcess.run("--session", "s", server.url("/get"), environment: environment)
            expectEqual(sent.status, 0, "\(sent.errors)")
            expectNil(server.requests().last?.headers["Cookie"])
            expectEqual(server.requests().last?.headers["X-A"], "1")
            let missing = try await TernProcess.run("cookies", "--session", "t", host, environment: environment)
            expectEqual(missing.status, 26)
            #expect(missing.errors.hasSuffix("it does not exist.\n"), "\(missing.errors)")
            let other = try await TernProcess.run("cookies", "--session", "s", "127.0.0.1", environment: environment)
            expectEqual(other.status, 26)
            #expect(
                other.errors.hasSuffix("it does not exist; a session of this name is there for \(host).\n"),
                "\(other.errors)")
        }
    }

    @Test(
        "Missing, empty and contradictory options are refused",
        arguments: [
            [], ["-c", "a", "--session", "b"], ["--session", "a"], ["-c", "a", "--remove"],
            ["-c", "a", "--clear", "http://a/"], ["-c", "a", "--clear", "--json"], ["-c", ""], ["-c", "a", "--to", ""],
            ["--session", "../a b/..", "--remove"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try Tern.command(of: ["cookies"] + arguments) }
    }

    @Test("A missing file is an error") func missing() async throws {
        try await expectEqual(TernProcess.run("cookies", "-c", "/nonexistent/jar").status, 26)
    }

    @Test("On a narrow terminal each cookie has lines of its own, which fit") func narrow() throws {
        let cookies = [
            try Cookie(
                name: "session-identifier", value: "v", domain: "a.very.long.name.example.com", path: "/some/path",
                isSecure: true, isHTTPOnly: true, sameSite: .strict),
            try Cookie(name: "b", value: "a\u{9B}31m", domain: "b.test", includesSubdomains: true),
        ]
        let wide = CookieTable(showsSecrets: false, width: 200).lines(cookies)
        expectEqual(wide.count, 3)
        for width in [10, 30, 60] {
            let lines = CookieTable(showsSecrets: false, width: width).lines(cookies)
            expectEqual(lines.count, 7)
            #expect(lines.allSatisfy { DisplayWidth.of($0) <= max(width, 20) }, "\(lines)")
        }
        let all = CookieTable(showsSecrets: true, isColoured: true, width: 40).lines(cookies)
        #expect(all.contains { $0.contains("=a\u{FFFD}31m") })
        #expect(CookieTable(showsSecrets: true).lines([]).isEmpty)
    }

    @Test("Colours are for terminals that want them") func colours() async throws {
        let folder = try folder()
        let arguments = ["cookies", "-c", folder.path("jar")]
        let coloured = try await TernProcess(arguments, onTerminal: true).outcome()
        #expect(coloured.text.contains("\u{1B}[1m"), "\(coloured.text)")
        let plain = try await TernProcess(arguments, environment: ["NO_COLOR": "1"], onTerminal: true).outcome()
        #expect(!plain.text.contains("\u{1B}"))
    }
}
