import Sterna
import SternaPlatform
import SternaTesting

/// Proxies that others wrote, each demanding a user name and a password.
enum ProxyServers {
    static let squid = ServerProgram.Name(description: "squid")
    static let tinyproxy = ServerProgram.Name(description: "tinyproxy")
    static let microsocks = ServerProgram.Name(description: "microsocks")

    static let username = "ada"
    static let password = "pw1x"

    /// A file in the form of htpasswd, hashed by `openssl passwd -apr1`; the password of `bob` is `p:w/1 @x%`.
    static let basicFile = """
        \(username):$apr1$sternaxx$j0G6/oWl0uh3/HbJvE0mO.
        bob:$apr1$sternaxx$.WZN4kknzMLpzdjzHxYIW.

        """

    /// Squid, with Basic or Digest credentials by its own helper; `origin.test` is 127.0.0.1 to it alone. A nonce of Digest admits
    /// five requests.
    static func startSquid(digest: Bool = false) async throws -> ServerProgram {
        let program = digest ? "digest_file_auth" : "basic_ncsa_auth"
        let folders = ["/usr/lib/squid", "/usr/libexec/squid", "/usr/lib64/squid", "/opt/homebrew/opt/squid/libexec"]
        guard let helper = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.fileExists) else {
            throw ChildProcess.Failure(description: "squid's \(program) is not there")
        }
        return try await ServerProgram(squid) { folder, ports, name in
            try ServerProgram.write(basicFile, to: "\(folder)/users")
            try ServerProgram.write(DigestUsers.md5File, to: "\(folder)/digests")
            try ServerProgram.write("127.0.0.1 localhost origin.test\n", to: "\(folder)/hosts")
            let scheme =
                digest
                ? """
                auth_param digest program \(helper) -c \(folder)/digests
                auth_param digest children 1
                auth_param digest realm \(DigestUsers.realm)
                auth_param digest nonce_max_count 5
                """
                : """
                auth_param basic program \(helper) \(folder)/users
                auth_param basic children 1
                auth_param basic realm terns
                """
            let configuration = """
                http_port 127.0.0.1:\(ports[0])
                pid_filename none
                cache deny all
                cache_mem 8 MB
                cache_log \(folder)/squid.log
                access_log none
                cache_store_log none
                coredump_dir \(folder)
                pinger_enable off
                visible_hostname localhost
                hosts_file \(folder)/hosts
                dns_nameservers 127.0.0.1
                dns_timeout 1 second
                shutdown_lifetime 0 seconds
                max_filedescriptors 512
                \(scheme)
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all

                """
            try ServerProgram.write(configuration, to: "\(folder)/squid.conf")
            return ["-N", "-n", name, "-f", "\(folder)/squid.conf"]
        }
    }

    static func startTinyproxy() async throws -> ServerProgram {
        try await ServerProgram(tinyproxy) { folder, ports, _ in
            let configuration = """
                Port \(ports[0])
                Listen 127.0.0.1
                Timeout 60
                MaxClients 50
                LogFile "\(folder)/tinyproxy.log"
                LogLevel Connect
                BasicAuth \(username) \(password)

                """
            try ServerProgram.write(configuration, to: "\(folder)/tinyproxy.conf")
            return ["-d", "-c", "\(folder)/tinyproxy.conf"]
        }
    }

    static func startMicrosocks() async throws -> ServerProgram {
        try await ServerProgram(microsocks) { _, ports, _ in
            ["-i", "127.0.0.1", "-p", "\(ports[0])", "-u", username, "-P", password]
        }
    }

    /// A proxy there with credentials, those that it demands by default.
    static func proxy(
        _ kind: Proxy.Kind, _ server: ServerProgram, username: String? = username, password: String? = password
    ) throws -> Proxy {
        try Proxy(kind, host: "127.0.0.1", port: server.ports[0], username: username, password: password)
    }

    /// A session through a proxy, with connections of its own.
    static func session(
        _ proxy: Proxy, authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.timeout = .seconds(30)
            $0.responseSerializer = .data
            $0.network.proxies = .proxy(proxy)
            if let authority { $0.trust.policy = .authority(pem: authority.pem) }
            configure(&$0)
        }
    }
}
