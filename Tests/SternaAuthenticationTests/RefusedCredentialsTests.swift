import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Credentials that cannot be sent")
struct RefusedCredentialsTests {
    static let names = ["s3cret:b", ":", "a:"]

    @Test("A user name with a colon is refused before anything is sent, wherever it stands", arguments: names)
    func colon(name: String) async throws {
        let authorization = Authorization.basic(name, "s3cret")
        let session = #expect(throws: SternaError.self) { try Session { $0.auth.header = authorization } }
        let (api, mock) = try mocked(nil)
        let url = "https://host.test/"
        let request = await #expect(throws: SternaError.self) {
            try await api.get(url) { $0.auth.header = authorization }
        }
        let derived = await #expect(throws: SternaError.self) {
            try await api.with { $0.auth.header = authorization }.get(url)
        }
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(authorization)
        let given = await #expect(throws: SternaError.self) {
            try await api.get(url) { $0.requestSerializer = serializer }
        }
        let encoded = name.replacing(":", with: "%3A")
        let ofURL = await #expect(throws: SternaError.self) { try await api.get("https://\(encoded):x@host.test/") }
        for error in [session, request, derived, given, ofURL] {
            let error = try #require(error)
            expectEqual(error.kind, .invalidHeader)
            #expect(error.description.contains("colon"))
            #expect(!(error.description + dumped(error)).contains("s3cret"))
        }
        #expect(mock.requests.isEmpty)
    }

    @Test("User information that is not UTF-8 is refused", arguments: ["%FF:a", "a:%C3", "%ED%A0%80"])
    func bytes(userinfo: String) async throws {
        let (api, mock) = try mocked(nil)
        let error = await #expect(throws: SternaError.self) { try await api.get("https://\(userinfo)@host.test/") }
        expectEqual(error?.kind, .invalidURL)
        expectEqual(error?.description.contains(userinfo), false)
        #expect(mock.requests.isEmpty)
        try await api.get("https://\(userinfo)@host.test/") { $0.auth.header = .bearer("own") }
        expectEqual(mock.requests.first?.headers[.authorization], "Bearer own")
    }
}
