public import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

enum CallNumberFieldKey: RequestOptionKey {
    static let defaultValue = "X-Call"
    static var name: String? { "callNumberField" }  // leave it out, or mask in shown(_:), where the value is a secret
}

extension SessionSettings {
    /// The field that carries the call's number; `X-Call` by default.
    public var callNumberField: String {
        get { options[CallNumberFieldKey.self] }
        set { options[CallNumberFieldKey.self] = newValue }
    }
}

extension RequestSettings {
    /// The field that carries the call's number; the session's until it is set.
    public var callNumberField: String {
        get { options[CallNumberFieldKey.self] }
        set { options[CallNumberFieldKey.self] = newValue }
    }
}

/// The recipes of CONTRIBUTING.md, so that they compile and do what it says.
@Suite("Recipes for contributors")
struct ContributingExamplesTests {
    struct CallNumberInterceptor: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var request = request
            request.headers["X-Call"] = "\(request.call?.id ?? 0)"
            return try await next(request)
        }
    }

    @Test("An interceptor that stamps a header: the same number for all requests of a call")
    func stamping() async throws {
        let mock = MockTransport(responses: [.redirect(to: "https://other.example/b"), .json([:]), .json([:])])
        let (api, _) = try mocked(by: mock) { $0.interceptors = [CallNumberInterceptor()] }
        try await api.get("a")
        try await api.get("a")
        let numbers = mock.requests.map { $0.headers["X-Call"] }
        #expect(numbers == mock.requests.map { $0.call.map { "\($0.id)" } })
        #expect(numbers[0] == numbers[1])
        #expect(numbers[1] != numbers[2])
    }

    final class LastAnswers: Interceptor {
        private let answers = Mutex<[HTTPURL: Response]>([:])

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            // Answers to credentials belong to one caller.
            guard request.method == .get, !request.headers.contains(.authorization), !request.headers.contains(.cookie)
            else { return try await next(request) }
            if let known = answers.withLock({ $0[request.url] }) { return known }
            let response = try await next(request)
            if response.status == .ok, response.body.whole != nil { answers.withLock { $0[request.url] = response } }
            return response
        }
    }

    @Test("An interceptor that answers from memory, by a real server")
    func memory() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/count") { _ in .text("\(server.requests().count)", mediaType: "application/json") }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.interceptors = [LastAnswers()]
            }
            let first = try await api.get("count").json()
            #expect(try await api.get("count").json() == first)
            #expect(server.requests().count == 1)

            try await api.get("count") { $0.auth.header = .bearer("sesame") }
            try await api.post("post")
            let failed = await #expect(throws: SternaError.self) { try await api.get("status/404") }
            let again = await #expect(throws: SternaError.self) { try await api.get("status/404") }
            #expect(failed?.status == 404)
            #expect(again?.status == 404)
            #expect(server.requests().count == 5)

            for _ in 0..<2 {
                try await api.withResponse(to: .get("bytes/10")) { response in
                    var count = 0
                    for try await piece in response.body { count += piece.count }
                    #expect(count == 10)
                }
            }
            // The second one is answered from memory where the body came together with the head.
            #expect([6, 7].contains(server.requests().count))
        }
    }

    /// Reads the option.
    private struct NamedField: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var request = request
            let fields: Headers = [request.options[CallNumberFieldKey.self]: "1"]
            try fields.merge(into: &request.headers)
            return try await next(request)
        }
    }

    @Test("A request option: the default, the session's, the request's, a redirect, and what is printed")
    func option() async throws {
        let mock = MockTransport { request in
            request.url.path == "/v1/away" ? .redirect(to: "/v1/home") : .json([:])
        }
        let (api, _) = try mocked(by: mock) { $0.networkInterceptors = [NamedField()] }
        try await api.get("a")
        let named = api.with { $0.callNumberField = "X-Session" }
        try await named.get("a")
        try await named.get("away") { $0.callNumberField = "X-Own" }
        let names = mock.requests.map { request in
            ["X-Call", "X-Session", "X-Own"].filter { request.headers[$0] != nil }
        }
        #expect(names == [["X-Call"], ["X-Session"], ["X-Own"], ["X-Own"]])
        var settings = RequestSettings()
        #expect(settings.callNumberField == "X-Call")
        settings.callNumberField = "X-Own"
        #expect(dumped(settings).contains(#"callNumberField: "X-Own""#))
    }
}
