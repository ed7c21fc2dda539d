"""Starts servers, speaks to them byte by byte and by tern, and collects the rows of docs/Servers.md."""
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

TERN = os.environ.get("TERN", "tern")
FOLDER = pathlib.Path(os.environ.get("SERVERS_FOLDER", "/tmp"))
PYTHON = os.environ.get("SERVERS_PYTHON", sys.executable)
# A busy machine may take long to start a server; nothing here takes as long on a quiet one.
PATIENCE = 60
rows = []
start = 20_000 + os.getpid() * 97 % 12_000
ports = itertools.chain(range(start, 32_000), range(20_000, start))


def row(server, does, sterna, *tests):
    """Makes a function a row: what the server does, which the function asserts, what Sterna makes of it, which it asserts by tern, and the tests
    of CI that assert it, too."""

    def add(judge):
        names = ", ".join(f"`{name}`" for name in [*tests, "scripts/servers"])
        rows.append((f"| {server} | {does} | {sterna} | {names} |", judge))
        return judge

    return add


def free_port():
    """A port that no other server of this run has, and that the system gives to no connection meanwhile: it takes those from 32768 on."""
    for port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def program(name):
    """The path of a program; those of the administrator are not on every PATH."""
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    assert found, f"{name} is not installed"
    return found


class Server:
    """A program in a process group of its own that is ended with the block; `{port}` and `{folder}` in its arguments are replaced."""

    def __init__(self, *arguments, files={}, **environment):
        self.port = free_port()
        self.folder = FOLDER / f"server-{self.port}"
        self.arguments, self.files, self.environment = arguments, files, environment

    def __enter__(self):
        self.folder.mkdir()
        self.folder.chmod(0o777)
        for name, content in self.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.parent.chmod(0o777)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(self.fill(content))
            path.chmod(0o755)
        arguments = [self.fill(str(each)) for each in self.arguments]
        arguments[0] = program(arguments[0])
        self.log = open(self.folder / "output.log", "wb")
        self.process = subprocess.Popen(
            arguments, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
            env={**os.environ, **{name: self.fill(value) for name, value in self.environment.items()}})
        try:
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    socket.create_connection(("127.0.0.1", self.port), 1).close()
                    return self
                except OSError:
                    assert self.process.poll() is None and time.monotonic() < end, f"{arguments} did not start:\n{self.complaints()}"
                    time.sleep(0.05)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        try:
            self.end(signal.SIGTERM)
        finally:
            # Also where the time of all rows ends meanwhile.
            self.end(signal.SIGKILL)
            self.log.close()

    def end(self, number):
        try:
            os.killpg(self.process.pid, number)
            self.process.wait(5)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass

    def fill(self, text):
        return text.replace("{port}", str(self.port)).replace("{folder}", str(self.folder)).replace("{python}", PYTHON)

    def complaints(self):
        return (self.folder / "output.log").read_text(errors="replace")[-2000:]

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def connect(self):
        return Connection(self.port)

    def ask(self, method="GET", path="/", fields=(), body=b""):
        """A response by one connection that the request asks to be closed."""
        head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *fields]
        with self.connect() as connection:
            connection.send("\r\n".join(head).encode() + b"\r\n\r\n" + body)
            return Answer(connection.rest())


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.seen = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, content):
        self.socket.sendall(content)

    def until(self, mark, seconds=PATIENCE):
        """All bytes so far once the mark is among them, or the server has closed, or the time is over."""
        end = time.monotonic() + seconds
        while mark is None or mark not in self.seen:
            self.socket.settimeout(max(end - time.monotonic(), 0.001))
            try:
                more = self.socket.recv(65536)
            except (TimeoutError, ConnectionResetError):
                break
            if not more:
                break
            self.seen += more
        return self.seen

    def rest(self, seconds=PATIENCE):
        return self.until(None, seconds)

    def is_open_after(self, seconds):
        """Whether the server keeps the connection for so long without a byte."""
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1) != b""
        except TimeoutError:
            return True
        except ConnectionResetError:
            return False


