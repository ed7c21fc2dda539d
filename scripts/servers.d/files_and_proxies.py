"""Servers of files, and proxies of both kinds, by Debian's packages."""
import os
import random
import signal
import socket
import threading
import time

from apps import ORIGIN
from harness import PYTHON, Relay, Server, row, same, tern

ROOT = os.environ.get("SERVERS_ROOT", "")
TEXT = "".join(f"line {number} of some text about terns\n" for number in range(400))
FILES = {"www/file.txt": TEXT, "www/empty.txt": "", "www/small.txt": "tern\n"}
LENGTH = len(TEXT)


def caddy():
    return Server(
        "caddy", "run", "--adapter", "caddyfile", "--config", "{folder}/Caddyfile", HOME="{folder}", files={**FILES, "Caddyfile": """{
 admin off
 auto_https off
}
:{port} {
 root * {folder}/www
 encode gzip
 file_server
}
"""})


def h2o(upstream=None):
    handler = f"proxy.reverse.url: http://127.0.0.1:{upstream}/" if upstream else "file.dir: {folder}/www"
    return Server("h2o", "-c", "{folder}/h2o.conf", files={**FILES, "h2o.conf": f"""
user: root
listen:
  host: 127.0.0.1
  port: {{port}}
compress: [gzip]
hosts:
  default:
    paths:
      /:
        {handler}
"""})


def civetweb():
    return Server("civetweb", "-document_root", "{folder}/www", "-listening_ports", "127.0.0.1:{port}", files=FILES)


def mini_httpd():
    return Server(
        "mini_httpd", "-D", "-h", "127.0.0.1", "-p", "{port}", "-d", "{folder}/www", "-u", "nobody", "-i", "{folder}/pid",
        files=FILES)


def lighttpd():
    return Server("lighttpd", "-D", "-f", "{folder}/lighttpd.conf", files={**FILES, "lighttpd.conf": """
server.document-root = "{folder}/www"
server.bind = "127.0.0.1"
server.port = {port}
server.errorlog = "{folder}/error.log"
mimetype.assign = (".txt" => "text/plain")
"""})


def apache(inside=""):
    modules = next(place for place in ("/usr/lib/apache2/modules", ROOT + "/usr/lib/apache2/modules") if os.path.isdir(place))
    return Server("apache2", "-DFOREGROUND", "-f", "{folder}/httpd.conf", files={**FILES, "httpd.conf": f"""
ServerRoot {{folder}}
ServerName localhost
Listen 127.0.0.1:{{port}}
PidFile {{folder}}/pid
DefaultRuntimeDir {{folder}}
ErrorLog {{folder}}/error.log
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule filter_module {modules}/mod_filter.so
LoadModule deflate_module {modules}/mod_deflate.so
{inside.replace("MODULES", modules)}
User www-data
Group www-data
StartServers 1
TypesConfig /dev/null
AddType text/plain .txt
AddOutputFilterByType DEFLATE text/plain
DocumentRoot {{folder}}/www
<Directory {{folder}}/www>
    Require all granted
</Directory>
"""})


def nginx(inside, listen=""):
    return Server("nginx", "-c", "{folder}/nginx.conf", "-e", "{folder}/error.log", files={**FILES, "tmp/empty": "", "nginx.conf": """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {}
http {
  access_log off; types { text/plain txt; } client_body_temp_path {folder}/tmp; proxy_temp_path {folder}/tmp;
  fastcgi_temp_path {folder}/tmp; uwsgi_temp_path {folder}/tmp; scgi_temp_path {folder}/tmp;
  server { listen 127.0.0.1:{port} LISTEN; root {folder}/www; INSIDE }
}
""".replace("INSIDE", inside).replace("LISTEN", listen)})


def origin():
    return Server(PYTHON, "-c", ORIGIN, "{port}")


def haproxy(upstream):
    return Server("haproxy", "-db", "-f", "{folder}/haproxy.cfg", files={"haproxy.cfg": f"""
global
    maxconn 50
defaults
    mode http
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend front
    bind 127.0.0.1:{{port}}
    default_backend origin
backend origin
    server one 127.0.0.1:{upstream}
"""})


def nghttpx(upstream):
    return Server("nghttpx", "-f127.0.0.1,{port};no-tls", f"-b127.0.0.1,{upstream}", "--conf=/dev/null", "--workers=1")


def varnish(upstream):
    return Server(
        "varnishd", "-F", "-a", "127.0.0.1:{port}", "-n", "{folder}/work", "-f", "{folder}/default.vcl", "-s", "malloc,10m", "-T",
        "none", "-j", "none",
        files={"default.vcl": f'vcl 4.1;\nbackend default {{ .host = "127.0.0.1"; .port = "{upstream}"; }}\n'})


