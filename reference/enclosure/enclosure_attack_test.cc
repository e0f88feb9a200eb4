// Every pair of floating-point operators, from the most extreme inputs, by implementations that go
// as far as the text of 1.0 lets them: no enclosure may refuse one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/enclosure/adversary_testing.h"
#include "reference/enclosure/chains_testing.h"
#include "reference/enclosure/families_testing.h"

namespace cts {
namespace {

using namespace testing_chains;  // NOLINT(google-build-using-namespace): the words of chains

using Ints = std::vector<int64_t>;

// Numbers at which something changes.
double Extreme(Random& random, DType type) {
  const FloatFormat& format = Format(type);
  double x = 0;
  switch (random.Below(12)) {
    case 0:
      x = 0;
      break;
    case 1:
      x = format.subnormal_min() * static_cast<double>(1 + random.Below(4));
      break;
    case 2:
      x = format.normal_min();
      break;
    case 3:
      x = format.max;
      break;
    case 4:
      x = 1;
      break;
    case 5:
      x = std::ldexp(1.0, static_cast<int>(random.Below(24)) - 12);
      break;
    case 6:
      x = static_cast<double>(random.Below(9)) / 2;  // ties
      break;
    case 7:
      x = std::sqrt(format.max) * (0.5 + random.Unit());
      break;
    case 8:
      x = std::sqrt(format.normal_min()) * (0.5 + random.Unit());
      break;
    default:
      x = random.Between(0, 3);
  }
  x = RoundTo(type, x);
  for (uint64_t steps = random.Below(4); steps > 1; --steps) {
    const double next = random.Chance(2) ? StepUp(type, x) : StepDown(type, x);
    if (std::isfinite(next)) x = next;
  }
  if (random.Chance(60)) x = random.Chance(2) && format.has_infinity ? kInf : kNan;
  return random.Chance(2) ? x : -x;
}

Tensor Extremes(Random& random, DType type, const Shape& shape, bool tame) {
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    values.SetElement(i, tame ? random.Between(-2, 2) : Extreme(random, type));
  }
  return values;
}

struct Builder {
  const char* name;
  std::string (*add)(Chain& c, const std::string& x, const std::string& y);
};

std::string Same(Chain& c, const char* op, std::vector<std::string> operands, Attributes a = {}) {
  return c.Add(op, operands, c.Type(operands[0]), c.ShapeOf(operands[0]), std::move(a));
}
std::string Reshaped(Chain& c, const std::string& x, const Shape& shape) {
  return c.Add("RESHAPE", {x, c.ShapeConst(Ints(shape.begin(), shape.end()))}, c.Type(x), shape);
}
std::string Back(Chain& c, const std::string& x, const std::string& like) {
  std::string result = x;
  if (c.Type(x) != c.Type(like)) result = c.Add("CAST", {x}, c.Type(like), c.ShapeOf(x));
  if (c.ShapeOf(x) != c.ShapeOf(like)) result = Reshaped(c, result, c.ShapeOf(like));
  return result;
}
std::string Through(Chain& c, const std::string& x, DType type) {
  if (type == c.Type(x)) return Same(c, "IDENTITY", {x});
  // Only casts that 1.0 has.
  return Back(c, c.Add("CAST", {x}, type, c.ShapeOf(x)), x);
}
std::string Reduced(Chain& c, const char* op, const std::string& x, Attributes a = {}) {
  const Shape shape = c.ShapeOf(x);
  a["axis"] = int64_t{2};
  const std::string y = c.Add(op, {x}, c.Type(x), {shape[0], shape[1], 1}, std::move(a));
  return c.Add("TILE", {y, c.ShapeConst({1, 1, shape[2]})}, c.Type(x), shape);
}
DType SumType(DType in) { return in == DType::kBf16 ? DType::kFp32 : in; }
std::string Matmul(Chain& c, const std::string& x, const std::string& y) {
  return Back(c, c.Add("MATMUL", {x, y}, SumType(c.Type(x)), c.ShapeOf(x)), x);
}
std::string Acc(Chain& c, DType type) {
  return type == DType::kFp16 && c.random().Chance(2) ? "FP16" : "FP32";
}
std::string Bias(Chain& c, DType type, const std::string* from, int64_t n) {
  if (from != nullptr) {
    const std::string flat = Reshaped(c, *from, {ElementCount(c.ShapeOf(*from))});
    return c.Add("SLICE", {flat, c.ShapeConst({0}), c.ShapeConst({n})}, type, {n});
  }
  return c.Const(Extremes(c.random(), type, {n}, c.random().Chance(2)));
}
// [1, n, n] by [1, n, n]: an image of one channel, padded so that its size stays.
std::string Conv(Chain& c, const char* op, const std::string& x, const std::string& w,
                 const std::string* bias = nullptr) {
  const DType type = c.Type(x);
  const int64_t n = c.ShapeOf(x)[1], pad = n - 1;
  const std::string_view name = op;
  const bool transpose = name == "TRANSPOSE_CONV2D", depthwise = name == "DEPTHWISE_CONV2D";
  const bool volume = name == "CONV3D";
  const Shape image = volume ? Shape{1, 1, n, n, 1} : Shape{1, n, n, 1};
  const Shape kernel = volume      ? Shape{1, 1, n, n, 1}
                       : depthwise ? Shape{n, n, 1, 1}
                                   : Shape{1, n, n, 1};
  Attributes a{{"local_bound", c.random().Chance(2)}, {"acc_type", Acc(c, type)}};
  if (transpose) {
    a["out_pad"] = Ints{-pad, 0, 0, -pad};
    a["stride"] = Ints{1, 1};
  } else if (volume) {
    a["pad"] = Ints{0, 0, pad, 0, 0, pad};
    a["stride"] = a["dilation"] = Ints{1, 1, 1};
  } else {
    a["pad"] = Ints{pad, 0, 0, pad};
    a["stride"] = a["dilation"] = Ints{1, 1};
  }
  std::vector<std::string> operands{Reshaped(c, x, image), Reshaped(c, w, kernel),
                                    Bias(c, type, bias, 1)};
  if (name != "CONV2D") {
    operands.push_back(c.Zero(type));
    operands.push_back(c.Zero(type));
  }
  return Back(c, c.Add(op, operands, type, image, std::move(a)), x);
}
std::string Pool(Chain& c, const char* op, const std::string& x, Attributes a) {
  const int64_t n = c.ShapeOf(x)[1];
  a["pad"] = n == 1 ? Ints{0, 0, 0, 0} : Ints{1, 0, 0, 1};
  a["stride"] = Ints{1, 1};
  a["kernel"] = n == 1 ? Ints{1, 1} : Ints{2, 2};
  const Shape image{1, n, n, 1};
  return Back(c, c.Add(op, {Reshaped(c, x, image)}, c.Type(x), image, std::move(a)), x);
}
std::string Chosen(Chain& c, const char* compare, const std::string& x, const std::string& y) {
  const std::string condition = c.Add(compare, {x, y}, DType::kBool, c.ShapeOf(x));
  return c.Add("SELECT", {condition, y, x}, c.Type(x), c.ShapeOf(x));
}
std::string Clamped(Chain& c, const std::string& x, double lo, double hi, const char* mode) {
  return Same(c, "CLAMP", {x}, {{"min_val", lo}, {"max_val", hi}, {"nan_mode", std::string(mode)}});
}
Attributes Nan(const char* mode) { return {{"nan_mode", std::string(mode)}}; }
std::string Sized(Chain& c, const std::string& x, const char* mode) {
  const int64_t n = c.ShapeOf(x)[1];
  const std::string image = Reshaped(c, x, {1, n, n, 1});
  const std::string large = c.Add(
      "RESIZE", {image, c.ShapeConst({2, 1, 2, 1}), c.ShapeConst({0, 0}), c.ShapeConst({1, 1})},
      c.Type(x), {1, 2 * n, 2 * n, 1}, {{"mode", std::string(mode)}});
  const std::string start = c.ShapeConst({0, n == 1 ? 0 : 1, 0, 0});
  const std::string part =
      c.Add("SLICE", {large, start, c.ShapeConst({1, n, n, 1})}, c.Type(x), {1, n, n, 1});
  return Back(c, part, x);
}

// fp16 and bf16 by way of fp32, which both have casts to.
std::string Converted(Chain& c, const std::string& x, DType type) {
  if (c.Type(x) == type) return x;
  const std::string wide =
      c.Type(x) == DType::kFp32 ? x : c.Add("CAST", {x}, DType::kFp32, c.ShapeOf(x));
  return type == DType::kFp32 ? wide : c.Add("CAST", {wide}, type, c.ShapeOf(x));
}
// Operators whose operands are fp8 and whose sums are fp16.
std::string Fp8Matmul(Chain& c, const std::string& x, const std::string& y, DType fp8) {
  const std::string a = c.Add("CAST", {x}, fp8, c.ShapeOf(x));
  const std::string b = c.Add("CAST", {y}, fp8, c.ShapeOf(y));
  return Converted(c, c.Add("MATMUL", {a, b}, DType::kFp16, c.ShapeOf(x)), c.Type(x));
}
std::string Fp8Conv(Chain& c, const char* op, const std::string& x, const std::string& w,
                    DType fp8) {
  const DType type = c.Type(x);
  const int64_t n = c.ShapeOf(x)[1];
  const bool depthwise = std::string_view(op) == "DEPTHWISE_CONV2D";
  const std::string image = Reshaped(c, c.Add("CAST", {x}, fp8, c.ShapeOf(x)), {1, n, n, 1});
  const std::string kernel = Reshaped(c, c.Add("CAST", {w}, fp8, c.ShapeOf(w)),
                                      depthwise ? Shape{n, n, 1, 1} : Shape{1, n, n, 1});
  const std::string bias = c.Const(Extremes(c.random(), DType::kFp16, {1}, true));
  Attributes a{{"pad", Ints{n - 1, 0, 0, n - 1}},
               {"stride", Ints{1, 1}},
               {"dilation", Ints{1, 1}},
               {"local_bound", c.random().Chance(2)},
               {"acc_type", std::string("FP16")}};
  std::vector<std::string> operands{image, kernel, bias};
  if (depthwise) {
    operands.push_back(c.Zero(fp8));
    operands.push_back(c.Zero(fp8));
  }
  const std::string sums = c.Add(op, std::move(operands), DType::kFp16, {1, n, n, 1}, std::move(a));
  return Converted(c, Reshaped(c, sums, c.ShapeOf(x)), type);
}

const Builder kBuilders[] = {
    {"MATMUL fp8e4m3",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Fp8Matmul(c, x, y, DType::kFp8E4M3);
     }},
    {"MATMUL fp8e5m2",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Fp8Matmul(c, y, x, DType::kFp8E5M2);
     }},
    {"CONV2D fp8e4m3",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Fp8Conv(c, "CONV2D", x, y, DType::kFp8E4M3);
     }},
    {"DEPTHWISE_CONV2D fp8e5m2",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Fp8Conv(c, "DEPTHWISE_CONV2D", y, x, DType::kFp8E5M2);
     }},
    {"ARGMAX fp8e4m3",
     [](Chain& c, const std::string& x, const std::string&) {
       const Shape s = c.ShapeOf(x);
       const std::string narrow = c.Add("CAST", {x}, DType::kFp8E4M3, s);
       Attributes a = Nan("PROPAGATE");
       a["axis"] = int64_t{2};
       const std::string at = c.Add("ARGMAX", {narrow}, DType::kI32, {s[0], s[1]}, std::move(a));
       const std::string column = Reshaped(c, at, {s[0], s[1], 1});
       const std::string number = c.Add("CAST", {column}, c.Type(x), {s[0], s[1], 1});
       return c.Add("TILE", {number, c.ShapeConst({1, 1, s[2]})}, c.Type(x), s);
     }},
    {"EXP", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "EXP", {x}); }},
    {"LOG", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "LOG", {x}); }},
    {"TANH",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "TANH", {x}); }},
    {"SIGMOID",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "SIGMOID", {x}); }},
    {"ERF", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "ERF", {x}); }},
    {"CEIL",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "CEIL", {x}); }},
    {"FLOOR",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "FLOOR", {x}); }},
    {"RECIPROCAL",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "RECIPROCAL", {x}); }},
    {"RSQRT",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "RSQRT", {x}); }},
    {"SIN", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "SIN", {x}); }},
    {"COS", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "COS", {x}); }},
    {"NEGATE",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "NEGATE", {x}); }},
    {"ABS", [](Chain& c, const std::string& x, const std::string&) { return Same(c, "ABS", {x}); }},
    {"ADD",
     [](Chain& c, const std::string& x, const std::string& y) { return Same(c, "ADD", {x, y}); }},
    {"ADD itself",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "ADD", {x, x}); }},
    {"SUB",
     [](Chain& c, const std::string& x, const std::string& y) { return Same(c, "SUB", {x, y}); }},
    {"SUB from",
     [](Chain& c, const std::string& x, const std::string& y) { return Same(c, "SUB", {y, x}); }},
    {"SUB itself",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "SUB", {x, x}); }},
    {"MUL",
     [](Chain& c, const std::string& x, const std::string& y) { return Same(c, "MUL", {x, y}); }},
    {"MUL itself",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "MUL", {x, x}); }},
    {"MAXIMUM",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "MAXIMUM", {x, y}, Nan("PROPAGATE"));
     }},
    {"MAXIMUM of numbers",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "MAXIMUM", {x, y}, Nan("IGNORE"));
     }},
    {"MINIMUM",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "MINIMUM", {y, x}, Nan("PROPAGATE"));
     }},
    {"MINIMUM of numbers",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "MINIMUM", {y, x}, Nan("IGNORE"));
     }},
    {"POW",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "POW", {Same(c, "EXP", {x}), y});
     }},
    {"POW base",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Same(c, "POW", {Same(c, "EXP", {y}), x});
     }},
    {"REDUCE_SUM",
     [](Chain& c, const std::string& x, const std::string&) { return Reduced(c, "REDUCE_SUM", x); }},
    {"REDUCE_PRODUCT",
     [](Chain& c, const std::string& x, const std::string&) {
       return Reduced(c, "REDUCE_PRODUCT", x);
     }},
    {"REDUCE_MAX",
     [](Chain& c, const std::string& x, const std::string&) {
       return Reduced(c, "REDUCE_MAX", x, Nan("PROPAGATE"));
     }},
    {"REDUCE_MIN",
     [](Chain& c, const std::string& x, const std::string&) {
       return Reduced(c, "REDUCE_MIN", x, Nan("IGNORE"));
     }},
    {"MATMUL", [](Chain& c, const std::string& x, const std::string& y) { return Matmul(c, x, y); }},
    {"MATMUL by", [](Chain& c, const std::string& x,
                     const std::string& y) { return Matmul(c, y, x); }},
    {"MATMUL itself",
     [](Chain& c, const std::string& x, const std::string&) { return Matmul(c, x, x); }},
    {"CONV2D",
     [](Chain& c, const std::string& x, const std::string& y) { return Conv(c, "CONV2D", x, y); }},
    {"CONV2D by",
     [](Chain& c, const std::string& x, const std::string& y) { return Conv(c, "CONV2D", y, x); }},
    {"CONV2D with bias", [](Chain& c, const std::string& x,
                            const std::string& y) { return Conv(c, "CONV2D", y, y, &x); }},
    {"CONV2D itself",
     [](Chain& c, const std::string& x, const std::string&) { return Conv(c, "CONV2D", x, x, &x); }},
    {"CONV3D",
     [](Chain& c, const std::string& x, const std::string& y) { return Conv(c, "CONV3D", x, y, &x); }},
    {"DEPTHWISE_CONV2D",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Conv(c, "DEPTHWISE_CONV2D", y, x, &x);
     }},
    {"TRANSPOSE_CONV2D",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Conv(c, "TRANSPOSE_CONV2D", x, y);
     }},
    {"TRANSPOSE_CONV2D by",
     [](Chain& c, const std::string& x, const std::string& y) {
       return Conv(c, "TRANSPOSE_CONV2D", y, x, &x);
     }},
    {"AVG_POOL2D",
     [](Chain& c, const std::string& x, const std::string&) {
       return Pool(c, "AVG_POOL2D", x, {{"acc_type", Acc(c, c.Type(x))}});
     }},
    {"MAX_POOL2D",
     [](Chain& c, const std::string& x, const std::string&) {
       return Pool(c, "MAX_POOL2D", x, Nan(c.random().Chance(2) ? "IGNORE" : "PROPAGATE"));
     }},
    {"FFT2D real",
     [](Chain& c, const std::string& x, const std::string& y) {
       return c
           .AddPair("FFT2D", {x, y}, c.Type(x), c.ShapeOf(x),
                    {{"inverse", c.random().Chance(2)}, {"local_bound", c.random().Chance(2)}})
           .first;
     }},
    {"FFT2D imaginary",
     [](Chain& c, const std::string& x, const std::string& y) {
       return c
           .AddPair("FFT2D", {y, x}, c.Type(x), c.ShapeOf(x),
                    {{"inverse", c.random().Chance(2)}, {"local_bound", c.random().Chance(2)}})
           .second;
     }},
    {"RFFT2D",
     [](Chain& c, const std::string& x, const std::string&) {
       Shape shape = c.ShapeOf(x);
       const int64_t n = shape[2];
       shape[2] = n / 2 + 1;
       const std::string real =
           c.AddPair("RFFT2D", {x}, c.Type(x), shape, {{"local_bound", c.random().Chance(2)}})
               .first;
       return c.Add("SLICE", {real, c.ShapeConst({0, 0, 0}), c.ShapeConst({1, n, n})}, c.Type(x),
                    {1, n, n});
     }},
    {"CLAMP",
     [](Chain& c, const std::string& x, const std::string&) {
       const DType t = c.Type(x);
       const double a = Extreme(c.random(), t), b = Extreme(c.random(), t);
       if (std::isnan(a) || std::isnan(b)) return Clamped(c, x, 0, 6, "PROPAGATE");
       return Clamped(c, x, std::min(a, b), std::max(a, b),
                      c.random().Chance(2) ? "IGNORE" : "PROPAGATE");
     }},
    {"RELU",
     [](Chain& c, const std::string& x, const std::string&) {
       return Clamped(c, x, 0, Format(c.Type(x)).max, "PROPAGATE");
     }},
    {"GREATER", [](Chain& c, const std::string& x,
                   const std::string& y) { return Chosen(c, "GREATER", x, y); }},
    {"GREATER_EQUAL", [](Chain& c, const std::string& x,
                         const std::string& y) { return Chosen(c, "GREATER_EQUAL", y, x); }},
    {"EQUAL",
     [](Chain& c, const std::string& x, const std::string& y) { return Chosen(c, "EQUAL", x, y); }},
    {"CAST fp32", [](Chain& c, const std::string& x,
                     const std::string&) { return Through(c, x, DType::kFp32); }},
    {"CAST fp16",
     [](Chain& c, const std::string& x, const std::string&) {
       const DType t = c.Type(x) == DType::kBf16 ? DType::kFp32 : DType::kFp16;
       return Through(c, x, t);
     }},
    {"CAST bf16",
     [](Chain& c, const std::string& x, const std::string&) {
       const DType t = c.Type(x) == DType::kFp16 ? DType::kFp32 : DType::kBf16;
       return Through(c, x, t);
     }},
    {"CAST fp8e4m3", [](Chain& c, const std::string& x,
                        const std::string&) { return Through(c, x, DType::kFp8E4M3); }},
    {"CAST fp8e5m2", [](Chain& c, const std::string& x,
                        const std::string&) { return Through(c, x, DType::kFp8E5M2); }},
    {"CAST i8", [](Chain& c, const std::string& x,
                   const std::string&) { return Through(c, x, DType::kI8); }},
    {"CAST i32", [](Chain& c, const std::string& x,
                    const std::string&) { return Through(c, x, DType::kI32); }},
    {"RESIZE",
     [](Chain& c, const std::string& x, const std::string&) { return Sized(c, x, "BILINEAR"); }},
    {"RESIZE nearest",
     [](Chain& c, const std::string& x, const std::string&) {
       return Sized(c, x, "NEAREST_NEIGHBOR");
     }},
    {"IDENTITY",
     [](Chain& c, const std::string& x, const std::string&) { return Same(c, "IDENTITY", {x}); }},
    {"REVERSE",
     [](Chain& c, const std::string& x, const std::string&) {
       return Same(c, "REVERSE", {x}, {{"axis", int64_t{2}}});
     }},
    {"CONCAT",
     [](Chain& c, const std::string& x, const std::string& y) {
       const Shape s = c.ShapeOf(x);
       const std::string both = c.Add("CONCAT", {x, y}, c.Type(x), {s[0], s[1], 2 * s[2]},
                                      {{"axis", int64_t{2}}});
       const int64_t start = c.random().Chance(2) ? 1 : 0;
       return c.Add("SLICE", {both, c.ShapeConst({0, 0, start}), c.ShapeConst(Ints(s.begin(), s.end()))},
                    c.Type(x), s);
     }},
    {"PAD",
     [](Chain& c, const std::string& x, const std::string& y) {
       const Shape s = c.ShapeOf(x);
       const std::string value = Bias(c, c.Type(x), &y, 1);
       const std::string padded = c.Add("PAD", {x, c.ShapeConst({0, 0, 1, 0, 0, 0}), value},
                                        c.Type(x), {s[0], s[1] + 1, s[2]});
       return c.Add("SLICE", {padded, c.ShapeConst({0, 0, 0}), c.ShapeConst(Ints(s.begin(), s.end()))},
                    c.Type(x), s);
     }},
    {"GATHER",
     [](Chain& c, const std::string& x, const std::string&) {
       const Shape s = c.ShapeOf(x);
       Tensor at(DType::kI32, {s[0], s[1]});
       return Same(c, "GATHER", {x, c.Const(std::move(at))});
     }},
    {"ARGMAX",
     [](Chain& c, const std::string& x, const std::string&) {
       const Shape s = c.ShapeOf(x);
       Attributes a = Nan(c.random().Chance(2) ? "IGNORE" : "PROPAGATE");
       a["axis"] = int64_t{2};
       const std::string at = c.Add("ARGMAX", {x}, DType::kI32, {s[0], s[1]}, std::move(a));
       const std::string column = Reshaped(c, at, {s[0], s[1], 1});
       const std::string number = c.Add("CAST", {column}, c.Type(x), {s[0], s[1], 1});
       return c.Add("TILE", {number, c.ShapeConst({1, 1, s[2]})}, c.Type(x), s);
     }},
};

