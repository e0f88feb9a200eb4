// More rewrites that look right but do not hold, one tensor as both operands, and constants that
// are read again. Where a graph goes on from a floating-point result, that result is exact.
#include <algorithm>
#include <numeric>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "reference/base/float_format.h"

namespace cts {
namespace rewrites {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

using operand_rows::IsFloatRow;
using operand_rows::IsI32Row;
using operand_rows::TypeOf;

// Numbers that every floating-point type holds: multiples of `step` up to `most` steps.
Tensor SmallFloats(const Choice& choice, std::string_view name, DType type, const Shape& shape,
                   int64_t most, double step) {
  const Tensor numbers = IntegersBetween(choice.Stream(name), DType::kI32, shape, -most, most);
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    values.SetValue(i, static_cast<double>(numbers.Integer(i)) * step + 0.0);
  }
  return values;
}

// ---- One tensor as both operands ---------------------------------------------------------------

std::vector<Axis> ExtremesAxes(const Setting& setting) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"special"};  // NaN
  Axis modes = kNanModeAxis.With({"propagate"});
  if (setting.spec->FindArgument("nan_mode") != nullptr) modes.values.push_back("ignore");
  AddAxis(axes, std::move(modes));
  return axes;
}

// MAXIMUM and MINIMUM of x and x, and MAXIMUM(MINIMUM(x, c), c), which is c unless x is a NaN that
// is not ignored.
CaseDraft BuildExtremes(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  Tensor values = Filled(choice, "input", type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    // Operators within a graph may flush subnormals and lose the sign of a zero.
    if (values.Value(i) == 0) values.SetValue(i, 0);
    if (IsSubnormal(type, values.Value(i))) values.SetValue(i, 1);
  }
  const Name x = builder.Input("input", std::move(values));
  const Name c = builder.Constant("constant", SmallFloats(choice, "constant", type, shape, 15, 1));
  const GraphBuilder::Parameters mode = {
      {"nan_mode", std::string(choice[kNanModeAxis] ? "IGNORE" : "PROPAGATE")}};
  const Name least = builder.Apply("MINIMUM", {x, c}, mode);
  return builder.Finish({builder.Apply("MAXIMUM", {x, x}, mode),
                         builder.Apply("MINIMUM", {x, x}, mode),
                         builder.Apply("MAXIMUM", {least, c}, mode)});
}

// y + x / x and y + (x - x).
CaseDraft BuildQuotient(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  Tensor values = Filled(choice, "input", DType::kI32, shape);
  Tensor others = Filled(choice, "other", DType::kI32, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.Integer(i) == 0) values.SetInteger(i, -7);
    others.SetInteger(i, others.Integer(i) >> 1);
  }
  const Name x = builder.Input("input", std::move(values));
  const Name y = builder.Input("other", std::move(others));
  return builder.Finish({builder.Apply("ADD", {y, builder.Apply("INTDIV", {x, x})}),
                         builder.Apply("ADD", {y, builder.Apply("SUB", {x, x})})});
}

std::vector<Axis> SquareAxes(const Setting&) {
  return {kShapeAxis.With({"2x7x7", "1x13x13"}), kDataAxis.With({"full-range"})};
}

// MATMUL(x, x) in floating point: no operand may be turned in its place. All sums are exact.
CaseDraft BuildSquare(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input(
      "input", SmallFloats(choice, "input", TypeOf(choice.setting), choice[kShapeAxis], 9, 1));
  return builder.Finish({builder.Apply("MATMUL", {x, x}, {}, choice.Type("out_t"))});
}

// ---- Constants that are read again -------------------------------------------------------------

// The constant is the first operand, where a result in its place would be written, and is read
// behind.
CaseDraft BuildConstant(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const auto small = [&](const char* name) {
    return IsFloat(type) ? SmallFloats(choice, name, type, shape, 15, 1)
                         : IntegersBetween(choice.Stream(name), type, shape, -9999, 9999);
  };
  const Name c = builder.Constant("constant", small("constant"));
  const Name x = builder.Input("input", small("input"));
  const Name sum = builder.Apply("ADD", {c, x});
  return builder.Finish({builder.Apply("MAXIMUM", {c, x}), builder.Apply("SUB", {c, x}), sum});
}

std::vector<Axis> ConstantAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"full-range"};
  return axes;
}
Domain ConstantDomain() { return {.axes = ConstantAxes, .build = BuildConstant}; }

// ---- Rewrites that do not hold -----------------------------------------------------------------

