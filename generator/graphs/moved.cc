// Data that moves, on shapes whose dimensions are equal: no shape tells that an axis, a constant or
// a place went with it the wrong way. Indices that are computed, and what is scaled on the way.
#include <algorithm>
#include <numeric>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"

namespace cts {
namespace moved {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using operand_rows::SmallNumbers;
using operand_rows::TypeOf;
using operand_rows::ValueOf;
using List = std::vector<int64_t>;

Name Transpose(GraphBuilder& builder, const Name& x, const List& perms) {
  return builder.Apply("TRANSPOSE", {x}, {{"perms", perms}});
}

// ---- TRANSPOSE of a square or a cube, and an operator that counts along an axis ----------------

constexpr ListedAxis<bool> kRescaleFirstAxis{
    "order", "", {{"rescale-first", true}, {"transpose-first", false}}};
std::vector<Axis> ScalesAxes(const Setting&) { return AxesWith(kRescaleFirstAxis.All()); }

// A scale for every channel, before the channels become another axis or behind it.
CaseDraft BuildScales(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {5, 5, 5}));
  const auto scaled = [&](const Name& name) {
    return builder.Rescale(name, {0.9, 0.45, 0.7, 0.2, 0.6}, DType::kI8,
                           {{"input_zp", int64_t{3}}, {"output_zp", int64_t{-5}}});
  };
  const List perms = {2, 0, 1};
  return builder.Finish({choice[kRescaleFirstAxis] ? Transpose(builder, scaled(x), perms)
                                                   : scaled(Transpose(builder, x, perms))});
}

constexpr ParsedAxis<int64_t> kAlongAxis{"axis", "a", ParseNumber};
std::vector<Axis> AlongAxes(const Setting&) { return AxesWith(kAlongAxis.With({"0", "1", "2"})); }

// A cube is turned and then reduced along one of its axes, by an operator of the row's types.
CaseDraft BuildAlong(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = {4, 4, 4};
  Tensor values(type, shape);
  if (type == DType::kBool) {
    // So few are true that not every row has one.
    const Tensor draws = IntegersBetween(choice.Stream("input"), DType::kI32, shape, 0, 3);
    for (int64_t i = 0; i < draws.size(); ++i) values.SetInteger(i, draws.Integer(i) == 0 ? 1 : 0);
  } else {
    values = SmallNumbers(choice, "input", type, shape, 15);
  }
  const Name x = builder.Input("input", std::move(values));
  const Name turned = Transpose(builder, x, {1, 2, 0});
  return builder.Finish(
      {builder.Apply(choice.setting.spec->name, {turned}, {{"axis", choice[kAlongAxis]}},
                     choice.setting.row->PlainType("out_t"))});
}

Domain AlongDomain() { return {.axes = AlongAxes, .build = BuildAlong}; }

enum class Other { kRow, kColumn, kTurned };
constexpr ListedAxis<Other> kOtherAxis{
    "other", "", {{"row", Other::kRow}, {"column", Other::kColumn}, {"turned", Other::kTurned}}};
std::vector<Axis> BroadcastAxes(const Setting&) { return AxesWith(kOtherAxis.All()); }

// A square that is turned, and a row or a column that is not; or two that are turned differently.
CaseDraft BuildBroadcast(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Other other = choice[kOtherAxis];
  const bool both = other == Other::kTurned;
  const Shape shape = both ? Shape{4, 4, 4} : Shape{7, 7};
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, shape, 15));
  const Shape of_y = both ? shape : other == Other::kRow ? Shape{1, 7} : Shape{7, 1};
  const Name y = builder.Input("other", SmallNumbers(choice, "other", type, of_y, 15));
  const Name turned = Transpose(builder, x, both ? List{1, 2, 0} : List{1, 0});
  return builder.Finish(
      {builder.Apply("ADD", {turned, both ? Transpose(builder, y, {1, 0, 2}) : y})});
}

