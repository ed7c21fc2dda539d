#!/usr/bin/env bash
# Package: assel 1.0.0 (PyPI: server-sent events without I/O). Needs python3 from 3.11 on.
#
# The last event ID of a stream stays until the server sets another one: each event after an `id` line has that ID, and a block of an `id`
# alone sets it although it is no event (HTML, 9.2.6: "The buffer does not get reset"). One byte order mark before the first
# line is no part of the stream (9.2.5; "UTF-8 decode" removes it).
# Expected: assel, whose parser "is trying to follow the spec", gives each event the ID that a reconnecting client has to send.
# Seen: an event has the ID of its own block only, None otherwise; the ID of a block without data is lost. With a byte order mark before
#   its first line the first event is lost, since the line's name has the mark in it.
# Why it matters: a client that keeps the last event's id sends no Last-Event-ID after an event without one, or an old one where the server
#   moved it without an event, and so misses or repeats events. Servers that mark their place once, then send many events, are within the
#   standard. Keep the last ID that is not None; what a block without data sets cannot be had.
# Nothing was found about it in public issues.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check assel==1.0.0
"$dir/venv/bin/python" - <<'PY'
from importlib.metadata import version

from assel import Parser


def events(stream):
    return [(event.data, event.id) for event in Parser().receive_bytes(stream)]


print("assel", version("assel"))
once = events(b"id: 7\ndata: one\n\ndata: two\n\nid: 9\ndata: three\n\n")
print("an id, then an event without one:", once)
alone = events(b"id: 7\ndata: one\n\nid: 8\n\ndata: two\n\n")
print("a block of an id alone:", alone)
plain, marked = events(b"data: one\n\ndata: two\n\n"), events(b"\xef\xbb\xbfdata: one\n\ndata: two\n\n")
print("without a byte order mark and with one:", plain, marked)
assert once == [("one", "7"), ("two", None), ("three", "9")], "the id stays, as the standard says"
assert alone == [("one", "7"), ("two", None)], "the id of a block without data is kept"
assert plain == [("one", None), ("two", None)]
assert marked == [("two", None)], "the byte order mark is removed"
PY
