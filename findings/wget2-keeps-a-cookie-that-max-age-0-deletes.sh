#!/usr/bin/env bash
# Program: GNU Wget2 1.99.1 (Debian 12, wget2), against a server that sets cookies and deletes them. Needs wget2 and python3.
#
# A server deletes a cookie by setting it again with a lifetime that is over: Max-Age=0, or an Expires in the past (RFC 6265, 3.1).
# Most write both or one of the two, and for the date mostly the beginning of 1970.
# Expected: after `Max-Age=0`, and after `Expires=Thu, 01 Jan 1970 00:00:00 GMT`, no request has the cookie.
# Seen: both leave the cookie where it is, with the new and mostly empty value, and --save-cookies writes it as one of the session,
#   also if it had a lifetime before. Only a date that is later than 1970-01-01 00:00:00 and over deletes: a second more is enough.
#   (curl 7.88.1 and Wget 1.21.3, given the same lines, send neither.)
# Why it matters: after a log-out the client goes on to send `sid=`, which some servers take for an invalid session rather than for
# none. The number 0 stands for "has no lifetime" in the program, in its files and in cookies.txt alike, and a lifetime that is over
# happens to be 0, too. A reader of cookies.txt cannot tell the two apart; a server that writes 00:00:01 is safe with all of them.
# curl once kept cookies of Max-Age=-1 (its issue 9930); about Wget2 nothing was found.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for program in wget2 wget curl; do command -v "$program" >/dev/null || { echo "needs Debian's $program" >&2; exit 1; }; done
version=$(wget2 --version | sed -n '1s/ - .*//p')
echo "$version; $(wget --version | sed -n '1s/ built.*//p'); $(curl --version | sed -n '1s/ (.*//p')"
case $version in *1.99.1*) ;; *) echo "note: seen with 1.99.1, this is another version" ;; esac
HOME=$dir python3 - "$dir" <<'PY'
import http.server
import subprocess
import sys
import threading

ENDS = {
    "age": "Max-Age=0",
    "epoch": "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
    "second": "Expires=Thu, 01 Jan 1970 00:00:01 GMT",
    "both": "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:01 GMT",
    "past": "Expires=Sun, 06 Nov 1994 08:49:37 GMT",
}
seen = []


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/see":
            seen.append(self.headers.get("Cookie") or "")
        self.send_response(200)
        for name, end in ENDS.items():
            if self.path == "/set":
                self.send_header("Set-Cookie", f"{name}=1; Path=/; Max-Age=3600")
            elif self.path == "/delete":
                self.send_header("Set-Cookie", f"{name}=; Path=/; {end}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
urls = [f"http://127.0.0.1:{server.server_port}/{path}" for path in ("set", "delete", "see")]
jar = f"{sys.argv[1]}/jar"


def left(*command):
    """Returns the names of the cookies that the third request has."""
    seen.clear()
    subprocess.run(command + tuple(urls), check=True, timeout=20, stdout=subprocess.DEVNULL)
    names = {pair.split("=")[0].strip() for pair in seen[0].split(";") if pair.strip()}
    print(f"{command[0]:6} sends after the deletion: {seen[0] or 'no cookie'}")
    return names


assert left("curl", "-s", "-b", "") == set(), "curl keeps a deleted cookie now"
assert left("wget", "-q", "-O", "/dev/null") == set(), "Wget keeps a deleted cookie now"
kept = left(
    "wget2", "-q", "-O", "/dev/null", "--max-threads=1", "--keep-session-cookies", "--save-cookies", jar)
lines = [line.split("\t") for line in open(jar).read().splitlines() if "\t" in line]
print("its file has:", {line[5]: line[4] for line in lines})
assert {"age", "epoch"} <= kept, "Wget2 deletes by Max-Age=0 or by the beginning of 1970 now"
assert not {"second", "past"} & kept, "Wget2 keeps what a later date deletes now"
assert all(line[4] == "0" for line in lines), "its file has other lifetimes now"
PY
