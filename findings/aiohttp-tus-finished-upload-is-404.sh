#!/usr/bin/env bash
# Package: aiohttp-tus 1.1.0 (tus 1.0 server for aiohttp 3.14.5).
#
# Expected: after the last byte, HEAD still answers 200 with Upload-Offset equal to Upload-Length, as it does just before; at the
#   least for long enough that a client whose last answer was lost can find out that it is done.
# Seen: with the last byte the upload's resource is gone at once: HEAD answers 404, although the file is complete on the server.
# Why it matters: the last 204 is lost as easily as any other answer. The usual advice, "404 on HEAD: the upload expired, create a
# new one", then uploads a whole file twice; this server answers 409 to the second creation, since the file name is taken. A
# client should keep the two cases apart: 404 after a PATCH that carried the last byte and got no answer means "probably done".
# tus leaves the life of a finished upload to the server; other servers keep it. The package's description does not mention it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install -q --no-compile --disable-pip-version-check aiohttp-tus==1.1.0 aiohttp==3.14.5
cd "$dir"
mkdir uploads
"$dir/venv/bin/python" - <<'PY'
import asyncio
import importlib.metadata as metadata
import logging
import pathlib

import aiohttp
from aiohttp import web
from aiohttp_tus import setup_tus

logging.disable(logging.CRITICAL)
print("aiohttp-tus", metadata.version("aiohttp-tus"), "aiohttp", metadata.version("aiohttp"))
TUS = {"Tus-Resumable": "1.0.0"}


async def main():
    runner = web.AppRunner(setup_tus(web.Application(), upload_path=pathlib.Path("uploads")))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    base = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    async with aiohttp.ClientSession() as client:

        async def ask(method, place, **named):
            fields = {**TUS, **named.pop("fields", {})}
            async with client.request(method, place, headers=fields, **named) as response:
                return response.status, response.headers.get("Upload-Offset"), response.headers.get("Location")

        async def patch(place, start, body):
            fields = {"Upload-Offset": str(start), "Content-Type": "application/offset+octet-stream"}
            return (await ask("PATCH", place, fields=fields, data=body))[:2]

        new = {"Upload-Length": "10", "Upload-Metadata": "filename YS50eHQ="}
        place = (await ask("POST", base + "/uploads", fields=new))[2]
        first = await patch(place, 0, b"01234")
        before = (await ask("HEAD", place))[:2]
        last = await patch(place, 5, b"56789")
        after = (await ask("HEAD", place))[:2]
        stored = [path.read_bytes() for path in pathlib.Path("uploads").rglob("a.txt")]
        second = (await ask("POST", base + "/uploads", fields=new))[0]
        print("first half:", first, "HEAD:", before)
        print("last half: ", last, "HEAD:", after, "on the server:", stored, "new POST:", second)
    await runner.cleanup()
    assert first == (204, "5") and before == (200, "5"), "the first half behaves differently now"
    assert last == (204, "10") and after == (404, None), "a finished upload behaves differently now"
    assert stored == [b"0123456789"], "the file is not where it was"
    assert second == 409, "the second creation behaves differently now"


asyncio.run(main())
PY
