"""client.py messages|receive url count concurrency: the messages of the other clients by Python's websockets."""

import asyncio
import json
import resource
import sys
import time

import websockets

work, url, count, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def connect():
    return websockets.connect(url, compression=None, max_size=None, proxy=None)


async def echo(socket, share):
    got = 0
    for _ in range(share):
        await socket.send("a" * 64)
        got += len(await socket.recv())
    return got


async def receive():
    got = 0
    for _ in range(count):
        async with connect() as socket:
            async for message in socket:
                got += len(message)
    return got


async def main():
    sockets = [await connect() for _ in range(width)] if work == "messages" else []
    used, begin = cpu(), time.monotonic()
    if work == "messages":
        got = sum(await asyncio.gather(*(
            echo(socket, count // width + (number < count % width)) for number, socket in enumerate(sockets))))
    else:
        got = await receive()
    wall, used = time.monotonic() - begin, cpu() - used
    print(json.dumps({"requests": count, "bytes": got, "wall": wall, "cpu": used, "errors": 0}))
    for socket in sockets:
        await socket.close()


asyncio.run(main())
