// The operators of section Elementwise Binary Operators, but POW and TABLE.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "generator/ops/elementwise.h"
#include "generator/ops/limits.h"
#include "reference/base/float_format.h"

namespace cts::elementwise_binary_domain {
namespace {

// If an operand is used twice, a difference shows only where a NaN is.
bool OnlyNansDiffer(const Setting& setting) { return setting.Text() == "SUB"; }

// Whether the results of an operand that is used twice can show a fault.
bool HasSame(const Setting& setting, DType type) {
  const std::string& op = setting.Text();
  if (OnlyNansDiffer(setting)) return IsFloat(type);
  return op != "INTDIV" && !op.ends_with("_XOR") && !op.ends_with("_SHIFT");
}

std::vector<Axis> Axes(const Setting& setting, DType type) {
  std::vector<Axis> axes = {PairShapes(setting, type), PairOperands(HasSame(setting, type))};
  AddNanModeAxis(setting, type, axes);
  axes.push_back(PairData(type));
  return axes;
}

std::vector<Axis> SameTypeAxes(const Setting& setting) {
  return Axes(setting, setting.Type("in_out_t"));
}

std::vector<Axis> AxesWithLimits(const Setting& setting) {
  std::vector<Axis> axes = SameTypeAxes(setting);
  axes.back().more.push_back("limits");
  return axes;
}

Domain PairDomain(std::vector<Axis> (*axes)(const Setting&), CaseDraft (*build)(const Choice&),
                  const std::string& broadcast) {
  std::vector<Constraint> constraints = PairConstraints();
  constraints.push_back({{"data", "operands"},
                         "the difference of equal numbers is zero",
                         [](const Setting& setting, const Labels& labels) {
                           return !OnlyNansDiffer(setting) ||
                                  labels[kOperandsAxis] != PairOperand::kSame ||
                                  labels[kDataAxis] == DataSet::kCrossed;
                         }});
  Domain domain = {.axes = axes,
                   .constraints = std::move(constraints),
                   .build = build,
                   .breakers = BroadcastBreakers(broadcast),
                   .limits = {MaxRankLimit()}};
  domain.relations = BroadcastRelationCases(axes, build);
  return domain;
}

bool IsSpecial(const Choice& choice) {
  return choice.data_set() == DataSet::kSpecial || choice.data_set() == DataSet::kCrossed;
}

// Both inputs: the pairs of the data set that fit, or random integers from -limit to limit, or
// floats. `limits` makes the pairs of data set "limits".
template <class Fits>
CaseDraft BuildPair(const Choice& choice, DType type, DType out, int64_t limit, Fits fits,
                    const Pairs& limits = {}) {
  const std::vector<Shape> shapes = choice[kShapesAxis];
  CaseDraft draft;
  if (IsSpecial(choice) || choice.data_set() == DataSet::kLimits) {
    Pairs pairs = limits;
    if (IsSpecial(choice)) {
      const std::vector<uint64_t> values = PairValues(choice, type);
      pairs = PairsOf(values, values);
    }
    if (!IsFloat(type)) KeepPairs(type, pairs, fits);
    SetPairs(choice, draft, "input1", "input2", type, shapes[0], std::move(pairs));
  } else if (choice.data_set() == DataSet::kExhaustive8) {
    SetEveryPair(draft, "input1", "input2", type, shapes);
  } else if (IsFloat(type)) {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shapes[0]));
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shapes[1]));
  } else {
    const int64_t low = std::max(IntegerMin(type), -limit);
    const int64_t high = std::min(IntegerMax(type), limit);
    draft.Input("input1", IntegersBetween(choice.Stream("input1"), type, shapes[0], low, high));
    draft.Input("input2", IntegersBetween(choice.Stream("input2"), type, shapes[1], low, high));
  }
  SetOperands(choice, draft);
  draft.output_type = out;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

bool FitsI32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

// Half of the range each: neither sum nor difference may overflow.
constexpr int64_t kHalfOfI32 = (int64_t{1} << 30) - 1;

