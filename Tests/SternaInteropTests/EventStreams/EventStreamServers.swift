import Sterna
import SternaPlatform
import SternaTesting
import Testing

/// Servers of event streams by sse-starlette, aiohttp-sse, tornado and Django in one process, and an nginx in front of some.
final class EventStreamServers: Sendable {
    /// A way to a stream of numbered events.
    enum Way: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case uvicorn = "sse-starlette, uvicorn"
        case uvicornTLS = "sse-starlette, uvicorn, TLS"
        case hypercorn = "sse-starlette, hypercorn, HTTP/2"
        case aiohttp = "aiohttp-sse"
        case aiohttpTLS = "aiohttp-sse, TLS"
        case tornado = "tornado"
        case tornadoTLS = "tornado, TLS"
        case django = "Django, uvicorn"
        case djangoHTTP2 = "Django, hypercorn, HTTP/2"
        case buffered = "tornado, nginx"
        case chunked = "tornado, HTTP/1.1, nginx"
        case unbuffered = "tornado, nginx without buffering"
        case compressed = "tornado, nginx without buffering, with gzip"
        case accelerated = "sse-starlette, nginx"
        case acceleratedAiohttp = "aiohttp-sse, nginx"

        var testDescription: String { rawValue }

        /// The number of the server's socket; nil behind nginx.
        fileprivate var socket: Int? {
            let place = Self.allCases.firstIndex(of: self) ?? 0
            return place < EventStreamServers.socketCount ? place : nil
        }

        var isSecure: Bool {
            switch self {
            case .uvicornTLS, .hypercorn, .aiohttpTLS, .tornadoTLS, .djangoHTTP2: true
            default: false
            }
        }

        var isHTTP2: Bool { self == .hypercorn || self == .djangoHTTP2 }

