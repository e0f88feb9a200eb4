#include "reference/ops/size_ladder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "reference/ops/dot_product_length.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

// Blocks and a rest. Whole blocks alone are asked as well: a loop may end one block too early.
std::vector<Rung> Ladder() {
  return {{15, 16},  {16, 31},   {31, 32},    {32, 63},      {63, 64},
          {64, 128}, {128, 256}, {256, 1024}, {1024, kNoEnd}};
}

// Sums are divided into long blocks.
std::vector<Rung> LadderOfSums() {
  return {{15, 16},   {16, 31},     {31, 32},     {32, 63},     {63, 64},
          {64, 127},  {127, 128},   {128, 255},   {255, 256},   {256, 511},
          {511, 512}, {1023, 1024}, {1024, 2047}, {2047, 2048}, {4095, 4096}};
}

// The ladder of sizes that are powers of two.
std::vector<Rung> LadderOfPowers() {
  return {{16, 32}, {32, 64}, {64, 128}, {128, 256}, {256, 1024}};
}

// Each size alone: whole vectors, one element less and one more.
std::vector<Rung> Exactly(const std::vector<int64_t>& sizes) {
  std::vector<Rung> rungs;
  rungs.reserve(sizes.size());
  for (const int64_t size : sizes) rungs.push_back({size - 1, size});
  return rungs;
}

int64_t Product(const Shape& shape, const std::vector<size_t>& axes) {
  if (axes.empty()) return 0;
  int64_t product = 1;
  for (const size_t axis : axes) product *= shape[axis];
  return product;
}

using AxesOf = std::function<std::vector<size_t>(const Call&)>;

SizedDimension OfSum(SizedDimension dimension) {
  dimension.rungs = LadderOfSums();
  return dimension;
}

SizedDimension OfTensor(std::string name, std::string meaning, std::string argument, AxesOf axes) {
  SizedDimension dimension{std::move(name), std::move(meaning),
                           [argument, axes](const Call& call) {
                             return call.Has(argument) ? Product(call.shape(argument), axes(call))
                                                       : 0;
                           },
                           Ladder()};
  dimension.argument = std::move(argument);
  dimension.axes = std::move(axes);
  return dimension;
}

SizedDimension OfAxis(std::string name, std::string meaning, std::string argument, size_t axis) {
  return OfTensor(std::move(name), std::move(meaning), std::move(argument),
                  [axis](const Call&) { return std::vector<size_t>{axis}; });
}

// The product of axes of one tensor.
SizedDimension OfProduct(std::vector<std::string> factors, std::string meaning,
                         std::string argument, const std::vector<size_t>& axes) {
  std::string name;
  for (const std::string& factor : factors) name += (name.empty() ? "" : "x") + factor;
  SizedDimension dimension = OfTensor(std::move(name), std::move(meaning), std::move(argument),
                                      [axes](const Call&) { return axes; });
  dimension.factors = std::move(factors);
  return dimension;
}

// An element of an attribute: a kernel of pooling has its size there.
SizedDimension OfAttribute(std::string name, std::string meaning, const std::string& argument,
                           int64_t index) {
  return {std::move(name), std::move(meaning),
          [=](const Call& call) { return call.Integer(argument, index); }, Ladder()};
}

// All elements of the result.
SizedDimension Elements(const std::vector<int64_t>& sizes) {
  SizedDimension elements =
      OfTensor("elements", "the number of the result's elements", "output", [](const Call& call) {
        std::vector<size_t> axes(call.shape("output").size());
        std::iota(axes.begin(), axes.end(), size_t{0});
        return axes;
      });
  elements.rungs = Exactly(sizes);
  return elements;
}

// A place of a dimension: the tensor and the axis.
struct LargeSide {
  std::string name, argument;
  size_t axis;
  int64_t size;  // that it has at least
};

// Several dimensions of the call that are large at once.
SizedDimension Together(const std::vector<LargeSide>& sides) {
  SizedDimension dimension;
  int64_t product = 1;
  for (const LargeSide& side : sides) {
    dimension.name += StrCat(dimension.name.empty() ? "" : "x", side.name, side.size);
    dimension.meaning += StrCat(dimension.meaning.empty() ? "the product of " : " and ", side.name,
                                " from ", side.size);
    dimension.factors.push_back(side.name);
    dimension.together.push_back(side.size);
    product *= side.size;
  }
  dimension.size = [sides](const Call& call) {
    int64_t found = 1;
    for (const LargeSide& side : sides) {
      const int64_t size = call.shape(side.argument)[side.axis];
      if (size < side.size) return int64_t{0};
      found *= size;
    }
    return found;
  };
  dimension.rungs = {{product - 1, kNoEnd}};
  return dimension;
}

