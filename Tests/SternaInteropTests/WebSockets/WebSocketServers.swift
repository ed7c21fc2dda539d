import Sterna
import SternaPlatform
import SternaTesting
import Testing

/// Servers that echo the messages of WebSockets, by websockets, aiohttp, tornado, uvicorn and hypercorn in one process; and one by
/// gorilla's package for Go, if `scripts/websocket-interop` has built it.
final class WebSocketServers: Sendable {
    /// A way to an echo.
    enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case websockets
        case websocketsTLS = "websockets, TLS"
        case aiohttp
        case aiohttpTLS = "aiohttp, TLS"
        case tornado
        case tornadoTLS = "tornado, TLS"
        case uvicorn = "uvicorn, websockets"
        case uvicornTLS = "uvicorn, wsproto, TLS"
        case hypercorn
        case hypercornTLS = "hypercorn, TLS"
        case hypercornHTTP2 = "hypercorn, HTTP/2"
        case gorilla

        var testDescription: String { rawValue }

        /// The number of the server's socket; nil for a program of its own.
        fileprivate var socket: Int? {
            switch self {
            case .gorilla: nil
            case .hypercornHTTP2: Self.hypercornTLS.socket
            default: Self.allCases.firstIndex(of: self)
            }
        }

        var isSecure: Bool {
            switch self {
            case .websocketsTLS, .aiohttpTLS, .tornadoTLS, .uvicornTLS, .hypercornTLS, .hypercornHTTP2: true
            default: false
            }
        }

        var isHTTP2: Bool { self == .hypercornHTTP2 }