// Pairs whose sum is the last number of the type or the one before, or, of floats, a tie between
// two numbers and its neighbours. `sign` -1: pairs whose difference is.
Pairs SumLimits(DType type, int sign) {
  Pairs pairs;
  if (!IsFloat(type)) {
    for (int64_t x : SpecialIntegers(type)) {
      for (int64_t sum : WithNeighbours(type, std::vector{IntegerMin(type), IntegerMax(type)})) {
        const int64_t y = sign * (sum - x);
        if (y < IntegerMin(type) || y > IntegerMax(type)) continue;
        pairs.emplace_back(static_cast<uint64_t>(x), static_cast<uint64_t>(y));
      }
    }
    return pairs;
  }
  const FloatFormat& format = Format(type);
  const double step = std::ldexp(1, -format.fraction_bits);  // of one
  for (double x : {1.0, 1 + step, 2 - step, format.max, std::ldexp(1 + step, 10),
                   8 * format.normal_min(), format.normal_min()}) {
    const double ulp = std::ldexp(step, std::ilogb(x));
    for (double y : WithNeighbours(type, std::vector{ulp / 4, ulp / 2, ulp, 1.5 * ulp, -ulp / 4,
                                                     -ulp / 2, -ulp, -x, -x / 2})) {
      for (double negative : {1.0, -1.0}) {
        pairs.emplace_back(EncodeFloat(type, negative * x), EncodeFloat(type, negative * sign * y));
      }
    }
  }
  return pairs;
}

CaseDraft BuildAdd(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  return BuildPair(
      choice, type, type, kHalfOfI32, [](int64_t a, int64_t b) { return FitsI32(a + b); },
      SumLimits(type, 1));
}

CaseDraft BuildSub(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  return BuildPair(
      choice, type, type, kHalfOfI32, [](int64_t a, int64_t b) { return FitsI32(a - b); },
      SumLimits(type, -1));
}

// Random booleans, but 0 and 1 first, so that both occur in the result, too. A single element is
// the one that changes no result of LOGICAL_AND, or of the other two.
Tensor Booleans(const Choice& choice, std::string_view name, const Shape& shape) {
  Tensor tensor = FullRange(choice.Stream(name), DType::kBool, shape);
  if (tensor.size() == 1) {
    tensor.SetInteger(0, choice.setting.Text() == "LOGICAL_AND");
  } else {
    tensor.SetInteger(0, 0);
    tensor.SetInteger(1, 1);
  }
  return tensor;
}

// Operators that no pair of values breaks: bitwise, logical, MAXIMUM and MINIMUM.
CaseDraft BuildAnyPair(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  CaseDraft draft = BuildPair(choice, type, type, INT64_MAX, [](int64_t, int64_t) { return true; });
  if (type == DType::kBool && !IsSpecial(choice)) {
    for (const char* name : {"input1", "input2"}) {
      if (choice[kOperandsAxis] == PairOperand::kSame && name[5] == '2') continue;
      Tensor& tensor = draft.tensor(name);
      tensor = Booleans(choice, name, tensor.shape());
    }
  }
  SetNanMode(choice, draft);
  return draft;
}

Domain AnyPairDomain(const std::string& broadcast) {
  return PairDomain(SameTypeAxes, BuildAnyPair, broadcast);
}

// MAXIMUM and MINIMUM, which are RELU if one operand is 0.
Domain ExtremumDomain(const std::string& broadcast) {
  Domain domain = AnyPairDomain(broadcast);
  const Uniform zero = {.what = "zero", .value = 0, .others = SpecialAndEqual, .both_sides = true};
  Uniform ignore = zero;
  ignore.what = "zero_ignore";
  ignore.applies = [](const Setting& setting) {
    return setting.Takes("nan_mode") && IsFloat(setting.Type("in_out_t"));
  };
  ignore.labels = {{"nan_mode", "ignore"}};
  for (const Uniform& uniform : {zero, ignore}) {
    domain.relations.push_back(UniformCase(SameTypeAxes, BuildAnyPair, uniform));
  }
  domain.data_cases.push_back(SignallingCase(
      SameTypeAxes, BuildAnyPair, {{"shapes", std::string(kCrossed)}, {"data", "crossed"}}));
  return domain;
}

// --- Shifts.

constexpr ListedAxis<bool> kRoundAxis{"round", "round", {{"false", false}, {"true", true}}};

