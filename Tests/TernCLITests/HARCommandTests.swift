import Sterna
import SternaPlatform
import SternaRecorder
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite("tern har", .timeLimit(.minutes(5)))
struct HARCommandTests {
    private static let document = HARDocument(entries: [
        entry("GET", "https://birds.example/list?token=s3cret&page=1", at: 0, content: "nests"),
        entry("POST", "https://birds.example/\u{1B}[2Jnew\u{202E}", at: 0.2, status: 201, content: "\u{1B}[31mred"),
        entry("GET", "https://gone.example/", at: 0.3, status: 0),
    ])

    private static func entry(
        _ method: String, _ url: String, at start: Double, status: Int = 200, content: String = ""
    ) -> HARDocument.Entry {
        HARDocument.Entry(
            started: Date(timeIntervalSince1970: 1_796_029_200 + start),
            request: .init(method: method, url: url, headers: [.init(name: "Authorization", value: "Bearer s3cret")]),
            response: .init(
                status: status, headers: [.init(name: "Content-Type", value: "text/plain")],
                content: .init(mediaType: "text/plain", bytes: Array(content.utf8))),
            timings: .init(dns: 10, connect: 40, ssl: 20, send: 1, wait: 100, receive: 49))
    }

    private func withFile(_ work: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try Self.document.write(to: folder.path("a.har"), showsSecrets: true)
        try await work(folder.path("a.har"))
    }

    @Test("show lists entries in a pipe, without secrets and escapes") func list() async throws {
        try await withFile { file in
            let outcome = try await TernProcess.run("har", "show", file)
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let lines = outcome.text.split(separator: "\n").map(String.init)
            expectEqual(lines.count, 4)
            #expect(lines[0].hasPrefix("#  METHOD  STATUS"), "\(lines[0])")
            #expect(lines[1].hasSuffix("https://birds.example/list?token=***&page=1"), "\(lines[1])")
            #expect(lines[1].contains("200 ms") && lines[1].contains("5 B"), "\(lines[1])")
            #expect(lines[3].contains("failed"), "\(lines[3])")
            #expect(!outcome.text.contains("\u{1B}") && !outcome.text.contains("\u{202E}"))
            let asked = try await TernProcess.run("har", "show", file, "--show-secrets")
            #expect(asked.text.contains("token=s3cret"))
        }
    }

    @Test("show --json is an array with numbers") func json() async throws {
        try await withFile { file in
            let outcome = try await TernProcess.run("har", "show", file, "--json")
            let tree = try JSON(parsing: outcome.text)
            expectEqual(tree.array?.compactMap { $0["number"].int }, [1, 2, 3])
            expectEqual(tree[1]["status"].int, 201)
            let one = try await TernProcess.run("har", "show", file, "2", "--json")
            try expectEqual(JSON(parsing: one.text)["request"]["method"].string, "POST")
        }
    }

    @Test("show --json has escapes in place of characters that a terminal interprets") func harmlessJSON() async throws
    {
        let type = "text/\u{9B}31m\u{85}\u{7F}\u{202E}\u{2066}é"
        var entry = Self.entry("GET", "https://birds.example/", at: 0)
        entry.response.content.mimeType = type
        let folder = try TemporaryFolder()
        try HARDocument(entries: [entry]).write(to: folder.path("a.har"))
        let list = try await TernProcess.run("har", "show", folder.path("a.har"), "--json")
        let one = try await TernProcess.run("har", "show", folder.path("a.har"), "1", "--json")
        for outcome in [list, one] {
            #expect(outcome.text.contains("\\u009b31m") && outcome.text.contains("é"), "\(outcome.text)")
            for scalar in outcome.text.unicodeScalars where scalar != "\n" {
                #expect(![.control, .format].contains(scalar.properties.generalCategory), "\(scalar.value)")
            }
        }
        try expectEqual(JSON(parsing: list.text)[0]["mimeType"].string, type)
        try expectEqual(JSON(parsing: one.text)["response"]["content"]["mimeType"].string, type)
    }

    @Test("show with a number shows the exchange and its phases") func detail() async throws {
        try await withFile { file in
            let outcome = try await TernProcess.run("har", "show", file, "2")
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            let text = outcome.text
            #expect(text.hasPrefix("Entry 2: POST https://birds.example/"), "\(text)")
            #expect(text.contains("Authorization: ***") && text.contains("Response: 201"), "\(text)")
            #expect(text.contains("  wait    100 ms"), "\(text)")
            #expect(!text.contains("\u{1B}") && !text.contains("s3cret"), "\(text)")
            let missing = try await TernProcess.run("har", "show", file, "9")
            expectEqual(missing.status, 1)
            #expect(missing.errors.contains("no entry 9; it has 3"), "\(missing.errors)")
        }
    }