        /// Those that there are.
        static var present: [Way] { allCases.filter { $0 != .gorilla || WebSocketServers.hasGorilla } }
    }

    /// That of the suite that is running.
    @TaskLocal static var current: WebSocketServers?

    private static let socketCount = 10
    private static let gorilla = "\(ChildProcess.package)/.build/interop/gorilla-echo"

    fileprivate static var hasGorilla: Bool { access(gorilla, X_OK) == 0 }

    /// Whether they are there, or have to be because this is CI.
    static var areThere: Bool {
        ChildProcess.mayNotSkip
            || InteropPackages.have("websockets", "wsproto", "aiohttp", "tornado", "uvicorn", "hypercorn")
    }

    let authority: CertificateAuthority
    private let ports: [Int]
    private let folder: String
    private let process: pid_t
    private let lifeline: CInt
    private let go: ServerProgram?

    init() async throws {
        guard access(InteropPython.path, X_OK) == 0 else {
            throw ChildProcess.Failure(description: "the servers are not there: .ci/interop-servers installs them")
        }
        go =
            Self.hasGorilla
            ? try await ServerProgram(.init(description: "env")) { _, ports, _ in
                [Self.gorilla, "127.0.0.1:\(ports[0])"]
            } : nil
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        let bundle = try authority.issue(hosts: ["localhost"])
        try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
        try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
        // They listen already, so that the first handshakes wait until the servers have started.
        let listeners = try (0..<Self.socketCount).map { _ in try LoopbackListener() }
        ports = listeners.map(\.port)
        let log = open("\(folder)/output.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, "sh", InteropPython.path, "-c", Self.program, folder], inOwnGroup: true
        ) { pipe in ([pipe.read, log, log] + listeners.map(\.descriptor), pipe.write) }
        self.folder = folder
        do {
            for way in Way.allCases where way.socket != nil {
                try await session(way).withWebSocket("/") { socket in try await socket.send("ready") }
            }
        } catch {
            let text = complaints()
            await stop()
            throw ChildProcess.Failure(description: "no server of WebSockets: \(error)\n\(text)")
        }
    }

    /// A session with connections of its own, whose base is the way's server.
    func session(_ way: Way, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        let port = way.socket.map { ports[$0] } ?? go?.ports[0] ?? 0
        return try Session(baseURL: way.isSecure ? "https://localhost:\(port)/" : "http://127.0.0.1:\(port)/") {
            $0.network.engine = Engine()
            $0.network.http2 = way.isHTTP2 ? .negotiated : .off
            $0.retry = .none
            $0.trust.policy = .authority(pem: authority.pem)
            configure(&$0)
        }
    }

    /// The last that the servers wrote.
    func complaints() -> String {
        let text = (try? String(contentsOfFile: "\(folder)/output.log", encoding: .utf8)) ?? ""
        return String(text.suffix(3_000))
    }

    /// Ends the servers at once, and waits until they are gone.
    func stop() async {
        close(lifeline)
        _ = await ChildProcess.blocking { [process] in ChildProcess.wait(for: process) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The shell ends the servers when the other end of its standard input is closed.
    private static let keeper = "\"$@\" & exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; cat >/dev/null; kill -KILL 0"

    /// The sockets are those of the ways, in their order, from descriptor 3 on.
    private static let program = #"""
        import asyncio, socket, ssl, sys
        import hypercorn.asyncio, hypercorn.config, uvicorn, websockets
        from aiohttp import WSMsgType, web
        from tornado.httpserver import HTTPServer
        from tornado.web import Application
        from tornado.websocket import WebSocketHandler

        files = sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem"
        limit = 32 << 20


        async def by_websockets(connection):
            async for message in connection:
                await connection.send(message)


        async def by_aiohttp(request):
            connection = web.WebSocketResponse(max_msg_size=limit)
            await connection.prepare(request)
            async for message in connection:
                if message.type == WSMsgType.TEXT:
                    await connection.send_str(message.data)
                elif message.type == WSMsgType.BINARY:
                    await connection.send_bytes(message.data)
            return connection


        class ByTornado(WebSocketHandler):
            def get_compression_options(self):
                return {}

            async def on_message(self, message):
                await self.write_message(message, binary=isinstance(message, bytes))


        async def by_asgi(scope, receive, send):
            while (event := await receive())["type"] != "websocket.disconnect":
                if event["type"] == "websocket.connect":
                    await send({"type": "websocket.accept"})
                else:
                    await send({"type": "websocket.send", "text": event.get("text"), "bytes": event.get("bytes")})


        async def main():
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*files)
            sockets = {number: socket.socket(fileno=number) for number in range(3, 11)}
            for listener in sockets.values():
                listener.setblocking(False)

            def uvicorn_server(number, **options):
                config = uvicorn.Config(by_asgi, lifespan="off", log_level="warning", ws_max_size=limit, **options)
                return uvicorn.Server(config).serve(sockets=[sockets[number]])

            def hypercorn_server(number, **options):
                config = hypercorn.config.Config()
                config.bind, config.websocket_max_message_size = [f"fd://{number}"], limit
                for name, value in options.items():
                    setattr(config, name, value)
                return hypercorn.asyncio.serve(by_asgi, config)

            for number, context in ((3, None), (4, tls)):
                await websockets.serve(by_websockets, sock=sockets[number], ssl=context, max_size=None)
            application = web.Application()
            application.add_routes([web.get("/", by_aiohttp)])
            runner = web.AppRunner(application)
            await runner.setup()
            for number, context in ((5, None), (6, tls)):
                await web.SockSite(runner, sockets[number], ssl_context=context).start()
            by_tornado = Application([("/", ByTornado)], websocket_max_message_size=limit)
            for number, context in ((7, None), (8, tls)):
                HTTPServer(by_tornado, ssl_options=context).add_socket(sockets[number])
            await asyncio.gather(
                uvicorn_server(9, ws="websockets"),
                uvicorn_server(10, ws="wsproto", ssl_certfile=files[0], ssl_keyfile=files[1]),
                hypercorn_server(11), hypercorn_server(12, certfile=files[0], keyfile=files[1]))


        asyncio.run(main())
        """#
}

/// The packages of `.ci/interop-servers`.
enum InteropPackages {
    /// Whether all of these are installed.
    static func have(_ names: String...) -> Bool {
        let library = "\(ChildProcess.package)/.build/interop/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        return versions.contains { version in
            names.allSatisfy { access("\(library)/\(version)/site-packages/\($0)", R_OK) == 0 }
        }
    }
}

/// Runs a suite with servers that are started before its first test and stopped after its last.
struct WebSocketServersTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let servers = try await WebSocketServers()
        do {
            try await WebSocketServers.$current.withValue(servers) { try await function() }
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }
}

extension Trait where Self == WebSocketServersTrait {
    static var webSocketServers: Self { WebSocketServersTrait() }
}
