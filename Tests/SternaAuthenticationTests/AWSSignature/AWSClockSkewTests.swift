import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("AWS signatures: a wrong clock")
struct AWSClockSkewTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let server: Int64 = 784_111_777

    /// Status, date, signed, used, clock, expected.
    static let cases: [(Int, String?, Int64, Int64, Int64, Int64?)] = [
        (403, date, server - 600, 0, server - 600, 600), (400, date, server + 3_600, 0, server + 3_600, -3_600),
        (401, date, server - 241, 0, server - 241, 241), (403, date, server - 240, 0, server - 240, nil),
        (403, date, server, 0, server, nil), (403, nil, server - 600, 0, server - 600, nil),
        (403, "yesterday", server - 600, 0, server - 600, nil), (200, date, server - 600, 0, server - 600, nil),
        (500, date, server - 600, 0, server - 600, nil),
        // Signed with the server's time already, and answered at once.
        (403, date, server, 600, server - 600, nil),
        // The answer took ten minutes.
        (403, date, server - 600, 0, server, nil), (403, date, server - 600, 600, server - 600, nil),
        // The offset that was used is wrong, and the clock is right.
        (403, date, server + 86_400, 86_400, server, 0), (403, date, server - 241, -241, server, 0),
        // Both are wrong.
        (403, date, server + 86_100, 86_400, server - 300, 300),
    ]

    @Test("A refusal with a distant date is a reason to sign again", arguments: cases)
    func decides(status: Int, date: String?, signed: Int64, used: Int64, clock: Int64, expected: Int64?) {
        let offset = AWSClockSkew.offset(status: status, date: date, signed: signed, used: used, clock: clock)
        expectEqual(offset, expected)
    }

    @Test("A wrong offset from a server's Date is replaced at a later refusal")
    func wrongOffset() async throws {
        let wrong = ServerResponse(status: 403, headers: ["Date": "Mon, 07 Nov 1994 08:49:37 GMT"])
        let mock = MockTransport(responses: [wrong, wrong, Self.refusal(), .json([:]), .json([:])])
        var signing = AWSSigning(region: "r", service: "s", credentials: AWSCredentials(accessKey: "A", secretKey: "S"))
        signing.now = { Self.server }
        let api = try mocked(by: mock) { [signing] in $0.auth.awsSigning = signing }.api
        await #expect(throws: SternaError.self) { try await api.get("a") }
        try await api.get("a")
        try await api.get("a")
        expectEqual(
            Self.dates(mock),
            [
                "19941106T084937Z", "19941107T084937Z", "19941107T084937Z", "19941106T084937Z", "19941106T084937Z",
            ])
    }

    private static func refusal(_ code: Int = 403) -> ServerResponse {
        ServerResponse(status: code, headers: ["Date": date])
    }

    private static func session(_ mock: MockTransport) throws -> Session {
        var signing = AWSSigning(region: "r", service: "s", credentials: AWSCredentials(accessKey: "A", secretKey: "S"))
        signing.now = { server - 7_200 }
        return try mocked(by: mock) { $0.auth.awsSigning = signing }.api
    }

    private static func dates(_ mock: MockTransport) -> [String?] { mock.requests.map { $0.headers["x-amz-date"] } }

    @Test("A request is signed once more with the server's time, which the origin keeps")
    func corrected() async throws {
        let mock = MockTransport(responses: [Self.refusal(), .json([:]), .json([:])])
        let api = try Self.session(mock)
        try await api.post("a", parameters: ["b": 1])
        try await api.get("a")
        expectEqual(Self.dates(mock), ["19941106T064937Z", "19941106T084937Z", "19941106T084937Z"])
        #expect(mock.requests[0].headers[.authorization] != mock.requests[1].headers[.authorization])
    }

    @Test("Metrics name the reason of the second attempt")
    func reason() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/skew") { request in
                let isOld = request.headers["X-Amz-Date"]?.hasPrefix("19941106T06") == true
                return .text("", status: isOld ? 403 : 200, headers: ["Date": Self.date])
            }
            var signing = AWSSigning(
                region: "r", service: "s", credentials: AWSCredentials(accessKey: "A", secretKey: "S"))
            signing.now = { Self.server - 7_200 }
            let api = try Session(baseURL: server.url) { [signing] in
                $0.auth.awsSigning = signing
                $0.events.collectsMetrics = true
                $0.responseSerializer = .data
            }
            let reply = try await api.get("skew")
            expectEqual(reply.response.metrics?.attempts.map(\.reason), [.first, .authentication])
        }
    }

    @Test("A server that refuses twice gets no third request")
    func once() async throws {
        let mock = MockTransport { _ in Self.refusal() }
        let api = try Self.session(mock)
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.status, 403)
        expectEqual(mock.requests.count, 2)
    }

    @Test("A body that can be read once is not sent again, but the time is kept")
    func onlyOnce() async throws {
        let mock = MockTransport { request in
            // Read as a transport does.
            if let body = request.body { _ = try await AWSVectorTests.bytes(of: body) }
            return request.method == .put ? Self.refusal() : .json([:])
        }
        var signing = AWSSigning.s3(region: "r", credentials: AWSCredentials(accessKey: "A", secretKey: "S"))
        signing.now = { Self.server - 7_200 }
        let api = try mocked(by: mock) { [signing] in $0.auth.awsSigning = signing }.api
        let body = Body.stream(
            AsyncStream<Bytes> { next in
                next.yield(Bytes(text: "abc"))
                next.finish()
            }, length: 3)
        await #expect(throws: SternaError.self) { try await api.put("a", body: body) }
        try await api.get("a")
        expectEqual(Self.dates(mock), ["19941106T064937Z", "19941106T084937Z"])
    }

    @Test("Other origins keep this machine's time, and the number of origins is bounded")
    func origins() throws {
        let offsets = ClockOffsets()
        let first = try HTTPURL("https://a.example").origin
        offsets.set(600, for: first)
        expectEqual(offsets.offset(for: first), 600)
        #expect(offsets.offset(for: try HTTPURL("https://a.example:444").origin) == 0)
        for port in 1...1_000 { offsets.set(1, for: try HTTPURL("https://b.example:\(port)").origin) }
        expectEqual(offsets.offset(for: first), 0)
    }
}
