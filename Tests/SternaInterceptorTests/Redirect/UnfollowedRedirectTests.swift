import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// With a policy that follows no redirects, the redirect is the answer of every verb that collects.
@Suite("Redirects that are not followed")
struct UnfollowedRedirectTests {
    private func session(
        _ status: Int, body: String = "", _ configure: (inout SessionSettings) -> Void = { $0.redirects = .doNotFollow }
    ) throws -> (api: Session, mock: MockTransport) {
        try mocked(
            by: MockTransport { _ in
                .init(
                    status: status, headers: ["Location": "/b", "Content-Type": "text/html"],
                    body: ResponseBody(Bytes(text: body)))
            }, configure)
    }

    @Test("Each redirect is the reply, whatever the method and the serializer", arguments: [301, 302, 303, 307, 308])
    func reply(status: Int) async throws {
        let (api, mock) = try session(status, body: "<a href=/b>")
        for reply in [
            try await api.get("a"), try await api.head("a"), try await api.post("a", parameters: ["b": 1]),
            try await api.put("a", body: .text("b")), try await api.send(.delete("a")),
            try await api.get("a") { $0.responseSerializer = DataResponseSerializer() },
        ] {
            expectEqual(reply.status, status)
            expectEqual(reply.headers[.location], "/b")
            expectEqual(reply.body.text, "<a href=/b>")
            #expect(reply.response.redirects.isEmpty)
        }
        expectEqual(mock.requests.count, 6)
    }

    @Test("A request's policy replaces the session's")
    func ownPolicy() async throws {
        let (api, _) = try session(302) { _ in }
        try await expectEqual(api.get("a") { $0.redirects = .doNotFollow }.status, 302)
        let (other, mock) = try mocked(by: MockTransport(responses: [.redirect(to: "/b"), .json([:])])) {
            $0.redirects = .doNotFollow
        }
        try await expectEqual(other.get("a") { $0.redirects = .follow }.status, 200)
        expectEqual(mock.requests.count, 2)
    }

    @Test("Other statuses are errors as ever", arguments: [300, 304, 305, 306, 400, 404, 500])
    func others(status: Int) async throws {
        let (api, _) = try session(status)
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .unacceptableStatus)
    }

    @Test("A redirect without a target is an error where redirects are followed, and the reply where they are not")
    func noTarget() async throws {
        let mock = MockTransport { _ in .init(status: 302) }
        let error = await #expect(throws: SternaError.self) { try await mocked(by: mock).api.get("a") }
        expectEqual(error?.kind, .unacceptableStatus)
        try await expectEqual(mocked(by: mock) { $0.redirects = .doNotFollow }.api.get("a").status, 302)
    }

    @Test("Values are still judged by their media type, and checks of the caller's own hold")
    func furtherChecks() async throws {
        let (api, _) = try session(302, body: "<a>")
        let reply = try await api.get("a")
        try await expectEqual(reply.text(), "<a>")
        let media = await #expect(throws: SternaError.self) { try await reply.json() }
        expectEqual(media?.kind, .unacceptableMediaType)
        struct Refusal: Error {}
        let own = await #expect(throws: SternaError.self) {
            try await api.get("a") {
                $0.responseSerializer = DataResponseSerializer().validating { _, _ in throw Refusal() }
            }
        }
        expectEqual(own?.kind, .unacceptableResponse)
    }
}
