"""What is measured: works, clients, and the limits that Sterna must keep."""

from dataclasses import dataclass, field

GIB = 1 << 30

# Order of the columns and bars; what each is called in tables.
CLIENTS = {
    "sterna": "Sterna",
    "sterna-loop": "Sterna on the loop",
    "sterna-stream": "Sterna, streamed",
    "ahc": "AsyncHTTPClient",
    "urlsession": "URLSession",
    "libcurl": "libcurl",
    "libcurl-256k": "libcurl, 256 KiB",
    "go": "Go net/http",
    "libwebsockets": "libwebsockets",
    "websockets": "Python's websockets",
    "wrk": "wrk",
}

# Slow clients make fewer requests, which changes nothing in the cost of one.
SHARE = {"ahc": 0.5, "urlsession": 0.15, "websockets": 0.3}


@dataclass
class Limit:
    """A figure of a client that must not pass a limit; as a ratio to another client, or as it is."""

    client: str
    most: float
    aim: float | None = None
    against: str | None = None
    metric: str | None = None  # the work's own where None


@dataclass
class Work:
    name: str
    title: str
    metric: str
    unit: str
    ask: str
    clients: list
    count: int
    quick: int
    concurrency: int = 1
    target: str = "plain"
    limits: list = field(default_factory=list)
    reference: str = "libcurl"  # which libcurl the ratios are to
    # In how many turns each client makes the requests of a round: what slows the machine for a while slows all of them.
    turns: int = 1
    # What a client is told besides; `{folder}` is that of the run.
    options: list = field(default_factory=list)
    # Where instructions are compared: what one of the two runs is told besides.
    more: list = field(default_factory=list)
    # The product that takes the place of Sterna's client; None for that.
    program: str | None = None


SMALL = ["sterna", "sterna-loop", "ahc", "urlsession", "libcurl", "go", "wrk"]
LARGE = ["sterna", "sterna-loop", "ahc", "urlsession", "libcurl", "libcurl-256k", "go"]
HTTP2 = ["sterna", "sterna-loop", "ahc", "libcurl"]



def added(name, title, most, target="plain"):
    """What a setting adds to `get`."""
    return Work(f"with-{name}", f"1 KiB GET, 64 at once, {title}", "cpu", "CPU more a request", "get", ["sterna", "sterna-stream"],
                20_000, 4_000, 64, target, [Limit("sterna", most)], turns=2, options=["--with", name])


def observed(name, title, most):
    """What observing by a backend in memory adds to `get`."""
    work = added(name, title, most)
    work.program = "Observing"
    return work


def unobserved(name, title):
    """What a backend that does nothing adds to `get`, which is too little for a clock."""
    return Work(f"with-{name}", f"1 KiB GET, {title}", "share", "instructions more a request", "get", ["sterna-loop"],
                2_000, 1_000, limits=[Limit("sterna-loop", 3)], options=["--alone"], more=["--with", name], program="Observing")