constexpr ListedAxis<bool> kRotateTwiceAxis{
    "perms", "", {{"rotate-twice", true}, {"two-swaps", false}}};

std::vector<Axis> TransposeAxes(const Setting&) {
  return {kShapeAxis.With({"4x4x4", "3x3x3x3"}), kRotateTwiceAxis.All(),
          kDataAxis.With({"full-range", "special"})};
}

// Two TRANSPOSEs of a cube, which the shapes do not tell from a pair of inverses.
CaseDraft BuildTransposes(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  std::vector<int64_t> first(shape.size());
  std::iota(first.begin(), first.end(), 0);
  std::vector<int64_t> second = first;
  if (choice[kRotateTwiceAxis]) {
    std::rotate(first.begin(), first.begin() + 1, first.end());
    second = first;
  } else {
    std::swap(first[0], first[1]);
    std::swap(second[second.size() - 2], second.back());
  }
  const Name x = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const Name once = builder.Apply("TRANSPOSE", {x}, {{"perms", first}});
  return builder.Finish({builder.Apply("TRANSPOSE", {once}, {{"perms", second}})});
}

std::vector<Axis> MergedAxes(const Setting&) {
  return {kShapeAxis.With({"5x5x5", "2x2x2x2"}), kDataAxis.With({"full-range", "special"})};
}

// Operators of one name, one operand and one shape, which differ in an attribute or in a parameter.
CaseDraft BuildMerged(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const size_t rank = shape.size();
  const Name x = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  std::vector<int64_t> perms(rank), start(rank, 0), size(rank, 1);
  std::iota(perms.begin(), perms.end(), 0);
  Names outputs;
  for (size_t axis = 0; axis + 1 < rank; ++axis) {
    outputs.push_back(builder.Apply("REVERSE", {x}, {{"axis", static_cast<int64_t>(axis)}}));
    std::swap(perms[axis], perms[axis + 1]);
    outputs.push_back(builder.Apply("TRANSPOSE", {x}, {{"perms", perms}}));
    size[axis] = 1, size.back() = shape.back();
    start[axis] = 1;
    outputs.push_back(builder.Apply("SLICE", {x}, {{"start", start}, {"size", size}}));
  }
  return builder.Finish(outputs);
}

// The negation of a comparison is no comparison the other way, and what a comparison selects is no
// MAXIMUM and no MINIMUM, where one of the two is a NaN. A NaN does not even equal itself.
CaseDraft BuildUnordered(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  Tensor values = Filled(choice, "input", type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.Value(i) == 0) values.SetValue(i, 0);
    if (IsSubnormal(type, values.Value(i))) values.SetValue(i, 1);
  }
  const Name x = builder.Input("input", std::move(values));
  const Name y = builder.Input("other", SmallFloats(choice, "other", type, shape, 15, 1));
  Names outputs = {builder.Apply("EQUAL", {x, x}), builder.Apply("GREATER_EQUAL", {x, x})};
  for (const char* const op : {"GREATER", "GREATER_EQUAL"}) {
    for (const Names& order : {Names{x, y}, Names{y, x}}) {
      const Name compared = builder.Apply(op, order);
      outputs.push_back(builder.Apply("LOGICAL_NOT", {compared}));
      outputs.push_back(builder.Apply("SELECT", {compared, order[0], order[1]}));
      outputs.push_back(builder.Apply("SELECT", {compared, order[1], order[0]}));
    }
  }
  return builder.Finish(outputs);
}

std::vector<Axis> UnorderedAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"special"};  // NaN
  return axes;
}
Domain UnorderedDomain() {
  return {.axes = UnorderedAxes, .constraints = {RoomForSpecials()}, .build = BuildUnordered};
}

bool IsFloatComparison(const Setting& setting) { return IsFloat(setting.Type("in_t")); }

// Whether floating point has a CAST to the row's integer and another back.
bool CastsToInteger(const Setting& setting) {
  const DType in = setting.Type("in_t"), out = setting.Type("out_t");
  if (!IsFloat(in) || IsFloat(out) || out == DType::kBool) return false;
  const auto& rows = setting.spec->type_rows;
  return std::any_of(rows.begin(), rows.end(), [&](const TypeRow& row) {
    return row.Type("in_t") == out && row.Type("out_t") == in;
  });
}

std::vector<Axis> CastAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"full-range"};
  return axes;
}

