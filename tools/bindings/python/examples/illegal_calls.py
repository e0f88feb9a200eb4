"""What must an implementation refuse, and by which condition?

Prints:
[2, 3] + [3, 3]: error, add.broadcast:
[2, 3] + [1, 3]: valid, i32[2, 3]
a refusal of [2, 3] + [1, 3]: reject: found a refusal, expected a result
"""
import numpy as np

import tensor_cts as cts

a = np.zeros((2, 3), np.int32)
for shape in ((3, 3), (1, 3)):
    ref = cts.reference("ADD", input1=a, input2=np.zeros(shape, np.int32))
    if ref.outcome == "error":
        said = "; ".join(f"{condition.id}: {condition.paraphrase}" for condition in ref.conditions)
    else:
        output = ref.outputs["output"]
        said = f"{output.type}{list(output.shape)}"
    print(f"[2, 3] + {list(shape)}: {ref.outcome}, {said}")
print("a refusal of [2, 3] + [1, 3]:", ref.judge(cts.Refused("no broadcast here")))
