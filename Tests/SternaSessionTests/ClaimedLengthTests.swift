import Sterna
import SternaPropertyList
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A length that is claimed costs nothing before the bytes are there.
@Suite("Bad input: false values of Content-Length", .timeLimit(.minutes(5)))
struct ClaimedLengthTests {
    static let claims = [2_147_483_647, 2_147_483_648, 4_294_967_296]

    @Test("A Content-Length above the limit on collected bytes fails at once", arguments: claims)
    func refused(claim: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(claim)\r\n\r\n["
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(head), .close]]) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.retry = .none
            }
            let error = await #expect(throws: SternaError.self) { try await api.get("a").json() }
            expectEqual(error?.kind, .limitExceeded)
        }
    }

    @Test("With a raised limit the body is truncated, or exceeds the largest buffer", arguments: claims)
    func brokenOff(claim: Int) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(claim)\r\n\r\n[1"
        let script: [ScriptedServer.Step] = [.receiveHead, .send(head), .close]
        try await ScriptedServer.withServer(connections: [script, script, script]) { server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.retry = .none
                $0.limits.collectedBytes = .max
            }
            for serializer: any ResponseSerializer in [.json, .text, .propertyList] as [any ResponseSerializer] {
                let error = await #expect(throws: SternaError.self) {
                    try await api.get("a") { $0.responseSerializer = serializer }
                }
                expectEqual(error?.kind, (claim <= Int32.max ? .truncated : .limitExceeded))
            }
        }
    }
}
