// RESIZE: conditions and semantics (section Image Operators).
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// One of the two directions of a call. A condition asks only for the values that it is about.
struct Direction {
  const Call& call;
  int64_t axis;  // 0: y, 1: x

  int64_t in() const { return call.shape("input")[static_cast<size_t>(1 + axis)]; }
  int64_t out() const { return call.shape("output")[static_cast<size_t>(1 + axis)]; }
  // out / in
  int64_t scale_n() const { return call.Integer("scale", 2 * axis); }
  int64_t scale_d() const { return call.Integer("scale", 2 * axis + 1); }
  int64_t offset() const { return call.Integer("offset", axis); }
  int64_t border() const { return call.Integer("border", axis); }

  bool IsScalePositive() const { return scale_n() > 0 && scale_d() > 0; }
};

Direction Y(const Call& c) { return {c, 0}; }
Direction X(const Call& c) { return {c, 1}; }

// The elements of a shape_t may be any int64_t, and the conditions multiply them. The rows below
// scale_positive assume a positive scale.
bool DownscaleTooSmall(const Direction& d) {
  return d.IsScalePositive() && d.scale_d() >= WideSize{16} * d.scale_n();
}
// Whether a value is outside `least` to `most` times scale_n, the latter excluded.
Breach IsOutside(const Direction& d, int64_t value, int64_t least, int64_t most) {
  if (d.scale_n() <= 0) return false;
  const WideSize first = WideSize{least} * d.scale_n(), last = WideSize{most} * d.scale_n() - 1;
  if (first <= value && value <= last) return false;
  const auto text = [](WideSize size) {
    const std::optional<int64_t> narrow = NarrowSize(size);
    return narrow ? std::to_string(*narrow) : kTooWide;
  };
  return Breach::Showing(value, ", expected ", text(first), " to ", text(last));
}
Breach OffsetOutOfRange(const Direction& d) { return IsOutside(d, d.offset(), -1, 16); }
Breach BorderOutOfRange(const Direction& d) { return IsOutside(d, d.border(), -16, 1); }
template <int kAxis>
Breach OutputSizeDiffers(const Call& c) {
  if (!Direction{c, kAxis}.IsScalePositive()) return false;
  return SizeDiffers(c.shape("output")[1 + kAxis], ResizedSize(c, kAxis));
}

// The place of an output position in the input: between low and high, `rest` / scale_n from the
// unclipped lower one.
struct Position {
  int64_t low, high, rest;
};

// The values of a direction that a computation needs, read once.
struct Line {
  explicit Line(const Direction& d)
      : in(d.in()), out(d.out()), scale_n(d.scale_n()), scale_d(d.scale_d()), offset(d.offset()) {}

  Position At(int64_t o) const {
    const int64_t position = o * scale_d + offset;
    int64_t index = position / scale_n;
    if (index * scale_n > position) --index;  // toward minus infinity
    // -1 <= index < in by the conditions, so that int16_t holds it.
    return {std::max<int64_t>(index, 0), std::min(index + 1, in - 1), position - index * scale_n};
  }

  int64_t in, out, scale_n, scale_d, offset;
};

// In integers for every type: rest / scale_n is exact enough in fp64 to compare with 0.5, but a
// narrow type could round it there.
int64_t Nearest(const Line& line, const Position& position) {
  return 2 * position.rest >= line.scale_n ? position.high : position.low;
}

// NEAREST: every element of the output is one of the input.
bool MoveNearest(const Operand& input, const Line& y, const Line& x, int64_t batches,
                 int64_t channels, Mover& mover) {
  std::vector<int64_t> columns;
  for (int64_t ox = 0; ox < x.out; ++ox) columns.push_back(Nearest(x, x.At(ox)) * channels);
  std::vector<MovedRow> rows;
  int64_t to = 0;
  for (int64_t row = 0; row < batches * y.out; ++row) {
    const int64_t from = row / y.out * y.in + Nearest(y, y.At(row % y.out));
    for (const int64_t column : columns) {
      rows.push_back({from * x.in * channels + column, to});
      to += channels;
    }
    if (rows.size() < kMovedRows && row + 1 < batches * y.out) continue;
    if (!mover.CopyRows(input, rows, channels)) return false;
    rows.clear();
  }
  return true;
}

// Elements of the input in the domain of the computation.
template <class Value>
void ReadElements(const Operand& input, int64_t first, std::vector<Value>& values) {
  const auto read = [&](auto element) {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<Value>(element(first + static_cast<int64_t>(i)));
    }
  };
  const uint8_t* const bytes = input.tensor->bytes().data();
  const DType type = input.tensor->dtype();
  if constexpr (std::is_same_v<Value, double>) {
    if (type == DType::kFp32 && !input.flush && !input.magnitude) {
      read([from = reinterpret_cast<const float*>(bytes)](int64_t i) { return from[i]; });
    } else {
      read([&](int64_t i) { return input.Element(i); });
    }
  } else if (type == DType::kI8) {
    read([from = reinterpret_cast<const int8_t*>(bytes)](int64_t i) { return from[i]; });
  } else if (type == DType::kI16) {
    read([from = reinterpret_cast<const int16_t*>(bytes)](int64_t i) { return from[i]; });
  } else {
    read([&](int64_t i) { return input.Integer(i); });
  }
}

