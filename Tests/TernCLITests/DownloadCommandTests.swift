import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import TernCLI

/// `tern download` as a process.
@Suite("tern download", .timeLimit(.minutes(5)))
struct DownloadCommandTests {
    private func tern(_ arguments: [String], in folder: TemporaryFolder) async throws -> TernProcess.Outcome {
        try await TernProcess(arguments, folder: folder.path).outcome()
    }

    @Test("Files come to the current folder, with a line for each") func files() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/named") { _ in
                ServerResponse(
                    headers: ["Content-Disposition": "attachment; filename*=UTF-8''../%1B%5B31mre%20port.pdf"],
                    body: .bytes(Array("abc".utf8)))
            }
            let folder = try TemporaryFolder()
            let urls = ["/range/3000", "/named", "/range/3000"].map { server.url($0) }
            let outcome = try await tern(["download"] + urls, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.isEmpty)
            #expect(folder.names == ["3000", "3000 (2)", "[31mre port.pdf"])
            let lines = outcome.text.split(separator: "\n").sorted()
            #expect(lines == ["Saved 3000 (2), 3 kB", "Saved 3000, 3 kB", "Saved [31mre port.pdf, 3 B"])
            #expect(!outcome.text.contains("\u{1B}"))
            let silent = try await tern(["download", "-s", "--into", "new/sub", urls[0]], in: folder)
            #expect(silent.status == 0)
            #expect(silent.output.isEmpty && silent.errors.isEmpty)
            #expect(folder.content("new/sub/3000")?.count == 3_000)
        }
    }

    @Test("-o and -O replace, -O -J keeps, and no option adds a number") func existing() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let url = server.url("/range/10")
            for name in ["10", "x"] { try folder.write("old", to: name) }
            #expect(try await tern(["download", "-o", "x", url], in: folder).status == 0)
            #expect(folder.content("x")?.count == 10)
            let kept = try await tern(["download", "-OJ", url], in: folder)
            #expect(kept.status == 23)
            #expect(kept.errors.contains("“10” exists"), "\(kept.errors)")
            #expect(folder.content("10") == Array("old".utf8))
            #expect(try await tern(["download", url], in: folder).status == 0)
            #expect(folder.names == ["10", "10 (2)", "x"])
            #expect(try await tern(["download", "-O", url], in: folder).status == 0)
            #expect(folder.content("10")?.count == 10)
            #expect(folder.names == ["10", "10 (2)", "x"])
            // Two of one name in one command.
            #expect(try await tern(["download", "-O", url, url + "?b"], in: folder).status == 0)
            #expect(folder.names == ["10", "10 (2)", "10 (3)", "10 (4)", "x"])
        }
    }

    @Test("The exit status is that of the first URL that failed; the others are saved") func statuses() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let urls = ["/range/10", "/status/404", "/fault/close-half", "/range/11"].map { server.url($0) }
            let outcome = try await tern(["download", "--jobs", "2"] + urls, in: folder)
            #expect(outcome.status == 22)
            #expect(folder.names == ["10", "11"])
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.contains { $0.hasPrefix("tern: 404: ") && $0.contains("/status/404") }, "\(outcome.errors)")
            #expect(lines.contains { $0.hasPrefix("tern: close-half: ") }, "\(outcome.errors)")
            #expect(try await tern(["download"] + urls.reversed(), in: folder).status == 18)
            let wrong = String(repeating: "0", count: 64)
            #expect(try await tern(["download", "-o", "y", "--sha256", wrong, urls[0]], in: folder).status == 1)
            #expect(folder.content("y") == nil)
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
            #expect(outcome.status == 22, "\(outcome.errors)")
            #expect(outcome.errors.contains("403") && !outcome.errors.contains("limit"), "\(outcome.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test("A success without a file is an error") func noContent() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let outcome = try await tern(["download", "-o", "x", server.url("/status/204")], in: folder)
            #expect(outcome.status == 22)
            #expect(outcome.errors.contains("204 No Content"), "\(outcome.errors)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test(
        "What cannot be meant is refused",
        arguments: [
            ([], "URL"), (["-o", "x", "http://a/", "http://b/"], "--into"), (["-o", "-", "http://a/"], "tern GET"),
            (["-o", "x", "-O", "http://a/"], "exclude"), (["-J", "http://a/"], "-O"), (["-O", "http://a/"], "-o FILE"),
            (["--sha256", "12", "http://a/"], "64"), (["--jobs", "0", "http://a/"], "--jobs"),
            (["--segments", "99", "http://a/"], "--segments"), (["-C", "12", "http://a/"], "-C -"),
        ] as [([String], String)])
    func refused(arguments: [String], text: String) async throws {
        let outcome = try await TernProcess(["download"] + arguments).outcome()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }

    @Test("Header fields, credentials and the rate are sent as with requests") func options() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            let outcome = try await tern(
                ["download", "-o", "x", "-H", "X-A: b", "-H", "User-Agent:", "-a", "u:p", server.url("/get")],
                in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let sent = try #require(server.requests().last)
            #expect(sent.headers["X-A"] == "b")
            #expect(sent.headers["Authorization"] == "Basic dTpw")
            #expect(sent.headers["User-Agent"] == nil)
        }
    }

    // MARK: Interrupted and continued

    private static let count = 3_000_000
    private static let tag = "\"held\""

    /// Adds `/held.bin`, of which the first request gets the first third; ranges are answered whole. Returns the ranges asked for.
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

    private static let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }

    /// Waits until a file in the folder has bytes.
    private func waitForBytes(_ name: String, in folder: TemporaryFolder) async throws {
        let end = ContinuousClock.now + .seconds(180)
        while (folder.content(name)?.count ?? 0) == 0 {
            try #require(ContinuousClock.now < end, "\(folder.names)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(
        "Ctrl-C keeps what is there and prints the command that continues",
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
            #expect(outcome.status == 130)
            #expect(folder.names == ["\(name).sterna-part", "\(name).sterna-resume"])
            let lines = outcome.errors.split(separator: "\n").map(String.init)
            #expect(lines.count == 2)
            #expect(lines.first?.contains("fill in ***") == true)
            #expect(lines.last?.hasPrefix("  tern download --continue ") == true)
            #expect(!outcome.errors.contains("s3cret"))
            // The command works once its secrets are filled in.
            var words = (lines.last ?? "").replacing("***", with: "s3cret").replacing("'", with: "").split(
                separator: " "
            )
            .map(String.init)
            words.removeFirst()
            let continued = try await tern(words, in: folder)
            #expect(continued.status == 0, "\(continued.errors)")
            #expect(continued.text.contains("continued at"))
            #expect(folder.names == [name])
            #expect(folder.content(name) == Self.content)
            #expect(ranges.last.hasPrefix("bytes="))
        }
    }

    @Test("Without --continue it begins anew; tern -C - -O continues") func anew() async throws {
        try await TestServer.withServer { server in
            let ranges = hold(server)
            let folder = try TemporaryFolder()
            let url = server.url("/held.bin")
            let process = try TernProcess(["-C", "-", "-O", url], folder: folder.path)
            try await waitForBytes("held.bin.sterna-part", in: folder)
            process.signal(SIGINT)
            let first = try await process.outcome()
            #expect(first.status == 130)
            #expect(first.errors.contains("tern download --continue -O "), "\(first.errors)")
            let partial = try #require(folder.content("held.bin.sterna-part"))
            let continued = try await tern(["GET", "-C", "-", "-O", url], in: folder)
            #expect(continued.status == 0, "\(continued.errors)")
            #expect(folder.content("held.bin") == Self.content)
            #expect(ranges.last == "bytes=\(partial.count)-")
            #expect(try await tern(["download", "-O", url], in: folder).status == 0)
            #expect(ranges.last == "")
            #expect(folder.names == ["held.bin"])
        }
    }

    @Test(
        "-C - of a request that is no download is refused",
        arguments: [
            ["-C", "-", "http://a/x"], ["-C", "-", "-o", "-", "http://a/x"], ["-C", "9", "-O", "http://a/x"],
            ["-C", "-", "-O", "POST", "http://a/x"], ["-C", "-", "-O", "http://a/x", "a=b"],
            ["-C", "-", "-Ov", "http://a/x"], ["-C", "-", "-O", "-d", "x", "http://a/x"],
        ])
    func noDownload(arguments: [String]) async throws {
        let outcome = try await TernProcess(arguments).outcome()
        #expect(outcome.status == 2)
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
            #expect(outcome.status == 130)
            #expect(outcome.text == "Saved 10, 10 B\n")
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
            #expect(outcome.status == 22)
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
