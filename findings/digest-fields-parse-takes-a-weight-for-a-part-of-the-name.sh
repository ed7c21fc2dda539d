#!/usr/bin/env bash
# Packages: digest-fields-parse 0.1.1 (PyPI: "RFC 9530 HTTP Digest field parser and serializer"); http-sf 1.5.0 reads the same fields as
# structured ones. Needs python3 from 3.11 on.
#
# Want-Content-Digest and Want-Repr-Digest are dictionaries of weights from 0, "not acceptable", to 10, the most preferred (RFC 9530, 4):
# `sha-512=3, sha-256=10, unixsum=0`. `sha-512;q=0.3` was the form of Want-Digest (RFC 3230) and of early drafts.
# Expected: a library of RFC 9530 reads the RFC's own example, and writes what readers of the RFC understand.
# Seen: the weight is taken for a part of the algorithm's name, so that all three are wanted alike and none is known by its name, the one
#   that is not acceptable included. What it writes, `sha-256;q=1`, is a dictionary whose value is true, which RFC 9530 does not allow
#   there. A digest that it has read and writes again has lost its padding, which writers of structured fields have to send (RFC 9651, 4.1.8).
# Why it matters: the name of the RFC in a package's summary is no proof of its syntax. A server that finds no algorithm it knows sends no
#   digest, without an error on either side; a client had better check digests that come unasked, and not count on its wish.
# Nothing was found about it in public issues; the package is of 2026-08.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check digest-fields-parse==0.1.1 http-sf==1.5.0
"$dir/venv/bin/python" - <<'PY'
from importlib.metadata import version

import http_sf
from digest_fields_parse import (
    parse_repr_digest, parse_want_repr_digest, serialize_repr_digest, serialize_want_repr_digest)

print("digest-fields-parse", version("digest-fields-parse"), "http-sf", version("http-sf"))


def weights(field):
    return {name: value for name, (value, _) in http_sf.parse(field.encode(), tltype="dictionary").items()}


wish = "sha-512=3, sha-256=10, unixsum=0"
read = [(each.algorithm, each.q) for each in parse_want_repr_digest(wish)]
print(wish, "is read as", read, "and by http-sf as", weights(wish))
written = serialize_want_repr_digest([{"algorithm": "sha-256", "q": 1.0}])
print("written:", written, "which http-sf reads as", weights(written))
digest = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
again = serialize_repr_digest(parse_repr_digest(digest))
print(digest, "is written as", again)
assert weights(wish) == {"sha-512": 3, "sha-256": 10, "unixsum": 0}
assert read == [("sha-512=3", 1.0), ("sha-256=10", 1.0), ("unixsum=0", 1.0)], "weights are read"
assert weights(written) == {"sha-256": True}, "weights are written"
assert again == digest[:-2] + ":", "the padding is written"
PY
