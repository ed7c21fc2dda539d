import HTTPTypes
import Sterna
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The body of a 401 that waits for an answer.
@Suite("Authentication: the body of a refusal", .timeLimit(.minutes(5)))
struct RefusedBodyTests {
    private static func refusal(_ body: ChunkedBody) -> ServerResponse {
        var answer = GuardedMock.refusal(["Basic realm=x"])
        answer.body = .content(ResponseBody(body))
        return answer
    }

    @Test("The body is read before a handler is called, and delivered without a credential", arguments: [false, true])
    func handler(answers: Bool) async throws {
        let body = ChunkedBody(Array("refused".utf8), size: 2)
        let mock = MockTransport { request in
            request.headers.contains(.authorization) ? .json([:]) : Self.refusal(body)
        }
        let (api, _) = try mocked("https://a.test/", by: mock) {
            $0.auth.challengeHandler = { _ in
                expectEqual(body.left, 0)
                return answers ? .use(AuthenticationSessionTests.ada) : .useDefault
            }
        }
        guard !answers else {
            try await expectEqual(api.get("a").status, 200)
            return
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.status, 401)
        expectEqual(error?.body?.text, "refused")
    }

    @Test("The body has been read when a token is refreshed") func refresh() async throws {
        let body = ChunkedBody(Array("refused".utf8), size: 2)
        let mock = MockTransport { request in
            request.headers[.authorization] == "Bearer new" ? .json([:]) : Self.refusal(body)
        }
        let tokens = try TokenAuthentication(AccessToken("old"), for: ["https://a.test"]) { _ in
            expectEqual(body.left, 0)
            return AccessToken("new")
        }
        let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.tokens = tokens }
        try await expectEqual(api.get("a").status, 200)
    }

    @Test("A long one is given up when a token is refreshed, even if that fails", arguments: [false, true])
    func longRefresh(fails: Bool) async throws {
        let body = ChunkedBody(noise(3 << 20), size: 100_000)
        let mock = MockTransport { request in
            request.headers[.authorization] == "Bearer new" ? .json([:]) : Self.refusal(body)
        }
        let tokens = try TokenAuthentication(AccessToken("old"), for: ["https://a.test"]) { _ in
            #expect(body.isCancelled)
            if fails { throw SternaError(.hostNotFound, phase: .resolve, "The login server is gone.") }
            return AccessToken("new")
        }
        let (api, _) = try mocked("https://a.test/", by: mock) { $0.auth.tokens = tokens }
        guard fails else {
            try await expectEqual(api.get("a").status, 200)
            return
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .hostNotFound)
    }

    @Test("A long body is delivered whole if a handler gives no credential", arguments: [false, true])
    func longHandler(answers: Bool) async throws {
        let bytes = noise(3 << 20)
        let body = ChunkedBody(bytes, size: 100_000)
        let mock = MockTransport { request in
            request.headers.contains(.authorization) ? .json([:]) : Self.refusal(body)
        }
        let (api, _) = try mocked("https://a.test/", by: mock) {
            $0.auth.challengeHandler = { _ in
                #expect(!body.isCancelled)
                return answers ? .use(AuthenticationSessionTests.ada) : .useDefault
            }
        }
        let read = try await api.withResponse(to: .get("a")) { try await $0.body.collect(upTo: 4 << 20).array }
        #expect(body.isCancelled || !answers)
        #expect(answers || read == bytes)
    }

    @Test("A long body is not held in memory as a whole, and no byte of it is lost")
    func long() async throws {
        let bytes = noise(3 << 20)
        let source = ChunkedBody(bytes, size: 100_000)
        let body = await ResponseBody(source).collected()
        expectNil(body.whole)
        #expect(source.left > 1 << 20)
        let all = try await body.collect(upTo: 4 << 20)
        expectEqual(all.array, bytes)
    }

    @Test("A body that breaks off throws when it is read") func broken() async throws {
        let body = await ResponseBody(BrokenBody()).collected()
        await #expect(throws: (any Error).self) { try await body.collect(upTo: 1 << 20) }
    }
}
