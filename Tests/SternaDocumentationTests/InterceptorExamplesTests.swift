import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

enum RegionKey: RequestOptionKey {
    static let defaultValue = "eu"
    static var name: String? { "region" }  // printed settings show it under this name; secrets have no name
}

extension SessionSettings {
    var region: String {
        get { options[RegionKey.self] }
        set { options[RegionKey.self] = newValue }
    }
}

extension RequestSettings {
    var region: String {  // the session's until it is set
        get { options[RegionKey.self] }
        set { options[RegionKey.self] = newValue }
    }
}

struct RegionInterceptor: Interceptor {
    nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
        var request = request
        request.headers["X-Region"] = request.options[RegionKey.self]
        return try await next(request)
    }
}

/// The examples of the article about interceptors and options, so that they compile and do what it says.
@Suite("Examples: interceptors and options")
struct InterceptorExamplesTests {
    struct Stamp: Interceptor {
        var fields: Headers

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            var request = request
            try fields.merge(into: &request.headers)
            return try await next(request)
        }
    }

    @Test("One that stamps a field")
    func stamp() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/b"), .json([:])])
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let stamp = Stamp(fields: ["X-Client": "7"])
        let api = try Session(baseURL: "https://api.example.com") { $0.interceptors = [stamp] }

        try await api.get("a")
        #expect(mock.requests.map { $0.headers["X-Client"] } == ["7", "7"])
        let broken = api.with { $0.interceptors = [Stamp(fields: ["X-Client": "7\r\nX-Evil: 1"])] }
        let error = await #expect(throws: SternaError.self) { try await broken.get("a") }
        #expect(error?.kind == .invalidHeader)
    }

    struct Fixtures: Interceptor {
        var documents: [String: String]  // JSON by path

        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            guard request.method == .get, let text = documents[request.url.path] else { return try await next(request) }
            var response = Response(status: .ok, body: ResponseBody(Bytes(text: text)), url: request.url)
            response.headers[.contentType] = "application/json"
            return response
        }
    }

    @Test("One that answers from memory")
    func fixtures() async throws {
        let (api, mock) = try mocked { $0.interceptors = [Fixtures(documents: ["/v1/bird": #"{"name":"tern"}"#])] }
        #expect(try await api.get("bird").json()["name"].string == "tern")
        #expect(mock.requests.isEmpty)
        try await api.get("other")
        #expect(mock.requests.count == 1)
    }

    struct Translation: Interceptor {
        nonisolated(nonsending) func intercept(_ request: Request, next: Chain) async throws -> Response {
            do {
                return try await next(request)
            } catch var error as SternaError where error.kind == .hostNotFound {
                error.detail = "The service is not reachable from this network."
                throw error
            }
        }
    }

    @Test("One that changes an error")
    func translation() async throws {
        let mock = MockTransport { _ in throw SternaError(.hostNotFound, phase: .resolve, "No.") }
        let (api, _) = try mocked(by: mock) { $0.interceptors = [Translation()] }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        #expect(error?.kind == .hostNotFound)
        #expect(error?.message == "The service is not reachable from this network.")
    }

    @Test("An option: the key's default, the session's, the request's, over redirects")
    func options() async throws {
        let mock = MockTransport { request in
            request.url.path == "/away" ? .redirect(to: "https://other.example/") : .json([:])
        }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Session = SessionMaker(mock)

        let regional = try Session(baseURL: "https://api.example.com") {
            $0.networkInterceptors = [RegionInterceptor()]
            $0.region = "us"
        }
        try await regional.get("birds")  // X-Region: us
        try await regional.get("birds") { $0.region = "ap" }  // X-Region: ap

        try await regional.get("away") { $0.region = "sa" }
        try await regional.with { $0.options[ifSet: RegionKey.self] = nil }.get("birds")
        #expect(mock.requests.map { $0.headers["X-Region"] } == ["us", "ap", "sa", "sa", "eu"])
        var settings = RequestSettings()
        settings.region = "ap"
        #expect(dumped(settings).contains(#"region: "ap""#))
    }
}