struct Joined {
  int64_t axis;
  bool second_stays = false;  // the others are turned
};
constexpr ListedAxis<Joined> kJoinedAxis{
    "axis", "a", {{"0", {0}}, {"1", {1}}, {"one-turned", {.axis = 0, .second_stays = true}}}};
std::vector<Axis> ConcatAxes(const Setting&) { return AxesWith(kJoinedAxis.All()); }

// CONCAT of two squares that are turned, or of one that is and one that is not.
CaseDraft BuildConcat(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {6, 6};
  const Joined joined = choice[kJoinedAxis];
  Names parts;
  for (const char* name : {"input", "other"}) {
    const Name x = builder.Input(name, Filled(choice, name, TypeOf(choice.setting), shape));
    const bool stays = joined.second_stays && !parts.empty();
    parts.push_back(stays ? x : Transpose(builder, x, {1, 0}));
  }
  return builder.Finish({builder.Apply("CONCAT", parts, {{"axis", joined.axis}})});
}

// ---- Movement after movement -------------------------------------------------------------------

constexpr ListedAxis<bool> kPadAgainAxis{"then", "", {{"pad", true}, {"concat", false}}};
std::vector<Axis> PadsAxes(const Setting&) { return AxesWith(kPadAgainAxis.All()); }

// PAD of PAD with another constant; and CONCAT of PAD with what was padded.
CaseDraft BuildPads(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("input", Filled(choice, "input", type, {4, 5}));
  const auto pad = [&](const Name& name, const List& padding, int64_t value) {
    return builder.Apply("PAD", {name},
                         {{"padding", padding}, {"pad_const", ValueOf(type, value)}});
  };
  const Name padded = pad(x, {1, 0, 0, 0}, 5);
  if (choice[kPadAgainAxis]) return builder.Finish({pad(padded, {1, 1, 2, 1}, 7)});
  return builder.Finish({builder.Apply("CONCAT", {padded, x, padded}, {{"axis", int64_t{0}}})});
}

constexpr ListedAxis<bool> kPadFirstAxis{
    "order", "", {{"pad-first", true}, {"rescale-first", false}}};
std::vector<Axis> PadRescaleAxes(const Setting&) { return AxesWith(kPadFirstAxis.All()); }

// The padding is a stored number: RESCALE changes it if it comes behind, and not if it comes
// before.
CaseDraft BuildPadRescale(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {4, 5}));
  const auto pad = [&](const Name& name) {
    return builder.Apply("PAD", {name},
                         {{"padding", List{1, 0, 2, 1}}, {"pad_const", int64_t{40}}});
  };
  const auto scaled = [&](const Name& name) {
    return builder.Rescale(name, {0.43}, DType::kI8,
                           {{"input_zp", int64_t{4}}, {"output_zp", int64_t{-13}}});
  };
  return builder.Finish({choice[kPadFirstAxis] ? scaled(pad(x)) : pad(scaled(x))});
}

enum class Then { kSlice, kPad, kReverse };
constexpr ListedAxis<Then> kThenAxis{
    "then", "", {{"slice", Then::kSlice}, {"pad", Then::kPad}, {"reverse", Then::kReverse}}};
std::vector<Axis> SlicesAxes(const Setting&) { return AxesWith(kThenAxis.All()); }

// SLICE of SLICE, whose starts add up; PAD of SLICE, as large as the input was but not the input;
// REVERSE of SLICE, which starts at the end of the part.
CaseDraft BuildSlices(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("input", Filled(choice, "input", type, {7, 9}));
  const Name part = builder.Apply("SLICE", {x}, {{"start", List{2, 1}}, {"size", List{4, 6}}});
  const Then then = choice[kThenAxis];
  if (then == Then::kSlice) {
    return builder.Finish(
        {builder.Apply("SLICE", {part}, {{"start", List{1, 2}}, {"size", List{2, 3}}})});
  }
  if (then == Then::kPad) {
    return builder.Finish({builder.Apply(
        "PAD", {part}, {{"padding", List{2, 1, 1, 2}}, {"pad_const", ValueOf(type, 5)}})});
  }
  return builder.Finish({builder.Apply("REVERSE", {part}, {{"axis", int64_t{1}}})});
}

