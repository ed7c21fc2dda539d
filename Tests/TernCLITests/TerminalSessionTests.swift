import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern` in a terminal of 40 columns, in a pipe, without colour, and under Ctrl-C and SIGPIPE.
@Suite("tern: in a terminal", .timeLimit(.minutes(5)))
struct TerminalSessionTests {
    private static let window = TernProcess.Window(rows: 24, columns: 40)
    private static let escape = "\u{1B}"

    /// Runs a command in a terminal; returns its exit status and what it showed.
    private func run(_ command: String, environment: [String: String] = [:]) async throws -> (
        status: Int32, text: String
    ) {
        let folder = try TemporaryFolder()
        return try await TerminalSession(
            command, window: Self.window, environment: environment, folder: folder.path
        ).outcome()
    }

    /// The lines of a text without sequences that colour it.
    private func lines(_ text: String) -> [String] {
        text.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test("What tern draws fits 40 columns, and is coloured unless NO_COLOR, TERM or --no-color forbids it")
    func narrow() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/short") { _ in .text(#"{"name":"Ada"}"#, mediaType: "application/json") }
            let url = server.url("/short")
            for option in ["--meta", "--timeline --body", "--print hb", "--pretty format --print hb"] {
                let coloured = try await run("tern \(option) \(url)")
                expectEqual(coloured.status, 0, "\(option): \(coloured.text)")
                #expect(coloured.text.contains(Self.escape) != option.contains("format"), "\(option): \(coloured.text)")
                for (words, variables) in [
                    ("tern \(option)", ["NO_COLOR": "1"]), ("tern \(option)", ["TERM": "dumb"]),
                    ("tern --no-color \(option)", [:]),
                ] {
                    let plain = try await run("\(words) \(url)", environment: variables)
                    expectEqual(plain.status, 0, "\(option): \(plain.text)")
                    #expect(!plain.text.contains(Self.escape), "\(option) \(variables): \(plain.text)")
                }
                let bars = lines(coloured.text).filter { $0.contains("█") }
                expectEqual(bars.isEmpty, option.contains("print"), "\(option): \(coloured.text)")
                for bar in bars { #expect(DisplayWidth.of(bar) < 40, "\(option): \(bar)") }
            }
        }
    }

    @Test("In a pipe the output has no colour, and the body is as it was sent") func pipe() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/short") { _ in .text(#"{"b":1,"a":[]}"#, mediaType: "application/json") }
            let outcome = try await run("tern -s -i \(server.url("/short")) | cat")
            expectEqual(outcome.status, 0)
            #expect(!outcome.text.contains(Self.escape), "\(outcome.text)")
            expectEqual(lines(outcome.text).first, "HTTP/1.1 200 OK")
            expectEqual(lines(outcome.text).last, #"{"b":1,"a":[]}"#)
            let bare = try await run("tern -s \(server.url("/short")) | cat")
            expectEqual(bare.text, #"{"b":1,"a":[]}"#)
        }
    }

    @Test("Ctrl-C ends tern with 130; what has arrived of a file is kept, and the bar is cleared") func interrupted()
        async throws
    {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            server.route("GET", "/held.bin") { _ in
                ServerResponse(
                    headers: ["ETag": "\"held\""],
                    body: .stream(length: 3_000_000) { writer in
                        try await writer.write([UInt8](repeating: 7, count: 1_000_000))
                        while true { try await Task.sleep(for: .seconds(60)) }
                    })
            }
            let session = try TerminalSession(
                "exec tern -o x.bin \(server.url("/held.bin"))", window: Self.window, folder: folder.path)
            let drawn = await session.text { $0.contains("33%") }
            #expect(drawn.contains("33%"), "\(drawn)")
            session.type("\u{3}")
            let outcome = await session.outcome()
            expectEqual(outcome.status, 130, "\(outcome.text)")
            expectEqual(folder.names, ["x.bin.sterna-part", "x.bin.sterna-resume"])
            var screen = FakeScreen(rows: 24, columns: 40)
            for piece in drawn.split(separator: "\r", omittingEmptySubsequences: false) {
                screen.write("\r\(piece)")
                #expect(!screen.isWrapped, "\(screen.lines)")
            }
            screen.write(String(outcome.text.dropFirst(drawn.count)))
            expectEqual(screen.unknown, [])
            #expect(!screen.lines.contains { $0.contains("%") }, "\(screen.lines)")
            #expect(screen.lines.contains { $0.hasPrefix("Interrupted; kept 1 MB") }, "\(screen.lines)")
        }
    }

    @Test("Ctrl-C ends tern with 130 and without a message where there is nothing to keep") func stopped() async throws
    {
        let folder = try TemporaryFolder()
        try await TestServer.withServer { server in
            let session = try TerminalSession(
                "exec tern \(server.url("/fault/never"))", window: Self.window, folder: folder.path)
            try await server.waitForRequests(1)
            session.type("\u{3}")
            let outcome = await session.outcome()
            expectEqual(outcome.status, 130)
            // The terminal itself shows the key.
            expectEqual(outcome.text, "^C")
        }
    }

    @Test("tern ends without a message when the program behind its pipe has read enough") func brokenPipe() async throws
    {
        try await TestServer.withServer { server in
            server.route("GET", "/lines") { _ in .text((1...200_000).map { "line \($0)\n" }.joined()) }
            for options in ["", "-i ", "-s ", "--pretty format "] {
                let command = "(tern \(options)\(server.url("/lines")); echo $? >&2) | head -n 1"
                let outcome = try await TernProcess(
                    ["-c", "PATH=\"${0%/*}:/usr/bin:/bin\"; \(command)", TernProcess.path], program: "/bin/sh"
                ).outcome()
                expectEqual(outcome.text, options == "-i " ? "HTTP/1.1 200 OK\n" : "line 1\n", "\(options)")
                // The status alone.
                expectEqual(outcome.errors, "23\n", "\(options)")
            }
        }
    }
}
