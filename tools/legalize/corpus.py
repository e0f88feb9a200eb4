#!/usr/bin/env python3
"""Writes corpus.jsonl: small networks that a converter wrote, with inputs and what LiteRT made of them. corpus.py LEGALIZE.json TENSOR_CTS TENSOR_CTS

A network a line: id, network (text of MLIR), inputs and outputs (type, shape, base64 of the bytes); or instead of outputs the words by
which `import` refuses it. Models and data come from operators, which draws them at random.
"""

import base64
import json
import pathlib
import re
import shutil
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
LARGEST = 5000  # bytes of data, and of text
TYPES = ("int8", "float32", "uint8", "int16", "int32", "bool")
REFUSED = ("operations left", "illegal graph", "unpredictable")
MOST = 140


def packed(values):
    return {
        "type": str(values.dtype),
        "shape": list(values.shape),
        "bytes": base64.b64encode(np.asarray(values).tobytes()).decode(),
    }


def chosen(records):
    """At most one case for each operator and type, those of few types first; and one for each way to be refused."""
    rows, refused = {}, {}
    for record in records:
        kind = record["types"].split(" ")[0]
        if record["class"] == "equal" and kind in TYPES:
            rows.setdefault((TYPES.index(kind), record["operator"]), []).append(record["id"])
        elif record["class"] in REFUSED and "as the embedded implementation runs it" not in record["detail"]:
            condition = re.findall(r"\(([a-z_0-9]+\.[a-z_0-9]+)\)", record["detail"])
            refused.setdefault((record["class"], *condition[-1:]), []).append(record["id"])
    return [rows[key] for key in sorted(rows)], list(refused.values())


def size(case):
    return sum(v.nbytes for v in case.inputs) + sum(
        t.data.nbytes for t in case.model.inputs if t is not None and t.data is not None
    )


def main():
    import pipeline
    import tflite_source

    if len(sys.argv) != 3:
        print("usage: corpus.py LEGALIZE.json TENSOR_CTS", file=sys.stderr)
        return 2
    records = json.loads(pathlib.Path(sys.argv[1]).read_text())["cases"]
    cases = {case.id: case for case in tflite_source.cases()}
    right, refused = chosen(records)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        steps = pipeline.Steps(
            tflite_source,
            sys.argv[2],
            f"{shutil.which('tosa-converter-for-tflite')} {{model}} --text -o {{out}}",
            pathlib.Path(folder) / "case",
            0,
        )
        for ids in [*refused, *right]:
            if len(lines) == MOST:
                break
            case = min((cases[name] for name in ids if name in cases), key=size, default=None)
            if case is None or size(case) > LARGEST:
                continue
            record, _, theirs = pipeline.run(steps, case)
            text = (steps.folder / "network.mlir").read_text()
            if len(text) > LARGEST:
                continue
            line = {
                "id": case.id,
                "network": re.sub(
                    r" attributes \{tf[^\n]*\{$",
                    " {",
                    re.sub(r"^module attributes.*$", "module {", text, flags=re.M),
                    flags=re.M,
                ),
                "inputs": [packed(v) for v in case.inputs],
            }
            if record["class"] == "equal" and all(o.get("answers") for o in steps.case_json()["outputs"]):
                line["outputs"] = [packed(v) for v in theirs[record["equal to"][0]]]
            elif record["class"] in REFUSED:
                words = re.split(r" found | \(operator|;", record["detail"])
                line["refused"] = (
                    re.sub(r"^[\d:]+ ", "", words[0])
                    if record["class"] != "operations left"
                    else "found operations outside of the tosa dialect"
                )
                line["condition"] = (re.findall(r"\(([a-z_0-9]+\.[a-z_0-9]+)\)", record["detail"]) or [""])[-1]
            else:
                continue
            lines.append(json.dumps(line))
    (HERE / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