enum class Inner { kFirst, kSecond, kTwice };
constexpr ListedAxis<Inner> kInnerAxis{
    "inner", "", {{"first", Inner::kFirst}, {"second", Inner::kSecond}, {"twice", Inner::kTwice}}};
std::vector<Axis> ConcatsAxes(const Setting&) { return AxesWith(kInnerAxis.All()); }

// CONCAT of CONCAT along another axis; and one part in two places.
CaseDraft BuildConcats(const Choice& choice) {
  GraphBuilder builder(choice);
  const auto input = [&](const char* name, const Shape& shape) {
    return builder.Input(name, Filled(choice, name, TypeOf(choice.setting), shape));
  };
  const Name a = input("a", {2, 4}), b = input("b", {2, 4}), c = input("c", {4, 4});
  const Name inner = builder.Apply("CONCAT", {a, b}, {{"axis", int64_t{0}}});
  const Inner which = choice[kInnerAxis];
  const Names parts = which == Inner::kFirst    ? Names{inner, c}
                      : which == Inner::kSecond ? Names{c, inner}
                                                : Names{inner, c, inner};
  return builder.Finish({builder.Apply("CONCAT", parts, {{"axis", int64_t{1}}})});
}

constexpr ParsedAxis<Shape> kMultiplesAxis{"multiples", "m", ParseShape};
std::vector<Axis> TileAxes(const Setting&) {
  return AxesWith(kMultiplesAxis.With({"3x1", "1x4", "3x4"}));
}

// TILE repeats the whole, not each element, and an addition does not do it by itself.
CaseDraft BuildTile(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const List multiples = choice[kMultiplesAxis];
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, {2, 3}, 15));
  const Name y = builder.Input(
      "other", SmallNumbers(choice, "other", type, {2 * multiples[0], 3 * multiples[1]}, 15));
  return builder.Finish(
      {builder.Apply("ADD", {builder.Apply("TILE", {x}, {{"multiples", multiples}}), y})});
}

std::vector<Axis> TileSumAxes(const Setting&) { return AxesWith(kAlongAxis.With({"0", "1"})); }

// The sum over what TILE repeated, along the axis or across it.
CaseDraft BuildTileSum(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", SmallNumbers(choice, "input", DType::kI32, {3, 5}, 9999));
  const Name tiled = builder.Apply("TILE", {x}, {{"multiples", List{4, 1}}});
  return builder.Finish({builder.Apply("REDUCE_SUM", {tiled}, {{"axis", choice[kAlongAxis]}})});
}

// ---- Indices -----------------------------------------------------------------------------------

std::vector<Axis> ChosenAxes(const Setting&) { return AxesWith(kAlongAxis.With({"0", "1"})); }

// ARGMAX of a square says which rows GATHER takes.
CaseDraft BuildChosen(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, {6, 6}, 15));
  const Name values = builder.Input("values", Filled(choice, "values", type, {1, 6, 4}));
  const Name most = builder.Apply("ARGMAX", {x}, {{"axis", choice[kAlongAxis]}});
  const Name indices = builder.Apply("RESHAPE", {most}, {{"shape", Shape{1, 6}}});
  return builder.Finish({builder.Apply("GATHER", {values, indices})});
}

constexpr ListedAxis<bool> kAllTakenAxis{"then", "", {{"other-places", false}, {"all", true}}};
std::vector<Axis> ScatteredAxes(const Setting&) { return AxesWith(kAllTakenAxis.All()); }

