"""How many instructions a client runs, which does not depend on what else the machine does."""

import os
import re
import subprocess
import tempfile


def count(program, command, environment):
    """The instructions outside of the kernel, by valgrind's callgrind; a copy of the program takes the place of the command's first word."""
    with tempfile.TemporaryDirectory(prefix="sterna-instructions-") as folder:
        stripped = os.path.join(folder, "program")
        # Valgrind does not read what Swift writes for debuggers.
        subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/calls", stripped, *command[1:]],
            capture_output=True, text=True, timeout=300, env=environment)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found or '"errors": 0,' not in done.stdout:
            raise OSError(f"valgrind ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-400:]}")
        return int(found[1])
