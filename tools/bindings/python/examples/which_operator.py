"""Which operator of my network is wrong? Each is judged by what it made of what it was handed.

The errors of the operators before it are no excuse and no fault: the reference starts from the same inputs.

Prints:
MATMUL: accept
ADD: accept
EXP: reject: output output, element [0,0,0]:
EXP is the first that is wrong
"""
import numpy as np

import tensor_cts as cts


def my_matmul(a, b):
    return np.matmul(a, b, dtype=np.float32)


def my_exp(x):  # a series that stops too early
    return (1 + x + x * x / 2 + x**3 / 6).astype(np.float32)


random = np.random.default_rng(1)
zero = np.zeros(1, np.float32)
values = {"image": random.random((1, 2, 8), np.float32), "weights": random.random((1, 8, 4), np.float32),
          "bias": random.random((1, 1, 4), np.float32)}

# Operator, its arguments by the specification's names, what it makes, and my kernel for it.
network = [
    ("MATMUL", {"A": "image", "B": "weights", "A_zp": zero, "B_zp": zero}, "products", lambda a, b, *_: my_matmul(a, b)),
    ("ADD", {"input1": "products", "input2": "bias"}, "sums", lambda a, b: a + b),
    ("EXP", {"input1": "sums"}, "output", my_exp),
]

wrong = []
for op, arguments, made, kernel in network:
    given = {name: values[value] if isinstance(value, str) else value for name, value in arguments.items()}
    values[made] = kernel(*given.values())
    judgement = cts.judge(op, values[made], **given)
    print(f"{op}: {judgement}")
    if not judgement:
        wrong.append(op)
print(f"{wrong[0]} is the first that is wrong" if wrong else "every operator is right")
