"""Types that NumPy does not have: bf16 and fp8 as bits, i4 and i48 in wider integers. With ml_dtypes the arrays have them.

Prints:
bf16: accept
fp8e4m3: accept
i4: accept
i4 of 8: /arguments/input1: element [0]: found 8
"""
import numpy as np

import tensor_cts as cts

one = cts.Tensor(np.uint16([0x3f80]), "bf16")
print("bf16:", cts.judge("EXP", cts.Tensor(np.uint16([0x402e]), "bf16"), input1=one))
half = cts.Tensor(np.uint8([0x30]), "fp8e4m3")
print("fp8e4m3:", cts.judge("IDENTITY", half, input1=half))
print("i4:", cts.judge("IDENTITY", np.int8([-7, 7]), input1=cts.Tensor(np.int8([-7, 7]), "i4")))
try:
    cts.reference("IDENTITY", input1=cts.Tensor(np.int8([8]), "i4"))
except ValueError as error:
    print("i4 of 8:", error)