// For two spatial axes or three. `kernel` is the first of the weight's axes for the kernel.
void AddWindow(size_t axes, size_t kernel, std::vector<SizedDimension>& dimensions) {
  const std::vector<std::string> names =
      axes == 3 ? std::vector<std::string>{"D", "H", "W"} : std::vector<std::string>{"H", "W"};
  dimensions.push_back(OfAxis("N", "the batch", "output", 0));
  std::vector<std::string> outputs;
  std::vector<size_t> positions;
  for (size_t axis = 0; axis < axes; ++axis) {
    const std::string& name = names[axis];
    dimensions.push_back(OfAxis("I" + name, StrCat("the input's axis ", name), "input", 1 + axis));
    dimensions.push_back(
        OfAxis("K" + name, StrCat("the kernel's axis ", name), "weight", kernel + axis));
    outputs.push_back("O" + name);
    positions.push_back(1 + axis);
  }
  dimensions.push_back(
      OfProduct(outputs, "the number of the output's positions", "output", positions));
}

std::vector<SizedDimension> OfConvolution(size_t axes) {
  std::vector<SizedDimension> dimensions;
  AddWindow(axes, 1, dimensions);
  dimensions.push_back(OfAxis("IC", "the input's channels", "input", 1 + axes));
  dimensions.push_back(OfAxis("OC", "the output's channels", "output", 1 + axes));
  std::vector<std::string> factors = {"KH", "KW", "IC"};
  if (axes == 3) factors.insert(factors.begin(), "KD");
  std::vector<size_t> products(axes + 1);
  std::iota(products.begin(), products.end(), size_t{1});
  dimensions.push_back(OfSum(OfProduct(factors, "the products of a sum", "weight", products)));
  if (axes == 2) {
    dimensions.push_back(
        Together({{"OH", "output", 1, 33}, {"OW", "output", 2, 65}, {"OC", "output", 3, 129}}));
  }
  dimensions.push_back(Together({{"OW", "output", axes, 33},
                                 {"IC", "input", axes + 1, 129},
                                 {"OC", "output", axes + 1, 65}}));
  // More weights than 16 bits count.
  dimensions.push_back(Together({{"IC", "input", axes + 1, 129}, {"OC", "output", axes + 1, 257}}));
  return dimensions;
}

AxesOf ReducedAxis(const std::string& place) {
  return [place](const Call& call) -> std::vector<size_t> {
    const int64_t axis = call.Integer("axis");
    const auto rank = static_cast<int64_t>(call.shape("input").size());
    const bool first = axis == 0, last = axis + 1 == rank;
    const bool here = place == "first" ? first && !last : place == "last" ? last : !first && !last;
    return here ? std::vector<size_t>{static_cast<size_t>(axis)} : std::vector<size_t>();
  };
}

}  // namespace

std::vector<SizedDimension> ElementwiseDimensions() {
  return {Elements({1, 7, 8, 9, 16, 32, 63, 64, 65, 1025, 65537})};
}
std::vector<SizedDimension> FunctionDimensions() {
  return {Elements({1, 7, 8, 9, 16, 32, 63, 64, 65, 1025})};
}

// --- Sums of products. Kernels divide the positions, the channels and the products of a sum.

std::vector<SizedDimension> MatmulDimensions() {
  return {OfAxis("N", "the number of products", "output", 0),
          OfAxis("H", "the rows of A", "output", 1), OfAxis("W", "the columns of B", "output", 2),
          OfSum(OfAxis("C", "the products of a sum", "A", 2)),
          OfProduct({"H", "W"}, "the number of results of a product", "output", {1, 2}),
          Together({{"H", "output", 1, 33}, {"W", "output", 2, 65}, {"C", "A", 2, 129}}),
          Together({{"H", "output", 1, 129}, {"C", "A", 2, 257}}),
          // More results than 16 bits count.
          Together({{"H", "output", 1, 257}, {"W", "output", 2, 129}})};
}

std::vector<SizedDimension> FullyConnectedDimensions() {
  return {OfAxis("N", "the batch", "output", 0),
          OfSum(OfAxis("IC", "the products of a sum", "input", 1)),
          OfAxis("OC", "the output's channels", "output", 1)};
}

std::vector<SizedDimension> Conv2dDimensions() { return OfConvolution(2); }
std::vector<SizedDimension> Conv3dDimensions() { return OfConvolution(3); }

