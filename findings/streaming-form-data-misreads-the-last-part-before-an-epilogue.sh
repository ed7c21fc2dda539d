#!/usr/bin/env bash
# Package: streaming-form-data 2.1.0 (Python, a parser in Cython for multipart/form-data that arrives in pieces).
#
# After the closing delimiter of a multipart body there may be a CRLF and an epilogue, which a receiver ignores (RFC 2046, 5.1.1).
# Expected: a form that ends with one CRLF more than usual is parsed like the same form without it, or else is refused.
# Seen: no error, and the last part is wrong; how depends on its length and on the pieces in which the body arrives. A short value
#   comes out empty. A value of 100,000 bytes in one piece comes out with 100,013: the closing delimiter is taken for content. In
#   pieces of 1,000 bytes the same value lacks its end. Byte by byte all is right. The other parts are right, and so is everything
#   if exactly one CRLF, or nothing, follows the delimiter.
# Why it matters: a client that ends its forms with an empty line, as some templates do, stores damaged uploads on such a server
# without any error, and the damage changes as the network cuts the body. A client library ends a form with the delimiter and one
# CRLF, nothing else; one that reads multipart stops at the closing delimiter, whatever follows in the same piece.
# Nothing was found about it at the package (a form without any part, which it refused until 2.1.0, was reported and mended).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check streaming-form-data==2.1.0
"$dir/venv/bin/python" - <<'PY'
import importlib.metadata as metadata

from streaming_form_data import StreamingFormDataParser
from streaming_form_data.targets import ValueTarget

print("streaming-form-data", metadata.version("streaming-form-data"))


def parse(value, end, piece):
    """What the second of two fields is, after a form whose last part is the value came in pieces of so many bytes."""
    part = b'--limit\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    body = part % (b"first", b"hello") + part % (b"last", value) + b"--limit--" + end
    fields = {"first": ValueTarget(), "last": ValueTarget()}
    parser = StreamingFormDataParser(headers={"Content-Type": "multipart/form-data; boundary=limit"})
    for name, target in fields.items():
        parser.register(name, target)
    for start in range(0, len(body), piece):
        parser.data_received(body[start:start + piece])
    assert fields["first"].value == b"hello", "the first field was right until now"
    return fields["last"].value


short, long = b"world", b"x" * 100_000
for end in (b"", b"\r\n"):
    for piece in (1, 16, 1_000, 1_000_000):
        assert parse(short, end, piece) == short and parse(long, end, piece) == long, "the usual ends are not read any more"
for end in (b"\r\n\r\n", b"\r\nepilogue\r\n"):
    print("--limit-- and then", end)
    values = {piece: parse(short, end, piece) for piece in (1_000_000, 16, 1)}
    print("  'world', by the size of the pieces:", values)
    assert values == {1_000_000: b"", 16: b"", 1: short}, "the short value is read otherwise now"
    whole, cut, single = (parse(long, end, piece) for piece in (1_000_000, 1_000, 1))
    print("  100000 bytes: in one piece", len(whole), whole[-15:], "in pieces of 1000", len(cut), "of one", len(single))
    assert whole.startswith(long + b"\r\n--limit--") and single == long, "the long value is read otherwise now"
    assert len(cut) < len(long) and long.startswith(cut), "the long value in pieces is read otherwise now"
PY
