"""Runs clients and takes their figures."""

import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

from . import instructions, order, programs, servers, works


class Failed(Exception):
    pass


class Rounds:
    def __init__(self, programs, servers, core, quick):
        self.paths = programs.paths
        self.servers = servers
        self.core = core
        self.quick = quick

    def turns(self, work):
        """How many turns each client has in a round of a work."""
        return min(work.turns, work.quick if self.quick else work.count)

    @staticmethod
    def together(samples):
        """The turns of a client as one sample: their medians; errors are added."""
        return {metric: (sum if metric == "errors" else statistics.median)([sample[metric] for sample in samples])
                for metric in samples[0]}

    def sample(self, work, client):
        """One turn of one client, as a dictionary of metrics."""
        count = (work.quick if self.quick else work.count) // self.turns(work)
        if work.name == "process":
            line, measured = self._run(work, client, 1, 1, times=count)
            return {"wall_ms": statistics.median(measured["walls"]) * 1e3,
                    "cpu_ms": (measured["user"] + measured["system"]) / count * 1e3, "peak": measured["peak"] / 1e6,
                    "errors": line["errors"]}
        if work.name in ("origins", "idle"):
            return self._crowd(work, client, count)
        if work.more:
            return self._instructed(work, client, count)
        if work.metric == "times" and work.ask == "receive":
            return self._received(work, client, count)
        if work.name == "stored":
            return self._stored(work, client, count)
        if work.metric == "allocations":
            return self._allocations(work, client, count)
        if work.ask in ("get", "cookies", "messages"):
            count = max(work.concurrency, int(count * works.SHARE.get(client, 1)))
        line, measured = self._run(work, client, count, work.concurrency)
        cpu = line.get("cpu", measured["user"] + measured["system"])
        wall = line["wall"]
        sample = {"peak": measured["peak"] / 1e6, "errors": line["errors"], "wall": wall,
                  "process_cpu": measured["user"] + measured["system"]}
        if work.ask in ("get", "cookies"):
            sample["cpu"] = cpu * 1e6 / line["requests"]
            sample["rate"] = line["requests"] / wall
            if work.metric == "times":
                sample["times"] = 1 + cpu / line["cpu_without"]
        elif work.ask == "messages":
            if line["bytes"] != servers.MESSAGE * count:
                raise Failed(f"{line['bytes']} bytes of {servers.MESSAGE * count}")
            sample["cpu"] = cpu * 1e6 / line["requests"]
            sample["rate"] = line["requests"] / wall
        elif work.ask == "events":
            if line["bytes"] != servers.EVENTS * count:
                raise Failed(f"{line['bytes']} events of {servers.EVENTS * count}")
            sample["cpu"] = cpu * 1e6 / line["bytes"]
            sample["rate"] = line["bytes"] / wall
        else:
            expected = (servers.PART if work.name == "streams" else self.servers.large) * count
            if work.ask == "upload" and self._uploads_less(client):
                expected //= 8
            if line["bytes"] != expected:
                raise Failed(f"{line['bytes']} bytes of {expected}")
            if work.name == "streams":  # of all the time that it took
                sample["apart"] = (line["last"] - line["first"]) / line["last"] * 100
            sample["cpu_gib"] = cpu * works.GIB / line["bytes"]
            sample["rate"] = line["bytes"] / wall / 1e6
        return sample

    # URLSession takes a minute for a GiB.
    @staticmethod
    def _uploads_less(client):
        return client == "urlsession"

    def _crowd(self, work, client, count):
        line, measured = self._run(work, client, count, count)
        sample = {"errors": line["errors"], "peak": measured["peak"] / 1e6, "p99": line["p99"], "wall": line["wall"],
                  "rate": line["requests"] / line["wall"]}
        if work.name == "idle":
            sample["connections"] = line["connections"]
            sample["idle_kib"] = line["bytes_per_connection"] / 1024
            sample["trimmed_kib"] = line["trimmed_bytes_per_connection"] / 1024
        if line["errors"]:
            print(f"    {line['errors']} errors: {line.get('error', '')[:200]}", file=sys.stderr)
        return sample

    # The difference of a long and a short run, so that starting and connecting do not count.
    def _allocations(self, work, client, count):
        count = max(4 * work.concurrency, int(count * works.SHARE.get(client, 1)))
        seen = []
        path = os.path.join(self.servers.folder, "allocations")
        for number in (count // 4, count):
            line, measured = self._run(work, client, number, work.concurrency, {
                "LD_PRELOAD": self.paths["allocations"], "COUNT_ALLOCATIONS": path})
            with open(path) as file:
                seen.append((line["requests"], int(file.read())))
            os.remove(path)
        (few, first), (many, second) = seen
        return {"allocations": (second - first) / (many - few), "peak": measured["peak"] / 1e6, "errors": line["errors"]}

    @property
    def _cache(self):
        return os.path.join(self.servers.folder, "cache")

    # Of both the whole process, which may write when the response has ended.
    def _stored(self, work, client, count):
        def run(work):
            line, measured = self._run(work, client, count, work.concurrency)
            if line["bytes"] != self.servers.large * count:
                raise Failed(f"{line['bytes']} bytes of {self.servers.large * count}")
            return measured["user"] + measured["system"], measured["peak"] / 1e6

        plain, _ = run(dataclasses.replace(work, ask="save", options=[]))
        cpu, peak = run(work)
        held = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(self._cache) for name in names)
        shutil.rmtree(self._cache, ignore_errors=True)
        if held < self.servers.large:
            raise Failed(f"the cache has {held} bytes")
        return {"times": cpu / plain, "cpu": cpu, "cpu_to_file": plain, "peak": peak, "errors": 0}

    def _received(self, work, client, count):
        def run(work):
            line, measured = self._run(work, client, count, work.concurrency)
            if line["bytes"] != self.servers.large * count:
                raise Failed(f"{line['bytes']} bytes of {self.servers.large * count}")
            return line["cpu"], measured["peak"] / 1e6

        plain, _ = run(dataclasses.replace(work, ask="download", target="large"))
        cpu, peak = run(work)
        return {"times": cpu / plain, "cpu": cpu, "cpu_plain": plain, "peak": peak, "errors": 0}

    # A few hundred instructions more are nothing beside what disturbs a machine, but callgrind counts them. How long an instruction
    # takes is that of all of the request's: its user time by its instructions.
    def _instructed(self, work, client, count):
        def each(figure, few, many):
            return (figure(many) - figure(few)) / (many - few)

        def instructed(*more):
            def figure(number):
                command = self._command(work, client, number, work.concurrency)[0] + list(more)
                try:
                    return instructions.count(command[0], command, self._environment())
                except (OSError, subprocess.TimeoutExpired) as problem:
                    raise Failed(str(problem)) from None
            return each(figure, count // 4, count)

        peaks = []

        def user(number):
            _, measured = self._run(work, client, number, work.concurrency)
            peaks.append(measured["peak"] / 1e6)
            return measured["user"]

        without, held = instructed(), instructed(*work.more)
        time = each(user, 5 * count, 15 * count) * 1e6
        return {"instructions": without, "instructions_more": held - without, "more": (held - without) * time / without,
                "share": (held - without) / without * 100, "peak": max(peaks), "errors": 0}

    def functions(self, client):
        """What a client runs where it starts and makes small requests of all kinds."""
        commands = [self._command(work, client, 300, 64)[0] for work in works.WORKS
                    if work.name in ("get", "get-tls", "get-h2")]
        return order.functions(self.paths[client], commands, self._environment())

    @staticmethod
    def _environment():
        return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}

    def _command(self, work, client, count, concurrency):
        """What is run, and what is set in its environment."""
        url = self.servers.url(work.target)
        extra = {}
        if client == "wrk":
            command = ["wrk", "-t1", f"-c{concurrency}", f"-d{1 if self.quick else 3}s", url]
        else:
            command = [self.paths[work.program or client.split("-")[0]], work.ask, url, str(count), str(concurrency)]
            if client == "websockets":
                command.insert(1, os.path.join(programs.HERE, "Peers", "websockets", "client.py"))
            if client == "sterna-loop":
                command.append("--on-loop")
            if client == "sterna-stream":
                command.append("--stream")
            if client == "libcurl-256k":
                command += ["--buffer", str(256 << 10)]
            if client == "libcurl" and concurrency > 1000:
                command.append("--epoll")
            if work.options:
                command += [option.format(folder=self.servers.folder) for option in work.options]
                shutil.rmtree(self._cache, ignore_errors=True)
            if work.ask == "save":
                command += ["--file", os.path.join(self.servers.folder, "saved")]
                if client == "libcurl":  # as the program curl
                    command += ["--buffer", str(100 << 10)]
            if work.ask == "upload":
                command += ["--file", self.servers.eighth if self._uploads_less(client) else self.servers.file]
            if work.target.startswith("http2") and client != "go":
                command.append("--http2")
            if work.target == "tls" or work.target.startswith("http2"):
                if client == "urlsession":
                    extra = {"LD_PRELOAD": self.paths["authority"], "TRUST_AUTHORITY": self.servers.authority}
                else:
                    command += ["--ca", self.servers.authority]
        return command, extra

    def _run(self, work, client, count, concurrency, extra=None, times=1):
        command, own = self._command(work, client, count, concurrency)
        if extra := own | (extra or {}):
            # By env, so that the measuring program is not counted.
            command = ["/usr/bin/env", *[f"{key}={value}" for key, value in extra.items()], *command]
        pin = ["-c", str(self.core)] if self.core is not None else []
        measure = [self.paths["measure"], *pin, "-n", str(times), *command]
        try:
            done = subprocess.run(measure, capture_output=True, text=True, timeout=300,
                                  env=self._environment())
        except subprocess.TimeoutExpired:
            raise Failed("no end after five minutes") from None
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        try:
            measured = json.loads(lines[-1])
            if measured["status"]:
                raise ValueError(f"status {measured['status']}")
            line = self._wrk(done.stdout) if client == "wrk" else json.loads(lines[-2])
        except (ValueError, IndexError, KeyError, AttributeError) as problem:
            raise Failed(f"{problem}; {done.stderr.strip()[-400:]}") from None
        if line["errors"] and work.ask not in ("origins", "idle"):
            raise Failed(f"{line['errors']} errors: {line.get('error', '')}")
        return line, measured

    @staticmethod
    def _wrk(text):
        requests, wall = re.search(r"(\d+) requests in ([\d.]+)s", text).groups()
        failed = re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", text)
        return {"requests": int(requests), "wall": float(wall), "bytes": 0, "errors": sum(map(int, failed))}