struct Count {
  int64_t graphs = 0, invalid = 0, unsupported = 0, runs = 0, judged = 0, unlimited = 0,
          elements = 0, refused = 0;
};

std::string Listing(Chain& chain) {
  std::string text;
  for (const GraphOperator& node : chain.block().operators) {
    if (node.op == "CONST_SHAPE") continue;
    const GraphTensor& out = *chain.block().Find(node.outputs[0]);
    text += StrCat("\n    ", node.outputs[0], " = ", node.op, "(");
    for (const std::string& input : node.inputs) text += StrCat(input, " ");
    text += StrCat(") ", Name(out.dtype));
    if (out.values != nullptr && IsFloat(out.dtype)) {
      for (const double v : out.values->Elements()) text += " " + Digits(v);
    }
  }
  for (const auto& [name, value] : chain.inputs) {
    text += StrCat("\n    ", name, ":");
    for (const double v : value.Elements()) text += " " + Digits(v);
  }
  return text;
}

// The reference's answer to a graph, in one execution or several; outputs have their names in
// results.
StatusOr<Evaluation> EnclosedAnswer(const Graph& graph, const InputSequence& inputs,
                                    const testing_graph::Setting& setting) {
  CTS_ASSIGN_OR_RETURN(
      std::vector<Evaluation> evaluations,
      EvaluateSequence(graph, inputs, setting.edition, setting.level, -1, Chains::kEnclosed));
  Evaluation all = std::move(evaluations.back());
  evaluations.pop_back();
  for (Evaluation& each : evaluations) {
    for (ExpectedOutput& output : each.outputs) all.outputs.push_back(std::move(output));
  }
  for (ExpectedOutput& output : all.outputs) output.name = ResultName(output);
  return all;
}

