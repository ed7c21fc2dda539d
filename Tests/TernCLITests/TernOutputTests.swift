import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Requests, output and saved files of the built program.
@Suite(.timeLimit(.minutes(5))) struct TernOutputTests {
    private func json(_ outcome: TernProcess.Outcome) throws -> JSON {
        expectEqual(outcome.status, 0, "\(outcome.errors)")
        return try JSON(parsing: outcome.output)
    }

    @Test(arguments: [
        "/bytes/300000?seed=7", "/stream-bytes/70000?seed=7", "/json", "/encoding/utf8", "/image/png", "/1k",
    ])
    func passesBodiesOnUnchanged(_ path: String) async throws {
        try await TestServer.withServer { server in
            let expected = try await Session.shared.send(.get(server.url(path))).body.array
            try await expectEqual(TernProcess.run(server.url(path)).output, expected)
            let folder = try TemporaryFolder()
            let file = folder.path("file")
            let saved = try await TernProcess.run("-o", file, server.url(path))
            expectEqual(saved.status, 0)
            #expect(saved.output.isEmpty)
            expectEqual(folder.content("file"), expected)
            expectEqual(folder.names, ["file"])
            try await expectEqual(TernProcess.run("-o", "-", server.url(path)).output, expected)
        }
    }

    @Test func keepsTheOldFileUntilTheNewOneIsComplete() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try folder.write("old", to: "file")
            try await expectEqual(
                TernProcess.run("-o", folder.path("file"), server.url("/fault/close-half")).status, 18)
            try await expectEqual(
                TernProcess.run("--fail", "-o", folder.path("file"), server.url("/status/404")).status, 22)
            expectEqual(folder.content("file"), Array("old".utf8))
            expectEqual(folder.names, ["file"])
            try await expectEqual(TernProcess.run("-o", folder.path("file"), server.url("/1k")).status, 0)
            expectEqual(folder.content("file")?.count, 1_024)
        }
    }

    @Test func sendsItems() async throws {
        try await TestServer.withServer { server in
            let sent = try json(
                await TernProcess.run(server.url("/anything"), "q==1", "q==2", "a=x", "b:=[1,null]", "X-A:y", "Accept:")
            )
            expectEqual(sent["method"], "POST")
            expectEqual(sent["args"], ["q": ["1", "2"]])
            expectEqual(sent["json"], ["a": "x", "b": [1, nil]])
            expectEqual(sent["headers"]["X-A"], "y")
            expectEqual(sent["headers"]["Accept"], .null)
            let form = try json(await TernProcess.run("-f", "put", server.url("/anything"), "a=1", "a=2"))
            expectEqual(form["method"], "PUT")
            expectEqual(form["form"], ["a": ["1", "2"]])
            let plain = try json(await TernProcess.run("POST", server.url("/post")))
            expectEqual(plain["headers"]["Content-Length"], "0")
            expectEqual(plain["headers"]["Content-Type"], .null)
        }
    }

    @Test func uploadsFiles() async throws {
        try await TestServer.withServer { server in
            let folder = try TemporaryFolder()
            try folder.write(String(repeating: "x", count: 3_000_000), to: "big.txt")
            let answer = try json(await TernProcess.run(server.url("/upload"), "@\(folder.path("big.txt"))"))
            expectEqual(answer["bytes"].int, 3_000_000)
            expectEqual(server.requests().last?.headers["Content-Type"], "text/plain")
        }
    }

    @Test func readsPipes() async throws {
        try await TestServer.withServer { server in
            let body = Array(#"{"a":1}"#.utf8)
            let sent = try json(await TernProcess.run("POST", server.url("/anything"), input: .bytes(body)))
            expectEqual(sent["method"], "POST")
            expectEqual(sent["json"], ["a": 1])
            let ignored = try json(
                await TernProcess.run("--ignore-stdin", "POST", server.url("/anything"), input: .bytes(body)))
            expectEqual(ignored["json"], .null)
            let empty = try json(await TernProcess.run(server.url("/anything"), input: .bytes([])))
            expectEqual(empty["method"], "GET")
        }
    }

    @Test func doesNotWaitForSilentPipes() async throws {
        try await TestServer.withServer { server in
            let named = try json(await TernProcess.run("GET", server.url("/anything"), input: .silence))
            expectEqual(named["method"], "GET")
            let guessed = try json(await TernProcess.run(server.url("/anything"), input: .silence))
            expectEqual(guessed["method"], "GET")
        }
    }

    @Test func showsTheExchangeWithoutSecrets() async throws {
        try await TestServer.withServer { server in
            let url = server.url("/redirect/1")
            let shown = try await TernProcess.run("-v", "-a", "user:secret", url, "Cookie:k=hidden").text
            #expect(shown.contains("GET /redirect/1 HTTP/1.1\n"))
            #expect(shown.contains("HTTP/1.1 302 Found\n"))
            #expect(shown.contains("GET /get HTTP/1.1\n"))
            expectEqual(shown.components("Authorization: ***\nCookie: ***\n"), 2)
            let open = try await TernProcess.run("--print", "H", "--show-secrets", "--bearer", "tok", url).text
            #expect(open.contains("Authorization: Bearer tok\n"))
        }
    }

    @Test func isFitForATerminal() async throws {
        try await TestServer.withServer { server in
            let json = try await TernProcess.run(server.url("/get?a=1"), onTerminal: true).text
            #expect(json.contains("200 OK"))
            #expect(json.contains("\u{1B}[34m\"args\"\u{1B}[0m: {"))
            let plain = try await TernProcess.run(server.url("/get"), environment: ["NO_COLOR": "1"], onTerminal: true)
                .text
            #expect(!plain.contains("\u{1B}"))
            let binary = try await TernProcess.run(server.url("/image/png"), onTerminal: true).text
            #expect(binary.contains("use -o FILE"))
            #expect(!binary.contains("IHDR"))
        }
    }

    @Test func keepsEscapesFromATerminal() async throws {
        let body = "\u{1B}]0;owned\u{7}\u{9B}31mtext\r\n"
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Odd: \u{9B}2J\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n"
        let server = try await ScriptedServer.start(connections: [[.receiveHead, .send(head + body), .close]])
        let shown = try await TernProcess.run("--no-color", "http://127.0.0.1:\(server.port)/", onTerminal: true).text
        #expect(shown.contains("␛]0;owned␇"))
        #expect(shown.contains("text"))
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\r" })
        #expect(!shown.unicodeScalars.contains { (0x80..<0xA0).contains($0.value) })
        try await server.stop()
    }

    @Test func playsTheDemo() async throws {
        let outcome = try await TernProcess.run("demo")
        expectEqual(outcome.status, 0, "\(outcome.text)")
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 75)
        #expect(!outcome.text.contains("\u{1B}"))
        let table = lines.drop { !$0.hasPrefix("Step") }.filter { !$0.isEmpty }
        expectEqual(Set(table.map(\.count)).count, 1)
        #expect(table.dropFirst().allSatisfy { $0.contains("  ok  ") })
    }

    @Test func servesUntilItIsStopped() async throws {
        let folder = try TemporaryFolder()
        let process = try TernProcess(["serve", "--port", "0", "--tls"], environment: ["TMPDIR": folder.path])
        let lines = await process.lines(2)
        let words = (lines.last ?? "").split(separator: " ").map(String.init)
        expectEqual(words.prefix(4), ["Try", "it", "with:", "tern"])
        expectEqual(folder.names.count, 1)
        let asked = try await TernProcess(Array(words.dropFirst(4))).outcome()
        expectEqual(asked.status, 0)
        process.signal(15)
        try await expectEqual(process.outcome().status, 0)
        #expect(folder.names.isEmpty)
    }
}

extension String {
    /// Returns how often a text occurs in this one.
    fileprivate func components(_ part: String) -> Int {
        var count = 0
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) { count += 1 }
            rest = rest.dropFirst()
        }
        return count
    }
}
