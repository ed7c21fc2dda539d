"""The programs a run needs: what is missing, and how the clients are built."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(HERE, ".build-run")
ORDERED = "bin/ordered"
WEBSOCKETS = "websockets==17.4"
STATIC = os.path.join(BUILD, "static")

# As small programs are deployed: the standard library linked in and C++'s with it (which is looked through at each start
# otherwise: 0.5 ms and 1.2 MB), no symbols exported, functions that nothing calls left out and equal ones merged, and the
# table of what is relocated at the start packed (1.8 MB of it otherwise, which every start reads).
SMALL = ["--static-swift-stdlib", "-Xswiftc", f"-L{STATIC}", "-Xlinker", "--no-export-dynamic", "-Xswiftc", "-use-ld=lld",
         "-Xlinker", "--icf=safe", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections", "-Xcc", "-ffunction-sections",
         "-Xcc", "-fdata-sections", "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]


def missing_packages(clients, needs_valgrind=False, messages=False):
    """Debian's names of what is not there."""
    os.environ["PATH"] += ":/usr/sbin"
    wanted = {"nginx": "nginx-light", "openssl": "openssl", "gcc": "gcc"}
    if needs_valgrind:
        wanted |= {"valgrind": "valgrind", "objcopy": "binutils"}
    if "go" in clients:
        wanted["go"] = "golang-go"
    if "wrk" in clients:
        wanted["wrk"] = "wrk"
    missing = [package for program, package in wanted.items() if not shutil.which(program)]
    if "gcc" not in missing:
        headers = {"stdlib.h": "libc6-dev"}
        if any(client.startswith("libcurl") for client in clients):
            headers["curl/curl.h"] = "libcurl4-openssl-dev"
        if messages:
            headers["libwebsockets.h"] = "libwebsockets-dev"
        for header, package in headers.items():
            found = subprocess.run(["gcc", "-E", "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                                   capture_output=True).returncode == 0
            if not found:
                missing.append(package)
    elif any(client.startswith("libcurl") for client in clients):
        missing += ["libc6-dev", "libcurl4-openssl-dev"]
    if messages and "gcc" in missing:
        missing.append("libwebsockets-dev")
    if messages and "websockets" in clients:
        done = subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True)
        if done.returncode:
            missing.append("python3-venv")
    return missing


def has_swift(clients):
    in_swift = ("sterna", "sterna-loop", "ahc", "urlsession")
    return bool(shutil.which("swift")) or not any(client in in_swift for client in clients)


def install(packages):
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, stdout=sys.stderr)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], check=True,
                   env=environment, stdout=sys.stderr)


