"""Servers of PyPI."""
import threading
import time

from apps import AIOHTTP, ASGI, CHEROOT, FLASK, SANIC, TEXT, TORNADO, TWISTED, WSGI
from harness import PYTHON, Relay, Server, row, same, tern

FILES = {"wsgi.py": WSGI, "asgi.py": ASGI, "file.txt": TEXT * 30}
CODES = ("-w", "%{http_code} %{num_connects}\\n")


def waitress():
    return Server(PYTHON, "-m", "waitress", "--listen=127.0.0.1:{port}", "wsgi:app", files=FILES)


def cheroot(timeout=10):
    return Server(PYTHON, "-c", CHEROOT, "{port}", timeout, files=FILES)


def gunicorn():
    return Server(PYTHON, "-m", "gunicorn", "-b", "127.0.0.1:{port}", "-k", "gthread", "--threads", "4", "wsgi:app", files=FILES)


def hypercorn(settings=""):
    return Server(
        PYTHON, "-m", "hypercorn", "-c", "{folder}/settings.toml", "asgi:app",
        files={**FILES, "settings.toml": 'bind = ["127.0.0.1:{port}"]\n' + settings})


def granian():
    return Server(
        PYTHON, "-m", "granian", "--interface", "asgi", "--host", "127.0.0.1", "--port", "{port}", "asgi:app", files=FILES)


def daphne():
    return Server(PYTHON, "-m", "daphne", "-b", "127.0.0.1", "-p", "{port}", "asgi:app", files=FILES)


def aiohttp():
    return Server(PYTHON, "-c", AIOHTTP, "{port}", files=FILES)


def tornado():
    return Server(PYTHON, "-c", TORNADO, "{port}", files=FILES)


def sanic():
    return Server(PYTHON, "app.py", "{port}", files={**FILES, "app.py": SANIC})


def flask():
    return Server(PYTHON, "-c", FLASK, "{port}", "{folder}", files=FILES)


def twisted():
    return Server(PYTHON, "-c", TWISTED, "{port}", files=FILES)


def head_with_body(server):
    """HEAD has GET's content; tern reads none of it for a response, and the GET after it gets its own."""
    answer = server.ask("HEAD")
    same((answer.status, answer.body), (200, TEXT.encode()))
    for _ in range(3):
        heads = tern("-I", "-o", "/dev/null", *CODES, server.url(), "--next", "-s", server.url())
        same((heads.status, heads.out), (0, "200 1\n" + TEXT), heads)


HEAD_IS_RIGHT = "The body after HEAD is read by no request: the next one gets its own response on a fresh connection."


@row(
    "waitress 3.0.2", "Sends the body that the application returns to HEAD, on a connection that it keeps",
    HEAD_IS_RIGHT, "ServerConductTests")
def waitress_head():
    with waitress() as server:
        head_with_body(server)


@row("cheroot 11.1.2", "Sends the body that the application returns to HEAD, on a connection that it keeps", HEAD_IS_RIGHT)
def cheroot_head():
    with cheroot() as server:
        head_with_body(server)


@row("aiohttp 3.14.5", "Sends what a `StreamResponse` writes to HEAD, on a connection that it keeps", HEAD_IS_RIGHT, "ServerConductTests")
def aiohttp_head():
    with aiohttp() as server:
        head_with_body(server)


@row(
    "daphne 4.2.3", "Sends the body that the application returns to HEAD from its second piece on, on a connection that it keeps", HEAD_IS_RIGHT)
