"""Judges the rows of docs/Servers.md that CI's tests do not: prints each as it stands there, and fails for one that is not right."""
import pathlib
import signal
import sys
import time
import traceback

sys.dont_write_bytecode = True
import harness
import files_and_proxies  # noqa: F401
import python_servers  # noqa: F401
import upload_servers  # noqa: F401

# The end of the time that `timeout` gives, too, ends the servers, which are in process groups of their own.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
wanted = sys.argv[2:]
table = pathlib.Path(sys.argv[1]).read_text() if pathlib.Path(sys.argv[1]).exists() else ""
failed = judged = 0
print("| server | what it does | what Sterna does | test |\n|---|---|---|---|")
for line, judge in harness.rows:
    server = line.split(" | ")[0]
    if wanted and not any(each.lower() in (server + " " + judge.__name__).lower() for each in wanted):
        continue
    judged += 1
    start = time.monotonic()
    try:
        judge()
        verdict = "right" if line in table else "NOT IN docs/Servers.md"
    except Exception as error:
        verdict = "WRONG"
        traceback.print_exc(limit=-2)
    failed += verdict != "right"
    print(line, f"<!-- {verdict}, {time.monotonic() - start:.1f} s -->", flush=True)
known = {line for line, _ in harness.rows}
for line in [] if wanted else table.splitlines():
    if line.endswith("`scripts/servers` |") and line not in known:
        failed += 1
        print(line, "<!-- NOT IN scripts/servers.d -->")
if not judged:
    sys.exit("no row has these words")
print(f"{failed} rows are not right" if failed else "All rows are right.")
sys.exit(1 if failed else 0)