        /// Whether events arrive when the server sends them. nginx holds those without chunks back until it has 4 KiB.
        var isPrompt: Bool { self != .buffered }
    }

    /// That of the suite that is running.
    @TaskLocal static var current: EventStreamServers?

    static let socketCount = 9

    /// Whether they are there, or have to be because this is CI.
    static var areThere: Bool {
        let library = "\(ChildProcess.package)/.build/interop/venv/lib"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        let hasAll = versions.contains { version in
            ["sse_starlette", "aiohttp_sse", "tornado", "django", "hypercorn", "uvicorn"].allSatisfy {
                access("\(library)/\(version)/site-packages/\($0)", R_OK) == 0
            }
        }
        return ChildProcess.mayNotSkip || hasAll && nginx.path != nil
    }

    private static let nginx = ServerProgram.Name(description: "nginx")

    private let authority: CertificateAuthority
    private let ports: [Int]
    private let proxy: ServerProgram
    private let folder: String
    private let process: pid_t
    private let lifeline: CInt

    init() async throws {
        guard access(InteropPython.path, X_OK) == 0 else {
            throw ChildProcess.Failure(description: "the servers are not there: .ci/interop-servers installs them")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "sterna-\(UInt64.random(in: 0 ... .max))")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let authority = try CertificateAuthority(commonName: "Sterna interop CA")
        self.authority = authority
        let bundle = try authority.issue(hosts: ["localhost"])
        try ServerProgram.write(bundle.certificateChainPEM, to: "\(folder)/cert.pem")
        try ServerProgram.write(bundle.privateKeyPEM, to: "\(folder)/key.pem")
        // They listen already, so that the first requests wait until the servers have started.
        let listeners = try (0..<Self.socketCount).map { _ in try LoopbackListener() }
        let ports = listeners.map(\.port)
        self.ports = ports
        proxy = try await ServerProgram(Self.nginx) { folder, own, _ in
            try FileManager.default.createDirectory(atPath: "\(folder)/tmp", withIntermediateDirectories: true)
            chmod("\(folder)/tmp", 0o777)
            try ServerProgram.write(Self.configuration(folder, own[0], ports), to: "\(folder)/nginx.conf")
            return ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log"]
        }
        let log = open("\(folder)/output.log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { if log >= 0 { close(log) } }
        let (process, lifeline) = try ChildProcess.start(
            ["/bin/sh", "-c", Self.keeper, "sh", InteropPython.path, "-c", Self.program, folder], inOwnGroup: true
        ) { pipe in ([pipe.read, log, log] + listeners.map(\.descriptor), pipe.write) }
        (self.folder, self.process, self.lifeline) = (folder, process, lifeline)
        do {
            for way in Way.allCases where way.socket != nil { _ = try await left(by: way) }
        } catch {
            let complaints = (try? String(contentsOfFile: "\(folder)/output.log", encoding: .utf8)) ?? ""
            await stop()
            throw ChildProcess.Failure(description: "no server of event streams: \(error)\n\(complaints.suffix(3_000))")
        }
    }

    /// A session with connections of its own, whose base is the way's server.
    func session(_ way: Way) throws -> Session {
        let base =
            switch way.socket {
            case let socket?: way.isSecure ? "https://localhost:\(ports[socket])" : "http://127.0.0.1:\(ports[socket])"
            case nil: "http://127.0.0.1:\(proxy.ports[0])/\(way)/"
            }
        return try Session(baseURL: base) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.trust.policy = .authority(pem: authority.pem)
        }
    }

    /// The names of clients that have left an endless stream.
    func left(by way: Way) async throws -> [String] {
        try await session(way).get("left").json().array?.compactMap(\.string) ?? []
    }

    /// Ends the servers at once, and waits until they are gone.
    func stop() async {
        close(lifeline)
        _ = await ChildProcess.blocking { [process] in ChildProcess.wait(for: process) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The shell ends the servers when the other end of its standard input is closed.
    private static let keeper = "\"$@\" & exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; cat >/dev/null; kill -KILL 0"

    private static func configuration(_ folder: String, _ port: Int, _ ports: [Int]) -> String {
        func server(_ way: Way) -> String { "http://127.0.0.1:\(ports[way.socket ?? 0])/" }
        return """
            daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
            events { worker_connections 256; }
            http {
              access_log off;
              client_body_temp_path \(folder)/tmp; proxy_temp_path \(folder)/tmp; fastcgi_temp_path \(folder)/tmp;
              uwsgi_temp_path \(folder)/tmp; scgi_temp_path \(folder)/tmp;
              server {
                listen 127.0.0.1:\(port);
                location /buffered/ { proxy_pass \(server(.tornado)); proxy_http_version 1.0; }
                location /chunked/ {
                  proxy_pass \(server(.tornado)); proxy_http_version 1.1; proxy_set_header Connection "";
                }
                location /unbuffered/ { proxy_pass \(server(.tornado)); proxy_buffering off; }
                location /compressed/ {
                  proxy_pass \(server(.tornado)); proxy_buffering off; gzip on; gzip_types text/event-stream;
                }
                location /accelerated/ { proxy_pass \(server(.uvicorn)); }
                location /acceleratedAiohttp/ { proxy_pass \(server(.aiohttp)); }
              }
            }

            """
    }

    /// Each server has two paths. `numbers` is a stream of events that are numbered from 1, or resumes after `Last-Event-ID`; it
    /// ends with the event `last` of the query, after which it is 204, or else when the client leaves. `left` has the names of
    /// the clients that have left.
    private static let program = #"""
        import asyncio, json, socket, ssl, sys, types
        import django, hypercorn.asyncio, hypercorn.config, uvicorn
        from aiohttp import web
        from aiohttp_sse import sse_response
        from django.conf import settings
        from django.core.asgi import get_asgi_application
        from django.http import HttpResponse, StreamingHttpResponse
        from django.urls import path
        from sse_starlette import EventSourceResponse
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse, Response
        from starlette.routing import Route
        from tornado.httpserver import HTTPServer
        from tornado.iostream import StreamClosedError
        from tornado.web import Application, RequestHandler

        files = sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem"
        left = []


        class Numbers:
            def __init__(self, query, last_id):
                self.client, self.last, self.next = query.get("client"), int(query.get("last") or 0), int(last_id or 0) + 1

            @property
            def are_over(self):
                return self.last > 0 and self.next > self.last

            async def __aiter__(self):
                try:
                    while not self.are_over:
                        yield str(self.next)
                        self.next += 1
                        await asyncio.sleep(0.001 if self.last else 0.02)
                finally:
                    if not self.are_over:
                        left.append(self.client)

            async def texts(self):
                async for number in self:
                    yield f"id: {number}\ndata: {number}\n\n"


        async def starlette_numbers(request):
            numbers = Numbers(request.query_params, request.headers.get("last-event-id"))
            if numbers.are_over:
                return Response(status_code=204)

            async def events():
                async for number in numbers:
                    yield {"id": number, "data": number}
            return EventSourceResponse(events())


        async def starlette_left(request):
            return JSONResponse(left)


        async def aiohttp_numbers(request):
            numbers = Numbers(request.query, request.headers.get("Last-Event-ID"))
            if numbers.are_over:
                return web.Response(status=204)
            async with sse_response(request) as response:
                async for number in numbers:
                    await response.send(number, id=number)
            return response


        async def aiohttp_left(request):
            return web.json_response(left)


        class TornadoNumbers(RequestHandler):
            async def get(self):
                query = {name: values[0].decode() for name, values in self.request.query_arguments.items()}
                numbers = Numbers(query, self.request.headers.get("Last-Event-ID"))
                if numbers.are_over:
                    return self.set_status(204)
                self.set_header("Content-Type", "text/event-stream")
                try:
                    async for text in numbers.texts():
                        self.write(text)
                        await self.flush()
                except StreamClosedError:
                    pass


        class TornadoLeft(RequestHandler):
            def get(self):
                self.set_header("Content-Type", "application/json")
                self.write(json.dumps(left))


        async def django_numbers(request):
            numbers = Numbers(request.GET, request.headers.get("Last-Event-ID"))
            if numbers.are_over:
                return HttpResponse(status=204)
            return StreamingHttpResponse(numbers.texts(), content_type="text/event-stream")


        async def django_left(request):
            return HttpResponse(json.dumps(left), content_type="application/json")


        async def main():
            settings.configure(SECRET_KEY="sterna", ALLOWED_HOSTS=["*"], ROOT_URLCONF="sterna_urls")
            django.setup()
            urls = sys.modules["sterna_urls"] = types.ModuleType("sterna_urls")
            urls.urlpatterns = [path("numbers", django_numbers), path("left", django_left)]
            by_starlette = Starlette(routes=[Route("/numbers", starlette_numbers), Route("/left", starlette_left)])
            by_django = get_asgi_application()
            by_aiohttp = web.Application()
            by_aiohttp.add_routes([web.get("/numbers", aiohttp_numbers), web.get("/left", aiohttp_left)])
            by_tornado = Application([("/numbers", TornadoNumbers), ("/left", TornadoLeft)])
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*files)
            # A socket each, in the order of the ways to them.
            sockets = {number: socket.socket(fileno=number) for number in (3, 4, 6, 7, 8, 9, 10)}
            for listener in sockets.values():
                listener.setblocking(False)

            def uvicorn_server(app, number, **options):
                config = uvicorn.Config(app, lifespan="off", log_level="warning", **options)
                return uvicorn.Server(config).serve(sockets=[sockets[number]])

            def hypercorn_server(app, number):
                config = hypercorn.config.Config()
                config.bind, config.certfile, config.keyfile = [f"fd://{number}"], *files
                return hypercorn.asyncio.serve(app, config)

            runner = web.AppRunner(by_aiohttp)
            await runner.setup()
            for number, context in ((6, None), (7, tls)):
                await web.SockSite(runner, sockets[number], ssl_context=context).start()
            for number, context in ((8, None), (9, tls)):
                HTTPServer(by_tornado, ssl_options=context).add_socket(sockets[number])
            await asyncio.gather(
                uvicorn_server(by_starlette, 3), uvicorn_server(by_starlette, 4, ssl_certfile=files[0], ssl_keyfile=files[1]),
                hypercorn_server(by_starlette, 5), uvicorn_server(by_django, 10), hypercorn_server(by_django, 11))


        asyncio.run(main())
        """#
}

/// Runs a suite with servers that are started before its first test and stopped after its last.
struct EventStreamServersTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let servers = try await EventStreamServers()
        do {
            try await EventStreamServers.$current.withValue(servers) { try await function() }
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }
}

extension Trait where Self == EventStreamServersTrait {
    static var eventStreamServers: Self { EventStreamServersTrait() }
}
