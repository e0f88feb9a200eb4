// TABLE.
#include <algorithm>
#include <cmath>

#include "generator/ops/domain.h"
#include "reference/numeric/elementary.h"

namespace cts::table_domain {
namespace {

// The positions of data set "every-index": 4 in each of the 512 segments of an interpolated table,
// or all 256 entries of the other table.
std::string_view IndexShape(DType in_t) { return in_t == DType::kI16 ? "32x64" : "16x16"; }

enum class Entries { kRandom, kRamp, kTanh, kSigmoid, kExp, kRsqrt, kSteep, kLow };
constexpr ListedAxis<Entries> kTableAxis{"table",
                                         "t",
                                         {{"random", Entries::kRandom}, {"ramp", Entries::kRamp}},
                                         {{"tanh", Entries::kTanh},
                                          {"sigmoid", Entries::kSigmoid},
                                          {"exp", Entries::kExp},
                                          {"rsqrt", Entries::kRsqrt},
                                          {"steep", Entries::kSteep},
                                          {"low", Entries::kLow}}};

std::vector<Axis> Axes(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  Axis shape = UnaryShapes(setting, in_t);
  if (in_t == DType::kI16) shape.more.emplace_back(IndexShape(in_t));
  Axis data = kDataAxis.With({"full-range", "special"}, {"every-index"});
  for (const std::string& every : PatternData(in_t)) data.values.push_back(every);
  std::vector<Axis> axes = {std::move(shape), UnaryOperand(), kTableAxis.All()};
  AddParametersAxis(setting, {"table"}, axes);
  axes.push_back(std::move(data));
  return axes;
}

std::vector<Constraint> Constraints() {
  std::vector<Constraint> constraints = UnaryConstraints();
  constraints.push_back({{"data", "shape"},
                         "every index takes a shape of its own",
                         [](const Setting& setting, const Labels& labels) {
                           const std::string_view room = IndexShape(setting.Type("in_t"));
                           if (labels[kDataAxis] == DataSet::kEveryIndex)
                             return labels.Is(kShapeAxis, room);
                           return !labels.Is(kShapeAxis, "32x64");
                         }});
  return constraints;
}

// A general unary function of section General Unary Functions, as a compiler makes tables of it:
// for numbers from -8 to 8; its values from -1 to 1 fill the whole range of the type.
double Function(Entries entries, double x) {
  if (entries == Entries::kTanh) return Tanh(x);
  if (entries == Entries::kSigmoid) return 1 / (1 + Exp(-x));
  if (entries == Entries::kExp) return Exp(x - 8);
  return x <= 0 ? 1 : 1 / (4 * Sqrt(x));
}

// Entries whose neighbours differ as much as slopes may: in turn -2^15 and 2^15 - 1, from the
// greatest entry down. `low`: up by 2^15 - 1 from the least entry, and back.
int64_t Adversarial(bool low, DType type, int64_t i) {
  const int64_t min = IntegerMin(type), max = IntegerMax(type);
  if (type == DType::kI8) return i % 2 == low ? max - i / 4 : min + i / 4;
  if (low) return i % 2 == 0 ? min : -1;
  return i % 2 == 0 ? max - i / 2 : -1 - i / 2;
}

Tensor Table(const Choice& choice) {
  const Entries entries = choice[kTableAxis];
  const DType table_t = choice.Type("table_t");
  const bool interpolated = table_t == DType::kI16;
  const Shape shape = {interpolated ? 513 : 256};  // TABLE_SIZE
  if (entries == Entries::kRandom) {
    // The slope between neighbours must fit i16, so they lie within half of its range.
    return interpolated ? IntegersBetween(choice.Stream("table"), table_t, shape, -16384, 16383)
                        : FullRange(choice.Stream("table"), table_t, shape);
  }
  Tensor table(table_t, shape);
  const auto range = static_cast<double>(IntegerMax(table_t)) + 1;
  for (int64_t i = 0; i < table.size(); ++i) {
    if (entries == Entries::kRamp) {
      // Falling from one end of the type to the other.
      table.SetInteger(i, interpolated ? std::min<int64_t>(32767, 32768 - 128 * i) : 127 - i);
    } else if (entries == Entries::kSteep || entries == Entries::kLow) {
      table.SetInteger(i, Adversarial(entries == Entries::kLow, table_t, i));
    } else {
      const double x = static_cast<double>(interpolated ? i - 256 : i - 128) *
                       (8 / (interpolated ? 256.0 : 128.0));
      const double value = std::floor(range * Function(entries, x) + 0.5);
      table.SetInteger(i, static_cast<int64_t>(std::clamp(value, -range, range - 1)));
    }
  }
  return table;
}

// Both ends of every segment, what lies beside them, and the middle.
Tensor EveryIndex(DType in_t, const Shape& shape) {
  if (in_t == DType::kI8) return Exhaustive(in_t, shape);
  Tensor input(in_t, shape);
  const int64_t positions[] = {0, 1, 64, 127};
  for (int64_t i = 0; i < input.size(); ++i) {
    input.SetInteger(i, -32768 + 128 * (i / 4) + positions[i % 4]);
  }
  return input;
}

CaseDraft Build(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  const DType in_t = choice.Type("in_t");
  // Called `input` in 0.100.
  const std::string input = choice.setting.Takes("input1") ? "input1" : "input";
  CaseDraft draft;
  draft.Input(input,
              choice.data_set() == DataSet::kEveryIndex ? EveryIndex(in_t, shape)
                                                        : Filled(choice, input, in_t, shape),
              choice[kOperandAxis]);
  draft.Input("table", Table(choice));
  SetParameters(choice, {"table"}, draft);
  draft.output_type = choice.Type("out_t");
  draft.output_shape = shape;
  return draft;
}

}  // namespace

Domain TableDomain() {
  return {.axes = Axes,
          .constraints = Constraints(),
          .build = Build,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(Axes, Build)}};
}

}  // namespace cts::table_domain
