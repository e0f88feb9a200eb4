// The ladder of sizes. Kernels divide dimensions, and products of dimensions, into blocks, and
// change their loops at the sizes of blocks. So every dimension of an operator's operands, and
// every such product, is tested at these sizes and just above. A suite has a case for each rung
// (generator/ops/size_cases.h), and the catalogue of faults has faults for each rung
// (reference/faults/size_faults.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

// A rung of the ladder: the sizes above `above` and up to `up_to`. A dimension of such a size
// consists of a block of `above` elements and a remainder.
struct Rung {
  int64_t above = 0, up_to = 0;

  bool Has(int64_t size) const { return size > above && size <= up_to; }
};
// The sizes of a rung as text: "17 to 32"; "7" for a rung with only one size; "1025 or more".
std::string Text(const Rung& rung);

struct SizedDimension {
  std::string name;     // unique within the operator: "OC", "OHxOW"
  std::string meaning;  // for a sentence: "the output's channels"
  // The size of the dimension in a legal call; 0 if the call has no such dimension.
  std::function<int64_t(const Call&)> size;
  std::vector<Rung> rungs;
  // For a product: the names of the multiplied dimensions.
  std::vector<std::string> factors = {};
  // A size for each factor. A case must reach all these sizes at once. Empty: only the product
  // counts, and the factors are about equal.
  std::vector<int64_t> together = {};
  // The tensor to which the dimension belongs, and the dimension's axes in that tensor. Both are
  // unset if the dimension belongs to no tensor. An element is beyond a block if its index along
  // these axes is not below the block's size. Several axes form one index, in which the last axis
  // changes fastest.
  std::string argument = {};
  std::function<std::vector<size_t>(const Call&)> axes = nullptr;

  // Whether the tensor is a result; "values_out" is SCATTER's result.
  bool IsOfResult() const { return argument == "output" || argument == "values_out"; }
};

// The dimensions of an operator, from its facts (reference/ops/facts.h). `op` is its name in
// OperatorSpec::Seen, such as "CONV2D". Empty for operators whose results have no size of their own
// (control flow, variables, shapes).
const std::vector<SizedDimension>& DimensionsOf(std::string_view op);

// The dimensions of each kind of operator.
std::vector<SizedDimension> ConcatDimensions();
std::vector<SizedDimension> Conv2dDimensions();
std::vector<SizedDimension> Conv3dDimensions();
std::vector<SizedDimension> DepthwiseConv2dDimensions();
std::vector<SizedDimension> ElementwiseDimensions();
std::vector<SizedDimension> FullyConnectedDimensions();
// For transcendental functions, without the largest sizes, which take the reference too long.
std::vector<SizedDimension> FunctionDimensions();
std::vector<SizedDimension> GatherDimensions();
std::vector<SizedDimension> MatmulDimensions();
std::vector<SizedDimension> PoolingDimensions();
std::vector<SizedDimension> ReductionDimensions();
std::vector<SizedDimension> RescaleDimensions();
std::vector<SizedDimension> ResizeDimensions();
std::vector<SizedDimension> ScatterDimensions();
std::vector<SizedDimension> TransformDimensions();  // FFT2D and RFFT2D
std::vector<SizedDimension> TransposeDimensions();
// The first and the last axis of an `input1` of rank 2.
std::vector<SizedDimension> TwoAxesDimensions();

// For an operator with the dot-product rule: the dimension of long sums. Its size is the number of
// terms in a sum, or 0 if a call has too few sums for the rule's statistics. Null for an operator
// without the dot-product rule, and for FFT2D and RFFT2D. Longer sums show more about an
// accumulator; the type row and the data set matter, too. So a suite has cases for every
// combination of a floating-point row, a length and a data set of appendix A.
const SizedDimension* LongSumsOf(const Edition& edition, const OperatorSpec& spec);

// The kind of numbers of the first operand, "integer" or "float", if a suite tests the ladder with
// this type row. Empty if the suite uses another row for this kind. One row of each kind is enough,
// since loops do not depend on types, and most kernels are for i8 and fp32.
std::string_view LadderKind(const OperatorSpec& spec, const TypeRow& row);

}  // namespace cts
