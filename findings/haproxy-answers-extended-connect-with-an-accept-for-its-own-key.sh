#!/usr/bin/env bash
# Package: haproxy 2.6.12 (Debian 12), between a client with HTTP/2 and a server of WebSockets with HTTP/1.1 (websockets 17.4). Needs
# haproxy and python3; h2 4.4.1 plays the client.
#
# A WebSocket over HTTP/2 begins with an extended CONNECT, which has no Sec-WebSocket-Key, and its answer no Sec-WebSocket-Accept: the
# stream itself shows that the server understood (RFC 8441, section 5). A proxy to HTTP/1.1 must make a key of its own for the server.
# Expected: the proxy checks the server's answer to its key, and keeps both to itself.
# Seen: it makes the key, and passes on the server's Sec-WebSocket-Accept: the client gets a proof for a key that it never had.
# Why it matters: a client with one check for both versions, which refuses a field that does not fit its key, or compares it with a key
#   that it made in case the connection would be HTTP/1.1, fails behind this proxy alone. A client must not read the field over HTTP/2.
# Nothing was found about it.
set -euo pipefail
PATH="$PATH:/usr/sbin"
dir=$(mktemp -d)
haproxy= server=
trap '[ -z "$haproxy" ] || kill "$haproxy" 2>/dev/null || true; [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
haproxy -v | sed -n 1p
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check websockets==17.4 h2==4.4.1
read -r front back < <(python3 -c '
import socket
a, b = socket.socket(), socket.socket()
for s in (a, b): s.bind(("127.0.0.1", 0))
print(a.getsockname()[1], b.getsockname()[1])')
cat >"$dir/haproxy.cfg" <<CONF
global
    maxconn 16
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
listen sockets
    bind 127.0.0.1:$front proto h2
    server one 127.0.0.1:$back
CONF
cat >"$dir/server.py" <<'PY'
import asyncio
import sys

from websockets.asyncio.server import serve


async def tell(socket):
    await socket.send("key" if "Sec-WebSocket-Key" in socket.request.headers else "no key")


async def main():
    async with serve(tell, "127.0.0.1", int(sys.argv[1]), compression=None):
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
PY
"$dir/venv/bin/python" "$dir/server.py" "$back" &
server=$!
haproxy -db -f "$dir/haproxy.cfg" 2>"$dir/haproxy.log" &
haproxy=$!
"$dir/venv/bin/python" - "$front" "$back" <<'PY'
import importlib.metadata as metadata
import socket
import sys
import time

import h2.config
import h2.connection
import h2.events

print("websockets", metadata.version("websockets"), "h2", metadata.version("h2"))
front, back = int(sys.argv[1]), int(sys.argv[2])


def connect(port):
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


connect(back).close()
wire = connect(front)
client = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
client.initiate_connection()
wire.sendall(client.data_to_send())


def events():
    while True:
        data = wire.recv(65536)
        if not data:
            sys.exit("the proxy has closed the connection")
        yield from client.receive_data(data)
        wire.sendall(client.data_to_send())


for event in events():
    if isinstance(event, h2.events.RemoteSettingsChanged):
        break
assert client.remote_settings.enable_connect_protocol == 1, "haproxy does not offer extended CONNECT"
stream = client.get_next_available_stream_id()
client.send_headers(stream, [
    (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", f"127.0.0.1:{front}"),
    ("sec-websocket-version", "13")])
wire.sendall(client.data_to_send())
for event in events():
    if isinstance(event, h2.events.ResponseReceived):
        fields = dict(event.headers)
    if isinstance(event, h2.events.DataReceived):
        # A text frame: two bytes of head, the second of which is the length, and the text; a close frame may follow.
        seen = event.data[2:2 + event.data[1]].decode()
        break
print("status", fields[":status"], "sec-websocket-accept" if "sec-websocket-accept" in fields else "no sec-websocket-accept")
print("the server was sent:", seen)
assert fields[":status"] == "200", "the handshake fails now"
assert seen == "key", "the server gets no key now"
assert "sec-websocket-accept" in fields, "the field is kept back now"
PY
