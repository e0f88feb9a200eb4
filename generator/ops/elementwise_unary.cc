// Elementwise unary operators.
#include "generator/ops/domain.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

Draft Unary(Tensor input) {
  Draft draft;
  draft.output_type = input.dtype();
  draft.output_shape = input.shape();
  draft.Input("input1", std::move(input));
  return draft;
}

std::vector<Axis> Axes(const Setting& setting) {
  return {{"shape", "", SomeShapes(setting)}, {"data", "", {"full-range", "special"}}};
}

// The least i32 has no negative: ABS and NEGATE of it are unpredictable.
Tensor WithoutLeastI32(Tensor tensor) {
  if (tensor.dtype() != DType::kI32) return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.Integer(i) == INT32_MIN) tensor.SetInteger(i, INT32_MIN + 2);
  }
  return tensor;
}

Draft Build(const Choice& choice) {
  const Shape shape = ParseShape(choice["shape"]);
  return Unary(WithoutLeastI32(Filled(choice, "input1", choice.Type("in_out_t"), shape)));
}

Domain PlainDomain() { return {Axes, {RoomForSpecials()}, Build}; }

// About the arguments whose result is neither 0 nor infinite, by the exponents of the format.
Draft BuildExp(const Choice& choice) {
  const FloatFormat& format = Format(choice.Type("in_out_t"));
  const double ln2 = 0.6931471805599453;
  return BuildFunction(choice, ln2 * (format.min_exponent - format.fraction_bits),
                       ln2 * (1 << (format.exponent_bits - 1)));
}

// Numbers with any count of leading zeros.
Draft BuildClz(const Choice& choice) {
  if (choice.data_set() != "magnitudes") return Build(choice);
  Tensor input(choice.Type("in_out_t"), ParseShape(choice["shape"]));
  Random random = choice.Stream("input1");
  for (int64_t i = 0; i < input.size(); ++i) {
    const int64_t word = random.Between(INT32_MIN, INT32_MAX);
    input.SetInteger(i, (word & 0x7FFFFFFF) >> random.Between(0, 31));
  }
  return Unary(std::move(input));
}

std::vector<Axis> NegateAxes(const Setting& setting) {
  std::vector<Axis> axes = Axes(setting);
  if (setting.Type("in_out_t") == DType::kI8) {
    axes.insert(axes.end() - 1, {"zero_point", "z", {"0", "lo", "hi", "mixed"}});
  }
  return axes;
}

Draft BuildNegate(const Choice& choice) {
  Draft draft = Build(choice);
  // Ends that differ: with two of a kind every result would saturate.
  const std::string& zp = choice["zero_point"];
  const int64_t low = -128, high = 127;
  draft.Set("input1_zp", zp == "lo" ? low : zp == "hi" ? high : int64_t{zp == "mixed" ? -3 : 0});
  draft.Set("output_zp", zp == "lo" ? high : zp == "hi" ? low : int64_t{zp == "mixed" ? 90 : 0});
  return draft;
}

bool NotI8(const Setting& setting) { return setting.Type("in_out_t") != DType::kI8; }

}  // namespace

Domain AbsDomain() { return PlainDomain(); }

Domain BitwiseNotDomain() { return PlainDomain(); }

Domain CeilDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -20, 20); });
}

Domain ClzDomain() {
  return {[](const Setting& setting) {
            std::vector<Axis> axes = Axes(setting);
            axes.back().values.push_back("magnitudes");
            return axes;
          },
          {RoomForSpecials()},
          BuildClz,
          {}};
}

Domain CosDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -7, 7); });
}

Domain ExpDomain() { return FunctionDomain(BuildExp); }

Domain FloorDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -20, 20); });
}

Domain LogDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, 0.25, 4); });
}

Domain LogicalNotDomain() { return PlainDomain(); }

Domain NegateDomain() {
  return {NegateAxes,
          {RoomForSpecials()},
          BuildNegate,
          {{"negate.input1_zp",
            {},
            NotI8,
            [](const Setting&, Draft& d) { d.Set("input1_zp", int64_t{1}); }},
           {"negate.output_zp", {}, NotI8, [](const Setting&, Draft& d) {
              d.Set("output_zp", int64_t{1});
            }}}};
}

Domain ReciprocalDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -4, 4); });
}

Domain RsqrtDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, 0.125, 8); });
}

Domain SinDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -7, 7); });
}

}  // namespace cts
