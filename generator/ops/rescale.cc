// RESCALE.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts::rescale_domain {
namespace {

bool MayBeUnsigned(DType type) { return type == DType::kI8 || type == DType::kI16; }

constexpr std::string_view kParameters[] = {"multiplier", "shift", "input_zp", "output_zp"};
std::vector<std::string_view> Parameters() {
  return {std::begin(kParameters), std::end(kParameters)};
}

enum class RoundingMode { kSingle, kDouble, kInexact };
constexpr ListedAxis<RoundingMode> kRoundingAxis{"rounding",
                                                 "",
                                                 {{"single", RoundingMode::kSingle},
                                                  {"double", RoundingMode::kDouble},
                                                  {"inexact", RoundingMode::kInexact}}};
enum class FactorKind {
  kTypical,
  kUnit,
  kQuarter,
  kSmall,
  kMixed,
  kMost,
  kLeast,
  kShift2,
  kShift62,
  kQuarter32,
  kOverquarter,
  kWhole
};
constexpr ListedAxis<FactorKind> kFactorAxis{"factor",
                                             "f",
                                             {{"typical", FactorKind::kTypical},
                                              {"unit", FactorKind::kUnit},
                                              {"quarter", FactorKind::kQuarter},
                                              {"small", FactorKind::kSmall}},
                                             {{"mixed", FactorKind::kMixed},
                                              {"most", FactorKind::kMost},
                                              {"least", FactorKind::kLeast},
                                              {"shift2", FactorKind::kShift2},
                                              {"shift62", FactorKind::kShift62},
                                              {"quarter32", FactorKind::kQuarter32},
                                              {"overquarter", FactorKind::kOverquarter},
                                              {"whole", FactorKind::kWhole}}};
bool IsQuarter(FactorKind factor) {
  return factor == FactorKind::kQuarter || factor == FactorKind::kQuarter32;
}
enum class UnsignedSide { kNone, kIn, kOut };
constexpr ListedAxis<UnsignedSide> kUnsignedAxis{
    "unsigned",
    "u",
    {{"none", UnsignedSide::kNone}, {"in", UnsignedSide::kIn}, {"out", UnsignedSide::kOut}}};
constexpr ListedAxis<bool> kScale32Axis{"scale", "", {{"scale16", false}, {"scale32", true}}};
constexpr ListedAxis<bool> kPerChannelAxis{
    "channels", "", {{"per-channel", true}, {"per-tensor", false}}};

// A zero point as a number, signed and unsigned.
struct ZeroPointKind {
  enum class Side { kBoth, kIn, kOut } side = Side::kBoth;  // that has it
  int64_t signed_value = 0, unsigned_value = 0;
  bool is_zero() const { return signed_value == 0; }
};
using Side = ZeroPointKind::Side;
constexpr ListedAxis<ZeroPointKind> kZeroPointAxis{
    "zero_point",
    "z",
    {{"0", {}}, {"lo", {Side::kBoth, -128, 1}}, {"hi", {Side::kBoth, 127, 255}}},
    {{"mid", {Side::kBoth, -3, 128}},
     {"inlo", {Side::kIn, -128, 1}},
     {"inhi", {Side::kIn, 127, 255}},
     {"outlo", {Side::kOut, -128, 1}},
     {"outhi", {Side::kOut, 127, 255}}}};

bool DoublesRounding(const Setting& setting) {
  return setting.Takes("rounding_mode") || setting.Takes("double_round");
}

std::vector<Axis> Axes(const Setting& setting) {
  const DType in_t = setting.Type("in_t"), out_t = setting.Type("out_t");
  std::vector<Axis> axes = {
      kShapeAxis.With({"7x13", "scalar", "64", "2x5x9", WithMaxRank(setting, "2x3x1x2x4x3")},
                      {"1x1x11", "31x1", "1x65539"}),
      UnaryOperand(), kScale32Axis.With({"scale16", "scale32"})};
  if (Info(in_t).bits == 8) axes[0].more.emplace_back("256");
  if (Info(in_t).bits == 16) axes[0].more.emplace_back("256x256");
  if (in_t == DType::kI48) axes.back().values.pop_back();
  axes.push_back(kRoundingAxis.With({"single"}));
  if (DoublesRounding(setting)) axes.back().values.push_back("double");
  if (setting.Takes("rounding_mode")) {
    axes.back().values.push_back("inexact");
    axes.back().needs = {{"double", "EXT-DOUBLEROUND"}, {"inexact", "EXT-INEXACTROUND"}};
  }
  axes.push_back(kPerChannelAxis.With({"per-channel", "per-tensor"}));
  axes.push_back(kUnsignedAxis.With({"none"}));
  if (MayBeUnsigned(in_t) && out_t != DType::kI32) axes.back().values.push_back("in");
  if (MayBeUnsigned(in_t) && MayBeUnsigned(out_t)) axes.back().values.push_back("out");
  axes.push_back(kZeroPointAxis.With({"0"}));
  if (MayBeUnsigned(in_t) || MayBeUnsigned(out_t)) {
    axes.back().values.insert(axes.back().values.end(), {"lo", "hi"});
    axes.back().more = {"mid", "inlo", "inhi", "outlo", "outhi"};
  }
  axes.push_back(kFactorAxis.With({"typical", "unit", "quarter", "small"},
                                  {"mixed", "most", "least", "shift2", "shift62"}));
  if (in_t != DType::kI48) {
    axes.back().more.emplace_back("quarter32");
    // Cases that show a multiplier of too few bits in so narrow a result would round twice.
    const bool narrow = in_t == DType::kI8 && out_t == DType::kI8;
    const bool rounds_once = setting.Takes("rounding_mode") && !setting.Has("EXT-DOUBLEROUND");
    if (!DoublesRounding(setting) || (narrow && rounds_once)) {
      axes.back().more.emplace_back("overquarter");
    }
  }
  if (!MayBeUnsigned(in_t) && out_t == DType::kI32) axes.back().more.emplace_back("whole");
  AddParametersAxis(setting, Parameters(), axes);
  axes.push_back(kDataAxis.With({"full-range", "special"}, {"limits"}));
  for (const std::string& every : PatternData(in_t)) axes.back().values.push_back(every);
  return axes;
}

// Whether an operand can have a zero point other than 0.
bool TakesZeroPoint(DType type, bool is_unsigned) {
  return type == DType::kI8 || (type == DType::kI16 && is_unsigned);
}

std::vector<Constraint> Constraints() {
  return {
      Excluded({{"rounding", "double"}, {"scale", "scale16"}}, "rescale.double_round_scale16"),
      {{"unsigned", "factor"},
       "nearly every number of 16 bits leaves 8 bits",
       [](const Setting& setting, const Labels& labels) {
         return setting.Type("in_t") != DType::kI16 || setting.Type("out_t") != DType::kI8 ||
                labels[kUnsignedAxis] != UnsignedSide::kIn ||
                (labels[kFactorAxis] != FactorKind::kUnit && !IsQuarter(labels[kFactorAxis]) &&
                 labels[kFactorAxis] != FactorKind::kOverquarter);
       }},
      {{"scale", "rounding", "factor"},
       "a quarter of all numbers tell whether apply_scale_32 rounds once",
       [](const Setting&, const Labels& labels) {
         return (labels[kFactorAxis] != FactorKind::kQuarter32 &&
                 labels[kFactorAxis] != FactorKind::kOverquarter) ||
                (labels[kScale32Axis] && labels[kRoundingAxis] == RoundingMode::kSingle);
       }},
      OnlyWith({"factor", "whole"}, {{"scale", "scale16"}, {"rounding", "single"}},
               "apply_scale_32.value_range keeps results from the ends of i32"),
      {{"rounding", "factor"},
       "double rounding differs only for shifts above 31",
       [](const Setting&, const Labels& labels) {
         const FactorKind factor = labels[kFactorAxis];
         return labels[kRoundingAxis] != RoundingMode::kDouble || factor == FactorKind::kQuarter ||
                factor == FactorKind::kSmall || factor == FactorKind::kMixed ||
                factor == FactorKind::kShift62;
       }},
      {{"rounding", "factor"},
       "inexact rounding accepts both of two results",
       [](const Setting&, const Labels& labels) {
         return labels[kRoundingAxis] != RoundingMode::kInexact ||
                (labels[kFactorAxis] != FactorKind::kShift62 &&
                 labels[kFactorAxis] != FactorKind::kLeast);
       }},
      Excluded({{"rounding", "inexact"}, {"data", "limits"}},
               "inexact rounding accepts both results of a tie"),
      {{"shape", "factor"},
       "one element saturates or vanishes",
       [](const Setting&, const Labels& labels) {
         const FactorKind factor = labels[kFactorAxis];
         return labels[kShapeAxis] != Shape() || factor == FactorKind::kTypical ||
                factor == FactorKind::kSmall || factor == FactorKind::kMost;
       }},
      Excluded({{"unsigned", "in"}, {"zero_point", "0"}, {"factor", "shift2"}},
               "apply_scale_32.value_range leaves no number that only an unsigned type has"),
      Excluded({{"unsigned", "in"}, {"zero_point", "0"}, {"shape", "scalar"}},
               "one element need not be a number that only an unsigned type has"),
      {{"unsigned", "zero_point"},
       "results on one side of zero all saturate at the other end",
       [](const Setting&, const Labels& labels) {
         const ZeroPointKind zp = labels[kZeroPointAxis];
         if (zp.signed_value != 127) return true;
         return !(labels[kUnsignedAxis] == UnsignedSide::kIn && zp.side == Side::kOut) &&
                !(labels[kUnsignedAxis] == UnsignedSide::kOut && zp.side == Side::kIn);
       }},
      OnlyWith({"factor", "least"}, {{"scale", "scale16"}},
               "apply_scale_32.value_range leaves no result of a multiplier of 1 but 0"),
      {{"scale", "factor"},
       "products that a shift by 62 leaves something of take 31 bits of each, or 48 and 15",
       [](const Setting& setting, const Labels& labels) {
         const DType in_t = setting.Type("in_t");
         return labels[kFactorAxis] != FactorKind::kShift62 || in_t == DType::kI48 ||
                (in_t == DType::kI32 && labels[kScale32Axis]);
       }},
      {{"shape", "channels", "factor"},
       "shifts that differ take several channels",
       [](const Setting&, const Labels& labels) {
         return labels[kFactorAxis] != FactorKind::kMixed ||
                (labels[kPerChannelAxis] && !labels[kShapeAxis].empty() &&
                 labels[kShapeAxis].back() >= 9);
       }},
      ShapeOfEveryPattern(),
      {{"data", "channels"},
       "every bit pattern takes one factor",
       [](const Setting&, const Labels& labels) {
         return !IsExhaustive(labels[kDataAxis]) || !labels[kPerChannelAxis];
       }},
      {{"data", "factor"},
       "apply_scale_32.value_range leaves few inputs of a small shift",
       [](const Setting&, const Labels& labels) {
         return !IsExhaustive(labels[kDataAxis]) || labels[kFactorAxis] != FactorKind::kShift2;
       }},
      OnlyWith({"shape", "1x65539"}, {{"data", "full-range"}},
               "large shapes carry full-range data only"),
      OnlyWith({"shape", "1x65539"}, {{"channels", "per-tensor"}}, "large shapes occur once only"),
      OnlyWith({"shape", "1x65539"}, {{"operand", "run"}}, "large shapes occur once only"),
      Excluded({{"rounding", "double"}, {"shape", "scalar"}},
               "double rounding differs for some elements only"),
      Excluded({{"channels", "per-channel"}, {"shape", "scalar"}}, "rescale.per_channel_rank"),
      {{"data", "shape"},
       "data set special has 11 values",
       [](const Setting&, const Labels& labels) {
         return (labels[kDataAxis] != DataSet::kSpecial && labels[kDataAxis] != DataSet::kLimits) ||
                labels[kShapeAxis] != Shape();
       }},
      {{"unsigned", "zero_point"},
       "rescale.input_zp or rescale.output_zp",
       [](const Setting& setting, const Labels& labels) {
         const ZeroPointKind zp = labels[kZeroPointAxis];
         const bool in =
             TakesZeroPoint(setting.Type("in_t"), labels[kUnsignedAxis] == UnsignedSide::kIn);
         const bool out =
             TakesZeroPoint(setting.Type("out_t"), labels[kUnsignedAxis] == UnsignedSide::kOut);
         if (zp.side == Side::kIn) return in;
         if (zp.side == Side::kOut) return out;
         return zp.is_zero() || in || out;
       }}};
}

// The zero point as a number, signed or unsigned as its operand.
int64_t ZeroPoint(const ZeroPointKind& kind, Side side, DType type, bool is_unsigned) {
  if (kind.is_zero() || !TakesZeroPoint(type, is_unsigned)) return 0;
  if (kind.side != Side::kBoth && kind.side != side) return 0;
  if (type == DType::kI16) return 32768;  // the only one beside 0
  return is_unsigned ? kind.unsigned_value : kind.signed_value;
}

// The bits of a zero point, read as a signed number: how tensors and attributes hold it.
int64_t Signless(int64_t value, DType type) {
  return value > IntegerMax(type) ? value - (int64_t{1} << Info(type).bits) : value;
}

struct Factor {
  int64_t multiplier, shift;
};

// Shifts of all sizes for the channels of one tensor: both ends of what is allowed, about the size
// of the multiplier, and where double rounding begins.
constexpr int64_t kShifts[] = {30, 2, 31, 62, 32, 15, 33, 3, 47, 14, 7, 40, 61};

// About multiplier / 2^shift. A normalized multiplier lies in [2^30, 2^31), of scale16 in
// [2^14, 2^15).
Factor FactorOf(const Choice& choice, Random& random, bool scale32, int64_t channel) {
  const FactorKind name = choice[kFactorAxis];
  const int64_t unit = scale32 ? 30 : 14;
  const int64_t normalized = int64_t{1} << unit;
  if (name == FactorKind::kUnit) return {normalized, unit};
  // Half of the values that are not divisible lie between two results, and double rounding differs.
  if (IsQuarter(name)) return {normalized, unit + 2};
  // No tie, but a tie for an implementation that keeps fewer bits. Where there is double rounding,
  // that shows it.
  if (name == FactorKind::kOverquarter) return {normalized + 1, unit + 2};
  if (name == FactorKind::kWhole) return {4, 2};
  const int in_bits = Info(choice.Type("in_t")).bits, out_bits = Info(choice.Type("out_t")).bits;
  if (name == FactorKind::kLeast) return {1, std::max(2, in_bits - out_bits)};
  const int64_t most = 2 * normalized - 1;
  if (name == FactorKind::kShift62) return {most, 62};
  if (name == FactorKind::kShift2 || name == FactorKind::kMixed) {
    const int64_t shift = name == FactorKind::kShift2 ? 2 : kShifts[channel % std::ssize(kShifts)];
    // A multiplier so large that the greatest allowed value becomes twice the greatest result.
    const int64_t value_bits = std::min<int64_t>(in_bits, scale32 ? shift : 48);
    const int64_t bits = std::clamp<int64_t>(out_bits - value_bits + shift + 1, 1, unit + 1);
    return {random.Between(int64_t{1} << (bits - 1), (int64_t{1} << bits) - 1), shift};
  }
  choice[kFactorAxis.name].MustBe({"typical", "small", "most"});
  // Up to 2^12, as section Scaling has it. "small" leaves a result of some 4 bits, so that rounding
  // decides almost everything.
  const int64_t exponent = name == FactorKind::kSmall
                               ? 4 - in_bits
                               : std::min<int64_t>(out_bits - in_bits + random.Between(0, 1), 12);
  return {name == FactorKind::kMost ? most : random.Between(normalized, most), unit - exponent};
}

// Input values (as numbers, zero point included) for which the result is defined.
std::pair<int64_t, int64_t> DefinedRange(const Factor& factor, bool scale32, DType in_t,
                                         bool is_unsigned, int64_t zero_point) {
  int64_t low = is_unsigned ? 0 : IntegerMin(in_t);
  int64_t high = is_unsigned ? (int64_t{1} << Info(in_t).bits) - 1 : IntegerMax(in_t);
  // The scaled value and an output zero point of at most 2^15 must fit i32; 2^17 of margin.
  const double limit = std::ldexp(0x1p31 - 0x1p17, static_cast<int>(factor.shift)) /
                       static_cast<double>(factor.multiplier);
  int64_t most = limit > 0x1p60 ? int64_t{1} << 60 : static_cast<int64_t>(limit);
  // apply_scale_32 wants the value in [-2^(shift-1), 2^(shift-1)).
  if (scale32) most = std::min(most, (int64_t{1} << (factor.shift - 1)) - 1);
  low = std::max(low, zero_point - most);
  high = std::min(high, zero_point + most);
  return {low, high};
}

// An operand as numbers: from `low` to `high`, and its zero point.
struct Range {
  int64_t low, high, zero_point;
};

// Inputs whose scaled value lies at a tie between two results, or beside it: near zero, at both
// ends of the output, where it saturates, and in between.
std::vector<int64_t> Limits(const Factor& factor, const Range& in, const Range& out) {
  std::vector<int64_t> values;
  const int64_t first = out.low - out.zero_point, last = out.high - out.zero_point;
  for (int64_t result : {first - 1, last, int64_t{0}, int64_t{-1}, first, last - 1, int64_t{1},
                         int64_t{-2}, last / 2, first / 2}) {
    // Rounding ends at (result + 1 / 2) * 2^shift / multiplier.
    const long double tie =
        std::ldexp(static_cast<long double>(2 * result + 1), static_cast<int>(factor.shift - 1)) /
        static_cast<long double>(factor.multiplier);
    if (std::fabs(tie) > 0x1p50L) continue;
    for (int64_t offset : {0, 1, -1, 2}) {
      const int64_t value = static_cast<int64_t>(std::floor(tie)) + offset + in.zero_point;
      if (value >= in.low && value <= in.high) values.push_back(value);
    }
  }
  if (values.empty()) values = {in.low, in.high};
  return values;
}

Range RangeOf(DType type, bool is_unsigned, int64_t zero_point) {
  if (!is_unsigned) return {IntegerMin(type), IntegerMax(type), zero_point};
  return {0, (int64_t{1} << Info(type).bits) - 1, zero_point};
}

// Element `i` of the input by the data set.
int64_t InputValue(const Choice& choice, Random& random, int64_t i, int64_t channels,
                   const Range& in, const std::vector<int64_t>& limits) {
  const DataSet data = choice.data_set();
  const int64_t position = i / channels + i % channels, zp = in.zero_point;
  if (data == DataSet::kLimits) return limits[static_cast<size_t>(position) % limits.size()];
  if (IsExhaustive(data)) {
    const DType in_t = choice.Type("in_t");
    const int64_t bits = i % PatternCount(in_t);
    const bool is_unsigned = choice[kUnsignedAxis] == UnsignedSide::kIn;
    return std::clamp(is_unsigned ? bits : Signless(bits, in_t), in.low, in.high);
  }
  if (data != DataSet::kSpecial) return random.Between(in.low, in.high);
  const int64_t specials[] = {in.low, in.high, zp,     zp + 1,     zp - 1,     zp + 2,
                              zp - 2, zp + 6,  zp - 6, in.low + 1, in.high - 1};
  return std::clamp(specials[position % 11], in.low, in.high);
}

CaseDraft Build(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const bool scale32 = choice[kScale32Axis];
  const bool input_unsigned = choice[kUnsignedAxis] == UnsignedSide::kIn;
  const bool output_unsigned = choice[kUnsignedAxis] == UnsignedSide::kOut;
  const bool per_channel = choice[kPerChannelAxis];
  // Both at the same end: at opposite ends the result of a scale near 1 leaves the output's range.
  const int64_t input_zp = ZeroPoint(choice[kZeroPointAxis], Side::kIn, in_t, input_unsigned);
  const int64_t output_zp = ZeroPoint(choice[kZeroPointAxis], Side::kOut, out_t, output_unsigned);

  const int64_t channels = per_channel ? shape.back() : 1;
  Tensor multiplier(scale32 ? DType::kI32 : DType::kI16, {channels});
  Tensor shift(DType::kI8, {channels});
  std::vector<Range> ranges;
  std::vector<std::vector<int64_t>> limits;
  Random factors = choice.Stream("multiplier");
  for (int64_t c = 0; c < channels; ++c) {
    const Factor factor = FactorOf(choice, factors, scale32, c);
    multiplier.SetInteger(c, factor.multiplier);
    shift.SetInteger(c, factor.shift);
    auto [low, high] = DefinedRange(factor, scale32, in_t, input_unsigned, input_zp);
    // No zero points: the results are the inputs.
    if (choice[kFactorAxis] == FactorKind::kWhole) low = INT32_MIN, high = INT32_MAX;
    ranges.push_back({low, high, input_zp});
    limits.push_back(Limits(factor, ranges.back(), RangeOf(out_t, output_unsigned, output_zp)));
  }
  Tensor input(in_t, shape);
  Random random = choice.Stream("input");
  for (int64_t i = 0; i < input.size(); ++i) {
    const auto c = static_cast<size_t>(i % channels);
    input.SetInteger(i, InputValue(choice, random, i, channels, ranges[c], limits[c]));
  }

  CaseDraft draft;
  draft.Input("input", std::move(input), choice[kOperandAxis]);
  draft.Input("multiplier", std::move(multiplier), true);
  draft.Input("shift", std::move(shift), true);
  draft.Set("input_zp", Signless(input_zp, in_t));
  draft.Set("output_zp", Signless(output_zp, out_t));
  draft.Set("scale32", scale32);
  const RoundingMode rounding = choice[kRoundingAxis];
  if (choice.setting.Takes("rounding_mode")) {
    constexpr const char* kNames[] = {"SINGLE_ROUND", "DOUBLE_ROUND", "INEXACT_ROUND"};
    draft.Set("rounding_mode", kNames[static_cast<size_t>(rounding)]);
  } else if (choice.setting.Takes("double_round")) {
    draft.Set("double_round", rounding == RoundingMode::kDouble);
  }
  draft.Set("per_channel", per_channel);
  draft.Set("input_unsigned", input_unsigned);
  draft.Set("output_unsigned", output_unsigned);
  SetParameters(choice, Parameters(), draft);
  draft.output_type = out_t;
  draft.output_shape = shape;
  return draft;
}

// One multiplier and shift for all, at the ties between results and beside them, with double
// rounding, which must not show for shifts up to 31.
RelationCase DoublyRounded(std::string what, Factor factor) {
  const auto change = [=](const Setting& setting, CaseDraft& draft) {
    Random random = draft.built_from->Stream("ties");
    draft = BuildAt(draft, Axes, Build,
                    {{"shape", "9x21"},
                     {"scale", "scale32"},
                     {"rounding", "double"},
                     {"channels", "per-tensor"}});
    const DType in_t = setting.Type("in_t"), out_t = setting.Type("out_t");
    const auto [low, high] = DefinedRange(factor, true, in_t, false, 0);
    const std::vector<int64_t> limits = Limits(factor, {low, high, 0}, RangeOf(out_t, false, 0));
    Tensor& input = draft.tensor("input");
    for (int64_t i = 0; i < input.size(); ++i) {
      input.SetInteger(i, i % 2 == 0 ? limits[static_cast<size_t>(i / 2) % limits.size()]
                                     : random.Between(low, high));
    }
    draft.tensor("multiplier").SetInteger(0, factor.multiplier);
    draft.tensor("shift").SetInteger(0, factor.shift);
  };
  return {.what = std::move(what),
          .applies = nullptr,
          .change = change,
          .data_set = [](const Setting&) -> std::string_view { return "limits"; },
          .labels = {{"scale", "scale32"}, {"rounding", "double"}},
          .more = true};
}

// Nineteen channels are no multiple of a vector.
RelationCase Channels19(const std::string& scale, const std::string& rounding) {
  return RelationAt(StrCat("channels_19_", scale, rounding == "double" ? "_double" : ""), Axes,
                    Build,
                    {{"shape", "2x3x2x19"},
                     {"scale", scale},
                     {"rounding", rounding},
                     {"channels", "per-channel"}},
                    nullptr, {{"scale", scale}, {"rounding", rounding}});
}

std::vector<RelationCase> LayerRelations() {
  return {Rank6(Axes, Build),
          Channels19("scale16", "single"),
          Channels19("scale32", "single"),
          Channels19("scale32", "double"),
          DoublyRounded("double_shift_30", {0x60000001, 30}),
          DoublyRounded("double_shift_31", {0x60000001, 31}),
          DoublyRounded("double_shift_32", {0x60000001, 32})};
}

template <DType kIn>
bool From(const Setting& setting) {
  return setting.Type("in_t") == kIn && MayBeUnsigned(setting.Type("out_t"));
}

template <DType kIn, DType kOut>
bool FromTo(const Setting& setting) {
  return setting.Type("in_t") == kIn && setting.Type("out_t") == kOut;
}

void SetFactors(CaseDraft& draft, int64_t count, bool per_channel) {
  Reshape(draft.tensor("multiplier"), {count});
  Reshape(draft.tensor("shift"), {count});
  draft.Set("per_channel", per_channel);
}

// In RVTensor's edition they are attributes.
bool FactorsAreOperands(const Setting& setting) {
  const ArgumentSpec* const multiplier = setting.spec->FindArgument("multiplier");
  return multiplier != nullptr && multiplier->category == ArgumentCategory::kInput;
}

// Numbers that fit every shift, as unsigned ones, too: those that do not break a requirement.
void SetSmallInput(CaseDraft& draft) {
  Tensor& input = draft.tensor("input");
  for (int64_t i = 0; i < input.size(); ++i) input.SetInteger(i, i % 100);
}

void InputUnsigned(const Setting&, CaseDraft& draft) { draft.Set("input_unsigned", true); }
void SmallInputUnsigned(const Setting& setting, CaseDraft& draft) {
  SetSmallInput(draft);
  InputUnsigned(setting, draft);
}
void OutputUnsigned(const Setting&, CaseDraft& draft) { draft.Set("output_unsigned", true); }

}  // namespace

