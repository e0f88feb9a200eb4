"""tensor-cts-pt2 MODEL.pt2 -o NETWORK.tosa: lowers an exported program of torch to TOSA, by ExecuTorch.

`tensor-cts import MODEL.pt2` calls it. A program with quantized numbers becomes one of integers (TOSA-1.0+INT with int16),
another one of floating point (TOSA-1.0+FP). The whole program has to become one graph: what is left over is named.
"""
from __future__ import annotations

import argparse
import logging
import os
import pathlib
import re
import shutil
import sys
import tempfile
import warnings


def versions() -> str:
    from importlib import metadata

    return f"ExecuTorch {metadata.version('executorch')}, torch {metadata.version('torch')}"


def left_over(manager: object) -> list[str]:
    """The operators of a lowered program that no graph of TOSA has; those that quantize at the border are none of them."""
    module = manager.exported_program().graph_module  # type: ignore[attr-defined]
    targets = (str(node.target) for node in module.graph.nodes if node.op == "call_function")
    names = {found[0] for text in targets for found in [re.search(r"\w+\.\w+(\.\w+)*", text)] if found}
    return sorted(name for name in names if name.startswith("aten."))


def lower(model: str, out: str) -> None:
    # The output has nothing but what is wrong with the model.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    import torch
    from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
    from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
    from executorch.exir import to_edge_transform_and_lower

    try:
        import torchao.quantization.pt2e.quantize_pt2e  # noqa: F401  has the operators of quantized programs
    except ImportError:
        pass
    program = torch.export.load(model)
    # ExecuTorch starts programs (flatc) that pip puts beside Python.
    os.environ["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    quantized = any("quantize" in str(node.target) for node in program.graph_module.graph.nodes)
    spec = TosaCompileSpec("TOSA-1.0+INT+int16" if quantized else "TOSA-1.0+FP")
    with tempfile.TemporaryDirectory() as scratch:
        spec.dump_intermediate_artifacts_to(scratch)
        lowered = to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(spec)])
        files = sorted(pathlib.Path(scratch).glob("*.tosa"))
        if len(files) != 1:
            rest = ", ".join(left_over(lowered)) or "none"
            sys.exit(f"{model}: became {len(files)} graphs of TOSA, expected one; operators that were not lowered: {rest}")
        left = left_over(lowered)
        if left:
            sys.exit(f"{model}: operators that were not lowered: {', '.join(left)}")
        shutil.copyfile(files[0], out)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tensor-cts-pt2", description="Lowers an exported program of torch to TOSA, by ExecuTorch.")
    parser.add_argument("--version", action="store_true", help="print the versions of what lowers")
    parser.add_argument("model", nargs="?", help="a file of torch.export.save")
    parser.add_argument("-o", dest="out", help="the .tosa file")
    arguments = parser.parse_args()
    try:
        if arguments.version:
            print(versions())
        elif arguments.model and arguments.out:
            lower(arguments.model, arguments.out)
        else:
            parser.error("expected MODEL.pt2 -o NETWORK.tosa")
    except ImportError as error:
        sys.exit(f"{error}; install it: pip install executorch torch torchao")


if __name__ == "__main__":
    main()
