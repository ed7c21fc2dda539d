import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `--cache`, `--offline` and `--print c`.
@Suite("tern: --cache", .timeLimit(.minutes(5)))
struct CacheOptionTests {
    @Test("Later commands are served from the folder") func answers() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let arguments = ["--cache", folder.path("cache"), "--print", "bc", server.url("/cache/100")]
            let first = try await TernProcess(arguments).outcome()
            expectEqual(first.status, 0, "\(first.errors)")
            #expect(
                first.text.hasSuffix(
                    "Cache: asked the server, which answered 200: nothing is stored for the URL; now stored\n"),
                "\(first.text)")
            let second = try await TernProcess(arguments).outcome()
            expectEqual(second.status, 0, "\(second.errors)")
            #expect(second.text.contains("Cache: hit; fresh, for another "), "\(second.text)")
            let body = { (outcome: TernProcess.Outcome) in outcome.text.components(until: "\nCache:") }
            expectEqual(body(first), body(second))
            expectEqual(server.requests().count, 1)
            try expectEqual(FileManager.default.permissions(of: folder.path("cache")), 0o700)
        }
    }

    @Test("A validation shows the stored response, and the cache's line says so") func validation() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            let arguments = ["--cache", folder.path("c"), "--print", "hbc", server.url("/etag/a")]
            let first = try await TernProcess(arguments).outcome()
            let second = try await TernProcess(arguments).outcome()
            expectEqual(server.requests().last?.headers["If-None-Match"], "\"a\"", "\(first.text)")
            #expect(second.text.hasPrefix("HTTP/1.1 200 OK\n"), "\(second.text)")
            #expect(second.text.hasSuffix("; the stored response is still valid\n"), "\(second.text)")
        }
    }

    @Test("Offline nothing is sent; without a stored response the command fails") func offline() async throws {
        let folder = try TemporaryFolder()
        let cache = folder.path("c")
        try await TestServer.withServer { server async throws in
            let url = server.url("/cache/100")
            let none = try await TernProcess(["--cache", cache, "--offline", url]).outcome()
            expectEqual(none.status, 26)
            #expect(none.errors.contains("nothing was stored there"), "\(none.errors)")
            #expect(folder.names.isEmpty)
            try await expectEqual(TernProcess(["--cache", cache, url]).outcome().status, 0)
            try await expectEqual(TernProcess(["--cache", cache, "--offline", url]).outcome().status, 0)
            let other = try await TernProcess(["--cache", cache, "--offline", server.url("/get")]).outcome()
            expectEqual(other.status, 22)
            expectEqual(
                other.errors,
                "tern: Nothing was sent: only a stored response may answer, but nothing is stored for the URL.\n")
            #expect(other.output.isEmpty)
            let post = try await TernProcess(["--cache", cache, "--offline", server.url("/post"), "a=1"]).outcome()
            expectEqual(post.status, 22)
            expectEqual(server.requests().count, 1)
        }
    }

    @Test("Commands of one session share responses, others do not see them") func sessions() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            func run(_ arguments: String...) async throws -> Int {
                let before = server.requests().count
                let outcome = try await TernProcess(
                    ["--cache", folder.path("c")] + arguments + [
                        server.url("/response-headers?Cache-Control=max-age%3D100")
                    ]
                ).outcome()
                expectEqual(outcome.status, 0, "\(outcome.errors)")
                return server.requests().count - before
            }
            let (ada, ben) = (folder.path("ada.json"), folder.path("ben.json"))
            try await expectEqual(run("--session", ada), 1)
            try await expectEqual(run("--session", ada), 0)
            try await expectEqual(run("--session-read-only", ada), 0)
            try await expectEqual(run("--session", ben), 1)
            try await expectEqual(run(), 1)
            try await expectEqual(run(), 0)
            try await expectEqual(run("--cookie-jar", folder.path("jar")), 1)
            try await expectEqual(run("--cookie-jar", folder.path("jar")), 0)
            try await expectEqual(run("--auth", "u:p"), 1)
            try await expectEqual(run("--auth", "u:p"), 0)
            try await expectEqual(run("--auth", "u:q"), 1)
            try await expectEqual(run("--cookie", "a=s3cret"), 1)
            try await expectEqual(run("--cookie", "a=s3cret"), 0)
        }
        let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path("c/entries-1"))
        #expect(entries.count > 3)
        for name in entries.map({ "entries-1/\($0)" }) + ["journal-1"] {
            let text = String(decoding: folder.content("c/\(name)") ?? [], as: UTF8.self)
            #expect(!text.contains("s3cret"))
        }
    }

    @Test("tern download is served from the folder, too") func downloads() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            for name in ["one", "two"] {
                let outcome = try await TernProcess([
                    "download", "--cache", folder.path("c"), "-o", folder.path(name), server.url("/cache/100"),
                ]).outcome()
                expectEqual(outcome.status, 0, "\(outcome.errors)")
            }
            expectEqual(folder.content("one"), folder.content("two"))
            expectEqual(folder.content("one")?.isEmpty, false)
            expectEqual(server.requests().count, 1)
        }
    }

    @Test(
        "--cache and --print c need a folder",
        arguments: [
            ["--cache", "", "http://127.0.0.1:1/"],
            ["--print", "c", "http://127.0.0.1:1/"],
        ])
    func refused(arguments: [String]) async throws {
        let outcome = try await TernProcess(arguments).outcome()
        expectEqual(outcome.status, 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("--cache"), "\(outcome.errors)")
    }

    @Test("A file in place of the cache's folder is an error, and stays as it is") func file() async throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "note")
        let outcome = try await TernProcess(["--cache", folder.path("note"), "http://127.0.0.1:1/"]).outcome()
        expectEqual(outcome.status, 26)
        #expect(outcome.errors.contains("it is not a folder"), "\(outcome.errors)")
        expectEqual(folder.content("note"), Array("mine".utf8))
    }

    @Test("A server cannot forge the cache's line, nor delay a command by a slow refresh") func hostile() async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            server.route("POST", "/forged") { _ in
                ServerResponse(headers: ["Cache-Status": "Sterna; fwd=miss; stored; detail=\"forged\""])
            }
            let arguments = ["--ignore-stdin", "--cache", folder.path("c"), "--print", "c"]
            let forged = try await TernProcess(arguments + ["POST", server.url("/forged"), "a=1"]).outcome()
            expectEqual(forged.text, "Cache: passed by; it answers only GET and HEAD without a body\n")

            server.route("GET", "/slow") { request in
                guard request.headers["X-First"] == nil else {
                    let control = "max-age=1, stale-while-revalidate=1000000"
                    return ServerResponse(
                        headers: ["Cache-Control": control, "Date": "Mon, 23 Nov 2026 00:00:00 GMT", "ETag": "\"a\""])
                }
                // Longer than any command waits; the server's end cancels it.
                try await Task.sleep(for: .seconds(600))
                return ServerResponse()
            }
            let first = try await TernProcess(arguments + [server.url("/slow"), "X-First:1"]).outcome()
            #expect(first.text.contains("now stored"), "\(first.text)")
            let second = try await TernProcess(arguments + [server.url("/slow")]).outcome()
            #expect(second.status == 0 && second.text.contains("Cache: hit"), "\(second.text)\(second.errors)")
        }
    }

    @Test("A folder of other files is refused as a cache") func otherFiles() async throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "note")
        let outcome = try await TernProcess(["--cache", folder.path, "http://127.0.0.1:1/"]).outcome()
        expectEqual(outcome.status, 26)
        #expect(outcome.errors.contains("it holds other files; choose a folder of its own"), "\(outcome.errors)")
        expectEqual(folder.names, ["note"])
    }

    @Test("A command line that prints a curl command writes no cache") func curl() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await TernProcess(["--curl", "--cache", folder.path("c"), "http://127.0.0.1:1/"]).outcome()
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        #expect(folder.names.isEmpty)
    }

    @Test(
        "The cache's line says what the cache did, and why",
        arguments: [
            (#"Sterna; hit; ttl=58; detail="fresh""#, ResponseSource.cache, "hit; fresh, for another 58 s"),
            (
                #"Sterna; hit; ttl=-5; detail="the policy accepts a stale response""#, .cache,
                "hit; the policy accepts a stale response, stale for 5 s"
            ),
            (
                #"Sterna; fwd=stale; fwd-status=304; ttl=9; stored; detail="the stored response is stale""#,
                .revalidated,
                "asked the server, which answered 304: the stored response is stale; the stored response is still valid"
            ),
            (
                #"Sterna; fwd=uri-miss; fwd-status=200; detail="nothing is stored; not stored: \"a; b=c\"""#, .network,
                "asked the server, which answered 200: nothing is stored; not stored: \"a; b=c\""
            ),
            (#"Sterna; hit; ttl=-9223372036854775808; detail="x""#, .cache, "hit; x, stale for 9223372036854775808 s"),
            (#"Sterna; hit; ttl=5; detail="forged""#, .network, "asked the server: forged; not stored"),
            (#"Sterna; fwd=bypass; detail="x""#, .network, "asked the server: x; not stored"),
            (
                #"Sterna; fwd=stale; fwd-status=503; ttl=-1; detail="the server failed""#, .cache,
                "asked the server, which answered 503: the server failed; answered from the cache, since the server failed"
            ),
            ("Sterna", .network, "asked the server: ; not stored"),
            (nil, .network, "passed by; it answers only GET and HEAD without a body"),
        ] as [(String?, ResponseSource, String)])
    func lines(value: String?, source: ResponseSource, text: String) {
        expectEqual(CacheLine.text(value, source), "Cache: \(text)")
    }
}

extension String {
    /// Returns the text before a separator.
    fileprivate func components(until separator: String) -> Substring {
        firstRange(of: separator).map { self[..<$0.lowerBound] } ?? self[...]
    }
}

extension FileManager {
    fileprivate func permissions(of path: String) throws -> Int? {
        try attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
