// ADD_SHAPE, CONCAT_SHAPE, CONST_SHAPE, DIV_SHAPE, MUL_SHAPE, SUB_SHAPE: through a RESHAPE to the
// shape that they yield.
#include "generator/ops/domain.h"

namespace cts::shape_domain {
namespace {

// Whether a list may be empty and a tensor have rank 0: not in 0.100.
bool HasScalars(const Setting& setting) {
  return setting.edition->FindOperator("RESHAPE")->FindArgument("output")->min_rank->constant == 0;
}

std::vector<std::string> Shapes(const Setting& setting) {
  return {"3x2x4", "24", "1x5", WithMaxRank(setting, "2x3x1x2x1x3")};
}

std::vector<std::string> MoreShapes() { return {"1", "1x1x1x1", "13x1x2x7", "64x3", "4x16"}; }

// The type of the tensor that is reshaped.
constexpr ListedAxis<DType> kCarrierAxis{"carrier",
                                         "",
                                         {{"i8", DType::kI8}, {"fp32", DType::kFp32}},
                                         {{"bool", DType::kBool}, {"i16", DType::kI16}}};

std::vector<Labels> CarrierStarts() { return {{{"carrier", "i8"}}, {{"carrier", "fp32"}}}; }

Axis DataAxis() { return kDataAxis.With({"full-range"}); }

std::vector<Axis> ConstAxes(const Setting& setting) {
  std::vector<std::string> shapes = Shapes(setting);
  if (HasScalars(setting)) shapes.push_back("scalar");
  return {kShapeAxis.With(std::move(shapes), MoreShapes()), kCarrierAxis.All(), DataAxis()};
}

enum class Numbers { kSmall, kLarge, kSame };
constexpr ListedAxis<Numbers> kNumbersAxis{
    "operands",
    "",
    {{"small", Numbers::kSmall}, {"large", Numbers::kLarge}},
    // A shape of even squares is both a sum and a product of a shape with itself.
    {{"same", Numbers::kSame}}};

std::vector<Axis> ElementwiseAxes(const Setting& setting) {
  Axis operands = kNumbersAxis.All();
  const std::string& op = setting.Text();
  if (op != "ADD_SHAPE" && op != "MUL_SHAPE") operands.more.clear();
  std::vector<std::string> more = MoreShapes();
  more.emplace_back("65540");  // more than 16 bits
  return {kShapeAxis.With(Shapes(setting), std::move(more)), std::move(operands),
          kCarrierAxis.All(), DataAxis()};
}

enum class Inputs { kTwo, kOne, kEach, kFirst };
constexpr ListedAxis<Inputs> kInputsAxis{
    "inputs",
    "",
    {{"two", Inputs::kTwo}, {"one", Inputs::kOne}, {"each", Inputs::kEach}},
    {{"first", Inputs::kFirst}}};

std::vector<Axis> ConcatAxes(const Setting& setting) {
  return {kShapeAxis.With(Shapes(setting), MoreShapes()), kInputsAxis.All(), kCarrierAxis.All(),
          DataAxis()};
}

// A draft whose operator yields `shape`. The tensor that is reshaped has the same elements in two
// dimensions; the first of them is the last of `shape`.
CaseDraft Yielding(const Choice& choice, const Shape& shape) {
  const DType type = choice[kCarrierAxis];
  const int64_t last = shape.empty() ? 1 : shape.back();
  CaseDraft draft;
  draft.output_type = DType::kShape;
  draft.output_shape = {static_cast<int64_t>(shape.size())};
  draft.carrier = {Filled(choice, "carried", type, {last, ElementCount(shape) / last}), shape};
  return draft;
}

CaseDraft BuildConst(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  CaseDraft draft = Yielding(choice, shape);
  draft.values = Tensor::OfIntegers(DType::kShape, draft.output_shape, shape);
  return draft;
}

// `operands(size, i, large)` are the elements of input1 and input2 that make dimension i that size.
// Large ones stay within 2^31 - 1, which every size can hold.
template <class Operands>
CaseDraft BuildElementwise(const Choice& choice, Operands operands) {
  const Shape shape = choice[kShapeAxis];
  CaseDraft draft = Yielding(choice, shape);
  const Numbers kind = choice[kNumbersAxis];
  std::vector<int64_t> input1, input2;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto [x, y] = operands(shape[i], static_cast<int64_t>(i), kind == Numbers::kLarge);
    input1.push_back(x);
    input2.push_back(y);
  }
  if (kind == Numbers::kSame) {
    draft.Same("input2", "input1");
  } else {
    draft.Set("input2", std::move(input2));
  }
  draft.Set("input1", std::move(input1));
  return draft;
}

using Pair = std::pair<int64_t, int64_t>;

CaseDraft BuildAdd(const Choice& choice) {
  return BuildElementwise(choice, [](int64_t size, int64_t i, bool large) {
    if (large) return i % 2 == 0 ? Pair(0, size) : Pair(size, 0);
    return Pair(size / 2, size - size / 2);
  });
}

CaseDraft BuildSub(const Choice& choice) {
  return BuildElementwise(choice, [](int64_t size, int64_t i, bool large) {
    const int64_t subtrahend = large ? INT32_MAX - size - i : i;
    return Pair(size + subtrahend, subtrahend);
  });
}

CaseDraft BuildMul(const Choice& choice) {
  return BuildElementwise(choice, [](int64_t size, int64_t i, bool large) {
    int64_t factor = 1;
    if (large) factor = i % 2 == 0 ? size : 1;
    if (!large && size == 16) return Pair(4, 4);  // of a shape used twice
    for (int64_t k = 2; !large && k < size && factor == 1; ++k) {
      if (size % k == 0) factor = k;
    }
    return Pair(size / factor, factor);
  });
}

// Quotients with a remainder: a division that rounds to nearest or up would give more.
CaseDraft BuildDiv(const Choice& choice) {
  return BuildElementwise(choice, [](int64_t size, int64_t i, bool large) {
    const int64_t divisor = large ? INT32_MAX / (size + 1) : i + 2;
    return Pair(size * divisor + divisor - 1, divisor);
  });
}

CaseDraft BuildConcat(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  CaseDraft draft = Yielding(choice, shape);
  TensorArgument operand{{}, true, true};
  const size_t rank = shape.size(), first = (rank + 1) / 2;
  const Inputs inputs = choice[kInputsAxis];
  size_t step = inputs == Inputs::kOne ? rank : inputs == Inputs::kTwo ? first : 1;
  for (size_t i = 0; i < rank; i += step) {
    if (inputs == Inputs::kFirst && i == 1) step = rank;  // one element, then all others
    const Shape part(shape.begin() + static_cast<int64_t>(i),
                     shape.begin() + static_cast<int64_t>(std::min(rank, i + step)));
    operand.tensors.push_back(
        Tensor::OfIntegers(DType::kShape, {static_cast<int64_t>(part.size())}, part));
  }
  draft.arguments["input1"] = std::move(operand);
  return draft;
}

// One element more, or less.
void Resize(CaseDraft& draft, std::string_view argument, int by) {
  auto& value = std::get<AttributeValue>(draft.arguments.find(argument)->second);
  auto& list = std::get<std::vector<int64_t>>(value);
  list.resize(list.size() + static_cast<size_t>(by), 1);
}

Domain Elementwise(const std::string& length_mismatch, CaseDraft (*build)(const Choice&)) {
  return {.axes = ElementwiseAxes,
          .constraints = {OnlyWith(
              {"operands", "same"}, {{"shape", "4x16"}},
              "an even square is the sum and the product of a number with itself")},
          .build = build,
          .breakers = {{length_mismatch,
                        {},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { Resize(d, "input1", 1); }},
                       {length_mismatch,
                        {},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { Resize(d, "input2", 1); }},
                       {length_mismatch,
                        {},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { Resize(d, "input2", -1); }}},
          .starts = CarrierStarts()};
}

// The shape leaves the graph beside the tensor that it shapes. 0.100 does not mind.
void YieldTheShape(const Setting&, CaseDraft& draft) {
  draft.change_graph = [](const Setting& setting, Assembly& assembly) {
    Block& block = assembly.graph.main();
    for (const GraphOperator& op : block.operators) {
      if (op.op == setting.spec->name) return block.outputs.push_back(op.outputs[0]);
    }
  };
}

}  // namespace

Domain AddShapeDomain() { return Elementwise("add_shape.length_mismatch", BuildAdd); }

Domain ConcatShapeDomain() {
  return {.axes = ConcatAxes,
          .build = BuildConcat,
          .breakers = {{"concat_shape.length_sum",
                        {},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[0] += 1; }},
                       {"concat_shape.length_sum",
                        {},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[0] -= 1; }}},
          .starts = CarrierStarts()};
}

Domain ConstShapeDomain() {
  return {.axes = ConstAxes,
          .build = BuildConst,
          .breakers = {{"graph.shape_interface",
                        {},
                        [](const Setting& setting) {
                          return setting.EditionHas(Feature::kShapesStayInside);
                        },
                        YieldTheShape}},
          .starts = CarrierStarts()};
}

Domain DivShapeDomain() { return Elementwise("div_shape.length_mismatch", BuildDiv); }
Domain MulShapeDomain() { return Elementwise("mul_shape.length_mismatch", BuildMul); }
Domain SubShapeDomain() { return Elementwise("sub_shape.length_mismatch", BuildSub); }

}  // namespace cts::shape_domain
