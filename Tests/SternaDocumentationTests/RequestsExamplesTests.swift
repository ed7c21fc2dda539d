import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The examples of docs/Requests.md, so that they compile and do what it says.
@Suite("Examples: requests and replies")
struct RequestsExamplesTests {
    private struct User: Encodable { var name = "Ada" }
    private struct Post: Decodable { var id: Int }
    private struct Page: Decodable { var data: [Post] }
    private enum Answer: Sendable, Equatable { case tree(JSON), text(String) }

    @Test("Parameters")
    func parameters() async throws {
        let (name, mobile, user) = ("Ada", 1, User())
        let newName: String? = nil
        let row: [String: Any] = ["id": 7]
        let (api, mock) = try mocked()

        try await api.post("users", json: user)  // any Encodable value
        try await api.post("users", json: ["name": name, "phone": ["mobile": mobile]])
        try await api.post("login", form: ["name": name], query: ["page": 2])
        try await api.get("users", parameters: ["name": name, "tags": ["a", "b"]])  // ?name=Ada&tags[]=a&tags[]=b
        try await api.post("users", parameters: ["name": name, "phone": ["mobile": mobile]])  // a form by default
        try await api.patch("users/1", json: ["name": newName, "fax": Parameters.null])  // nil is left out
        try await api.post("rows", json: try Parameters(untyped: row))  // a [String: Any]

        let requests = mock.requests
        #expect(requests[0].givenText == #"{"name":"Ada"}"#)
        #expect(requests[1].givenText == #"{"name":"Ada","phone":{"mobile":1}}"#)
        #expect(requests[2].url.query == "page=2")
        #expect(requests[2].givenText == "name=Ada")
        #expect(requests[3].url.query == "name=Ada&tags%5B%5D=a&tags%5B%5D=b")
        #expect(requests[4].givenText == "name=Ada&phone%5Bmobile%5D=1")
        #expect(requests[5].givenText == #"{"fax":null}"#)
        #expect(requests[6].givenText == #"{"id":7}"#)
    }

