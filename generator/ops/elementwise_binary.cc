// The operators of section Elementwise Binary Operators, but POW and TABLE.
#include <algorithm>
#include <numeric>

#include "generator/ops/elementwise.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting, DType type) {
  std::vector<Axis> axes = {PairShapes(setting)};
  AddNanModeAxis(setting, type, axes);
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

std::vector<Axis> SameTypeAxes(const Setting& setting) {
  return Axes(setting, setting.Type("in_out_t"));
}

// Both inputs: the special pairs that fit, or random integers from -limit to limit, or floats.
template <class Fits>
Draft BuildPair(const Choice& choice, DType type, DType out, int64_t limit, Fits fits) {
  const std::vector<Shape> shapes = ParseShapes(choice["shapes"]);
  Draft draft;
  if (choice.data_set() == "special" && IsFloat(type)) {
    const std::vector<double> values = SpecialFloats(type);
    SetPairs(draft, "input1", "input2", type, shapes[0],
             PairsOf(values, values, [](double, double) { return true; }));
  } else if (choice.data_set() == "special") {
    const std::vector<int64_t> values = SpecialIntegers(type);
    SetPairs(draft, "input1", "input2", type, shapes[0], PairsOf(values, values, fits));
  } else if (IsFloat(type)) {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shapes[0]));
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shapes[1]));
  } else {
    const int64_t low = std::max(IntegerMin(type), -limit);
    const int64_t high = std::min(IntegerMax(type), limit);
    draft.Input("input1", IntegersBetween(choice.Stream("input1"), type, shapes[0], low, high));
    draft.Input("input2", IntegersBetween(choice.Stream("input2"), type, shapes[1], low, high));
  }
  draft.output_type = out;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

bool FitsI32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

// Half of the range each: neither sum nor difference may overflow.
constexpr int64_t kHalfOfI32 = (int64_t{1} << 30) - 1;

Draft BuildAdd(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  return BuildPair(choice, type, type, kHalfOfI32,
                   [](int64_t a, int64_t b) { return FitsI32(a + b); });
}

Draft BuildSub(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  return BuildPair(choice, type, type, kHalfOfI32,
                   [](int64_t a, int64_t b) { return FitsI32(a - b); });
}

// Random booleans, but 0 and 1 first: both occur in the result, too. One alone is what changes no
// result of LOGICAL_AND, or of the other two.
Tensor Booleans(const Choice& choice, std::string_view name, const Shape& shape) {
  Tensor tensor = FullRange(choice.Stream(name), DType::kBool, shape);
  if (tensor.size() == 1) {
    tensor.SetInteger(0, choice.setting.spec->name == "LOGICAL_AND");
  } else {
    tensor.SetInteger(0, 0);
    tensor.SetInteger(1, 1);
  }
  return tensor;
}

// Operators that no pair of values breaks: bitwise, logical, MAXIMUM and MINIMUM.
Draft BuildAnyPair(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  Draft draft = BuildPair(choice, type, type, INT64_MAX, [](int64_t, int64_t) { return true; });
  if (type == DType::kBool && choice.data_set() != "special") {
    for (const char* name : {"input1", "input2"}) {
      draft.Input(name, Booleans(choice, name, draft.tensor(name).shape()));
    }
  }
  SetNanMode(choice, draft);
  return draft;
}

Domain AnyPairDomain(std::string_view broadcast) {
  return {SameTypeAxes, {RoomForPairs()}, BuildAnyPair, BroadcastBreakers(broadcast)};
}

// --- Shifts.

std::vector<Axis> ShiftAxes(const Setting& setting) {
  // Room for the special values of i32 by its 32 shifts.
  std::vector<Axis> axes = {PairShapes(setting, "23x32+23x32")};
  if (setting.Takes("round")) axes.push_back({"round", "round", {"false", "true"}});
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

// 0.100 allows logical shifts of i8 and i16 to move a value out of its type. LOGICAL_RIGHT_SHIFT
// says what that gives; the other has only C's operator, so that no case depends on it. One shift
// for all elements should leave something of them.
int64_t GreatestShift(const Setting& setting, DType type, const Shape& shape) {
  const bool wide = setting.Is("tosa-0.100") && setting.spec->name == "LOGICAL_RIGHT_SHIFT" &&
                    ElementCount(shape) > 1;
  return Info(wide ? DType::kI32 : type).bits - 1;
}

Draft BuildShift(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = ParseShapes(choice["shapes"]);
  const int64_t greatest = GreatestShift(choice.setting, type, shapes[1]);
  Draft draft;
  if (choice.data_set() == "special") {
    std::vector<int64_t> shifts(static_cast<size_t>(greatest) + 1);
    std::iota(shifts.begin(), shifts.end(), 0);
    SetPairs(draft, "input1", "input2", type, shapes[0],
             PairsOf(SpecialIntegers(type), shifts, [](int64_t, int64_t) { return true; }));
  } else {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shapes[0]));
    draft.Input("input2", IntegersBetween(choice.Stream("input2"), type, shapes[1], 0, greatest));
  }
  if (choice.setting.Takes("round")) draft.Set("round", choice["round"] == "true");
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

