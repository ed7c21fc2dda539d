import SternaPlatform
import SternaTesting

/// A lighttpd of its own for a test, with a folder behind Digest by SHA-256 and a file `noise.bin`; it speaks TLS on its second port.
final class Lighttpd: Sendable {
    static let program = ServerProgram.Name(description: "lighttpd")

    static let text = "tern\n"

    let authority: CertificateAuthority
    let server: ServerProgram

    var url: String { "http://127.0.0.1:\(server.ports[0])" }
    var secureURL: String { "https://localhost:\(server.ports[1])" }

    init() async throws {
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        server = try await ServerProgram(Self.program, ports: 2) { folder, ports, _ in
            try FileManager.default.createDirectory(
                atPath: "\(folder)/www/digest", withIntermediateDirectories: true)
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
            try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
            try ServerProgram.write(DigestUsers.sha256File, to: "\(folder)/digests")
            try ServerProgram.write(Self.text, to: "\(folder)/www/digest/tern.txt")
            try Data(ServerProgram.noise.prefix(10_000)).write(to: URL(filePath: "\(folder)/www/noise.bin"))
            chmod("\(folder)/www/noise.bin", 0o644)
            let configuration = """
                server.modules = ("mod_auth", "mod_authn_file", "mod_openssl")
                server.document-root = "\(folder)/www"
                server.bind = "127.0.0.1"
                server.port = \(ports[0])
                server.errorlog = "\(folder)/error.log"
                $SERVER["socket"] == "127.0.0.1:\(ports[1])" {
                    ssl.engine = "enable"
                    ssl.pemfile = "\(folder)/cert.pem"
                    ssl.privkey = "\(folder)/key.pem"
                }
                auth.backend = "htdigest"
                auth.backend.htdigest.userfile = "\(folder)/digests"
                auth.require = ("/digest" => (
                    "method" => "digest", "realm" => "\(DigestUsers.realm)", "require" => "valid-user",
                    "algorithm" => "SHA-256"))

                """
            try ServerProgram.write(configuration, to: "\(folder)/lighttpd.conf")
            return ["-D", "-f", "\(folder)/lighttpd.conf"]
        }
    }
}
