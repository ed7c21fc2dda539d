import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Request serializers: credentials")
struct SerializerCredentialTests {
    static let credentials: [(Authorization, String)] = [
        (.basic("user", "s3cret"), "Basic dXNlcjpzM2NyZXQ="), (.bearer("s3cret"), "Bearer s3cret"),
        (.token("s3\"cret"), "Token token=\"s3\\\"cret\""),
    ]

    private static func form(_ authorization: Authorization) -> HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(authorization)
        return serializer
    }

    @Test("A serializer's credentials are sent to the session's origin and to no other", arguments: credentials.indices)
    func origins(index: Int) async throws {
        let (authorization, expected) = Self.credentials[index]
        let (api, mock) = try mocked {
            $0.requestSerializer = Self.form(authorization)
            $0.network.allowsOtherOrigins = true
        }
        try await api.get("a")
        for url in [
            "https://other.test/", "http://api.example.com/", "https://api.example.com:444/", "https://example.com/",
        ] {
            try await api.get(url)
            try await api.post(url, parameters: ["a": 1]) { $0.requestSerializer = Self.form(authorization) }
        }
        try await api.get("https://API.example.com:443/b")
        let sent = mock.requests.map { $0.headers[values: .authorization] }
        expectEqual(sent.first, [expected])
        expectEqual(sent.last, [expected])
        #expect(sent.dropFirst().dropLast().allSatisfy { $0.isEmpty })
        expectEqual(sent.count, 10)
    }

    @Test("A field that the session's secretHeaders name is a secret, too")
    func ownSecret() async throws {
        var serializer = JSONRequestSerializer()
        serializer.headers = ["X-API-Key": "s3cret", "Cookie": "c=s3cret", "X-Other": "kept"]
        let (api, mock) = try mocked {
            $0.requestSerializer = serializer
            $0.network.allowsOtherOrigins = true
            $0.auth.secretHeaders = ["x-api-key"]
        }
        try await api.get("https://other.test/")
        try await api.get("https://other.test/") { $0.requestSerializer = serializer }
        for request in mock.requests {
            let names = request.headers.map(\.name.canonicalName)
            #expect(!names.contains("x-api-key"))
            #expect(!names.contains("cookie"))
            #expect(names.contains("x-other"))
        }
        try await api.get("a")
        expectEqual(mock.requests.last?.headers.map(\.name.canonicalName).contains("x-api-key"), true)
    }

    @Test("A serializer's credentials are not kept on a redirect to another origin")
    func redirect() async throws {
        let mock = MockTransport(responses: [.redirect(to: "https://other.test/b", status: 307), .json([:])])
        let (api, _) = try mocked(by: mock) { $0.requestSerializer = Self.form(.bearer("s3cret")) }
        try await api.get("a")
        expectEqual(mock.requests.map { $0.headers[.authorization] }, ["Bearer s3cret", nil])
    }

    @Test("Without a base URL they go where the request goes, and no further")
    func withoutBase() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b", status: 307), .redirect(to: "https://other.test/", status: 307), .json([:]),
        ])
        let (api, _) = try mocked(nil, by: mock)
        try await api.post("https://api.example.com/a", parameters: ["k": 1]) {
            $0.requestSerializer = Self.form(.bearer("s3cret"))
        }
        expectEqual(mock.requests.map { $0.headers[.authorization] }, ["Bearer s3cret", "Bearer s3cret", nil])
    }

    @Test("Cleared credentials are not sent; those of request and session precede the serializer's")
    func precedence() async throws {
        var cleared = Self.form(.bearer("s3cret"))
        cleared.headers["Authorization"] = nil
        let (none, noneMock) = try mocked { $0.requestSerializer = cleared }
        try await none.get("a")
        expectNil(noneMock.requests.first?.headers[.authorization])
        let (api, mock) = try mocked {
            $0.requestSerializer = Self.form(.bearer("serializer"))
            $0.auth.header = .bearer("session")
        }
        try await api.get("a")
        try await api.get("a") { $0.auth.header = .bearer("request") }
        try await api.get("a", headers: ["authorization": "Own x"])
        expectEqual(
            mock.requests.map { $0.headers[values: .authorization] },
            [
                ["Bearer session"], ["Bearer request"], ["Own x"],
            ])
    }

    static let broken = ["s3cret\r\nX-Evil: 1", "s3cret\n", "s3cret\u{0}", "\rs3cret"]

    @Test("A line break is refused before anything is sent, and not shown", arguments: broken)
    func lineBreak(token: String) async throws {
        for authorization in [Authorization.bearer(token), .token(token)] {
            let made = #expect(throws: SternaError.self) {
                try Session { $0.requestSerializer = Self.form(authorization) }
            }
            let (api, mock) = try mocked()
            let derived = await #expect(throws: SternaError.self) {
                try await api.with { $0.requestSerializer = Self.form(authorization) }.get("a")
            }
            let sent = await #expect(throws: SternaError.self) {
                try await api.get("a") { $0.requestSerializer = Self.form(authorization) }
            }
            for error in [made, derived, sent] {
                expectEqual(error?.kind, .invalidHeader)
                expectEqual(error?.phase, .prepare)
                let shown = error.map { "\($0)" + String(reflecting: $0) + dumped($0) }
                expectEqual(shown?.contains("s3cret"), false)
            }
            #expect(mock.requests.isEmpty)
        }
    }

    @Test("Basic takes any password, since it is sent as base64")
    func basic() async throws {
        let (api, mock) = try mocked { $0.requestSerializer = Self.form(.basic("u", "a\r\nb")) }
        try await api.get("a")
        expectEqual(mock.requests.first?.headers[.authorization], "Basic dTphDQpi")
    }

    @Test("No description, reflection or dump shows them", arguments: credentials.indices)
    func shown(index: Int) throws {
        let form = Self.form(Self.credentials[index].0)
        var json = JSONRequestSerializer()
        json.settings = form.settings
        var requestSettings = RequestSettings()
        requestSettings.requestSerializer = json
        let session = try Session(baseURL: "https://api.example.com/") { $0.requestSerializer = form }
        var draft = RequestDraft.get("a")
        draft.settings = requestSettings
        let values: [Any] = [
            form, json, form.settings, form.headers, form.headers.lines, requestSettings, draft, session,
            session.with { $0.headers = form.headers },
        ]
        for value in values {
            for text in ["\(value)", String(reflecting: value), dumped(value)] {
                for secret in ["s3cret", "s3\\\"cret", "dXNlcjpzM2NyZXQ", "s3\"cret", "s3\\\\\\\"cret"] {
                    #expect(!text.contains(secret), "\(type(of: value))")
                }
            }
        }
    }

    @Test("A request with a serializer's credentials does not show them", arguments: credentials.indices)
    func request(index: Int) throws {
        let form = Self.form(Self.credentials[index].0)
        let request = try form.serialized(Request(.get, try HTTPURL("https://api.example.com/")), with: nil)
        for text in ["\(request)", String(reflecting: request), dumped(request)] {
            for secret in ["s3cret", "dXNlcjpzM2NyZXQ", "s3\\\"cret", "s3\\\\\\\"cret"] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test("No error of a request shows them")
    func errors() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in .text("no", status: 500) }) {
            $0.requestSerializer = Self.form(.bearer("s3cret"))
        }
        let refused = await #expect(throws: SternaError.self) { try await api.get("a") }
        let unencodable = await #expect(throws: SternaError.self) {
            try await api.get("a", parameters: ["d": Date(timeIntervalSince1970: .nan)])
        }
        let elsewhere = await #expect(throws: SternaError.self) { try await api.get("https://other.test/") }
        expectEqual(refused?.status, 500)
        expectEqual(unencodable?.kind, .encodingFailed)
        expectEqual(elsewhere?.kind, .originRefused)
        for error in [refused, unencodable, elsewhere] {
            let error = try #require(error)
            #expect(!("\(error)" + String(reflecting: error) + dumped(error)).contains("s3cret"))
        }
    }
}
