# SPDX-License-Identifier: Apache-2.0
"""tflm_python_adapter.py: TensorFlow Lite Micro, the package tflite-micro, as a runtime of the conformance suite.

conformance/adapters/README.md has the protocol. Exit codes: 0 success, 2 bad usage, 3 no such package.
"""

import argparse
import ctypes
import importlib.metadata
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import case_server

NAME = "tflm_python_adapter"
ARENA_BYTES = 8 << 20
# mallopt's option: new memory, the arena's too, holds the complement. Kernels that read memory which they
# never set then read the same bytes at each run, and no zeros.
M_PERTURB, COMPLEMENT_OF_0XA5 = -6, 0x5A

# The runtime uses these words if it lacks something: "Only int32_t are supported currently", "Does not
# support type".
LACKS = re.compile(r"didn't find op|support", re.IGNORECASE)


def reads_uint8(schema, model):
    """Whether a builtin operator reads uint8 first: the scheme before int8, of which this runtime has no arithmetic."""
    graph = model.subgraphs[0]
    for op in graph.operators:
        code = model.operatorCodes[op.opcodeIndex]
        is_custom = max(code.builtinCode, code.deprecatedBuiltinCode) == schema.BuiltinOperator.CUSTOM
        first = op.inputs[0] if op.inputs is not None and len(op.inputs) else -1
        if not is_custom and first >= 0 and graph.tensors[first].type == schema.TensorType.UINT8:
            return True
    return False


def run_case(runtime, schema, numpy, folder):
    file = (folder / "model.tflite").read_bytes()
    try:
        # The package does the same; both follow any offsets that the file holds.
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(file, 0))
        is_uint8 = reads_uint8(schema, model)
    except Exception as error:
        raise ValueError(f"no model: {type(error).__name__}: {error}") from error
    try:
        interpreter = runtime.Interpreter.from_bytes(file, arena_size=ARENA_BYTES)
        details = []
        for i, values in enumerate(input_files(folder)):
            details.append((values.read_bytes(), interpreter.get_input_details(i)))
        for _ in range(int((folder / "invokes").read_text())):
            for i, (values, tensor) in enumerate(details):
                interpreter.set_input(numpy.frombuffer(values, tensor["dtype"]).reshape(tensor["shape"]), i)
            interpreter.invoke()
    except RuntimeError as error:
        # The runtime's asserts do not say that they miss a type.
        if is_uint8:
            raise case_server.Unsupported(str(error)) from error
        raise
    for i in range(len(model.subgraphs[0].outputs)):
        (folder / f"out{i}.bin").write_bytes(interpreter.get_output(i).tobytes())


def input_files(folder):
    i = 0
    while (folder / f"in{i}.bin").exists():
        yield folder / f"in{i}.bin"
        i += 1


def main():
    argparse.ArgumentParser(
        description="Answers the cases of the conformance runner with TensorFlow Lite Micro.").parse_args()
    try:
        import numpy
        from tflite_micro.python.tflite_micro import runtime
        from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema
        version = importlib.metadata.version("tflite_micro")
    except ImportError as error:
        case_server.leave(NAME, 3, f"{error}, required: the package tflite-micro; ./dev runtimes installs it")
    ctypes.CDLL(None).mallopt(M_PERTURB, COMPLEMENT_OF_0XA5)
    case_server.serve(NAME, version, lambda folder: run_case(runtime, schema, numpy, folder), lacks=LACKS,
                      listens=True)


if __name__ == "__main__":
    main()