std::vector<Axis> ShiftAxes(const Setting& setting) {
  // Room for the special values of i32 by its 32 shifts, and for every i8 by its 8.
  const DType type = setting.Type("in_out_t");
  std::vector<Axis> axes = {PairShapes(setting, type, "23x32+23x32", "61x32+61x32"),
                            PairOperands(false)};
  if (Info(type).bits == 8) {
    auto& more = axes[0].more;
    more.erase(more.end() - 2, more.end());
    more.insert(more.end(), {"256x8+256x8", "256x1+1x8"});
  }
  if (setting.Takes("round")) axes.push_back(kRoundAxis.All());
  axes.push_back(PairData(type));
  return axes;
}

// 0.100 allows logical shifts of i8 and i16 to move a value out of its type. LOGICAL_RIGHT_SHIFT
// defines the result of that. The other shift has only C's operator, so that no case depends on it.
// One shift for all elements should leave some of their bits.
int64_t GreatestShift(const Setting& setting, DType type, const Shape& shape) {
  const bool wide = setting.EditionHas(Feature::kShiftsOf32Bits) &&
                    setting.Text() == "LOGICAL_RIGHT_SHIFT" && ElementCount(shape) > 1;
  return Info(wide ? DType::kI32 : type).bits - 1;
}

CaseDraft BuildShift(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = choice[kShapesAxis];
  const int64_t greatest = GreatestShift(choice.setting, type, shapes[1]);
  CaseDraft draft;
  if (IsSpecial(choice)) {
    std::vector<uint64_t> shifts(static_cast<size_t>(greatest) + 1);
    std::iota(shifts.begin(), shifts.end(), 0);
    SetPairs(choice, draft, "input1", "input2", type, shapes[0],
             PairsOf(PairValues(choice, type), shifts));
  } else if (choice.data_set() == DataSet::kExhaustive8) {
    const bool broadcast = shapes[0] != shapes[1];
    draft.Input("input1", Exhaustive(type, shapes[0], broadcast ? 1 : 8));
    Tensor shifts(type, shapes[1]);
    for (int64_t i = 0; i < shifts.size(); ++i) shifts.SetInteger(i, i % 8);
    draft.Input("input2", std::move(shifts));
  } else {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shapes[0]));
    draft.Input("input2", IntegersBetween(choice.Stream("input2"), type, shapes[1], 0, greatest));
  }
  SetOperands(choice, draft);
  if (choice.setting.Takes("round")) draft.Set("round", choice[kRoundAxis]);
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

Domain ShiftDomain(const std::string& broadcast) {
  return PairDomain(ShiftAxes, BuildShift, broadcast);
}

// --- INTDIV.

// Quotients just above and below whole ones, and at both ends of the type.
Pairs QuotientLimits(DType type) {
  const int64_t min = IntegerMin(type), max = IntegerMax(type);
  Pairs pairs;
  for (int64_t divisor : {int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{-7},
                          int64_t{10}, int64_t{256}, int64_t{-65536}, max / 2, max, min + 1, min}) {
    for (int64_t quotient : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-3},
                             max / divisor, min / divisor}) {
      for (int64_t dividend : WithNeighbours(type, std::vector{quotient * divisor})) {
        pairs.emplace_back(static_cast<uint64_t>(dividend), static_cast<uint64_t>(divisor));
      }
    }
  }
  return pairs;
}

// Every divisor up to 337 and a multiple of it: a product with its reciprocal may miss these
// quotients.
Pairs Multiples() {
  Pairs pairs;
  for (int64_t divisor = 1; divisor <= 337; ++divisor) {
    pairs.emplace_back(static_cast<uint64_t>(divisor), static_cast<uint64_t>(divisor));
    pairs.emplace_back(static_cast<uint64_t>(-divisor * divisor), static_cast<uint64_t>(divisor));
  }
  return pairs;
}

std::vector<Axis> IntdivAxes(const Setting& setting) {
  std::vector<Axis> axes = AxesWithLimits(setting);
  axes.back().more.push_back("multiples");
  return axes;
}

