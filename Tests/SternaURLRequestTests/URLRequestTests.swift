import Foundation
import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import SternaURLRequest
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Foundation's requests", .timeLimit(.minutes(5)))
struct URLRequestTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("Method, URL, fields, body and time-out are taken over; nothing is added")
    func sent() async throws {
        let mock = MockTransport { _ in .json(["ok": true]) }
        let api = try Session(baseURL: "https://other.example/v1") {
            $0.network.transport = mock
            $0.headers = ["X-Session": "1"]
            $0.auth.header = .bearer("secret")
        }
        var request = URLRequest(url: try url("https://api.example.com/a%20b?q=%C3%A9"), timeoutInterval: 7)
        request.httpMethod = "PATCH"
        request.setValue("text/csv", forHTTPHeaderField: "Content-Type")
        request.setValue("x", forHTTPHeaderField: "X-Own")
        request.httpBody = Data("a,b".utf8)
        #expect(try await api.dataTask(request).value.json()["ok"].bool == true)
        #expect(try await api.send(request).status == 200)
        for sent in mock.requests {
            #expect(sent.method == .patch)
            #expect("\(sent.url)" == "https://api.example.com/a%20b?q=%C3%A9")
            let names = sent.headers.map { $0.name.canonicalName }.sorted()
            #expect(names == ["content-type", "x-own"])
            #expect(sent.body?.length == 3)
            #expect(sent.timeouts.betweenBytes == .seconds(7))
        }
        #expect(mock.requests.count == 2)
    }

    @Test(
        "A cache policy concerns the session's cache, in place of the session's own",
        arguments: [
            (.useProtocolCachePolicy, "1"), (.returnCacheDataElseLoad, "0"), (.returnCacheDataDontLoad, "0"),
            (.reloadIgnoringLocalCacheData, "1"), (.reloadIgnoringLocalAndRemoteCacheData, "1 no-cache"),
            (.reloadRevalidatingCacheData, "1 tag"),
        ] as [(URLRequest.CachePolicy, String)])
    func cachePolicies(policy: URLRequest.CachePolicy, expected: String) async throws {
        let mock = MockTransport { _ in
            .init(
                status: 200, headers: ["Cache-Control": "max-age=60", "ETag": "\"a\""],
                body: ResponseBody(Bytes(text: "x")))
        }
        let api = try Session {
            $0.network.transport = mock
            $0.cache.store = .memory()
            // What the default keeps.
            $0.cache.policy = .reload
        }
        let url = try url("https://api.example.com/a")
        _ = try await api.send(URLRequest(url: url))
        let first = mock.requests.count
        _ = try await api.send(URLRequest(url: url, cachePolicy: policy))
        var sent = "\(mock.requests.count - first)"
        if let last = mock.requests.dropFirst(first).last {
            if last.headers[.cacheControl] == "no-cache" { sent += " no-cache" }
            if last.headers[.ifNoneMatch] != nil { sent += " tag" }
        }
        #expect(sent == expected)
    }

    @Test("Each kind of task, and a body that is a stream")
    func tasks() async throws {
        try await TestServer.withServer { server in
            server.route("POST", "/echo") { request in
                ServerResponse(body: .bytes(try await request.body.collect()))
            }
            let api = try Session {
                $0.network.engine = Engine()
                $0.responseSerializer = .data
            }
            let target = try url("\(server.url)/echo")
            var request = URLRequest(url: target)
            request.httpMethod = "POST"
            request.httpBody = Data("bytes".utf8)
            let upload = try api.uploadTask(request)
            #expect(try await upload.value.data() == Data("bytes".utf8))
            var lines: [String] = []
            for try await line in try api.streamTask(request).lines { lines.append(line) }
            #expect(lines == ["bytes"])
            #if Foundation
            request.httpBody = nil
            request.httpBodyStream = InputStream(data: Data("stream".utf8))
            request.setValue("6", forHTTPHeaderField: "Content-Length")
            let reply = try await api.dataTask(request).value
            #expect(try reply.data() == Data("stream".utf8))
            #endif
        }
    }

    @Test("A request that cannot be sent", arguments: ["ftp://example.com/", "data:,x", "relative/path"])
    func refused(text: String) throws {
        let request = URLRequest(url: try url(text))
        let error = #expect(throws: SternaError.self) { try Request(request) }
        #expect(error?.kind == .invalidURL)
    }

    @Test("An interval beyond all bounds is a long one", arguments: [0, -1, 1e300, .infinity, .nan])
    func interval(seconds: Double) throws {
        var request = URLRequest(url: try url("http://example.com/"))
        request.timeoutInterval = seconds
        let limits = try Request(request).timeouts
        #expect(limits.betweenBytes >= Timeouts().betweenBytes)
    }
}
