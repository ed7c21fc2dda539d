import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about responses, their serializers, and errors.
@Suite("Coming from Alamofire: responses", .timeLimit(.minutes(5)))
struct MigratingAlamofireResponseTests {
    private struct User: Codable, Sendable {
        var name: String
    }

    private struct Guest: Decodable, Sendable, EmptyRepresentable {
        var name: String
        static var emptyValue: Guest { Guest(name: "nobody") }
    }

    private struct LineSerializer: ResponseSerializer {
        var validation = ResponseValidation()
        func value(of response: Response, body: Bytes) throws -> [Substring] { body.text.split(separator: "\n") }
    }

    private func ada(_ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try mocked(by: MockTransport { _ in .json(["name": "Ada"]) }, configure).api
    }

    @Test("Values of a response")
    func values() async throws {
        let api = try ada()
        func decoded() async throws -> User {
            let user: User = try await api.get("users/1").decode()
            return user
        }
        func data() async throws -> Data {
            let data = try await api.get("users/1").data()
            return data
        }
        func text() async throws -> String {
            let text = try await api.get("users/1").text()
            return text
        }
        func tree() async throws -> JSON {
            let tree = try await api.get("users/1").json()
            return tree
        }
        #expect(try await decoded().name == "Ada")
        #expect(try await data().count == 14)
        #expect(try await text().hasPrefix("{"))
        #expect(try await tree()["name"].string == "Ada")
        let lines = try await api.get("users/1").value(by: LineSerializer())
        #expect(lines.count == 1)

        func task() async throws -> User {
            let task = api.dataTask(.get("users/1"))
            let user: User = try await task.value.decode()
            return user
        }
        #expect(try await task().name == "Ada")
    }

    @Test("The members of a response")
    func members() async throws {
        let api = try ada()
        let reply = try await api.get("users/1")
        let decoder = JSONDecoder()
        #expect(reply.status == 200)
        #expect(reply.response.status == .ok)
        #expect(try reply.data().count == 14)
        #expect(reply.response.metrics == nil)
        func name() async throws -> String? {
            let name = try await reply.value(by: JSONResponseSerializer().map { $0["name"].string })
            return name
        }
        func inferred() async throws -> User {
            let user: User = try await reply.decode()
            return user
        }
        func typed() async throws -> User {
            let user = try await reply.value(by: .decodable(User.self))
            return user
        }
        func custom() async throws -> User {
            let user: User = try await reply.decode(decoder: decoder)
            return user
        }
        #expect(try await name() == "Ada")
        #expect(try await inferred().name == "Ada")
        #expect(try await typed().name == "Ada")
        #expect(try await custom().name == "Ada")
        let (response, bytes) = (reply.response, reply.body)
        func direct() throws -> JSON {
            let tree = try JSONResponseSerializer().serialize(response, body: bytes)
            return tree
        }
        #expect(try direct()["name"].string == "Ada")
    }

    @Test("Handlers that are called back")
    func callbacks() async throws {
        let api = try ada { $0.callbacks = .queue(DispatchQueue(label: "callbacks")) }
        let log = CallbackLog<JSON>()
        let (use, report) = (log.onSuccess, log.onFailure)
        api.get("users", success: use, failure: report)
        api.get(
            "users/1", as: .decodable(User.self), success: { task, user in print(user.name) },
            failure: report)
        await log.wait()
        #expect(log.values.first?["name"].string == "Ada")
        #expect(await eventually { api.tasks.isEmpty })
        #expect(log.errors.isEmpty)
    }

