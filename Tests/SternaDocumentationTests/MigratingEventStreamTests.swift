import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Event streams, in docs/Migrating: what programs read line by line elsewhere.
@Suite("Migration: event streams")
struct MigratingEventStreamTests {
    private static func session(_ events: [ServerSentEvent]) throws -> (api: Session, mock: MockTransport) {
        try mocked(by: MockTransport(responses: [.events(events), ServerResponse(status: 204)]))
    }

    @Test("Events")
    func events() async throws {
        let (api, mock) = try Self.session([.init(data: "1.25", id: "7")])
        let stream = api.events("prices") { $0.reconnectionTime = .zero }
        var received: [String] = []
        for try await event in stream { received.append(event.data) }
        expectEqual(received, ["1.25"])
        expectEqual(mock.requests.last?.headers["Last-Event-ID"], "7")
        func shown(_ api: Session) async throws {
            for try await event in api.events("prices") { print(event.data) }
        }
        try await shown(mocked(by: MockTransport { _ in ServerResponse(status: 204) }).api)
    }

    @Test("Values of a POST")
    func values() async throws {
        struct Chunk: Decodable { var text: String? }
        let prompt: Parameters = ["prompt": "How far do terns fly?"]
        let (api, mock) = try Self.session([.init(data: #"{"text": "Far"}"#), .init(data: "[DONE]")])
        let chunks = api.events(of: .post("chat", json: prompt)).decode(Chunk.self, until: "[DONE]")
        var text = ""
        for try await chunk in chunks { text += chunk.text ?? "" }
        expectEqual(text, "Far")
        expectEqual(mock.requests.map(\.method), [.post])
    }
}
