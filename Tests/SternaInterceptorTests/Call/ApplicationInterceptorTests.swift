import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Interceptors around a whole call.
@Suite("Application interceptors")
struct ApplicationInterceptorTests {
    @Test("Interceptors run once per call, around redirects, the first one outermost")
    func order() async throws {
        let log = Mutex<[String]>([])
        func noting(_ name: String) -> Doing {
            Doing { request, next in
                log.withLock { $0.append("\(name)> \(request.url.path)") }
                let response = try await next(request)
                log.withLock { $0.append("\(name)< \(response.status.code) \(response.redirects.count)") }
                return response
            }
        }
        let mock = MockTransport(responses: [.redirect(to: "/b"), .json([:])])
        let (api, _) = try mocked(by: mock) {
            $0.interceptors = [noting("one"), noting("two")]
            $0.networkInterceptors = [noting("net")]
        }
        try await api.get("a")
        expectEqual(
            log.withLock { $0 },
            [
                "one> /v1/a", "two> /v1/a", "net> /v1/a", "net< 302 0", "net> /b", "net< 200 0", "two< 200 1",
                "one< 200 1",
            ])
    }

    @Test("An interceptor's Authorization field does not come back after a redirect to another origin")
    func credentials() async throws {
        let signing = Doing { request, next in
            var request = request
            request.headers[.authorization] = "Bearer secret"
            return try await next(request)
        }
        func sent(asNetworkInterceptor: Bool) async throws -> [String?] {
            let mock = MockTransport(responses: [
                .redirect(to: "/own"), .redirect(to: "https://other.example/b"),
                .redirect(to: "https://api.example.com/back"), .json([:]),
            ])
            let (api, _) = try mocked(by: mock) {
                if asNetworkInterceptor { $0.networkInterceptors = [signing] } else { $0.interceptors = [signing] }
            }
            try await api.get("a")
            return mock.requests.map { $0.headers[.authorization] }
        }
        try await expectEqual(sent(asNetworkInterceptor: false), ["Bearer secret", "Bearer secret", nil, nil])
        // Documented: what it adds goes wherever a redirect leads.
        let added = try await sent(asNetworkInterceptor: true)
        #expect(added.allSatisfy { $0 == "Bearer secret" })
    }

    @Test("An interceptor may return its own response, and nothing is sent")
    func memory() async throws {
        let (api, mock) = try mocked {
            $0.interceptors = [
                Doing { request, _ in
                    var response = Response(status: .ok, url: request.url)
                    response.headers[.contentType] = "application/json"
                    response.body = ResponseBody(Bytes(text: #"{"from":"memory"}"#))
                    return response
                }
            ]
        }
        try await expectEqual(api.get("a").json()["from"].string, "memory")
        #expect(mock.requests.isEmpty)
    }

    @Test("The body that one sees is decoded")
    func decoded() async throws {
        let coded = Bytes(copying: Zlib.gzip("[1]"))
        let seen = Mutex<String?>(nil)
        let (api, _) = try mocked(
            by: MockTransport { _ in
                .init(
                    headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"], body: ResponseBody(coded)
                )
            }
        ) {
            $0.interceptors = [
                Doing { request, next in
                    let response = try await next(request)
                    seen.withLock { $0 = response.body.whole?.text }
                    return response
                }
            ]
        }
        try await api.get("a")
        expectEqual(seen.withLock { $0 }, "[1]")
    }
}
