# SPDX-License-Identifier: Apache-2.0
"""The adapter protocol for runtimes with a Python package; conformance/adapters/README.md says what it is.

    sys.exit(case_server.serve("my_adapter", "1.2.3", run_case))

`run_case(folder)` runs the case there and writes its outputs. What it throws as RuntimeError or ValueError is what the
runtime refuses. A model that ends the process of its case ends the adapter by the same signal: the runner sees a crash
and starts the next one.
"""

import os
import pathlib
import re
import sys

# Runtimes use these words if they lack something; other messages mean that the model is wrong.
LACKS = re.compile(r"didn't find op|unsupported|not (yet )?supported|only supports|unresolved", re.IGNORECASE)


class Unsupported(Exception):
    """A runtime's refusal of what it lacks, in whatever words it said so."""


def _answer(run_case, folder, lacks, said):
    try:
        run_case(folder)
        return "ok"
    except Unsupported as error:
        return "unsupported " + " ".join(f"{said()} {error}".split())
    except (RuntimeError, ValueError) as error:  # The runtime's.
        why = " ".join(f"{said()} {error}".split())
        return f"{'unsupported' if lacks.search(why) else 'refused'} {why}"
    except Exception as error:  # pylint: disable=broad-except
        return "error " + " ".join(f"{type(error).__name__}: {error}".split())


def _answer_apart(run_case, folder, lacks, listens):
    """In a process of its own: a model that writes behind its buffers shall not harm the cases after it. `listens`:
    the runtime says on stderr, and not in what it throws, why it refuses."""
    reader, writer = os.pipe()
    heard = os.memfd_create("stderr")
    child = os.fork()
    if child == 0:
        if listens:
            os.dup2(heard, 2)

        def said():
            return os.pread(heard, 1 << 16, 0).decode(errors="replace")

        os.write(writer, _answer(run_case, folder, lacks, said).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(2, os.pread(heard, 1 << 16, 0))
    os.close(heard)
    if status < 0:
        os.kill(os.getpid(), -status)
    return text if status == 0 else f"error exit code {status}"


def leave(name, code, why):
    print(f"{name}: {why}", file=sys.stderr)
    sys.exit(code)


def serve(name, version, run_case, lacks=LACKS, listens=False):
    # Answers go to the runner's pipe; what the runtime prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        words = line.rstrip("\n").split(" ", 2)
        if words[0] == "hello":
            print(f"hello 1 {name} {version}", file=answers)
        elif words[0] == "case" and len(words) == 3:
            print(_answer_apart(run_case, pathlib.Path(words[2]), lacks, listens), file=answers)
        elif words[0] == "bye":
            break
        else:
            leave(name, 2, f"not a line of the protocol: {line.rstrip()}")
