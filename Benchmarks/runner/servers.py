"""The servers of a run: nginx, an upload sink and a WebSocket server on one core, with files and a certificate of their own in a temporary folder."""

import ctypes
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# What each of many streams brings. Of less, what is on its way for one of them would count.
PART = 10 << 20
# The bytes of a WebSocket message that is echoed, and of one of those that are received.
MESSAGE = 64
RECEIVED = 64 << 10
# How many events a stream has.
EVENTS = 100_000
MANY = [f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(1000)]

CONFIGURATION = """
daemon off;
worker_processes 1;
worker_rlimit_nofile {files};
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections {files}; use epoll; multi_accept on; }}
http {{
    access_log off;
    default_type application/octet-stream;
    sendfile on;
    sendfile_max_chunk 2m;
    tcp_nopush on;
    tcp_nodelay on;
    keepalive_timeout 3600s;
    keepalive_requests 1000000000;
    open_file_cache max=16 inactive=3600s;
    open_file_cache_valid 3600s;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    root {folder}/files;
    server {{
        listen 127.0.0.1:{plain} backlog=1024;
        {many}
        location /slow/ {{ limit_rate 512; }}
        # Any answer to the challenge will do: what is measured is the client.
        location = /digest/1k {{
            alias {folder}/files/1k;
            if ($http_authorization = "") {{ return 401; }}
            error_page 401 = @challenge;
        }}
        location @challenge {{
            add_header WWW-Authenticate 'Digest realm="bench", nonce="5d41402abc4b2a76", qop="auth", algorithm=SHA-256' always;
            return 401;
        }}
        location /cacheable/ {{
            alias {folder}/files/;
            add_header Cache-Control "max-age=86400";
        }}
    }}
    server {{
        listen 127.0.0.1:{tls} ssl backlog=1024;
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:tls:4m;
    }}
    server {{
        listen 127.0.0.1:{http2} ssl http2 backlog=1024;
        ssl_certificate {folder}/server.pem;
        ssl_certificate_key {folder}/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:tls:4m;
    }}
}}
"""


def _die_with_parent():
    # Also a runner that is killed takes its servers with it. 1 is PR_SET_PDEATHSIG.
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def raise_file_limit():
    """As many open files as are allowed; gives how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(hard, 1 << 17) if hard != resource.RLIM_INFINITY else 1 << 17
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


class Servers:
    def __init__(self, sink, websocket, core, large, many):
        self.sink = sink
        self.websocket = websocket
        self.core = core
        self.large = large
        self.many = many
        self.children = []
        self.folder = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sterna-bench-")
        # nginx's worker is another user where the runner is root.
        os.chmod(self.folder, 0o755)
        try:
            self._files()
            self._certificates()
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, target):
        return {
            "plain": f"http://127.0.0.1:{self.plain}/1k",
            "tls": f"https://127.0.0.1:{self.tls}/1k",
            "http2": f"https://127.0.0.1:{self.http2}/1k",
            "http2-large": f"https://127.0.0.1:{self.http2}/large",
            "http2-part": f"https://127.0.0.1:{self.http2}/part",
            "large": f"http://127.0.0.1:{self.plain}/large",
            "digest": f"http://127.0.0.1:{self.plain}/digest/1k",
            "cacheable": f"http://127.0.0.1:{self.plain}/cacheable/1k",
            "cacheable-large": f"http://127.0.0.1:{self.plain}/cacheable/large",
            "cookies": "http://www.example.com/shop/cart",  # of requests that are not sent
            "flat": f"http://127.0.0.1:{self.drain}/flat/{EVENTS}",
            "each": f"http://127.0.0.1:{self.drain}/each/{EVENTS}",
            "echo": f"ws://127.0.0.1:{self.socket}/echo",
            "receive": f"ws://127.0.0.1:{self.socket}/receive/{self.large // RECEIVED}",
            "sink": f"http://127.0.0.1:{self.drain}/",
            "many": f"http://127.0.{{}}:{self.plain}/1k",
            "slow": f"http://127.0.{{}}:{self.plain}/slow/2k",
        }[target]

    @property
    def authority(self):
        return os.path.join(self.folder, "authority.pem")

    @property
    def file(self):
        return os.path.join(self.folder, "files", "large")

    @property
    def eighth(self):
        """A file of an eighth of the other's size."""
        return os.path.join(self.folder, "files", "eighth")

    def _files(self):
        files = os.path.join(self.folder, "files")
        os.makedirs(os.path.join(files, "slow"))
        for name, size in [("1k", 1024), ("slow/2k", 2048)]:
            with open(os.path.join(files, name), "wb") as file:
                file.write(random.randbytes(size))
        # A file of holes: reading it costs what memory costs, whatever the disk.
        for path, size in [(self.file, self.large), (self.eighth, self.large // 8), (os.path.join(files, "part"), PART)]:
            with open(path, "wb") as file:
                file.truncate(size)
            with open(path, "rb") as file:
                while file.read(1 << 24):
                    pass

    def _certificates(self):
        def openssl(*arguments):
            done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"openssl failed: {done.stderr}")

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2",
                "-subj", "/CN=Benchmark authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        with open(os.path.join(self.folder, "server.ext"), "w") as file:
            file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=critical,CA:FALSE\n"
                       "keyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n"
                       "authorityKeyIdentifier=keyid\nsubjectKeyIdentifier=hash\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                "-CAcreateserial", "-days", "2", "-extfile", "server.ext", "-out", "server.pem")

    def _start(self):
        # Below the ports that clients are given, so that no connection holds one of these.
        self.plain, self.tls, self.http2, self.drain, self.socket = self._free_ports(5)
        many = "\n".join(f"        listen {address}:{self.plain} backlog=64;" for address in MANY) if self.many else ""
        files = raise_file_limit()
        text = CONFIGURATION.format(folder=self.folder, plain=self.plain, tls=self.tls, http2=self.http2,
                                    many=many, files=files)
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(text)
        self._spawn(["nginx", "-p", self.folder, "-c", path, "-e", os.path.join(self.folder, "error.log")])
        self._spawn([self.sink, str(self.drain)])
        ports = [self.plain, self.tls, self.http2, self.drain]
        if self.websocket:
            self._spawn([self.websocket, str(self.socket)])
            ports.append(self.socket)
        for port in ports:
            self._wait(port)

    def _spawn(self, command):
        def prepare():
            _die_with_parent()
            if self.core is not None:
                os.sched_setaffinity(0, {self.core})

        # Not on the runner's output: who reads that would wait for servers too.
        with open(os.path.join(self.folder, "output.log"), "ab") as output:
            self.children.append(subprocess.Popen(
                command, preexec_fn=prepare, stdin=subprocess.DEVNULL, stdout=output, stderr=output))

    def _wait(self, port):
        for _ in range(200):
            if any(child.poll() is not None for child in self.children):
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        logs = [os.path.join(self.folder, name) for name in ["error.log", "output.log"]]
        sys.exit("a server did not start:\n" + "".join(open(log).read() for log in logs if os.path.exists(log)))

    @staticmethod
    def _free_ports(number):
        ports = []
        while len(ports) < number:
            port = random.randrange(15000, 30000)
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    continue
            if port not in ports:
                ports.append(port)
        return ports