    @Test("A table on a terminal fits it, with a waterfall where there is room", arguments: [20, 40, 60, 80, 120, 200])
    func widths(columns: Int) {
        for isPlain in [false, true] {
            let lines = HARTable(width: columns, isPlain: isPlain).lines(Self.document.redacted().entries)
            for line in lines { #expect(DisplayWidth.of(line) <= columns, "\(line)") }
            let hasBars = lines.contains { $0.contains("█") || $0.contains("====") }
            expectEqual(hasBars, columns >= 120, "\(lines)")
            expectEqual(lines.count, columns >= 80 ? 4 : lines.count)
        }
    }

    @Test("Times beyond all bounds do not end the program")
    func bounds() {
        var entry = Self.entry("GET", "http://h/", at: 0)
        entry.json["time"] = JSON(1e308)
        entry.timings.wait = 1e308
        entry.timings.receive = 1e308
        entry.json["response"]["content"]["size"] = JSON(1e300)
        for number in [80, 200] {
            _ = HARTable(width: number).lines([entry, Self.entry("GET", "http://h/", at: 1e9)])
            _ = HARDetail(width: number).lines(entry, 1)
        }
    }

    @Test("export writes all entries or one, without secrets unless asked") func export() async throws {
        try await withFile { file in
            let curl = try await TernProcess.run("har", "export", file, "--as", "curl")
            expectEqual(curl.status, 0, "\(curl.errors)")
            expectEqual(curl.text.split(separator: "\n").filter { $0.hasPrefix("curl ") }.count, 3)
            #expect(!curl.text.contains("s3cret"))
            let one = try await TernProcess.run("har", "export", file, "--as", "http", "-n", "1", "--show-secrets")
            #expect(
                one.text.hasPrefix("### 1\nGET https://birds.example/list?token=s3cret&page=1 HTTP/1.1\n"),
                "\(one.text)")
            let swift = try await TernProcess.run("har", "export", file, "--as", "swift", "-n", "3")
            #expect(
                swift.text.hasPrefix("let reply = try await session.get(\n    \"https://gone.example/\""),
                "\(swift.text)")
            let wrong = try await TernProcess.run("har", "export", file, "--as", "wget")
            expectEqual(wrong.status, 2)
            #expect(wrong.errors.contains("curl, http or swift"), "\(wrong.errors)")
        }
    }

    @Test("export exits with 1 if it leaves an entry out") func incompleteExport() async throws {
        let folder = try TemporaryFolder()
        let bad = Self.entry("GET", "about:blank", at: 0)
        try HARDocument(entries: [bad, Self.entry("GET", "https://birds.example/", at: 1)]).write(
            to: folder.path("a.har"))
        let some = try await TernProcess.run("har", "export", folder.path("a.har"), "--as", "curl")
        expectEqual(some.status, 1)
        #expect(some.text.hasPrefix("curl ") && some.errors.contains("Entry 1 is left out"), "\(some.errors)")
        try HARDocument(entries: [bad]).write(to: folder.path("b.har"))
        let none = try await TernProcess.run("har", "export", folder.path("b.har"), "--as", "curl")
        expectEqual(none.status, 1)
        #expect(none.errors.contains("Entry 1 is left out") && !none.errors.contains("No entries"), "\(none.errors)")
        try HARDocument().write(to: folder.path("c.har"))
        let empty = try await TernProcess.run("har", "export", folder.path("c.har"), "--as", "curl")
        expectEqual(empty.status, 0)
        #expect(empty.errors.contains("No entries."), "\(empty.errors)")
    }

    @Test("replay answers with the recorded responses") func replay() async throws {
        let folder = try TemporaryFolder()
        try Self.document.write(to: folder.path("a.har"))
        let process = try TernProcess(["har", "replay", folder.path("a.har"), "--port", "0"])
        defer { process.signal(SIGKILL) }
        let line = try #require(await process.lines(1).first)
        #expect(line.hasPrefix("Replaying 3 entries on http://127.0.0.1:"), "\(line)")
        let url = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") }?.dropLast())
        let session = try Session { $0.acceptsAnyStatus = true }
        let reply = try await session.get("\(url)/list?token=other&page=1")
        expectEqual(reply.body.text, "nests")
        let none = try await session.get("\(url)/list?token=other&page=2")
        expectEqual(none.status, 404)
        #expect(none.body.text.contains("nearest is entry 1"), "\(none.body.text)")
    }

    @Test("Files that are missing or no documents are errors of one line") func errors() async throws {
        let folder = try TemporaryFolder()
        try Data("{}".utf8).write(to: URL(filePath: folder.path("b.har")))
        let missing = try await TernProcess.run("har", "show", folder.path("none.har"))
        expectEqual(missing.status, 26)
        let wrong = try await TernProcess.run("har", "show", folder.path("b.har"))
        expectEqual(wrong.status, 1)
        #expect(wrong.errors.contains("log.entries"), "\(wrong.errors)")
    }
}
