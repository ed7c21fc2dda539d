import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Digest against servers that others wrote, plain and through tunnels of squid, which demands Digest itself.
@Suite("Interop: Digest", .serialized, .timeLimit(.minutes(5)))
struct DigestInteropTests {
    private static func session(
        password: String = DigestUsers.password, authority: CertificateAuthority? = nil,
        through squid: ServerProgram? = nil
    ) throws -> Session {
        let proxy = try squid.map { try ProxyServers.proxy(.http, $0) }
        return try Session {
            $0.network.engine = Engine()
            $0.timeout = .seconds(30)
            $0.responseSerializer = .data
            $0.network.proxies = proxy.map { .proxy($0) } ?? .none
            $0.auth.credential = Credential(user: DigestUsers.username, password: password)
            if let authority { $0.trust.policy = .authority(pem: authority.pem) }
        }
    }

    /// Reads a protected file again and again, and is refused with a wrong password.
    private static func reads(
        _ url: String, _ text: String?, authority: CertificateAuthority? = nil, through squid: ServerProgram? = nil
    ) async throws {
        let api = try session(authority: authority, through: squid)
        for _ in 0..<3 {
            let reply = try await api.get(url)
            expectEqual(reply.status, 200)
            if let text { try await expectEqual(reply.text(), text) }
        }
        let stranger = try session(password: "wrong", authority: authority, through: squid)
        let error = await #expect(throws: SternaError.self) { try await stranger.get(url) }
        expectEqual(error?.status, 401)
    }

    private static let user = "\(DigestUsers.username):\(DigestUsers.password)"

    @Test(
        "Apache: MD5, and its proof that it knows the password",
        .enabled(if: Apache.program.mayRun, "apache2 is not installed"), arguments: [false, true])
    func apache(secure: Bool) async throws {
        let apache = try await Apache()
        let url = "\(secure ? apache.secureURL : apache.url)/digest/tern.txt"
        try await Self.reads(url, Apache.text, authority: apache.authority)
        let curl = try await Curl.status(url, ["--digest", "--insecure"], user: Self.user)
        #expect(curl == 200 || curl == nil)
    }

    @Test(
        "lighttpd: SHA-256", .enabled(if: Lighttpd.program.mayRun, "lighttpd is not installed"),
        arguments: [false, true])
    func lighttpd(secure: Bool) async throws {
        let lighttpd = try await Lighttpd()
        let url = "\(secure ? lighttpd.secureURL : lighttpd.url)/digest/tern.txt"
        try await Self.reads(url, Lighttpd.text, authority: lighttpd.authority)
        let curl = try await Curl.status(url, ["--digest", "--insecure"], user: Self.user)
        #expect(curl == 200 || curl == nil)
    }

    @Test(
        "Through tunnels of a proxy that demands Digest, too",
        .enabled(
            if: Apache.program.mayRun && Lighttpd.program.mayRun && ProxyServers.squid.mayRun,
            "apache2, lighttpd or squid is not installed"))
    func tunnels() async throws {
        let squid = try await ProxyServers.startSquid(digest: true)
        let (apache, lighttpd) = (try await Apache(), try await Lighttpd())
        let servers = [
            ("\(apache.secureURL)/digest/tern.txt", Apache.text, apache.authority),
            ("\(lighttpd.secureURL)/digest/tern.txt", Lighttpd.text, lighttpd.authority),
        ]
        for (url, text, authority) in servers {
            try await Self.reads(url, text, authority: authority, through: squid)
            let curl = try await Curl.status(
                url,
                [
                    "--digest", "--insecure", "--proxy-digest", "--proxytunnel", "--proxy",
                    "http://127.0.0.1:\(squid.ports[0])",
                ],
                user: Self.user, proxyUser: Self.user)
            #expect(curl == 200 || curl == nil)
        }
        // Forwarded: Digest for the proxy and for the server in one request.
        try await Self.reads("\(apache.url)/digest/tern.txt", Apache.text, through: squid)
        try await Self.reads("\(lighttpd.url)/digest/tern.txt", Lighttpd.text, through: squid)
    }

    private static let algorithms = ["MD5", "SHA-256", "SHA-512"]

    private static func path(_ quality: String, _ algorithm: String) -> String {
        "/digest-auth/\(quality)/\(DigestUsers.username)/\(DigestUsers.password)/\(algorithm)"
    }

    @Test(
        "httpbin: MD5, SHA-256 and SHA-512, auth and auth-int; curl where it speaks the algorithm",
        .enabled(if: Httpbin.isThere, "httpbin is not there: .ci/interop-servers installs it"))
    func httpbin() async throws {
        let httpbin = try Httpbin()
        try await httpbin.waitUntilReady()
        for quality in ["auth", "auth-int"] {
            for algorithm in Self.algorithms {
                let url = httpbin.url + Self.path(quality, algorithm)
                try await Self.reads(url, nil)
                guard algorithm != "SHA-512" else { continue }
                let curl = try await Curl.status(url, ["--digest"], user: Self.user)
                #expect(curl == 200 || curl == nil, "\(algorithm) \(quality)")
            }
        }
        await httpbin.stop()
    }

    @Test(
        "httpbin with TLS, through tunnels of a proxy that demands Digest, too",
        .enabled(
            if: Httpbin.isThere && ProxyServers.squid.mayRun,
            "squid is not installed, or httpbin is not there: .ci/interop-servers installs it"))
    func httpbinTunnels() async throws {
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        let bundle = try authority.issue(hosts: ["localhost"])
        let squid = try await ProxyServers.startSquid(digest: true)
        let certificate = "\(squid.folder)/httpbin-cert.pem"
        let key = "\(squid.folder)/httpbin-key.pem"
        try ServerProgram.write(bundle.certificateChainPEM, to: certificate)
        try ServerProgram.write(bundle.privateKeyPEM, to: key)
        let httpbin = try Httpbin(tls: [certificate, key])
        for quality in ["auth", "auth-int"] {
            for algorithm in Self.algorithms {
                try await Self.reads(
                    httpbin.url + Self.path(quality, algorithm), nil, authority: authority, through: squid)
            }
        }
        await httpbin.stop()
    }
}
