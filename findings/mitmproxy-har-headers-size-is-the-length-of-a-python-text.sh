#!/usr/bin/env bash
# Package: mitmproxy 11.0.2 (the newest for Python 3.11), its export of flows as HAR 1.2.
#
# HAR says of headersSize: the bytes from the start of the message up to and including the empty line before the body. Of
# content.size: the length of the returned content, equal to bodySize without compression and bigger with it.
# Expected: for a gzip answer of 1,000 letters, content.size 1000, compression the difference to bodySize, and a headersSize that is
#   the length of the head as it was on the wire.
# Seen: headersSize is the length of the text that Python shows for the fields: Headers[(b'Content-Type', b'text/plain'), ...]. It
#   leaves out the first line and counts quotes and brackets: for an answer without any field it is 9, the length of "Headers[]".
#   content.size is the compressed length, so that size less compression, which should be bodySize, is below zero.
# Why it matters: the numbers look plausible, and they are what one would compare a client's own count of bytes with. A HAR reader
# takes the content's length from its text (base64 if `encoding` says so), and the head's from the fields, not from these numbers.
# The content's size was reported to selenium-wire, which has the same code; nothing was found about the head's.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check mitmproxy==11.0.2
"$dir/venv/bin/python" - <<'PY'
import gzip
import importlib.metadata as metadata

from mitmproxy import http
from mitmproxy.addons.savehar import SaveHar
from mitmproxy.net.http.http1 import assemble_response_head
from mitmproxy.test.tflow import tflow

print("mitmproxy", metadata.version("mitmproxy"))


def export(status, fields, body):
    """The HAR response of an answer, and how long its head is on the wire."""
    response = http.Response(b"HTTP/1.1", status, b"OK", http.Headers(fields), body, None, 0, 1)
    entry = SaveHar().make_har([tflow(resp=response)])["log"]["entries"][0]["response"]
    return entry, len(assemble_response_head(response))


text = b"a" * 1_000
coded = gzip.compress(text, mtime=0)
kind = (b"Content-Type", b"text/plain")
for fields, body in (([kind], text), ([kind, (b"Content-Encoding", b"gzip")], coded)):
    entry, head = export(200, fields, body)
    content = entry["content"]
    print(f"head of {head} bytes: headersSize {entry['headersSize']}; body of {len(body)}: bodySize {entry['bodySize']},",
          f"content.size {content['size']}, compression {content['compression']}, text of {len(content['text'])} letters")
    assert entry["bodySize"] == len(body) and len(content["text"]) == 1_000, "the body is exported otherwise now"
    assert content["size"] == len(body) and content["compression"] == 1_000 - len(body), "the content is counted otherwise now"
    assert entry["headersSize"] == len(repr(http.Headers(fields))) != head, "the head is counted otherwise now"
entry, head = export(204, [], b"")
print(f"no field, head of {head}: headersSize {entry['headersSize']}")
assert entry["headersSize"] == len("Headers[]"), "a head without fields is counted otherwise now"
PY
