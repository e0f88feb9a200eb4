// For tests: small networks with random data, similar to the networks that model converters write.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/enclosure/chains_testing.h"
#include "reference/enclosure/random_chains_testing.h"

namespace cts::testing_chains {

using Attributes = std::map<std::string, AttributeValue>;

inline std::string RandomConst(Chain& chain, DType type, const Shape& shape, double reach) {
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    values.SetElement(i, chain.random().Between(-reach, reach));
  }
  return chain.Const(std::move(values));
}
inline std::string Scalar(Chain& chain, DType type, size_t rank, double value) {
  return chain.Const(Tensor::OfFloats(type, Shape(rank, 1), {value}));
}

// Adds the operators of a softmax along the last axis of `x`. The shape of `x` is [rows, columns].
inline std::string Softmax(Chain& chain, const std::string& x) {
  const DType type = chain.Type(x);
  const Shape shape = chain.ShapeOf(x);
  const Attributes axis{{"axis", int64_t{1}}};
  Attributes maximum = axis;
  maximum["nan_mode"] = std::string("PROPAGATE");
  const std::string most = chain.Add("REDUCE_MAX", {x}, type, {shape[0], 1}, maximum);
  const std::string moved = chain.Add("SUB", {x, most}, type, shape);
  const std::string powers = chain.Add("EXP", {moved}, type, shape);
  const std::string sum = chain.Add("REDUCE_SUM", {powers}, type, {shape[0], 1}, axis);
  const std::string part = chain.Add("RECIPROCAL", {sum}, type, {shape[0], 1});
  return chain.Add("MUL", {powers, part}, type, shape);
}

inline std::string LayerNorm(Chain& chain, const std::string& x) {
  const DType type = chain.Type(x);
  const Shape shape = chain.ShapeOf(x), one{shape[0], 1};
  const Attributes axis{{"axis", int64_t{1}}};
  const std::string share = Scalar(chain, type, 2, 1.0 / static_cast<double>(shape[1]));
  const std::string sum = chain.Add("REDUCE_SUM", {x}, type, one, axis);
  const std::string mean = chain.Add("MUL", {sum, share}, type, one);
  const std::string centered = chain.Add("SUB", {x, mean}, type, shape);
  const std::string squares = chain.Add("MUL", {centered, centered}, type, shape);
  const std::string all = chain.Add("REDUCE_SUM", {squares}, type, one, axis);
  const std::string variance = chain.Add("MUL", {all, share}, type, one);
  const std::string raised =
      chain.Add("ADD", {variance, Scalar(chain, type, 2, 0x1p-10)}, type, one);
  const std::string scale = chain.Add("RSQRT", {raised}, type, one);
  const std::string normal = chain.Add("MUL", {centered, scale}, type, shape);
  const Shape row{1, shape[1]};
  const std::string gained =
      chain.Add("MUL", {normal, RandomConst(chain, type, row, 1)}, type, shape);
  return chain.Add("ADD", {gained, RandomConst(chain, type, row, 1)}, type, shape);
}

inline std::string Rectified(Chain& chain, const std::string& x) {
  return chain.Add("CLAMP", {x}, chain.Type(x), chain.ShapeOf(x),
                   {{"min_val", 0.0}, {"max_val", 6.0}, {"nan_mode", std::string("PROPAGATE")}});
}

// The shape of `x` is [1, rows, columns].
inline std::string Dense(Chain& chain, const std::string& x, int64_t outputs) {
  const DType type = chain.Type(x);
  const Shape in = chain.ShapeOf(x), out{1, in[1], outputs};
  const std::string weights = RandomConst(chain, type, {1, in[2], outputs}, 1);
  const std::string product = chain.Add("MATMUL", {x, weights}, type, out);
  return chain.Add("ADD", {product, RandomConst(chain, type, {1, 1, outputs}, 1)}, type, out);
}

inline std::string Perceptron(Chain& chain, DType type) {
  const std::string x = chain.Input(type, {1, 2, 12});
  const std::string hidden = Rectified(chain, Dense(chain, x, 16));
  const std::string more = Rectified(chain, Dense(chain, hidden, 16));
  return Dense(chain, more, 5);
}

inline std::string Convolved(Chain& chain, const std::string& x, int64_t channels) {
  const DType type = chain.Type(x);
  const Shape in = chain.ShapeOf(x), out{1, in[1], in[2], channels};
  const std::string weights = RandomConst(chain, type, {channels, 3, 3, in[3]}, 0.5);
  return chain.Add("CONV2D", {x, weights, RandomConst(chain, type, {channels}, 0.5)}, type, out,
                   {{"pad", std::vector<int64_t>{1, 1, 1, 1}},
                    {"stride", std::vector<int64_t>{1, 1}},
                    {"dilation", std::vector<int64_t>{1, 1}},
                    {"local_bound", true},
                    {"acc_type", std::string("FP32")}});
}

