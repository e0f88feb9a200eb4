// CAST.
#include <algorithm>

#include "generator/ops/domain.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  Axis data{"data", "", {"full-range", "special"}};
  if (IsFloat(setting.Type("in_t"))) data.values.push_back("target-range");
  return {{"shape", "", {"9x37", "scalar", WithMaxRank(setting, "2x3x1x2x4x5")}}, std::move(data)};
}

// Integers just beside the middle between two neighbours of a floating-point type, where rounding
// twice, by way of a wider type, goes wrong.
std::vector<int64_t> BesideMidpoints(DType in, DType out) {
  std::vector<int64_t> values = SpecialIntegers(in);
  const int precision = Format(out).fraction_bits + 1;
  for (int exponent = precision; exponent < Info(in).bits - 1; ++exponent) {
    for (int64_t fraction : {int64_t{0}, int64_t{1}, (int64_t{1} << (precision - 1)) - 1}) {
      const int64_t middle =
          (int64_t{1} << exponent) + (2 * fraction + 1) * (int64_t{1} << (exponent - precision));
      for (int64_t offset : {-1, 0, 1}) {
        values.push_back(middle + offset);
        values.push_back(-middle + offset);
      }
    }
  }
  return values;
}

// The greatest magnitude of the output type, a little exceeded, as far as the input type goes.
double TargetRange(DType in, DType out) {
  const double max = IsFloat(out) ? Format(out).max : static_cast<double>(IntegerMax(out));
  return std::min(max * 1.0625, Format(in).max);
}

Draft Build(const Choice& choice) {
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const Shape shape = ParseShape(choice["shape"]);
  // NaN to an integer is unpredictable; infinity to fp8 is unclear in 0.100.
  const bool to_fp8_saturating =
      choice.setting.Is("tosa-0.100") && IsFloat(out_t) && Info(out_t).bits == 8;
  const Specials specials = to_fp8_saturating ? Specials::kFinite
                            : IsFloat(out_t)  ? Specials::kAll
                                              : Specials::kNoNan;
  Draft draft;
  if (choice.data_set() == "target-range") {
    const double range = TargetRange(in_t, out_t);
    draft.Input("input", FloatsBetween(choice.Stream("input"), in_t, shape, -range, range));
  } else if (choice.data_set() == "special" && IsFloat(in_t) && IsFloat(out_t)) {
    // Where the output type rounds, saturates and underflows as well.
    std::vector<double> values = SpecialFloats(in_t, specials);
    for (double value : SpecialFloats(out_t, specials)) values.push_back(RoundTo(in_t, value));
    const double tiny = Format(out_t).subnormal_min(), max = Format(out_t).max;
    for (double value : {tiny / 2, tiny * 0.75, tiny * 1.5, max * 1.03125, max * 1.125}) {
      values.push_back(std::min(RoundTo(in_t, value), Format(in_t).max));
      values.push_back(-values.back());
    }
    draft.Input("input", Cycle(in_t, shape, values));
  } else if (choice.data_set() == "special" && IsFloat(in_t)) {
    // Ties between integers, and both ends of the output type with their neighbours.
    std::vector<double> values = SpecialFloats(in_t, specials);
    for (int64_t integer : SpecialIntegers(out_t)) {
      for (double offset : {0.0, 0.5, -0.5}) {
        const double value = RoundTo(in_t, static_cast<double>(integer) + offset);
        values.push_back(std::clamp(value, -Format(in_t).max, Format(in_t).max));
      }
    }
    draft.Input("input", Cycle(in_t, shape, values));
  } else if (choice.data_set() == "special" && IsFloat(out_t)) {
    draft.Input("input", Cycle(in_t, shape, BesideMidpoints(in_t, out_t)));
  } else {
    draft.Input("input", Filled(choice, "input", in_t, shape, specials));
  }
  draft.output_type = out_t;
  draft.output_shape = shape;
  return draft;
}

}  // namespace

Domain CastDomain() {
  return {Axes,
          {{{"data", "shape"},
            "data set special has more than 300 values",
            [](const Setting&, const Labels& labels) {
              return labels["data"] != "special" || labels["shape"] == "9x37";
            }}},
          Build};
}

}  // namespace cts
