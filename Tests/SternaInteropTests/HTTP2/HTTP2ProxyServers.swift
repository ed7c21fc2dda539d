import Sterna
import SternaPlatform
import SternaTesting
import Testing

/// Proxies of others that make tunnels over HTTP/2.
enum HTTP2ProxyProgram: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nghttpx, apache

    var testDescription: String { rawValue }

    /// Those that are there, or have to be because this is CI.
    static var there: [HTTP2ProxyProgram] { allCases.filter(\.mayRun) }

    /// nghttpx reaches no server by itself: it wants another proxy behind it.
    var mayRun: Bool { name.mayRun && (self == .apache || ProxyServers.squid.mayRun) }

    var name: ServerProgram.Name {
        switch self {
        case .nghttpx: ServerProgram.Name(description: rawValue)
        case .apache: Apache.program
        }
    }

    /// The signal to its first process that has it take new settings while what runs ends in peace.
    fileprivate var reloadSignal: CInt {
        switch self {
        case .nghttpx: SIGHUP
        case .apache: SIGUSR1
        }
    }

    /// What is set besides the necessary.
    enum Setup: Sendable {
        /// As many tunnels at a time as it serves, and windows that do not hold an upload up.
        ///
        /// Apache lets in 100, but begins with 6 of them; nghttpx says nothing to the ninth tunnel to a server.
        case roomy
        /// As others have it who set nothing.
        case usual
    }
}

/// A proxy of its own for a test, which demands ``ProxyServers/username`` and ``ProxyServers/password``, and keeps a log.
final class HTTP2Proxy: Sendable {
    /// A line of the log, which is written when the tunnel has come to its end.
    struct Line: Sendable, Hashable {
        let generation: Int
        let isHTTP2: Bool
        /// The port that the client's connection comes from, which tells connections apart.
        let connection: Int
        let method: String
        let target: String
        let status: Int

        fileprivate init?(_ text: Substring) {
            let words = text.split(separator: " ")
            guard words.count == 6, let generation = Int(words[0]), let connection = Int(words[2]),
                let status = Int(words[5])
            else { return nil }
            self.generation = generation
            isHTTP2 = ["h2", "HTTP/2.0"].contains(words[1])
            self.connection = connection
            method = String(words[3])
            target = String(words[4])
            self.status = status
        }
    }

    let program: HTTP2ProxyProgram
    /// Has issued its certificate, and issues those of the servers behind it.
    let authority: CertificateAuthority
    private let setup: HTTP2ProxyProgram.Setup
    private let server: ServerProgram
    /// The proxy that reaches the servers for it.
    private let behind: ServerProgram?

    var port: Int { server.ports[0] }

    init(_ program: HTTP2ProxyProgram, _ setup: HTTP2ProxyProgram.Setup = .roomy) async throws {
        self.program = program
        self.setup = setup
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        let behind = program == .nghttpx ? try await ProxyServers.startSquid() : nil
        self.behind = behind
        server = try await ServerProgram(program.name) { folder, ports, _ in
            try FileManager.default.createDirectory(atPath: "\(folder)/run", withIntermediateDirectories: true)
            chmod("\(folder)/run", 0o777)
            let bundle = try authority.issue(hosts: ["localhost"])
            try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
            try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
            try ServerProgram.write(ProxyServers.basicFile, to: "\(folder)/users")
            let text = Self.text(program, setup, folder, ports[0], behind: behind?.ports[0], generation: 1)
            try ServerProgram.write(text, to: "\(folder)/proxy.conf")
            switch program {
            case .nghttpx: return ["--conf=\(folder)/proxy.conf"]
            case .apache: return ["-DFOREGROUND", "-f", "\(folder)/proxy.conf"]
            }
        }
    }

    /// Starts one, and ends it.
    static func with(
        _ program: HTTP2ProxyProgram, _ setup: HTTP2ProxyProgram.Setup = .roomy,
        _ work: (HTTP2Proxy) async throws -> Void
    ) async throws {
        let proxy = try await HTTP2Proxy(program, setup)
        try await work(proxy)
        withExtendedLifetime(proxy) {}
    }

    /// A session through it, with the credentials that it demands by default.
    func session(
        _ engine: Engine, username: String? = ProxyServers.username, password: String? = ProxyServers.password,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        let proxy = try Proxy(.https, host: "localhost", port: port, username: username, password: password)
        return try ProxyServers.session(proxy, authority: authority) {
            $0.network.engine = engine
            $0.timeout = .seconds(60)
            configure(&$0)
        }
    }

    // MARK: The log

