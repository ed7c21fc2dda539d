import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// A server that asks for a new handshake on an open connection, which TLS 1.2 allows and this client refuses.
@Suite("Interop: renegotiation", .timeLimit(.minutes(5)))
struct RenegotiationTests {
    @Test(
        "The error says what the server did, not that the connection was closed",
        .enabled("openssl is not there") { OpenSSL.isThere() })
    func refused() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["localhost"])
        try await OpenSSL.withFolder { folder in
            let (key, leaf) = ("\(folder)/leaf.key", "\(folder)/leaf.pem")
            try Data(bundle.privateKeyPEM.utf8).write(to: URL(filePath: key))
            try Data(bundle.certificateChainPEM.utf8).write(to: URL(filePath: leaf))
            let port = try FreePorts.take(1)[0]
            let openssl = try #require(OpenSSL.program)
            // The program takes its orders from standard input: behind a handshake, to negotiate anew.
            let script = """
                mkfifo orders
                \(openssl) s_server -tls1_2 -accept 127.0.0.1:\(port) -cert leaf.pem -key leaf.key < orders \
                | while read -r line; do case "$line" in "CIPHER is"*) sleep 0.3; echo R ;; esac; done > orders
                """
            let (process, output) = try ChildProcess.start(
                ["/bin/sh", "-c", "cd '\(folder)'\n\(script)"], inOwnGroup: true
            ) { pipe in
                ([pipe.read, pipe.write, pipe.write], pipe.read)
            }
            defer {
                kill(-process, SIGKILL)
                _ = ChildProcess.wait(for: process)
                close(output)
            }
            try await OpenSSL.Server.waitUntilAccepting(port)
            let api = try Session(baseURL: "https://localhost:\(port)") {
                $0.network.engine = Engine()
                $0.retry = .none
                $0.trust.policy = .authority(pem: authority.pem)
                $0.timeout = .seconds(20)
            }
            let error = await #expect(throws: SternaError.self) { try await api.post("row", body: .bytes([1])) }
            expectEqual(error?.kind, .tlsFailed)
            expectEqual(error?.phase, .tls)
            expectEqual(error?.detail.contains("renegotiation"), true, "\(error.map { "\($0)" } ?? "")")
        }
    }
}