// The weights of one direction: of the higher neighbour, and of the lower one.
template <class Value>
struct Weights {
  Value near = 0, far = 0;
};
template <class Value>
Weights<Value> WeightsOf(const Line& line, const Position& position) {
  if constexpr (std::is_same_v<Value, double>) {
    const double near = static_cast<double>(position.rest) / static_cast<double>(line.scale_n);
    return {near, 1.0 - near};
  }
  return {static_cast<Value>(position.rest), static_cast<Value>(line.scale_n - position.rest)};
}

// A row of the input, and its products with a weight of the other direction.
template <class Value>
struct WeightedRow {
  int64_t row = -1;  // among the rows of all batches
  Value weight = 0;
  std::vector<Value> values, products;

  explicit WeightedRow(int64_t length)
      : values(static_cast<size_t>(length)), products(static_cast<size_t>(length)) {}

  void Take(const Operand& input, int64_t wanted, Value wanted_weight) {
    if (row == wanted && weight == wanted_weight) return;
    if (row != wanted) {
      ReadElements(input, wanted * static_cast<int64_t>(values.size()), values);
    }
    row = wanted, weight = wanted_weight;
    for (size_t i = 0; i < values.size(); ++i) products[i] = values[i] * weight;
  }
};

// BILINEAR, row by row, into the elements of the output: the operations of the text in its order,
// without its type of every step. A row's products with the weights of y are those of every column
// that takes them. Integers must be narrow enough that none overflows.
template <class Value>
void PutBilinear(const Operand& input, const Line& y, const Line& x, int64_t batches,
                 int64_t channels, Value* out) {
  struct Column {
    int64_t low, high;  // elements from the beginning of a row
    Weights<Value> weights;
  };
  std::vector<Column> columns;
  for (int64_t ox = 0; ox < x.out; ++ox) {
    const Position at = x.At(ox);
    columns.push_back({at.low * channels, at.high * channels, WeightsOf<Value>(x, at)});
  }
  WeightedRow<Value> low(x.in * channels), high(x.in * channels);
  for (int64_t row = 0; row < batches * y.out; ++row) {
    const Position at = y.At(row % y.out);
    const Weights<Value> wy = WeightsOf<Value>(y, at);
    const int64_t first = row / y.out * y.in;
    if (high.row == first + at.low) std::swap(low, high);
    low.Take(input, first + at.low, wy.far);
    high.Take(input, first + at.high, wy.near);
    for (const Column& column : columns) {
      const Value* const v00 = low.products.data() + column.low;
      const Value* const v01 = low.products.data() + column.high;
      const Value* const v10 = high.products.data() + column.low;
      const Value* const v11 = high.products.data() + column.high;
      const Weights<Value> wx = column.weights;
      for (int64_t c = 0; c < channels; ++c) {
        Value acc = v00[c] * wx.far;
        acc = acc + v01[c] * wx.near;
        acc = acc + v10[c] * wx.far;
        acc = acc + v11[c] * wx.near;
        if constexpr (std::is_same_v<Value, double>) acc = OneNan(acc);
        out[c] = acc;
      }
      out += channels;
    }
  }
}

StatusOr<Shapes> InferResize(const Call& c) {
  const Shape& in = c.shape("input");
  return InferOfSizes(c, {in[0], ResizedSize(c, 0).Size(), ResizedSize(c, 1).Size(), in[3]});
}

}  // namespace

OperatorFacts ResizeFacts() {
  return {.infer = InferResize,
          .keeping = Keeping::kSilent,
          .dimensions = ResizeDimensions,
          .relations = ResizeRelations};
}

Conditions ResizeConditions() {
  return {
      {"resize.size_limit", ConditionKind::kErrorIf, "OH, OW, IH or IW is 16384 or more",
       [](const Call& c) {
         const Direction y = Y(c), x = X(c);
         return std::max({y.in(), y.out(), x.in(), x.out()}) >= 16384;
       }},
      {"resize.scale_positive", ConditionKind::kErrorIf,
       "a numerator or denominator of the scale is not positive",
       [](const Call& c) { return !Y(c).IsScalePositive() || !X(c).IsScalePositive(); }},
      {"resize.scale_numerator_limit", ConditionKind::kErrorIf,
       "scale_y_n or scale_x_n exceeds 2048",
       [](const Call& c) { return Y(c).scale_n() > 2048 || X(c).scale_n() > 2048; }},
      {"resize.downscale_limit", ConditionKind::kErrorIf,
       "a denominator of the scale is 16 times its numerator or more",
       [](const Call& c) { return DownscaleTooSmall(Y(c)) || DownscaleTooSmall(X(c)); }},
      {"resize.offset_y", ConditionKind::kErrorIf,
       "offset_y is outside -scale_y_n to 16 * scale_y_n - 1",
       [](const Call& c) { return OffsetOutOfRange(Y(c)); }},
      {"resize.offset_x", ConditionKind::kErrorIf,
       "offset_x is outside -scale_x_n to 16 * scale_x_n - 1",
       [](const Call& c) { return OffsetOutOfRange(X(c)); }},
      {"resize.border_y", ConditionKind::kErrorIf,
       "border_y is outside -16 * scale_y_n to scale_y_n - 1",
       [](const Call& c) { return BorderOutOfRange(Y(c)); }},
      {"resize.border_x", ConditionKind::kErrorIf,
       "border_x is outside -16 * scale_x_n to scale_x_n - 1",
       [](const Call& c) { return BorderOutOfRange(X(c)); }},
      {"resize.output_height", ConditionKind::kErrorIf,
       "OH is not ((IH - 1) * scale_y_n - offset_y + border_y) / scale_y_d + 1, or that does not "
       "divide",
       OutputSizeDiffers<0>},
      {"resize.output_width", ConditionKind::kErrorIf,
       "OW is not ((IW - 1) * scale_x_n - offset_x + border_x) / scale_x_d + 1, or that does not "
       "divide",
       OutputSizeDiffers<1>},
  };
}

