import HTTPTypes
import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import TernCLI

/// `tern events`.
@Suite("tern events", .timeLimit(.minutes(5)))
struct EventsCommandTests {
    private static func stream(_ text: String) -> ServerResponse {
        ServerResponse(
            headers: ["Content-Type": "text/event-stream"], body: .stream(length: nil) { try await $0.write(text) })
    }

    @Test(
        "An event is its data, after its type unless that is “message”, or a line of JSON",
        arguments: [
            (ServerSentEvent(data: "a"), "a", #"{"id":"","type":"message","data":"a"}"#),
            (ServerSentEvent(data: "a\nb", id: "7"), "a\nb", #"{"id":"7","type":"message","data":"a\nb"}"#),
            (
                ServerSentEvent(type: "price", data: "\"1\""), "price: \"1\"",
                #"{"id":"","type":"price","data":"\"1\""}"#
            ),
            (ServerSentEvent(data: ""), "", #"{"id":"","type":"message","data":""}"#),
        ])
    func line(event: ServerSentEvent, plain: String, json: String) {
        expectEqual(EventLine.text(event, asJSON: false), plain)
        expectEqual(EventLine.text(event, asJSON: true), json)
    }

    @Test("Events are written as they come, and the command ends after their number") func live() async throws {
        try await TestServer.withServer { server in
            let gate = Gate()
            server.route("GET", "/stream") { _ in
                ServerResponse(
                    headers: ["Content-Type": "text/event-stream"],
                    body: .stream(length: nil) { writer in
                        try await writer.write("data: first\n\n")
                        await gate.wait()
                        try await writer.write("event: sum\ndata: 1\ndata: 2\n\ndata: third\n\n")
                        // The client leaves.
                        try await writer.write(String(repeating: ": silence\n", count: 10_000_000))
                    })
            }
            let process = try TernProcess(["events", server.url("/stream"), "--max-events", "2"])
            await expectEqual(process.lines(1), ["first"])
            gate.open()
            let outcome = try await process.outcome()
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text, "sum: 1\n2\n")
            expectEqual(outcome.errors, "")
        }
    }

    @Test("A GET is sent again with the last id, until the server answers 204") func again() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/stream") { request in
                let last = Int(request.headers["Last-Event-ID"] ?? "") ?? 0
                if last == 5 { return ServerResponse(status: 204) }
                return Self.stream("retry: 100\nid: \(last + 1)\ndata: \(request.headers["X-Test"] ?? "-")\n\n")
            }
            let outcome = try await TernProcess.run(
                "events", server.url("/stream"), "--last-event-id", "2", "--json", "X-Test:yes")
            expectEqual(outcome.status, 0, "\(outcome.errors)")
            expectEqual(outcome.text, (3...5).map { #"{"id":"\#($0)","type":"message","data":"yes"}"# + "\n" }.joined())
            #expect(outcome.errors.contains("The server has ended the response. Connecting again in 0.1 s."))
            let once = try await TernProcess.run("events", server.url("/stream"), "--no-reconnect")
            expectEqual(once.text, "-\n")
            expectEqual(once.errors, "")
            expectEqual(once.status, 0)
        }
    }

    @Test("Items and --data make a POST, which is sent once") func post() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/chat") { request in
                let body = try await request.body.text()
                return Self.stream("data: \(request.headers["Content-Type"] ?? "-") \(body)\n\n")
            }
            for (words, expected) in [
                (["prompt=Hi", "stream:=true"], #"application/json {"prompt":"Hi","stream":true}"#),
                (["-d", #"{"a":1}"#], #"application/json {"a":1}"#),
                (["-d", "a=1", "-d", "b=2"], "application/x-www-form-urlencoded a=1&b=2"),
                (["--form", "a=1"], "application/x-www-form-urlencoded a=1"),
            ] {
                let outcome = try await TernProcess(["events", server.url("/chat")] + words).outcome()
                expectEqual(outcome.status, 0, "\(words): \(outcome.errors)")
                expectEqual(outcome.text, expected + "\n")
                expectEqual(outcome.errors, "")
            }
        }
    }

    @Test(
        "A response that is no event stream is an error with the server's message, and so is a first connection that fails"
    )
    func refused() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/no") { _ in .json(["error": ["message": "Too many"]], status: 429) }
            server.route("GET", "/html") { _ in .text("<p>", mediaType: "text/html") }
            for (path, text) in [("/no", "Too many"), ("/html", "text/html")] {
                let outcome = try await TernProcess.run("events", server.url(path))
                #expect(outcome.status != 0)
                #expect(outcome.errors.contains(text), "\(outcome.errors)")
            }
        }
        let port = try await TestServer.withServer { server in server.url("") }
        let outcome = try await TernProcess.run("events", port)
        #expect(outcome.status != 0)
        #expect(!outcome.errors.contains("again"), "\(outcome.errors)")
        expectEqual(outcome.text, "")
    }

    @Test("Ctrl-C ends the command, which names the last id", arguments: [true, false])
    func interrupted(hasID: Bool) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/stream") { _ in
                ServerResponse(
                    headers: ["Content-Type": "text/event-stream"],
                    body: .stream(length: nil) { writer in
                        try await writer.write(hasID ? "id: a b\ndata: 1\n\n" : "data: 1\n\n")
                        try await Task.sleep(for: .seconds(600))
                    })
            }
            let process = try TernProcess(["events", server.url("/stream")])
            await expectEqual(process.lines(1), ["1"])
            process.signal(SIGINT)
            let outcome = try await process.outcome()
            expectEqual(outcome.status, ExitStatus.interrupted)
            let expected =
                hasID
                ? "Interrupted after 1 event. To continue after the last one: --last-event-id 'a b'\n"
                : "Interrupted after 1 event; none of them had an id.\n"
            expectEqual(outcome.errors, expected)
        }
    }

    @Test("--max-time ends a stream that goes on") func limited() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/stream") { _ in
                ServerResponse(
                    headers: ["Content-Type": "text/event-stream"],
                    body: .stream(length: nil) { writer in
                        try await writer.write("data: 1\n\n")
                        try await Task.sleep(for: .seconds(600))
                    })
            }
            let outcome = try await TernProcess.run("events", server.url("/stream"), "--max-time", "1.5")
            expectEqual(outcome.text, "1\n")
            expectEqual(outcome.status, 28)
            #expect(outcome.errors.contains("--max-time"), "\(outcome.errors)")
        }
    }

    @Test(
        "Options that contradict each other, or have no effect, are refused",
        arguments: [
            ["--max-events", "0"], ["--last-event-id", "a\nb"], ["--cache", "/tmp/x"], ["--offline"],
            ["-d", "a", "--form"],
            ["--retry", "2", "--retry-delay", "1"],
        ])
    func refusedOptions(words: [String]) async throws {
        let outcome = try await TernProcess(["events", "http://127.0.0.1:1/"] + words).outcome()
        expectEqual(outcome.status, ExitStatus.usage)
    }
}
