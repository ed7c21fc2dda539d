#!/usr/bin/env bash
# Package: tuspyserver 4.4.3 (tus 1.0 server as a FastAPI router; fastapi 0.165.0, uvicorn 0.54.0).
#
# Expected: a PATCH whose body comes with chunked transfer coding is taken, as RFC 9112 says a server must be able to read one; and
#   a PATCH that the server refuses (4xx) leaves the upload's offset where it was.
# Seen: a chunked PATCH is answered 422, "content-length: Field required" - and its bytes are in the file all the same: HEAD tells
#   the new offset. A PATCH with another Content-Type is answered 415, as tus asks, and is stored as well. Sending the same bytes
#   again at the old offset then gets 409. (A PATCH at a wrong offset is refused and not stored.)
# Why it matters: a client that streams a body of unknown length meets the 422, falls back to a body with Content-Length, and, if it
# trusts that a refusal changed nothing, runs into 409, or with a smaller piece leaves a hole in its own count. After any refused
# PATCH a client has to ask HEAD before it goes on, and a fallback must start at the offset that HEAD tells. The
# package's description mentions neither behaviour.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check tuspyserver==4.4.3 fastapi==0.165.0 uvicorn==0.54.0
cd "$dir"
"$dir/venv/bin/python" - <<'PY'
import http.client
import importlib.metadata as metadata
import logging
import socket
import threading
import time
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

logging.disable(logging.CRITICAL)
print("tuspyserver", metadata.version("tuspyserver"))
app = FastAPI()
app.include_router(create_tus_router(files_dir="uploads"))
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
while not server.started:
    time.sleep(0.05)

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = "application/offset+octet-stream"


def ask(method, path, fields, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body=body, headers={**TUS, **fields})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, content


def case(name, offset, kind, body):
    """The status of one PATCH to a new upload, the offset that HEAD tells afterwards, and the status of the same bytes sent again."""
    fields = {"Upload-Length": "10", "Upload-Metadata": "filename YS50eHQ=,filetype dGV4dC9wbGFpbg=="}
    path = urlsplit(ask("POST", "/files", fields)[1]["location"]).path
    status = ask("PATCH", path, {"Upload-Offset": offset, "Content-Type": kind}, body)[0]
    after = ask("HEAD", path, {})[1]["upload-offset"]
    again = ask("PATCH", path, {"Upload-Offset": "0", "Content-Type": BYTES}, b"hello")[0]
    print(f"{name}: PATCH {status}, then offset {after}, the bytes again at offset 0: {again}")
    return status, after, again


chunked = case("chunked body        ", "0", BYTES, iter([b"hel", b"lo"]))
kind = case("another content type", "0", "text/plain", b"hello")
wrong = case("wrong offset        ", "3", BYTES, b"hello")
plain = case("plain               ", "0", BYTES, b"hello")
server.should_exit = True
assert chunked == (422, "5", 409), "a chunked PATCH behaves differently now"
assert kind == (415, "5", 409), "a PATCH with another content type behaves differently now"
assert wrong == (409, "0", 204), "a PATCH at a wrong offset behaves differently now"
assert plain == (204, "5", 409), "a plain PATCH behaves differently now"
PY
