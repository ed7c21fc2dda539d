#!/usr/bin/env bash
# Package: cheroot 11.1.2 (the HTTP server of CherryPy), with a WSGI application.
#
# A list field may come on several lines, which mean the same as one line with commas (RFC 9110, 5.3); Prefer says so once more (RFC
# 7240, 2). CGI, whose variables WSGI has, demands that a server makes one value of them (RFC 3875, 4.1.18).
# Expected: of `Prefer: wait=5` and `Prefer: respond-async` the application gets "wait=5, respond-async", as it does for Accept.
# Seen: it gets "respond-async"; the first line is gone without a word. The server joins lines only of the names in a table, which
#   has the list fields of 1999. Of what became a list field later the last line alone is left: Prefer, Link, Priority,
#   Want-Content-Digest, tracestate.
# Why it matters: it depends on the name whether two lines are as good as one, so that a try with Accept proves nothing. A client
# that adds to a field which is there already had better join the values itself, and so had a gateway.
# An issue of CherryPy of 2006 asked for the joining; nothing was found about the names that the table lacks.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check cheroot==11.1.2
"$dir/venv/bin/python" - <<'PY'
import http.client
import importlib.metadata as metadata
import threading

from cheroot.wsgi import Server

print("cheroot", metadata.version("cheroot"))
LISTS = {
    "Accept": ("text/html", "text/plain;q=0.5"),
    "Cache-Control": ("no-cache", "no-transform"),
    "Prefer": ("wait=5", "respond-async"),
    "Link": ('</a>; rel="prev"', '</b>; rel="next"'),
    "Priority": ("u=1", "i"),
    "Want-Content-Digest": ("sha-256=10", "sha-512=3"),
    "tracestate": ("one=1", "two=2"),
}
seen = {}


def application(environ, start):
    seen.update({name: environ.get("HTTP_" + name.upper().replace("-", "_")) for name in LISTS})
    start("200 OK", [("Content-Length", "0")])
    return [b""]


server = Server(("127.0.0.1", 0), application)
server.prepare()
threading.Thread(target=server.serve, daemon=True).start()
connection = http.client.HTTPConnection(*server.bind_addr, timeout=10)
connection.putrequest("GET", "/", skip_accept_encoding=True)
for name, values in LISTS.items():
    for value in values:
        connection.putheader(name, value)
connection.endheaders()
assert connection.getresponse().status == 200
server.stop()
for name, values in LISTS.items():
    print(f"{name:20}sent: {values}  the application has: {seen[name]}")
    expected = ", ".join(values) if name in ("Accept", "Cache-Control") else values[-1]
    assert seen[name] == expected, f"{name} on two lines is read otherwise now"
PY
