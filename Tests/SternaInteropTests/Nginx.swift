import Sterna
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport

/// An nginx of its own for a test: a folder with a configuration and files, on free ports of the loopback.
final class Nginx: Sendable {
    /// Where the program is, or nil where it is not installed.
    static let program: String? = [
        "/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx",
    ]
    .first { access($0, X_OK) == 0 }

    let folder: String
    let port: Int
    let securePort: Int
    /// Where only clients with a certificate are let in.
    let guardedPort: Int
    let authorityFile: String
    let authority: CertificateAuthority
    private let process: pid_t

    var url: String { "http://127.0.0.1:\(port)" }
    var secureURL: String { "https://localhost:\(securePort)" }

    init() async throws {
        let program = try #require(Self.program)
        folder = FileManager.default.temporaryDirectory.appending(path: "sterna-nginx-\(UUID().uuidString)").path
        let ports = try FreePorts.take(3)
        (port, securePort, guardedPort) = (ports[0], ports[1], ports[2])
        let manager = FileManager.default
        for name in ["www", "www/dav", "tmp"] {
            try manager.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        authority = try CertificateAuthority(commonName: "Sterna interop CA")
        let bundle = try authority.issue(CertificateOptions(hosts: ["localhost", "127.0.0.1"]))
        authorityFile = "\(folder)/ca.pem"
        try Data(authority.pem.utf8).write(to: URL(filePath: authorityFile))
        try Data(bundle.certificateChainPEM.utf8).write(to: URL(filePath: "\(folder)/cert.pem"))
        try Data(bundle.privateKeyPEM.utf8).write(to: URL(filePath: "\(folder)/key.pem"))
        try Data(Self.configuration(folder, port, securePort, guardedPort).utf8).write(
            to: URL(filePath: "\(folder)/nginx.conf"))
        try Self.writeFiles(in: "\(folder)/www")
        process = try Self.spawn([program, "-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log"])
        try await waitUntilReady()
    }

    deinit {
        // A thread of a pool has its signals blocked, and so has what it starts: only this one arrives for sure.
        kill(process, SIGKILL)
        var status: CInt = 0
        waitpid(process, &status, 0)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func writeFiles(in folder: String) throws {
        let text = String(repeating: "the Arctic tern flies further than any other animal\n", count: 400)
        try Data(text.utf8).write(to: URL(filePath: "\(folder)/tern.txt"))
        try Data("{\"bird\": \"tern\", \"eggs\": [1, 2]}".utf8).write(to: URL(filePath: "\(folder)/tern.json"))
        try Data(noise(8_000_000)).write(to: URL(filePath: "\(folder)/big.bin"))
        try Data().write(to: URL(filePath: "\(folder)/empty.txt"))
    }

    private static func configuration(_ folder: String, _ port: Int, _ securePort: Int, _ guardedPort: Int)
        -> String
    {
        """
        daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
        events { worker_connections 256; }
        http {
          access_log off; default_type application/octet-stream;
          types { text/plain txt; application/json json; }
          client_max_body_size 64m; client_body_temp_path \(folder)/tmp; proxy_temp_path \(folder)/tmp;
          fastcgi_temp_path \(folder)/tmp; uwsgi_temp_path \(folder)/tmp; scgi_temp_path \(folder)/tmp;
          gzip on; gzip_types text/plain application/json; gzip_min_length 1; gzip_vary on;
          server {
            listen 127.0.0.1:\(port);
            listen 127.0.0.1:\(securePort) ssl;
            ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
            root \(folder)/www;
            location /dav/ { dav_methods PUT DELETE MKCOL COPY MOVE; create_full_put_path on; }
            location = /moved { return 301 /tern.json; }
            location = /see { return 303 /tern.json; }
            location = /kept { return 308 /dav/kept.txt; }
            location = /loop { return 302 /loop; }
            location = /plain { return 302 http://127.0.0.1:\(port)/tern.json; }
            location = /teapot { default_type application/json; return 418 '{"message": "short and stout"}'; }
            location = /close { keepalive_timeout 0; return 200 "bye"; }
            location /private/ { auth_basic "terns"; auth_basic_user_file \(folder)/nobody; }
          }
          server {
            listen 127.0.0.1:\(guardedPort) ssl;
            ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
            ssl_client_certificate \(folder)/ca.pem; ssl_verify_client on;
            location = /who { default_type text/plain; return 200 $ssl_client_s_dn; }
          }
        }
        """
    }

    private static func spawn(_ words: [String]) throws -> pid_t {
        var process: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        let result = posix_spawn(&process, words[0], nil, nil, arguments, environ)
        try #require(result == 0)
        return process
    }

    private func waitUntilReady() async throws {
        let session = try Session {
            $0.network.engine = Engine()
            $0.retry = .none
        }
        for _ in 0..<200 {
            if (try? await session.get("\(url)/empty.txt") { $0.responseSerializer = .data }) != nil { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        Issue.record(
            "nginx did not start: \((try? String(contentsOfFile: "\(folder)/error.log", encoding: .utf8)) ?? "")")
    }
}