def trafficserver(upstream):
    files = ROOT if os.path.isdir(ROOT + "/etc/trafficserver") else ""
    return Server("traffic_server", "--run-root={folder}/run.yaml", files={
        "run.yaml": f"""
prefix: {{folder}}
exec_prefix: {{folder}}
bindir: {files}/usr/bin
sbindir: {files}/usr/bin
sysconfdir: {{folder}}/etc
datadir: {{folder}}/etc
includedir: {{folder}}/etc
libdir: {files}/usr/lib/trafficserver
libexecdir: {files}/usr/lib/trafficserver/modules
localstatedir: {{folder}}/var
runtimedir: {{folder}}/var
logdir: {{folder}}/var
cachedir: {{folder}}/cache
""", "etc/records.config": f"""CONFIG proxy.config.http.server_ports STRING {{port}}:ip-in=127.0.0.1
CONFIG proxy.config.body_factory.template_sets_dir STRING {files}/etc/trafficserver/body_factory
CONFIG proxy.config.crash_log_helper STRING NULL
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.exec_thread.autoconfig.enabled INT 0
CONFIG proxy.config.exec_thread.limit INT 1
""", "etc/remap.config": f"map / http://127.0.0.1:{upstream}/\n", "etc/storage.config": "{folder}/cache 32M\n",
        "etc/ip_allow.yaml": "ip_allow:\n  - apply: in\n    ip_addrs: 127.0.0.1\n    action: allow\n    methods: ALL\n",
        "cache/empty": "", "var/empty": ""})


def part(server, path, ranges, *fields):
    answer = server.ask("GET", path, [f"Range: bytes={ranges}", *fields])
    return answer.status, answer["content-range"]


@row(
    "caddy 2.6.2", "Compresses a range anew: 206 with a coding, the Content-Range of the plain file and its strong ETag",
    "Ranges are asked for without codings; a download resumes in plain bytes.")
def caddy_range():
    with caddy() as server:
        plain = server.ask("HEAD", "/file.txt")
        answer = server.ask("GET", "/file.txt", ["Accept-Encoding: gzip", "Range: bytes=0-5999"])
        same((answer.status, answer["content-encoding"], answer["etag"]), (206, "gzip", plain["etag"]))
        same((answer["content-range"], len(answer.body) < 6000), (f"bytes 0-5999/{LENGTH}", True))
        seen = tern("-r", "0-5999", server.url("/file.txt"))
        same((seen.status, seen.out), (0, TEXT[:6000]), seen)


def shows_416(server, path="/file.txt", ranges="999999-"):
    refused = tern("--fail", "-r", ranges, server.url(path))
    same(refused.status, 22, refused)
    assert "416" in refused.err, refused


def downloads(server, path, content):
    file = server.folder / f"got-{time.monotonic_ns()}.txt"
    done = tern("--download", "-o", file, server.url(path))
    same((done.status, file.read_text()), (0, content), done)


@row(
    "caddy 2.6.2", "To HEAD of a file that it compresses, states a Content-Length of 20, and to GET that of the compressed file",
    "No length of HEAD is expected of GET.")
def caddy_head():
    with caddy() as server:
        gzip = ["Accept-Encoding: gzip"]
        head, get = server.ask("HEAD", "/file.txt", gzip), server.ask("GET", "/file.txt", gzip)
        same((head["content-encoding"], head["content-length"], get["content-encoding"]), ("gzip", "20", "gzip"))
        assert int(get["content-length"]) == len(get.body) > 500, get
        both = tern("-I", "-o", "/dev/null", server.url("/file.txt"), "--next", "-s", server.url("/file.txt"))
        same((both.status, both.out), (0, TEXT))
        downloads(server, "/file.txt", TEXT)


@row(
    "h2o 2.2.5", "To HEAD of a file that it compresses, states the plain file's length, without Content-Encoding and Vary",
    "No length of HEAD is expected of GET.")
def h2o_head():
    with h2o() as server:
        gzip = ["Accept-Encoding: gzip"]
        head, get = server.ask("HEAD", "/file.txt", gzip), server.ask("GET", "/file.txt", gzip)
        same((head["content-encoding"], head["vary"], head["content-length"]), (None, None, str(LENGTH)))
        same((get["content-encoding"], get["vary"]), ("gzip", "accept-encoding"))
        both = tern("-I", "-o", "/dev/null", server.url("/file.txt"), "--next", "-s", server.url("/file.txt"))
        same((both.status, both.out), (0, TEXT))
        downloads(server, "/file.txt", TEXT)


