import SternaPlatform
import Testing

/// Servers of others that speak HTTP/2 over TLS.
enum HTTP2Program: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx, apache, nghttpd, haproxy, hypercorn

    var testDescription: String { rawValue }

    /// Those that are there, or have to be because this is CI.
    static var there: [HTTP2Program] { allCases.filter(\.mayRun) }

    var mayRun: Bool {
        switch self {
        case .hypercorn: ChildProcess.mayNotSkip || access(Self.hypercornMark, X_OK) == 0
        default: name.mayRun
        }
    }

    var name: ServerProgram.Name {
        switch self {
        case .apache: Apache.program
        // Its interpreter is that of an environment, which is on no path.
        case .hypercorn: ServerProgram.Name(description: "env")
        default: ServerProgram.Name(description: rawValue)
        }
    }

    /// The interpreter of the environment that `.ci/interop-servers` makes, and what tells that hypercorn is in it.
    static let python = "\(ChildProcess.package)/.build/interop/venv/bin/python"
    private static let hypercornMark = "\(ChildProcess.package)/.build/interop/venv/bin/hypercorn"

    /// Puts the server's files beside the documents; gives its arguments.
    ///
    /// - Parameters:
    ///   - behind: the port of the server that haproxy stands before.
    ///   - generation: what the servers that can be reloaded say in X-Generation.
    func prepare(_ folder: String, _ port: Int, behind: Int, generation: Int, extra: [String]) throws -> [String] {
        switch self {
        case .nginx:
            try ServerProgram.write(nginxText(folder, port, generation), to: "\(folder)/nginx.conf")
            return ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log"]
        case .apache:
            try ServerProgram.write(apacheText(folder, port, generation), to: "\(folder)/httpd.conf")
            return ["-DFOREGROUND", "-f", "\(folder)/httpd.conf"]
        case .nghttpd:
            return ["-a", "127.0.0.1", "-d", "\(folder)/www", "--echo-upload"] + extra
                + ["\(port)", "\(folder)/key.pem", "\(folder)/cert.pem"]
        case .haproxy:
            try ServerProgram.write(haproxyText(folder, port, behind, generation), to: "\(folder)/haproxy.cfg")
            return ["-W", "-db", "-f", "\(folder)/haproxy.cfg", "-p", "\(folder)/pid"]
        case .hypercorn:
            return [Self.python, "-c", Self.hypercornText, folder, "\(port)"]
        }
    }

    /// The signal to its first process that has it take new settings while what runs ends in peace.
    var reloadSignal: CInt? {
        switch self {
        case .nginx: SIGHUP
        case .apache: SIGUSR1
        case .haproxy: SIGUSR2
        default: nil
        }
    }

    private func nginxText(_ folder: String, _ port: Int, _ generation: Int) -> String {
        """
        daemon off; pid \(folder)/pid; error_log \(folder)/error.log; worker_processes 1;
        events { worker_connections 256; }
        http {
          access_log off; default_type application/octet-stream;
          types { text/plain txt; application/json json; }
          client_max_body_size 64m; client_body_temp_path \(folder)/tmp; proxy_temp_path \(folder)/tmp;
          fastcgi_temp_path \(folder)/tmp; uwsgi_temp_path \(folder)/tmp; scgi_temp_path \(folder)/tmp;
          server {
            listen 127.0.0.1:\(port) ssl http2;
            ssl_certificate \(folder)/cert.pem; ssl_certificate_key \(folder)/key.pem;
            root \(folder)/www;
            add_header X-Generation \(generation);
            location /dav/ { dav_methods PUT DELETE; }
          }
        }

        """
    }

    /// User and Group count where it is started by root only.
    private func apacheText(_ folder: String, _ port: Int, _ generation: Int) -> String {
        let folders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
        let place = folders.first(where: FileManager.default.fileExists) ?? folders[0]
        let modules = ["mpm_event", "authn_core", "authz_core", "mime", "alias", "cgid", "ssl", "http2", "headers"]
        let loaded = modules.map { "LoadModule \($0)_module \(place)/mod_\($0).so" }.joined(separator: "\n")
        return """
            \(loaded)
            ServerRoot \(folder)
            ServerName localhost
            PidFile \(folder)/pid
            DefaultRuntimeDir \(folder)/run
            Mutex file:\(folder)/run default
            ErrorLog \(folder)/error.log
            LogLevel error
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
            TypesConfig /dev/null
            AddType application/json .json
            ScriptSock \(folder)/run/cgi
            DocumentRoot \(folder)/www
            ScriptAlias /echo \(folder)/echo
            Header always set X-Generation \(generation)
            SSLEngine on
            SSLCertificateFile \(folder)/cert.pem
            SSLCertificateKeyFile \(folder)/key.pem

            """
    }

    private func haproxyText(_ folder: String, _ port: Int, _ behind: Int, _ generation: Int) -> String {
        """
        global
            maxconn 256
        defaults
            mode http
            timeout connect 10s
            timeout client 60s
            timeout server 60s
            timeout http-keep-alive 60s
        frontend tern
            bind 127.0.0.1:\(port) ssl crt \(folder)/both.pem alpn h2,http/1.1
            http-response set-header X-Generation \(generation)
            default_backend origin
        backend origin
            server one 127.0.0.1:\(behind)

        """
    }

    private static let hypercornText = """
        import asyncio, os, sys
        from hypercorn.asyncio import serve
        from hypercorn.config import Config

        folder, port = sys.argv[1:]

        async def app(scope, receive, send):
            if scope["type"] == "lifespan":
                while True:
                    kind = (await receive())["type"]
                    await send({"type": kind + ".complete"})
                    if kind == "lifespan.shutdown":
                        return
            parts, more = [], True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                parts.append(message.get("body", b""))
                more = message.get("more_body", False)
            path = folder + "/www" + scope["path"]
            status, body = 404, b"no such bird"
            if scope["method"] == "POST":
                status, body = 200, b"".join(parts)
            elif os.path.isfile(path):
                status, body = 200, open(path, "rb").read()
            kind = b"application/json" if path.endswith(".json") else b"application/octet-stream"
            headers = [(b"content-length", b"%d" % len(body)), (b"content-type", kind)]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            if scope["method"] == "HEAD":
                body = b""
            for start in range(0, len(body), 65536):
                piece = {"type": "http.response.body", "body": body[start:start + 65536], "more_body": True}
                await send(piece)
            await send({"type": "http.response.body", "body": b""})

        config = Config()
        config.bind = ["127.0.0.1:" + port]
        config.certfile, config.keyfile = folder + "/cert.pem", folder + "/key.pem"
        config.h2_max_concurrent_streams = 100
        asyncio.run(serve(app, config))
        """
}
