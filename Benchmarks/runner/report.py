"""Medians, spreads and ratios of a run, as a table for the terminal and one in Markdown."""

import statistics

from . import works


class Run:
    """What a run came to: `data` is what the JSON file holds."""

    def __init__(self, data):
        self.data = data
        self.samples = data["samples"]

    def values(self, work, client, metric):
        samples = self.samples.get(work.name, {}).get(client, [])
        return [sample[metric] for sample in samples if metric in sample]

    def median(self, work, client, metric):
        values = self.values(work, client, metric)
        return statistics.median(values) if values else None

    def spread(self, work, client, metric):
        values = self.values(work, client, metric)
        return (min(values), max(values)) if values else None

    def ratio(self, work, client, other, metric=None):
        """The ratio of two medians, and the smallest and largest ratio of one round."""
        metric = metric or work.metric
        mine, theirs = self.median(work, client, metric), self.median(work, other, metric)
        if not mine or not theirs:
            return None
        rounds = {}
        for name in (client, other):
            for sample in self.samples[work.name][name]:
                rounds.setdefault(sample["round"], {})[name] = sample[metric]
        each = [both[client] / both[other] for both in rounds.values() if len(both) == 2 and both[other]]
        return mine / theirs, (min(each), max(each)) if each else None

    def figure(self, work, limit):
        """What a limit holds for, or None where it was not measured."""
        if limit.against:
            ratio = self.ratio(work, limit.client, limit.against, limit.metric)
            return ratio[0] if ratio else None
        if limit.metric == "errors":  # of all rounds
            values = self.values(work, limit.client, "errors")
            return sum(values) if values else None
        return self.median(work, limit.client, limit.metric or work.metric)

    def verdict(self, work, limit):
        """`aim`, `ok` or `FAIL`; None where it was not measured."""
        figure = self.figure(work, limit)
        if limit.client in self.data["failures"].get(work.name, {}):
            return "FAIL"
        if figure is None:
            return None
        if figure > limit.most:
            return "FAIL"
        return "aim" if limit.aim is not None and figure <= limit.aim else "ok"

    def verdicts(self):
        """Each limit that was measured: work, limit, figure, verdict."""
        for work in works.WORKS:
            for limit in work.limits:
                if work.name in self.samples and (verdict := self.verdict(work, limit)):
                    yield work, limit, self.figure(work, limit), verdict


def number(value, metric):
    return f"{value:.{works.METRICS[metric][1]}f}"


def mark(run, work, client, against=None, metric=None):
    for limit in work.limits:
        if (limit.client, limit.against, limit.metric) == (client, against, metric):
            verdict = run.verdict(work, limit)
            aim = f", aim {limit.aim:g}" if limit.aim is not None else ""
            return f" {verdict} (<= {limit.most:g}{aim})" if verdict else ""
    return ""


def ratio_cell(run, work, client, other):
    if client == other:
        return "1"
    ratio = run.ratio(work, client, other)
    if not ratio:
        return ""
    spread = f" [{ratio[1][0]:.2f}-{ratio[1][1]:.2f}]" if ratio[1] else ""
    return f"{ratio[0]:.2f}{spread}{mark(run, work, client, other)}"


def table(run):
    """The whole run for a terminal."""
    lines = []
    for work in works.WORKS:
        if work.name not in run.samples:
            continue
        reference = works.CLIENTS[work.reference]
        rows = [["", "median", "min-max", f"to {reference}", "to AsyncHTTPClient", "peak MB", rate_title(work)]]
        for client in works.CLIENTS:
            failure = run.data["failures"].get(work.name, {}).get(client)
            if not run.values(work, client, work.metric):
                if failure:
                    rows.append([works.CLIENTS[client], "FAIL: " + failure[:160]])
                continue
            low, high = run.spread(work, client, work.metric)
            rate, peak = run.median(work, client, "rate"), run.median(work, client, "peak")
            errors = run.values(work, client, "errors")
            rows.append([
                works.CLIENTS[client],
                number(run.median(work, client, work.metric), work.metric) + mark(run, work, client),
                f"{number(low, work.metric)}-{number(high, work.metric)}",
                ratio_cell(run, work, client, work.reference),
                ratio_cell(run, work, client, "ahc"),
                number(peak, "peak") + mark(run, work, client, metric="peak") if peak else "",
                (f"{rate:,.0f}" if rate else "") + (f", {sum(errors)} errors" if sum(errors) else "")
                + mark(run, work, client, metric="errors") + (" (some rounds failed)" if failure else ""),
            ])
        unit = works.METRICS[work.metric][0]
        lines += ["", f"{work.title}: {work.unit}" + (f", {unit}" if unit else "")] + aligned(rows)
    return "\n".join(lines + ["", *summary(run), ""])


def rate_title(work):
    return "" if work.name == "process" or work.metric in ("allocations", "idle_kib", "more", "share", "times") else "MB/s" if work.ask in ("download", "save", "upload", "receive") else "events/s" if work.ask == "events" else "messages/s" if work.ask == "messages" else "requests/s"


def summary(run):
    counts = {"aim": 0, "ok": 0, "FAIL": 0}
    for _, _, _, verdict in run.verdicts():
        counts[verdict] += 1
    lines = [f"{counts['aim'] + counts['ok']} of {sum(counts.values())} limits hold, {counts['aim']} of them reach the aim."]
    return lines + [place(run.data)]


def place(data):
    machine = data["machine"]
    pinned = "client and server on a core each" if machine["client_core"] is not None else "clients and server share the cores"
    return (f"{data['date']}, {machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}, {pinned}; "
            f"medians of {data['rounds']} interleaved round{'s' if data['rounds'] != 1 else ''}" + (" with few requests" if data["quick"] else "")
            + ("; Sterna and AsyncHTTPClient with what they run side by side" if data.get("ordered") else ""))


def aligned(rows):
    widths = {}
    for row in rows:
        if len(row) > 2:
            for column, cell in enumerate(row):
                widths[column] = max(widths.get(column, 0), len(cell))
    return ["  " + "  ".join(cell.ljust(widths.get(column, 0)) for column, cell in enumerate(row)).rstrip() for row in rows]


def markdown(run):
    """One row a work, one column a client."""
    shown = [client for client in works.CLIENTS if any(client in samples for samples in run.samples.values())]
    names = [f"**{works.CLIENTS[client]}**" if client.startswith("sterna") else works.CLIENTS[client] for client in shown]
    lines = ["| work | " + " | ".join(names) + " |", "|---|" + "---:|" * len(shown)]
    for work in works.WORKS:
        if work.name not in run.samples:
            continue
        unit = works.METRICS[work.metric][0]
        cells = []
        for client in shown:
            value = run.median(work, client, work.metric)
            text = "" if value is None else f"{number(value, work.metric)} {unit}".strip()
            cells.append(f"**{text}**" if text and client.startswith("sterna") else text)
        lines.append(f"| {work.title}: {work.unit} | " + " | ".join(cells) + " |")
    peaks = [(name, works.by_name(name)) for name in ("get", "get-tls") if name in run.samples]
    for _, work in peaks:
        cells = [run.median(work, client, "peak") for client in shown]
        lines.append(f"| Peak memory: {work.title} | "
                     + " | ".join("" if cell is None else f"{cell:.1f} MB" for cell in cells) + " |")
    versions = ", ".join(f"{name} {version}" for name, version in run.data["versions"].items() if version)
    return "\n".join([*lines, "", f"{place(run.data)}. {versions}.", ""])