// One graph, judged against several implementations. `like`, if any, is evaluated in its place: a
// graph with control flow or variables that does the same, in one execution or several.
struct Alike {
  const Graph& graph;
  InputSequence inputs;
  std::map<std::string, std::string> names;  // of its outputs in the other graph
};
std::string Attack(Chain& chain, std::string_view edition, int implementations, Count* count,
                   const Alike* like = nullptr) {
  const testing_graph::Setting setting(edition);
  Random& random = chain.random();
  ++count->graphs;
  const auto evaluation = like == nullptr ? EnclosedAnswer(chain.graph, {&chain.inputs}, setting)
                                          : EnclosedAnswer(like->graph, like->inputs, setting);
  if (!evaluation.ok()) return StrCat("status ", Message(evaluation.status()));
  if (evaluation->outcome == Outcome::kUnsupported) {
    ++count->unsupported;
    return "";
  }
  if (evaluation->outcome != Outcome::kValid) {
    ++count->invalid;
    return "";
  }
  for (const ExpectedOutput& output : evaluation->outputs) {
    if (!output.rule.enclosure) continue;
    ++count->judged;
    for (int64_t i = 0; i < output.answers[0].expected.size(); ++i) {
      ++count->elements;
      if (!IsFloat(output.dtype)) continue;
      count->unlimited += std::isinf(output.answers[0].expected.Element(i)) &&
                          std::isinf(output.answers[0].upper->Element(i));
    }
  }
  for (int k = 0; k < implementations; ++k) {
    Adversary adversary(setting.edition, setting.level, random);
    const bool flushes = random.Chance(3), unrounded = random.Chance(2);
    const Way all = RandomWay(random);
    const bool one_way = random.Chance(3);
    std::string said;
    for (const GraphOperator& node : chain.block().operators) {
      if (IsConstant(node)) continue;
      Way way = one_way ? all : RandomWay(random);
      way.flushes = flushes;
      way.flushes_unrounded = unrounded;
      for (const std::string& name : node.outputs) adversary.ways[name] = way;
      said +=
          StrCat(" ", node.outputs[0], ":", static_cast<int>(way.end), "/",
                 static_cast<int>(way.kept), way.reference ? "r" : "", way.other_zero ? "z" : "");
    }
    if (!adversary.Run(chain, flushes)) continue;
    ++count->runs;
    for (const ExpectedOutput& output : evaluation->outputs) {
      const std::string& name = like == nullptr ? output.name : like->names.at(output.name);
      const std::string refused = RefusedElement(output, adversary.held(name));
      if (refused.empty()) continue;
      ++count->refused;
      return StrCat(output.name, refused, flushes ? unrounded ? " flushes early" : " flushes" : "",
                    said, Listing(chain));
    }
  }
  return "";
}

