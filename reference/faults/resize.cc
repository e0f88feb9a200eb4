// Faults of RESIZE.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/faults/fault.h"
#include "reference/faults/tensor_faults.h"

namespace cts::resize_faults {
namespace {

// One of the two directions.
struct Line {
  Line(const Call& call, int64_t axis)
      : in(call.shape("input")[static_cast<size_t>(1 + axis)]),
        out(call.shape("output")[static_cast<size_t>(1 + axis)]),
        scale_n(call.Integer("scale", 2 * axis)),
        scale_d(call.Integer("scale", 2 * axis + 1)),
        offset(call.Integer("offset", axis)) {}

  int64_t in, out, scale_n, scale_d, offset;
};

// The place of an output position: between two elements of the input, rest / scale_n from the
// lower.
struct Position {
  int64_t low, high;
  double rest;
};

int64_t Floor(int64_t x, int64_t y) { return x / y - (x % y < 0 ? 1 : 0); }

Position At(const Line& line, int64_t position) {
  const int64_t index = Floor(position, line.scale_n);
  return {index, index + 1, static_cast<double>(position - index * line.scale_n)};
}

Position Right(const Line& line, int64_t out) { return At(line, out * line.scale_d + line.offset); }

// The lower element is right; a negative position has a negative rest.
Position NegativeRemainder(const Line& line, int64_t out) {
  const int64_t position = out * line.scale_d + line.offset;
  const int64_t index = Floor(position, line.scale_n);
  return {index, index + 1, static_cast<double>(position % line.scale_n)};
}

// A tap or a position beyond the borders is the element at the border.
int64_t Clamp(const Line& line, int64_t index) {
  return std::clamp<int64_t>(index, 0, line.in - 1);
}

using Find = Position (*)(const Line& line, int64_t out);
// Whether the upper of the two elements is the nearest.
using Upper = bool (*)(const Line& line, double rest);
bool HalfUp(const Line& line, double rest) { return 2 * rest >= static_cast<double>(line.scale_n); }

bool IsBilinear(const Call& call) { return call.Enum("mode") == "BILINEAR"; }

// Computes the whole operator with other positions. Floating point is computed in fp64 and rounded
// in the end (unless `in_type`), one rounding less than in the right text and within its bound.
// Integers are computed in 64 bits and cut to the output's.
struct Text {
  Find find = Right;
  Upper upper = HalfUp;
  bool swaps_weights = false;  // of y and x
  bool divides = false;        // integers: by the scale, as if they were not to be scaled
  double parts = 0;            // weights are multiples of 1 / parts, if not 0
  bool in_type = false;        // floating point: every step rounded to the type
};

OperatorOutputs Resize(const Call& call, const Text& text, Tensor out) {
  const Line y(call, 0), x(call, 1);
  const Tensor& input = *call.values("input");
  const int64_t channels = call.shape("input")[3];
  const bool is_float = IsFloat(input.dtype());
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t c = i % channels, ox = i / channels % x.out, oy = i / channels / x.out % y.out;
    const int64_t n = i / channels / x.out / y.out;
    Position py = text.find(y, oy), px = text.find(x, ox);
    const auto place = [&](int64_t iy, int64_t ix) {
      return ((n * y.in + Clamp(y, iy)) * x.in + Clamp(x, ix)) * channels + c;
    };
    if (!IsBilinear(call)) {
      out.SetBits(i, input.Bits(place(text.upper(y, py.rest) ? py.high : py.low,
                                      text.upper(x, px.rest) ? px.high : px.low)));
      continue;
    }
    const auto unit_y = static_cast<double>(y.scale_n), unit_x = static_cast<double>(x.scale_n);
    double dy = py.rest / unit_y, dx = px.rest / unit_x;
    if (text.swaps_weights) std::swap(dy, dx);
    if (text.parts != 0) {
      dy = std::round(dy * text.parts) / text.parts, dx = std::round(dx * text.parts) / text.parts;
    }
    const int64_t taps[] = {place(py.low, px.low), place(py.low, px.high), place(py.high, px.low),
                            place(py.high, px.high)};
    const auto step = [&](double value) {
      return text.in_type ? RoundTo(out.dtype(), value) : value;
    };
    dy = step(dy), dx = step(dx);
    const double rows[] = {step(1 - dy), dy}, columns[] = {step(1 - dx), dx};
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      const double value =
          is_float ? input.Element(taps[k]) : static_cast<double>(input.Integer(taps[k]));
      sum = step(sum + step(step(value * rows[k / 2]) * columns[k % 2]));
    }
    if (is_float) {
      out.SetElement(i, sum);
    } else {
      // Within 2^15 * 2^22, so that fp64 holds it.
      out.SetInteger(i, std::llround(text.divides ? sum : sum * unit_y * unit_x));
    }
  }
  OperatorOutputs outputs;
  outputs["output"] = std::make_shared<Tensor>(std::move(out));
  return outputs;
}

