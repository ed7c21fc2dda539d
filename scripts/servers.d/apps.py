"""Applications for the servers of PyPI. What they answer to HEAD and whether they read a body is theirs, the rest is the server's."""

WSGI = '''
def app(environ, start):
    path = environ["PATH_INFO"]
    if path == "/read":
        length = environ.get("CONTENT_LENGTH")
        content = environ["wsgi.input"].read(int(length)) if length else environ["wsgi.input"].read()
        text = b"%d bytes\\n" % len(content)
    elif path == "/unread":
        start("413 Too Much", [("Content-Type", "text/plain"), ("Content-Length", "4")])
        return [b"no!\\n"]
    else:
        text = b"the tern flies from pole to pole\\n"
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]
'''

ASGI = '''
import asyncio

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if scope["type"] != "http":
        return
    if scope["path"] == "/read":
        count, more = 0, True
        while more:
            message = await receive()
            count += len(message.get("body", b""))
            more = message.get("more_body", False)
        text = b"%d bytes\\n" % count
    else:
        text = b"the tern flies from pole to pole\\n"
    if scope["path"].startswith("/slow/"):
        await asyncio.sleep(float(scope["path"][6:]))
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"text/plain"), (b"content-length", str(len(text)).encode())]})
    if scope["path"] == "/pieces":
        await send({"type": "http.response.body", "body": text[:5], "more_body": True})
        text = text[5:]
    await send({"type": "http.response.body", "body": text})
'''

TEXT = "the tern flies from pole to pole\n"

AIOHTTP = '''
import sys
from aiohttp import web

async def stream(request):
    response = web.StreamResponse(headers={"Content-Type": "text/plain", "Content-Length": "33"})
    await response.prepare(request)
    await response.write(b"the tern flies from pole to pole\\n")
    await response.write_eof()
    return response

async def read(request):
    return web.Response(text="%d bytes\\n" % len(await request.read()))

async def file(request):
    return web.FileResponse("file.txt")

app = web.Application()
app.router.add_route("*", "/", stream)
app.router.add_route("*", "/read", read)
app.router.add_route("*", "/file", file)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
'''

TORNADO = '''
import asyncio, sys
from tornado.web import Application, RequestHandler

class Read(RequestHandler):
    def get(self):
        self.write("the tern flies from pole to pole\\n")

    def post(self):
        self.write("%d bytes\\n" % len(self.request.body))

    put = post

async def main():
    Application([("/.*", Read)]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()

asyncio.run(main())
'''

SANIC = '''
import sys
from sanic import Sanic, text

app = Sanic("tern")
app.static("/file", "file.txt", name="file")

@app.get("/")
async def root(request):
    return text("the tern flies from pole to pole\\n")

@app.put("/read")
async def read(request):
    return text("%d bytes\\n" % len(request.body))

if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(sys.argv[1]), single_process=True, access_log=False, motd=False)
'''

FLASK = '''
import sys
from flask import Flask, request, send_file

app = Flask("tern")

@app.route("/file")
def file():
    return send_file(sys.argv[2] + "/file.txt")

@app.put("/read")
def read():
    return "%d bytes\\n" % len(request.get_data())

app.run("127.0.0.1", int(sys.argv[1]))
'''

CHEROOT = '''
import sys
from cheroot.wsgi import Server
from wsgi import app

Server(("127.0.0.1", int(sys.argv[1])), app, timeout=float(sys.argv[2])).safe_start()
'''

TWISTED = '''
import sys
from twisted.internet import reactor
from twisted.web import server, static, resource

class Read(resource.Resource):
    isLeaf = True

    def render_GET(self, request):
        return b"the tern flies from pole to pole\\n"

    def render_PUT(self, request):
        return b"%d bytes\\n" % len(request.content.read())

root = static.File(".")
root.putChild(b"read", Read())
reactor.listenTCP(int(sys.argv[1]), server.Site(root), interface="127.0.0.1")
reactor.run()
'''

# A server behind proxies.
ORIGIN = '''
import socket, sys, threading, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=50)

def serve(connection):
    text = b""
    while True:
        while b"\\r\\n\\r\\n" not in text:
            more = connection.recv(65536)
            if not more:
                return
            text += more
        head, _, text = text.partition(b"\\r\\n\\r\\n")
        path = head.split(b" ")[1]
        if path == b"/early":
            connection.sendall(b"HTTP/1.1 103 Early Hints\\r\\nLink: </style.css>; rel=preload\\r\\n\\r\\n")
            time.sleep(0.3)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\ntern\\n")
        elif path == b"/trailers":
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\nTrailer: X-Sum\\r\\n\\r\\n5\\r\\ntern\\n\\r\\n0\\r\\nX-Sum: 7\\r\\n\\r\\n")
        elif path == b"/trailers-late":
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\nTrailer: X-Sum\\r\\n\\r\\n5\\r\\ntern\\n\\r\\n")
            time.sleep(0.3)
            connection.sendall(b"0\\r\\nX-Sum: 7\\r\\n\\r\\n")
        else:
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 1000\\r\\nETag: \\"one\\"\\r\\nCache-Control: max-age=60\\r\\nContent-Type: text/plain\\r\\nAccept-Ranges: bytes\\r\\n\\r\\n" + b"tern\\n" * 200)

while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
'''

TUSPYSERVER = '''
import sys
import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[2]))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
'''

MOTO = '''
import sys
from werkzeug.serving import make_server
from moto.server import DomainDispatcherApplication, create_backend_app

application = DomainDispatcherApplication(create_backend_app)
make_server("127.0.0.1", int(sys.argv[1]), application, threaded=True).serve_forever()
'''
