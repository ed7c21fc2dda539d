import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Derived sessions")
struct SessionDeriveTests {
    @Test("with { } changes only the new session")
    func independence() async throws {
        let (api, mock) = try mocked { $0.headers = ["X-One": "1"] }
        let derived = api.with {
            $0.headers["X-One"] = "2"
            $0.auth.header = .bearer("t")
            $0.requestSerializer = .json
            $0.timeout = .seconds(3)
        }
        try await api.post("a", parameters: ["p": 1])
        try await derived.post("a", parameters: ["p": 1])
        try await api.post("a", parameters: ["p": 1])
        let name = try #require(HTTPField.Name("X-One"))
        expectEqual(mock.requests.map { $0.headers[name] }, ["1", "2", "1"])
        expectEqual(mock.requests.map { $0.headers[.authorization] }, [nil, "Bearer t", nil])
        expectEqual(mock.requests.map(\.givenText), ["p=1", #"{"p":1}"#, "p=1"])
        expectEqual(mock.requests.map(\.timeouts.betweenBytes), [.seconds(60), .seconds(3), .seconds(60)])
    }

    @Test("A derived session keeps all other settings and the base URL")
    func kept() async throws {
        let (api, mock) = try mocked {
            $0.headers = ["X-One": "1"]
            $0.auth.header = .bearer("t")
        }
        let derived = api.with { $0.headers.append("X-Two", "2") }.with { $0.responseSerializer = .data }
        try await derived.get("a")
        let request = try #require(mock.requests.first)
        #expect(request.url.description == "https://api.example.com/v1/a")
        expectEqual(request.headers[try #require(.init("X-One"))], "1")
        expectEqual(request.headers[try #require(.init("X-Two"))], "2")
        expectEqual(request.headers[.authorization], "Bearer t")
        expectEqual(derived.baseURL, api.baseURL)
    }

    @Test("A field that cannot be sent fails each request of a derived session, until it is replaced")
    func failure() async throws {
        let (api, mock) = try mocked()
        let broken = api.with { $0.headers["X"] = "a\nb" }
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { try await broken.get("a") }
            expectEqual(error?.kind, .invalidHeader)
        }
        let streamed = await #expect(throws: SternaError.self) { try await broken.withResponse(to: .get("a")) { _ in } }
        expectEqual(streamed?.kind, .invalidHeader)
        #expect(mock.requests.isEmpty)
        try await broken.with { $0.headers["X"] = "b" }.get("a")
        expectEqual(mock.requests.count, 1)
    }

    @Test("A request's time-out keeps the session's total")
    func requestTimeout() async throws {
        let (api, mock) = try mocked { $0.timeouts.total = .seconds(10) }
        try await api.get("a") { $0.timeout = .seconds(5) }
        let timeouts = try #require(mock.requests.first).timeouts
        expectEqual(timeouts.betweenBytes, .seconds(5))
        expectEqual(timeouts.firstByte, .seconds(5))
        expectEqual(timeouts.total, .seconds(10))
    }

    @Test("A request's settings replace the session's only for that request")
    func requestSettings() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .text("plain", status: 404) })
        let reply = try await api.get("a") {
            $0.responseSerializer = TextResponseSerializer(validation: ResponseValidation(statuses: [404]))
        }
        try await expectEqual(reply.text(), "plain")
        await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(mock.requests.count, 2)
    }
}
