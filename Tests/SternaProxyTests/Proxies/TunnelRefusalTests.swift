import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// What an error says of a proxy or a server that refuses.
@Suite("Proxies: messages for a refusal", .timeLimit(.minutes(5)))
struct TunnelRefusalTests {
    struct Row: Sendable {
        let status: Int
        var hasCredentials = false
        let words: String
    }

    static let rows = [
        Row(status: 401, words: "requires a user name and password"),
        Row(status: 407, words: "requires a user name and password"),
        Row(status: 401, hasCredentials: true, words: "does not accept the user name and password"),
        Row(status: 407, hasCredentials: true, words: "does not accept the user name and password"),
        Row(status: 403, words: "does not allow this tunnel"), Row(status: 405, words: "does not allow this tunnel"),
        Row(status: 404, words: "cannot reach the server"), Row(status: 502, words: "cannot reach the server"),
        Row(status: 503, words: "cannot reach the server"), Row(status: 504, words: "cannot reach the server"),
        Row(status: 500, words: "answered with status 500"), Row(status: 302, words: "answered with status 302"),
    ]

    @Test("The message explains the status of a refused tunnel", arguments: rows)
    func status(row: Row) {
        let words = ConnectHandshake.advice(row.status, hasCredentials: row.hasCredentials)
        #expect(words.contains(row.words), "\(words)")
    }

    @Test("A 401 of the proxy receives no credentials of the server, and ends its connection")
    func unauthorized() async throws {
        let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
        try await ProxyScene.with(.http, options: .init(fault: .answersConnect(answer))) { scene in
            let api = try scene.session { $0.auth.credential = Credential(user: "ada", password: "hidden") }
            for count in 1...2 {
                let error = await Wire.failure(.proxyFailed, .proxy) { try await api.get(scene.url("/get")) }
                expectEqual(error?.proxyResponse?.status.code, 401)
                expectEqual(error?.status, 0)
                expectEqual(error?.description.contains("requires a user name and password"), true)
                expectEqual(scene.proxy.totalConnections, count)
            }
            scene.expectNoCredentials()
        }
    }

    @Test(
        "Alerts by which servers refuse a client without a certificate (RFC 8446, 6.2)",
        arguments: ["TLSV1_ALERT_CERTIFICATE_REQUIRED", "TLSV1_ALERT_ACCESS_DENIED", "TLSV1_ALERT_DECODE_ERROR"])
    func alert(reason: String) {
        expectEqual(TLSFault.alert([reason])?.contains("certificate"), true)
    }
}