StatusOr<Evaluation> Enclosed(const Chain& chain, std::string_view edition = "tosa-1.0") {
  const testing_graph::Setting setting(edition);
  return Evaluate(chain.graph, chain.inputs, setting.edition, setting.level, -1, Chains::kEnclosed);
}
// Whether the only output may be `values`.
bool MayBe(const Evaluation& evaluation, const std::vector<double>& values) {
  const ExpectedOutput& output = evaluation.outputs[0];
  return RefusedElement(output, Tensor::OfFloats(DType::kFp64, output.shape, values)).empty();
}
std::string Given(Chain& chain, DType type, const std::vector<double>& values) {
  const std::string x = chain.Input(type, {static_cast<int64_t>(values.size())});
  chain.inputs.at(x) = Tensor::OfFloats(type, {static_cast<int64_t>(values.size())}, values);
  return x;
}

// By hand: fp16 has 1 and 1 + 2^-10. Both roundings of 1 + 2^-12 give 1, but an implementation that
// does not narrow between two casts still has the number. 2^17 is beyond fp16, and infinite there.
TEST(Enclosure, KeepsTheNumberThatACastNarrowsThoughBothRoundingsAgree) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp32, {1 + 0x1p-12, 0x1p17, 3});
  const std::string narrow = chain.Add("CAST", {x}, DType::kFp16, {3});
  chain.block().outputs = {chain.Add("CAST", {narrow}, DType::kFp32, {3})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
  EXPECT_TRUE(MayBe(*evaluation, {1, kInf, 3}));
  EXPECT_TRUE(MayBe(*evaluation, {1 + 0x1p-12, 0x1p17, 3}));
  EXPECT_FALSE(MayBe(*evaluation, {1 + 0x1p-10, kInf, 3}));
  EXPECT_FALSE(MayBe(*evaluation, {1, 65504, 3}));
}

// A cast that changes no number is exact, and the next operator keeps its own rule.
TEST(Enclosure, GoesOnFromACastThatChangedNothing) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp32, {1.5, -kInf, 3});
  const std::string narrow = chain.Add("CAST", {x}, DType::kFp16, {3});
  chain.block().outputs = {chain.Add("EXP", {narrow}, DType::kFp16, {3})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outputs[0].rule.kind, RuleKind::kAbsoluteBound);
}

// fp8e4m3 has no infinity: NaN stands for one, and for 500.
TEST(Enclosure, KeepsTheNumberBehindANanThatStandsForOverflow) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp32, {500, kInf, 3});
  const std::string narrow = chain.Add("CAST", {x}, DType::kFp8E4M3, {3});
  chain.block().outputs = {chain.Add("CAST", {narrow}, DType::kFp32, {3})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_TRUE(MayBe(*evaluation, {500, kInf, 3}));
  EXPECT_TRUE(MayBe(*evaluation, {kNan, kNan, 3}));
}

// SIGMOID's bound grows with its argument. Infinity of fp16 stands for e^20, of which a wider type
// may hold the number, and the bound of that is 2^-10 * 2 * (1 + e^20).
TEST(Enclosure, OfAFunctionWhoseBoundGrowsHasNoLimitWhereTheArgumentMayOverflow) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp16, {20, 1});
  const std::string power = chain.Add("EXP", {x}, DType::kFp16, {2});
  chain.block().outputs = {chain.Add("SIGMOID", {power}, DType::kFp16, {2})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_TRUE(MayBe(*evaluation, {-60000, 0.9375}));
  EXPECT_FALSE(MayBe(*evaluation, {1, 0.5}));
}

// CLAMP may give a zero of either sign, whose reciprocal is an infinity of that sign.
TEST(Enclosure, OfAZeroOfEitherSignGoesOnWithBoth) {
  for (const char* op : {"RECIPROCAL", "RSQRT"}) {
    Random random(1);
    Chain chain(random);
    const std::string x = Given(chain, DType::kFp32, {-2, 1});
    const std::string zero =
        chain.Add("CLAMP", {x}, DType::kFp32, {2},
                  {{"min_val", 0.0}, {"max_val", 6.0}, {"nan_mode", std::string("PROPAGATE")}});
    chain.block().outputs = {chain.Add(op, {zero}, DType::kFp32, {2})};
    const auto evaluation = Enclosed(chain);
    ASSERT_TRUE(evaluation.ok()) << evaluation.status();
    EXPECT_TRUE(MayBe(*evaluation, {kInf, 1})) << op;
    EXPECT_TRUE(MayBe(*evaluation, {-kInf, 1})) << op;
    EXPECT_FALSE(MayBe(*evaluation, {kInf, 1.5})) << op;
  }
}

// e * -e * -e, and e * e * -e: signs that are known give a sign.
TEST(Enclosure, OfAProductKnowsItsSign) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp32, {1, 1, 1, 1, 1, 1});
  const std::string e = chain.Add("EXP", {x}, DType::kFp32, {6});
  const std::string signs = Given(chain, DType::kFp32, {1, -1, -1, 1, 1, -1});
  const std::string factors = chain.Add("MUL", {e, signs}, DType::kFp32, {6});
  const std::string rows =
      chain.Add("RESHAPE", {factors, chain.ShapeConst({2, 3})}, DType::kFp32, {2, 3});
  chain.block().outputs = {
      chain.Add("REDUCE_PRODUCT", {rows}, DType::kFp32, {2, 1}, {{"axis", int64_t{1}}})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  const double e3 = std::exp(3.0);
  EXPECT_TRUE(MayBe(*evaluation, {e3, -e3}));
  EXPECT_FALSE(MayBe(*evaluation, {-e3, -e3}));
  EXPECT_FALSE(MayBe(*evaluation, {e3, e3}));
  EXPECT_FALSE(MayBe(*evaluation, {e3, 0}));
}

// 1 / (x - x) may be NaN, which this mode ignores: the maximum is no less than the other operand.
TEST(Enclosure, OfAMaximumThatIgnoresNanKeepsTheOtherOperandsEnd) {
  Random random(1);
  Chain chain(random);
  const std::string x = Given(chain, DType::kFp32, {1, 2});
  const std::string e = chain.Add("EXP", {x}, DType::kFp32, {2});
  const std::string zero = chain.Add("SUB", {e, e}, DType::kFp32, {2});
  const std::string any = chain.Add("RECIPROCAL", {zero}, DType::kFp32, {2});
  const std::string most =
      chain.Add("MAXIMUM", {any, e}, DType::kFp32, {2}, {{"nan_mode", std::string("IGNORE")}});
  chain.block().outputs = {
      chain.Add("MINIMUM", {most, x}, DType::kFp32, {2}, {{"nan_mode", std::string("PROPAGATE")}})};
  const auto evaluation = Enclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_TRUE(MayBe(*evaluation, {1, 2}));
  EXPECT_FALSE(MayBe(*evaluation, {0.5, 2}));
  EXPECT_FALSE(MayBe(*evaluation, {kNan, 2}));
}

