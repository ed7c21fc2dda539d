import Dispatch
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about managers.
@Suite("Coming from AFNetworking: managers", .timeLimit(.minutes(5)))
struct MigratingManagerTests {
    @Test("Made, with settings of their own")
    func made() throws {
        func plain() throws -> Session {
            let api = try Session()
            return api
        }
        func based() throws -> Session {
            let api = try Session(baseURL: "https://api.example.com/v1")
            return api
        }
        #expect(try plain().baseURL == nil)
        #expect(try based().baseURL?.path == "/v1/")

        let api = try Session(baseURL: "https://api.example.com/v1") { $0.timeout = .seconds(60) }
        #expect(api.baseURL?.path == "/v1/")
        let copy = api
        #expect(copy.baseURL == api.baseURL)
    }

    @Test("Serializers, policies, credentials and the queue of callbacks")
    func settings() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let policy = SecurityPolicy.system
        let (api, mock) = try mocked(by: MockTransport { _ in .text("report") }) {
            $0.callbacks = .queue(queue)
            $0.requestSerializer = .json
            $0.responseSerializer = .text
            $0.trust.policy = policy
            $0.auth.header = .basic("ada", "secret")
        }
        let text = try await api.post("users", parameters: ["name": "Ada"]).text()
        #expect(text == "report")
        #expect(mock.requests.first?.givenText == #"{"name":"Ada"}"#)
        #expect(mock.requests.first?.headers[.authorization] == "Basic YWRhOnNlY3JldA==")
    }

    @Test("Their tasks, by kind")
    func tasks() async throws {
        let (api, mock) = try mocked { $0.tasks.startsImmediately = false }
        let some = api.dataTask(.get("users"))
        let one = try api.uploadTask(.upload(Bytes(text: "a").asBody, to: "photos"))
        let file = api.download("big.iso", to: .file("/nowhere/big.iso"))
        expectEqual(api.tasks.map(\.id), [some.id, one.id, file.id])
        expectEqual(api.dataTasks.map(\.id), [some.id])
        expectEqual(api.uploadTasks.map(\.id), [one.id])
        expectEqual(api.downloadTasks.map(\.id), [file.id])

        await api.cancelAllTasks()
        #expect(api.tasks.isEmpty)
        #expect(mock.requests.isEmpty)
    }

    @Test("Invalidated, and made usable again")
    func invalidated() async throws {
        var (api, _) = try mocked()
        func refusal(of session: Session) async -> SternaError? {
            await #expect(throws: SternaError.self) { try await session.get("users") }
        }
        api.invalidateAndCancel()
        #expect(await refusal(of: api)?.kind == .shutDown)

        api = api.resetSession()
        try await api.get("users")

        api.finishTasksAndInvalidate()
        #expect(await refusal(of: api)?.kind == .shutDown)
    }
}

extension Bytes {
    fileprivate var asBody: Body { .bytes(self) }
}
