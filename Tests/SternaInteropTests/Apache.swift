import SternaPlatform
import SternaTesting

/// An Apache of its own for a test, with files, a folder of DAV, and a program behind CGI.
final class Apache: Sendable {
    static let program = ServerProgram.Name(description: "apache2")

    let authority: CertificateAuthority
    let server: ServerProgram

    var url: String { "http://127.0.0.1:\(server.ports[0])" }
    var secureURL: String { "https://localhost:\(server.ports[1])" }
    var documents: String { "\(server.folder)/www" }

    init() async throws {
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        server = try await ServerProgram(Self.program, ports: 2) { folder, ports, _ in
            for name in ["www", "www/dav", "www/digest", "cgi", "run"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
                chmod("\(folder)/\(name)", 0o777)
            }
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
            try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
            try ServerProgram.write(ProxyServers.basicFile, to: "\(folder)/users")
            try ServerProgram.write(DigestUsers.md5File, to: "\(folder)/digests")
            try ServerProgram.write(Self.text, to: "\(folder)/www/digest/tern.txt")
            try ChildProcess.write(script: Self.echo(folder), to: "\(folder)/cgi/echo")
            try ServerProgram.write(Self.text, to: "\(folder)/www/tern.txt")
            try Data(ServerProgram.noise).write(to: URL(filePath: "\(folder)/www/big.bin"))
            chmod("\(folder)/www/big.bin", 0o644)
            try ServerProgram.write(Self.configuration(folder, ports), to: "\(folder)/httpd.conf")
            return ["-DFOREGROUND", "-f", "\(folder)/httpd.conf"]
        }
    }

    /// Too much, compressed as well, for the server to know its length before it begins.
    static let text = ServerProgram.noise.prefix(100_000).map { "tern \($0)\n" }.joined()

    /// Answers with the request's body. Apache reads no answer before the program has read it to its end.
    private static func echo(_ folder: String) -> String {
        """
        #!/bin/sh
        file=$(mktemp -p \(folder)/run)
        cat >"$file"
        printf 'Content-Type: application/octet-stream\\r\\n\\r\\n'
        cat "$file"
        rm "$file"

        """
    }

    private static let modules = [
        "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "mime",
        "alias", "dav",
        "dav_fs", "filter", "deflate", "cgid", "ssl",
    ]

    /// User and Group count where it is started by root only.
    private static func configuration(_ folder: String, _ ports: [Int]) -> String {
        let folders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
        let place = folders.first(where: FileManager.default.fileExists) ?? folders[0]
        let loaded = modules.map { "LoadModule \($0)_module \(place)/mod_\($0).so" }.joined(separator: "\n")
        return """
            \(loaded)
            ServerRoot \(folder)
            ServerName localhost
            PidFile \(folder)/run/pid
            DefaultRuntimeDir \(folder)/run
            Mutex file:\(folder)/run default
            ErrorLog \(folder)/error.log
            LogLevel error
            User www-data
            Group www-data
            StartServers 1
            ServerLimit 2
            ThreadsPerChild 25
            MaxRequestWorkers 50
            MinSpareThreads 5
            MaxSpareThreads 50
            Listen 127.0.0.1:\(ports[0])
            Listen 127.0.0.1:\(ports[1])
            KeepAlive On
            KeepAliveTimeout 30
            MaxKeepAliveRequests 0
            TypesConfig /dev/null
            AddType text/plain .txt
            AddOutputFilterByType DEFLATE text/plain
            ScriptSock \(folder)/run/cgi
            DavLockDB \(folder)/run/dav
            DocumentRoot \(folder)/www
            ScriptAlias /cgi/ \(folder)/cgi/
            ScriptAlias /small/ \(folder)/cgi/
            <VirtualHost 127.0.0.1:\(ports[1])>
                SSLEngine on
                SSLCertificateFile \(folder)/cert.pem
                SSLCertificateKeyFile \(folder)/key.pem
            </VirtualHost>
            <Location /dav>
                Dav On
            </Location>
            <Location /private>
                AuthType Basic
                AuthName terns
                AuthUserFile \(folder)/users
                Require valid-user
            </Location>
            <Location /digest>
                AuthType Digest
                AuthName \(DigestUsers.realm)
                AuthDigestDomain /digest
                AuthUserFile \(folder)/digests
                Require valid-user
            </Location>
            <Location /small>
                LimitRequestBody 1000
            </Location>

            """
    }
}
