// Faults of CONST, IDENTITY.
#include "reference/faults/moves.h"

namespace cts {
namespace {

// A graph in which the values of every CONST are spoilt.
std::function<void(Graph&)> InConstants(std::function<void(Tensor&)> spoil) {
  return [spoil = std::move(spoil)](Graph& graph) {
    for (Region& region : graph.regions) {
      for (Block& block : region.blocks) {
        for (const GraphOperator& op : block.operators) {
          if (op.op != "CONST") continue;
          for (GraphTensor& tensor : block.tensors) {
            if (tensor.name != op.outputs[0] || tensor.values == nullptr) continue;
            Tensor values = *tensor.values;
            spoil(values);
            tensor.values = std::make_shared<const Tensor>(std::move(values));
          }
        }
      }
    }
  };
}

// Values found elsewhere among them.
std::function<void(Graph&)> Taken(std::function<int64_t(const Tensor&, int64_t i)> from) {
  return InConstants([from = std::move(from)](Tensor& values) {
    const Tensor before = values;
    for (int64_t i = 0; i < values.size(); ++i) {
      const int64_t k = from(before, i);
      values.SetBits(i, k >= 0 && k < before.size() ? before.Bits(k) : 0);
    }
  });
}

}  // namespace

Faults ConstFaults() {
  Faults faults;
  const auto add = [&](const char* id, const char* sentence, std::function<void(Graph&)> rewrite,
                       std::function<bool(const TypeRow&)> touches = nullptr) {
    faults.push_back({.id = StrCat("const.", id),
                      .op = "CONST",
                      .sentence = sentence,
                      .clause = "CONST, argument values",
                      .touches = std::move(touches),
                      .rewrite = std::move(rewrite)});
  };
  add("splats", "takes the first value for all",
      Taken([](const Tensor&, int64_t) { return int64_t{0}; }));
  add("begins_one_late", "reads the value behind; the last one is zero",
      Taken([](const Tensor&, int64_t i) { return i + 1; }));
  add("goes_by_columns", "reads the values with the first axis fastest",
      Taken([](const Tensor& values, int64_t i) {
        int64_t place = 0;
        const Shape& shape = values.shape();
        const Shape index = IndexOf(shape, i);
        for (size_t axis = shape.size(); axis-- > 0;) place = place * shape[axis] + index[axis];
        return place;
      }));
  add("loses_the_tail", "reads whole vectors of eight; the rest is zero",
      Taken([](const Tensor& values, int64_t i) {
        return i < values.size() / 8 * 8 ? i : int64_t{-1};
      }));
  add("swaps_nibbles", "reads the two halves of a byte in the wrong order",
      Taken([](const Tensor&, int64_t i) { return i ^ 1; }), Rows("out_t", {DType::kI4}));
  add("reads_nibbles_unsigned", "reads four bits without their sign: a negative number is zero",
      InConstants([](Tensor& values) {
        for (int64_t i = 0; i < values.size(); ++i) {
          if (values.Integer(i) < 0) values.SetInteger(i, 0);
        }
      }),
      Rows("out_t", {DType::kI4}));
  add("reads_32_bits", "reads 32 of 48 bits", InConstants([](Tensor& values) {
        for (int64_t i = 0; i < values.size(); ++i) {
          values.SetInteger(i, static_cast<int32_t>(values.Integer(i)));
        }
      }),
      Rows("out_t", {DType::kI48}));
  add("reads_one_byte", "reads the low byte of each value", InConstants([](Tensor& values) {
        for (int64_t i = 0; i < values.size(); ++i) values.SetBits(i, values.Bits(i) & 0xff);
      }),
      Rows("out_t", {DType::kI16, DType::kI32, DType::kFp16, DType::kBf16, DType::kFp32}));
  add("swaps_bytes", "reads the bytes of each value in the order of big-endian machines",
      InConstants([](Tensor& values) {
        const int64_t width =
            values.size() == 0 ? 1 : static_cast<int64_t>(values.bytes().size()) / values.size();
        for (int64_t i = 0; i < values.size(); ++i) {
          uint64_t bits = values.Bits(i), swapped = 0;
          for (int64_t k = 0; k < width; ++k, bits >>= 8) swapped = swapped << 8 | (bits & 0xff);
          values.SetBits(i, swapped);
        }
      }),
      Rows("out_t", {DType::kI16, DType::kI32, DType::kFp16, DType::kBf16, DType::kFp32}));
  return faults;
}

Faults IdentityFaults() { return MovingFaults("IDENTITY", "in_out_t"); }

}  // namespace cts
