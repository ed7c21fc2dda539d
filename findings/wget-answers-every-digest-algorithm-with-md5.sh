#!/usr/bin/env bash
# Program: GNU Wget 1.21.3 (Debian 12, wget), against servers that ask for Digest (RFC 7616). Needs wget and python3.
#
# A challenge names its algorithm. "If the algorithm is not understood, the challenge should be ignored (and a different one used, if
# there is more than one)" (RFC 7616, 3.3); a client that answers repeats the name in its Authorization.
# Expected: of SHA-256, SHA-512-256 or an invented algorithm Wget, which knows MD5, sends no answer; of two challenges, one of SHA-256
#   and one of MD5, it answers that of MD5.
# Seen: with --debug it says "Unsupported algorithm 'SHA-256'", and answers nevertheless, with the hash of MD5 and without the parameter
#   `algorithm`, which it sends for MD5. Of two challenges it answers the last one: if that is SHA-256, with the other's hash and this
#   one's nonce, although it could have answered the first.
# Why it matters: an answer without `algorithm` means MD5, so that a server that offers SHA-256 alone sees a wrong password, and may
# lock the account, where it should see no answer. In a test beside Wget a 401 does not show that the server or the other client is
# wrong. Nothing was found about it.
set -euo pipefail
command -v wget >/dev/null || { echo "needs Debian's wget" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
version=$(wget --version | sed -n '1s/ built.*//p')
echo "$version"
case $version in *1.21.3*) ;; *) echo "note: seen with 1.21.3, this is another version" ;; esac
HOME=$dir python3 - <<'PY'
import hashlib
import http.server
import re
import subprocess
import threading

HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256, "SHA-512": hashlib.sha512}
challenges, seen = [], []


def digest(kind, text):
    return HASHES[kind](text.encode()).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        given = self.headers.get("Authorization")
        if given and given.startswith("Digest "):
            fields = {name: value.strip('"') for name, value in re.findall(r'(\w+)=("[^"]*"|[^, ]+)', given)}
            matching = [
                kind for kind in HASHES
                if fields["response"] == digest(kind, ":".join([
                    digest(kind, "ada:r:pw"), fields["nonce"], fields["nc"], fields["cnonce"], fields["qop"],
                    digest(kind, "GET:" + fields["uri"])]))
            ]
            seen.append((fields["nonce"], fields.get("algorithm"), matching))
        self.send_response(401)
        for number, name in enumerate(challenges):
            self.send_header("WWW-Authenticate", f'Digest realm="r", nonce="n{number}", qop="auth", algorithm={name}')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for names, answer in [
    (["MD5"], ("n0", "MD5", ["MD5"])), (["SHA-256"], ("n0", None, ["MD5"])), (["SHA-512-256"], ("n0", None, ["MD5"])),
    (["Invented"], ("n0", None, ["MD5"])), (["SHA-256", "MD5"], ("n1", "MD5", ["MD5"])),
    (["MD5", "SHA-256"], ("n1", None, ["MD5"])),
]:
    challenges[:] = names
    seen.clear()
    outcome = subprocess.run(
        ["wget", "--debug", "-O", "/dev/null", "--tries=1", "--user", "ada", "--password", "pw",
         f"http://127.0.0.1:{server.server_port}/"], timeout=20, capture_output=True, text=True)
    said = re.findall("Unsupported algorithm.*", outcome.stderr)
    print(f"asked for {' and '.join(names):15} answers with nonce, algorithm and hash {seen}; says {said}")
    assert seen == [answer], f"the answer to {names} is another one now"
    assert bool(said) == (names[-1] != "MD5"), "it says something else now"
PY