class Programs:
    """Where the built programs are; building them is a matter of seconds where nothing has changed."""

    # Of each client in Swift the product, and the folder that it is built in.
    PRODUCTS = {"sterna": ("SternaClient", "sterna"), "ahc": ("AsyncHTTPClientPeer", "peers"),
                "urlsession": ("URLSessionPeer", "urlsession")}

    def __init__(self, jobs):
        self.jobs = jobs
        self.paths = {name: os.path.join(BUILD, name) for name in ["measure", "sink", "libcurl", "go"]}
        for name in ["allocations", "authority"]:
            self.paths[name] = os.path.join(BUILD, f"{name}.so")
        for name in ["sterna", "ahc", "urlsession"]:
            self.paths[name] = os.path.join(BUILD, "bin", name)
        for name in ["libwebsockets", "websocket-server"]:
            self.paths[name] = os.path.join(BUILD, name)
        # Further products of this package, which stand in for Sterna's client in some works.
        self.paths["Observing"] = os.path.join(BUILD, "bin", "Observing")
        self.paths["websockets"] = os.path.join(BUILD, "venv", "bin", "python")

    def build(self, clients, messages=False, beside=()):
        os.makedirs(BUILD, exist_ok=True)
        for tool in ["measure", "sink"]:
            self._run(["gcc", "-O2", "-pthread", "-o", self.paths[tool], f"Tools/{tool}.c"])
        for library in ["allocations", "authority"]:
            self._run(["gcc", "-O2", "-shared", "-fPIC", "-o", self.paths[library], f"Tools/{library}.c"])
        if any(client.startswith("libcurl") for client in clients):
            self._run(["gcc", "-O2", "-o", self.paths["libcurl"], "Peers/libcurl/client.c", "-lcurl"])
        if messages:
            for source, name in [("server", "websocket-server"), ("client", "libwebsockets")]:
                self._run(["gcc", "-O2", "-o", self.paths[name], f"Peers/libwebsockets/{source}.c", "-lwebsockets"])
        if messages and "websockets" in clients and not os.path.exists(self.paths["websockets"]):
            self._run([sys.executable, "-m", "venv", os.path.join(BUILD, "venv")])
            self._run([self.paths["websockets"], "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WEBSOCKETS])
        if "go" in clients:
            self._run(["go", "build", "-o", self.paths["go"], "."], folder="Peers/go")
        self._static_libraries()
        if any(client.startswith("sterna") for client in clients):
            self._swift(".", *self.PRODUCTS["sterna"], SMALL, "bin/sterna")
            for product in beside:
                self.build_beside(product)
        if "ahc" in clients:
            self._swift("Peers", *self.PRODUCTS["ahc"], SMALL, "bin/ahc")
        if "urlsession" in clients:
            self._swift("Peers", *self.PRODUCTS["urlsession"], [], "bin/urlsession")

    def build_beside(self, product):
        """Builds another program of this package in the client's folder, so that both share the library's modules."""
        os.makedirs(BUILD, exist_ok=True)
        self._static_libraries()
        self._swift(".", product, self.PRODUCTS["sterna"][1], SMALL, os.path.join("bin", product))

    def order(self, clients, functions):
        """Links the clients in Swift again, with what each of them runs side by side, as `functions(client)` says."""
        for client, package in [("sterna", "."), ("ahc", "Peers")]:
            if not any(name.startswith(client) for name in clients):
                continue
            product, scratch = self.PRODUCTS[client]
            path = os.path.join(BUILD, f"{client}.order")
            with open(path, "w") as file:
                file.write("\n".join(functions(client)) + "\n")
            # Not every name is that of a function of the program, as those of its libraries.
            self._swift(package, product, scratch, [
                *SMALL, "-Xlinker", f"--symbol-ordering-file={path}", "-Xlinker", "--no-warn-symbol-ordering"],
                os.path.join(ORDERED, client))
        self.take_ordered()

    def take_ordered(self):
        """From now on the clients are those that were linked again."""
        for client in ["sterna", "ahc"]:
            self.paths[client] = os.path.join(BUILD, ORDERED, client)

    def _static_libraries(self):
        """A folder in which the linker finds C++'s library as an archive, before it comes to where it is shared."""
        os.makedirs(STATIC, exist_ok=True)
        archive = subprocess.run(["gcc", "-print-file-name=libstdc++.a"], capture_output=True, text=True).stdout.strip()
        link = os.path.join(STATIC, "libstdc++.a")
        if os.path.lexists(link):
            os.remove(link)
        # The compiler gives the name back where it has no such file; the library is shared then.
        if os.path.isabs(archive):
            os.symlink(archive, link)

    def _swift(self, package, product, scratch, more, target):
        command = ["swift", "build", "-c", "release", "--package-path", package, "--product", product,
                   "--scratch-path", os.path.join(BUILD, scratch), *more]
        if self.jobs:
            command += ["-j", str(self.jobs)]
        self._run(command)
        # As it would be installed.
        target = os.path.join(BUILD, target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(BUILD, scratch, "release", product), target)

    def forget(self):
        """Has the kernel drop what it holds of the programs in memory, so that each is read from the disk as it runs.

        In what pieces a file lies there is left over from how it came there, and says how much of it is mapped at each fault:
        a program takes 23 MB as it is read by running, 25 behind a copy, 26.5 read from end to end.
        """
        for client in [*self.PRODUCTS, "libcurl", "go", "libwebsockets"]:
            if os.path.exists(self.paths[client]):
                with open(self.paths[client], "rb") as file:
                    os.fsync(file.fileno())
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def _run(self, command, folder="."):
        print("building:", " ".join(os.path.relpath(part, HERE) if part.startswith(HERE) else part for part in command),
              file=sys.stderr, flush=True)
        done = subprocess.run(command, cwd=os.path.join(HERE, folder), stdout=sys.stderr)
        if done.returncode:
            sys.exit(f"this failed: {' '.join(command)}")
