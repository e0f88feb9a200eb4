// Prints what the specification says of CLAMP on inputs of one's own: plain values are text.
#include <tensor-cts/tensor_cts_reference.h>

#include <cstdio>
#include <memory>

int main() {
  const int64_t shape[] = {3};
  const float in[] = {-2, 0.25F, 7};
  const tensor_cts_tensor x = {"input", "fp32", shape, 1, in, sizeof in};
  const tensor_cts_argument arguments[] = {{"input", &x, 1, nullptr},
                                           {"min_val", nullptr, 0, "-1"},
                                           {"max_val", nullptr, 0, "0x1.8p0"},
                                           {"nan_mode", nullptr, 0, "PROPAGATE"}};
  tensor_cts_call call = {};
  call.op = "CLAMP";
  call.arguments = arguments;
  call.argument_count = 4;
  const std::unique_ptr<tensor_cts_answer, void (*)(tensor_cts_answer*)> answer(
      tensor_cts_reference(&call), tensor_cts_close_answer);
  tensor_cts_expected expected;
  if (tensor_cts_get_expected(answer.get(), 0, &expected) == 0)
    return std::puts(tensor_cts_message()), 2;
  const auto* const values = static_cast<const double*>(expected.values[0].value.data);
  std::printf("CLAMP: %g %g %g (%s)\n", values[0], values[1], values[2], expected.rule);
}