TEST(Enclosure, OfAZeroOfEitherSignBindsNoSign) {
  for (const char* op : {"TANH", "SIN", "CEIL", "FLOOR"}) {
    Random random(1);
    Chain chain(random);
    const std::string x = Given(chain, DType::kFp32, {-0.0, 1});
    const std::string zero = chain.Add("MAXIMUM", {x, Given(chain, DType::kFp32, {0.0, 0.0})},
                                       DType::kFp32, {2}, {{"nan_mode", std::string("PROPAGATE")}});
    chain.block().outputs = {chain.Add(op, {zero}, DType::kFp32, {2})};
    const auto evaluation = Enclosed(chain);
    ASSERT_TRUE(evaluation.ok()) << evaluation.status();
    const ExpectedOutput& output = evaluation->outputs[0];
    EXPECT_FALSE(output.rule.zero_sign) << op;
    EXPECT_EQ(output.rule.kind, RuleKind::kAbsoluteBound) << op;
    // An input's own zero has its sign.
    chain.block().outputs = {chain.Add(op, {x}, DType::kFp32, {2})};
    EXPECT_TRUE(Enclosed(chain)->outputs[0].rule.zero_sign) << op;
  }
}

// --- The draft before 1.0.
// --------------------------------

// The value of a constant as an attribute.
AttributeValue AsAttribute(const GraphTensor& constant, const std::string& name) {
  if (name.ends_with("_zp")) return int64_t{0};  // the only one of floating-point types
  if (IsFloat(constant.dtype)) return constant.values->Element(0);
  return constant.values->Integers();
}

// The same graph in another edition, where operands may be attributes, or the other way round not
// be there; false if it lacks an operator, or has an attribute for what is computed.
bool Translate(Graph& graph, const Edition& from, const Edition& to) {
  Block& block = graph.main();
  for (GraphOperator& node : block.operators) {
    const OperatorSpec* const old = from.FindOperator(node.op);
    const OperatorSpec* const now = to.FindOperator(node.op);
    if (now == nullptr) return false;
    if (IsConstant(node)) continue;
    std::map<std::string, std::vector<std::string>> operands;
    size_t next = 0;
    for (const ArgumentSpec& argument : old->arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      const size_t count = argument.type == "tensor_list_t" ? node.inputs.size() : next + 1;
      for (; next < count && next < node.inputs.size(); ++next) {
        operands[argument.name].push_back(node.inputs[next]);
      }
    }
    if (node.op == "MUL") {  // whose shift has another rank
      for (GraphTensor& tensor : block.tensors) {
        if (tensor.name != node.inputs[2]) continue;
        tensor.shape = {};
        tensor.values = std::make_shared<const Tensor>(tensor.dtype, Shape{});
      }
    }
    node.inputs.clear();
    Attributes attributes;
    for (const ArgumentSpec& argument : now->arguments) {
      const auto operand = operands.find(argument.name);
      if (argument.category == ArgumentCategory::kInput && operand != operands.end()) {
        node.inputs.insert(node.inputs.end(), operand->second.begin(), operand->second.end());
      }
      if (argument.category != ArgumentCategory::kAttribute) continue;
      if (operand != operands.end()) {
        if (block.Find(operand->second[0])->values == nullptr) return false;
        attributes[argument.name] = AsAttribute(*block.Find(operand->second[0]), argument.name);
      } else if (node.attributes.contains(argument.name)) {
        attributes[argument.name] = node.attributes.at(argument.name);
      }
    }
    node.attributes = std::move(attributes);
  }
  return true;
}

// One pair, from inputs that the seed chooses, or a third operator behind it.
std::string TryPair(const Builder& one, const Builder& two, const Builder* three, DType type,
                    uint64_t seed, int implementations, Count* count, bool draft = false) {
  Random random(seed);
  Chain chain(random);
  const int64_t n = random.Chance(3) ? 1 : 2;
  const bool tame = random.Chance(3);
  const Shape shape{1, n, n};
  const std::string x = chain.Input(type, shape), y = chain.Input(type, shape);
  const bool infinite = random.Chance(3);
  for (auto& [name, value] : chain.inputs) {
    value = Extremes(random, type, shape, tame);
    if (infinite && random.Chance(2)) value.SetElement(0, random.Chance(2) ? kInf : -kInf);
  }
  const auto other = [&](const std::string& made) {
    return random.Chance(4) ? made : random.Chance(2) ? x : y;
  };
  std::vector<std::string> made{one.add(chain, x, y)};
  made.push_back(two.add(chain, made[0], other(made[0])));
  if (three != nullptr) made.push_back(three->add(chain, made[1], other(made[random.Below(2)])));
  chain.block().outputs.assign(made.rbegin(), made.rend());
  if (!draft) return Attack(chain, "tosa-1.0", implementations, count);
  const testing_graph::Setting released("tosa-1.0"), before("tosa-0.100");
  if (!Translate(chain.graph, released.edition, before.edition)) return "";
  return Attack(chain, "tosa-0.100", implementations, count);
}

// --- Quotients.
// --------------------------------

// Positive numbers over their sum, with or without an offset that cancels, some of them masked.
std::string RandomQuotient(Chain& chain, DType type) {
  Random& random = chain.random();
  const auto rows = static_cast<int64_t>(1 + random.Below(2)),
             n = static_cast<int64_t>(1 + random.Below(9));
  const bool turned = random.Chance(3);
  const Shape shape = turned ? Shape{n, rows} : Shape{rows, n},
              one = turned ? Shape{1, rows} : Shape{rows, 1};
  const Attributes axis{{"axis", int64_t{turned ? 0 : 1}}};
  const double reach = std::ldexp(1.0, static_cast<int>(random.Below(9)) - 2);
  std::string x = chain.Input(type, shape, -reach, reach);
  if (random.Chance(2)) x = Same(chain, "MUL", {x, chain.Input(type, shape, -1, 1)});
  if (random.Chance(3)) {
    Tensor mask(type, shape);
    for (int64_t i = 0; i < mask.size(); ++i) {
      if (random.Chance(3)) mask.SetElement(i, -kInf);
    }
    x = Same(chain, "ADD", {x, chain.Const(std::move(mask))});
  }
  std::string terms;
  switch (random.Below(4)) {
    case 0:
      terms = Same(chain, "SIGMOID", {x});
      break;
    case 1:
      terms = Same(chain, "EXP", {x});
      break;
    default: {
      Attributes maximum = axis;
      maximum["nan_mode"] = std::string("PROPAGATE");
      std::string offset = chain.Add("REDUCE_MAX", {x}, type, one, maximum);
      if (random.Chance(4)) offset = Same(chain, "ADD", {offset, chain.Input(type, one, -3, 3)});
      terms = Same(chain, "EXP", {Same(chain, "SUB", {x, offset})});
    }
  }
  const std::string sum = chain.Add("REDUCE_SUM", {terms}, type, one, axis);
  const std::string part = Same(chain, "RECIPROCAL", {sum});
  const bool first = random.Chance(2);
  return chain.Add("MUL", {first ? terms : part, first ? part : terms}, type, shape);
}

// An implementation that makes one share of a quotient as large or as small as it can: its own term
// the one way, all others and the sum the other way. `kept`: also in the bits that it keeps.
void GoOneWay(const Block& block, int64_t one, bool up, bool kept, Adversary* adversary) {
  using End = Way::End;
  for (const GraphOperator& node : block.operators) {
    const std::string& op = node.op;
    const bool is_sum = op == "REDUCE_SUM", of_all = is_sum || op == "RECIPROCAL";
    Way way{.end = of_all ? (is_sum == up ? End::kLeast : End::kGreatest)
                          : (up ? End::kOneUp : End::kOneDown),
            .one = one};
    if (op == "REDUCE_MAX" || IsConstant(node)) way.end = End::kNearest;
    if (kept) way.kept = way.end;
    for (const std::string& name : node.outputs) adversary->ways[name] = way;
  }
}