    /// The log's lines of a kind when there are as many as wanted, or more; those that there are after a while.
    func log(_ count: Int = 1, where isWanted: (Line) -> Bool = { _ in true }) async throws -> [Line] {
        for _ in 0..<1_000 {
            let lines = readLog().filter(isWanted)
            if lines.count >= count { return lines }
            try await Task.sleep(for: .milliseconds(10))
        }
        return readLog().filter(isWanted)
    }

    private func readLog() -> [Line] {
        let text = (try? String(contentsOfFile: "\(server.folder)/access.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap(Line.init)
    }

    /// Has it take new settings, and waits until it works by them.
    func reload(asking url: String) async throws {
        let text = Self.text(program, setup, server.folder, port, behind: behind?.ports[0], generation: 2)
        try ServerProgram.write(text, to: "\(server.folder)/proxy.conf")
        let number = try String(contentsOfFile: "\(server.folder)/pid", encoding: .utf8)
        let process = try #require(pid_t(number.prefix { $0.isNumber }))
        try #require(kill(process, program.reloadSignal) == 0)
        for _ in 0..<500 {
            let engine = Engine()
            // Nobody listens for a moment where the first process gives its place to another.
            _ = try? await session(engine).get(url)
            await engine.shutDown()
            if readLog().contains(where: { $0.generation == 2 }) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(program) was not reloaded: \(server.complaints())")
    }

    // MARK: Settings

    private static func text(
        _ program: HTTP2ProxyProgram, _ setup: HTTP2ProxyProgram.Setup, _ folder: String, _ port: Int, behind: Int?,
        generation: Int
    ) -> String {
        switch program {
        case .nghttpx: nghttpxText(setup, folder, port, behind ?? 0, generation)
        case .apache: apacheText(setup, folder, port, generation)
        }
    }

    private static func nghttpxText(
        _ setup: HTTP2ProxyProgram.Setup, _ folder: String, _ port: Int, _ behind: Int, _ generation: Int
    ) -> String {
        let more =
            """
            backend-connections-per-host=1000
            frontend-http2-window-size=1M
            frontend-http2-connection-window-size=16M

            """
        return """
            http2-proxy=yes
            frontend=127.0.0.1,\(port)
            backend=127.0.0.1,\(behind)
            private-key-file=\(folder)/key.pem
            certificate-file=\(folder)/cert.pem
            pid-file=\(folder)/pid
            no-ocsp=yes
            log-level=WARN
            errorlog-file=\(folder)/error.log
            accesslog-file=\(folder)/access.log
            accesslog-format=\(generation) $alpn $remote_port $method $path $status
            \(setup == .roomy ? more : "")
            """
    }

    private static let modules = [
        "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "log_config", "ssl", "http2",
        "proxy", "proxy_connect", "proxy_http",
    ]

    /// User and Group count where it is started by root only.
    private static func apacheText(
        _ setup: HTTP2ProxyProgram.Setup, _ folder: String, _ port: Int, _ generation: Int
    ) -> String {
        let folders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
        let place = folders.first(where: FileManager.default.fileExists) ?? folders[0]
        // Some are part of the program, which differs from one system to the other.
        let loaded = modules.filter { FileManager.default.fileExists(atPath: "\(place)/mod_\($0).so") }
            .map { "LoadModule \($0)_module \(place)/mod_\($0).so" }.joined(separator: "\n")
        return """
            \(loaded)
            ServerRoot \(folder)
            ServerName localhost
            PidFile \(folder)/pid
            DefaultRuntimeDir \(folder)/run
            Mutex file:\(folder)/run default
            ErrorLog \(folder)/error.log
            LogLevel error
            LogFormat "\(generation) %H %{remote}p %m %U %>s" tunnels
            CustomLog \(folder)/access.log tunnels
            User www-data
            Group www-data
            StartServers 1
            ServerLimit 4
            ThreadsPerChild 25
            MaxRequestWorkers 100
            MinSpareThreads 5
            MaxSpareThreads 100
            Listen 127.0.0.1:\(port)
            Protocols h2 http/1.1
            H2ProxyRequests on
            H2MaxWorkers 128
            \(setup == .roomy ? "H2MaxSessionStreams 6" : "")
            SSLEngine on
            SSLCertificateFile \(folder)/cert.pem
            SSLCertificateKeyFile \(folder)/key.pem
            ProxyRequests on
            AllowCONNECT 1-65535
            <Proxy "*">
                AuthType Basic
                AuthName terns
                AuthUserFile \(folder)/users
                Require valid-user
            </Proxy>

            """
    }
}
