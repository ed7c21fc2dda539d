import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A chat API's stream: text in pieces, the pieces of a call, the usage at the end.
@Suite("Event streams: values", .timeLimit(.minutes(5)))
struct EventStreamDecodingTests {
    struct Chunk: Decodable, Sendable, Equatable {
        struct Usage: Decodable, Sendable, Equatable {
            var totalTokens: Int
        }

        var text: String?
        var arguments: String?
        var usage: Usage?
    }

    private static func stream(_ events: String, status: Int = 200, type: String = "text/event-stream") throws
        -> EventStream
    {
        let mock = MockTransport(responses: [
            ServerResponse(status: status, headers: ["Content-Type": type], body: .bytes(Array(events.utf8)))
        ])
        let api = try Session(baseURL: "https://api.example.com") {
            $0.network.transport = mock
            $0.decoding.keys = .snakeCase
        }
        return api.events(of: .post("chat", json: ["prompt": "hello", "stream": true]))
    }

    private static let deltas = """
        data: {"text":"Hel"}

        : keep-alive

        event: delta
        data: {"text":"lo",
        data:  "arguments":"{\\"n\\":1"}

        data: {"arguments":"}","usage":{"total_tokens":7}}


        """

    @Test("The values of a stream, to the event that ends it, decoded as the session says")
    func values() async throws {
        var chunks: [Chunk] = []
        let stream = try Self.stream(Self.deltas + "data: [DONE]\n\ndata: {\"text\":\"more\"}\n\n")
        for try await chunk in stream.decode(Chunk.self, until: "[DONE]") { chunks.append(chunk) }
        expectEqual(
            chunks,
            [
                Chunk(text: "Hel"), Chunk(text: "lo", arguments: #"{"n":1"#),
                Chunk(arguments: "}", usage: .init(totalTokens: 7)),
            ])
    }

    @Test("A stream without a last event ends with the response")
    func ends() async throws {
        var text = ""
        for try await chunk in try Self.stream(Self.deltas).decode(Chunk.self) { text += chunk.text ?? "" }
        expectEqual(text, "Hello")
    }

    @Test("An error event ends the stream with the server's message")
    func errorEvent() async throws {
        let stream = try Self.stream(
            Self.deltas + #"event: error\#ndata: {"type":"error","error":{"message":"Overloaded"}}\#n\#n"#)
        var count = 0
        let error = await #expect(throws: SternaError.self) {
            for try await _ in stream.decode(Chunk.self, until: "[DONE]") { count += 1 }
        }
        expectEqual(count, 3)
        expectEqual(error?.kind, .unacceptableResponse)
        expectEqual(error?.serverMessage, "Overloaded")
        expectEqual(error?.url, "https://api.example.com/chat")
    }

    @Test("An error before the stream has the server's message")
    func errorBefore() async throws {
        let stream = try Self.stream(#"{"error":{"message":"No credit"}}"#, status: 402, type: "application/json")
        let error = await #expect(throws: SternaError.self) { for try await _ in stream.decode(Chunk.self) {} }
        expectEqual(error?.status, 402)
        expectEqual(error?.serverMessage, "No credit")
    }

    @Test("Data that does not decode ends the stream, and the error names the member")
    func undecodable() async throws {
        let stream = try Self.stream("data: {\"usage\":{\"total_tokens\":\"many\"}}\n\ndata: {}\n\n").decode(Chunk.self)
        var iterator = stream.makeAsyncIterator()
        let error = await #expect(throws: (any Error).self) { try await iterator.next() } as? SternaError
        expectEqual(error?.kind, .decodingFailed)
        #expect(error?.detail.contains("total") == true, "\(error?.detail ?? "")")
        let next = try await iterator.next()
        #expect(next == nil)
    }
}
