// Faults of ADD_SHAPE, CONCAT_SHAPE, CONST_SHAPE, DIV_SHAPE, MUL_SHAPE, SUB_SHAPE.
#include "reference/faults/fault.h"

namespace cts::shape_faults {
namespace {

using Element = int64_t (*)(int64_t x, int64_t y);

// The operator's elements computed otherwise, in 64 bits.
Fault By(const std::string& op, const std::string& id, const char* sentence, Element element) {
  return {.id = id,
          .op = op,
          .sentence = sentence,
          .clause = StrCat(op, ", the output's elements"),
          .does = ByElement([element](const Call& call, Tensor& out, int64_t i) {
            out.SetInteger(
                i, element(call.values("input1")->Integer(i), call.values("input2")->Integer(i)));
          })};
}

int64_t Wrapped(int64_t x, int64_t y, char operation) {
  const auto a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
  return static_cast<int64_t>(operation == '+' ? a + b : operation == '-' ? a - b : a * b);
}

// Another list of the same length.
Fault ByList(const std::string& op, const std::string& id, const char* sentence,
             int64_t (*from)(int64_t i, int64_t length)) {
  return {.id = id,
          .op = op,
          .sentence = sentence,
          .clause = StrCat(op, ", the order of the elements"),
          .does = ByResult([from](const Call&, OperatorOutputs& results) {
            Tensor& out = *results.begin()->second;
            const Tensor right = out;
            for (int64_t i = 0; i < out.size(); ++i) {
              out.SetBits(i, right.Bits(from(i, out.size())));
            }
          })};
}

// The same of the values of every CONST_SHAPE.
Fault ByConstant(const std::string& id, const char* sentence,
                 int64_t (*element)(const Tensor& right, int64_t i)) {
  return {.id = id,
          .op = "CONST_SHAPE",
          .sentence = sentence,
          .clause = "CONST_SHAPE, argument values",
          .does = [element](Graph& graph) {
            Block& block = graph.main();
            for (const GraphOperator& op : block.operators) {
              if (op.op != "CONST_SHAPE") continue;
              for (GraphTensor& tensor : block.tensors) {
                if (tensor.name != op.outputs[0] || tensor.values == nullptr) continue;
                Tensor values = *tensor.values;
                for (int64_t i = 0; i < values.size(); ++i) {
                  values.SetInteger(i, element(*tensor.values, i));
                }
                tensor.values = std::make_shared<const Tensor>(std::move(values));
              }
            }
          }};
}

}  // namespace

Faults AddShapeFaults() {
  return {By("ADD_SHAPE", "add_shape.subtracts", "subtracts",
             [](int64_t x, int64_t y) { return Wrapped(x, y, '-'); }),
          By("ADD_SHAPE", "add_shape.adds_in_16_bits", "keeps the low 16 bits of each operand",
             [](int64_t x, int64_t y) {
               return Wrapped(static_cast<int16_t>(x), static_cast<int16_t>(y), '+');
             })};
}

Faults ConcatShapeFaults() {
  return {ByList("CONCAT_SHAPE", "concat_shape.takes_the_list_backwards",
                 "joins from the last element to the first",
                 [](int64_t i, int64_t length) { return length - 1 - i; }),
          ByList("CONCAT_SHAPE", "concat_shape.repeats_the_first",
                 "takes the first element for all", [](int64_t, int64_t) { return int64_t{0}; })};
}

Faults ConstShapeFaults() {
  return {ByConstant(
              "const_shape.takes_axes_backwards", "yields the sizes from the last axis",
              [](const Tensor& right, int64_t i) { return right.Integer(right.size() - 1 - i); }),
          ByConstant("const_shape.one_less", "yields sizes that are one less",
                     [](const Tensor& right, int64_t i) { return right.Integer(i) - 1; })};
}

Faults DivShapeFaults() {
  return {By("DIV_SHAPE", "div_shape.swaps_operands", "divides input2 by input1",
             [](int64_t x, int64_t y) {
               return x == 0 ? 0 : x == -1 ? Wrapped(0, y, '-') : y / x;
             }),
          By("DIV_SHAPE", "div_shape.rounds_up", "rounds away from zero", [](int64_t x, int64_t y) {
            if (y == 0 || y == -1) return Wrapped(0, x, '-');
            return x / y + (x % y != 0 ? 1 : 0);
          })};
}

Faults MulShapeFaults() {
  return {By("MUL_SHAPE", "mul_shape.adds", "adds",
             [](int64_t x, int64_t y) { return Wrapped(x, y, '+'); }),
          By("MUL_SHAPE", "mul_shape.takes_input1", "takes input1",
             [](int64_t x, int64_t) { return x; })};
}

Faults SubShapeFaults() {
  return {By("SUB_SHAPE", "sub_shape.adds", "adds",
             [](int64_t x, int64_t y) { return Wrapped(x, y, '+'); }),
          By("SUB_SHAPE", "sub_shape.swaps_operands", "subtracts input1 from input2",
             [](int64_t x, int64_t y) { return Wrapped(y, x, '-'); })};
}

}  // namespace cts::shape_faults
