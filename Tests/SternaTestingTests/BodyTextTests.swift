import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("The text of a recorded request's body", .timeLimit(.minutes(5)))
struct BodyTextTests {
    @Test("A test server records the beginning of each body, and its text if it is whole", arguments: [false, true])
    func server(speaksHTTP2: Bool) async throws {
        var options = TestServer.Options(http2: speaksHTTP2 ? .byPriorKnowledge : [])
        options.recordedBodyBytes = 10
        try await TestServer.withServer(options) { server in
            server.route("POST", "/length") { request in .text("\(try await request.body.text().utf8.count)") }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                if speaksHTTP2 { $0.network.http2 = .priorKnowledge }
            }
            for text in ["", "ten bytes.", "eleven byte", "wörter"] {
                try await expectEqual(api.post("length", body: .text(text)).text(), "\(text.utf8.count)")
            }
            let pieces = AsyncStream<String> { stream in
                for piece in ["in ", "pieces"] { stream.yield(piece) }
                stream.finish()
            }
            try await api.post("length", body: .stream(pieces))
            try await api.post("length", body: .bytes([0x61, 0xFF]))
            let requests = server.requests()
            expectEqual(
                requests.map(\.bodyText), ["", "ten bytes.", nil, "wörter", "in pieces", "a\u{FFFD}"])
            expectEqual(requests.map(\.bodySize), [0, 10, 11, 7, 9, 2])
            expectEqual(requests.map(\.body.count), [0, 10, 10, 7, 9, 2])
            #expect(requests.allSatisfy { ($0.version == .http2) == speaksHTTP2 })
        }
    }

    @Test("Without records of requests, or of bodies, nothing is kept", arguments: [0, 10])
    func none(requests: Int) async throws {
        var options = TestServer.Options(recordedRequests: requests)
        options.recordedBodyBytes = 0
        try await TestServer.withServer(options) { server in
            try await Session.shared.post(server.url("/anything"), body: .text("text"))
            expectEqual(server.requests().map(\.bodySize), requests > 0 ? [4] : [])
            expectEqual(server.requests().map(\.bodyText), requests > 0 ? [nil] : [])
        }
    }

    @Test("A mock's request has the text of bytes, files, forms and streams, as often as the body can be read")
    func mock() async throws {
        let (api, mock) = try mocked()
        try await api.get("a")
        try await expectNil(mock.requests.last?.bodyText)
        try await api.post("a", json: ["name": "Ada"])
        for _ in 0..<2 { try await expectEqual(mock.requests.last?.bodyText, #"{"name":"Ada"}"#) }
        try await api.post("a", form: ["b": "ö"])
        try await expectEqual(mock.requests.last?.bodyText, "b=%C3%B6")
        try await Downloading.withFolder { folder in
            try Data("from a file".utf8).write(to: URL(filePath: "\(folder)/a.txt"))
            try await api.upload(file: "\(folder)/a.txt", to: "a")
            for _ in 0..<2 { try await expectEqual(mock.requests.last?.bodyText, "from a file") }
            try await api.upload("a", multipart: { $0.append(file: "\(folder)/a.txt", name: "b") })
            let form = try await mock.requests.last?.bodyText
            #expect(form?.contains("from a file\r\n--") == true)
        }
        try await api.post(
            "a",
            body: .stream(
                AsyncStream<String> { stream in
                    stream.yield("once")
                    stream.finish()
                }))
        try await expectEqual(mock.requests.last?.bodyText, "once")
        let error = await #expect(throws: SternaError.self) { try await mock.requests.last?.bodyText }
        expectEqual(error?.kind, .bodyNotReplayable)
        try await api.post("a", body: .bytes([0x61, 0xFF]))
        try await expectEqual(mock.requests.last?.bodyText, "a\u{FFFD}")
    }

    @Test("A mock refuses header fields that the engine would refuse, and does not record the request")
    func refused() async throws {
        struct Stamp: Interceptor {
            nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
                var request = request
                request.headers["X-Trace"] = "a\r\nb"
                return try await next(request)
            }
        }
        let (api, mock) = try mocked { $0.interceptors = [Stamp()] }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .invalidHeader)
        #expect(mock.requests.isEmpty)
    }
}