def same_strong_tag(server):
    plain, coded = server.ask("GET", "/file.txt"), server.ask("GET", "/file.txt", ["Accept-Encoding: gzip"])
    same((coded["content-encoding"], plain["content-encoding"], coded["etag"]), ("gzip", None, plain["etag"]))
    assert plain["etag"].startswith('"'), plain
    downloads(server, "/file.txt", TEXT)
    # A range of the plain bytes joins nothing that was stored of the coded ones.
    cache = server.folder / "cache"
    for _ in range(2):
        for ranges, expected in (((), TEXT), (("-r", "5-9"), TEXT[5:10])):
            seen = tern("--cache", cache, *ranges, server.url("/file.txt"))
            same((seen.status, seen.out), (0, expected), seen)


TAGS_ARE_RIGHT = "A response of the cache has the coding of its own bytes; a range in plain bytes is not joined with coded ones."


@row("caddy 2.6.2", "Has one strong ETag for a file and its compressed form", TAGS_ARE_RIGHT)
def caddy_tag():
    with caddy() as server:
        same_strong_tag(server)


@row("h2o 2.2.5", "Has one strong ETag for a file and its compressed form", TAGS_ARE_RIGHT)
def h2o_tag():
    with h2o() as server:
        same_strong_tag(server)


@row(
    "Apache 2.4.71", "Adds `-gzip` to the strong ETag of a file that it compresses",
    "Each tag confirms the bytes that it came with.", "ServerConductTests")
def apache_tag():
    with apache() as server:
        old(server)
        plain, coded = server.ask("GET", "/file.txt"), server.ask("GET", "/file.txt", ["Accept-Encoding: gzip"])
        same(coded["etag"], plain["etag"][:-1] + '-gzip"')
        downloads(server, "/file.txt", TEXT)


def old(server):
    """Makes the files older than those whose ETag is weak."""
    for path in (server.folder / "www").iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))


def turns_strong(server):
    """A file's ETag while it is new and afterwards."""
    path, end = server.folder / "www" / "file.txt", time.monotonic() + 60
    while True:
        os.utime(path)
        first = server.ask("HEAD", "/file.txt")["etag"]
        if first.startswith("W/"):
            break
        assert time.monotonic() < end, first
    while True:
        time.sleep(0.2)
        later = server.ask("HEAD", "/file.txt")["etag"]
        if not later.startswith("W/"):
            break
        assert time.monotonic() < end, later
    return first, later


@row(
    "Apache 2.4.71", "Has a weak ETag for a file in its first second, which turns strong",
    "Both confirm a stored response; a download resumes by the strong one only.")
def apache_weak():
    large = random.Random(7232).randbytes(150_000).hex()
    with apache() as server:
        first, later = turns_strong(server)
        same(first, "W/" + later)
        path, file, url = server.folder / "www" / "large.bin", server.folder / "got.bin", server.url("/large.bin")
        path.write_text(large)
        path.chmod(0o644)

        def parts():
            return list(server.folder.glob(file.name + "*"))

        def while_weak(is_weak, *arguments):
            """What tern makes of a new file. A busy machine may need more than the second, and gets some more."""
            for _ in range(20):
                for part in parts():
                    part.unlink()
                os.utime(path)
                seen = tern(*arguments, url)
                if is_weak(seen):
                    return
            raise AssertionError(seen)

        cache = ("--cache", server.folder / "cache", "--print", "hc", "-H", "Cache-Control: no-cache")
        while_weak(lambda seen: "\nETag: W/" in seen.out, *cache)
        while server.ask("HEAD", "/large.bin")["etag"].startswith("W/"):
            time.sleep(0.2)
        confirmed = tern(*cache, url)
        assert confirmed.status == 0 and "the server, which answered 304" in confirmed.out, confirmed
        cut = ("--download", "--limit-rate", "50k", "--max-time", "2", "-o", file)
        while_weak(lambda seen: seen.status == 28 and not parts(), *cut)
        old(server)
        same(tern(*cut, url).status, 28)
        assert parts() and not file.exists(), "nothing is kept to resume by a strong tag"
        done = tern("--download", "--continue", "-o", file, url)
        same((done.status, file.read_text() == large), (0, True), done)


@row("caddy 2.6.2", "Answers the last bytes of an empty file by 206 and `bytes 0--1/0`", "The response is empty.")
def caddy_empty():
    with caddy() as server:
        same(part(server, "/empty.txt", "-5"), (206, "bytes 0--1/0"))
        seen = tern("-r", "-5", "-w", "%{http_code}\\n", server.url("/empty.txt"))
        same((seen.status, seen.out), (0, "206\n"), seen)
        downloads(server, "/empty.txt", "")


