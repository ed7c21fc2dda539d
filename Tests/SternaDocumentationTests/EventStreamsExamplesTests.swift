import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/EventStreams.md.
@Suite("Examples: server-sent events", .timeLimit(.minutes(5)))
struct EventStreamsExamplesTests {
    private static func session(_ events: String) throws -> Session {
        let mock = MockTransport(responses: [
            ServerResponse(headers: ["Content-Type": "text/event-stream"], body: .bytes(Array(events.utf8))),
            ServerResponse(status: 204),
        ])
        return try Session(baseURL: "https://api.example.com") { $0.network.transport = mock }
    }

    @Test("Events")
    func events() async throws {
        let api = try Self.session("retry: 0\ndata: a\n\n")
        for try await event in api.events("prices") {
            print(event.type, event.id, event.data)
        }
    }

    @Test("Settings and updates")
    func updates() async throws {
        let api = try Self.session("retry: 0\ndata: a\n\n")
        let saved = "41"
        let stream = api.events("prices") {
            $0.lastEventID = saved  // sent by the first request
            $0.retriedStatuses = [429, 502, 503, 504]
            $0.failureLimit = 10  // failures one after another; no limit by default
            $0.silence = .seconds(45)  // without any bytes, comments included; 10 min by default
            $0.limits.event = 1 << 20  // 16 MiB by default
        }
        for try await update in stream.updates {
            switch update {
            case .opened: print("connected")
            case .event(let event): print(event.data)
            case .reconnecting(let wait, let error):
                print(error?.message ?? "ended by the server", "- again in \(wait)")
            }
        }
    }

    @Test("A chat")
    func chat() async throws {
        let api = try Self.session("data: {\"text\":\"Far\"}\n\ndata: [DONE]\n\n")
        struct Chunk: Decodable { var text: String? }

        let prompt: Parameters = ["prompt": "How far do terns fly?", "stream": true]
        let chunks = api.events(of: .post("chat", json: prompt)).decode(Chunk.self, until: "[DONE]")
        for try await chunk in chunks { print(chunk.text ?? "", terminator: "") }
    }

    @Test("The parser")
    func parser() async throws {
        try await Self.session("id: 1\ndata: first\n\n").withResponse(to: .get("prices")) { response in
            var parser = EventStreamParser()
            for try await bytes in response.body {
                parser.append(bytes)
                while let event = try parser.next() { print(event.data) }
            }
            expectEqual(parser.lastEventID, "1")
        }
    }

    @Test("A server for tests")
    func server() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            let answer = [
                ServerSentEvent(data: #"{"text": "From pole"}"#), ServerSentEvent(data: #"{"text": " to pole."}"#),
                ServerSentEvent(data: #"{"call": {"name": "map", "arguments": "{\"to\":"}}"#),
                ServerSentEvent(data: #"{"call": {"arguments": "\"Antarctica\"}"}}"#),
                ServerSentEvent(data: #"{"usage": {"tokens": 12}}"#), ServerSentEvent(data: "[DONE]"),
            ]
            let overload = ServerSentEvent(type: "error", data: #"{"error": {"message": "Overloaded"}}"#)

            server.route("POST", "/chat") { _ in .events(answer, every: .milliseconds(5)) }
            server.route("POST", "/busy") { _ in .events([answer[0], overload]) }
            server.route("POST", "/cut") { _ in .events(answer, cutAt: 60) }
            server.route("POST", "/unpaid") { _ in .json(["error": ["message": "No credit"]], status: 402) }

            struct Chunk: Decodable {
                struct Call: Decodable { var name: String?, arguments: String? }
                struct Usage: Decodable { var tokens: Int }

                var text: String?, call: Call?, usage: Usage?
            }

            let prompt: Parameters = ["prompt": "How far do terns fly?", "stream": true]
            func chat(_ path: String) async throws -> (text: String, arguments: String, tokens: Int?) {
                var (text, arguments, tokens) = ("", "", Int?.none)
                let chunks = api.events(of: .post(path, json: prompt)).decode(Chunk.self, until: "[DONE]")
                for try await chunk in chunks {
                    text += chunk.text ?? ""
                    arguments += chunk.call?.arguments ?? ""
                    tokens = chunk.usage?.tokens ?? tokens
                }
                return (text, arguments, tokens)
            }

            let (text, arguments, tokens) = try await chat("chat")
            #expect(text == "From pole to pole." && arguments == #"{"to":"Antarctica"}"# && tokens == 12)
            let busy = await #expect(throws: SternaError.self) { try await chat("busy") }
            #expect(busy?.serverMessage == "Overloaded")
            let unpaid = await #expect(throws: SternaError.self) { try await chat("unpaid") }
            #expect(unpaid?.serverMessage == "No credit" && unpaid?.status == 402)
            let cut = await #expect(throws: SternaError.self) { try await chat("cut") }
            #expect(cut?.kind == .truncated || cut?.kind == .connectionClosed)
        }
    }

    @Test("A stream that resumes")
    func resumption() async throws {
        try await TestServer.withServer { server in
            let prices = (1...5).map { ServerSentEvent(data: "\($0).25", id: "\($0)") }
            server.route("GET", "/prices") { request in
                .events(prices, after: request.headers["Last-Event-ID"], cutAt: 50)
            }

            var received: [ServerSentEvent] = []
            let stream = try Session(baseURL: server.url).events("prices") {
                $0.reconnectionTime = .zero
                $0.backoff = RetryBackoff(base: .zero)
            }
            for try await event in stream { received.append(event) }
            #expect(received == prices)
        }
    }
}
