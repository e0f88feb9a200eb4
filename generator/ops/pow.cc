// POW.
#include <algorithm>
#include <cmath>

#include "generator/ops/elementwise.h"
#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"

namespace cts::pow_domain {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  const DType type = setting.Type("in_out_t");
  std::vector<Axis> axes = {PairShapes(setting, type), PairOperands(true), PairData(type)};
  std::vector<std::string>& data = axes.back().values;
  data.push_back("finite");
  // Negative bases are unpredictable where POW has a domain.
  if (!setting.EditionHas(Feature::kPowDomain)) data.push_back("negative");
  axes.back().more.push_back("limits");
  return axes;
}

// Many results of full-range and special values are undefined or almost so: it takes many elements
// for some to be bound.
bool Allowed(const Setting&, const Labels& labels) {
  const DataSet data = labels[kDataAxis];
  if (data != DataSet::kSpecial && data != DataSet::kFullRange) return true;
  return labels[kShapesAxis] == ParseShapes(kPairs);
}

// Whether a result is predictable, also after the operands were flushed to zero.
bool IsDefined(const Setting& setting, DType type, double x, double y) {
  if (!setting.EditionHas(Feature::kPowDomain)) return true;
  if (!std::isfinite(x) || !std::isfinite(y) || x < 0) return false;
  const bool zero = x == 0 || IsSubnormal(type, x);
  return !zero || (y > 0 && !IsSubnormal(type, y));
}

// Powers at the greatest number, where subnormals begin, at half of the least and beside 1, and
// bases that are 1 but for their last place.
Pairs PowerLimits(DType type) {
  const FloatFormat& format = Format(type);
  const double step = std::ldexp(1, -format.fraction_bits);  // of one
  Pairs pairs;
  for (double base : {0.5, 0.75, 1.5, 2.0, 3.0, 10.0, 1 + step, 1 - step / 2, format.max}) {
    for (double power : {format.max, format.normal_min(), format.subnormal_min() / 2, 1 + step}) {
      for (double y : WithNeighbours(type, std::vector{Log(power) / Log(base)})) {
        pairs.emplace_back(EncodeFloat(type, base), EncodeFloat(type, y));
      }
    }
    for (double y : WithNeighbours(type, std::vector{1.0, 2.0, 0.5, -1.0, -0.5, 0.0})) {
      pairs.emplace_back(EncodeFloat(type, base), EncodeFloat(type, y));
    }
  }
  return pairs;
}

// The pairs of the data set whose power is predictable.
Pairs DefinedPairs(const Choice& choice, DType type) {
  const std::vector<uint64_t> values = PairValues(choice, type);
  Pairs pairs = choice.data_set() == DataSet::kLimits ? PowerLimits(type) : PairsOf(values, values);
  std::erase_if(pairs, [&](const auto& pair) {
    return !IsDefined(choice.setting, type, DecodeFloat(type, pair.first),
                      DecodeFloat(type, pair.second));
  });
  return pairs;
}

CaseDraft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = choice[kShapesAxis];
  const Shape &shape1 = shapes[0], &shape2 = shapes[1];
  const DataSet data = choice.data_set();
  Random base = choice.Stream("input1"), exponent = choice.Stream("input2");
  CaseDraft draft;
  if (data == DataSet::kSpecial || data == DataSet::kCrossed || data == DataSet::kLimits) {
    SetPairs(choice, draft, "input1", "input2", type, shape1, DefinedPairs(choice, type));
  } else if (data == DataSet::kFullRange) {
    Tensor input1 = FullRange(base, type, shape1);
    for (int64_t i = 0; i < input1.size(); ++i) {
      input1.SetValue(i, std::max(std::fabs(input1.Value(i)), Format(type).normal_min()));
    }
    draft.Input("input1", std::move(input1));
    draft.Input("input2", FullRange(exponent, type, shape2));
  } else if (data == DataSet::kNegative) {
    // Powers with whole exponents, of which there is always one, and with halves, which make a NaN.
    Tensor halves(type, shape2);
    for (int64_t i = 0; i < halves.size(); ++i) {
      const int64_t twice = i % 2 == 0 ? 2 * exponent.Between(1, 6) : exponent.Between(-12, 12);
      halves.SetValue(i, 0.5 * static_cast<double>(twice));
    }
    draft.Input("input1", FloatsBetween(base, type, shape1, -4, -0.25));
    draft.Input("input2", std::move(halves));
  } else {
    choice[kDataAxis.name].MustBe({"finite"});
    draft.Input("input1", FloatsBetween(base, type, shape1, 0.25, 4));
    draft.Input("input2", FloatsBetween(exponent, type, shape2, -6, 6));
  }
  SetOperands(choice, draft);
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

// Bases of one exponent: the special ones whose power is predictable, then numbers of usual size,
// which are negative where that is predictable.
Tensor BasesOf(const Choice& choice, DType type, const Shape& shape, double exponent) {
  const bool has_negative = IsDefined(choice.setting, type, -1, exponent);
  Tensor bases = FloatsBetween(choice.Stream("others"), type, shape, has_negative ? -4 : 0.25, 4);
  int64_t i = 0;
  for (const double base : SpecialFloats(type)) {
    if (IsDefined(choice.setting, type, base, exponent)) bases.SetValue(i++, base);
  }
  return bases;
}

// Exponents for which compilers and kernels have code of their own.
std::vector<RelationCase> UniformExponents() {
  std::vector<RelationCase> cases;
  for (const double exponent : {2.0, 0.5, -1.0, 3.0, 0.0, 1.0}) {
    cases.push_back(UniformCase(Axes, Build,
                                {.what = StrCat("uniform_", exponent),
                                 .value = exponent,
                                 .others = BasesOf,
                                 .one_value = exponent == 0}));
  }
  return cases;
}

}  // namespace

Domain PowDomain() {
  std::vector<RelationCase> relations = BroadcastRelationCases(Axes, Build);
  for (RelationCase& relation : UniformExponents()) relations.push_back(std::move(relation));
  std::vector<Constraint> constraints = PairConstraints();
  constraints.push_back({{"data", "shapes"}, "few results of such data are defined", Allowed});
  constraints.push_back(OnlyWith({"operands", "same"}, {{"data", "finite"}},
                                 "few powers of a number to itself are defined otherwise"));
  constraints.push_back(
      OnlyWith({"shapes", "1x65539+1x1"}, {{"data", "finite"}}, "large shapes occur once only"));
  return {.axes = Axes,
          .constraints = std::move(constraints),
          .build = Build,
          .breakers =
              BroadcastBreakers("pow.broadcast", {{"shapes", "3x4x5+3x4x5"}, {"data", "finite"}}),
          .limits = {MaxRankLimit({{"shapes", "3x4x5+3x4x5"}, {"data", "finite"}})},
          .relations = std::move(relations)};
}

}  // namespace cts::pow_domain
