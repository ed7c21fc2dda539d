import HTTPTypes
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Rules for digests")
struct DigestRuleTests {
    static let both: [ExpectedDigest.Source] = [.contentField, .representationField]

    static let rows: [(HTTPRequest.Method, Int, Bool, [ExpectedDigest.Source])] = [
        (.get, 200, false, both), (.get, 203, false, both), (.get, 404, false, both), (.get, 302, false, both),
        (.get, 206, false, [.contentField]), (.get, 206, true, [.contentField]),
        (.get, 204, false, []), (.get, 205, false, []), (.get, 304, false, []), (.get, 101, false, []),
        (.head, 200, false, []), (.head, 404, true, []), (.options, 200, false, both), (.post, 201, false, both),
        (.put, 200, false, [.contentField]), (.put, 200, true, both), (.put, 400, false, both),
        (.patch, 200, false, [.contentField]), (.patch, 200, true, both), (.patch, 404, false, both),
        (.delete, 200, false, [.contentField]), (.delete, 206, true, [.contentField]),
    ]

    @Test("The fields that cover a response's content", arguments: rows)
    func sources(method: HTTPRequest.Method, status: Int, isLocated: Bool, expected: [ExpectedDigest.Source]) {
        expectEqual(DigestRule.sources(method, status: status, hasContentLocation: isLocated), expected)
    }

    @Test("Preferences and values are dictionaries of RFC 9651 with the chosen algorithms")
    func texts() async throws {
        expectEqual(DigestOptions.send.algorithms, [.sha256])
        expectEqual(DigestOptions.sha512.algorithms, [.sha512])
        expectEqual(DigestOptions([.sha512, .sha256]).algorithms, [.sha256, .sha512])
        expectEqual(DigestRule.preferences([.sha256]), "sha-256=10")
        expectEqual(DigestRule.preferences([.sha256, .sha512]), "sha-256=10, sha-512=10")
        let text = try await DigestField.text(of: .text("{\"hello\": \"world\"}\n"), by: [.sha256, .sha512])
        expectEqual(text, "sha-256=:\(Samples.sha256):, sha-512=:\(Samples.sha512):")
        expectEqual(DigestField.digests([text], .contentField).map(\.algorithm), [.sha256, .sha512])
        let empty = try await DigestField.text(of: nil)
        expectEqual(empty, "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
    }

    @Test("Requiring digests verifies them; options are shown by their names")
    func options() throws {
        #expect(DigestOptions.require.contains(.verify))
        #expect(!DigestOptions.verify.contains(.require))
        expectEqual("\(DigestOptions())", "[]")
        expectEqual("\(DigestOptions([.verify, .send]))", "[.verify, .send]")
        expectEqual("\(DigestOptions([.require, .want, .sha256, .sha512]))", "[.require, .want, .sha256, .sha512]")
        let (api, _) = try mocked { $0.digests = [.require, .want] }
        #expect(dumped(api).contains("digests: [.require, .want]"))
    }

    @Test("A request has the session's options until it sets its own")
    func inheritance() async throws {
        let (api, mock) = try mocked { $0.digests = [.want] }
        try await api.get("a")
        try await api.get("a") { $0.digests.insert(.sha512) }
        try await api.get("a") { $0.digests = [] }
        try await api.with { $0.digests = [] }.get("a")
        try await mocked(by: mock).api.get("a") { $0.digests = [.want, .sha256, .sha512] }
        let wanted = mock.requests.map { $0.headers["Want-Repr-Digest"] }
        expectEqual(wanted, ["sha-256=10", "sha-512=10", nil, nil, "sha-256=10, sha-512=10"])
        expectEqual(mock.requests.map { $0.headers["Want-Content-Digest"] }, wanted)
    }

    @Test("A request's own preferences stay")
    func preferences() async throws {
        let (api, mock) = try mocked { $0.digests = .want }
        try await api.get("a", headers: ["Want-Repr-Digest": "sha-512=3, unixsum=0"])
        expectEqual(mock.requests.first?.headers["Want-Repr-Digest"], "sha-512=3, unixsum=0")
        expectEqual(mock.requests.first?.headers["Want-Content-Digest"], "sha-256=10")
    }

    @Test("Without options, and with bodies of responses alone verified, nothing is added to requests")
    func off() async throws {
        let (api, mock) = try mocked()
        try await api.post("a", body: .text("x"))
        try await api.post("a", body: .text("x")) { $0.digests = .verify }
        for request in mock.requests {
            let names = request.headers.map(\.name.canonicalName)
            expectEqual(names.filter { $0.contains("digest") || $0 == "trailer" }, [])
        }
        expectEqual(mock.requests.count, 2)
    }
}
