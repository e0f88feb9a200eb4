// RESCALE.
#include <algorithm>
#include <cmath>

#include "generator/ops/domain.h"

namespace cts {
namespace {

bool MayBeUnsigned(DType type) { return type == DType::kI8 || type == DType::kI16; }

std::vector<Axis> Axes(const Setting& setting) {
  const DType in_t = setting.Type("in_t"), out_t = setting.Type("out_t");
  std::vector<Axis> axes = {
      {"shape", "", {"7x13", "scalar", "64", "2x5x9", WithMaxRank(setting, "2x3x1x2x4x3")}},
      {"scale", "", {"scale16", "scale32"}}};
  if (in_t == DType::kI48) axes.back().values.pop_back();
  axes.push_back({"rounding", "", {"single", "double"}});
  if (setting.Takes("rounding_mode")) {
    axes.back().values.push_back("inexact");
    axes.back().needs = {{"double", "EXT-DOUBLEROUND"}, {"inexact", "EXT-INEXACTROUND"}};
  }
  axes.push_back({"channels", "", {"per-channel", "per-tensor"}});
  axes.push_back({"unsigned", "u", {"none"}});
  if (MayBeUnsigned(in_t) && out_t != DType::kI32) axes.back().values.push_back("in");
  if (MayBeUnsigned(in_t) && MayBeUnsigned(out_t)) axes.back().values.push_back("out");
  axes.push_back({"zero_point", "z", {"0"}});
  if (MayBeUnsigned(in_t) || MayBeUnsigned(out_t)) {
    axes.back().values.insert(axes.back().values.end(), {"lo", "hi"});
  }
  axes.push_back({"factor", "f", {"typical", "unit", "quarter", "small"}});
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

// Whether an operand can have a zero point other than 0.
bool TakesZeroPoint(DType type, bool is_unsigned) {
  return type == DType::kI8 || (type == DType::kI16 && is_unsigned);
}

std::vector<Constraint> Constraints() {
  return {{{"rounding", "scale"},
           "rescale.double_round_scale16",
           [](const Setting&, const Labels& labels) {
             return labels["rounding"] != "double" || labels["scale"] != "scale16";
           }},
          {{"rounding", "factor"},
           "double rounding differs only for shifts above 31",
           [](const Setting&, const Labels& labels) {
             return labels["rounding"] != "double" ||
                    (labels["factor"] != "unit" && labels["factor"] != "typical");
           }},
          {{"rounding", "shape"},
           "double rounding differs for some elements only",
           [](const Setting&, const Labels& labels) {
             return labels["rounding"] != "double" || labels["shape"] != "scalar";
           }},
          {{"channels", "shape"},
           "rescale.per_channel_rank",
           [](const Setting&, const Labels& labels) {
             return labels["channels"] != "per-channel" || labels["shape"] != "scalar";
           }},
          {{"data", "shape"},
           "data set special has 11 values",
           [](const Setting&, const Labels& labels) {
             return labels["data"] != "special" || labels["shape"] != "scalar";
           }},
          {{"unsigned", "zero_point"},
           "rescale.input_zp or rescale.output_zp",
           [](const Setting& setting, const Labels& labels) {
             return labels["zero_point"] == "0" ||
                    TakesZeroPoint(setting.Type("in_t"), labels["unsigned"] == "in") ||
                    TakesZeroPoint(setting.Type("out_t"), labels["unsigned"] == "out");
           }}};
}

// The zero point as a number, signed or unsigned as its operand.
int64_t ZeroPoint(const std::string& label, DType type, bool is_unsigned) {
  if (label == "0" || !TakesZeroPoint(type, is_unsigned)) return 0;
  if (type == DType::kI16) return 32768;  // the only one beside 0
  if (is_unsigned) return label == "lo" ? 1 : 255;
  return label == "lo" ? -128 : 127;
}

// The bits of a zero point, read as a signed number: how tensors and attributes hold it.
int64_t Signless(int64_t value, DType type) {
  return value > IntegerMax(type) ? value - (int64_t{1} << Info(type).bits) : value;
}

struct Factor {
  int64_t multiplier, shift;
};

// About multiplier / 2^shift. A normalized multiplier lies in [2^30, 2^31), of scale16 in
// [2^14, 2^15).
Factor FactorOf(const Choice& choice, Random& random, bool scale32) {
  const int64_t unit = scale32 ? 30 : 14;
  const int64_t normalized = int64_t{1} << unit;
  if (choice["factor"] == "unit") return {normalized, unit};
  // Half of the values that are not divisible lie between two results, and double rounding differs.
  if (choice["factor"] == "quarter") return {normalized, unit + 2};
  const int in_bits = Info(choice.Type("in_t")).bits, out_bits = Info(choice.Type("out_t")).bits;
  // Up to 2^12 as section Scaling has it. "small" leaves a result of some 4 bits: all rounding.
  const int64_t exponent = choice["factor"] == "small"
                               ? 4 - in_bits
                               : std::min<int64_t>(out_bits - in_bits + random.Between(0, 1), 12);
  return {random.Between(normalized, 2 * normalized - 1), unit - exponent};
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

Draft Build(const Choice& choice) {
  const Shape shape = ParseShape(choice["shape"]);
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const bool scale32 = choice["scale"] == "scale32";
  const bool input_unsigned = choice["unsigned"] == "in";
  const bool output_unsigned = choice["unsigned"] == "out";
  const bool per_channel = choice["channels"] == "per-channel";
  const int64_t input_zp = ZeroPoint(choice["zero_point"], in_t, input_unsigned);
  // Both at the same end: at opposite ends the result of a scale near 1 leaves the output's range.
  const int64_t output_zp = ZeroPoint(choice["zero_point"], out_t, output_unsigned);

  const int64_t channels = per_channel ? shape.back() : 1;
  Tensor multiplier(scale32 ? DType::kI32 : DType::kI16, {channels});
  Tensor shift(DType::kI8, {channels});
  std::vector<std::pair<int64_t, int64_t>> ranges;
  Random factors = choice.Stream("multiplier");
  for (int64_t c = 0; c < channels; ++c) {
    const Factor factor = FactorOf(choice, factors, scale32);
    multiplier.SetInteger(c, factor.multiplier);
    shift.SetInteger(c, factor.shift);
    ranges.push_back(DefinedRange(factor, scale32, in_t, input_unsigned, input_zp));
  }
  Tensor input(in_t, shape);
  Random random = choice.Stream("input");
  for (int64_t i = 0; i < input.size(); ++i) {
    const auto [low, high] = ranges[i % channels];
    int64_t value = random.Between(low, high);
    if (choice.data_set() == "special") {
      const int64_t specials[] = {low,          high,         input_zp,     input_zp + 1,
                                  input_zp - 1, input_zp + 2, input_zp - 2, input_zp + 6,
                                  input_zp - 6, low + 1,      high - 1};
      value = std::clamp(specials[(i / channels + i % channels) % 11], low, high);
    }
    input.SetInteger(i, value);
  }

  Draft draft;
  draft.Input("input", std::move(input));
  draft.Input("multiplier", std::move(multiplier), true);
  draft.Input("shift", std::move(shift), true);
  draft.Set("input_zp", Signless(input_zp, in_t));
  draft.Set("output_zp", Signless(output_zp, out_t));
  draft.Set("scale32", scale32);
  const std::string& rounding = choice["rounding"];
  if (choice.setting.Takes("rounding_mode")) {
    draft.Set("rounding_mode", rounding == "single"   ? "SINGLE_ROUND"
                               : rounding == "double" ? "DOUBLE_ROUND"
                                                      : "INEXACT_ROUND");
  } else {
    draft.Set("double_round", rounding == "double");
  }
  draft.Set("per_channel", per_channel);
  draft.Set("input_unsigned", input_unsigned);
  draft.Set("output_unsigned", output_unsigned);
  draft.output_type = out_t;
  draft.output_shape = shape;
  return draft;
}

template <DType kIn>
bool From(const Setting& setting) {
  return setting.Type("in_t") == kIn && MayBeUnsigned(setting.Type("out_t"));
}

template <DType kIn, DType kOut>
bool FromTo(const Setting& setting) {
  return setting.Type("in_t") == kIn && setting.Type("out_t") == kOut;
}

void InputUnsigned(const Setting&, Draft& draft) { draft.Set("input_unsigned", true); }
void OutputUnsigned(const Setting&, Draft& draft) { draft.Set("output_unsigned", true); }

}  // namespace

Domain RescaleDomain() {
  // What every breaker starts from.
  const Labels plain = {{"shape", "7x13"},          {"scale", "scale16"}, {"rounding", "single"},
                        {"channels", "per-tensor"}, {"unsigned", "none"}, {"zero_point", "0"},
                        {"factor", "unit"}};
  Labels unsigned_input = plain, unsigned_output = plain, scalar = plain;
  unsigned_input.Set("unsigned", "in");
  unsigned_output.Set("unsigned", "out");
  scalar.Set("shape", "scalar");
  return {
      Axes,
      Constraints(),
      Build,
      {{"rescale.input_zp", plain, [](const Setting& s) { return s.Type("in_t") != DType::kI8; },
        [](const Setting&, Draft& d) { d.Set("input_zp", int64_t{1}); }},
       {"rescale.output_zp", plain, [](const Setting& s) { return s.Type("out_t") != DType::kI8; },
        [](const Setting&, Draft& d) { d.Set("output_zp", int64_t{-1}); }},
       {"rescale.input_zp_uint16", unsigned_input, From<DType::kI16>,
        [](const Setting&, Draft& d) { d.Set("input_zp", int64_t{1}); }},
       {"rescale.output_zp_uint16", unsigned_output, FromTo<DType::kI8, DType::kI16>,
        [](const Setting&, Draft& d) { d.Set("output_zp", int64_t{32767}); }},
       {"rescale.scale32_i48", plain, From<DType::kI48>,
        [](const Setting&, Draft& d) {
          d.Set("scale32", true);
          d.tensor("multiplier") = Tensor::OfIntegers(DType::kI32, {1}, {1 << 30});
        }},
       {"rescale.double_round_scale16", plain, nullptr,
        [](const Setting& s, Draft& d) {
          if (s.Takes("rounding_mode")) {
            d.Set("rounding_mode", "DOUBLE_ROUND");
          } else {
            d.Set("double_round", true);
          }
        }},
       {"rescale.both_unsigned", unsigned_input, From<DType::kI8>, OutputUnsigned},
       {"rescale.unsigned_input_to_i32", plain, FromTo<DType::kI8, DType::kI32>, InputUnsigned},
       {"rescale.i32_to_unsigned_output", plain, From<DType::kI32>, OutputUnsigned},
       {"rescale.i48_to_unsigned_output", plain, From<DType::kI48>, OutputUnsigned},
       {"rescale.unsigned_i48_input", plain, From<DType::kI48>, InputUnsigned},
       {"rescale.unsigned_i32_input", plain, From<DType::kI32>, InputUnsigned},
       {"rescale.unsigned_i32_output", plain, FromTo<DType::kI8, DType::kI32>, OutputUnsigned},
       {"rescale.per_channel_rank", scalar, nullptr,
        [](const Setting&, Draft& d) { d.Set("per_channel", true); }}}};
}

}  // namespace cts