class Relay:
    """Passes connections without TLS on to a server, and reads the frames of HTTP/2 that pass: for each connection the requests, those that had no
    end when the server or the client said GOAWAY, and the resets."""

    class Seen:
        def __init__(self):
            self.requests, self.open, self.resets = 0, {}, []
            self.server_goaway = self.client_goaway = None

        def __repr__(self):
            return str(vars(self))

    def __init__(self, server):
        self.server, self.port, self.connections = server, free_port(), []

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), backlog=50)
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Ends the wait for a connection, too.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.server.port))
            seen, lock = Relay.Seen(), threading.Lock()
            self.connections.append(seen)
            for source, target, is_client in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pump, args=(source, target, seen, lock, is_client), daemon=True).start()

    def pump(self, source, target, seen, lock, is_client):
        rest, skip = b"", 24 if is_client else 0
        try:
            while more := source.recv(65536):
                rest += more
                # The client's preface is no frame.
                if skip and len(rest) >= skip:
                    rest, skip = rest[skip:], 0
                while not skip and len(rest) >= 9 and len(rest) >= 9 + int.from_bytes(rest[:3], "big"):
                    end = 9 + int.from_bytes(rest[:3], "big")
                    with lock:
                        self.note(seen, is_client, rest[3], rest[4], int.from_bytes(rest[5:9], "big"), rest[9:end])
                    rest = rest[end:]
                target.sendall(more)
        except OSError:
            pass
        # What one end has said, the other end reads to its end.
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @staticmethod
    def note(seen, is_client, kind, flags, stream, payload):
        data, headers, reset, goaway, end = 0, 1, 3, 7, 1
        if kind == headers and is_client and stream not in seen.open:
            seen.requests += 1
            seen.open[stream] = True
        if kind == reset:
            seen.resets.append((is_client, int.from_bytes(payload, "big")))
        if kind == reset or kind in (data, headers) and flags & end and not is_client:
            seen.open.pop(stream, None)
        if kind == goaway and is_client and seen.client_goaway is None:
            seen.client_goaway = len(seen.open)
        if kind == goaway and not is_client:
            last = int.from_bytes(payload[:4], "big")
            # nginx and Apache may send a first one that excludes no stream.
            seen.server_goaway = max(seen.server_goaway or 0, len(seen.open))
            for refused in [each for each in seen.open if each > last]:
                del seen.open[refused]


class Answer:
    """The last of the responses in these bytes, and the interim ones before it."""

    def __init__(self, content):
        self.all = content
        self.interim = []
        while True:
            head, self.has_head, content = content.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            if not lines[0].startswith(("HTTP/1.1 1", "HTTP/1.0 1")):
                break
            self.interim.append(lines[0])
        self.line, self.body = lines[0], content
        self.status = int((lines[0].split(" ") + ["0", "0"])[1] or 0) if lines[0].startswith("HTTP/") else 0
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.lower()] = value.strip()

    def __getitem__(self, name):
        return self.fields.get(name.lower())

    def __repr__(self):
        return f"{self.interim} {self.line} {self.fields} {self.body[:200]!r}"


class Outcome:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"tern: exit status {self.status}, {self.out[:600]!r}, {self.err[-600:]!r}"


def tern(*arguments, command=None, seconds=PATIENCE):
    """What a tern without the user's settings and without proxies makes of it."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    first = [command] if command else ["-q", "--ignore-stdin", "-s"]
    done = subprocess.run(
        [TERN, *first, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds,
        env={**environment, "HOME": str(FOLDER), "LD_LIBRARY_PATH": os.environ.get("TERN_LIBRARIES", "")})
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def same(seen, expected, what="seen"):
    assert seen == expected, f"{what}: {seen!r} in place of {expected!r}"
