/* My kernel of EXP against the specification, on inputs of my own. 0: accepted, 1: rejected, 2:
 * that was no call. */
#include <math.h>
#include <stdio.h>

#include <tensor-cts/tensor_cts_reference.h>

int main(void) {
  const int64_t shape[] = {4};
  const float in[4] = {-1, 0, 0.5F, 10};
  float out[4];
  for (int i = 0; i < 4; ++i) out[i] = expf(in[i]);

  const tensor_cts_tensor x = {"input1", "fp32", shape, 1, in, sizeof in};
  const tensor_cts_argument arguments[] = {{"input1", &x, 1, NULL}};
  const tensor_cts_call call = {.op = "EXP", .arguments = arguments, .argument_count = 1};
  tensor_cts_answer* answer = tensor_cts_reference(&call);
  const tensor_cts_tensor y = {"output", "fp32", shape, 1, out, sizeof out};
  const tensor_cts_verdict verdict = tensor_cts_judge(answer, &y, NULL);
  printf("EXP: %s %s\n", verdict == TENSOR_CTS_ACCEPT ? "accept" : "reject", tensor_cts_message());
  tensor_cts_close_answer(answer);
  return (int)verdict;
}