@row("h2o 2.2.5", "Answers the last bytes of an empty file by 206 and `bytes 0--1/0`", "The response is empty.")
def h2o_empty():
    with h2o() as server:
        same(part(server, "/empty.txt", "-5"), (206, "bytes 0--1/0"))
        seen = tern("-r", "-5", "-w", "%{http_code}\\n", server.url("/empty.txt"))
        same((seen.status, seen.out), (0, "206\n"), seen)


@row(
    "Apache 2.4.71", "Answers a range beyond the end by 416 without Content-Range",
    "An error names the status.", "ServerConductTests")
def apache_416():
    with apache() as server:
        old(server)
        answer = server.ask("GET", "/file.txt", ["Range: bytes=999999-"])
        same((answer.status, answer["content-range"]), (416, None))
        shows_416(server)


@row("lighttpd 1.4.69", "Answers a range beyond the end by 416 without Content-Range", "An error names the status.", "ServerConductTests")
def lighttpd_416():
    with lighttpd() as server:
        same(part(server, "/file.txt", "999999-"), (416, None))
        shows_416(server)


@row(
    "lighttpd 1.4.69", "Answers ranges that lie near each other by one wider 206",
    "The part of `ranges(of:)` says which bytes it has.", "ServerConductTests")
def lighttpd_merges():
    with lighttpd() as server:
        answer = server.ask("GET", "/file.txt", ["Range: bytes=0-1,5-6"])
        same((answer.status, answer["content-range"], answer.body), (206, f"bytes 0-6/{LENGTH}", TEXT[:7].encode()))
        seen = tern("-r", "0-1,5-6", server.url("/file.txt"))
        same((seen.status, seen.out), (0, TEXT[:7]), seen)


@row(
    "civetweb 1.15", "Answers several ranges by the first of them",
    "The part of `ranges(of:)` says which bytes it has; the other range is missing.")
def civetweb_ranges():
    with civetweb() as server:
        same(part(server, "/file.txt", "0-1,5-6"), (206, f"bytes 0-1/{LENGTH}"))
        seen = tern("-r", "0-1,5-6", server.url("/file.txt"))
        same((seen.status, seen.out), (0, TEXT[:2]), seen)


@row(
    "civetweb 1.15", "Answers a range beyond the end by 206, a negative Content-Length and no body",
    "An error says that the Content-Length is not valid.")
def civetweb_negative():
    with civetweb() as server:
        answer = server.ask("GET", "/file.txt", ["Range: bytes=999999-"])
        same((answer.status, answer["content-length"], answer.body), (206, str(LENGTH - 999999), b""))
        refused = tern("-r", "999999-", server.url("/file.txt"))
        same((refused.status, refused.out), (56, ""), refused)
        assert "Content-Length" in refused.err, refused


@row(
    "civetweb 1.15", "Answers the first byte of an empty file by 206, `bytes 0-0/0`, a Content-Length of 1 and no body",
    "An error says that the response is incomplete.")
def civetweb_empty():
    with civetweb() as server:
        answer = server.ask("GET", "/empty.txt", ["Range: bytes=0-0"])
        same((answer.status, answer["content-range"], answer["content-length"], answer.body), (206, "bytes 0-0/0", "1", b""))
        refused = tern("-r", "0-0", server.url("/empty.txt"))
        same(refused.status, 18, refused)
        downloads(server, "/empty.txt", "")


@row("mini_httpd 1.30", "Writes `charset=%s` in its errors", "The text is read as UTF-8, or else as Latin-1.")
def mini_httpd_charset():
    with mini_httpd() as server:
        same(server.ask("GET", "/none.txt")["content-type"], "text/html; charset=%s")
        seen = tern(server.url("/none.txt"), "-w", "%{http_code}\\n")
        assert seen.status == 0 and "404 Not Found" in seen.out and seen.out.endswith("404\n"), seen


@row("mini_httpd 1.30", "Knows no ranges: answers 200 with the whole file", "A download begins anew.")
def mini_httpd_ranges():
    with mini_httpd() as server:
        same(part(server, "/file.txt", "5-9"), (200, None))
        downloads(server, "/file.txt", TEXT)


@row(
    "nginx 1.22.1, `gzip_static`", "Answers a range by 200 and the whole file where it has the file compressed already",
    "A 200 is the whole: nothing is joined.")
