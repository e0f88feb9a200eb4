"""How much of what the specification allows does a kernel use, over its inputs?

Prints:
TANH of 16 elements at a time: none beyond its bound
greatest share of the bound:
"""
import numpy as np

import tensor_cts as cts

x = np.linspace(-3, 3, 1024, dtype=np.float32)
output = cts.reference("TANH", input=x).outputs["output"]
share = np.abs(np.tanh(x).astype(np.float64) - output.value) / output.bound
blocks = share.reshape(-1, 16).max(axis=1)
print(f"TANH of 16 elements at a time: {'none' if (blocks <= 1).all() else 'some'} beyond its bound")
print(f"greatest share of the bound: {blocks.max():.3f} near x = {x[share.argmax()]:.2f}, rule: {output.clause}")
