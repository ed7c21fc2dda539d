#!/usr/bin/env bash
# Program: Apache httpd 2.4.71 (Debian 12, apache2-bin) with mod_deflate, serving plain text files.
#
# Expected: to `Range: bytes=0-3` with `Accept-Encoding: gzip` the server answers from the file as it lies on the disk (206, no
#   Content-Encoding), or, since it would compress on the fly, with 200; and whichever it is, the same for all text files.
# Seen: a text file of 6 kB gets 206 with Content-Encoding: gzip and a Content-Range that counts the compressed bytes: the server
#   compresses the file and cuts the range out of that stream. A text file of 3 MB gets 200 and the whole compressed stream, presumably
#   because ranges are cut only when the compressed answer is complete in one piece. Both answers say Accept-Ranges: bytes, and have an ETag
#   that ends in -gzip. That same ETag is taken in If-Range, but not in If-None-Match (a known, old defect), which gets 200.
# Why it matters: whether a download can be resumed is not a property of the server or of the resource, but of the coding and the
# size together. A client that resumes asks for `identity`, or keeps compressed bytes and counts in them; it never mixes offsets of
# the decoded content with ranges of a coded one, and does not conclude from one 206 (or 200) how the next file behaves.
# The standard puts ranges on the coded content, so the 206 is right; nothing was found that documents the dependence on size.
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
seq -f 'line %g of some text' 300 > "$dir/www/small.txt"
seq -f 'line %.0f of some text' 150000 > "$dir/www/large.txt"
touch -d '2024-01-01 00:00:00' "$dir"/www/*.txt  # an ETag is weak while its file is new
cat > "$dir/httpd.conf" <<CONF
ServerRoot $dir
ServerName localhost
Listen 127.0.0.1:$port
PidFile $dir/pid
ErrorLog $dir/error
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule mime_module $modules/mod_mime.so
LoadModule filter_module $modules/mod_filter.so
LoadModule deflate_module $modules/mod_deflate.so
TypesConfig /dev/null
AddType text/plain .txt
AddOutputFilterByType DEFLATE text/plain
DocumentRoot $dir/www
<Directory $dir/www>
Require all granted
</Directory>
CONF
chmod -R a+rX "$dir"
"$httpd" -f "$dir/httpd.conf" -k start
python3 - "$port" <<'PY'
import gzip
import http.client
import sys
import time


def ask(path, **fields):
    fields = {name.replace("_", "-"): value for name, value in fields.items()}
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
            connection.request("GET", path, headers=fields)
            response = connection.getresponse()
            content = response.read()
            connection.close()
            got = {name.lower(): value for name, value in response.getheaders()}
            print(path, fields, "->", response.status, got.get("content-encoding", "identity"), got.get("content-range", "whole"))
            return response.status, got, content
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit("the server did not start")


small = ask("/small.txt", Accept_Encoding="gzip")
large = ask("/large.txt", Accept_Encoding="gzip")
part = ask("/small.txt", Accept_Encoding="gzip", Range="bytes=0-3")
assert part[0] == 206 and part[1]["content-encoding"] == "gzip" and part[2] == small[2][:4], "the small file behaves differently now"
assert part[1]["content-range"] == f"bytes 0-3/{len(small[2])}" and len(gzip.decompress(small[2])) > len(small[2])
all_of_it = ask("/large.txt", Accept_Encoding="gzip", Range="bytes=0-3")
assert all_of_it[0] == 200 and all_of_it[1]["accept-ranges"] == "bytes", "the large file behaves differently now"
assert gzip.decompress(all_of_it[2]) == gzip.decompress(large[2]), "the large file is not whole"
plain = ask("/large.txt", Range="bytes=0-3")
assert plain[0] == 206 and plain[2] == b"line", "a range without a coding behaves differently now"
tag = small[1]["etag"]
same = ask("/small.txt", Accept_Encoding="gzip", Range="bytes=0-3", If_Range=tag)
again = ask("/small.txt", Accept_Encoding="gzip", If_None_Match=tag)
assert same[0] == 206 and again[0] == 200, "the -gzip ETag behaves differently now"
PY
