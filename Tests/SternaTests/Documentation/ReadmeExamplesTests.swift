import Dispatch
import Sterna
import SternaTesting
import Testing

/// The README's examples, so that they compile and do what it says.
@Suite("Examples of the README")
struct ReadmeExamplesTests {
    private enum Answer: Sendable, Equatable { case tree(JSON), text(String) }

    private struct Filter: Encodable {
        var text: String
        var pages: [Int]
    }

    @Test("Choices of a serializer")
    func choices() async throws {
        var serializer = HTTPRequestSerializer(style: .afnetworking2)
        serializer.encoder.arrays = .indices
        serializer.encoder.booleans = .literal
        serializer.encoder.keys = .snakeCase
        serializer.encoder.nesting = .dots
        serializer.headers["X-Client"] = "7"
        serializer.properties.timeout = .seconds(10)
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        try await api.get("users", parameters: ["phoneBook": ["isPublic": true], "tagNames": ["a"]])
        let request = try #require(mock.requests.first)
        #expect(request.url.query == "phone_book.is_public=true&tag_names[0]=a")
        #expect(request.headers["X-Client"] == "7")
        #expect(request.timeouts.connect == .seconds(10))
    }

    @Test("An Encodable value as parameters")
    func encodable() async throws {
        let (api, mock) = try mocked()
        try await api.get("users", query: try Parameters(encoding: Filter(text: "a b", pages: [1, 2])))
        #expect(mock.requests.first?.url.query == "pages%5B%5D=1&pages%5B%5D=2&text=a%20b")
    }

    @Test("One request's own serializer, and a compound")
    func answers() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("plain", mediaType: "text/csv") })
        let reply = try await api.get("report.csv") {
            $0.responseSerializer = TextResponseSerializer().validating(mediaTypes: ["text/*"])
            $0.timeout = .seconds(5)
            $0.redirects = .doNotFollow
        }
        #expect(try await reply.text() == "plain")
        let pair = try await reply.value(
            by: .compound(
                JSONResponseSerializer(removesNulls: true).map(Answer.tree), TextResponseSerializer().map(Answer.text)))
        #expect(pair == .text("plain"))
    }

    @Test("A request's own limit, a field, and a part of a tree")
    func reply() async throws {
        var answer = MockTransport.Answer.json(["data": [["id": 1], ["id": 2]]])
        answer.headers[try #require(.init("X-Rate-Limit"))] = "9"
        let (api, mock) = try mocked(by: MockTransport { [answer] _ in answer })
        let reply = try await api.get("posts") { $0.timeouts.total = .seconds(1) }
        #expect(reply.headers["X-Rate-Limit"] == "9")
        #expect(try await reply.json()["data"].decode([Post].self).map(\.id) == [1, 2])
        #expect(mock.requests.first?.timeouts.total == .seconds(1))
    }

    private struct Post: Decodable { var id: Int }

    @Test("Errors and cancellation")
    func errors() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["error": "no such user"], status: 404) })
        do {
            try await api.delete("users/1")
            Issue.record("It must throw.")
        } catch let error as SternaError where error.kind == .cancelled {
            Issue.record("Nobody cancelled it.")
        } catch let error as SternaError {
            print(error.status, error.message, error)
            #expect(error.status == 404)
            #expect(error.message == "no such user")
        }
    }

    @Test("Callbacks, and curl")
    func callbacks() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["name": "Ada"]) }) {
            $0.callbacks = .queue(.global())
        }
        let name = try await withCheckedThrowingContinuation { continuation in
            let task = api.get(
                "users/1", parameters: ["full": true], progress: { task, progress in _ = (task, "\(progress)") },
                success: { task, value in continuation.resume(returning: value["name"].string ?? "") },
                failure: { task, error in continuation.resume(throwing: error) })
            #expect(task?.request.url.query == "full=1")
        }
        #expect(name == "Ada")
        #expect(try api.curl(for: .get("users/1")).hasPrefix("curl "))
    }
}
