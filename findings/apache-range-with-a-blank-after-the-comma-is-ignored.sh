#!/usr/bin/env bash
# Program: Apache httpd 2.4.71 (Debian 12, apache2-bin), serving a plain file.
#
# A Range field is a comma-separated list (RFC 9110, 14.1.1), and lists may have blanks around their commas (5.6.1).
# Expected: `Range: bytes=0-3, 3000-3003` is answered like `Range: bytes=0-3,3000-3003`, with 206 and two parts.
# Seen: the form without the blank gets the 206; with the blank httpd ignores the whole field and sends 200 with the entire file.
#   (lighttpd 1.4.69, asked the same, sends 206 for both.)
# Why it matters: joining ranges with ", ", as every other list field is joined, is right by the grammar and silently costs the
# whole file on one of the most used servers. A client writes ranges without blanks, and treats a 200 to any Range request as
# the full content from byte 0. Any server may ignore Range; nothing was found that names the blank as a cause.
set -euo pipefail
dir=$(mktemp -d)
trap 'if [ -f "$dir/pid" ]; then kill "$(cat "$dir/pid")" || true; sleep 1; fi; rm -rf "$dir"' EXIT
PATH=$PATH:/usr/sbin
httpd=$(command -v apache2) || { echo "needs Debian's apache2-bin" >&2; exit 1; }
version=$("$httpd" -v | sed -n 's/^Server version: *//p')
echo "$version"
case $version in *Apache/2.4.71*) ;; *) echo "note: seen with 2.4.71, this is another version" ;; esac
modules=/usr/lib/apache2/modules
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mkdir "$dir/www"
seq -f 'line %g of some text' 300 > "$dir/www/big.txt"
cat > "$dir/httpd.conf" <<CONF
ServerRoot $dir
ServerName localhost
Listen 127.0.0.1:$port
PidFile $dir/pid
ErrorLog $dir/error
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
DocumentRoot $dir/www
<Directory $dir/www>
Require all granted
</Directory>
CONF
chmod -R a+rX "$dir"
"$httpd" -f "$dir/httpd.conf" -k start
python3 - "$port" <<'PY'
import http.client
import sys
import time


def ask(value):
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
            connection.request("GET", "/big.txt", headers={"Range": value})
            response = connection.getresponse()
            content = response.read()
            connection.close()
            kind = response.getheader("Content-Type") or "no type"
            print(f"Range: {value:24} -> {response.status}, {len(content)} bytes, {kind.split(';')[0]}")
            return response.status, len(content)
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit("the server did not start")


joined, blank = ask("bytes=0-3,3000-3003"), ask("bytes=0-3, 3000-3003")
whole = ask("bytes=0-")[1]
assert joined[0] == 206 and joined[1] < whole, "ranges without a blank behave differently now"
assert blank == (200, whole), "ranges with a blank behave differently now"
PY