WORKS = [
    Work("get", "1 KiB GET, 64 at once", "cpu", "CPU a request", "get", SMALL, 60_000, 8_000, 64, limits=[
        Limit("sterna", 1.15, 0.8, "libcurl"), Limit("sterna-loop", 0.9, 0.65, "libcurl"),
        Limit("sterna", 0.4, 0.3, "ahc"),
        Limit("sterna", 20, metric="peak"), Limit("sterna-loop", 20, metric="peak")], turns=4),
    Work("get-tls", "1 KiB GET, 64 at once, TLS", "cpu", "CPU a request", "get", SMALL, 60_000, 8_000, 64, "tls", [
        Limit("sterna", 0.85, 0.65, "libcurl"), Limit("sterna", 0.4, 0.3, "ahc"),
        Limit("sterna", 24, metric="peak"), Limit("sterna-loop", 24, metric="peak")], turns=4),
    Work("get-h2", "1 KiB GET, 64 streams of HTTP/2", "cpu", "CPU a request", "get", HTTP2, 60_000, 8_000, 64, "http2", [
        Limit("sterna", 0.8, 0.6, "libcurl"), Limit("sterna", 0.3, None, "ahc")], turns=4),
    Work("get-sigv4", "1 KiB GET, 64 at once, AWS Signature Version 4", "cpu", "CPU a request", "get", ["sterna", "libcurl"],
         30_000, 4_000, 64, limits=[Limit("sterna", 1.5, 1.15, "libcurl")], turns=4, options=["--sign"]),
    Work("getone", "1 KiB GET, one at a time", "cpu", "CPU a request", "get", SMALL, 20_000, 3_000, 1, limits=[
        Limit("sterna", 1.15, 0.9, "libcurl"), Limit("sterna-loop", 0.85, None, "libcurl"),
        Limit("sterna", 0.35, None, "ahc")], turns=4),
    Work("download", "Download of 1 GiB", "cpu_gib", "CPU a GiB", "download", LARGE, 1, 1, 1, "large", [
        Limit("sterna", 1.9, 1.2, "libcurl-256k"), Limit("sterna-loop", 1.2, 1.0, "libcurl-256k"),
        Limit("sterna", 0.4, None, "ahc")], reference="libcurl-256k"),
    Work("save", "Download of 1 GiB to a file, synced", "cpu_gib", "CPU a GiB", "save", ["sterna", "libcurl"], 1, 1, 1, "large", [
        Limit("sterna", 1.3, None, "libcurl"), Limit("sterna", 30, metric="peak")]),
    Work("download-h2", "Download of 1 GiB, HTTP/2", "cpu_gib", "CPU a GiB", "download",
         [*HTTP2, "libcurl-256k"], 1, 1, 1, "http2-large", [Limit("sterna", 1.3, None, "libcurl")]),
    Work("streams", "100 downloads of 10 MiB at once, streams of HTTP/2", "apart", "from the first one's end to the last one's",
         "download", HTTP2, 100, 100, 100, "http2-part", [
             Limit("sterna", 10), Limit("sterna-loop", 10)]),
    Work("events", "Server-sent events of 200 bytes, as many as the connection takes", "cpu", "CPU an event", "events",
         ["sterna", "sterna-loop", "libcurl"], 40, 8, target="flat", limits=[
             Limit("sterna", 2.5, None, "libcurl"), Limit("sterna", 2.5), Limit("sterna", 20, metric="peak")], turns=2),
    Work("events-each", "Server-sent events of 200 bytes, one a write", "cpu", "CPU an event", "events",
         ["sterna", "sterna-loop", "libcurl"], 8, 2, target="each", limits=[
             Limit("sterna", 1.2, None, "libcurl")], turns=2),
    Work("websocket", "WebSocket messages of 64 bytes, one in flight on each of 64 sockets", "cpu", "CPU a message and its echo", "messages",
         ["sterna", "sterna-loop", "libwebsockets", "websockets"], 60_000, 8_000, 64, "echo", [
             Limit("sterna", 1.1, None, "libwebsockets"), Limit("sterna", 0.3, None, "websockets")],
         reference="libwebsockets", turns=4),
    Work("websocket-receive", "1 GiB in WebSocket messages of 64 KiB", "times", "CPU, as a multiple of that of a plain download", "receive",
         ["sterna", "sterna-loop"], 1, 1, target="receive", limits=[Limit("sterna", 1.5)]),
    Work("websocket-peers", "1 GiB in WebSocket messages of 64 KiB", "cpu_gib", "CPU a GiB", "receive",
         ["sterna", "sterna-loop", "libwebsockets", "websockets"], 1, 1, target="receive", reference="libwebsockets"),
    Work("upload", "Upload of a 1 GiB file", "cpu_gib", "CPU a GiB", "upload", LARGE, 1, 1, 1, "sink", [
        Limit("sterna", 0.75, 0.6, "libcurl"), Limit("sterna", 0.5, None, "ahc")]),
    Work("process", "One GET by a whole process", "wall_ms", "time", "get",
         ["sterna", "ahc", "urlsession", "libcurl", "go"], 20, 8, 1, limits=[
             Limit("sterna", 0.95, 0.7, "libcurl"), Limit("sterna", 0.6, None, "ahc")], turns=20),
    Work("allocations", "Allocations of a 1 KiB GET", "allocations", "calls of malloc a request", "get",
         ["sterna", "sterna-loop", "ahc", "urlsession", "libcurl"], 12_000, 4_000, 64, limits=[
             Limit("sterna", 32, 20), Limit("sterna-loop", 32, 20)]),
    Work("state", "Cookies and HSTS that are on but empty", "more", "user time more a request, by instructions", "get",
         ["sterna-loop"], 2_000, 1_000, limits=[Limit("sterna-loop", 0.6)], more=["--state"]),
    Work("cookies", "20 cookies from a jar of 100,000", "cpu", "CPU more a request", "cookies", ["sterna"], 100_000, 20_000,
         target="cookies", limits=[Limit("sterna", 5)], turns=4),
    added("interceptor", "one interceptor that only calls the next", 0.8),
    added("interceptors", "five of them", 2),
    added("credential", "a credential that the server does not ask for", 1),
    added("digest", "a credential by Digest, after the first challenge", 6, "digest"),
    added("token", "a token", 1),
    added("retry", "a retry of the request", 1),
    added("cookies", "five cookies", 1),
    added("observer", "an observer", 1),
    added("metrics", "metrics", 1),
    added("coalescing", "coalesced, each call another URL", 2.5),
    Work("with-one-url", "1 KiB GET, 64 at once for one URL, coalesced", "times", "CPU, as a multiple of that without", "get",
         ["sterna", "sterna-stream"], 20_000, 4_000, 64, limits=[Limit("sterna", 0.6)], turns=2, options=["--with", "one-url"]),
    added("all", "an interceptor, a token, a retry, cookies and metrics", 3.5),
    unobserved("logs-noop", "a logger whose level is above all lines"),
    unobserved("traces-noop", "a tracer that does nothing"),
    unobserved("metrics-noop", "a metrics factory that does nothing"),
    observed("logs", "logs at `debug`, whose lines are thrown away", 10),
    observed("traces", "traces, by a tracer in memory", 4),
    observed("metrics-backend", "metrics, by a backend in memory", 4),
    observed("recorder", "a recorder in memory", 8),
    Work("hit", "1 KiB from the cache in memory", "cpu", "CPU a request", "get", ["sterna"], 200_000, 40_000,
         target="cacheable", limits=[Limit("sterna", 6)], turns=4, options=["--cache", "memory"]),
    Work("hit-allocations", "Allocations of 1 KiB from the cache in memory", "allocations", "calls of malloc a request", "get",
         ["sterna"], 12_000, 4_000, target="cacheable", limits=[Limit("sterna", 15)], options=["--cache", "memory"]),
    Work("hit-disk", "1 KiB from the cache on disk", "cpu", "CPU a request", "get", ["sterna"], 40_000, 8_000,
         target="cacheable", limits=[Limit("sterna", 60)], turns=4, options=["--cache", "{folder}/cache"]),
    Work("stored", "Download of 1 GiB that the cache on disk stores", "times", "CPU, as a multiple of a download to a file", "download",
         ["sterna"], 1, 1, target="cacheable-large", limits=[Limit("sterna", 1.2)], options=["--cache", "{folder}/cache"]),
    Work("origins", "10,000 requests at once to 1,000 origins", "p99", "until 99 of 100 are done", "origins",
         ["sterna", "sterna-loop", "ahc", "libcurl", "go"], 10_000, 10_000, 10_000, "many", [
             Limit("sterna", 0, metric="errors"), Limit("sterna-loop", 0, metric="errors"),
             Limit("sterna", 1.25, None, "libcurl"), Limit("sterna-loop", 1.25, None, "libcurl")]),
    Work("idle", "An idle connection", "idle_kib", "memory", "idle",
         ["sterna", "ahc", "libcurl"], 10_000, 4_000, 10_000, "slow", [Limit("sterna", 16)]),
]

METRICS = {  # of a sample: unit and digits
    "cpu": ("us", 1), "cpu_gib": ("s", 3), "wall_ms": ("ms", 2), "allocations": ("", 1), "p99": ("s", 3),
    "apart": ("%", 1), "share": ("%", 2), "more": ("us", 2), "times": ("times", 2),
    "idle_kib": ("KiB", 1), "peak": ("MB", 1), "errors": ("", 0),
}


def by_name(name):
    return next((work for work in WORKS if work.name == name), None)