// To an integer and back, which rounds. The numbers are quarters.
CaseDraft BuildCasts(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType in = choice.Type("in_t");
  const Name x =
      builder.Input("input", SmallFloats(choice, "input", in, choice[kShapeAxis], 120, 0.25));
  const Name integer = builder.Apply("CAST", {x}, {}, choice.Type("out_t"));
  return builder.Finish({builder.Apply("CAST", {integer}, {}, in)});
}

// The sum of two RESCALEs of i32, which could be added before: each is rounded by itself.
CaseDraft BuildSumOfRescales(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  Names scaled;
  for (const char* name : {"input", "other"}) {
    Tensor values = Filled(choice, name, DType::kI32, shape);
    for (int64_t i = 0; i < values.size(); ++i) values.SetInteger(i, values.Integer(i) >> 2);
    const Name x = builder.Input(name, std::move(values));
    scaled.push_back(builder.Rescale(x, {0.37}, DType::kI32));
  }
  return builder.Finish({builder.Apply("ADD", scaled)});
}

// ---- An image of one pixel ---------------------------------------------------------------------

// The steps of y; x has the offset and the border of the next pixel inwards.
struct Steps {
  int64_t numerator, denominator, offset, border;
};
constexpr ListedAxis<Steps> kStepsAxis{"scale",
                                       "s",
                                       {{"2-1", {2, 1, -2, 1}},
                                        {"4-2", {4, 2, -1, 3}},
                                        {"8-3", {8, 3, -4, 5}},
                                        {"1-1", {1, 1, 0, 0}}}};

std::vector<Axis> PixelAxes(const Setting&) {
  return {kStepsAxis.All(), kDataAxis.With({"full-range", "special"})};
}

// RESIZE of images of 1x1, where every place is that pixel, and a RESCALE by the scale.
CaseDraft BuildPixel(const Choice& choice) {
  GraphBuilder builder(choice);
  const Setting& setting = choice.setting;
  const Steps y = choice[kStepsAxis];
  const bool one = y.numerator == 1;
  const std::vector<int64_t> scale = {y.numerator, y.denominator, y.numerator, y.denominator};
  const std::vector<int64_t> offset = {y.offset, one ? 0 : y.offset + y.denominator};
  const std::vector<int64_t> border = {y.border, y.border};
  const Name x =
      builder.Input("input", Filled(choice, "input", setting.Type("in_t"), {3, 1, 1, 11}));
  const bool nearest = setting.Type("in_t") == setting.Type("out_t");
  const Name resized =
      builder.Apply("RESIZE", {x},
                    {{"scale", scale},
                     {"offset", offset},
                     {"border", border},
                     {"mode", std::string(nearest ? "NEAREST_NEIGHBOR" : "BILINEAR")}},
                    setting.Type("out_t"));
  if (nearest) return builder.Finish({builder.Rescale(resized, {3.7}, DType::kI32)});
  const auto factor = static_cast<double>(y.numerator * y.numerator);
  return builder.Finish({builder.Rescale(resized, {0.9 / factor}, setting.Type("in_t"))});
}

std::vector<GraphDomain> Graphs() {
  return {{"extremes-of-itself", "MAXIMUM", IsFloatRow,
           Plain(ExtremesAxes, BuildExtremes, {RoomForSpecials()})},
          {"quotient-of-itself", "INTDIV", IsI32Row,
           Plain(PlainAxes, BuildQuotient, {RoomForSpecials()})},
          {"matmul-of-itself", "MATMUL", IsFloatRow, Plain(SquareAxes, BuildSquare)},
          {"constant-read-again", "ADD", operand_rows::IsFloatOrI32Row, ConstantDomain},
          {"transposes-of-cube", "TRANSPOSE", nullptr,
           Plain(TransposeAxes, BuildTransposes, {RoomForSpecials()})},
          {"operators-nearly-equal", "REVERSE", nullptr,
           Plain(MergedAxes, BuildMerged, {RoomForSpecials()})},
          {"comparisons-unordered", "GREATER", IsFloatComparison, UnorderedDomain},
          {"cast-to-integer-and-back", "CAST", CastsToInteger, Plain(CastAxes, BuildCasts)},
          {"wide-rescales-added", "ADD", IsI32Row,
           Plain(PlainAxes, BuildSumOfRescales, {RoomForSpecials()})},
          {"resize-of-one-pixel", "RESIZE", IsIntegerRow, Plain(PixelAxes, BuildPixel)}};
}

}  // namespace
}  // namespace rewrites

std::vector<GraphDomain> RewriteGraphs() { return rewrites::Graphs(); }

}  // namespace cts
