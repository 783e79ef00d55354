# SPDX-License-Identifier: Apache-2.0
"""litert_python_adapter.py [--kernels xnnpack|optimized|reference]: LiteRT's interpreter, the package ai-edge-litert,
as a runtime of the conformance suite, and an example of an adapter in another language than C++.

conformance/adapters/README.md has the protocol. Exit codes: 0 success, 2 bad usage, 3 no such package.
"""

import argparse
import importlib.metadata
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import case_server

NAME = "litert_python_adapter"
KERNELS = {
    "xnnpack": "BUILTIN",  # What users get: the delegate takes what it can, optimised kernels the rest.
    "optimized": "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
    "reference": "BUILTIN_REF",
}


def run_case(litert, numpy, kernels, folder):
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


def main():
    parser = argparse.ArgumentParser(description="Answers the cases of the conformance runner with LiteRT.")
    parser.add_argument("--kernels", choices=KERNELS, default="xnnpack")
    kernels = parser.parse_args().kernels
    try:
        import numpy
        from ai_edge_litert import interpreter as litert
        version = importlib.metadata.version("ai-edge-litert")
    except ImportError as error:
        case_server.leave(NAME, 3, f"{error}, required: the package ai-edge-litert; ./dev runtimes installs it")
    case_server.serve(NAME, f"{version}-{kernels}", lambda folder: run_case(litert, numpy, kernels, folder))


if __name__ == "__main__":
    main()