Wrong By(const Text& text) {
  return [text](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return Resize(call, text, Tensor(call.dtype("output"), call.shape("output")));
  };
}

// Rows of integers have a mode of their own, those of floating point both.
bool HasMode(const TypeRow& row, std::string_view mode) {
  const auto only = row.attributes.find("mode");
  return only == row.attributes.end() || only->second == mode;
}
bool HasBilinear(const TypeRow& row) { return HasMode(row, "BILINEAR"); }
bool HasNearest(const TypeRow& row) { return HasMode(row, "NEAREST_NEIGHBOR"); }
bool IsBilinearOfIntegers(const TypeRow& row) { return !HasFloat(row) && HasBilinear(row); }

// Sums in 32 bits.
class NarrowSum : public ArithmeticFault {
 public:
  int64_t Fit(DType, int64_t x) override { return static_cast<int32_t>(x); }
};

// Bytes without a sign.
class UnsignedInput : public ArithmeticFault {
 public:
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    const int64_t x = operand.Integer(i);
    return operand.tensor->dtype() == DType::kI8 ? x & 0xff : x;
  }
};

class InBf16 : public ArithmeticFault {
 public:
  double Round(DType, double x) override { return RoundTo(DType::kBf16, x); }
};

}  // namespace

Faults ResizeFaults() {
  Faults faults;
  const auto add = [&](const char* id, const char* sentence,
                       std::function<bool(const TypeRow&)> touches, Wrong wrong,
                       const char* report = "") {
    faults.push_back({.id = StrCat("resize.", id),
                      .op = "RESIZE",
                      .source = *report == 0 ? FaultSource::kHardware : FaultSource::kReported,
                      .sentence = sentence,
                      .clause = "RESIZE, position and weight of an output element",
                      .report = report,
                      .touches = std::move(touches),
                      .does = std::move(wrong)});
  };
  // The nearest elements are then the same.
  add("truncates_negative_coordinates",
      "rounds a negative position towards zero, so that its weights are negative", HasBilinear,
      By({.find =
              [](const Line& line, int64_t out) {
                const int64_t position = out * line.scale_d + line.offset;
                const int64_t index = position / line.scale_n;
                return Position{index, index + 1,
                                static_cast<double>(position - index * line.scale_n)};
              }}),
      "llvm/llvm-project#193821");
  // offset is at least -scale_n. Both elements of a negative position are therefore the first one,
  // and any two weights of theirs add up to one. But a product of a large number with a weight
  // above 1 is beyond the type. bf16 may be computed in fp32.
  add("negative_remainder",
      "finds the right elements, but weighs them by a remainder that is negative where the "
      "position is",
      Rows("in_t", {DType::kFp16, DType::kFp32}), By({.find = NegativeRemainder, .in_type = true}),
      "llvm/llvm-project#184799");
  add("takes_offset_unsigned", "reads a negative offset as a large number", FloatRows(),
      By({.find =
              [](const Line& line, int64_t out) {
                const int64_t offset =
                    line.offset < 0 ? line.offset + (int64_t{1} << 32) : line.offset;
                return At(line, out * line.scale_d + offset);
              }}),
      "llvm/llvm-project#59585");
  add("takes_the_lower", "takes the element below for the nearest one", HasNearest,
      By({.upper = [](const Line&, double) { return false; }}));
  add("rounds_half_down", "takes the lower one of two elements that are equally near", HasNearest,
      By({.upper = [](const Line& line, double rest) {
        return 2 * rest > static_cast<double>(line.scale_n);
      }}));
  add("takes_half_pixels", "takes the centers of elements for their places, whatever offset says",
      nullptr, By({.find = [](const Line& line, int64_t out) {
        const int64_t twice = (2 * out + 1) * line.scale_d - line.scale_n;
        return At(line, Floor(twice, 2));
      }}));
  add("aligns_corners", "stretches the first and last elements to the output's corners", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        const int64_t spread = std::max<int64_t>(line.out - 1, 1);
        return At(line, out * (line.in - 1) * line.scale_n / spread);
      }}));
  add("offset_before_scale", "adds offset to the output's position, not to the input's", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        return At(line, (out + line.offset) * line.scale_d);
      }}));
  add("subtracts_offset", "subtracts offset", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        return At(line, out * line.scale_d - line.offset);
      }}));
  add("inverts_scale", "takes numerator and denominator of the scale for each other", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        Line other = line;
        std::swap(other.scale_n, other.scale_d);
        Position position = At(other, out * other.scale_d + other.offset);
        position.rest *= static_cast<double>(line.scale_n) / static_cast<double>(other.scale_n);
        return position;
      }}));
  add("scale_in_8_bits", "keeps the eight low bits of the scale's numbers", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        Line other = line;
        other.scale_n = std::max<int64_t>(line.scale_n & 0xff, 1);
        other.scale_d = line.scale_d & 0xff;
        Position position = At(other, out * other.scale_d + other.offset);
        position.rest *= static_cast<double>(line.scale_n) / static_cast<double>(other.scale_n);
        return position;
      }}));
  add("wraps_at_the_border", "reads the first element where the last has no neighbour", nullptr,
      By({.find = [](const Line& line, int64_t out) {
        Position position = Right(line, out);
        if (position.high >= line.in) position.high = 0;
        return position;
      }}));
  add("swaps_weights", "weighs along y with what is due along x", HasBilinear,
      By({.swaps_weights = true}));
  add("takes_the_nearest", "takes the nearest element where it should interpolate", HasBilinear,
      By({.find = [](const Line& line, int64_t out) {
        Position position = Right(line, out);
        if (HalfUp(line, position.rest)) position.low = position.high;
        position.rest = 0;
        return position;
      }}));
  // The mode of integers is that of their type row.
  add("interpolates_whatever_the_mode", "interpolates where it should take the nearest element",
      FloatRows(), ByCall([](CallEditor& editor) {
        editor.SetEnum("mode", "BILINEAR");
        return !IsBilinear(editor.original());
      }));
  add("divides_by_the_scale", "divides by the scale, which an integer result keeps",
      IsBilinearOfIntegers, By({.divides = true}));
  add("weighs_in_16_parts", "rounds weights to sixteenths, as texture units do",
      Rows("in_t", {DType::kFp16, DType::kFp32}), By({.parts = 16}));
  add("sums_in_32_bits", "sums in 32 bits what has 48", Rows("out_t", {DType::kI48}),
      InArithmetic<NarrowSum>());
  add(
      "takes_bytes_unsigned", "reads the input's bytes without a sign",
      [](const TypeRow& row) { return IsBilinearOfIntegers(row) && HasType(row, DType::kI8); },
      InArithmetic<UnsignedInput>());
  add("interpolates_in_bf16", "rounds every step to bf16", Rows("in_t", {DType::kFp32}),
      InArithmetic<InBf16>());
  FaultFamily family("RESIZE");
  family.clause = "RESIZE, shape of the input";
  AddBatchFaults(family, {"input"}, "output");
  for (Fault& fault : family.Take()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace cts::resize_faults
