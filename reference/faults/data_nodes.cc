// Faults of CONST, IDENTITY.

#include "reference/base/contains.h"
#include "reference/faults/moves.h"

namespace cts::data_nodes_faults {
namespace {

// A graph in which the values of every CONST of some types (of all types if none is named) are
// spoilt.
std::function<void(Graph&)> InConstants(const std::vector<DType>& types,
                                        std::function<void(Tensor&)> spoil) {
  return [types, spoil = std::move(spoil)](Graph& graph) {
    for (Region& region : graph.regions) {
      for (Block& block : region.blocks) {
        for (const GraphOperator& op : block.operators) {
          if (op.op != "CONST") continue;
          for (GraphTensor& tensor : block.tensors) {
            if (tensor.name != op.outputs[0] || tensor.values == nullptr) continue;
            if (!types.empty() && !Contains(types, tensor.dtype)) {
              continue;
            }
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
std::function<void(Graph&)> Taken(const std::vector<DType>& types,
                                  std::function<int64_t(const Tensor&, int64_t i)> from) {
  return InConstants(types, [from = std::move(from)](Tensor& values) {
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
  using Types = std::vector<DType>;
  const Types wide = {DType::kI16, DType::kI32, DType::kFp16, DType::kBf16, DType::kFp32};
  const auto add = [&](const char* id, const char* sentence, const Types& types,
                       std::function<void(Graph&)> rewrite) {
    faults.push_back({.id = StrCat("const.", id),
                      .op = "CONST",
                      .sentence = sentence,
                      .clause = "CONST, argument values",
                      .touches = types.empty() ? nullptr : Rows("out_t", types),
                      .does = std::move(rewrite)});
  };
  const auto taken = [&](const char* id, const char* sentence, const Types& types,
                         std::function<int64_t(const Tensor&, int64_t i)> from) {
    add(id, sentence, types, Taken(types, std::move(from)));
  };
  const auto spoilt = [&](const char* id, const char* sentence, const Types& types,
                          std::function<void(Tensor&)> spoil) {
    add(id, sentence, types, InConstants(types, std::move(spoil)));
  };
  taken("splats", "takes the first value for all", {},
        [](const Tensor&, int64_t) { return int64_t{0}; });
  taken("begins_one_late", "reads the value behind; the last one is zero", {},
        [](const Tensor&, int64_t i) { return i + 1; });
  taken("goes_by_columns", "reads the values with the first axis fastest", {},
        [](const Tensor& values, int64_t i) {
          int64_t place = 0;
          const Shape& shape = values.shape();
          const Shape index = IndexOf(shape, i);
          for (size_t axis = shape.size(); axis-- > 0;) place = place * shape[axis] + index[axis];
          return place;
        });
  taken(
      "loses_the_tail", "reads whole vectors of eight; the rest is zero", {},
      [](const Tensor& values, int64_t i) { return i < values.size() / 8 * 8 ? i : int64_t{-1}; });
  taken("swaps_nibbles", "reads the two halves of a byte in the wrong order", {DType::kI4},
        [](const Tensor&, int64_t i) { return i ^ 1; });
  spoilt("reads_nibbles_unsigned",
         "reads four bits without their sign: a negative number becomes zero", {DType::kI4},
         [](Tensor& values) {
           for (int64_t i = 0; i < values.size(); ++i) {
             if (values.Integer(i) < 0) values.SetInteger(i, 0);
           }
         });
  spoilt("reads_32_bits", "reads 32 of 48 bits", {DType::kI48}, [](Tensor& values) {
    for (int64_t i = 0; i < values.size(); ++i) {
      values.SetInteger(i, static_cast<int32_t>(values.Integer(i)));
    }
  });
  spoilt("reads_48_bits_unsigned", "reads 48 bits without their sign: the upper 16 are zero",
         {DType::kI48}, [](Tensor& values) {
           for (int64_t i = 0; i < values.size(); ++i) {
             values.SetBits(i, values.Bits(i) & ((uint64_t{1} << 48) - 1));
           }
         });
  spoilt("reads_one_byte", "reads the low byte of each value", wide, [](Tensor& values) {
    for (int64_t i = 0; i < values.size(); ++i) values.SetBits(i, values.Bits(i) & 0xff);
  });
  spoilt("swaps_bytes", "reads the bytes of each value in the order of big-endian machines", wide,
         [](Tensor& values) {
           const int64_t width = StorageBytes(values.dtype());
           for (int64_t i = 0; i < values.size(); ++i) {
             uint64_t bits = values.Bits(i), swapped = 0;
             for (int64_t k = 0; k < width; ++k, bits >>= 8) swapped = swapped << 8 | (bits & 0xff);
             values.SetBits(i, swapped);
           }
         });
  return faults;
}

Faults IdentityFaults() { return MovingFaults("IDENTITY", "in_out_t"); }

}  // namespace cts::data_nodes_faults
