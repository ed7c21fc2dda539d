"""Which functions a program runs, so that the linker can put them side by side."""

import os
import re
import subprocess
import sys
import tempfile


def functions(program, commands, environment):
    """The names of the functions that a program runs, by valgrind's callgrind.

    Each command is run as it is given, but with a copy of the program in place of its first word.
    """
    names = set()
    with tempfile.TemporaryDirectory(prefix="sterna-order-") as folder:
        stripped = os.path.join(folder, "program")
        # Valgrind does not read what Swift writes for debuggers; it needs the symbols alone.
        subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
        for number, command in enumerate(commands):
            calls = os.path.join(folder, f"calls.{number}")
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={calls}", "--compress-strings=no", "--demangle=no",
                 stripped, *command[1:]],
                capture_output=True, text=True, timeout=300, env=environment)
            if done.returncode:
                sys.exit(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-400:]}")
            with open(calls) as file:
                for line in file:
                    # A recursive call has its depth behind the name.
                    if match := re.match(r"fn=([^ \n]+?)('\d+)?( \[|$)", line):
                        names.add(match[1])
    return sorted(names)
