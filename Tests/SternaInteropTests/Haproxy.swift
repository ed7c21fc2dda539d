import SternaPlatform
import SternaTesting

/// An haproxy in front of a server: HTTP in the clear and over TLS.
final class Haproxy: Sendable {
    static let program = ServerProgram.Name(description: "haproxy")

    let authority: CertificateAuthority
    private let server: ServerProgram

    var url: String { "http://127.0.0.1:\(server.ports[0])" }
    var secureURL: String { "https://localhost:\(server.ports[1])" }

    /// Starts one before a port of 127.0.0.1.
    init(before port: Int) async throws {
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        server = try await ServerProgram(Self.program, ports: 2) { folder, ports, _ in
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM + bundle.privateKeyPEM, to: "\(folder)/both.pem")
            let configuration = """
                global
                    maxconn 256
                defaults
                    mode http
                    timeout connect 10s
                    timeout client 60s
                    timeout server 60s
                    timeout http-keep-alive 60s
                frontend tern
                    bind 127.0.0.1:\(ports[0])
                    bind 127.0.0.1:\(ports[1]) ssl crt \(folder)/both.pem alpn http/1.1
                    http-request deny deny_status 413 if { path /refused }
                    http-response set-header X-Front haproxy
                    default_backend origin
                backend origin
                    server one 127.0.0.1:\(port)

                """
            try ServerProgram.write(configuration, to: "\(folder)/haproxy.cfg")
            return ["-db", "-f", "\(folder)/haproxy.cfg"]
        }
    }
}