    @Test("Nested literals of mixed types")
    func nestedLiterals() async throws {
        let (name, temperature) = ("Ada", 21.5)
        let (api, mock) = try mocked()

        try await api.post("rooms", json: ["user": ["name": name, "tags": ["a"]] as Parameters, "n": temperature])
        try await api.post(
            "rooms", json: ["user": ["name": JSON(name), "tags": ["a"]], "n": JSON(temperature)] as JSON)

        let expected = #"{"user":{"name":"Ada","tags":["a"]},"n":21.5}"#
        #expect(mock.requests.map(\.givenText) == [expected, expected])
        let error = await #expect(throws: SternaError.self) {
            try await api.post("rooms", json: ["n": JSON(Double.nan)] as JSON)
        }
        #expect(error?.kind == .encodingFailed)
        #expect(mock.requests.count == 2)
    }

    @Test("Choices of a serializer")
    func choices() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        var serializer = HTTPRequestSerializer(style: .afnetworking2)  // or .afnetworking4, the default
        serializer.encoder.arrays = .indices  // tags[0]=a
        serializer.encoder.booleans = .literal  // true
        serializer.encoder.keys = .snakeCase  // firstName as first_name
        serializer.encoder.nesting = .dots  // phone.mobile
        serializer.headers["X-Client"] = "7"  // where the request has no such field
        serializer.timeout = .seconds(10)
        let api = try Session(baseURL: "https://api.example.com") { $0.requestSerializer = serializer }

        try await api.get("users", parameters: ["phoneBook": ["isPublic": true], "tagNames": ["a"]])
        let request = try #require(mock.requests.first)
        #expect(request.url.query == "phone_book.is_public=true&tag_names[0]=a")
        #expect(request.headers["X-Client"] == "7")
        #expect(request.timeouts.connect == .seconds(10))
        _ = [HTTPRequestSerializer(style: .afnetworking4), .init(style: .alamofire), .init(style: .whatwgForm)]
    }

    @Test("Replies")
    func replies() async throws {
        var answer = ServerResponse.json(["data": [["id": 1], ["id": 2]]])
        answer.headers["X-Rate-Limit"] = "9"
        let (api, _) = try mocked(by: MockTransport { [answer] _ in answer })

        let reply = try await api.get("posts")
        let tree = try await reply.json()  // tree["data"][0]["title"].string
        let posts = try tree["data"].decode([Post].self)  // a value of a part of the tree
        let page: Page = try await reply.decode()
        let raw = try reply.data()
        print(reply.status, reply.url, reply.headers["X-Rate-Limit"] ?? "")

        #expect(posts.map(\.id) == [1, 2])
        #expect(page.data.count == 2)
        #expect(raw.count == reply.body.count)
        #expect(reply.headers["X-Rate-Limit"] == "9")
    }

    @Test("Any status is a reply where the request says so")
    func anyStatus() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json([:], status: 404) })

        let reply = try await api.get("users/1") { $0.acceptsAnyStatus = true }
        if reply.status == 404 { print("no such user") }

        #expect(reply.status == 404)
    }

    @Test("One request's own serializer, and a compound")
    func ownSerializer() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .text("plain", mediaType: "text/csv") }) {
            $0.responseSerializer = .data
        }

        try await api.get("report.csv") {
            $0.responseSerializer = TextResponseSerializer().validating(mediaTypes: ["text/*"])
            $0.timeout = .seconds(5)  // of each step; $0.timeouts.total is for the whole request
            $0.redirects = .doNotFollow  // a redirect is then the reply
        }
        let either = try await api.get("either").value(
            by: .compound(
                JSONResponseSerializer(removesNulls: true).map(Answer.tree), TextResponseSerializer().map(Answer.text)))

        #expect(either == .text("plain"))
        #expect(mock.requests.first?.timeouts.connect == .seconds(5))
    }

    @Test("Settings of one request")
    func settings() async throws {
        let mock = MockTransport { _ in .json([:]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") {
            $0.retry = .transient
            $0.timeouts.firstByte = .seconds(10)
        }
        try await api.get("report") {
            $0.retry.limit = 1  // otherwise as the session does
            $0.timeouts.total *= 2  // the session's, doubled
        }
        try await api.get("status") {
            $0.retry = .none
            $0.auth.header = nil  // none is sent
        }
        let draft = RequestDraft.get("report") { $0.retry.limit = 1 }  // of whatever policy the sending session has

        try await api.send(draft)
        #expect(mock.requests.count == 3)
        #expect(mock.requests.allSatisfy { $0.timeouts.firstByte == .seconds(10) })
        #expect(mock.requests.first?.timeouts.total == Timeouts().total * 2)
    }

    @Test("Streaming")
    func streaming() async throws {
        let mock = MockTransport { request in
            request.url.path.hasSuffix("posts") ? .text("{\"id\":1}\n{\"id\":2}") : .text("four", status: 500)
        }
        let (api, _) = try mocked(by: mock)
        let chunks = Counter()
        func handle(_ chunk: Bytes) { chunks.add(chunk.count) }

        try await api.withResponse(to: .get("events")) { response in
            for try await chunk in response.body { handle(chunk) }
        }
        try await api.withResponse(to: .get("log")) { response in
            for try await line in response.lines { print(line) }
        }
        try await api.withResponse(to: .get("posts")) { response in
            for try await post in response.decode(lines: Post.self) { print(post.id) }  // JSON, a value a line
        }

        #expect(chunks.value == 4)
        #expect(mock.requests.count == 3)
    }

    @Test("Bandwidth")
    func bandwidth() async throws {
        let mock = MockTransport { _ in .json(["length": 7]) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let limit = BandwidthLimit(download: 2_000_000, upload: 500_000)  // bytes per second; nil is no limit
        let api = try Session(baseURL: "https://api.example.com") { $0.limits.bandwidth = limit }
        try await api.get("film") { $0.limits.bandwidth = BandwidthLimit(download: 250_000) }  // both limits apply
        limit.download = nil  // at once, for bodies that are under way, too

        #expect(mock.requests.count == 1)
        #expect(limit.download == nil)
        #expect(limit.upload == 500_000)
    }

    @Test("Digests")
    func digests() async throws {
        let folder = try TestFolder()
        let path = try folder.write(Array("{\"hello\": \"world\"}\n".utf8), to: "report.json")
        let mock = MockTransport { request in
            let content = request.url.path.hasSuffix("damaged") ? "{}" : "{\"hello\": \"world\"}\n"
            return .text(
                content, headers: request.body == nil ? ["Repr-Digest": "sha-256=:\(Samples.sha256):"] : [:])
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let api = try Session(baseURL: "https://api.example.com") { $0.digests = [.want, .verify] }
        let report = try await api.get("report")  // verified, if the server sends a digest
        try await api.get("prices") { $0.digests.insert(.require) }  // fails without a digest
        try await api.upload(file: path, to: "reports") { $0.digests.insert(.send) }  // with a Content-Digest

        #expect(report.status == 200)
        #expect(mock.requests.map { $0.headers["Want-Repr-Digest"] } == ["sha-256=10", "sha-256=10", "sha-256=10"])
        #expect(mock.requests[2].headers["Content-Digest"] == "sha-256=:\(Samples.sha256):")
        let error = await #expect(throws: SternaError.self) { try await api.get("damaged") }
        #expect(error?.kind == .digestMismatch)
    }

    @Test("Errors and cancellation")
    func errors() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .json(["error": "no such user"], status: 404) })
        do {
            try await api.delete("users/1")
        } catch let error as SternaError where error.kind == .cancelled {
            // The task was cancelled.
        } catch let error as SternaError where error.kind == .timedOut {
            print(error.phase)  // what it waited for
        } catch let error as SternaError {
            print(error.status, error.message, error)  // 404, or 0 without an answer; the server's own message
        }

        let error = await #expect(throws: SternaError.self) { try await api.delete("users/1") }
        #expect(error?.kind == .unacceptableStatus)
        #expect(error?.status == 404)
        #expect(error?.message == "no such user")
        #expect(error?.json?["error"].string == "no such user")
        #expect(error?.value is JSON)
    }

    struct LineRequestSerializer: RequestSerializer {
        func serialize(_ parameters: Parameters?, into request: inout Request) throws {
            guard let parameters else { return }
            request.body = .text(parameters.keys.joined(separator: "\n"), mediaType: "text/x-lines")
        }
    }

    struct LineResponseSerializer: ResponseSerializer {
        var validation = ResponseValidation(mediaTypes: ["text/x-lines"])

        func value(of response: Response, body: Bytes) throws -> [Substring] { body.text.split(separator: "\n") }
    }

    @Test("Serializers of one's own")
    func ownSerializers() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in .text("a\nb", mediaType: "text/x-lines") }) {
            $0.requestSerializer = LineRequestSerializer()
            $0.responseSerializer = LineResponseSerializer()
        }
        let lines = try await api.post("lines", parameters: ["one": 1, "two": 2]).value(by: LineResponseSerializer())
        #expect(lines == ["a", "b"])
        #expect(mock.requests.first?.givenText == "one\ntwo")
        #expect(mock.requests.first?.headers[.contentType] == "text/x-lines")
    }
}
