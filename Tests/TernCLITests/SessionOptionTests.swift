import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--session` and `--session-read-only`.
@Suite("tern: sessions", .timeLimit(.minutes(5)))
struct SessionOptionTests {
    /// Runs the program with sessions in a folder of the test's own.
    private func run(_ folder: TemporaryFolder, _ arguments: String...) async throws -> TernProcess.Outcome {
        try await TernProcess(arguments, environment: ["XDG_CONFIG_HOME": folder.path("config")]).outcome()
    }

    private func mode(_ path: String) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A session keeps cookies, credentials and fields for its owner only") func keeps() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let first = try await run(
                folder, "--session", "ada", "-u", "ada:s3cret", "-A", "agent/1", server.url("/cookies/set?sid=abc"),
                "X-Api-Key:k3y", "X-Plain:1", "Range:bytes=0-", "If-None-Match:x", "Content-Language:en")
            expectEqual(first.status, 0, "\(first.errors)")
            let path = folder.path("config/tern/sessions/127.0.0.1_\(server.port)/ada.json")
            expectEqual(mode(path), 0o600)
            for name in ["config", "config/tern", "config/tern/sessions/127.0.0.1_\(server.port)"] {
                expectEqual(mode(folder.path(name)), 0o700)
            }
            let second = try await run(folder, "--session=ada", "-v", server.url("/anything"))
            expectEqual(second.status, 0, "\(second.errors)")
            for secret in ["s3cret", "k3y", "YWRh", "abc"] {
                #expect(!second.text.contains("\(secret)\n"), "\(secret)")
            }
            let sent = try #require(server.requests().last?.headers)
            expectEqual(sent["Cookie"], "sid=abc")
            expectEqual(sent["Authorization"], "Basic YWRhOnMzY3JldA==")
            expectEqual(sent["User-Agent"], "agent/1")
            expectEqual(sent["X-Api-Key"], "k3y")
            expectEqual(sent["X-Plain"], "1")
            for name in ["Range", "If-None-Match", "Content-Language"] { expectNil(sent[name], "\(name)") }
            let curl = try await run(folder, "--session", "ada", "--curl", server.url("/anything"))
            #expect(curl.text.contains("'Cookie: ***'") && !curl.text.contains("k3y"), "\(curl.text)")
            try await expectEqual(run(folder, "--session", "bob", server.url("/anything")).status, 0)
            expectNil(server.requests().last?.headers["Cookie"])
        }
    }

    @Test("A place that cannot be written is an error before anything is sent") func places() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            for arguments in [["-c", folder.path("none/jar.txt")], ["--session", folder.path("none/s.json")]] {
                let outcome = try await TernProcess(arguments + [server.url("/get")]).outcome()
                expectEqual(outcome.status, 23, "\(outcome.errors)")
                #expect(outcome.errors.contains("none” does not exist; create it"), "\(outcome.errors)")
            }
            let name = try await run(folder, "--session", "s.json", server.url("/get"))
            #expect(name.status == 2 && name.errors.contains("write ./s.json"), "\(name.errors)")
            expectEqual(server.requestCount, 0)
        }
    }

    @Test("The command line replaces credentials and fields of the session") func replaces() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let url = server.url("/anything")
            try await expectEqual(run(folder, "--session", "a", "-u", "ada:1", url, "X-A:1", "X-B:2").status, 0)
            try await expectEqual(run(folder, "--session", "a", "--bearer", "t0k", url, "X-A:3", "X-B:").status, 0)
            expectEqual(server.requests().last?.headers["Authorization"], "Bearer t0k")
            expectEqual(server.requests().last?.headers["X-A"], "3")
            expectNil(server.requests().last?.headers["X-B"])
            try await expectEqual(run(folder, "--session", "a", url).status, 0)
            expectEqual(server.requests().last?.headers["Authorization"], "Bearer t0k")
            expectEqual(server.requests().last?.headers["X-A"], "3")
            // The field was removed only from that request.
            expectEqual(server.requests().last?.headers["X-B"], "2")
            try await expectEqual(run(folder, "--session", "a", url, "Authorization:Other x").status, 0)
            expectEqual(server.requests().last?.headers["Authorization"], "Other x")
            try await expectEqual(run(folder, "--session", "a", url).status, 0)
            expectEqual(server.requests().last?.headers["Authorization"], "Other x")
        }
    }

    @Test("--session-read-only makes a session, and leaves one as it is") func readOnly() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let path = folder.path("s.json")
            try await expectEqual(run(folder, "--session-read-only", path, server.url("/cookies/set?a=1")).status, 0)
            let content = folder.content("s.json")
            #expect(content != nil)
            try await expectEqual(
                run(folder, "--session-read-only", path, server.url("/cookies/set?a=2&b=3"), "X-A:1").status, 0)
            expectEqual(server.requests().last?.headers["Cookie"]?.contains("a=2"), true)
            expectEqual(folder.content("s.json"), content)
            try await expectEqual(run(folder, "--session-read-only", path, server.url("/get")).status, 0)
            expectEqual(server.requests().last?.headers["Cookie"], "a=1")
        }
    }

    @Test("A session's credentials and fields do not follow redirects to other origins") func redirects() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { first in
            try await TestServer.withServer { second in
                let path = folder.path("s.json")
                let made = try await run(folder, "--session", path, "-u", "ada:1", first.url("/get"), "X-Api-Key:k")
                expectEqual(made.status, 0, "\(made.errors)")
                let away = first.url("/redirect-to?url=\(second.url("/get"))")
                try await expectEqual(run(folder, "--session", path, away).status, 0)
                expectEqual(first.requests().last?.headers["X-Api-Key"], "k")
                expectNil(second.requests().last?.headers["Authorization"])
                expectNil(second.requests().last?.headers["X-Api-Key"])
                // Nor a request that begins there.
                try await expectEqual(run(folder, "--session", path, second.url("/get"), "X-B:1").status, 0)
                expectNil(second.requests().last?.headers["Authorization"])
                let trusted = try await run(folder, "--session", path, "--location-trusted", away)
                expectEqual(trusted.status, 2)
            }
        }
    }

    @Test("A file that others can read, or that is no session, is refused and kept") func refused() async throws {
        let folder = try TemporaryFolder()
        for (text, mode) in [("{\"version\": 2}", 0o600), ("x", 0o600), ("{}", 0o644)] as [(String, mode_t)] {
            try folder.write(text, to: "s.json")
            expectEqual(chmod(folder.path("s.json"), mode), 0)
            let outcome = try await run(folder, "--session", folder.path("s.json"), "http://127.0.0.1:1/", "X-A:1")
            expectEqual(outcome.status, 26, "\(outcome.errors)")
            #expect(mode == 0o600 || outcome.errors.contains("chmod 600"), "\(outcome.errors)")
            expectEqual(folder.content("s.json"), Array(text.utf8))
        }
        // Nothing is written if no server has responded.
        #expect(try await run(folder, "--session", "a", "-u", "a:b", "http://127.0.0.1:1/").status == 7)
        expectEqual(folder.names, ["s.json"])
    }

    @Test("Commands that share a session keep each other's changes") func shared() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let path = folder.path("s.json")
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await run(
                            folder, "--session", path, server.url("/cookies/set?c\(number)=1"), "X-\(number):1"
                        ).status
                    }
                }
                for try await status in group { expectEqual(status, 0) }
            }
            let content = try #require(try SessionFile(location: location(path)).load())
            expectEqual(content.cookies.cookies.count, 4)
            expectEqual(content.servers.count, 1)
            expectEqual(content.servers.first?.headers.count, 4)
        }
    }

    private func location(_ path: String) throws -> SessionLocation {
        try SessionLocation(path, for: HTTPURL("http://localhost/"))
    }

    // MARK: Values

    @Test(
        "The file of a session depends on its name and on the URL's host and port",
        arguments: [
            ("a", "http://Example.com/x", "/c/tern/sessions/example.com/a.json"),
            ("a.b-c_1", "https://example.com:443/", "/c/tern/sessions/example.com/a.b-c_1.json"),
            ("a", "https://example.com:80/", "/c/tern/sessions/example.com_80/a.json"),
            ("a", "http://[::1]:8080/", "/c/tern/sessions/__1_8080/a.json"), ("./a", "http://b/", "./a"),
            ("/x/../y", "http://b/", "/x/../y"), ("~/a.json", "http://b/", "/home/ada/a.json"),
        ])
    func places(name: String, url: String, path: String) throws {
        let variables = ["XDG_CONFIG_HOME": "/c", "HOME": "/home/ada"]
        try expectEqual(SessionLocation(name, for: HTTPURL(url)) { variables[$0] }.path, path)
    }

    @Test("Without XDG_CONFIG_HOME, or with a relative one, the file is in ~/.config") func home() throws {
        let url = try HTTPURL("http://a/")
        for folder in [nil, "", "relative"] {
            let location = try SessionLocation("s", for: url) { $0 == "HOME" ? "/home/ada" : folder }
            expectEqual(location.path, "/home/ada/.config/tern/sessions/a/s.json")
        }
        #expect(throws: UsageError.self) { try SessionLocation("s", for: url) { _ in nil } }
    }

    @Test(
        "Invalid names are refused",
        arguments: ["", ".", "..", ".hidden", "a b", "a\\b", "é", "a\u{0}", String(repeating: "a", count: 101)])
    func names(name: String) { #expect(throws: UsageError.self) { try SessionLocation.check(name) } }

    @Test("The file is read as it was written, and any other form is refused") func form() throws {
        var content = SessionContent()
        let origin = try HTTPURL("https://example.com").origin
        var server = SessionContent.Server(origin: origin)
        server.update(.user("ada", password: "s3cret", by: nil), [.init(name: "X-Api-Key", value: "k")])
        content.put(server)
        content.put(SessionContent.Server(origin: try HTTPURL("http://b:8080").origin, credentials: .token("t")))
        content.cookies = CookieSnapshot(cookies: [try Cookie(name: "a", value: "b", domain: "example.com")])
        try expectEqual(SessionContent(parsing: content.json()), content)
        #expect(throws: FileFault.self) { try SessionContent(parsing: Array("[]".utf8)) }
        let text = String(decoding: content.json(), as: UTF8.self)
        for (old, new) in [
            ("\"version\": 1", "\"version\": 2"), ("\"any\"", "\"none\""), ("X-Api-Key", "Content-Type"),
            ("https://example.com", "https://example.com/a"), ("\"servers\"", "\"server\""), ("\"path\"", "\"paths\""),
        ] {
            #expect(text.contains(old), "\(old)")
            #expect(throws: FileFault.self, "\(old)") {
                try SessionContent(parsing: Array(text.replacing(old, with: new).utf8))
            }
        }
    }

    @Test("Credentials given over https are not sent over http") func downgrade() throws {
        var content = SessionContent()
        let (secure, plain) = (try HTTPURL("https://a").origin, try HTTPURL("http://a").origin)
        content.put(SessionContent.Server(origin: secure, credentials: .token("t")))
        expectNil(content.server(for: plain))
        expectEqual(content.withheld(from: plain), secure)
        content.servers = [SessionContent.Server(origin: plain, credentials: .token("t"))]
        expectEqual(content.server(for: secure)?.credentials, .token("t"))
        #expect(content.server(for: try HTTPURL("https://a:8443").origin) == nil)
        expectNil(content.withheld(from: plain))
    }

    @Test("A change of cookies is applied to the file that other commands have left") func changes() throws {
        let make = { (name: String, value: String) in try Cookie(name: name, value: value, domain: "a.test") }
        let (old, gone, kept) = (try make("old", "1"), try make("gone", "1"), try make("kept", "1"))
        let new = try make("new", "1")
        let change = CookieChange(from: [old, gone, kept], to: [kept, new])
        #expect(!change.isEmpty)
        let other = try make("other", "1")
        let setAnew = try make("old", "2")
        let result = change.applied(to: CookieSnapshot(cookies: [gone, other, setAnew, kept]))
        expectEqual(Set(result.cookies.map { "\($0.name)=\($0.value)" }), ["kept=1", "new=1", "other=1", "old=2"])
        #expect(CookieChange(from: [old], to: [old]).isEmpty)
    }
}