// GATHER of SCATTER: some rows are those that were written, the others those that were there.
CaseDraft BuildScattered(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name values = builder.Input("values", Filled(choice, "values", type, {2, 6, 4}));
  const Name rows = builder.Input("rows", Filled(choice, "rows", type, {2, 3, 4}));
  const auto indices = [&](const char* name, const Shape& shape, const List& places) {
    return builder.Input(name, Tensor::OfIntegers(DType::kI32, shape, places));
  };
  const Name places = indices("places", {2, 3}, {4, 0, 3, 1, 5, 2});
  const Name written = builder.Apply("SCATTER", {values, places, rows});
  const Name taken = choice[kAllTakenAxis]
                         ? indices("taken", {2, 6}, {5, 4, 3, 2, 1, 0, 0, 2, 4, 1, 3, 5})
                         : indices("taken", {2, 3}, {3, 1, 0, 4, 2, 2});
  return builder.Finish({builder.Apply("GATHER", {written, taken})});
}

constexpr ListedAxis<bool> kEachPositionAxis{"positions", "p", {{"each", true}, {"one", false}}};
std::vector<Axis> EmbeddedAxes(const Setting&) { return AxesWith(kEachPositionAxis.All()); }

// Rows of a table, to which their positions' rows are added; two batches.
CaseDraft BuildEmbedded(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name table = builder.Input("table", SmallNumbers(choice, "table", type, {2, 7, 4}, 15));
  const Name indices = builder.Input(
      "indices", IntegersBetween(choice.Stream("indices"), DType::kI32, {2, 5}, 0, 6));
  const Shape of_positions = choice[kEachPositionAxis] ? Shape{1, 5, 4} : Shape{1, 1, 4};
  const Name positions =
      builder.Constant("positions", SmallNumbers(choice, "positions", type, of_positions, 15));
  return builder.Finish(
      {builder.Apply("ADD", {builder.Apply("GATHER", {table, indices}), positions})});
}

// ---- Arithmetic that is not undone -------------------------------------------------------------

constexpr ParsedAxis<List> kBitsAxis{"bits", "b", ParseNumbers};
std::vector<Axis> ShiftedAxes(const Setting&) { return AxesWith(kBitsAxis.With({"1-1", "3-2"})); }

// Two shifts that each round are no shift by the sum.
CaseDraft BuildShifted(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  Name x = builder.Input("input", Filled(choice, "input", type, {5, 31}));
  int k = 0;
  for (const int64_t bits : choice[kBitsAxis]) {
    const Name shift =
        builder.Constant(StrCat("bits_", ++k), Tensor::OfIntegers(type, {1, 1}, {bits}));
    x = builder.Apply("ARITHMETIC_RIGHT_SHIFT", {x, shift}, {{"round", true}});
  }
  return builder.Finish({x});
}

constexpr ListedAxis<bool> kLeftFirstAxis{
    "order", "", {{"left-first", true}, {"right-first", false}}};
std::vector<Axis> CutOffAxes(const Setting&) { return AxesWith(kLeftFirstAxis.All()); }

// There and back: the bits that the first shift drops are gone.
CaseDraft BuildCutOff(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  Name x = builder.Input("input", Filled(choice, "input", type, {5, 31}));
  const Name bits = builder.Constant("bits", Tensor::OfIntegers(type, {1, 1}, {3}));
  const bool left = choice[kLeftFirstAxis];
  for (const bool second : {false, true}) {
    x = builder.Apply(left == second ? "LOGICAL_RIGHT_SHIFT" : "LOGICAL_LEFT_SHIFT", {x, bits});
  }
  return builder.Finish({x});
}

constexpr ListedAxis<bool> kRestAxis{"then", "", {{"product", false}, {"rest", true}}};
std::vector<Axis> QuotientAxes(const Setting&) { return AxesWith(kRestAxis.All()); }

// The product with the divisor is not the number that was divided, and what is left has its sign.
CaseDraft BuildQuotient(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI32, {5, 31}));
  const bool rest = choice[kRestAxis];
  const Name divisor =
      builder.Constant("divisor", Tensor::OfIntegers(DType::kI32, {1, 1}, {rest ? 7 : 2}));
  const Name product = builder.Apply("MUL", {builder.Apply("INTDIV", {x, divisor}), divisor});
  return builder.Finish({rest ? builder.Apply("SUB", {x, product}) : product});
}

