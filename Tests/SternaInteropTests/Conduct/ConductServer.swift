import Sterna
import SternaPlatform
import Testing

/// A server of PyPI that answers GET and HEAD with a text and its application's body, and PUT with the number of bytes it received.
struct ConductServer: Sendable {
    enum Kind: String, Sendable, CustomTestStringConvertible {
        case aiohttp, gunicorn, hypercorn, tornado, waitress

        var testDescription: String { rawValue }
    }

    static let text = "the tern flies from pole to pole\n"

    /// Whether the packages are there, or have to be because this is CI.
    static var isThere: Bool { InteropPython.has("aiohttp", "gunicorn", "hypercorn", "tornado", "waitress") }

    private let server: ServerProgram

    var port: Int { server.ports[0] }

    init(_ kind: Kind) async throws {
        server = try await ServerProgram(ServerProgram.Name(description: "env")) { _, ports, _ in
            [InteropPython.path, "-c", Self.program, kind.rawValue, "\(ports[0])"]
        }
    }

    func session(_ engine: Engine = Engine()) throws -> Session { try Self.session(port, engine) }

    /// A session for a server on a port of this machine, with connections of its own.
    static func session(_ port: Int, _ engine: Engine = Engine()) throws -> Session {
        try Session(baseURL: "http://127.0.0.1:\(port)") {
            $0.network.engine = engine
            $0.network.proxies = .none
            $0.retry = .none
            $0.timeout = .seconds(60)
            $0.responseSerializer = .data
        }
    }

    /// What a server on a port sends for these bytes until it closes. Throws once it sends nothing for a minute.
    static func bytes(_ port: Int, _ request: String) async throws -> String {
        let reader = """
            import socket, sys
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
            connection.sendall(sys.stdin.buffer.read())
            while piece := connection.recv(65536):
                sys.stdout.buffer.write(piece)
            """
        let seen = try await ChildProcess.run(
            [InteropPython.path, "-c", reader, "\(port)"], input: Array(request.utf8))
        return String(decoding: seen, as: UTF8.self)
    }

    private static let program = #"""
        import asyncio, sys

        kind, port = sys.argv[1], int(sys.argv[2])
        text = b"the tern flies from pole to pole\n"

        def application(environ, start):
            answer = text
            if environ["REQUEST_METHOD"] == "PUT":
                count, length = 0, int(environ.get("CONTENT_LENGTH") or 0)
                while count < length:
                    count += len(environ["wsgi.input"].read(min(65536, length - count)))
                answer = b"%d bytes\n" % count
            start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(answer)))])
            return [answer]

        def serve_waitress():
            import waitress
            waitress.serve(application, host="127.0.0.1", port=port, _quiet=True)

        def serve_gunicorn():
            from gunicorn.app.base import BaseApplication

            class Server(BaseApplication):
                def load_config(self):
                    for name, value in dict(
                            bind=f"127.0.0.1:{port}", worker_class="gthread", threads=4, timeout=0,
                            control_socket_disable=True).items():
                        if name in self.cfg.settings:
                            self.cfg.set(name, value)

                def load(self):
                    return application

            Server().run()

        def serve_aiohttp():
            import tempfile
            from aiohttp import web

            async def stream(request):
                response = web.StreamResponse(headers={"Content-Type": "text/plain", "Content-Length": str(len(text))})
                await response.prepare(request)
                await response.write(text)
                await response.write_eof()
                return response

            async def file(request):
                return web.FileResponse(stored.name)

            with tempfile.NamedTemporaryFile() as stored:
                stored.write(text)
                stored.flush()
                app = web.Application()
                app.router.add_route("*", "/", stream)
                app.router.add_get("/file", file)
                web.run_app(app, host="127.0.0.1", port=port, print=None)

        async def serve_tornado():
            from tornado.web import Application, RequestHandler

            class Handler(RequestHandler):
                def get(self):
                    self.write(text)

                def put(self):
                    self.write("%d bytes\n" % len(self.request.body))

            Application([("/", Handler)]).listen(port, "127.0.0.1")
            await asyncio.Event().wait()

        async def serve_hypercorn():
            from hypercorn.asyncio import serve
            from hypercorn.config import Config

            async def app(scope, receive, send):
                if scope["type"] != "http":
                    raise NotImplementedError
                count, more = 0, True
                while more:
                    message = await receive()
                    count += len(message.get("body", b""))
                    more = message.get("more_body", False)
                answer = b"%d bytes\n" % count if scope["method"] == "PUT" else text
                await send({"type": "http.response.start", "status": 200, "headers": [
                    (b"content-length", b"%d" % len(answer))]})
                await send({"type": "http.response.body", "body": answer})

            config = Config()
            config.bind = [f"127.0.0.1:{port}"]
            await serve(app, config)

        if kind in ("tornado", "hypercorn"):
            asyncio.run({"tornado": serve_tornado, "hypercorn": serve_hypercorn}[kind]())
        else:
            {"waitress": serve_waitress, "gunicorn": serve_gunicorn, "aiohttp": serve_aiohttp}[kind]()
        """#
}
