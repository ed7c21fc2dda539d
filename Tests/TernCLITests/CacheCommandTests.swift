import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern cache`.
@Suite("tern cache", .timeLimit(.minutes(5)))
struct CacheCommandTests {
    /// Makes a folder with a fresh and a stale response, and one with a secret in its URL.
    private func withCache(_ work: (TemporaryFolder, TestServer) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server async throws in
            for path in ["/cache/100", "/etag/a", "/gzip?token=s3cret"] {
                let made = try await TernProcess(["--cache", folder.path("c"), server.url(path)]).outcome()
                expectEqual(made.status, 0, "\(made.errors)")
            }
            try await work(folder, server)
        }
    }

    private func urls(_ folder: TemporaryFolder, _ arguments: String...) async throws -> [String] {
        let outcome = try await TernProcess(["cache", "list", folder.path("c"), "--json"] + arguments).outcome()
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        return try JSON(parsing: outcome.text).array?.compactMap { $0["url"].string } ?? []
    }

    @Test("list shows responses without secrets, and selects by URL, host and freshness") func lists() async throws {
        try await withCache { folder, server async throws in
            let (fresh, stale) = (server.url("/cache/100"), server.url("/etag/a"))
            let table = try await TernProcess(["cache", "list", folder.path("c")]).outcome()
            let lines = table.text.split(separator: "\n").map(String.init)
            #expect(lines.first == "STATUS  SIZE   AGE  FRESH FOR  URL" || lines.first?.hasPrefix("STATUS") == true)
            #expect(lines.contains { $0.hasPrefix("200 ") && $0.hasSuffix(fresh) }, "\(table.text)")
            #expect(!table.text.contains("s3cret"))
            #expect(table.errors.contains(" responses, "), "\(table.errors)")
            #expect(try await Set(urls(folder)).isSuperset(of: [fresh, stale]))
            try await expectEqual(urls(folder, fresh), [fresh])
            try await expectEqual(urls(folder, "127.0.0.1").count, urls(folder).count)
            try await expectEqual(urls(folder, "127.0.0.1:\(server.port)").count, urls(folder).count)
            #expect(try await urls(folder, "127.0.0.1:1").isEmpty)
            #expect(try await urls(folder, "example.com").isEmpty)
            #expect(try await urls(folder, "--stale").contains(stale))
            #expect(try await !urls(folder, "--stale").contains(fresh))
        }
    }

    @Test("show prints a response with its content decoded") func shows() async throws {
        try await withCache { folder, server async throws in
            let body = try await TernProcess(["cache", "show", folder.path("c"), server.url("/cache/100")]).outcome()
            expectEqual(body.status, 0, "\(body.errors)")
            #expect((try? JSON(parsing: body.text)) != nil, "\(body.text)")
            #expect(body.errors.contains("fresh for another"), "\(body.errors)")
            let head = try await TernProcess(
                ["cache", "show", folder.path("c"), server.url("/etag/a"), "--print", "h"]
            ).outcome()
            #expect(head.text.hasPrefix("HTTP/1.1 200 OK\n"), "\(head.text)")
            #expect(head.text.contains("\"a\""), "\(head.text)")
            let none = try await TernProcess(["cache", "show", folder.path("c"), server.url("/none?key=s3cret")])
                .outcome()
            expectEqual(none.status, 1)
            #expect(none.errors.hasPrefix("tern: Nothing is stored for http://127.0.0.1"), "\(none.errors)")
            #expect(!none.errors.contains("s3cret"))
        }
    }

    @Test("clear removes one response, the stale ones, or all") func clears() async throws {
        try await withCache { folder, server async throws in
            let (fresh, stale) = (server.url("/cache/100"), server.url("/etag/a"))
            let one = try await TernProcess(["cache", "clear", folder.path("c"), stale]).outcome()
            #expect(one.errors.hasPrefix("Removed 1 response, "), "\(one.errors)")
            #expect(try await !urls(folder).contains(stale))
            try await expectEqual(TernProcess(["cache", "clear", folder.path("c"), "--stale"]).outcome().status, 0)
            #expect(try await urls(folder).contains(fresh))
            try await expectEqual(TernProcess(["cache", "clear", folder.path("c")]).outcome().status, 0)
            #expect(try await urls(folder).isEmpty)
            let none = try await TernProcess(["cache", "list", folder.path("c")]).outcome()
            expectEqual(none.status, 0)
            expectEqual(none.errors, "No responses.\n")
        }
    }

    @Test("A folder without a cache is an error, and stays as it is", arguments: ["list", "show", "clear"])
    func missing(command: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "note")
        for path in [folder.path, folder.path("none"), folder.path("note")] {
            let outcome = try await TernProcess(["cache", command, path, "http://a.test/"]).outcome()
            expectEqual(outcome.status, 26, "\(outcome.errors)")
        }
        expectEqual(folder.names, ["note"])
    }

    @Test(
        "Missing, empty and unsupported arguments are refused",
        arguments: [["list"], ["show", "c"], ["show", "c", "http://a/", "--print", "H"], ["list", ""]])
    func refused(arguments: [String]) async throws {
        try await expectEqual(TernProcess(["cache"] + arguments).outcome().status, 2)
    }

    @Test("In a narrow window each response has two lines, and no line wraps", arguments: [20, 40, 60, 200])
    func narrow(width: Int) async throws {
        let cache = ResponseCache.memory()
        let session = try Session {
            $0.cache.store = cache
            $0.networkInterceptors = [Answering()]
        }
        _ = try await session.get("http://a.test/\(String(repeating: "long/", count: 40))end")
        let entries = await cache.entries()
        try #require(entries.count == 1)
        let lines = CacheTable(width: width).lines(entries)
        expectEqual(lines.count, 2)
        for line in lines { #expect(DisplayWidth.of(line) <= width, "\(line)") }
    }

    /// Responds without a network.
    private struct Answering: Interceptor {
        func intercept(_ request: Request, next: Chain) async throws -> Response {
            var response = Response(status: .ok, body: ResponseBody(Bytes(text: "x")), url: request.url)
            response.headers[.cacheControl] = "max-age=60"
            return response
        }
    }

    @Test(
        "Times have the largest unit that leaves two figures",
        arguments: [
            (0, "0 s"), (119, "119 s"), (120, "2 min"), (7_199, "119 min"), (7_200, "2 h"), (172_799, "47 h"),
            (172_800, "2 d"), (.max, "106751991167300 d"),
        ] as [(Int64, String)])
    func times(seconds: Int64, text: String) { expectEqual(CacheTable.time(seconds), text) }
}