TEST(EnclosureAttack, NoQuotientIsRefused) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  Count count;
  int refused = 0;
  for (uint64_t seed = 0; seed < (whole ? 5000 : 400) && refused < 5; ++seed) {
    for (const bool draft : {false, true}) {
      Random random(seed);
      Chain chain(random);
      chain.block().outputs = {RandomQuotient(chain, kTypes[seed % 3])};
      const testing_graph::Setting released("tosa-1.0"), before("tosa-0.100");
      if (draft && !Translate(chain.graph, released.edition, before.edition)) continue;
      std::string text = Attack(chain, draft ? "tosa-0.100" : "tosa-1.0", 20, &count);
      const testing_graph::Setting& setting = draft ? before : released;
      const auto evaluation = EnclosedAnswer(chain.graph, {&chain.inputs}, setting);
      ASSERT_TRUE(evaluation.ok() && evaluation->outcome == Outcome::kValid);
      const ExpectedOutput& output = evaluation->outputs[0];
      for (int64_t k = 0; k < 4 * ElementCount(output.shape) && text.empty(); ++k) {
        Adversary adversary(setting.edition, setting.level, random);
        GoOneWay(chain.block(), k / 4, k % 2 == 0, k % 4 < 2, &adversary);
        ASSERT_TRUE(adversary.Run(chain));
        ++count.runs;
        text = RefusedElement(output, adversary.held(output.name));
      }
      EXPECT_EQ(text.substr(0, 1500), "") << "seed " << seed << Listing(chain);
      refused += text.empty() ? 0 : 1;
    }
  }
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.elements
            << " elements, " << count.unlimited << " without limits\n";
  EXPECT_GT(count.judged, count.graphs / 2);
}

// The widths of a network's enclosures, as multiples of what implementations reach that go to the
// ends of each operator's bound.
TEST(EnclosureAttack, NoNetworkIsRefused) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  const testing_graph::Setting setting;
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    for (const Family& family : kFamilies) {
      if (!family.HasType(type)) continue;
      std::vector<double> ratios;
      for (uint64_t seed = 0; seed < (whole ? 20 : 2); ++seed) {
        Random random(seed);
        Chain chain(random);
        const std::string name = family.build(chain, type);
        chain.block().outputs = {name};
        const auto evaluation = Enclosed(chain);
        ASSERT_TRUE(evaluation.ok()) << evaluation.status();
        ASSERT_EQ(evaluation->outcome, Outcome::kValid) << family.name << evaluation->message;
        const ExpectedOutput& output = evaluation->outputs[0];
        std::vector<double> least(static_cast<size_t>(ElementCount(output.shape)), kInf);
        std::vector<double> greatest(least.size(), -kInf);
        for (int k = 0; k < (whole ? 2000 : 100); ++k) {
          Adversary adversary(setting.edition, setting.level, random);
          const Way all = RandomWay(random);
          const bool one_way = random.Chance(3);
          for (const GraphOperator& node : chain.block().operators) {
            adversary.ways[node.outputs[0]] = one_way ? all : RandomWay(random);
          }
          ASSERT_TRUE(adversary.Run(chain));
          const Tensor& held = adversary.held(name);
          ASSERT_EQ(RefusedElement(output, held), "") << family.name << ", seed " << seed;
          for (int64_t i = 0; i < held.size(); ++i) {
            const auto at = static_cast<size_t>(i);
            least[at] = std::min(least[at], RoundTo(type, held.Element(i)));
            greatest[at] = std::max(greatest[at], RoundTo(type, held.Element(i)));
          }
        }
        for (size_t i = 0; i < least.size(); ++i) {
          const Answer& answer = output.answers[0];
          const auto at = static_cast<int64_t>(i);
          const double width = answer.upper->Element(at) - answer.expected.Element(at);
          if (greatest[i] > least[i]) ratios.push_back(width / (greatest[i] - least[i]));
        }
      }
      const auto middle = ratios.begin() + static_cast<int64_t>(ratios.size() / 2);
      std::nth_element(ratios.begin(), middle, ratios.end());
      std::cout << Name(type) << " " << family.name << ": half of the intervals are less than "
                << *middle << " times as wide as what is reached\n";
    }
  }
}

// --- Exact infinities.
// --------------------------------

// Whether the operator's own rule says what it gives for an infinite operand. The dot-product rule
// has no limit where a bound overflows, RESIZE's is a share of its greatest operand, POW of an
// infinity is undefined, and an integer has none.
bool BindsInfinities(const Builder& builder) {
  const std::string_view name = builder.name;
  for (const char* part :
       {"MATMUL", "CONV", "POOL2D", "FFT2D", "REDUCE_SUM", "RESIZE", "POW", "CAST i"}) {
    if (name.find(part) != std::string_view::npos && name != "MAX_POOL2D") return false;
  }
  return true;
}

// The only element of a tensor as the operators give it that are computed one by one, to nearest.
double Computed(const Chain& chain, const std::string& name, Random& random) {
  const testing_graph::Setting setting;
  Adversary adversary(setting.edition, setting.level, random);
  return adversary.Run(chain) ? adversary.held(name).Element(0) : kNan;
}

std::string Interval(const Answer& answer) {
  return StrCat("[", Digits(answer.expected.Element(0)), ", ", Digits(answer.upper->Element(0)),
                "]");
}

// One operator of an infinite operand, or two in a row if the first gives an infinity. Both
// operands are results of ADD, so that they have no one value, but the infinities among them do.
void TryInfinity(const Builder& one, const Builder* two, double a, double b, DType type,
                 Count* count) {
  Random random(1);
  Chain chain(random);
  const Shape shape{1, 1, 1};
  const auto sum = [&](double value) {
    const std::string input = chain.Input(type, shape);
    chain.inputs.at(input).SetElement(0, value);
    Tensor quarter(type, shape);
    quarter.SetElement(0, 0.25);
    return chain.Add("ADD", {input, chain.Const(std::move(quarter))}, type, shape);
  };
  const std::string x = sum(a), y = sum(b);
  std::string made = one.add(chain, x, y);
  if (two != nullptr) {
    chain.block().outputs = {made};
    if (!std::isinf(Computed(chain, made, random))) return;
    made = random.Chance(2) ? two->add(chain, made, y) : two->add(chain, y, made);
  }
  chain.block().outputs = {made};
  ++count->graphs;
  const auto evaluation = EnclosedAnswer(chain.graph, {&chain.inputs}, testing_graph::Setting());
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  if (evaluation->outcome != Outcome::kValid || !evaluation->outputs[0].rule.enclosure) return;
  const Answer& answer = evaluation->outputs[0].answers[0];
  const double r = Computed(chain, made, random);
  const std::string what =
      StrCat(one.name, two == nullptr ? "" : " -> ", two == nullptr ? "" : two->name, " of ",
             Digits(a), " and ", Digits(b), ": ", Digits(r), ", enclosed by ", Interval(answer));
  ++count->judged;
  if (std::isnan(r)) {
    EXPECT_TRUE(Accepts(evaluation->outputs[0], answer, r, 0)) << what;
  } else if (std::isinf(r) || (two == nullptr && (std::isinf(a) || std::isinf(b)))) {
    // An infinity, or what a table says of one. A finite result of the other operand alone has its
    // own bound.
    ++count->elements;
    EXPECT_LE(answer.expected.Element(0), r) << what;
    EXPECT_GE(answer.upper->Element(0), r) << what;
    const bool exact = answer.expected.Element(0) == r && answer.upper->Element(0) == r;
    EXPECT_TRUE(exact || std::isfinite(r)) << what;
    EXPECT_FALSE(Accepts(evaluation->outputs[0], answer, kNan, 0)) << what;
  }
}

TEST(EnclosureAttack, AnInfinityOfAnInfiniteOperandIsExact) {
  constexpr double kValues[] = {kInf, -kInf, 1.5, -3};
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  Count count;
  uint64_t pairs = 0;
  for (const DType type : kTypes) {
    for (const Builder& one : kBuilders) {
      if (!BindsInfinities(one)) continue;
      for (const double a : kValues) {
        for (const double b : kValues) {
          TryInfinity(one, nullptr, a, b, type, &count);
          if (std::isfinite(a) && std::isfinite(b)) continue;
          for (const Builder& two : kBuilders) {
            // In one of the types.
            if (!BindsInfinities(two) || kTypes[pairs++ % 3] != type) continue;
            TryInfinity(one, &two, a, b, type, &count);
          }
        }
      }
    }
  }
  std::cout << count.graphs << " graphs, " << count.judged << " enclosed, " << count.elements
            << " infinite or of a table\n";
  EXPECT_GT(count.elements, 1000);
}

