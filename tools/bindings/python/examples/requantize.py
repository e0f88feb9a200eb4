"""RESCALE: an accumulator to i8. The multiplier has 31 bits, the shift says how far they move.

Prints:
[-128, -50, 0, 50, 127]
one off: reject: output output, element [1]: expected -50, got -49
"""
import numpy as np

import tensor_cts as cts

accumulator = np.int32([-100000, -1000, 0, 1000, 100000])
arguments = dict(input=accumulator, multiplier=np.int32([1717986918]), shift=np.int8([35]), input_zp=np.int32([0]),
                 output_zp=np.int8([0]), scale32=True, rounding_mode="SINGLE_ROUND", per_channel=False,
                 input_unsigned=False, output_unsigned=False, output_types={"output": "i8"})
right = cts.reference("RESCALE", **arguments).outputs["output"].value
print(right.tolist())
wrong = right.copy()
wrong[1] += 1
print("one off:", cts.judge("RESCALE", wrong, **arguments))