CaseDraft BuildIntdiv(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const auto fits = [type](int64_t a, int64_t b) {
    return b != 0 && !(a == IntegerMin(type) && b == -1);
  };
  const std::vector<Shape> shapes = choice[kShapesAxis];
  CaseDraft draft;
  if (choice.data_set() == DataSet::kMultiples) {
    SetPairs(choice, draft, "input1", "input2", type, shapes[0], Multiples());
    SetOperands(choice, draft);
    draft.output_type = type;
    draft.output_shape = shapes[0];
    return draft;
  }
  if (choice.data_set() != DataSet::kFullRange) {
    return BuildPair(choice, type, type, 0, fits, QuotientLimits(type));
  }
  // Divisors of every magnitude, never zero. The least dividend stands with "special": it must
  // not meet a divisor of -1.
  draft.Input("input1", IntegersBetween(choice.Stream("input1"), type, shapes[0],
                                        IntegerMin(type) + 1, IntegerMax(type)));
  Random random = choice.Stream("input2");
  Tensor divisors(type, shapes[1]);
  for (int64_t i = 0; i < divisors.size(); ++i) {
    const int64_t magnitude = random.Between(1, IntegerMax(type) >> random.Between(0, 30));
    divisors.SetInteger(i, random.Below(2) == 0 ? magnitude : -magnitude);
  }
  draft.Input("input2", std::move(divisors));
  SetOperands(choice, draft);
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

// --- MUL.

constexpr ParsedAxis<int64_t> kShiftAxis{"shift", "sh", ParseNumber};

std::vector<Axis> MulAxes(const Setting& setting) {
  const DType type = setting.Type("in_t");
  std::vector<Axis> axes = Axes(setting, type);
  Axis shift = kShiftAxis.With({"0"});
  if (type == DType::kI32) {
    shift.values = {"0", "1", "15", "31", "32", "63"};
    shift.more = {"2", "30", "62"};
  }
  axes.insert(axes.end() - 1, shift);
  Axis data = std::move(axes.back());
  axes.pop_back();
  AddParametersAxis(setting, {"shift"}, axes);
  if (IsFloat(type) || type == DType::kI32) data.more.push_back("limits");
  axes.push_back(std::move(data));
  return axes;
}

// Products at the ends of the type, where subnormals begin, half of the least one, and ties.
Pairs FloatProductLimits(DType type) {
  const FloatFormat& format = Format(type);
  const double step = std::ldexp(1, -format.fraction_bits);  // of one
  const double tiny = format.subnormal_min();
  Pairs pairs;
  for (double product : {1.0, format.max, format.max * (1 + step / 4), format.normal_min(),
                         1.5 * tiny, tiny, tiny / 2}) {
    for (double x : {1.5, 3.0, 1 + step, 2 - step, 0.625, 7.0, 0x1p10, 0x1p-10, 1.25}) {
      for (double y : WithNeighbours(type, std::vector{product / x, -product / x})) {
        pairs.emplace_back(EncodeFloat(type, x), EncodeFloat(type, y));
        pairs.emplace_back(EncodeFloat(type, y), EncodeFloat(type, -x));
      }
    }
  }
  return pairs;
}

// Shifted products at the ends of i32, at a tie, and 1 beside them.
Pairs IntegerProductLimits(int64_t shift) {
  const DType type = DType::kI32;
  Pairs pairs;
  const auto add = [&](int64_t x, int64_t y) {
    for (int64_t near : WithNeighbours(type, std::vector{y})) {
      pairs.emplace_back(static_cast<uint64_t>(x), static_cast<uint64_t>(near));
      pairs.emplace_back(static_cast<uint64_t>(near), static_cast<uint64_t>(x));
    }
  };
  for (int64_t x : {1, -1, 2, -3, 1 << 15, (1 << 16) + 1, 1 << 30, -(1 << 30), INT32_MAX}) {
    for (int64_t end : {int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
      if (shift <= 31) add(x, (end << shift) / x);
    }
  }
  for (int64_t power = std::max<int64_t>(0, shift - 32); power < std::min<int64_t>(shift, 31);
       power += 3) {
    for (int64_t odd : {1, -1, 3, -5, 101}) {
      add(int64_t{1} << power, odd << (shift - 1 - power));
      add(-(int64_t{1} << power), odd << (shift - 1 - power));
    }
  }
  add(INT32_MIN, INT32_MIN);
  add(INT32_MIN, INT32_MAX);
  return pairs;
}

CaseDraft BuildMul(const Choice& choice) {
  const DType type = choice.Type("in_t");
  const int64_t shift = choice[kShiftAxis];
  // The product, shifted, must fit i32: 2^31 times 2^shift for the product, half of the exponent
  // for each factor. From shift 31 on only the least value twice does not fit; without a shift the
  // result is the low 32 bits of any product.
  const bool all = shift == 0 || shift >= 31;
  const int64_t limit = all ? INT32_MAX : int64_t{1} << ((30 + shift) / 2);
  const bool any = type != DType::kI32;
  CaseDraft draft = BuildPair(
      choice, type, choice.Type("out_t"), any ? INT64_MAX : limit,
      [shift](int64_t a, int64_t b) {
        if (shift == 0) return true;  // the low 32 bits are the result
        int64_t product = 0;
        return !__builtin_add_overflow(a * b, int64_t{1} << (shift - 1), &product) &&
               FitsI32(product >> shift);
      },
      IsFloat(type) ? FloatProductLimits(type) : IntegerProductLimits(shift));
  draft.Set("shift", shift);
  SetParameters(choice, {"shift"}, draft);
  draft.one_value = shift == 63;  // which leaves 0 of every product
  return draft;
}

}  // namespace

Domain AddDomain() { return PairDomain(AxesWithLimits, BuildAdd, "add.broadcast"); }

Domain ArithmeticRightShiftDomain() { return ShiftDomain("arithmetic_right_shift.broadcast"); }

Domain BitwiseAndDomain() { return AnyPairDomain("bitwise_and.broadcast"); }
Domain BitwiseOrDomain() { return AnyPairDomain("bitwise_or.broadcast"); }
Domain BitwiseXorDomain() { return AnyPairDomain("bitwise_xor.broadcast"); }

Domain IntdivDomain() {
  Domain domain = PairDomain(IntdivAxes, BuildIntdiv, "intdiv.broadcast");
  domain.constraints.push_back(OnlyWith({"data", "multiples"}, {{"shapes", kPairs}},
                                        "data set multiples has 674 pairs of values"));
  // A shift rounds negative quotients down, not towards zero.
  for (const int64_t divisor : {int64_t{2}, int64_t{-8}, int64_t{1} << 30}) {
    domain.relations.push_back(UniformCase(IntdivAxes, BuildIntdiv,
                                           {.what = StrCat("uniform_", divisor),
                                            .value = static_cast<double>(divisor),
                                            .others = SpecialAndRandom}));
  }
  return domain;
}

Domain LogicalAndDomain() { return AnyPairDomain("logical_and.broadcast"); }
Domain LogicalLeftShiftDomain() { return ShiftDomain("logical_left_shift.broadcast"); }
Domain LogicalRightShiftDomain() { return ShiftDomain("logical_right_shift.broadcast"); }
Domain LogicalOrDomain() { return AnyPairDomain("logical_or.broadcast"); }
Domain LogicalXorDomain() { return AnyPairDomain("logical_xor.broadcast"); }

Domain MaximumDomain() { return ExtremumDomain("maximum.broadcast"); }
Domain MinimumDomain() { return ExtremumDomain("minimum.broadcast"); }

Domain MulDomain() {
  Domain domain = PairDomain(MulAxes, BuildMul, "mul.broadcast");
  const auto is_float = [](const Setting& setting) { return IsFloat(setting.Type("in_t")); };
  for (const double value : {2.0, 0.5}) {
    domain.relations.push_back(UniformCase(MulAxes, BuildMul,
                                           {.what = StrCat("uniform_", value),
                                            .value = value,
                                            .others = SpecialAndRandom,
                                            .applies = is_float}));
  }
  domain.relations.push_back(RelationAt(
      "row_shifted", MulAxes, BuildMul, {{"shapes", "2x3x5x19+1x1x1x19"}, {"shift", "15"}},
      [](const Setting& setting) { return setting.Type("in_t") == DType::kI32; }));
  return domain;
}

Domain SubDomain() { return PairDomain(AxesWithLimits, BuildSub, "sub.broadcast"); }

}  // namespace cts::elementwise_binary_domain
