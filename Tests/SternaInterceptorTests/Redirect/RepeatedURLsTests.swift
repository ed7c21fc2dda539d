import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The limit of redirects names repeated URLs")
struct RepeatedURLsTests {
    private func sentence(_ steps: [String], _ last: String) throws -> String? {
        RepeatedURLs.sentence(
            try steps.map { RedirectStep(url: try HTTPURL($0), status: 302) }, then: try HTTPURL(last))
    }

    @Test("The sentence for no, one, several, and too many repeated URLs")
    func sentences() throws {
        #expect(try sentence([], "http://a/") == nil)
        #expect(try sentence(["http://a/", "http://b/"], "http://c/") == nil)
        #expect(try sentence(["http://a/", "http://b/"], "http://a/") == "One URL was repeated: http://a/ (2 times).")
        #expect(
            try sentence(["http://a/", "http://b/", "http://a/", "http://b/"], "http://a/")
                == "These URLs were repeated: http://a/ (3 times), http://b/ (2 times).")
        let many = (0..<5).map { "http://h\($0)/" }
        let all = try #require(try sentence(many + many, "http://a/"))
        #expect(all.contains("http://h2/ (2 times) and 2 more."))
        #expect(!all.contains("h3"))
    }

    @Test("Fragments do not tell URLs apart, and secrets are not shown")
    func secrets() throws {
        let text = try sentence(["http://u:s3cret@a/?token=s3cret#x"], "http://u:other@a/?token=s3cret#y")
        #expect(text == "One URL was repeated: http://a/?token=*** (2 times).")
        let long = "http://a/" + String(repeating: "x", count: 10_000)
        #expect(try #require(try sentence([long], long)).count < 300)
    }

    @Test("A redirect to itself that sets a cookie is followed until it ends")
    func cookie() async throws {
        let cookies = ServerResponse(status: 302, headers: ["Location": "/v1/a", "Set-Cookie": "seen=1"])
        let mock = MockTransport(responses: [cookies, cookies, .json([:])])
        let reply = try await mocked(by: mock).api.get("a")
        expectEqual(reply.response.redirects.map(\.url.path), ["/v1/a", "/v1/a"])
    }

    @Test("The error of a circle")
    func error() async throws {
        let circle = MockTransport { request in .redirect(to: request.url.path == "/v1/a" ? "/v1/b" : "/v1/a") }
        let error = await #expect(throws: SternaError.self) { try await mocked(by: circle).api.get("a") }
        expectEqual(error?.kind, .tooManyRedirects)
        #expect(
            error?.detail == "The server redirected more than 20 times. These URLs were repeated: "
                + "https://api.example.com/v1/a (11 times), https://api.example.com/v1/b (10 times).")
        let away = MockTransport { request in .redirect(to: "\(request.url.path)x") }
        let other = await #expect(throws: SternaError.self) { try await mocked(by: away).api.get("a") }
        expectEqual(other?.detail, "The server redirected more than 20 times, each time to another URL.")
    }
}