def nginx_gzip_static():
    import gzip

    with nginx("gzip_static on;") as server:
        path = server.folder / "www" / "file.txt.gz"
        path.write_bytes(gzip.compress(TEXT.encode()))
        path.chmod(0o644)
        answer = server.ask("GET", "/file.txt", ["Accept-Encoding: gzip", "Range: bytes=0-9"])
        same((answer.status, answer["content-encoding"]), (200, "gzip"), answer)
        downloads(server, "/file.txt", TEXT)


@row(
    "nginx 1.22.1, proxy", "Passes Trailer on and drops the trailers", "The body is whole, and there are no trailers.")
def nginx_trailers():
    with origin() as behind, nginx(f"location / {{ proxy_pass http://127.0.0.1:{behind.port}; proxy_http_version 1.1; }}") as server:
        answer = server.ask("GET", "/trailers", ["TE: trailers"])
        same((answer["trailer"], answer.body.endswith(b"\r\n0\r\n\r\n")), ("X-Sum", True), answer)
        same(tern(server.url("/trailers")).out, "tern\n")


@row(
    "nginx 1.22.1, proxy", "Takes a 103 of the server behind it for the final response, and waits for the end of the connection",
    "The time-out ends the request: `--timeout`.")
def nginx_early():
    with origin() as behind, nginx(f"location / {{ proxy_pass http://127.0.0.1:{behind.port}; proxy_http_version 1.1; }}") as server:
        with server.connect() as connection:
            connection.send(b"GET /early HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            same(connection.until(b"HTTP", 3), b"")
        refused = tern("--timeout", "2", server.url("/early"))
        same(refused.status, 28, refused)


@row("h2o 2.2.5, proxy", "Passes Trailer on and drops the trailers", "The body is whole, and there are no trailers.")
def h2o_trailers():
    with origin() as behind, h2o(behind.port) as server:
        answer = server.ask("GET", "/trailers", ["TE: trailers"])
        same((answer["trailer"], answer.body.endswith(b"\r\n0\r\n\r\n")), ("X-Sum", True), answer)
        same(tern(server.url("/trailers")).out, "tern\n")


@row("h2o 2.2.5, proxy", "Drops a 103 of the server behind it", "The final response is all there is.")
def h2o_early():
    with origin() as behind, h2o(behind.port) as server:
        same(server.ask("GET", "/early").interim, [])
        same(tern(server.url("/early")).out, "tern\n")


def passes_103(start):
    with origin() as behind, start(behind.port) as server:
        same(server.ask("GET", "/early").interim, ["HTTP/1.1 103 Early Hints"])
        for version in ("--http1.1", "--http2-prior-knowledge"):
            seen = tern(version, "-i", server.url("/early"))
            assert seen.status == 0 and " 103 " in seen.out and seen.out.endswith("\n\ntern\n"), seen
        assert server.ask("GET", "/trailers", ["TE: trailers"]).body.lower().endswith(b"x-sum: 7\r\n\r\n")
        same(tern(server.url("/trailers")).out, "tern\n")


@row(
    "haproxy 2.6.12", "Passes 103 and trailers on, over HTTP/1.1 and HTTP/2",
    "The 103 is shown, and the final response follows.", "ServerConductTests")
def haproxy_early():
    passes_103(haproxy)


@row("nghttpx 1.52.0", "Passes 103 and trailers on, over HTTP/1.1 and HTTP/2", "The 103 is shown, and the final response follows.")
def nghttpx_early():
    passes_103(nghttpx)


@row("varnish 7.1.1", "Answers 503 where the server behind it sends 103", "The 503 is the response; a verb's error names the status.")
def varnish_early():
    with origin() as behind, varnish(behind.port) as server:
        same(server.ask("GET", "/early").status, 503)
        refused = tern("--fail", server.url("/early"))
        same(refused.status, 22, refused)


@row(
    "varnish 7.1.1", "Where the server behind it sends trailers, answers 503, cuts a 200 off before its end, or seldom drops them",
    "The cut response is an error that says so.")
def varnish_trailers():
    with origin() as behind, varnish(behind.port) as server:
        failed = 0
        for path in ("/trailers", "/trailers-late") * 4:
            answer = server.ask("GET", path, ["TE: trailers"])
            is_whole = answer.status == 200 and answer.body.endswith(b"\r\n0\r\n\r\n")
            assert answer.status in (200, 503), answer
            failed += not is_whole
            refused = tern("--fail", server.url(path))
            assert refused.status in (18, 22) or (refused.status, refused.out) == (0, "tern\n"), refused
        assert failed > 1, "it passes what it fetches"


@row("varnish 7.1.1", "Answers several ranges by 416", "An error names the status.")
def varnish_ranges():
    with origin() as behind, varnish(behind.port) as server:
        same(part(server, "/file", "0-1,5-6"), (416, "bytes */1000"))
        same(part(server, "/file", "0-1"), (206, "bytes 0-1/1000"))
        shows_416(server, "/file", "0-1,5-6")


@row("Traffic Server 9.2", "Answers several ranges of a stored response by 200 and all of it", "The whole is delivered.")
def trafficserver_ranges():
    with origin() as behind, trafficserver(behind.port) as server:
        end = time.monotonic() + 30
        # It takes requests before its cache is ready.
        while not server.ask("GET", "/file").body or part(server, "/file", "0-1")[0] != 206:
            assert time.monotonic() < end, part(server, "/file", "0-1")
            time.sleep(0.5)
        same((part(server, "/file", "0-1"), part(server, "/file", "0-1,5-6")), ((206, "bytes 0-1/1000"), (200, None)))
        seen = tern("-r", "0-1,5-6", server.url("/file"))
        same((seen.status, seen.out), (0, "tern\n" * 200), seen)


@row("Traffic Server 9.2", "Answers a range beyond the end of a stored response by 416 without Content-Range", "An error names the status.")
def trafficserver_416():
    with origin() as behind, trafficserver(behind.port) as server:
        end = time.monotonic() + 30
        while not server.ask("GET", "/file").body or part(server, "/file", "999999-") != (416, None):
            assert time.monotonic() < end, part(server, "/file", "999999-")
            time.sleep(0.5)
        shows_416(server, "/file")


@row(
    "lighttpd 1.4.69", "Answers a request with Expect finally, without 100, and closes",
    "The response is delivered; the body is not sent.", "ServerConductTests")
def lighttpd_expect():
    with lighttpd() as server:
        refuses_body(server, 501)


@row("caddy 2.6.2", "Answers a request with Expect finally, without 100, and closes", "The response is delivered; the body is not sent.")
def caddy_expect():
    with caddy() as server:
        refuses_body(server, 200)


def refuses_body(server, status):
    with server.connect() as connection:
        connection.send(b"PUT /small.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n")
        seen = connection.rest(30)
        assert seen.startswith(f"HTTP/1.1 {status} ".encode()) and b"\r\nConnection: close\r\n" in seen, seen
    (server.folder / "big.bin").write_bytes(b"x" * 5_000_000)
    for _ in range(3):
        sent = tern("PUT", server.url("/small.txt"), f"@{server.folder}/big.bin", "-o", "/dev/null", "-w", "%{http_code}\\n")
        same((sent.status, sent.out), (0, f"{status}\n"), sent)


def limit(server, target, field):
    answers = [server.ask("GET", "/" + "x" * target), server.ask("GET", "/small.txt", ["X-Long: " + "x" * field])]
    return [(answer.line.split(" ")[0], answer.status) for answer in answers]


def refuses_long(server, field, status):
    refused = tern("--fail", server.url("/small.txt"), "X-Long:" + "x" * field)
    same(refused.status, 22, refused)
    assert str(status) in refused.err, refused


@row("civetweb 1.15", "Answers a head above 16 KiB by 400 in HTTP/1.0", "An error names the status.")
def civetweb_limits():
    with civetweb() as server:
        same(limit(server, 20000, 20000), [("HTTP/1.0", 400)] * 2)
        refuses_long(server, 20000, 400)


@row("lighttpd 1.4.69", "Answers a head above 8 KiB by 431 in HTTP/1.0", "An error names the status.")
def lighttpd_limits():
    with lighttpd() as server:
        same(limit(server, 9000, 9000), [("HTTP/1.0", 431)] * 2)
        refuses_long(server, 9000, 431)


@row("Apache 2.4.71", "Answers a target above 8,190 bytes by 414, a field above 8,190 by 400", "An error names the status.")
def apache_limits():
    with apache() as server:
        same(limit(server, 9000, 9000), [("HTTP/1.1", 414), ("HTTP/1.1", 400)])
        refuses_long(server, 9000, 400)


@row("nginx 1.22.1", "Answers a target above 8 KiB by 414, a field above 8 KiB by 400", "An error names the status.")
def nginx_limits():
    with nginx("") as server:
        same(limit(server, 9000, 9000), [("HTTP/1.1", 414), ("HTTP/1.1", 400)])
        refuses_long(server, 9000, 400)


@row("haproxy 2.6.12", "Answers a head above about 15 KiB by 400", "An error names the status.")
def haproxy_limits():
    with origin() as behind, haproxy(behind.port) as server:
        same(limit(server, 17000, 17000), [("HTTP/1.1", 400)] * 2)
        refuses_long(server, 17000, 400)


@row("nghttpx 1.52.0", "Answers a head above 64 KiB by 431", "An error names the status.")
def nghttpx_limits():
    with origin() as behind, nghttpx(behind.port) as server:
        same(limit(server, 70000, 70000), [("HTTP/1.1", 431)] * 2)
        refuses_long(server, 70000, 431)


@row(
    "varnish 7.1.1", "Answers a field above 8 KiB by 400, and closes without a response at a head above 32 KiB",
    "An error names the status, or says that there was no response.")
def varnish_limits():
    with origin() as behind, varnish(behind.port) as server:
        same(server.ask("GET", "/small.txt", ["X-Long: " + "x" * 9000]).status, 400)
        same(server.ask("GET", "/small.txt", ["X-Long: " + "x" * 70000]).all, b"")
        refuses_long(server, 9000, 400)
        refused = tern(server.url("/small.txt"), "X-Long:" + "x" * 70000)
        same(refused.status, 56, refused)


GOAWAY_IS_RIGHT = "All responses are whole, and later requests have another connection. The one that ended gets GOAWAY from Sterna after its last response."


@row("nginx 1.22.1", "Sends GOAWAY over HTTP/2 after `keepalive_requests`, and answers what is under way", GOAWAY_IS_RIGHT)
def nginx_goaway():
    with nginx("keepalive_requests 5; limit_rate 20k;", "http2") as server, Relay(server) as relay:
        names = [server.folder / f"got-{number}" for number in range(20)]
        seen = tern("--http2-prior-knowledge", "-Z", *[each for name in names for each in ("-o", name, relay.url("/file.txt"))])
        same((seen.status, [name.read_text() == TEXT for name in names]), (0, [True] * 20), seen)
        same(sum(each.requests for each in relay.connections) >= 20, True)
        assert max(each.server_goaway or 0 for each in relay.connections) >= 5, relay.connections
        same([each.client_goaway or 0 for each in relay.connections], [0] * len(relay.connections))


@row(
    "Apache 2.4.71", "Sends GOAWAY over HTTP/2 when it is restarted gracefully, and answers what is under way",
    GOAWAY_IS_RIGHT, "HTTP2InteropTests")
def apache_goaway():
    large = random.Random(9113).randbytes(3_000_000)
    with apache("LoadModule http2_module MODULES/mod_http2.so\nProtocols h2c http/1.1") as server, Relay(server) as relay:
        path = server.folder / "www" / "large.bin"
        path.write_bytes(large)
        path.chmod(0o644)
        restart = threading.Timer(1, os.kill, (server.process.pid, signal.SIGUSR1))
        names = [server.folder / f"got-{number}" for number in range(8)]
        wanted = [each for name in names for each in ("-o", name, relay.url("/large.bin"))]
        restart.start()
        try:
            seen = tern("--http2-prior-knowledge", "--jobs", "4", "--limit-rate", "1M", *wanted)
        finally:
            restart.cancel()
        same((seen.status, [name.read_bytes() == large for name in names]), (0, [True] * 8), seen)
        same(sum(each.requests for each in relay.connections), 8)
        assert max(each.server_goaway or 0 for each in relay.connections) >= 3, relay.connections
        same([each.client_goaway or 0 for each in relay.connections], [0] * len(relay.connections))


def tinyproxy():
    return Server(
        "tinyproxy", "-d", "-c", "{folder}/tinyproxy.conf",
        files={"tinyproxy.conf": "Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 50\nBasicAuth ada pw1x\n"})


def privoxy():
    templates = next(place for place in (ROOT + "/etc/privoxy/templates", "/etc/privoxy/templates") if os.path.isdir(place))
    return Server("privoxy", "--no-daemon", "{folder}/config", files={
        "config": f"confdir {{folder}}\ntempldir {templates}\nlisten-address 127.0.0.1:{{port}}\nactionsfile own.action\n",
        "own.action": "{+block{no}}\n.nothing.invalid\n"})


def dante():
    return Server("danted", "-f", "{folder}/danted.conf", files={"danted.conf": """
logoutput: stderr
internal: 127.0.0.1 port = {port}
external: 127.0.0.1
user.privileged: root
user.unprivileged: nobody
clientmethod: none
socksmethod: none
client pass { from: 0/0 to: 0/0 }
socks block { from: 0/0 to: 127.0.0.1/32 port = 7 }
socks pass { from: 0/0 to: 0/0 }
"""})


def squid():
    return Server("squid", "-N", "-n", "rows{port}", "-f", "{folder}/squid.conf", files={"squid.conf": """
http_port 127.0.0.1:{port}
pid_filename none
cache deny all
cache_mem 8 MB
cache_log {folder}/squid.log
access_log none
cache_store_log none
coredump_dir {folder}
pinger_enable off
visible_hostname localhost
shutdown_lifetime 0 seconds
max_filedescriptors 512
acl unwanted port 7
http_access deny unwanted
http_access allow all
"""})


def asks_for_tunnel(connection, target, *fields):
    connection.seen = b""
    connection.send("\r\n".join([f"CONNECT {target} HTTP/1.1", f"Host: {target}", *fields]).encode() + b"\r\n\r\n")
    return connection.until(b"\r\n\r\n", 30)


def refuses_tunnel(proxy, target, *words):
    refused = tern("-x", proxy, f"https://{target}/")
    same(refused.status, 97, refused)
    assert all(word in refused.err for word in (target.split(":")[0], *words)), refused


@row(
    "tinyproxy 1.11.1", "Answers a wrong password by 401 and WWW-Authenticate, a missing one by 407",
    "An error says that the proxy does not accept the password. Credentials for servers are not sent.", "TinyproxyTests")
def tinyproxy_401():
    with tinyproxy() as proxy:
        with proxy.connect() as connection:
            seen = asks_for_tunnel(connection, "127.0.0.1:9", "Proxy-Authorization: Basic YWRhOndyb25n")
            assert seen.startswith(b"HTTP/1.0 401 ") and b"\r\nWWW-Authenticate: " in seen, seen
        with proxy.connect() as connection:
            assert asks_for_tunnel(connection, "127.0.0.1:9").startswith(b"HTTP/1.0 407 ")
        refuses_tunnel(f"http://ada:wrong@127.0.0.1:{proxy.port}", "127.0.0.1:9", "(401)", "does not accept the user name and password")


@row("privoxy 3.0.34", "Answers CONNECT to an unknown name by 404", "An error says that the proxy cannot reach the server.")
def privoxy_404():
    with privoxy() as proxy:
        with proxy.connect() as connection:
            assert asks_for_tunnel(connection, "no.such.invalid:443").startswith(b"HTTP/1.1 404 ")
        refuses_tunnel(f"http://127.0.0.1:{proxy.port}", "no.such.invalid:443", "(404)", "it cannot reach the server")


@row(
    "squid 5.7", "Keeps the connection after it has refused a tunnel by 403, and closes it after 503",
    "An error says that the proxy does not allow the tunnel, or that it cannot reach the server.")
def squid_tunnels():
    with origin() as behind, squid() as proxy:
        for port, status, then in ((7, b"403", b"HTTP/1.1 200 "), (1, b"503", b"")):
            with proxy.connect() as connection:
                first = asks_for_tunnel(connection, f"127.0.0.1:{port}")
                assert first.startswith(b"HTTP/1.1 " + status), first
                length = int(first.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                head = first.index(b"\r\n\r\n") + 4
                while len(connection.seen) < head + length:
                    before = len(connection.seen)
                    connection.until(b"\0never", 1)
                    assert len(connection.seen) > before, connection.seen
                try:
                    second = asks_for_tunnel(connection, f"127.0.0.1:{behind.port}")
                except OSError:
                    second = b""
                same(second[:13], then)
        refuses_tunnel(f"http://127.0.0.1:{proxy.port}", "127.0.0.1:7", "(403)", "it does not allow this tunnel")
        refuses_tunnel(f"http://127.0.0.1:{proxy.port}", "127.0.0.1:1", "(503)", "it cannot reach the server")


@row(
    "dante 1.4.2", "Answers a request that its rules forbid by code 2, with the target as the bound address",
    "An error names the target and the reason: refused, unreachable, not allowed.")
def dante_failures():
    with dante() as proxy:
        for port, code in ((1, 5), (7, 2)):
            with proxy.connect() as connection:
                connection.send(b"\x05\x01\x00")
                connection.until(b"\x05\x00")
                connection.seen = b""
                target = b"\x01" + socket.inet_aton("127.0.0.1") + port.to_bytes(2, "big")
                connection.send(b"\x05\x01\x00" + target)
                seen = connection.rest(30)
                same((seen[:2], len(seen)), (bytes([5, code]), 10), seen)
                if code == 2:
                    same(seen[3:], target)
        reasons = {"127.0.0.1:1": "connection refused", "127.0.0.1:7": "not allowed", "no.such.invalid:80": "host unreachable"}
        for target, reason in reasons.items():
            refused = tern("-x", f"socks5://127.0.0.1:{proxy.port}", f"http://{target}/")
            same(refused.status, 97, refused)
            assert target.split(":")[0] in refused.err and reason in refused.err, refused