Domain RescaleDomain() {
  // The call that every breaker starts from.
  const Labels plain = {{"shape", "7x13"},          {"scale", "scale16"}, {"rounding", "single"},
                        {"channels", "per-tensor"}, {"unsigned", "none"}, {"zero_point", "0"},
                        {"factor", "unit"}};
  Labels unsigned_input = plain, unsigned_output = plain, scalar = plain;
  // Beside the other zero point of an unsigned i16, 32768.
  Labels high_input = plain, high_output = plain;
  high_input.Set("unsigned", "in");
  high_input.Set("zero_point", "hi");
  high_input.Set("factor", "typical");  // 1 would make all results saturate
  high_output.Set("unsigned", "out");
  high_output.Set("zero_point", "hi");
  unsigned_input.Set("unsigned", "in");
  unsigned_input.Set("factor", "typical");  // likewise
  unsigned_output.Set("unsigned", "out");
  scalar.Set("shape", "scalar");
  scalar.Set("factor", "typical");
  return {
      .axes = Axes,
      .constraints = Constraints(),
      .build = Build,
      .breakers =
          {{"rescale.input_zp", plain,
            [](const Setting& s) { return s.Type("in_t") != DType::kI8; },
            [](const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{1}); }},
           {"rescale.output_zp", plain,
            [](const Setting& s) { return s.Type("out_t") != DType::kI8; },
            [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{-1}); }},
           {"rescale.input_zp_uint16", unsigned_input, From<DType::kI16>,
            [](const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{1}); }},
           {"rescale.output_zp_uint16", unsigned_output, FromTo<DType::kI8, DType::kI16>,
            [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{32767}); }},
           {"rescale.input_zp_uint16", high_input, FromTo<DType::kI16, DType::kI8>,
            [](const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{32767}); }},
           {"rescale.input_zp_uint16", high_input, FromTo<DType::kI16, DType::kI8>,
            [](const Setting&, CaseDraft& d) { d.Set("input_zp", int64_t{-32767}); }},
           {"rescale.output_zp_uint16", high_output, FromTo<DType::kI8, DType::kI16>,
            [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{-32767}); }},
           {"rescale.scale32_i48", plain, From<DType::kI48>,
            [](const Setting&, CaseDraft& d) {
              d.Set("scale32", true);
              d.tensor("multiplier") = Tensor::OfIntegers(DType::kI32, {1}, {1 << 30});
              SetSmallInput(d);
            }},
           {"rescale.double_round_scale16", plain, nullptr,
            [](const Setting& s, CaseDraft& d) {
              if (s.Takes("rounding_mode")) {
                d.Set("rounding_mode", "DOUBLE_ROUND");
              } else {
                d.Set("double_round", true);
              }
            }},
           {"rescale.both_unsigned", unsigned_input, From<DType::kI8>, OutputUnsigned},
           {"rescale.both_unsigned", unsigned_output, From<DType::kI16>, InputUnsigned},
           {"rescale.unsigned_input_to_i32", plain, FromTo<DType::kI8, DType::kI32>, InputUnsigned},
           {"rescale.i32_to_unsigned_output", plain, From<DType::kI32>, OutputUnsigned},
           {"rescale.i48_to_unsigned_output", plain, From<DType::kI48>, OutputUnsigned},
           {"rescale.unsigned_i48_input", plain, From<DType::kI48>, SmallInputUnsigned},
           {"rescale.unsigned_i32_input", plain, From<DType::kI32>, SmallInputUnsigned},
           {"rescale.unsigned_i32_output", plain, FromTo<DType::kI8, DType::kI32>, OutputUnsigned},
           {"rescale.per_channel_rank", scalar, nullptr,
            [](const Setting&, CaseDraft& d) { d.Set("per_channel", true); }},
           // One multiplier and shift too few or too many; and 13 where there is one for all.
           More({"graph.shape", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) { SetFactors(d, 13, false); }}),
           More({"graph.shape", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) { SetFactors(d, 1, true); }}),
           More({"graph.shape", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) { SetFactors(d, 14, true); }}),
           More({"graph.shape", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) { SetFactors(d, 12, true); }}),
           // The multiplier has the width that the other value of scale32 wants.
           More({"graph.type_row", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) {
                   d.tensor("multiplier") = Tensor::OfIntegers(DType::kI32, {1}, {1 << 30});
                 }}),
           More({"graph.type_row", plain, FactorsAreOperands,
                 [](const Setting&, CaseDraft& d) { d.Set("scale32", true); }})},
      .limits = {MaxRankLimit()},
      .relations = LayerRelations()};
}

}  // namespace cts::rescale_domain
