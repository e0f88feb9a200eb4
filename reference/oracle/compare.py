#!/usr/bin/python3
"""Asks the reference (tensor-cts eval --calls) and the oracle the same questions, and compares the answers.

The oracle is a second reading of the specification in plain Python. A module oracle_GROUP.py beside
this file offers OPERATORS, a dictionary from the operator's name to a model with
  editions                       the editions that have the operator
  random_call(rng, edition)      a call, as schemas/call.schema.json has it, without its id
  evaluate(call)                 an oracle_base.Answer
  row(call)                      optional: what the table's second column says of the call

Exit code: 0 no disagreement, 1 some, 2 usage or environment.
"""

import argparse
import collections
import glob
import importlib
import json
import math
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle_base as base  # noqa: E402

# Bounds are compared with a tolerance: the specification leaves the order of their operations, and
# the accuracy of pow in them, open. 2^-40 is far below what any verdict could depend on.
BOUND_TOLERANCE = 2.0**-40


def load_models():
    models = {}
    for path in sorted(glob.glob(os.path.join(HERE, 'oracle_*.py'))):
        module = importlib.import_module(os.path.basename(path)[:-len('.py')])
        models.update(getattr(module, 'OPERATORS', {}))
    return models


def ask_reference(binary, calls):
    lines = '\n'.join(json.dumps(call) for call in calls) + '\n'
    done = subprocess.run([binary, 'eval', '--calls', '-'], input=lines, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
    if len(answers) != len(calls):
        sys.exit(f'{binary} eval: {len(answers)} answers to {len(calls)} calls, exit code '
                 f'{done.returncode}\n{done.stderr}')
    return answers


def close(a, b):
    if a is None or b is None or isinstance(a, (bool, str)) or isinstance(b, (bool, str)):
        return a == b
    a, b = float(a), float(b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= max(BOUND_TOLERANCE * max(abs(a), abs(b)), 2.0**-1074)


def tensor_difference(name, ours, theirs, zero_sign):
    """ours: the oracle's Tensor; theirs: the reference's."""
    if ours.dtype != theirs.dtype or list(ours.shape) != theirs.shape:
        return f'{name}: oracle {ours.dtype} {ours.shape}, reference {theirs.dtype} {theirs.shape}'
    for i, (a, b) in enumerate(zip(ours.data, theirs.data)):
        if not base.same_number(a, b, zero_sign):
            return f'{name}[{i}]: oracle {base.json_value(a)}, reference {base.json_value(b)}'
    return None


def rule_difference(name, ours, theirs):
    for key, value in ours.items():
        other = theirs.get(key)
        if isinstance(value, base.Tensor):
            if other is None:
                return f'{name}.{key}: the reference has none'
            other = base.read_tensor(other)
            if len(value.data) != len(other.data):
                return f'{name}.{key}: oracle {value.shape}, reference {other.shape}'
            for i, (a, b) in enumerate(zip(value.data, other.data)):
                if a is not None and not close(a, b):
                    return (f'{name}.{key}[{i}]: oracle {base.json_value(a)}, '
                            f'reference {base.json_value(b)}')
        elif isinstance(value, tuple):
            if not any(close(v, other) for v in value):
                return f'{name}.{key}: oracle one of {value}, reference {other}'
        elif not close(value, other):
            return f'{name}.{key}: oracle {value}, reference {other}'
    return None


def difference(answer, reference):
    """The first disagreement in words, or None."""
    if 'malformed' in reference:
        return 'the reference calls it malformed: ' + reference['malformed']
    found = set(reference['conditions'])
    if answer.outcome != reference['outcome'] and reference['outcome'] not in answer.also:
        return (f'outcome: oracle {answer.outcome} {sorted(answer.conditions)}, '
                f'reference {reference["outcome"]} {sorted(found)}')
    comparable = {c for c in answer.conditions if not c.startswith('?')}
    if comparable == answer.conditions and not found <= comparable:
        return f'conditions: oracle {sorted(comparable)}, reference {sorted(found)}'
    if 'valid' not in (answer.outcome, reference['outcome']):
        return None
    for name, ours in answer.outputs.items():
        if name not in reference['outputs']:
            return f'{name}: the reference has no such output'
        theirs = base.read_tensor(reference['outputs'][name])
        rule = answer.rules.get(name, {})
        wrong = tensor_difference(name, ours, theirs, rule.get('zero_sign', False))
        if wrong:
            return wrong
        if answer.flushed is not None:
            expected = answer.flushed.get(name, ours)
            got = reference['flushed'].get(name, reference['outputs'][name])
            wrong = tensor_difference('flushed ' + name, expected, base.read_tensor(got),
                                      rule.get('zero_sign', False))
            if wrong:
                return wrong
        wrong = rule_difference('rule of ' + name, rule, reference['rules'].get(name, {}))
        if wrong:
            return wrong
    return None


def is_about_shape(condition):
    return condition in ('graph.shape', 'graph.rank', 'graph.output_shape') or condition.endswith(
        '.broadcast') or '.output_' in condition


def beside_shape(model, call, answer, reference):
    """The oracle's answer. A requirement about the data outranks a wrong shape of the output."""
    if answer.outcome != 'error' or not all(map(is_about_shape, answer.conditions)):
        return answer
    inputs = [a['shape'] for a in call['arguments'].values() if isinstance(a, dict)]
    if not inputs or 'output_types' not in call:
        return answer
    axis = call['arguments'].get('axis')
    reduced = [1 if k == axis else size for k, size in enumerate(inputs[0])]
    for shape in (None, inputs[0], reduced):
        outputs = {}
        for name, output in call['output_types'].items() if shape else ():
            outputs[name] = {**output, 'shape': shape}
        try:
            right = model.evaluate({**call, 'output_types': outputs})
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # the model needs to be told a type or a shape
        if shape is None or right.outcome != 'error':
            break  # without a shape that was told, what is left is no matter of it
    else:
        # The call does not say its shape.
        if reference.get('outcome') != 'unpredictable':
            return answer
        return base.Answer('error', set(answer.conditions) | {'?'}, also=('unpredictable',))
    of_data = {c for c in right.conditions if not c.startswith('graph.') and not is_about_shape(c)}
    if right.outcome != 'unpredictable' or of_data != set(right.conditions):
        return answer
    return base.Answer('unpredictable', set(answer.conditions) | of_data)


def types_of(call):
    """The element types of a call, for the table."""
    arguments = call['arguments'].values()
    inputs = [a['dtype'] for a in arguments if isinstance(a, dict)]
    outputs = [o['dtype'] for o in call.get('output_types', {}).values() if 'dtype' in o]
    return f'{inputs[0] if inputs else ""}->{outputs[0] if outputs else ""}'


def batch(name, edition, model, number, seed):
    rng = random.Random(f'{seed} {edition} {name}')
    calls = []
    for i in range(number):
        call = model.random_call(rng, edition)
        calls.append({'id': i, 'edition': edition, 'operator': name, **call})
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tensor-cts', required=True, metavar='BINARY')
    parser.add_argument('--calls', type=int, default=200, metavar='N',
                        help='of each operator and edition')
    parser.add_argument('--seed', type=int, default=1, metavar='S')
    parser.add_argument('--operator', action='append', metavar='O', help='only this one')
    parser.add_argument('--edition', choices=base.EDITIONS, help='only this one')
    parser.add_argument('--show', type=int, default=3, metavar='N',
                        help='disagreements to print of each operator and edition')
    parser.add_argument('--out', type=argparse.FileType('w'), metavar='FILE',
                        help='where the calls go that are answered differently, for eval --calls')
    options = parser.parse_args()
    models = load_models()
    names = options.operator or sorted(models)
    for name in names:
        if name not in models:
            parser.error(f'no model of {name}; there are {" ".join(sorted(models))}')

    disagreements = 0
    total, lenient = collections.Counter(), collections.Counter()
    print(f'{"operator":20} {"types":24} {"edition":10} {"calls":>6} {"valid":>6} {"error":>6} '
          f'{"unpred":>6} {"differ":>6}')
    for edition in [options.edition] if options.edition else base.EDITIONS:
        for name in names:
            model = models[name]
            if edition not in model.editions:
                continue
            calls = batch(name, edition, model, options.calls, options.seed)
            rows = collections.defaultdict(collections.Counter)
            shown = 0
            for call, reference in zip(calls, ask_reference(options.tensor_cts, calls)):
                answer = beside_shape(model, call, model.evaluate(call), reference)
                row = rows[model.row(call) if hasattr(model, 'row') else types_of(call)]
                row.update(('calls', answer.outcome))
                wrong = difference(answer, reference)
                lenient['either of two outcomes accepted'] += (
                    answer.outcome != reference.get('outcome') and not wrong)
                lenient['conditions not compared'] += any(
                    c.startswith('?') for c in answer.conditions)
                if wrong:
                    row['differ'] += 1
                    shown += 1
                    if shown <= options.show:
                        print(f'DISAGREEMENT {edition} {name} {call["id"]}: {wrong}')
                    if options.out:
                        options.out.write(json.dumps(call) + '\n')
            counted = collections.Counter()
            for row in rows.values():
                counted.update(row)
            total.update(counted)
            disagreements += counted['differ']
            # Rows of type mutations are one line, since hundreds are too many to read.
            often = {types: row for types, row in rows.items() if row['valid']}
            rest = collections.Counter()
            for types, row in rows.items():
                if types not in often:
                    rest.update(row)
            if rest:
                often['(none valid)'] = rest
            for types, row in sorted(often.items()):
                print(f'{name:20} {types:24} {edition:10} {row["calls"]:6} {row["valid"]:6} '
                      f'{row["error"]:6} {row["unpredictable"]:6} {row["differ"]:6}')
    print(f'{"all":56} {total["calls"]:6} {total["valid"]:6} {total["error"]:6} '
          f'{total["unpredictable"]:6} {disagreements:6}')
    for what, calls in sorted(lenient.items()):
        print(f'{what}: {calls} calls')
    if total['calls'] == 0:
        return 2
    return 1 if disagreements else 0


if __name__ == '__main__':
    sys.exit(main())
