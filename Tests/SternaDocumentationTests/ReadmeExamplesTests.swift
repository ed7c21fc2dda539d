import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The README's examples, so that they compile and do what it says.
@Suite("Examples of the README")
struct ReadmeExamplesTests {
    private struct User: Codable, Equatable {
        var name: String
    }

    @Test("The first example")
    func first() async throws {
        let (token, name, mobile, tags, trace) = ("sesame", "Ada", 5, ["a"], "t1")
        let note: JSON = ["text": "Terns"]
        let chunks = Counter()
        func handle(_ chunk: Bytes) { chunks.add(chunk.count) }
        let mock = MockTransport { request in
            switch request.method {
            case .delete: .json(["error": "no such user"], status: 404)
            case .put: .text("noted", mediaType: "application/json")
            default: .json(["name": "Ada"])
            }
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com/v1") { $0.auth.header = .bearer(token) }

        let user: User = try await api.get("users/1").decode()
        let made = try await api.post("users", parameters: ["name": name, "phone": ["mobile": mobile], "tags": tags])
            .json()
        let text = try await api.put("notes/7", body: .json(note), headers: ["X-Trace": trace]).text()

        do {
            try await api.delete("users/1")
        } catch let error as SternaError {
            print(error.status, error.message)  // 404, and the server's own message
        }

        try await api.withResponse(to: .get("events")) { response in  // streaming, with back-pressure
            for try await chunk in response.body { handle(chunk) }
        }

        #expect(user.name == "Ada")
        #expect(made["name"].string == "Ada")
        #expect(text == "noted")
        #expect(chunks.value == 14)
        let paths = ["/v1/users/1", "/v1/users", "/v1/notes/7", "/v1/users/1", "/v1/events"]
        #expect(mock.requests.map(\.url.path) == paths)
        #expect(mock.requests.allSatisfy { $0.headers[.authorization] == "Bearer sesame" })
        #expect(mock.requests[1].givenText == "name=Ada&phone%5Bmobile%5D=5&tags%5B%5D=a")
        #expect(mock.requests[2].givenText == #"{"text":"Terns"}"#)
        #expect(mock.requests[2].headers["X-Trace"] == "t1")
    }

    @Test("The guide")
    func guide() async throws {
        let (name, password) = ("Ada", "s3cret")
        let user = User(name: "Ada")
        let folder = try TemporaryPhoto()
        let photo = folder.path
        let mock = MockTransport { request in
            if request.url.path.hasSuffix("slow") { throw SternaError(.timedOut, phase: .wait, "Too slow.") }
            return .json([["name": "Ada"]])
        }
        let (api, _) = try mocked(by: mock) { $0.callbacks = .queue(.global()) }

        // JSON or a form, of a literal, a dictionary, or any Encodable value; a query.
        try await api.post("users", json: ["name": name, "tags": ["a", "b"]])
        try await api.post("login", form: user)
        try await api.get("users", parameters: ["tags": ["a", "b"]])  // ?tags[]=a&tags[]=b
        try await api.post("search", query: ["page": 2], body: .text("terns"))

        // A reply is a tree, a Decodable value, text or data.
        let reply = try await api.get("users")
        print(reply.status, reply.headers["X-Rate-Limit"] ?? "none", try await reply.json()[0]["name"])

        // Settings of one request; those of a session are changed the same way.
        try await api.get("report") {
            $0.timeout = .seconds(5)  // of each step: connecting, the first byte, each pause between bytes
            $0.deadline = .now + .seconds(30)
            $0.redirects = .doNotFollow
        }

        // One error type; `kind` says what happened, `phase` where.
        do {
            try await api.get("slow")
        } catch let error as SternaError where error.kind == .timedOut {
            print(error.phase)
        }

        // Retries with back-off; a password for servers that ask, by Digest or Basic.
        let patient = api.with {
            $0.retry = .transient
            $0.retry.limit = 3
            $0.auth.credential = Credential(user: "ada", password: password)
        }

        // Cookies are kept and sent back, in a file also those that end with the session (most logins). HSTS is obeyed.
        let jar = CookieJar(path: "cookies.json", keepsSessionCookies: true)
        let shop = try Session(baseURL: "https://shop.example") { $0.cookies.jar = jar }
        print(try shop.cookies(for: "orders").map(\.name))

        // A cache by HTTP's rules, here in memory; the response says where it comes from.
        let caching = api.with { $0.cache.store = .memory() }
        print(try await caching.get("users").source)

        // A form with a file, sent from the disk; the progress prints as "37% of 1.2 GB, 48 MB/s, 16 s left".
        try await api.upload(
            "photos",
            multipart: { form in
                form.append(file: photo, name: "image")
                form.append("Terns", name: "caption")
            }, progress: { print($0) })

        // Other roots, pins of keys, a proxy, only public addresses.
        let careful = api.with {
            $0.trust.policy = .authority(file: "company-ca.pem")
            $0.network.proxies = .none
            $0.network.dialPolicy = .publicOnly
        }

        // Callbacks, for code that is not ready for await.
        api.get("users/1", success: { task, value in print(value["name"]) }, failure: { task, error in print(error) })

        _ = (careful, patient)
        #expect(mock.requests[0].givenText == #"{"name":"Ada","tags":["a","b"]}"#)
        #expect(mock.requests[1].givenText == "name=Ada")
        #expect(mock.requests[3].url.query == "page=2")
        #expect(mock.requests[5].timeouts.connect == .seconds(5))
        #expect(mock.requests[8].headers[.contentType]?.hasPrefix("multipart/form-data") == true)
    }
}