Domain ShiftDomain(std::string_view broadcast) {
  return {ShiftAxes, {RoomForPairs()}, BuildShift, BroadcastBreakers(broadcast)};
}

// --- INTDIV.

Draft BuildIntdiv(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = ParseShapes(choice["shapes"]);
  Draft draft;
  if (choice.data_set() == "special") {
    const std::vector<int64_t> values = SpecialIntegers(type);
    SetPairs(draft, "input1", "input2", type, shapes[0],
             PairsOf(values, values, [type](int64_t a, int64_t b) {
               return b != 0 && !(a == IntegerMin(type) && b == -1);
             }));
  } else {
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
  }
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

// --- MUL.

std::vector<Axis> MulAxes(const Setting& setting) {
  const DType type = setting.Type("in_t");
  std::vector<Axis> axes = Axes(setting, type);
  Axis shift{"shift", "sh", {"0"}};
  if (type == DType::kI32) shift.values = {"0", "1", "15", "31", "32", "63"};
  axes.insert(axes.end() - 1, shift);
  return axes;
}

Draft BuildMul(const Choice& choice) {
  const DType type = choice.Type("in_t");
  const int64_t shift = ParseNumbers(choice["shift"])[0];
  // The product, shifted, must fit i32: 2^31 times 2^shift for the product, half of the exponent
  // for each factor. From shift 31 on only the least value twice does not fit.
  const int64_t limit = shift >= 31 ? INT32_MAX : int64_t{1} << ((30 + shift) / 2);
  const bool any = type != DType::kI32;
  Draft draft = BuildPair(
      choice, type, choice.Type("out_t"), any ? INT64_MAX : limit, [shift](int64_t a, int64_t b) {
        if (shift == 0) return FitsI32(a * b);
        int64_t product = 0;
        return !__builtin_add_overflow(a * b, int64_t{1} << (shift - 1), &product) &&
               FitsI32(product >> shift);
      });
  draft.Set("shift", shift);
  return draft;
}

}  // namespace

Domain AddDomain() {
  return {SameTypeAxes, {RoomForPairs()}, BuildAdd, BroadcastBreakers("add.broadcast")};
}

Domain ArithmeticRightShiftDomain() { return ShiftDomain("arithmetic_right_shift.broadcast"); }

Domain BitwiseAndDomain() { return AnyPairDomain("bitwise_and.broadcast"); }
Domain BitwiseOrDomain() { return AnyPairDomain("bitwise_or.broadcast"); }
Domain BitwiseXorDomain() { return AnyPairDomain("bitwise_xor.broadcast"); }

Domain IntdivDomain() {
  return {SameTypeAxes, {RoomForPairs()}, BuildIntdiv, BroadcastBreakers("intdiv.broadcast")};
}

Domain LogicalAndDomain() { return AnyPairDomain("logical_and.broadcast"); }
Domain LogicalLeftShiftDomain() { return ShiftDomain("logical_left_shift.broadcast"); }
Domain LogicalRightShiftDomain() { return ShiftDomain("logical_right_shift.broadcast"); }
Domain LogicalOrDomain() { return AnyPairDomain("logical_or.broadcast"); }
Domain LogicalXorDomain() { return AnyPairDomain("logical_xor.broadcast"); }

Domain MaximumDomain() { return AnyPairDomain("maximum.broadcast"); }
Domain MinimumDomain() { return AnyPairDomain("minimum.broadcast"); }

Domain MulDomain() {
  return {MulAxes, {RoomForPairs()}, BuildMul, BroadcastBreakers("mul.broadcast")};
}

Domain SubDomain() {
  return {SameTypeAxes, {RoomForPairs()}, BuildSub, BroadcastBreakers("sub.broadcast")};
}

}  // namespace cts