// Overflow is no exact infinity: a wider type has the number. 2^100 * 2^100 - 2^101 may be a
// number.
TEST(EnclosureAttack, AnInfinityOfAnOverflowIsOpen) {
  struct Overflow {
    const char* op;
    double x;
  };
  for (const Overflow& by :
       {Overflow{"EXP", 1000}, {"EXP", 100}, {"MUL", 0x1p100}, {"ADD", 0x1.8p127}}) {
    Random random(1);
    Chain chain(random);
    const std::string x = Given(chain, DType::kFp32, {by.x});
    const std::string over = std::string_view(by.op) == "EXP"
                                 ? chain.Add("EXP", {x}, DType::kFp32, {1})
                                 : chain.Add(by.op, {x, x}, DType::kFp32, {1});
    // Infinity minus infinity is NaN, minus a number of the wider type another number.
    chain.block().outputs = {chain.Add("SUB", {over, over}, DType::kFp32, {1}),
                             chain.Add("RECIPROCAL", {over}, DType::kFp32, {1})};
    const auto evaluation = Enclosed(chain);
    ASSERT_TRUE(evaluation.ok()) << evaluation.status();
    ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
    EXPECT_TRUE(MayBe(*evaluation, {kNan})) << by.op;
    EXPECT_TRUE(MayBe(*evaluation, {0})) << by.op;
    const Answer& part = evaluation->outputs[1].answers[0];
    EXPECT_LE(part.expected.Element(0), 0) << by.op;
    EXPECT_GT(part.upper->Element(0), 0) << by.op;
  }
}

// TENSOR_CTS_PAIRS: rounds over all pairs in all types, with a third operator in every other round.
TEST(EnclosureAttack, NoPairOfOperatorsIsRefused) {
  const char* const text = std::getenv("TENSOR_CTS_PAIRS");
  const char* const from = std::getenv("TENSOR_CTS_PAIRS_FROM");
  const bool whole = text != nullptr || std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  const int rounds = text == nullptr ? 2 : std::atoi(text);
  const uint64_t first = from == nullptr ? 0 : std::strtoull(from, nullptr, 10);
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  constexpr uint64_t kCount = std::size(kBuilders);
  std::map<std::string, int> failures;
  Count count;
  for (uint64_t k = 0;
       k < (whole ? static_cast<uint64_t>(rounds) * kCount * kCount * 3 : kCount * kCount); ++k) {
    // One type for each pair, or all.
    const uint64_t pair = (whole ? k / 3 : k) % (kCount * kCount),
                   round = k / (kCount * kCount * 3);
    const Builder &one = kBuilders[pair / kCount], &two = kBuilders[pair % kCount];
    const DType type = kTypes[(whole ? k : pair / kCount + pair % kCount) % 3];
    Random random(first + k);
    const Builder* const three = round % 2 == 1 ? &kBuilders[random.Below(kCount)] : nullptr;
    const std::string refused = TryPair(one, two, three, type, first + k, whole ? 12 : 4, &count);
    if (refused.empty()) continue;
    const std::string family = StrCat(one.name, " -> ", two.name);
    if (++failures[family] > 1) continue;
    ADD_FAILURE() << family << ", seed " << first + k << ": " << refused;
  }
  for (const auto& [family, n] : failures) std::cout << n << " " << family << "\n";
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.judged
            << " enclosed outputs, " << count.elements << " elements, " << count.unlimited
            << " without limits, " << count.refused << " refused\n";
  EXPECT_GT(count.judged, count.graphs / 2);
  EXPECT_LT(count.unlimited, count.elements / 2);
}

TEST(EnclosureAttack, NoPairOfOperatorsOfTheDraftIsRefused) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
  constexpr uint64_t kCount = std::size(kBuilders);
  std::map<std::string, int> failures;
  Count count;
  for (uint64_t k = 0; k < kCount * kCount * (whole ? 12 : 1); ++k) {
    const Builder &one = kBuilders[k / kCount % kCount], &two = kBuilders[k % kCount];
    const DType type = kTypes[(k / kCount + k) % 3];
    const std::string refused = TryPair(one, two, nullptr, type, k, whole ? 12 : 3, &count, true);
    if (refused.empty()) continue;
    const std::string family = StrCat(one.name, " -> ", two.name);
    if (++failures[family] > 1) continue;
    ADD_FAILURE() << family << ", seed " << k << ": " << refused;
  }
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.judged
            << " enclosed outputs, " << count.elements << " elements, " << count.unlimited
            << " without limits, " << count.refused << " refused\n";
  EXPECT_GT(count.judged, count.graphs / 4);
}

// --- Control flow and variables: s = f(s, x), several times.
// --------------------------------

constexpr int kSteps = 3;

struct Body {
  Block block;  // inputs s and x, output the next s
  DType type;
  Shape shape;
};

Body RandomBody(Random& random, DType type, const Shape& shape) {
  Chain chain(random);
  const std::string s = chain.Input(type, shape), x = chain.Input(type, shape);
  const auto any = [&]() -> const Builder& {
    return kBuilders[random.Below(std::size(kBuilders))];
  };
  const std::string first = any().add(chain, s, x);
  chain.block().outputs = {any().add(chain, first, random.Chance(2) ? s : x)};
  return {chain.block(), type, shape};
}

// The body's operators, with `suffix` behind the names of what they make.
std::string Append(const Body& body, const std::string& suffix, const std::string& s,
                   const std::string& x, Block& block) {
  const auto renamed = [&](const std::string& name) {
    return name == body.block.inputs[0]   ? s
           : name == body.block.inputs[1] ? x
                                          : StrCat(name, suffix);
  };
  for (const GraphTensor& tensor : body.block.tensors) {
    if (tensor.name == body.block.inputs[0] || tensor.name == body.block.inputs[1]) continue;
    block.tensors.push_back({renamed(tensor.name), tensor.dtype, tensor.shape, tensor.values});
  }
  for (GraphOperator node : body.block.operators) {
    for (std::string& name : node.inputs) name = renamed(name);
    for (std::string& name : node.outputs) name = renamed(name);
    block.operators.push_back(std::move(node));
  }
  return renamed(body.block.outputs[0]);
}

std::shared_ptr<const Tensor> Integer(DType type, int64_t value) {
  return std::make_shared<const Tensor>(Tensor::OfIntegers(type, {1}, {value}));
}

// The same as a loop: (i, s, x) while 3 > i.
Graph AsLoop(const Body& body) {
  const auto carried = [&](const char* i, const char* s, const char* x) {
    return std::vector<GraphTensor>{{i, DType::kI32, {1}, nullptr},
                                    {s, body.type, body.shape, nullptr},
                                    {x, body.type, body.shape, nullptr}};
  };
  Block main{.name = "main", .inputs = {"s", "x"}, .outputs = {"out"}};
  main.tensors = carried("zero", "s", "x");
  main.tensors[0].values = Integer(DType::kI32, 0);
  for (GraphTensor& tensor : carried("count", "out", "same")) main.tensors.push_back(tensor);
  main.operators = {{"CONST", {}, {"zero"}, {}},
                    {"WHILE_LOOP",
                     {"zero", "s", "x"},
                     {"count", "out", "same"},
                     {{"cond_graph", std::string("cond")}, {"body_graph", std::string("body")}}}};
  Block cond{.name = "cond", .inputs = {"i1", "s1", "x1"}, .outputs = {"more"}};
  cond.tensors = carried("i1", "s1", "x1");
  cond.tensors.push_back({"end", DType::kI32, {1}, Integer(DType::kI32, kSteps)});
  cond.tensors.push_back({"more", DType::kBool, {1}, nullptr});
  cond.operators = {{"CONST", {}, {"end"}, {}}, {"GREATER", {"end", "i1"}, {"more"}, {}}};
  Block inner{.name = "body", .inputs = {"i2", "s2", "x2"}};
  inner.tensors = carried("i2", "s2", "x2");
  inner.tensors.push_back({"one", DType::kI32, {1}, Integer(DType::kI32, 1)});
  inner.tensors.push_back({"next", DType::kI32, {1}, nullptr});
  inner.operators = {{"CONST", {}, {"one"}, {}}, {"ADD", {"i2", "one"}, {"next"}, {}}};
  inner.outputs = {"next", Append(body, "_body", "s2", "x2", inner), "x2"};
  return {{{"main", {main}}, {"cond", {cond}}, {"body", {inner}}}};
}