    @Test("Serializers as settings")
    func settings() async throws {
        try await ada { $0.responseSerializer = .data }.get("users")
        try await ada { $0.responseSerializer = .json }.get("users")
        let text = try await ada {
            $0.responseSerializer = TextResponseSerializer(encoding: .latin1)
        }.get("users").text()
        #expect(text.contains("Ada"))
        let user: User = try await ada {
            $0.decoding = DecodingSettings(keys: .snakeCase)
        }.get("users").decode()
        #expect(user.name == "Ada")

        let google = MockTransport { _ in .text(")]}',\n{\"name\":\"Ada\"}", mediaType: "application/json") }
        let (api, _) = try mocked(by: google) {
            $0.responseSerializer = JSONResponseSerializer(preprocessors: [.googlePrefix])
        }
        #expect(try await api.get("users").json()["name"].string == "Ada")
        let changed = api.with {
            $0.responseSerializer = JSONResponseSerializer(preprocessors: [.custom { body in Bytes(text: "[]") }])
        }
        #expect(try await changed.get("users").json() == [])
    }

    @Test("Empty responses")
    func empty() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in ServerResponse(status: 204) })
        let reply = try await api.delete("users/1")
        func optional() async throws -> User? {
            let user: User? = try await reply.decode()
            return user
        }
        func own() async throws -> Guest {
            let guest: Guest = try await reply.decode()
            return guest
        }
        #expect(try await optional() == nil)
        #expect(try await own().name == "nobody")
        let error = await #expect(throws: SternaError.self) { try await reply.decode(User.self) }
        #expect(error?.kind == .decodingFailed)
    }

    private func failure(_ mock: MockTransport) async throws -> SternaError? {
        let (api, _) = try mocked(by: mock) { $0.retry = .none }
        do {
            _ = try await api.get("users").json()
            return nil
        } catch let error as SternaError {
            return error
        }
    }

    @Test("Errors and their properties")
    func errors() async throws {
        let gone = try #require(
            try await failure(MockTransport { _ in .json(["message": "It is gone."], status: 410) }))
        #expect(
            gone.kind == .unacceptableStatus && gone.status == 410 && gone.url == "https://api.example.com/v1/users")
        #expect(gone.localizedDescription.contains("410"))
        let properties = { (error: SternaError) in
            #expect(error.kind == .unacceptableStatus)
            #expect(error.status == 410)
            #expect(error.url != nil)
            #expect(error.underlying == nil)
            #expect(error.message == "It is gone.")
            #expect(error.resumeData == nil)
            #expect(error.response?.headers[.contentType] == "application/json")
            print(error.localizedDescription)
        }
        properties(gone)

        let text = try await failure(MockTransport { _ in .text("no JSON", mediaType: "application/json") })
        #expect(text?.kind == .decodingFailed)
        let lost = try await failure(
            MockTransport { _ in throw SternaError(.connectionClosed, phase: .wait, "Gone.") })
        #expect(lost?.kind == .connectionClosed)

        let (api, _) = try mocked { $0.network.allowsOtherOrigins = true }
        let invalid = await #expect(throws: SternaError.self) { try await api.get("http://[") }
        #expect(invalid?.kind == .invalidURL)
        let nested = await #expect(throws: SternaError.self) { try await api.post("users", form: ["Ada"]) }
        #expect(nested?.kind == .encodingFailed)
        let file = await #expect(throws: SternaError.self) { try await api.upload(file: "/nowhere/a", to: "photos") }
        #expect(file?.kind == .fileUnreadable)
    }

    /// The rows whose errors take a server or a network; they compile.
    private func kinds(of error: SternaError) -> [Bool] {
        let rejected = error.underlying as? TrustFailure
        let unplaced = error.underlying as? DestinationFault
        return [
            error.kind == .certificateRejected, error.kind == .destinationUnusable, error.kind == .cancelled,
            error.kind == .shutDown, error.kind == .timedOut, error.kind == .interceptorFailed,
            error.kind == .unacceptableMediaType, error.kind == .unacceptableResponse, error.kind == .limitExceeded,
            error.kind == .connectionFailed, error.kind == .connectionClosed, error.kind == .invalidURL,
            error.kind == .encodingFailed, error.kind == .fileUnreadable, error.kind == .decodingFailed,
            rejected != nil, unplaced != nil,
        ]
    }

    @Test("One kind of error at a time")
    func kinds() {
        let flags = kinds(of: SternaError(.timedOut, phase: .wait, "Too late."))
        #expect(flags.filter { $0 }.count == 1)
    }
}