def daphne_head():
    with daphne() as server:
        answer = server.ask("HEAD", "/pieces")
        same((answer.status, answer.body, server.ask("HEAD").body), (200, TEXT[5:].encode(), b""))
        with server.connect() as connection:
            connection.send(b"HEAD /pieces HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            connection.until(TEXT[5:].encode())
            assert connection.is_open_after(2), "it closes"
        for _ in range(3):
            heads = tern("-I", "-o", "/dev/null", *CODES, server.url("/pieces"), "--next", "-s", server.url("/pieces"))
            same((heads.status, heads.out), (0, "200 1\n" + TEXT), heads)


@row("granian 2.8.9", "Sends DATA after the response to HEAD over HTTP/2", "The data is discarded, and the connection goes on.")
def granian_head():
    import h2.connection
    import h2.events

    with granian() as server:
        with server.connect() as connection:
            client = h2.connection.H2Connection()
            client.initiate_connection()
            client.send_headers(1, [(":method", "HEAD"), (":scheme", "http"), (":authority", "x"), (":path", "/")], end_stream=True)
            connection.send(client.data_to_send())
            # DATA of stream 1, of any length: the frame's type follows three bytes of length.
            seen = connection.until(TEXT.encode(), 10)
            frames, position = [], 0
            while position + 9 <= len(seen):
                length, kind = int.from_bytes(seen[position:position + 3], "big"), seen[position + 3]
                frames.append((kind, length))
                position += 9 + length
            assert any(frame == (0, len(TEXT)) for frame in frames), frames
        heads = tern(
            "--http2-prior-knowledge", "-I", "-o", "/dev/null", *CODES, server.url(), "--next", "-s", "--http2-prior-knowledge",
            *CODES, server.url())
        same((heads.status, heads.out), (0, "200 1\n" + TEXT + "200 0\n"), heads)


@row(
    "hypercorn 0.18.0", "Closes the connection at the client's GOAWAY over HTTP/2, also while it has a request to answer",
    "A connection with requests gets no GOAWAY from Sterna, unless they have failed.")
def hypercorn_goaway():
    import h2.connection

    with hypercorn() as server:
        with server.connect() as connection:
            client = h2.connection.H2Connection()
            client.initiate_connection()
            fields = [(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", "/slow/3")]
            client.send_headers(1, fields, end_stream=True)
            connection.send(client.data_to_send())
            time.sleep(1)
            # GOAWAY without an error (RFC 9113, 6.8): the client takes no pushed streams.
            connection.send(b"\0\0\x08\x07\0\0\0\0\0" + b"\0" * 8)
            assert TEXT.encode() not in connection.rest(30), "it answers"
        three = [server.url(path) for path in ("/slow/2", "/", "/slow/1")]
        seen = tern("--http2-prior-knowledge", "-Z", *CODES, *three)
        same((seen.status, seen.out.count(TEXT), seen.out.count("200 ")), (0, 3, 3), seen)


@row(
    "hypercorn 0.18.0",
    "Sends GOAWAY over HTTP/2 for a request beyond `keep_alive_max_requests`, and closes without a response to those under way",
    "Requests that may be repeated are sent again, on another connection; the others are an error that says so.")
def hypercorn_last_request():
    for method in ("GET", "POST"):
        with hypercorn("keep_alive_max_requests = 8\n") as server, Relay(server) as relay:
            seen = tern("--http2-prior-knowledge", "--jobs", "3", "-X", method, *CODES, *[relay.url("/slow/0.2")] * 20)
            lost = sum(each.server_goaway or 0 for each in relay.connections)
            assert lost >= 3, relay.connections
            same([each.client_goaway or 0 for each in relay.connections], [0] * len(relay.connections))
            same(sum(each.requests for each in relay.connections), 20 + lost * (method == "GET"))
            same((seen.status, seen.out.count(TEXT)), (0, 20) if method == "GET" else (56, 20 - lost), seen)
            same(seen.err.count("closed the connection without a response"), 0 if method == "GET" else lost)


@row("daphne 4.2.3", "Has no Date in its responses", "They are fresh from when they arrived.")
def daphne_date():
    with daphne() as server:
        same((server.ask()["date"], server.ask().status), (None, 200))
        same(tern(server.url()).out, TEXT)


@row("sanic 25.12.1", "Has no Date in its responses", "They are fresh from when they arrived.")
def sanic_date():
    with sanic() as server:
        same((server.ask()["date"], server.ask().status), (None, 200))
        same(tern(server.url()).out, TEXT)


@row("sanic 25.12.1", "States `content-length: 0` to HEAD of a file", "A download asks by GET, and is whole.")
def sanic_head():
    with sanic() as server:
        answer = server.ask("HEAD", "/file")
        same((answer.status, answer["content-length"]), (200, "0"))
        same(server.ask("GET", "/file")["content-length"], str(len(TEXT) * 30))
        done = tern("--download", "-o", server.folder / "got.txt", server.url("/file"))
        same((done.status, (server.folder / "got.txt").read_text()), (0, TEXT * 30), done)


def expects(server, path="/read"):
    """A request with Expect whose body waits for the 100, which tern takes a body of 3 MB to send."""
    with server.connect() as connection:
        connection.send(
            f"PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n".encode())
        interim = connection.until(b"\r\n\r\n")
        connection.send(b"01234")
        return interim, connection.rest()


def uploads(server, path="/read", size=2_000_000):
    (server.folder / "big.bin").write_bytes(b"x" * size)
    sent = tern("PUT", server.url(path), f"@{server.folder}/big.bin", "Expect:100-continue")
    same((sent.status, sent.out), (0, f"{size} bytes\n"), sent)


@row("Werkzeug 3.1.9", "Sends 100 twice", "Both are skipped.")
def werkzeug_continue():
    with flask() as server:
        same(expects(server)[1].count(b"HTTP/1.1 100 Continue\r\n\r\n"), 2)
        uploads(server)


@row("tornado 6.6.1", "Writes `HTTP/1.1 100 (Continue)`", "It is a 100.", "ServerConductTests")
def tornado_continue():
    with tornado() as server:
        same(expects(server)[0], b"HTTP/1.1 100 (Continue)\r\n\r\n")
        uploads(server)


@row(
    "hypercorn 0.18.0", "Leaves the reason phrase empty, in 100 and final responses",
    "The status is all that counts.", "ServerConductTests")
def hypercorn_reason():
    with hypercorn() as server:
        interim, all_of_it = expects(server)
        assert interim.startswith(b"HTTP/1.1 100 \r\n"), interim
        assert b"\r\n\r\nHTTP/1.1 200 \r\n" in all_of_it, all_of_it
        uploads(server)


@row(
    "cheroot 11.1.2", "Sends 408 on a connection that has had no request, when its time is over, and closes",
    "The 408 answers no request: the next one has a fresh connection.")
def cheroot_408():
    with cheroot(timeout=2) as server:
        with server.connect() as connection:
            assert connection.rest().startswith(b"HTTP/1.1 408 "), connection.seen
        after_a_pause(server, 4)


def trailers(server, path="/read"):
    with server.connect() as connection:
        connection.send(
            f"PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n".encode()
            + b"5\r\n01234\r\n0\r\nX-Sum: 7\r\n\r\n")
        return connection.until(b"400 ", 5)


@row(
    "cheroot 11.1.2", "Takes the line after a request's trailers for the next request's, and answers 400",
    "`tern` sends no trailers, and a session only those of a body's `withTrailers`.")
def cheroot_trailers():
    with cheroot() as server:
        seen = trailers(server)
        assert b"5 bytes\nHTTP/1.1 400 Bad Request" in seen, seen
        same(tern("PUT", server.url("/read"), "--data-binary", "01234").out, "5 bytes\n")


@row("tornado 6.6.1", "Answers a request with trailers by 400", "`tern` sends no trailers, and a session only those of a body's `withTrailers`.")
def tornado_trailers():
    with tornado() as server:
        assert trailers(server).startswith(b"HTTP/1.1 400 "), trailers(server)
        same(tern("-X", "PUT", "--data-binary", "01234", server.url("/read")).out, "5 bytes\n")


@row("sanic 25.12.1", "Answers a request with trailers by 400", "`tern` sends no trailers, and a session only those of a body's `withTrailers`.")
def sanic_trailers():
    with sanic() as server:
        assert trailers(server).startswith(b"HTTP/1.1 400 "), trailers(server)
        same(tern("-X", "PUT", "--data-binary", "01234", server.url("/read")).out, "5 bytes\n")


@row("Werkzeug 3.1.9", "Answers a request with trailers by 500", "`tern` sends no trailers, and a session only those of a body's `withTrailers`.")
def werkzeug_trailers():
    with flask() as server:
        seen = trailers(server)
        assert seen.startswith(b"HTTP/1.1 500 "), seen
        same(tern("-X", "PUT", "--data-binary", "01234", server.url("/read")).out, "5 bytes\n")


def after_a_pause(server, seconds, methods=("GET", "PUT")):
    """Two requests to a server, of the same tern, with a request between them that another takes so long to answer."""
    with hypercorn() as pause:
        for method in methods:
            seen = tern(server.url("/read"), "-X", method, "--next", "-s", "--timeout", seconds + 30, pause.url(f"/slow/{seconds}"),
                        "--next", "-s", "-X", method, *CODES, server.url("/read"), seconds=seconds + 90)
            same((seen.status, seen.out.count("\n")), (0, 4), seen)
            assert seen.out.endswith("\n200 1\n"), seen


def idle(server):
    with server.connect() as connection:
        connection.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connection.until(TEXT.encode())
        start = time.monotonic()
        assert not connection.is_open_after(200), "it does not close"
        return time.monotonic() - start


@row(
    "gunicorn 27.0.1, gthread", "Closes a connection that was idle for 2 s",
    "A request that finds it closed is sent on a fresh one.", "ServerConductTests")
def gunicorn_idle():
    with gunicorn() as server:
        assert 1.5 < idle(server) < 4
        after_a_pause(server, 4)


@row(
    "gunicorn 27.0.1, gthread", "Announces `keep-alive` with a response that it sends before it has read the body, and closes",
    "The response is delivered, and the next request has a fresh connection.")
def gunicorn_unread():
    with gunicorn() as server:
        with server.connect() as connection:
            connection.send(b"PUT /unread HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n")
            start = time.monotonic()
            seen = connection.rest(20)
            assert b"HTTP/1.1 413 " in seen and b"Connection: keep-alive" in seen, seen
            assert time.monotonic() - start < 15, "it keeps the connection"
        (server.folder / "big.bin").write_bytes(b"x" * 5_000_000)
        for _ in range(5):
            sent = tern(
                "PUT", server.url("/unread"), f"@{server.folder}/big.bin", "-w", "%{http_code}\\n", "--next", "-s", server.url())
            same((sent.status, sent.out), (0, "no!\n413\n" + TEXT), sent)


@row("hypercorn 0.18.0", "Closes a connection that was idle for 5 s", "A request that finds it closed is sent on a fresh one.")
def hypercorn_idle():
    with hypercorn() as server:
        assert 4.5 < idle(server) < 8
        after_a_pause(server, 7)


@row("waitress 3.0.2", "Closes a connection that was idle for 120 to 150 s", "Sterna closes it first, after 50 s by default.")
def waitress_idle():
    with waitress() as server:
        times = []
        waits = threading.Thread(target=lambda: times.append(idle(server)))
        waits.start()
        # The server keeps the connection for as long, tern does not.
        after_a_pause(server, 65, ["PUT"])
        waits.join()
        assert 115 < times[0] < 160, times


@row(
    "aiohttp 3.14.5", "Answers what it cannot read in HTTP/1.0",
    "The version of a response binds only its own connection: the next request is sent in 1.1.", "ServerConductTests")
def aiohttp_version():
    with aiohttp() as server:
        answer = server.ask("GET", "/", ["X-Long: " + "x" * 9000])
        same(answer.line, "HTTP/1.0 400 Bad Request")
        both = tern(server.url(), "X-Long:" + "x" * 9000, "-o", "/dev/null", *CODES, "--next", "-s", server.url())
        same((both.status, both.out), (0, "400 1\n" + TEXT), both)


def asks_for(server, path, ranges):
    answer = server.ask("GET", path, [f"Range: bytes={ranges}"])
    return answer.status, answer["content-range"]


@row(
    "aiohttp 3.14.5", "Answers several ranges by 416, whose Content-Range has the length",
    "An error names the status.", "ServerConductTests")
def aiohttp_ranges():
    with aiohttp() as server:
        same(asks_for(server, "/file", "0-1,5-6"), (416, "bytes */990"))
        same(asks_for(server, "/file", "0-1"), (206, "bytes 0-1/990"))
        refused = tern("--fail", "-r", "0-1,5-6", server.url("/file"))
        same(refused.status, 22, refused)
        assert "416" in refused.err, refused


@row("Werkzeug 3.1.9", "Answers several ranges by 416, whose Content-Range has the length", "An error names the status.")
def werkzeug_ranges():
    with flask() as server:
        same(asks_for(server, "/file", "0-1,5-6"), (416, "bytes */990"))
        refused = tern("--fail", "-r", "0-1,5-6", server.url("/file"))
        same(refused.status, 22, refused)
        assert "416" in refused.err, refused


def limit(server, target, field):
    """What a target of so many bytes, and a field of so many, are answered by."""
    seen = server.ask("GET", "/" + "x" * target)
    same(server.ask("GET", "/" + "x" * 1000).status in (200, 403, 404, 500), True)
    return seen.status, server.ask("GET", "/", ["X-Long: " + "x" * field]).status


def refuses_long(server, status):
    refused = tern("--fail", server.url(), "X-Long:" + "x" * 70000)
    same(refused.status, 22, refused)
    assert str(status) in refused.err, refused


@row("gunicorn 27.0.1", "Answers a target above 4,094 bytes by 414, a field above 8,190 by 431", "An error names the status.")
def gunicorn_limits():
    with gunicorn() as server:
        same(limit(server, 5000, 9000), (414, 431))
        refuses_long(server, 431)


@row("Werkzeug 3.1.9", "Answers a target or a field above 65,536 bytes by 414 and 431", "An error names the status.")
def werkzeug_limits():
    with flask() as server:
        same(limit(server, 70000, 70000), (414, 431))
        refuses_long(server, 431)


@row("hypercorn 0.18.0", "Answers a head above 65,536 bytes by 431", "An error names the status.")
def hypercorn_limits():
    with hypercorn() as server:
        same(limit(server, 70000, 70000), (431, 431))
        refuses_long(server, 431)


@row("sanic 25.12.1", "Answers a head above 8,192 bytes by 413", "An error names the status.")
def sanic_limits():
    with sanic() as server:
        same(limit(server, 9000, 9000), (413, 413))
        refuses_long(server, 413)


def closes_unanswered(server, target, field):
    same((server.ask("GET", "/" + "x" * target).all, server.ask("GET", "/", ["X-Long: " + "x" * field]).all), (b"", b""))
    refused = tern(server.url(), "X-Long:" + "x" * field)
    same(refused.status, 56, refused)
    assert "The server closed the connection without a response" in refused.err, refused


@row("tornado 6.6.1", "Closes without a response at a head above 65,536 bytes", "An error says so.")
def tornado_limits():
    with tornado() as server:
        closes_unanswered(server, 70000, 70000)


@row("Twisted 26.10.0, daphne 4.2.3", "Close without a response at a line above 16,384 bytes", "An error says so.")
def twisted_limits():
    for start in (twisted, daphne):
        with start() as server:
            closes_unanswered(server, 20000, 20000)
