import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Statuses that are errors")
struct StatusErrorTests {
    private func error(
        _ status: Int, _ body: String, type: String?, reference: String = "users/1?api_key=s3cret&x=1",
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> SternaError {
        var headers = ServerHeaders()
        if let type { headers[.contentType] = type }
        let answer = ServerResponse(status: status, headers: headers, body: ResponseBody(Bytes(text: body)))
        let api = try mocked(by: MockTransport { _ in answer }, configure).api
        return try #require(await #expect(throws: SternaError.self) { try await api.delete(reference) })
    }

    static let messages: [(Int, String, String?, String)] = [
        (404, #"{"message": "No such user."}"#, "application/json", "No such user."),
        (
            422, #"{"title": "Invalid", "detail": "The name is empty."}"#, "application/problem+json",
            "The name is empty."
        ),
        (
            400, #"{"error": "invalid_grant", "error_description": "The code has expired."}"#,
            "application/json;charset=UTF-8",
            "The code has expired."
        ),
        (418, "short and stout\n", "text/plain", "short and stout"),
    ]

    @Test("The server's own message is found", arguments: messages)
    func message(status: Int, body: String, type: String?, message: String) async throws {
        let error = try await error(status, body, type: type)
        expectEqual(error.kind, .unacceptableStatus)
        expectEqual(error.status, status)
        expectEqual(error.message, message)
        expectEqual(error.serverMessage, message)
        expectEqual(error.body?.text, body)
        expectEqual(error.response?.headers[.contentType], type)
        expectEqual(error.response?.status.code, status)
        #expect(error.requestSent)
        #expect(error.description.contains(message))
    }

    @Test("Without a message of the server's, the error's states the status", arguments: ["", "<h1>Not found</h1>"])
    func noMessage(body: String) async throws {
        let error = try await error(404, body, type: "text/html")
        expectNil(error.serverMessage)
        expectEqual(error.message, error.detail)
        #expect(error.detail.contains("404"))
        #expect(error.detail.contains("Not Found"))
    }

    @Test("The description is one line with method and URL, and shows no secret")
    func description() async throws {
        let body = #"{"message": "first\nsecond\r\nthird\u2028fourth \u001b[31m"}"#
        let error = try await error(500, body, type: "application/json")
        #expect(!error.description.contains { $0.isNewline })
        #expect(!error.description.contains("\u{1B}"))
        #expect(!error.description.contains("s3cret"))
        #expect(error.description.contains("DELETE https://api.example.com/v1/users/1?api_key=***&x=1"))
        #expect(error.url == "https://api.example.com/v1/users/1?api_key=***&x=1")
        expectEqual(error.method, .delete)
    }

    @Test("A wrong media type is the cause where the status is wrong too")
    func cause() async throws {
        let both = try await error(502, "<html>", type: "text/html")
        expectEqual((both.underlying as? SternaError)?.kind, .unacceptableMediaType)
        let status = try await error(502, "{}", type: "application/json")
        expectNil(status.underlying)
    }

    @Test("300 to 599 are errors, also without a body", arguments: [300, 304, 400, 401, 404, 500, 503, 599])
    func statuses(status: Int) async throws {
        let error = try await error(status, "", type: nil)
        expectEqual(error.kind, .unacceptableStatus)
        expectEqual(error.status, status)
        expectEqual(error.body?.isEmpty, true)
    }

    @Test("200 to 299 are not errors", arguments: [200, 201, 202, 204, 206, 299])
    func accepted(status: Int) async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: status) })
        try await expectEqual(api.get("a").status, status)
    }

    @Test("Every serializer checks the status", arguments: [0, 1, 2])
    func serializers(number: Int) async throws {
        let serializers: [any ResponseSerializer] = [.data, .text, JSONResponseSerializer()]
        let error = try await error(404, "gone", type: "text/plain") { $0.responseSerializer = serializers[number] }
        expectEqual(error.kind, .unacceptableStatus)
        expectEqual(error.message, "gone")
    }

    @Test("withResponse receives any status")
    func streaming() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("gone", status: 404) })
        let (status, text) = try await api.withResponse(to: .get("a")) { response in
            (response.status.code, try await response.body.collect(upTo: 100).text)
        }
        expectEqual(status, 404)
        expectEqual(text, "gone")
    }

    @Test("Over the network")
    func network() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            let missing = await #expect(throws: SternaError.self) { try await api.get("no/such/page") }
            expectEqual(missing?.status, 404)
            #expect(missing?.serverMessage != nil)
            let status = await #expect(throws: SternaError.self) { try await api.post("status/503") }
            expectEqual(status?.status, 503)
            expectEqual(status?.method, .post)
            expectEqual(status?.url, server.url("/status/503"))
        }
    }
}
