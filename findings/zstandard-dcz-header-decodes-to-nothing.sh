#!/usr/bin/env bash
# Packages: zstandard 0.25.0 and backports.zstd 1.8.0 (Python), decoding the HTTP content coding `dcz`.
#
# A `dcz` body (Compression Dictionary Transport, RFC 9842) is 40 bytes of header and then a Zstandard frame. The header was made
# to be a valid Zstandard skippable frame, so that a plain Zstandard decoder that knows the dictionary walks over it by itself.
# Expected: handing the whole body and the dictionary to the decoder gives the content, whichever call is used.
# Seen: only the file-like reader and copy_stream (zstandard) and the one-shot function (backports.zstd) do that.
#   - zstandard, one shot: an error, "decompressed 0 bytes; expected 32": the 32 bytes of the dictionary's hash inside the
#     skippable frame are taken for the size of the content.
#   - zstandard, decompressobj(): no error, no bytes, and `eof` is true with the real frame left over in `unused_data`.
#   - backports.zstd, incremental decompressor: the same silent nothing.
# Why it matters: the incremental objects are what HTTP clients build content decoding on; a 200 with a full body turns into an
# empty one without any error. A client must strip (and check) the 40 bytes itself, or go on decoding after the first frame.
# That the incremental calls stop after one frame is known (issues of the package); nothing was found about a skippable frame
# counting as that frame, nor about the wrong size of the one-shot call.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check zstandard==0.25.0 backports.zstd==1.8.0
"$dir/venv/bin/python" - <<'PY'
import hashlib
import importlib.metadata as metadata
import io

import zstandard
from backports import zstd

print("zstandard", metadata.version("zstandard"), "backports.zstd", metadata.version("backports.zstd"))
dictionary = b"the quick brown fox jumps over the lazy dog. " * 40
content = dictionary[:1000] + b"and something new"
raw = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
frame = zstandard.ZstdCompressor(dict_data=raw).compress(content)
body = bytes.fromhex("5e2a4d1820000000") + hashlib.sha256(dictionary).digest() + frame
decoder = lambda: zstandard.ZstdDecompressor(dict_data=raw)

assert decoder().decompress(body[40:]) == content, "the frame alone must decode"
assert decoder().stream_reader(io.BytesIO(body)).read() == content, "the reader walks over the header"

try:
    one_shot = repr(decoder().decompress(body))
except zstandard.ZstdError as error:
    one_shot = str(error)
print("zstandard one shot:       ", one_shot)
assert "decompressed 0 bytes; expected 32" in one_shot, "one-shot call behaves differently now"

piecewise = decoder().decompressobj()
out = piecewise.decompress(body)
print("zstandard decompressobj:  ", out, "eof:", piecewise.eof, "left over:", len(piecewise.unused_data), "of", len(frame))
assert out == b"" and piecewise.eof and piecewise.unused_data == frame, "decompressobj behaves differently now"

other = zstd.ZstdDict(dictionary, is_raw=True)
assert zstd.decompress(body, zstd_dict=other) == content, "backports.zstd one shot decodes"
piecewise = zstd.ZstdDecompressor(zstd_dict=other)
out = piecewise.decompress(body)
print("backports.zstd incremental:", out, "eof:", piecewise.eof, "left over:", len(piecewise.unused_data), "of", len(frame))
assert out == b"" and piecewise.eof and piecewise.unused_data == frame, "backports.zstd behaves differently now"
PY
