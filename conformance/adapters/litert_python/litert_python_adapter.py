# SPDX-License-Identifier: Apache-2.0
"""litert_python_adapter.py [--kernels xnnpack|optimized|reference]: LiteRT's interpreter, the package ai-edge-litert,
as a runtime of the conformance suite, and an example of an adapter in another language than C++.

conformance/adapters/README.md has the protocol. Exit codes: 0 success, 2 bad usage, 3 no such package. A model that
ends its process ends the adapter by the same signal: the runner sees a crash and starts the next one.
"""

import argparse
import importlib.metadata
import os
import pathlib
import re
import sys

NAME = "litert_python_adapter"
KERNELS = {
    "xnnpack": "BUILTIN",  # What users get: the delegate takes what it can, optimised kernels the rest.
    "optimized": "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
    "reference": "BUILTIN_REF",
}
# What the runtime says where it lacks something; else it found the model to be wrong.
LACKS = re.compile(r"didn't find op|unsupported|not (yet )?supported|only supports|unresolved", re.IGNORECASE)


def leave(code, why):
    print(f"{NAME}: {why}", file=sys.stderr)
    sys.exit(code)


def run_case(litert, numpy, kernels, folder):
    """Runs the case in `folder`; what the runtime throws is what it refuses."""
    interpreter = litert.Interpreter(
        model_content=(folder / "model.tflite").read_bytes(),
        num_threads=1,
        experimental_op_resolver_type=litert.OpResolverType[KERNELS[kernels]],
    )
    interpreter.allocate_tensors()
    for _ in range(int((folder / "invokes").read_text())):
        for i, tensor in enumerate(interpreter.get_input_details()):
            values = numpy.frombuffer((folder / f"in{i}.bin").read_bytes(), tensor["dtype"])
            interpreter.set_tensor(tensor["index"], values.reshape(tensor["shape"]))
        interpreter.invoke()
    for i, tensor in enumerate(interpreter.get_output_details()):
        (folder / f"out{i}.bin").write_bytes(interpreter.get_tensor(tensor["index"]).tobytes())


def answer(litert, numpy, kernels, folder):
    try:
        run_case(litert, numpy, kernels, folder)
        return "ok"
    except (RuntimeError, ValueError) as error:  # The interpreter's.
        why = " ".join(str(error).split())
        return f"{'unsupported' if LACKS.search(why) else 'refused'} {why}"
    except Exception as error:  # pylint: disable=broad-except
        return "error " + " ".join(f"{type(error).__name__}: {error}".split())


def answer_apart(*case):
    """In a process of its own: a model that writes behind its buffers shall not harm the cases after it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, answer(*case).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        os.kill(os.getpid(), -status)
    return text if status == 0 else f"error exit code {status}"


def main():
    parser = argparse.ArgumentParser(description="Answers the cases of the conformance runner with LiteRT.")
    parser.add_argument("--kernels", choices=KERNELS, default="xnnpack")
    kernels = parser.parse_args().kernels
    try:
        import numpy
        from ai_edge_litert import interpreter as litert
        version = importlib.metadata.version("ai-edge-litert")
    except ImportError as error:
        leave(3, f"{error}, required: the package ai-edge-litert; ./dev runtimes installs it")
    # Answers go where they are waited for; what the runtime prints goes to stderr.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        words = line.rstrip("\n").split(" ", 2)
        if words[0] == "hello":
            print(f"hello 1 {NAME} {version}-{kernels}", file=answers)
        elif words[0] == "case" and len(words) == 3:
            print(answer_apart(litert, numpy, kernels, pathlib.Path(words[2])), file=answers)
        elif words[0] == "bye":
            break
        else:
            leave(2, f"not a line of the protocol: {line.rstrip()}")


if __name__ == "__main__":
    main()
