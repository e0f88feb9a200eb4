#!/usr/bin/python3
"""A bounded choice of the public generator's tests, and what import made of them.

public_tests.py select CONFIG SELECTION     CONFIG: conformance/cts-config_v1.0.json of tosa-tools
public_tests.py tally TESTS SUITE LEFT_OUT  TESTS: a folder of tests; SUITE, LEFT_OUT: what import wrote of it

`select` writes a file for `tosa_verif_build_tests --test-selection-config` and prints the operators of TOSA 1.0 as a
pattern for --filter. `tally` prints the tests of each operator and the reasons of those left out, in Markdown.
Exit code 0: done; 2: usage.
"""

import collections
import json
import pathlib
import re
import sys

# Operators with thousands of tests, by the arguments each new value of which is worth a test.
MANY = {
    "conv2d": ["kernel", "stride", "pad", "dilation"],
    "conv3d": ["kernel", "stride", "pad", "dilation"],
    "depthwise_conv2d": ["kernel", "stride", "pad", "dilation"],
    "transpose_conv2d": ["kernel", "stride", "pad"],
    "avg_pool2d": ["kernel", "stride", "pad"],
    "max_pool2d": ["kernel", "stride", "pad"],
    "pad": ["pad"],
}


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def operators_of(config):
    return {name: entry for name, entry in config.items() if isinstance(entry, dict)}


def select(config, selection):
    chosen = {}
    for name, entry in operators_of(json.loads(config.read_text())).items():
        if entry.get("from_version") == "1.1.0":
            continue
        criteria = {"all": True, "num_errorifs": 2}
        if name in MANY:
            criteria = {"permutes": ["type", "rank"], "full_params": MANY[name], "maximum": 12, "num_errorifs": 2}
        chosen[name] = {"selection": {"default": {**criteria, "missing_errorifs": True}}}
    selection.write_text(json.dumps(chosen, indent=1) + "\n")
    print(f"^({'|'.join(chosen)})$")


def operator_of(test):
    """conv2d_1x1 and such are kernels of one operator, cond_if_binary is a graph of one."""
    return re.sub(r"_(\d+x[\dx]+|binary|const)$", "", test.parent.name)


def reason_of(line):
    """A reason without its place and numbers."""
    words = re.sub(r"^.*?/(desc\.json|test\.tosa): ", "", line)
    words = re.sub(r"(block \w+, )?operator \d+ \(\w+\)", "an operator", words)
    words = re.sub(r" at [A-Z0-9_]+ \(operator \d+.*", "", words)
    words = re.sub(r"result_\d+|layer_\d+", "a result", words)
    return re.sub(r"-?\d+", "N", re.sub(r"^/meta.*?: output ", "output ", words))[:90].strip()


def tally(tests, suite, left_out):
    counts = collections.defaultdict(collections.Counter)
    for path in tests.rglob("desc.json"):
        kind = "illegal" if "ERRORIF" in path.parent.name else "legal"
        counts[operator_of(path.parent)][kind] += 1
    reasons, examples, kinds = collections.Counter(), {}, collections.defaultdict(set)
    for line in left_out.read_text().splitlines():
        test = pathlib.Path(re.split(r"/(?:desc\.json|test\.tosa|[^/]*\.npy)?:|: ", line)[0])
        reason = reason_of(line)
        counts[operator_of(test)]["left out"] += 1
        reasons[reason] += 1
        examples.setdefault(reason, test.name)
        kinds[reason].update(re.findall(r"ERRORIF_([A-Za-z0-9]+)", test.name))
    imported = collections.Counter()
    for case in json.loads((suite / "suite.json").read_text())["cases"]:
        imported[case["id"].split("/")[0]] += 1
    total = sum(counts.values(), collections.Counter())
    print("| operator | legal | illegal | left out |\n|---|---|---|---|")
    for name, count in sorted(counts.items()):
        print(f"| {name} | {count['legal']} | {count['illegal']} | {count['left out']} |")
    print(f"| all | {total['legal']} | {total['illegal']} | {total['left out']} |")
    print(f"\n{sum(imported.values())} cases imported\n")
    print("| left out | illegal how | reason | such as |\n|---|---|---|---|")
    for reason, count in reasons.most_common():
        print(f"| {count} | {', '.join(sorted(kinds[reason]))} | {reason} | {examples[reason]} |")


def main():
    arguments = [pathlib.Path(argument) for argument in sys.argv[2:]]
    wanted = {"select": (select, 2), "tally": (tally, 3)}
    work, count = wanted.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if work is None or len(arguments) != count:
        stop(__doc__.strip())
    if not arguments[0].exists():
        stop(f"{arguments[0]}: no such file or folder")
    work(*arguments)


if __name__ == "__main__":
    main()