std::vector<SizedDimension> DepthwiseConv2dDimensions() {
  std::vector<SizedDimension> dimensions;
  AddWindow(2, 0, dimensions);
  dimensions.push_back(OfAxis("C", "the input's channels", "input", 3));
  dimensions.push_back(OfAxis("M", "the output's channels of each of the input's", "weight", 3));
  dimensions.push_back(OfSum(OfProduct({"KH", "KW"}, "the products of a sum", "weight", {0, 1})));
  dimensions.push_back(
      Together({{"OH", "output", 1, 33}, {"OW", "output", 2, 65}, {"C", "input", 3, 129}}));
  return dimensions;
}

// --- Pooling. A window as large as the input shows what lies beyond a block of it.

std::vector<SizedDimension> PoolingDimensions() {
  return {OfAxis("N", "the batch", "output", 0),
          OfAxis("IH", "the input's axis H", "input", 1),
          OfAxis("IW", "the input's axis W", "input", 2),
          OfAxis("C", "the channels", "output", 3),
          OfAttribute("KH", "the kernel's axis H", "kernel", 0),
          OfAttribute("KW", "the kernel's axis W", "kernel", 1),
          OfProduct({"OH", "OW"}, "the number of the output's positions", "output", {1, 2}),
          Together({{"OH", "output", 1, 33}, {"OW", "output", 2, 65}, {"C", "output", 3, 129}})};
}

// --- Reductions: the length of the axis, by where it stands.

std::vector<SizedDimension> ReductionDimensions() {
  std::vector<SizedDimension> dimensions;
  for (const char* const place : {"first", "middle", "last"}) {
    dimensions.push_back(OfTensor(place, StrCat("the length of a reduced ", place, " axis"),
                                  "input", ReducedAxis(place)));
  }
  return dimensions;
}

// --- Transforms, whose sizes are powers of two.

std::vector<SizedDimension> TransformDimensions() {
  std::vector<SizedDimension> dimensions = {OfAxis("N", "the batch", "input_real", 0),
                                            OfAxis("H", "the axis H", "input_real", 1),
                                            OfAxis("W", "the axis W", "input_real", 2)};
  // Every result of longer ones is a sum of so many terms that the reference takes seconds.
  for (size_t axis = 1; axis < dimensions.size(); ++axis) {
    dimensions[axis].rungs = LadderOfPowers();
  }
  return dimensions;
}

// --- Moving data.

std::vector<SizedDimension> ResizeDimensions() {
  return {OfAxis("N", "the batch", "output", 0), OfAxis("IH", "the input's axis H", "input", 1),
          OfAxis("IW", "the input's axis W", "input", 2), OfAxis("C", "the channels", "output", 3)};
}

std::vector<SizedDimension> TwoAxesDimensions() {
  const auto axis_of_two = [](size_t axis) {
    return [=](const Call& call) -> std::vector<size_t> {
      if (call.shape("input1").size() != 2) return {};
      return {axis};
    };
  };
  return {OfTensor("first", "the first of two axes", "input1", axis_of_two(0)),
          OfTensor("last", "the last of two axes", "input1", axis_of_two(1))};
}

std::vector<SizedDimension> GatherDimensions() {
  return {OfAxis("N", "the batch", "output", 0), OfAxis("K", "the number of values", "values", 1),
          OfAxis("W", "the number of indices", "output", 1),
          OfAxis("C", "the channels", "output", 2)};
}

std::vector<SizedDimension> ScatterDimensions() {
  return {OfAxis("N", "the batch", "values_out", 0),
          OfAxis("K", "the number of values", "values_out", 1),
          OfAxis("W", "the number of indices", "input", 1),
          OfAxis("C", "the channels", "values_out", 2)};
}

std::vector<SizedDimension> ConcatDimensions() {
  const auto axis_where = [](bool last, size_t axis) {
    return [=](const Call& call) -> std::vector<size_t> {
      const size_t rank = call.shape("output").size();
      if (rank != 2) return {};
      if (call.Integer("axis") != (last ? 1 : 0)) return {};
      return {axis};
    };
  };
  return {{"inputs", "the number of inputs",
           [](const Call& call) { return static_cast<int64_t>(call.Count("input1")); },
           Exactly({2, 9, 64})},
          OfTensor("outer", "the axis before that of the inputs", "output", axis_where(true, 0)),
          OfTensor("inner", "the axis behind that of the inputs", "output", axis_where(false, 1))};
}

