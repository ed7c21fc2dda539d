import Dispatch
import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Responses of any status", .timeLimit(.minutes(5)))
struct AnyStatusTests {
    private static func refusing(_ status: Int) -> MockTransport {
        MockTransport { _ in .json(["message": "No such user."], status: status) }
    }

    @Test("A request that accepts any status reads the body as usual", arguments: [100, 204, 304, 404, 500, 999])
    func request(status: Int) async throws {
        let (api, mock) = try mocked(by: Self.refusing(status)) { $0.retry = .none }
        let reply = try await api.delete("users/1") { $0.acceptsAnyStatus = true }
        expectEqual(reply.status, status)
        try await expectEqual(reply.json()["message"].string, "No such user.")
        if status == 204 {
            try await expectEqual(api.delete("users/1").status, 204)
        } else {
            let error = await #expect(throws: SternaError.self) { try await api.delete("users/1") }
            expectEqual(error?.kind, .unacceptableStatus)
        }
        expectEqual(mock.requests.count, 2)
    }

    @Test("A session's setting applies to all its requests, except those that replace it")
    func session() async throws {
        let (api, _) = try mocked(by: Self.refusing(404)) { $0.acceptsAnyStatus = true }
        try await expectEqual(api.get("a").status, 404)
        try await expectEqual(api.upload(.text("x"), to: "a").status, 404)
        try await expectEqual(api.dataTask(.get("a")).value.status, 404)
        try await expectEqual(api.send(api.request(for: .get("a"))).status, 404)
        let error = await #expect(throws: SternaError.self) {
            try await api.get("a") { $0.acceptsAnyStatus = false }
        }
        expectEqual(error?.kind, .unacceptableStatus)
        let strict = api.with { $0.acceptsAnyStatus = false }
        await #expect(throws: SternaError.self) { try await strict.get("a") }
    }

    @Test("It overrides a serializer's statuses, but not its media types and its closure")
    func serializer() async throws {
        struct Refused: Error {}
        let page = MockTransport { _ in .text("<p>", mediaType: "text/html", status: 404) }
        let (api, _) = try mocked(by: page) {
            $0.acceptsAnyStatus = true
            $0.responseSerializer = JSONResponseSerializer().validating(statuses: 200..<201)
        }
        let reply = try await api.get("a")
        let type = await #expect(throws: SternaError.self) { try await reply.json() }
        expectEqual(type?.kind, .unacceptableMediaType)
        let refused = await #expect(throws: SternaError.self) {
            try await api.get("a") {
                $0.responseSerializer = DataResponseSerializer().validating { _, _ in throw Refused() }
            }
        }
        expectEqual(refused?.kind, .unacceptableResponse)
    }

    @Test("It does not affect redirects and retries")
    func policies() async throws {
        let mock = MockTransport(responses: [
            .redirect(to: "/b"), .init(status: 503, headers: ["Retry-After": "0"]), .text("none", status: 404),
        ])
        let reply = try await mocked(by: mock).api.get("a") { $0.acceptsAnyStatus = true }
        expectEqual(reply.status, 404)
        expectEqual(mock.requests.map(\.url.path), ["/v1/a", "/b", "/b"])
    }

    @Test("success receives the value of a response with any status")
    func callback() async throws {
        let (api, _) = try mocked(by: Self.refusing(422)) { $0.callbacks = .queue(DispatchQueue(label: "test")) }
        let log = CallbackLog<JSON>()
        api.post("users", json: ["name": ""], success: log.onSuccess, failure: log.onFailure) {
            $0.acceptsAnyStatus = true
        }
        await log.wait()
        expectEqual(log.values, [["message": "No such user."]])
    }

    @Test("A stream task reads a response of any status; a download fails without a file")
    func tasks() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/gone") { _ in .text("one\ntwo", status: 410) }
            let api = try Downloading.session(server).with { $0.acceptsAnyStatus = true }
            var lines: [String] = []
            for try await line in api.streamTask(.get("gone")).lines { lines.append(line) }
            expectEqual(lines, ["one", "two"])
            try await Downloading.withFolder { folder in
                let error = await #expect(throws: SternaError.self) {
                    try await api.download("gone", to: .file("\(folder)/x")).value
                }
                expectEqual(error?.kind, .unacceptableStatus)
                expectEqual(error?.status, 410)
                try expectEqual(Downloading.names(in: folder), [])
            }
        }
    }
}