// The same as three COND_IF in a row, the branch taken in turn.
Graph AsBranches(const Body& body) {
  Graph graph;
  graph.regions.push_back({"main", {Block{.name = "main", .inputs = {"s", "x"}}}});
  std::string s = "s";
  for (const char* input : {"s", "x"}) {
    graph.main().tensors.push_back({input, body.type, body.shape, nullptr});
  }
  for (int k = 0; k < kSteps; ++k) {
    const std::string flag = StrCat("flag", k), out = StrCat("out", k);
    graph.main().tensors.push_back({flag, DType::kBool, {1}, Integer(DType::kBool, k % 2)});
    graph.main().tensors.push_back({out, body.type, body.shape, nullptr});
    graph.main().operators.push_back({"CONST", {}, {flag}, {}});
    const std::string taken = StrCat("taken", k), other = StrCat("other", k);
    graph.main().operators.push_back(
        {"COND_IF",
         {flag, s, "x"},
         {out},
         {{"then_graph", k % 2 == 1 ? taken : other}, {"else_graph", k % 2 == 1 ? other : taken}}});
    for (const std::string& name : {taken, other}) {
      Block block{.name = name, .inputs = {StrCat("s_", name), StrCat("x_", name)}};
      for (const std::string& input : block.inputs) {
        block.tensors.push_back({input, body.type, body.shape, nullptr});
      }
      if (name == taken) {
        block.outputs = {Append(body, "_" + name, block.inputs[0], block.inputs[1], block)};
      } else {
        block.tensors.push_back({"same_" + name, body.type, body.shape, nullptr});
        block.operators.push_back({"IDENTITY", {block.inputs[1]}, {"same_" + name}, {}});
        block.outputs = {"same_" + name};
      }
      graph.regions.push_back({name, {std::move(block)}});
    }
    s = out;
  }
  graph.main().outputs = {s};
  return graph;
}

// The same by a variable, one step an execution.
Graph AsVariable(const Body& body, const Tensor& initial) {
  Block main{.name = "main", .inputs = {"x"}};
  main.tensors = {{"x", body.type, body.shape, nullptr},
                  {"initial", body.type, body.shape, std::make_shared<const Tensor>(initial)},
                  {"s", body.type, body.shape, nullptr}};
  const Attributes named{{"name", std::string("state")}};
  Attributes declared = named;
  declared["var_shape"] = body.shape;
  declared["type"] = std::string(body.type == DType::kFp32 ? "FP32" : "FP16");
  declared["initial_value"] = std::string("initial");
  main.operators = {{"VARIABLE", {}, {}, declared}, {"VARIABLE_READ", {}, {"s"}, named}};
  const std::string next = Append(body, "_next", "s", "x", main);
  // Written behind what was read, whether the body reads it or not.
  main.operators.push_back({"VARIABLE_WRITE", {next}, {}, named});
  main.outputs = {next};
  return {{{"main", {std::move(main)}}}};
}

// One body: its steps in a row are what the implementations run.
void AttackFlow(uint64_t seed, int implementations, Count* count) {
  Random random(seed);
  const DType type = random.Chance(2) ? DType::kFp32 : DType::kFp16;
  const int64_t n = random.Chance(3) ? 1 : 2;
  const Body body = RandomBody(random, type, {1, n, n});
  Chain plain(random);
  const std::string s = plain.Input(type, body.shape), x = plain.Input(type, body.shape);
  for (auto& [name, value] : plain.inputs) {
    value = Extremes(random, type, body.shape, random.Chance(2));
  }
  std::vector<std::string> states{s};
  for (int k = 0; k < kSteps; ++k) {
    states.push_back(Append(body, StrCat("_", k), states.back(), x, plain.block()));
  }
  const std::map<std::string, Tensor> both{{"s", plain.inputs.at(s)}, {"x", plain.inputs.at(x)}};
  const std::map<std::string, Tensor> only{{"x", plain.inputs.at(x)}};
  const auto attack = [&](const char* what, const Graph& graph, const InputSequence& inputs,
                          const std::map<std::string, std::string>& names) {
    const Alike like{graph, inputs, names};
    const std::string refused = Attack(plain, "tosa-1.0", implementations, count, &like);
    EXPECT_EQ(refused.substr(0, 900), "") << what << ", seed " << seed;
  };
  const Graph loop = AsLoop(body), branches = AsBranches(body),
              variable = AsVariable(body, plain.inputs.at(s));
  attack("WHILE_LOOP", loop, {&both}, {{"out", states.back()}});
  attack("COND_IF", branches, {&both}, {{branches.main().outputs[0], states.back()}});
  std::map<std::string, std::string> of_executions;
  InputSequence executions;
  for (int k = 0; k < kSteps; ++k) {
    executions.emplace_back(&only);
    of_executions[ResultName(variable.main().outputs[0], k)] = states[static_cast<size_t>(k) + 1];
  }
  attack("variable", variable, executions, of_executions);
}

TEST(EnclosureAttack, NoLoopBranchOrVariableIsRefused) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  Count count;
  for (uint64_t seed = 0; seed < (whole ? 20000 : 300); ++seed) AttackFlow(seed, 4, &count);
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.judged
            << " enclosed outputs, " << count.elements << " elements, " << count.unlimited
            << " without limits, " << count.refused << " refused\n";
  EXPECT_GT(count.judged, count.graphs / 4);
}

// --- Long sums.
// --------------------------------

// A function of many numbers, summed by each operator that sums, and a function of the sums.
TEST(EnclosureAttack, NoLongSumIsRefused) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  constexpr const char* kFunctions[] = {"EXP", "TANH", "RECIPROCAL", "FLOOR", "IDENTITY"};
  constexpr int64_t kLengths[] = {257, 1024, 4097};
  Count count;
  for (uint64_t seed = 0; seed < (whole ? 900 : 30); ++seed) {
    Random random(seed);
    Chain chain(random);
    const DType type = random.Chance(2) ? DType::kFp32 : DType::kFp16;
    const int64_t n = kLengths[seed % 3];
    const std::string x = chain.Input(type, {1, 1, n}), y = chain.Input(type, {1, n, 1});
    for (auto& [name, value] : chain.inputs) {
      value = Extremes(random, type, value.shape(), !random.Chance(4));
    }
    const auto function = [&](const std::string& of) {
      return Same(chain, kFunctions[random.Below(std::size(kFunctions))], {of});
    };
    const std::string values = function(x);
    const std::string sum =
        random.Chance(2)
            ? chain.Add("MATMUL", {values, random.Chance(2) ? y : function(y)}, type, {1, 1, 1})
            : chain.Add("REDUCE_SUM", {values}, type, {1, 1, 1}, {{"axis", int64_t{2}}});
    chain.block().outputs = {function(sum), sum};
    const std::string refused = Attack(chain, "tosa-1.0", whole ? 20 : 4, &count);
    EXPECT_EQ(refused.substr(0, 900), "") << "seed " << seed;
  }
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.judged
            << " enclosed outputs, " << count.unlimited << " without limits\n";
  EXPECT_GT(count.judged, count.graphs / 4);
}

// --- Every value.
// --------------------------------------------------------------------------------

// Two functions in a row of every number of fp16, by implementations that go to every end.
TEST(EnclosureAttack, NoPairOfFunctionsIsRefusedForAnyNumberOfFp16) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  constexpr const char* kFunctions[] = {"EXP",  "LOG",   "TANH",       "SIGMOID", "ERF",
                                        "CEIL", "FLOOR", "RECIPROCAL", "RSQRT",   "SIN",
                                        "COS",  "ABS",   "CAST"};
  Count count;
  for (const char* one : kFunctions) {
    for (const char* two : kFunctions) {
      const bool exact = std::string_view(one) == "ABS" && std::string_view(two) == "ABS";
      if (exact) continue;
      Random random(7);
      Chain chain(random);
      std::vector<double> values;
      for (uint64_t bits = 0; bits < 0x10000; bits += whole ? 1 : 509) {
        values.push_back(DecodeFloat(DType::kFp16, bits));
      }
      const auto n = static_cast<int64_t>(values.size());
      const std::string x = Given(chain, DType::kFp16, values);
      const auto add = [&](std::string_view op, const std::string& from) {
        return op == "CAST" ? Through(chain, from, DType::kFp8E5M2)
                            : chain.Add(std::string(op), {from}, DType::kFp16, {n});
      };
      chain.block().outputs = {add(two, add(one, x))};
      const std::string refused = Attack(chain, "tosa-1.0", whole ? 60 : 4, &count);
      EXPECT_EQ(refused.substr(0, 400), "") << one << " -> " << two;
    }
  }
  std::cout << count.graphs << " graphs, " << count.invalid << " invalid, " << count.unsupported
            << " unsupported, " << count.runs << " implementations, " << count.elements
            << " elements, " << count.unlimited << " without limits\n";
}

}  // namespace
}  // namespace cts
