"""A kernel of mine against the specification, on my own inputs, before there is any suite.

Prints:
exp: accept
worst:
exp by a table: reject: output output, element [1]:
"""
import numpy as np

import tensor_cts as cts

x = np.linspace(-4, 4, 1001, dtype=np.float32)
judgement = cts.judge("EXP", np.exp(x), input1=x)
print("exp:", judgement)
print(f"worst: {judgement.worst_ulp:.3f} ulp")

table = np.exp(np.linspace(-4, 4, 257)).astype(np.float32)
nearest = np.rint((x + 4) * 32).astype(int)
print("exp by a table:", cts.judge("EXP", table[nearest], input1=x))
