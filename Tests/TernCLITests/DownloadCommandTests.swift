import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern download` as a process.
@Suite("tern download", .timeLimit(.minutes(5)))
struct DownloadCommandTests {
    private func tern(_ arguments: [String], in folder: TemporaryFolder) async throws -> TernProcess.Outcome {
        try await TernProcess(arguments, folder: folder.path).outcome()
    }

    @Test("Files are saved to the current folder, with a line for each") func files() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/named") { _ in
                ServerResponse(
                    headers: ["Content-Disposition": "attachment; filename*=UTF-8''../%1B%5B31mre%20port.pdf"],
                    body: .bytes(Array("abc".utf8)))
            }
            let folder = try TemporaryFolder()
            let urls = ["/range/3000", "/named", "/range/3000"].map { server.url($0) }
            let outcome = try await tern(["download"] + urls, in: folder)
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            #expect(outcome.errors.isEmpty)
            expectEqual(folder.names, ["3000", "3000 (2)", "[31mre port.pdf"])
            let lines = outcome.text.split(separator: "\n").sorted()
            expectEqual(lines, ["Saved 3000 (2), 3 kB", "Saved 3000, 3 kB", "Saved [31mre port.pdf, 3 B"])
            #expect(!outcome.text.contains("\u{1B}"))
            let silent = try await tern(["download", "-s", "--into", "new/sub", urls[0]], in: folder)
            expectEqual(silent.status, 0)
            #expect(silent.output.isEmpty && silent.errors.isEmpty)
            expectEqual(folder.content("new/sub/3000")?.count, 3_000)
        }
    }

    @Test("-o and -O replace, -O -J keeps, and no option adds a number") func existing() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let url = server.url("/range/10")
            for name in ["10", "x"] { try folder.write("old", to: name) }
            try await expectEqual(tern(["download", "-o", "x", url], in: folder).status, 0)
            expectEqual(folder.content("x")?.count, 10)
            let kept = try await tern(["download", "-OJ", url], in: folder)
            expectEqual(kept.status, 23)
            #expect(kept.errors.contains("“10” exists"), "\(kept.errors)")
            expectEqual(folder.content("10"), Array("old".utf8))
            try await expectEqual(tern(["download", url], in: folder).status, 0)
            expectEqual(folder.names, ["10", "10 (2)", "x"])
            try await expectEqual(tern(["download", "-O", url], in: folder).status, 0)
            expectEqual(folder.content("10")?.count, 10)
            expectEqual(folder.names, ["10", "10 (2)", "x"])
            // Two URLs with the same name in one command.
            try await expectEqual(tern(["download", "-O", url, url + "?b"], in: folder).status, 0)
            expectEqual(folder.names, ["10", "10 (2)", "10 (3)", "10 (4)", "x"])
        }
    }

    @Test("The exit status is that of the first URL that failed; the others are saved") func statuses() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let urls = ["/range/10", "/status/404", "/fault/close-half", "/range/11"].map { server.url($0) }
            let outcome = try await tern(["download", "--jobs", "2"] + urls, in: folder)
            expectEqual(outcome.status, 22)
            expectEqual(folder.names, ["10", "11"])
            let lines = outcome.errors.split(separator: "\n")
            expectEqual(lines.count, 2)
            #expect(lines.contains { $0.hasPrefix("tern: 404: ") && $0.contains("/status/404") }, "\(outcome.errors)")
            #expect(lines.contains { $0.hasPrefix("tern: close-half: ") }, "\(outcome.errors)")
            try await expectEqual(tern(["download"] + urls.reversed(), in: folder).status, 18)
            let wrong = String(repeating: "0", count: 64)
            try await expectEqual(tern(["download", "-o", "y", "--sha256", wrong, urls[0]], in: folder).status, 1)
            expectNil(folder.content("y"))
        }
    }

    @Test("The long body of an error does not hide its status", arguments: [true, false])
    func longError(isDownload: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/long") { _ in
                ServerResponse(status: 403, body: .bytes([UInt8](repeating: 0x61, count: 2 << 20)))
            }
            let folder = try TemporaryFolder()
            let arguments = isDownload ? ["download"] : ["--fail"]
            let outcome = try await tern(arguments + [server.url("/long")], in: folder)
            expectEqual(outcome.status, 22, "\(outcome.errors)")
            #expect(outcome.errors.contains("403") && !outcome.errors.contains("limit"), "\(outcome.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test("The error for a folder in place of the file names --into") func folder() async throws {
        let folder = try TemporaryFolder()
        for arguments in [["download", "-o", folder.path], ["-C", "-", "-o", folder.path]] {
            let outcome = try await tern(arguments + ["http://127.0.0.1:1/a"], in: folder)
            expectEqual(outcome.status, 23)
            #expect(
                outcome.errors.contains("is a folder. Name a file in it with -o FILE, or write --into FOLDER"),
                "\(outcome.errors)")
            #expect(!outcome.errors.contains(".folder"), "\(outcome.errors)")
        }
    }

    @Test("A success without a file is an error") func noContent() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let outcome = try await tern(["download", "-o", "x", server.url("/status/204")], in: folder)
            expectEqual(outcome.status, 22)
            #expect(outcome.errors.contains("204 No Content"), "\(outcome.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test(
        "Contradictory, incomplete and invalid options are refused",
        arguments: [
            ([], "URL"), (["-o", "x", "http://a/", "http://b/"], "--into"), (["-o", "-", "http://a/"], "tern GET"),
            (["-o", "x", "-O", "http://a/"], "exclude"), (["-J", "http://a/"], "-O"), (["-O", "http://a/"], "-o FILE"),
            (["--sha256", "12", "http://a/"], "64"), (["--jobs", "0", "http://a/"], "--jobs"),
            (["--segments", "17", "http://a/"], "--segments"), (["-C", "12", "http://a/"], "-C -"),
        ] as [([String], String)])
    func refused(arguments: [String], text: String) async throws {
        let outcome = try await TernProcess(["download"] + arguments).outcome()
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }

    @Test("Header fields, credentials and the rate are sent as with requests") func options() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let outcome = try await tern(
                ["download", "-o", "x", "-H", "X-A: b", "-H", "User-Agent:", "-a", "u:p", server.url("/get")],
                in: folder)
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let sent = try #require(server.requests().last)
            expectEqual(sent.headers["X-A"], "b")
            expectEqual(sent.headers["Authorization"], "Basic dTpw")
            expectNil(sent.headers["User-Agent"])
        }
    }

    // MARK: Interrupted and continued

    private static let count = 3_000_000
    private static let tag = "\"held\""

    /// Adds `/held.bin`, of which the first request gets the first third, and ranges are sent whole. Returns the requested ranges.
    private func hold(_ server: TestServer) -> Ranges {
        let ranges = Ranges()
        server.route("GET", "/held.bin") { request in
            ranges.add(request.headers["Range"])
            var first = 0
            var headers: ServerHeaders = ["ETag": Self.tag]
            if let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()),
                request.headers["If-Range"] == Self.tag
            {
                first = start
                headers["Content-Range"] = "bytes \(start)-\(Self.count - 1)/\(Self.count)"
            }
            let isFirst = ranges.count == 1
            let content = Array(Self.content.dropFirst(first))
            return ServerResponse(
                status: first > 0 ? 206 : 200, headers: headers,
                body: .stream(length: content.count) { writer in
                    try await writer.write(isFirst ? Array(content.prefix(Self.count / 3)) : content)
                    while isFirst { try await Task.sleep(for: .seconds(60)) }
                })
        }
        return ranges
    }

    private static let content = noise(count)

    /// Waits until a file in the folder has bytes.
    private func waitForBytes(_ name: String, in folder: TemporaryFolder) async throws {
        let end = ContinuousClock.now + .seconds(180)
        while (folder.content(name)?.count ?? 0) == 0 {
            try #require(ContinuousClock.now < end, "\(folder.names)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(
        "Ctrl-C keeps the partial file and prints the command that continues",
        arguments: [["-o", "x.bin"], ["-O"], ["--into", "."], []])
    func interrupted(options: [String]) async throws {
        try await TestServer.withServer { server in
            let ranges = hold(server)
            let folder = try TemporaryFolder()
            let name = options.first == "-o" ? "x.bin" : "held.bin"
            let url = server.url("/held.bin?token=s3cret")
            let process = try TernProcess(
                ["download", "--bearer", "s3cret"] + options + [url], folder: folder.path)
            try await waitForBytes("\(name).sterna-part", in: folder)
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, 130)
            expectEqual(folder.names, ["\(name).sterna-part", "\(name).sterna-resume"])
            let lines = outcome.errors.split(separator: "\n").map(String.init)
            expectEqual(lines.count, 2)
            expectEqual(lines.first?.contains("fill in ***"), true)
            expectEqual(lines.last?.hasPrefix("  tern download --continue "), true)
            #expect(!outcome.errors.contains("s3cret"))
            // The command works once its secrets are filled in.
            var words = (lines.last ?? "").replacing("***", with: "s3cret").replacing("'", with: "").split(
                separator: " "
            )
            .map(String.init)
            words.removeFirst()
            let continued = try await tern(words, in: folder)
            expectEqual(continued.status, 0, "\(continued.errors)")
            #expect(continued.text.contains("continued at"))
            expectEqual(folder.names, [name])
            expectEqual(folder.content(name), Self.content)
            #expect(ranges.last.hasPrefix("bytes="))
        }
    }

    @Test("Without --continue a download starts over; tern -C - -O continues it") func anew() async throws {
        try await TestServer.withServer { server in
            let ranges = hold(server)
            let folder = try TemporaryFolder()
            let url = server.url("/held.bin")
            let process = try TernProcess(["-C", "-", "-O", url], folder: folder.path)
            try await waitForBytes("held.bin.sterna-part", in: folder)
            process.signal(SIGINT)
            let first = try await process.outcome()
            expectEqual(first.status, 130)
            #expect(first.errors.contains("tern download --continue -O "), "\(first.errors)")
            let partial = try #require(folder.content("held.bin.sterna-part"))
            let continued = try await tern(["GET", "-C", "-", "-O", url], in: folder)
            expectEqual(continued.status, 0, "\(continued.errors)")
            expectEqual(folder.content("held.bin"), Self.content)
            expectEqual(ranges.last, "bytes=\(partial.count)-")
            try await expectEqual(tern(["download", "-O", url], in: folder).status, 0)
            expectEqual(ranges.last, "")
            expectEqual(folder.names, ["held.bin"])
        }
    }

    @Test(
        "-C is refused for a request that is no download",
        arguments: [
            ["-C", "-", "http://a/x"], ["-C", "-", "-o", "-", "http://a/x"], ["-C", "9", "-O", "http://a/x"],
            ["-C", "-", "-O", "POST", "http://a/x"], ["-C", "-", "-O", "http://a/x", "a=b"],
            ["-C", "-", "-Ov", "http://a/x"], ["-C", "-", "-O", "--show-secrets", "http://a/x"],
            ["-C", "-", "-O", "--pretty", "all", "http://a/x"], ["-C", "-", "-O", "-d", "x", "http://a/x"],
            ["-C", "-", "-O", "--proto", "=https", "http://a/x"], ["-C", "-", "-O", "--output-dir", "y", "http://a/x"],
            ["-C", "-", "-o", "z", "-r", "0-9", "http://a/x"],
        ])
    func noDownload(arguments: [String]) async throws {
        let outcome = try await TernProcess(arguments).outcome()
        expectEqual(outcome.status, 2)
        #expect(outcome.errors.contains("-C"), "\(outcome.errors)")
    }

    // MARK: On a terminal

    @Test("On a terminal, lines are redrawn at its width, also after it has changed") func redrawn() async throws {
        try await TestServer.withServer { server in
            _ = hold(server)
            let folder = try TemporaryFolder()
            let process = try TernProcess(
                ["download", server.url("/held.bin"), server.url("/range/10")], window: .init(rows: 24, columns: 80),
                folder: folder.path)
            let wide = await process.errors { $0.contains("1 of 2 files  [") }
            #expect(wide.contains("held.bin      ["), "\(wide)")
            process.resize(to: .init(rows: 24, columns: 12))
            let narrow = await process.errors {
                $0.contains("\n1 MB") || $0.contains("\r\n33%") || $0.contains("33%\r\n")
            }
            #expect(narrow.contains("\u{1B}[J"))
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, 130)
            expectEqual(outcome.text, "Saved 10, 10 B\n")
            #expect(outcome.errors.contains("tern download --continue"))
        }
    }

    @Test("NO_COLOR and a dumb terminal get no escape sequences", arguments: [("NO_COLOR", "1"), ("TERM", "dumb")])
    func plain(name: String, value: String) async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let process = try TernProcess(
                ["download", server.url("/drip?numbytes=10&duration=1"), server.url("/status/404")],
                environment: [name: value], onTerminal: true, window: .init(rows: 24, columns: 80), folder: folder.path)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, 22)
            #expect(!outcome.text.contains("\u{1B}"))
            #expect(!outcome.errors.contains("\u{1B}"))
            #expect(outcome.text.contains("Saved drip, 10 B"))
        }
    }
}

/// The Range fields that a server was sent; empty texts for requests without one.
private final class Ranges: Sendable {
    private let all = Mutex<[String]>([])

    var count: Int { all.withLock { $0.count } }
    var last: String { all.withLock { $0.last ?? "none" } }

    func add(_ value: String?) { all.withLock { $0.append(value ?? "") } }
}