// Blocks of a transposition are of two axes, both of which change their place with the other.
std::vector<SizedDimension> TransposeDimensions() {
  std::vector<SizedDimension> dimensions;
  for (const auto& [one, other] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 2}, {0, 2}}) {
    dimensions.push_back(
        {StrCat("axes", one, other),
         StrCat("the lesser of axes ", one, " and ", other, ", which change places,"),
         [a = one, b = other](const Call& call) -> int64_t {
           const Shape& shape = call.shape("output");
           if (shape.size() != 3) return 0;
           if (call.Integer("perms", a) != b || call.Integer("perms", b) != a) return 0;
           return std::min(shape[static_cast<size_t>(a)], shape[static_cast<size_t>(b)]);
         },
         {{15, 16}, {16, 31}, {31, 32}, {32, 63}, {63, 64}, {64, 128}, {128, 256}}});
  }
  return dimensions;
}

std::vector<SizedDimension> RescaleDimensions() {
  std::vector<SizedDimension> dimensions = ElementwiseDimensions();
  dimensions.push_back(OfTensor("channels", "the number of channels with a scale of their own",
                                "output", [](const Call& call) -> std::vector<size_t> {
                                  if (!call.Flag("per_channel")) return {};
                                  return {call.shape("output").size() - 1};
                                }));
  return dimensions;
}

std::string Text(const Rung& rung) {
  if (rung.up_to == kNoEnd) return StrCat(rung.above + 1, " or more");
  if (rung.up_to == rung.above + 1) return StrCat(rung.up_to);
  return StrCat(rung.above + 1, " to ", rung.up_to);
}

namespace {

// MIN_DOT_PRODUCTS of appendix A.
constexpr int64_t kLeastSums = 1000;

// The lengths of an image go by its two axes, not by the length of a sum.
constexpr DotProductLength kLengths[] = {
    DotProductLength::kKernel, DotProductLength::kWeightsOfAnOutput,
    DotProductLength::kWeightsOfAChannel, DotProductLength::kColumnsOfA,
    DotProductLength::kReducedAxis};

std::map<DotProductLength, SizedDimension> MakeLongSums() {
  std::map<DotProductLength, SizedDimension> sums;
  for (const DotProductLength length : kLengths) {
    sums.emplace(
        length, SizedDimension{"KS", "the length of at least 1000 sums",
                               [length](const Call& call) {
                                 const int64_t results = ElementCount(call.shape("output"));
                                 return results >= kLeastSums ? LengthOf(length, call) : int64_t{0};
                               },
                               // The rule sees too little of plain sums of 64.
                               SumsProducts(length) ? Exactly({64, 256, 1024, 2048, 4096})
                                                    : Exactly({256, 1024, 2048, 4096})});
  }
  return sums;
}

}  // namespace

const SizedDimension* LongSumsOf(const Edition& edition, const OperatorSpec& spec) {
  static const auto& sums = *new auto(MakeLongSums());
  const DotProductPrecision* const sum =
      edition.precision == nullptr ? nullptr : edition.precision->FindDotProduct(spec.name);
  const auto found = sum == nullptr ? sums.end() : sums.find(sum->length);
  return found == sums.end() ? nullptr : &found->second;
}

namespace {

std::vector<DType> OperandTypes(const OperatorSpec& spec, const TypeRow& row) {
  std::vector<DType> types;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    if (const auto type = row.PlainType(argument.element_type)) types.push_back(*type);
  }
  return types;
}

// Rates how well a row stands for its kind: 2 if its operands have the most common type, 1 if the
// first has.
int Fitness(const std::vector<DType>& types) {
  const DType common = IsFloat(types.front()) ? DType::kFp32 : DType::kI8;
  if (types.front() != common) return 0;
  return types.size() == 1 || types[1] == common ? 2 : 1;
}

}  // namespace

std::string_view LadderKind(const OperatorSpec& spec, const TypeRow& row) {
  const std::vector<DType> types = OperandTypes(spec, row);
  if (types.empty()) return "";
  const bool is_float = IsFloat(types.front());
  const TypeRow* best = nullptr;
  int fitness = -1;
  for (const TypeRow& other : spec.type_rows) {
    const std::vector<DType> of_other = OperandTypes(spec, other);
    if (of_other.empty() || IsFloat(of_other.front()) != is_float) continue;
    if (Fitness(of_other) > fitness) best = &other, fitness = Fitness(of_other);
  }
  // A row that was copied is the one of the same mode.
  if (best == nullptr || best->mode != row.mode) return "";
  return is_float ? "float" : "integer";
}

}  // namespace cts