constexpr ListedAxis<bool> kMulFirstAxis{"order", "", {{"mul-first", true}, {"add-first", false}}};
std::vector<Axis> AffineAxes(const Setting&) { return AxesWith(kMulFirstAxis.All()); }

// A factor and an offset for every channel, in either order. In floating point MUL has a bound of
// its own, and what follows no one value.
CaseDraft BuildAffine(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, {3, 5, 7}, 9));
  const Name factor =
      builder.Constant("factor", SmallNumbers(choice, "factor", type, {1, 1, 7}, 7));
  const Name offset =
      builder.Constant("offset", SmallNumbers(choice, "offset", type, {1, 1, 7}, 9));
  if (choice[kMulFirstAxis]) {
    return builder.Finish({builder.Apply("ADD", {builder.Apply("MUL", {x, factor}), offset})});
  }
  return builder.Finish({builder.Apply("MUL", {builder.Apply("ADD", {x, offset}), factor})});
}

std::vector<GraphDomain> Graphs() {
  using operand_rows::IsFloatOrI32Row, operand_rows::IsI32Row, operand_rows::IsI8OrFp32Row,
      operand_rows::IsI8RowOfIntegers;
  const auto i8_to_i8 = [](const Setting& setting) {
    return IsI8RowOfIntegers(setting) && setting.Type("out_t") == DType::kI8;
  };
  // Indices are i32, which RESHAPE has among the integers alone.
  const auto i8_or_fp32_and_i32 = [](const Setting& setting) {
    return IsI8OrFp32Row(setting) && HasIntegers(setting);
  };
  return {{"scales-transposed", "TRANSPOSE", IsI8RowOfIntegers, Plain(ScalesAxes, BuildScales)},
          {"transpose-reduce-max", "REDUCE_MAX", nullptr, AlongDomain},
          {"transpose-reduce-sum", "REDUCE_SUM", nullptr, AlongDomain},
          {"transpose-reduce-any", "REDUCE_ANY", nullptr, AlongDomain},
          {"transpose-argmax", "ARGMAX", nullptr, AlongDomain},
          {"transpose-add", "ADD", IsFloatOrI32Row, Plain(BroadcastAxes, BuildBroadcast)},
          {"transpose-concat", "CONCAT", IsI8OrFp32Row, Plain(ConcatAxes, BuildConcat)},
          {"pad-pad", "PAD", IsI8OrFp32Row, Plain(PadsAxes, BuildPads)},
          {"pad-rescale", "RESCALE", i8_to_i8, Plain(PadRescaleAxes, BuildPadRescale)},
          {"slice-and-move", "SLICE", IsI8OrFp32Row, Plain(SlicesAxes, BuildSlices)},
          {"concat-concat", "CONCAT", IsI8OrFp32Row, Plain(ConcatsAxes, BuildConcats)},
          {"tile-add", "ADD", IsFloatOrI32Row, Plain(TileAxes, BuildTile)},
          {"tile-reduce-sum", "REDUCE_SUM", IsI32Row, Plain(TileSumAxes, BuildTileSum)},
          {"argmax-gather", "ARGMAX", i8_or_fp32_and_i32, Plain(ChosenAxes, BuildChosen)},
          {"scatter-gather", "SCATTER", IsI8OrFp32Row, Plain(ScatteredAxes, BuildScattered)},
          {"gather-add", "ADD", IsFloatOrI32Row, Plain(EmbeddedAxes, BuildEmbedded)},
          {"shift-shift", "ARITHMETIC_RIGHT_SHIFT", nullptr, Plain(ShiftedAxes, BuildShifted)},
          {"shift-and-back", "LOGICAL_LEFT_SHIFT", nullptr, Plain(CutOffAxes, BuildCutOff)},
          {"intdiv-mul", "INTDIV", nullptr, Plain(QuotientAxes, BuildQuotient)},
          {"mul-and-add", "MUL", IsI32Row, Plain(AffineAxes, BuildAffine)}};
}

}  // namespace
}  // namespace moved

std::vector<GraphDomain> MovedGraphs() { return moved::Graphs(); }

}  // namespace cts
