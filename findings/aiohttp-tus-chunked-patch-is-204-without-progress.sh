#!/usr/bin/env bash
# Package: aiohttp-tus 1.1.0 (tus 1.0 server for aiohttp 3.14.5).
#
# Expected: a PATCH with a chunked body is either stored, or refused with a 4xx.
# Seen: it is answered 204 with Upload-Offset 0: a success that stored nothing; the five bytes are dropped without a word. And a
#   PATCH that is cut off half way leaves nothing either (the body seems to be written only when it is whole), so that HEAD tells
#   offset 0 and every attempt starts at the beginning.
# Why it matters: 204 is the only success that tus has for PATCH, and a client that counts its own bytes as sent would report a
# finished upload; one that believes Upload-Offset and tries again with the same kind of body loops for ever. A client must take
# the offset from the answer, treat a success without progress as a failure after a bounded number of tries, and prefer bodies
# with Content-Length. Pieces must be small enough to get through whole with such a server. The package's description mentions neither.
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
BYTES = {**TUS, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}


async def main():
    runner = web.AppRunner(setup_tus(web.Application(), upload_path=pathlib.Path("uploads")))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    async with aiohttp.ClientSession() as client:

        async def create(name, length):
            fields = {**TUS, "Upload-Length": str(length), "Upload-Metadata": "filename " + name}
            async with client.post(base + "/uploads", headers=fields) as response:
                return response.headers["Location"]

        async def offset(place):
            async with client.head(place, headers=TUS) as response:
                return response.headers["Upload-Offset"]

        async def patch(place, body):
            async with client.patch(place, headers=BYTES, data=body) as response:
                return response.status, response.headers.get("Upload-Offset"), await offset(place)

        async def pieces():
            yield b"hel"
            yield b"lo"

        plain = await patch(await create("YS50eHQ=", 10), b"hello")
        print("with Content-Length: PATCH %s, Upload-Offset %s, HEAD %s" % plain)
        chunked = await patch(await create("Yi50eHQ=", 10), pieces())
        print("chunked:             PATCH %s, Upload-Offset %s, HEAD %s" % chunked)

        place = await create("Yy50eHQ=", 100000)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "localhost", "Content-Length": "100000", **BYTES}.items())
        writer.write(f"PATCH {place.removeprefix(base)} HTTP/1.1\r\n{head}\r\n".encode() + b"a" * 50000)
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.close()
        await asyncio.sleep(0.5)
        cut = await offset(place)
        print("cut off after 50000 of 100000 bytes: HEAD", cut)
    await runner.cleanup()
    assert plain == (204, "5", "5"), "a plain PATCH behaves differently now"
    assert chunked == (204, "0", "0"), "a chunked PATCH behaves differently now"
    assert cut == "0", "a PATCH that is cut off leaves bytes now"


asyncio.run(main())
PY
