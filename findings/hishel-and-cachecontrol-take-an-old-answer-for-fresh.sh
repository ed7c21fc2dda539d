#!/usr/bin/env bash
# Packages: two caches for clients, hishel 2.0.0 with rfc=True (over httpx 0.28.1) and CacheControl 0.14.4 (over requests 2.34.2).
#
# A shared cache on the way tells in Age how old its answer is. A cache behind it counts from there: the age is the larger of Age
# and of what Date says (RFC 9111, 4.2.3), and an answer that is older than its max-age is not reused without asking (4.2).
# Expected: an answer with `Cache-Control: max-age=100` and `Age: 1000` is stale when it arrives; the next request asks the server.
# Seen: both caches answer the next request themselves, since they look at Date alone. hishel even puts `Age: 0` in the place of
#   1000: the application is told that the answer is new. With an old Date, with or without Age, both ask.
# Why it matters: behind a shared cache that writes a Date of its own, or whose origin's clock runs ahead, everything lives for its
# max-age once more, and a test against the origin alone never shows it. A cache must read both fields and believe the older one,
# and an application must not take the Age that a cache below it tells for the truth.
# hishel's source calls its calculation a simple one, its description does not; no issue was found at either package.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check hishel[httpx]==2.0.0 httpx==0.28.1 CacheControl==0.14.4 \
    requests==2.34.2
cd "$dir"
no_proxy=127.0.0.1 "$dir/venv/bin/python" - <<'PY'
import email.utils
import http.server
import importlib.metadata as metadata
import threading
import time

import cachecontrol
import hishel.httpx
import requests

print("hishel", metadata.version("hishel"), "CacheControl", metadata.version("CacheControl"))


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version, asked = "HTTP/1.1", []

    def do_GET(self):
        self.asked.append(self.path)
        _, age, before = self.path.split("-")
        fields = f"Date: {email.utils.formatdate(time.time() - int(before), usegmt=True)}\r\n" + (f"Age: {age}\r\n" if age else "")
        self.wfile.write(f"HTTP/1.1 200 OK\r\n{fields}Cache-Control: max-age=100\r\nContent-Length: 2\r\n\r\nok".encode())


Server.log_message = lambda *_: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
first = hishel.httpx.CacheClient(rfc=True, storage=hishel.SqliteStorage(database_path="cache.db"))
clients = {"hishel": first, "CacheControl": cachecontrol.CacheControl(requests.Session())}
for name, client in clients.items():
    for age, before, expected in (("", 0, 1), ("1000", 0, 1), ("", 1000, 2), ("1000", 1000, 2)):
        path = f"/{name}-{age}-{before}"
        told = [client.get(f"http://127.0.0.1:{server.server_port}{path}").headers.get("Age") for _ in range(2)]
        count = Server.asked.count(path)
        print(f"{name:13}Age: {age:5}Date: {before} s ago; of two requests the server sees {count}; Age as told: {told}")
        assert count == expected, "the answer is judged otherwise now"
        assert before or not age or told[1] == ("0" if name == "hishel" else "1000"), "the age is told otherwise now"
PY
