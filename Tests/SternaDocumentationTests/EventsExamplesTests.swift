import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Events.md.
@Suite("Documentation: events", .timeLimit(.minutes(5)))
struct EventsExamplesTests {
    @Test("An observer")
    func observer() async throws {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(MockTransport { _ in .json(["n": 1]) })

        let api = try Session(baseURL: "https://api.example.com") { settings in
            settings.events.observe(.tasks) { event in
                switch event.kind {
                case .taskResumed: print("begins", event.task?.id ?? 0)
                case .taskCompleted(let error): print("ends", event.task?.id ?? 0, error?.message ?? "")
                default: break
                }
            }
        }

        _ = try await api.dataTask(.get("users")).value
        await api.flushEvents()
    }

    @Test("A sequence")
    func sequence() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let reader = Task {
                for await event in api.events(.network) { print(event) }
            }
            _ = try await api.get("get")
            reader.cancel()
            await reader.value
        }
    }
}
