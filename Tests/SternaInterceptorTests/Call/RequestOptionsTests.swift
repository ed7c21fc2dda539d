import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

private enum TenantKey: RequestOptionKey {
    static let defaultValue = "public"
    static var name: String? { "tenant" }
}

private enum SecretKey: RequestOptionKey {
    static let defaultValue: String? = nil
}

private enum MaskedKey: RequestOptionKey {
    static let defaultValue = ""
    static var name: String? { "masked" }
    static func shown(_ value: String) -> Any { value.isEmpty ? "" : "***" }
}

/// Options that interceptors own, from settings to the request.
@Suite("Request options")
struct RequestOptionsTests {
    @Test("The request's own, else the session's, else the key's default")
    func precedence() async throws {
        let (api, mock) = try mocked { $0.options[TenantKey.self] = "session" }
        try await api.get("a")
        try await api.get("a") { $0.options[TenantKey.self] = "own" }
        try await api.get("a") { $0.options[SecretKey.self] = "x" }
        let plain = api.with { $0.options[ifSet: TenantKey.self] = nil }
        try await plain.get("a")
        expectEqual(mock.requests.map { $0.options[TenantKey.self] }, ["session", "own", "session", "public"])
        expectEqual(mock.requests.map { $0.options[SecretKey.self] }, [nil, nil, "x", nil])
    }

    @Test("An optional value that is set to nil replaces the session's")
    func none() async throws {
        let (api, mock) = try mocked { $0.options[SecretKey.self] = "session" }
        try await api.get("a") { $0.options[SecretKey.self] = nil }
        expectEqual(mock.requests.map { $0.options[SecretKey.self] }, [nil])
    }

    @Test("Options are kept on a redirect")
    func redirect() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/b"), .json([:])])
        let (api, _) = try mocked(by: mock)
        try await api.get("a") { $0.options[TenantKey.self] = "own" }
        expectEqual(mock.requests.map { $0.options[TenantKey.self] }, ["own", "own"])
    }

    @Test("Only options with names are printed, in the form that their keys define")
    func shown() {
        var settings = RequestSettings()
        settings.options[TenantKey.self] = "blue"
        settings.options[SecretKey.self] = "hidden"
        settings.options[MaskedKey.self] = "hidden"
        let text = dumped(settings)
        #expect(text.contains("tenant: \"blue\""))
        #expect(text.contains("masked: \"***\""))
        #expect(!text.contains("hidden"))
    }

    @Test("Merging keeps what the others do not set")
    func merging() {
        var one = RequestOptions()
        #expect(one.isEmpty)
        one[TenantKey.self] = "one"
        one[SecretKey.self] = "kept"
        var other = RequestOptions()
        other[TenantKey.self] = "other"
        one.merge(other)
        expectEqual(one[TenantKey.self], "other")
        expectEqual(one[SecretKey.self], "kept")
    }
}