void ComputeResize(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const Line dir_y(Y(call)), dir_x(X(call));
  const int64_t channels = call.shape("input")[3];
  // bf16 may be computed in fp32 (introduction, Number Formats), and 0.100's bound leaves no room
  // for rounding each step to bf16.
  const auto step = [&](std::string_view type) {
    return call.Type(type) == DType::kBf16 ? DType::kFp32 : call.Type(type);
  };
  const DType out_t = step("out_t"), resize_t = step("resize_t");
  // The other mode is NEAREST_NEIGHBOR in the enumeration and NEAREST in the pseudocode.
  const bool bilinear = call.Enum("mode") == "BILINEAR";

  const int64_t batches = call.shape("input")[0];
  const auto move = [&](Mover& mover) {
    return !bilinear && MoveNearest(input, dir_y, dir_x, batches, channels, mover);
  };
  const auto at = [&](auto& a, int64_t i) {
    const int64_t c = i % channels, ox = i / channels % dir_x.out;
    const int64_t oy = i / channels / dir_x.out % dir_y.out;
    const int64_t n = i / channels / dir_x.out / dir_y.out;
    const Position y = dir_y.At(oy), x = dir_x.At(ox);
    const auto in = [&](int64_t iy, int64_t ix) {
      return a.Load(input, ((n * dir_y.in + iy) * dir_x.in + ix) * channels + c);
    };
    if (!bilinear) return in(Nearest(dir_y, y), Nearest(dir_x, x));
    auto unit_y = a.FromInteger(1), unit_x = a.FromInteger(1);
    auto dy = a.FromInteger(y.rest), dx = a.FromInteger(x.rest);
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      dy = a.Div(resize_t, dy, a.FromInteger(dir_y.scale_n));
      dx = a.Div(resize_t, dx, a.FromInteger(dir_x.scale_n));
    } else {
      unit_y = dir_y.scale_n, unit_x = dir_x.scale_n;
    }
    const auto v00 = in(y.low, x.low), v01 = in(y.low, x.high);
    const auto v10 = in(y.high, x.low), v11 = in(y.high, x.high);
    const auto far_y = a.Sub(resize_t, unit_y, dy), far_x = a.Sub(resize_t, unit_x, dx);
    // A tap of weight 0 is multiplied, too: an infinity there makes a NaN.
    auto acc = a.Mul(out_t, a.Mul(out_t, v00, far_y), far_x);
    acc = a.Add(out_t, acc, a.Mul(out_t, a.Mul(out_t, v01, far_y), dx));
    acc = a.Add(out_t, acc, a.Mul(out_t, a.Mul(out_t, v10, dy), far_x));
    return a.Add(out_t, acc, a.Mul(out_t, a.Mul(out_t, v11, dy), dx));
  };
  // Where most columns are skipped, reading whole rows would not pay.
  const bool by_rows = bilinear && dir_x.in <= 4 * dir_x.out;
  const auto all = [&](auto& a, auto&& put) {
    using A = std::decay_t<decltype(a)>;
    const auto go = [&](auto* out) {
      if (out == nullptr) return false;
      PutBilinear(input, dir_y, dir_x, batches, channels, out);
      return true;
    };
    if (!by_rows) return false;
    if constexpr (std::is_same_v<A, Fp64>) {
      return go(put.template As<double>());
    } else if constexpr (std::is_same_v<A, Integer>) {
      // The weights of an element sum up to at most 2048 * 2048. An i16 times that fits i48, an i8
      // fits i32.
      const bool narrow =
          out_t == DType::kI32 ? input.tensor->dtype() == DType::kI8 : out_t == DType::kI48;
      if (!narrow || std::max(dir_y.scale_n, dir_x.scale_n) > 2048) return false;
      return out_t == DType::kI32 ? go(put.template As<int32_t>()) : go(put.template As<int64_t>());
    }
    return false;
  };
  computation.ForEachMoved("output", move, at, all);
}

}  // namespace cts
