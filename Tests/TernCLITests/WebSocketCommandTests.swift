import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern ws`.
@Suite("tern ws", .timeLimit(.minutes(5)))
struct WebSocketCommandTests {
    /// The URL of a server's route as browsers write it.
    private static func url(_ server: TestServer, _ path: String) -> String {
        "ws" + server.url(path).dropFirst("http".count)
    }

    @Test(
        "Lines end with LF or CRLF, and the last one may have no end, in whatever pieces they come", arguments: 1...7)
    func lines(size: Int) {
        let bytes = Array("a\r\n\nb\rc\n\u{E9}\r\n\r\nlast".utf8)
        var (lines, found) = (InputLines(), [String]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines.append(Bytes(bytes: bytes[start..<min(bytes.count, start + size)]))
            while let line = lines.next(atEnd: false) { found.append(String(decoding: line, as: UTF8.self)) }
        }
        expectEqual(found, ["a", "", "b\rc", "\u{E9}", ""])
        expectEqual(lines.bytes, 4)
        expectEqual(lines.next(atEnd: true), Array("last".utf8))
        expectNil(lines.next(atEnd: true))
        expectEqual(lines.count, 6)
        expectEqual(lines.bytes, 0)
    }

    @Test("A message as JSON has its type, its time and its data")
    func json() {
        let time = Date(timeIntervalSince1970: 1_500_000_000.25)
        expectEqual(
            WebSocketOutput.line(.text("a\n\"b\""), at: time),
            #"{"type":"text","time":"2017-07-14T02:40:00.250Z","data":"a\n\"b\""}"#)
        expectEqual(
            WebSocketOutput.line(.binary(Bytes(bytes: [0, 255, 254])), at: time),
            #"{"type":"binary","time":"2017-07-14T02:40:00.250Z","data":"AP/+"}"#)
    }

    @Test("ws and wss are http and https of the handshake")
    func schemes() throws {
        for (given, expected) in [
            ("ws://h/a", "http://h/a"), ("WSS://h", "https://h"), ("https://h", "https://h"),
            (":80/ws", "http://localhost:80/ws"),
        ] {
            expectEqual(try Target([given]).openingWebSocket.url, expected)
        }
    }

    @Test("Codes of a close have exit statuses of their own")
    func statuses() {
        let table: [(code: UInt16, status: Int32)] = [
            (1000, 0), (1001, 0), (1005, 0), (1006, 56), (1002, 102), (1008, 108), (1011, 111), (1015, 115),
            (1029, 129),
            (1030, 100), (3000, 100), (4999, 100),
        ]
        for (code, status) in table {
            expectEqual(ExitStatus.code(forClose: code), status, "\(code)")
            let closure = WebSocket.Closure(WebSocket.CloseCode(rawValue: code), isByPeer: true)
            let error = SternaError(.webSocketClosed, phase: .read, "", underlying: closure)
            expectEqual(ExitStatus.code(for: error), status, "\(code)")
        }
    }

    @Test("Lines are sent as messages and messages printed as lines; with --no-wait the end of the input is the end")
    func echo() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "ws", "--no-wait", Self.url(server, "/ws/echo"),
                input: .bytes(Array("one\r\n\n\u{E9}t\u{E9}\nlast".utf8)))
            expectEqual(outcome.text, "one\n\n\u{E9}t\u{E9}\nlast\n")
            expectEqual(outcome.errors, "")
            expectEqual(outcome.status, 0)
        }
    }

    @Test("After the end of the input the command waits for the server, which closes")
    func waits() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/late") { _ in
                .webSocket { socket in
                    for try await message in socket {
                        // The client's input has ended long before.
                        try await Task.sleep(for: .milliseconds(300))
                        if case .text(let text) = message { try await socket.send("late \(text)") }
                        return try await socket.close(.goingAway, reason: "bye")
                    }
                }
            }
            let outcome = try await TernProcess.run("ws", server.url("/late"), input: .bytes(Array("a\n".utf8)))
            expectEqual(outcome.text, "late a\n")
            expectEqual(outcome.errors, "")
            expectEqual(outcome.status, 0)
        }
    }

    @Test("Messages arrive while the input is silent, and the command closes after their number")
    func maximum() async throws {
        try await TestServer.withServer { server in
            let closed = Gate()
            server.route("GET", "/numbers") { _ in
                .webSocket { socket in
                    for number in 1...3 { try await socket.send("\(number)") }
                    for try await _ in socket {}
                    closed.open()
                }
            }
            let outcome = try await TernProcess(
                ["ws", server.url("/numbers"), "--max-messages", "2"], input: .silence
            ).outcome()
            expectEqual(outcome.text, "1\n2\n")
            expectEqual(outcome.errors, "")
            expectEqual(outcome.status, 0)
            await closed.pass()
        }
    }

    @Test("--binary sends and writes bytes as they are; otherwise binary messages are a note, or base64 in JSON")
    func binary() async throws {
        let bytes: [UInt8] = [0, 255, 10, 13, 10, 128]
        try await TestServer.withServer { server in
            let url = server.url("/ws/echo")
            let raw = try await TernProcess.run("ws", "--no-wait", "--binary", url, input: .bytes(bytes))
            expectEqual(raw.output, bytes)
            expectEqual(raw.status, 0)
            server.route("GET", "/both") { _ in
                .webSocket { socket in
                    try await socket.send(Bytes(bytes: bytes))
                    try await socket.send("text")
                }
            }
            let both = server.url("/both")
            let noted = try await TernProcess.run("ws", both)
            expectEqual(noted.text, "text\n")
            #expect(noted.errors.contains("6 bytes of binary data"), "\(noted.errors)")
            try await expectEqual(TernProcess.run("ws", "-s", both).errors, "")
            let written = try await TernProcess.run("ws", "--binary", both)
            expectEqual(written.output, bytes + Array("text".utf8))
            let lines = try await TernProcess.run("ws", "--json", both).text.split(separator: "\n")
            let values = try lines.map { try JSON(parsing: String($0)) }
            expectEqual(values.map { $0["type"].string }, ["binary", "text"])
            expectEqual(values.map { $0["data"].string }, ["AP8KDQqA", "text"])
        }
    }

    @Test("Another code than 1000 and 1001 is an error with the reason, and a status of its own")
    func codes() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/closing") { request in
                let code = request.queryItems.first { $0.name == "code" }.flatMap { UInt16($0.value) }
                return .webSocket { socket in
                    try await socket.close(
                        code.map { WebSocket.CloseCode(rawValue: $0) }, reason: "no more\u{1B}[31m terns")
                }
            }
            for (code, status) in [(1000, 0), (1001, 0), (1008, 108), (1011, 111), (4004, 100)] {
                let outcome = try await TernProcess.run("ws", server.url("/closing?code=\(code)"))
                expectEqual(outcome.status, Int32(status), "\(code): \(outcome.errors)")
                expectEqual(outcome.errors.contains("no more"), status != 0, "\(outcome.errors)")
                #expect(!outcome.errors.contains("\u{1B}[31m"))
            }
        }
    }

    @Test("A refused handshake is an error with the server's message")
    func refused() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/no") { _ in .json(["error": ["message": "No terns today"]], status: 403) }
            let outcome = try await TernProcess.run("ws", server.url("/no"))
            expectEqual(outcome.status, 22)
            #expect(outcome.errors.contains("No terns today"), "\(outcome.errors)")
            let plain = try await TernProcess.run("ws", server.url("/get"))
            expectEqual(plain.status, 22)
        }
    }

    @Test("-v shows the handshake without secrets, and how the WebSocket was closed")
    func verbose() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/chat") { request in
                .webSocket(subprotocols: ["chat.v1"]) { socket in
                    try await socket.send(
                        "\(request.headers["Authorization"] ?? "none") \(socket.subprotocol ?? "none")")
                    try await socket.close(.normal, reason: "done")
                }
            }
            let outcome = try await TernProcess.run(
                "ws", "-v", server.url("/chat?token=s3cret"), "--subprotocol", "chat.v2", "--subprotocol", "chat.v1",
                "--bearer", "s3cret", "--ping", "0")
            expectEqual(outcome.text, "Bearer s3cret chat.v1\n")
            expectEqual(outcome.status, 0)
            for part in [
                "GET /chat?token=", "Upgrade: websocket", "Sec-WebSocket-Protocol: chat.v2, chat.v1", "101",
                "Sec-WebSocket-Accept: ",
                "* Closed by the server with 1000, “done”",
            ] {
                #expect(outcome.errors.contains(part), "\(part) is not in \(outcome.errors)")
            }
            #expect(!outcome.errors.contains("s3cret"), "\(outcome.errors)")
        }
    }

    @Test("Over HTTP/2 -v shows the extended CONNECT that was sent, with TLS and without", arguments: [true, false])
    func verboseConnect(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let folder = try TemporaryFolder()
        try authority.writePEM(toPath: folder.path("ca.pem"))
        let tls = isSecure ? try authority.issue(hosts: ["localhost", "127.0.0.1"]) : nil
        try await TestServer.withServer(.init(tls: tls, http2: [.byALPN, .byPriorKnowledge])) { server in
            let words = isSecure ? ["--cacert", folder.path("ca.pem")] : ["--http2-prior-knowledge"]
            for (path, status) in [("/ws/count/1", "200"), ("/status/404", "404")] {
                let outcome = try await TernProcess.run(["ws", "-v", Self.url(server, path), "--ignore-stdin"] + words)
                expectEqual(outcome.status == 0, status == "200", "\(outcome.errors)")
                let (request, response) = ("CONNECT \(path) HTTP/2\n:protocol: websocket\nHost: ", "HTTP/2 \(status)")
                for part in [request, "Sec-WebSocket-Version: 13", response] {
                    expectEqual(outcome.errors.ranges(of: part).count, 1, "\(part) in \(outcome.errors)")
                }
                for part in ["GET /", "Upgrade", "Connection: Upgrade", "Sec-WebSocket-Key"] {
                    #expect(!outcome.errors.contains(part), "\(part) is in \(outcome.errors)")
                }
            }
        }
    }

    @Test("-v shows a request without a response, too, and each of a handshake that is redirected or retried")
    func verboseRequests() async throws {
        let closed = try ClosedPort()
        let refused = try await TernProcess.run("ws", "-v", "ws://127.0.0.1:\(closed.port)/none", "--ignore-stdin")
        #expect(refused.errors.contains("GET /none HTTP/1.1\n"), "\(refused.errors)")
        try await TestServer.withServer { server in
            server.route("GET", "/old") { _ in
                ServerResponse(status: 302, headers: ["Location": "/ws/count/1"])
            }
            let outcome = try await TernProcess.run("ws", "-v", server.url("/old"), "--ignore-stdin")
            let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("GET ") || $0.hasPrefix("HTTP/") }
            expectEqual(
                lines.map { String($0.prefix(14)) },
                ["GET /old HTTP/", "HTTP/1.1 302 F", "GET /ws/count/", "HTTP/1.1 101 S"])
        }
    }

    @Test("-v says how a WebSocket ended after an error, too, and the round trip if a ping was answered")
    func verboseEnd() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "ws", "-v", server.url("/ws/close/1011?reason=tired"), "--ignore-stdin")
            expectEqual(outcome.status, 111)
            #expect(outcome.errors.contains("* Closed by the server with 1011, “tired”\n"), "\(outcome.errors)")
        }
        let closure = WebSocket.Closure(.goingAway, isByPeer: false)
        expectEqual(
            WebSocketJob.lastLines(roundTrip: .milliseconds(12), closure),
            ["* Round trip: 0.012 s", "* Closed by tern with 1001"])
        expectEqual(WebSocketJob.lastLines(roundTrip: nil, nil), [])
    }

    @Test("A server that does not speak TLS is reached by ws, and one that does by wss")
    func schemeAdvice() async throws {
        try await TestServer.withServer { server in
            let url = "wss" + server.url("/ws/echo").dropFirst("http".count)
            let outcome = try await TernProcess.run("ws", url, "--ignore-stdin")
            expectEqual(outcome.status, 35)
            #expect(outcome.errors.contains("If the server does not speak TLS, write ws://."), "\(outcome.errors)")
        }
        let tls = try CertificateAuthority().issue(hosts: ["localhost"])
        try await TestServer.withServer(.init(tls: tls)) { server in
            let url = "ws" + server.url("/ws/echo").dropFirst("https".count)
            let outcome = try await TernProcess.run("ws", url, "--ignore-stdin")
            #expect(outcome.errors.contains("whether it requires wss://."), "\(outcome.errors)")
        }
    }

    @Test("Ctrl-C closes with 1000, and says how many messages came")
    func interrupted() async throws {
        try await TestServer.withServer { server in
            let closed = Gate()
            let code = Mutex<WebSocket.CloseCode?>(nil)
            server.route("GET", "/one") { _ in
                .webSocket { socket in
                    defer { closed.open() }
                    try await socket.send("1")
                    for try await _ in socket {}
                    code.withLock { $0 = socket.closeCode }
                }
            }
            let process = try TernProcess(["ws", server.url("/one")], input: .silence)
            await expectEqual(process.lines(1), ["1"])
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, ExitStatus.interrupted)
            expectEqual(outcome.errors, "Interrupted after 1 message.\n")
            await closed.pass()
            expectEqual(code.withLock { $0 }, .normal)
        }
    }

    @Test("--max-time ends a WebSocket that stays open")
    func limited() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess(
                ["ws", server.url("/ws/echo"), "--max-time", "1.5"], input: .silence
            ).outcome()
            expectEqual(outcome.status, 28)
            #expect(
                outcome.errors.contains("The WebSocket did not finish within the 1.5 s of --max-time."),
                "\(outcome.errors)")
        }
    }

    @Test("On a terminal control characters of messages are shown, not obeyed")
    func terminal() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/bad") { _ in .webSocket { try await $0.send("a\u{1B}]0;title\u{7}b") } }
            let outcome = try await TernProcess.run("ws", server.url("/bad"), onTerminal: true)
            #expect(outcome.text.contains("a\u{241B}]0;title\u{2407}b"), "\(outcome.text)")
            #expect(!outcome.text.contains("\u{1B}"))
        }
    }

    @Test("A line that is not UTF-8 is an error that names it")
    func notText() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "ws", server.url("/ws/echo"), input: .bytes(Array("good\n".utf8) + [0xFF, 0x0A]))
            expectEqual(outcome.status, 26)
            #expect(outcome.errors.contains("Line 2 is not UTF-8"), "\(outcome.errors)")
            #expect(outcome.errors.contains("--binary"), "\(outcome.errors)")
        }
    }

    @Test("A violation by the server is a lost connection for scripts, not one of its close codes")
    func violation() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run("ws", server.url("/ws/fault/masked"), "--ignore-stdin")
            expectEqual(outcome.status, 56, "\(outcome.errors)")
        }
    }

    @Test("The handshake is retried if asked")
    func retries() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "ws", server.url("/status/503"), "--ignore-stdin", "--retry", "2", "--retry-delay", "0.01")
            expectEqual(outcome.status, 22, "\(outcome.errors)")
            expectEqual(server.requests().count, 3)
        }
    }

    @Test("With --ignore-stdin standard input is left to others")
    func ignoresInput() async throws {
        try await TestServer.withServer { server in
            let outcome = try await TernProcess.run(
                "ws", server.url("/ws/count/3"), "--ignore-stdin", input: .bytes(Array("never sent\n".utf8)))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text.split(separator: "\n").count, 3)
        }
    }

    @Test("With --no-wait every response is printed, however many there are")
    func printsAll() async throws {
        try await TestServer.withServer { server in
            let lines = (0..<2_000).map { "\($0)\n" }.joined()
            let outcome = try await TernProcess.run(
                "ws", server.url("/ws/echo"), "--no-wait", input: .bytes(Array(lines.utf8)))
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text.split(separator: "\n").count, 2_000)
        }
    }

    @Test(
        "Options that contradict each other, or have no effect, are refused",
        arguments: [
            ["--max-messages", "0"], ["--ping=-1"], ["--json", "--binary"], ["--cache", "/tmp/x"], ["--offline"],
            ["name=value"], ["@/etc/hostname"], ["--limit-rate", "10k"], ["--ignore-stdin", "--no-wait"],
        ])
    func refusedOptions(words: [String]) async throws {
        let outcome = try await TernProcess(["ws", "http://127.0.0.1:1/"] + words).outcome()
        expectEqual(outcome.status, ExitStatus.usage)
    }

    @Test("A method is refused")
    func method() async throws {
        let outcome = try await TernProcess.run("ws", "POST", "http://127.0.0.1:1/")
        expectEqual(outcome.status, ExitStatus.usage)
    }
}
