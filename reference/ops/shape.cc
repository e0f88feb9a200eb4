// ADD_SHAPE, CONCAT_SHAPE, CONST_SHAPE, DIV_SHAPE, MUL_SHAPE, SUB_SHAPE (section Shape Operators;
// all but CONST_SHAPE only in 0.100).
#include <cassert>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

bool LengthsDiffer(const Call& c) { return c.shape("input1") != c.shape("input2"); }

Condition LengthMismatch(std::string_view id) {
  return {id, ConditionKind::kErrorIf, "input1 and input2 differ in length", LengthsDiffer};
}

// `operation(x, y, &result)` returns whether the result overflows 64 bits. A size must hold -(1 <<
// MAX_LOG2_SIZE) to (1 << MAX_LOG2_SIZE) - 1 and is signed, as 1.0 says. A result beyond that is
// unpredictable.
template <class Operation>
void ComputeElementwise(const Call& call, Computation& computation, Operation operation) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const int64_t bits = call.level().Max("MAX_LOG2_SIZE");
  const int64_t max = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    const int64_t x = a.LoadInteger(input1, i), y = a.LoadInteger(input2, i);
    int64_t result = 0;
    const bool overflows = operation(a, x, y, &result);
    a.Require(!overflows && result >= -max - 1 && result <= max, kIntegerOverflow);
    return result;
  });
}

int64_t LengthOfAll(const Call& c) {
  int64_t sum = 0;
  for (int k = 0; k < c.Count("input1"); ++k) sum += c.shape("input1", k)[0];
  return sum;
}

Breach LengthIsNotSum(const Call& c) {
  const int64_t found = c.shape("output")[0], sum = LengthOfAll(c);
  return found != sum ? Breach::Differing(found, sum) : false;
}

StatusOr<Shapes> InferConcatShape(const Call& c) {
  WideSize length = 0;
  for (int k = 0; k < c.Count("input1"); ++k) length += c.shape("input1", k)[0];
  return InferOfSizes(c, {NarrowSize(length)});
}

}  // namespace

OperatorFacts AddShapeFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kAside, .role = GraphRole::kShape};
}

Conditions AddShapeConditions() { return {LengthMismatch("add_shape.length_mismatch")}; }

void ComputeAddShape(const Call& call, Computation& computation) {
  ComputeElementwise(call, computation, [](auto&, int64_t x, int64_t y, int64_t* result) {
    return __builtin_add_overflow(x, y, result);
  });
}

OperatorFacts ConcatShapeFacts() {
  return {.infer = InferConcatShape, .keeping = Keeping::kAside, .role = GraphRole::kShape};
}

Conditions ConcatShapeConditions() {
  return {
      {"concat_shape.length_sum", ConditionKind::kErrorIf,
       "the output's length is not the sum of the inputs' lengths", LengthIsNotSum},
  };
}

void ComputeConcatShape(const Call& call, Computation& computation) {
  std::vector<const Operand*> inputs;
  inputs.reserve(static_cast<size_t>(call.Count("input1")));
  for (int k = 0; k < call.Count("input1"); ++k) inputs.push_back(&computation.In("input1", k));
  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    size_t k = 0;
    while (i >= inputs[k]->tensor->size()) {
      i -= inputs[k++]->tensor->size();
    }
    return a.LoadInteger(*inputs[k], i);
  });
}

OperatorFacts ConstShapeFacts() {
  return {.infer = InferOfValues, .keeping = Keeping::kAside, .role = GraphRole::kConstant};
}

Conditions ConstShapeConditions() { return {}; }

void ComputeConstShape(const Call&, Computation&) {
  assert(false && "a constant's values stand with its tensor; nothing is computed");
}

OperatorFacts DivShapeFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kAside, .role = GraphRole::kShape};
}

Conditions DivShapeConditions() { return {LengthMismatch("div_shape.length_mismatch")}; }

void ComputeDivShape(const Call& call, Computation& computation) {
  ComputeElementwise(call, computation, [](auto& a, int64_t x, int64_t y, int64_t* result) {
    a.Require(y != 0, "div_shape.zero_divisor");
    return y != 0 && DivideOverflows(x, y, result);
  });
}

OperatorFacts MulShapeFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kAside, .role = GraphRole::kShape};
}

Conditions MulShapeConditions() { return {LengthMismatch("mul_shape.length_mismatch")}; }

void ComputeMulShape(const Call& call, Computation& computation) {
  ComputeElementwise(call, computation, [](auto&, int64_t x, int64_t y, int64_t* result) {
    return __builtin_mul_overflow(x, y, result);
  });
}

OperatorFacts SubShapeFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kAside, .role = GraphRole::kShape};
}

Conditions SubShapeConditions() { return {LengthMismatch("sub_shape.length_mismatch")}; }

void ComputeSubShape(const Call& call, Computation& computation) {
  ComputeElementwise(call, computation, [](auto&, int64_t x, int64_t y, int64_t* result) {
    return __builtin_sub_overflow(x, y, result);
  });
}

}  // namespace cts
