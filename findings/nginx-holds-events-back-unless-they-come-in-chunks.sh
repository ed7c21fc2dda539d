#!/usr/bin/env bash
# Package: nginx 1.22.1 (Debian 12), as a proxy in front of a server of events (text/event-stream). Needs nginx and python3.
#
# With proxy_buffering on, the default, nginx may keep a response until its buffers are full; a server that wants its events passed on
# at once sends X-Accel-Buffering: no. nginx speaks HTTP/1.0 to servers unless proxy_http_version is 1.1.
# Expected: whether events are delayed depends on proxy_buffering and that field, and not on the framing between nginx and the server.
# Seen: while nothing switches the buffering off, it depends on the framing. Events that come without a length, up to the end of the
#   connection, are held back until 4 KiB are there, with the response's head: the client does not even see the status. Events that
#   come in chunks are passed on one by one, although the buffering is on.
# Why it matters: the same server works behind a proxy whose configuration has “proxy_http_version 1.1”, as most copied from examples
#   do, and its clients hang for seconds or minutes behind one that lacks this line, which then looks like a fault of the client. A
#   server should send X-Accel-Buffering: no, and a client must not take the missing head for a server that is down too soon.
# Guides advise “proxy_http_version 1.1” for events; nothing was found that gives the framing as the reason.
set -euo pipefail
PATH="$PATH:/usr/sbin"
dir=$(mktemp -d)
nginx= server=
trap '[ -z "$nginx" ] || kill "$nginx" 2>/dev/null || true; [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
nginx -v
read -r front back < <(python3 -c '
import socket
a, b = socket.socket(), socket.socket()
for s in (a, b): s.bind(("127.0.0.1", 0))
print(a.getsockname()[1], b.getsockname()[1])')
mkdir "$dir/tmp"
cat >"$dir/nginx.conf" <<CONF
daemon off; master_process off; pid $dir/pid; error_log $dir/error.log;
events { worker_connections 64; }
http {
  access_log off; client_body_temp_path $dir/tmp; proxy_temp_path $dir/tmp; fastcgi_temp_path $dir/tmp;
  uwsgi_temp_path $dir/tmp; scgi_temp_path $dir/tmp;
  server {
    listen 127.0.0.1:$front;
    location / { proxy_pass http://127.0.0.1:$back; }
    location /chunks { proxy_http_version 1.1; proxy_pass http://127.0.0.1:$back; }
    location /length-of-connection { proxy_http_version 1.1; proxy_pass http://127.0.0.1:$back; }
    location /off { proxy_buffering off; proxy_pass http://127.0.0.1:$back; }
  }
}
CONF
cat >"$dir/server.py" <<'PY'
import socket
import sys
import threading
import time


def serve(client):
    """Sends an event of 20 bytes every 10 ms; in chunks where the path asks for them."""
    path = client.recv(65_536).split()[1].decode()
    field = "X-Accel-Buffering: no\r\n" if path == "/field" else ""
    chunked = path == "/chunks"
    field += "Transfer-Encoding: chunked\r\n" if chunked else "Connection: close\r\n"
    client.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{field}\r\n".encode())
    try:
        for number in range(1_000):
            event = b"data: %012d\n\n" % number
            client.sendall(b"%x\r\n%s\r\n" % (len(event), event) if chunked else event)
            time.sleep(0.01)
    except OSError:
        pass
    client.close()


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
PY
python3 "$dir/server.py" "$back" &
server=$!
nginx -p "$dir" -c "$dir/nginx.conf" -e "$dir/error.log" &
nginx=$!
python3 - "$front" <<'PY'
import socket
import sys
import time


def read(path):
    """When the head and the first event arrive, in seconds, and the events of the first read that has any."""
    for _ in range(100):
        try:
            wire = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            break
        except OSError:
            time.sleep(0.1)
    wire.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    start, text, head = time.monotonic(), b"", None
    while b"data: " not in text:
        text += wire.recv(65_536)
        head = head or time.monotonic() - start
    return round(head, 1), round(time.monotonic() - start, 1), text.count(b"data: ")


time.sleep(0.5)
for path in ("/", "/length-of-connection", "/chunks", "/field", "/off"):
    head, event, count = read(path)
    print(f"{path:22} head after {head} s, an event after {event} s, with {count} events")
    if path in ("/", "/length-of-connection"):
        assert head > 1.5 and count > 180, "nginx no longer waits for 4 KiB"
    else:
        assert event < 1 and count < 50, "nginx holds back what it passed on until now"
PY
