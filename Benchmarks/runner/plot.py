"""An SVG of a run: a panel a work, a bar a client, with a whisker from the smallest to the largest round."""

from xml.sax.saxutils import escape

from . import works
from .report import number, place

STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; fill: #24292f; }
.title { font-weight: 600; font-size: 13px; }
.note, .unit { fill: #57606a; font-size: 11px; }
.ours { fill: #0a7ea4; } .loop { fill: #3fa7c8; } .peer { fill: #a9b4c0; } .limit { fill: #d5dbe1; }
.whisker { stroke: #24292f; stroke-width: 1; } .cut { stroke: #ffffff; stroke-width: 3; }
.bold { font-weight: 600; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .note, .unit { fill: #9aa5b1; }
  .ours { fill: #38b6e0; } .loop { fill: #2487ab; } .peer { fill: #5f6b78; } .limit { fill: #454e58; }
  .whisker { stroke: #e6edf3; } .cut { stroke: #0d1117; }
}
"""

WIDTH, PANEL, LABEL, BAR, GAP = 900, 430, 138, 15, 6
KINDS = {"sterna": "ours", "sterna-loop": "loop", "wrk": "limit"}


def svg(run):
    columns = [[], []]
    heights = [56, 56]
    for work in works.WORKS:
        clients = [client for client in works.CLIENTS if run.values(work, client, work.metric)]
        if not clients:
            continue
        side = 0 if heights[0] <= heights[1] else 1
        columns[side].append(panel(run, work, clients, 16 + side * (PANEL + 8), heights[side]))
        heights[side] += 46 + len(clients) * (BAR + GAP) + 16
    height = max(heights) + 36
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
             f'role="img" aria-label="What requests cost, by client">',
             f"<style>{STYLE}</style>",
             '<text class="title" x="16" y="24" style="font-size: 16px">What requests cost: shorter is better</text>',
             '<text class="note" x="16" y="42">Bars are medians, whiskers the smallest and largest round; a bar with a slash is longer than drawn.</text>',
             *columns[0], *columns[1], *footer(run, height), "</svg>", ""]
    return "\n".join(parts)


def footer(run, height):
    first, _, second = place(run.data).partition("; ")
    return [f'<text class="note" x="16" y="{height - 28}">{escape(first)}</text>',
            f'<text class="note" x="16" y="{height - 13}">{escape(second)}</text>']


def longest(values):
    """Where bars end: one that dwarfs all others is cut, so that the others can be told apart."""
    values = sorted(values)
    if len(values) > 2 and values[-1] > 2.5 * values[-2]:
        return values[-2] * 1.25
    return values[-1]


def panel(run, work, clients, left, top):
    unit = works.METRICS[work.metric][0]
    medians = {client: run.median(work, client, work.metric) for client in clients}
    end = longest(medians.values()) or 1
    room = PANEL - LABEL - 78
    lines = [f'<text class="title" x="{left}" y="{top + 16}">{escape(work.title)}</text>',
             f'<text class="unit" x="{left}" y="{top + 31}">{escape(work.unit)}</text>']
    y = top + 40
    for client in clients:
        value = medians[client]
        low, high = run.spread(work, client, work.metric)
        is_cut = value > end
        width = room if is_cut else max(1, room * value / end)
        bold = " bold" if client.startswith("sterna") else ""
        middle = y + BAR / 2
        lines.append(f'<text class="name{bold}" x="{left + LABEL - 6}" y="{middle + 4:.1f}" text-anchor="end">'
                     f"{escape(works.CLIENTS[client])}</text>")
        lines.append(f'<rect class="{KINDS.get(client, "peer")}" x="{left + LABEL}" y="{y}" width="{width:.1f}" '
                     f'height="{BAR}" rx="2"/>')
        after = left + LABEL + width
        if is_cut:
            x = after - 16
            lines.append(f'<path class="cut" fill="none" d="M{x:.1f} {y + BAR + 1} l6 -{BAR + 2}"/>')
        elif high > low:
            x1, x2 = (left + LABEL + min(room + 12, room * edge / end) for edge in (low, high))
            lines.append(f'<path class="whisker" fill="none" d="M{x1:.1f} {middle} H{x2:.1f} '
                         f'M{x1:.1f} {middle - 3} v6 M{x2:.1f} {middle - 3} v6"/>')
            after = max(after, x2)
        lines.append(f'<text class="value{bold}" x="{after + 6:.1f}" y="{middle + 4:.1f}">'
                     f"{number(value, work.metric)} {unit}</text>")
        y += BAR + GAP
    return "\n".join(lines)