inline std::string Convolutions(Chain& chain, DType type) {
  const std::string x = chain.Input(type, {1, 6, 6, 3});
  const std::string first = Rectified(chain, Convolved(chain, x, 4));
  const std::string second = Rectified(chain, Convolved(chain, first, 4));
  const Attributes pool{{"pad", std::vector<int64_t>{0, 0, 0, 0}},
                        {"stride", std::vector<int64_t>{2, 2}},
                        {"kernel", std::vector<int64_t>{2, 2}},
                        {"acc_type", std::string("FP32")}};
  const std::string pooled = chain.Add("AVG_POOL2D", {second}, type, {1, 3, 3, 4}, pool);
  const std::string to = chain.ShapeConst({1, 36});
  return Softmax(chain, chain.Add("RESHAPE", {pooled, to}, type, {1, 36}));
}

// x * (1 + erf(x / sqrt 2)) / 2, as torch lowers it.
inline std::string Gelu(Chain& chain, const std::string& x) {
  const DType type = chain.Type(x);
  const Shape shape = chain.ShapeOf(x);
  const std::string scaled =
      chain.Add("MUL", {x, Scalar(chain, type, shape.size(), std::sqrt(0.5))}, type, shape);
  const std::string erf = chain.Add("ERF", {scaled}, type, shape);
  const std::string raised =
      chain.Add("ADD", {erf, Scalar(chain, type, shape.size(), 1)}, type, shape);
  const std::string half =
      chain.Add("MUL", {raised, Scalar(chain, type, shape.size(), 0.5)}, type, shape);
  return chain.Add("MUL", {x, half}, type, shape);
}

// Adds a causal mask, which hides later positions.
inline std::string Masked(Chain& chain, const std::string& x) {
  const DType type = chain.Type(x);
  const Shape shape = chain.ShapeOf(x);
  Tensor mask(type, shape);
  for (int64_t i = 0; i < mask.size(); ++i) {
    const int64_t row = i / shape.back() % shape[shape.size() - 2], column = i % shape.back();
    if (column > row) mask.SetElement(i, -std::numeric_limits<double>::infinity());
  }
  return chain.Add("ADD", {x, chain.Const(std::move(mask))}, type, shape);
}

inline std::string Attention(Chain& chain, DType type, bool masked) {
  const Shape shape{1, 4, 8};
  const std::string q = Dense(chain, chain.Input(type, shape), 8);
  const std::string k = Dense(chain, chain.Input(type, shape), 8);
  const std::string v = Dense(chain, chain.Input(type, shape), 8);
  const std::string turned =
      chain.Add("TRANSPOSE", {k}, type, {1, 8, 4}, {{"perms", std::vector<int64_t>{0, 2, 1}}});
  const std::string scores = chain.Add("MATMUL", {q, turned}, type, {1, 4, 4});
  const std::string scaled =
      chain.Add("MUL", {scores, Scalar(chain, type, 3, std::sqrt(0.125))}, type, {1, 4, 4});
  const std::string rows = chain.ShapeConst({4, 4}), back = chain.ShapeConst({1, 4, 4});
  const std::string flat = chain.Add("RESHAPE", {scaled, rows}, type, {4, 4});
  const std::string seen = masked ? Masked(chain, flat) : flat;
  const std::string weights = chain.Add("RESHAPE", {Softmax(chain, seen), back}, type, {1, 4, 4});
  return chain.Add("MATMUL", {weights, v}, type, shape);
}

struct Family {
  const char* name;
  std::string (*build)(Chain& chain, DType type);

  // Whether the tests run the family in the type. Only some families run in bf16: in TOSA 1.0, for
  // example, a MATMUL of bf16 operands has an fp32 result, which the next operator cannot read.
  bool HasType(DType type) const {
    const std::string_view text = name;
    return type != DType::kBf16 || text.ends_with("softmax") || text == "layer norm";
  }
};
inline constexpr Family kFamilies[] = {
    {"softmax",
     [](Chain& c, DType t) {
       return Softmax(c, c.Input(t, {3, 10}, -4, 4));
     }},
    {"layer norm",
     [](Chain& c, DType t) {
       return LayerNorm(c, c.Input(t, {3, 10}, -2, 2));
     }},
    {"gelu",
     [](Chain& c, DType t) {
       return Gelu(c, c.Input(t, {3, 10}, -3, 3));
     }},
    {"perceptron", Perceptron},
    {"convolutions", Convolutions},
    {"attention", [](Chain& c, DType t) { return Attention(c, t, false); }},
    {"masked softmax",
     [](Chain& c, DType t) {
       return Softmax(c, Masked(c, c.Input(t, {10, 10}, -4, 4)));
     }},
    {"masked attention", [](Chain& c, DType t) { return Attention(c, t, true); }},
};

}  // namespace cts::testing_chains
