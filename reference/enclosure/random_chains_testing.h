// Random graphs of floating-point operators, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/enclosure/chains_testing.h"

namespace cts::testing_chains {

// Adds random operators to a chain. Each operator reads tensors from the pool (a list of tensors'
// names), and its result is added to the pool.
class RandomOperators {
 public:
  RandomOperators(Chain& chain, DType type, std::vector<std::string> pool)
      : chain_(chain), random_(chain.random()), type_(type), pool_(std::move(pool)) {}

  void Step() {
    switch (random_.Below(19)) {
      case 0:
      case 1:
      case 2:
        return Unary();
      case 3:
      case 4:
      case 5:
        return Binary();
      case 6:
        return Reduce();
      case 7:
        return Move();
      case 8:
        return Matmul();
      case 9:
        return Clamp();
      case 10:
        return Select();
      case 11:
        return Convolve();
      case 12:
        return Pool();
      case 13:
        return Gather();
      case 14:
        return Argmax();
      case 15:
        return Transform();
      case 16:
        return Resize();
      case 17:
        return Scatter();
      default:
        return Cast();
    }
  }
  const std::vector<std::string>& pool() const { return pool_; }

 private:
  // A random tensor of the pool. Newer tensors are more likely.
  std::string Any() {
    const size_t back = std::min(random_.Below(pool_.size()), random_.Below(pool_.size()));
    return pool_[pool_.size() - 1 - back];
  }
  void Push(std::string name) { pool_.push_back(std::move(name)); }

  void Unary() {
    static constexpr const char* kOps[] = {"EXP", "TANH",       "SIGMOID", "ERF", "NEGATE",
                                           "ABS", "RECIPROCAL", "RSQRT",   "LOG", "SIN",
                                           "COS", "FLOOR",      "CEIL"};
    const std::string x = Any();
    std::string op = kOps[random_.Below(std::size(kOps))];
    if ((op == "ERF" || op == "SIN" || op == "COS") && type_ != DType::kFp32) op = "TANH";
    const bool positive = op == "RSQRT" || op == "LOG";
    const std::string argument = positive ? chain_.Add("EXP", {x}, type_, chain_.ShapeOf(x)) : x;
    Push(chain_.Add(op, {argument}, type_, chain_.ShapeOf(x)));
  }

  // A tensor that broadcasts with x.
  std::string Partner(const std::string& x) {
    for (int tries = 0; tries < 4; ++tries) {
      std::string y = Any();
      if (chain_.ShapeOf(y) == chain_.ShapeOf(x)) return y;
    }
    Shape shape = chain_.ShapeOf(x);
    if (random_.Chance(2)) shape[random_.Below(shape.size())] = 1;
    Tensor values(type_, shape);
    for (int64_t i = 0; i < values.size(); ++i) values.SetElement(i, random_.Between(-2, 2));
    return chain_.Const(std::move(values));
  }

  void Binary() {
    static constexpr const char* kOps[] = {"ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "POW"};
    const std::string x = Any();
    const std::string op = kOps[random_.Below(std::size(kOps))];
    if (op == "POW") {
      Tensor exponent(type_, Shape(chain_.ShapeOf(x).size(), 1));
      exponent.SetElement(0, random_.Between(-2, 2));
      const std::string y = chain_.Const(std::move(exponent));
      const std::string base = chain_.Add("EXP", {x}, type_, chain_.ShapeOf(x));
      return Push(chain_.Add("POW", {base, y}, type_, chain_.ShapeOf(x)));
    }
    const std::string y = random_.Chance(6) ? x : Partner(x);
    std::map<std::string, AttributeValue> attributes;
    if (op == "MAXIMUM" || op == "MINIMUM") attributes["nan_mode"] = NanMode();
    Push(chain_.Add(op, {x, y}, type_, chain_.ShapeOf(x), std::move(attributes)));
  }

  std::string NanMode() { return random_.Chance(2) ? "PROPAGATE" : "IGNORE"; }

  void Reduce() {
    static constexpr const char* kOps[] = {"REDUCE_SUM", "REDUCE_MAX", "REDUCE_MIN",
                                           "REDUCE_PRODUCT"};
    const std::string x = Any();
    Shape shape = chain_.ShapeOf(x);
    const uint64_t axis = random_.Below(shape.size());
    shape[axis] = 1;
    std::string op = kOps[random_.Below(std::size(kOps))];
    std::map<std::string, AttributeValue> attributes{{"axis", static_cast<int64_t>(axis)}};
    if (op == "REDUCE_MAX" || op == "REDUCE_MIN") attributes["nan_mode"] = NanMode();
    std::string reduced = chain_.Add(op, {x}, type_, shape, std::move(attributes));
    // A second operator broadcasts the reduced tensor to the shape of `x`, so that shapes do not
    // shrink.
    Push(chain_.Add(random_.Chance(2) ? "MUL" : "SUB", {x, reduced}, type_, chain_.ShapeOf(x)));
  }

  void Move() {
    const std::string x = Any();
    const Shape shape = chain_.ShapeOf(x);
    switch (random_.Below(4)) {
      case 0:
        return Push(chain_.Add("REVERSE", {x}, type_, shape, {{"axis", int64_t{2}}}));
      case 1:
        return Push(chain_.Add("TRANSPOSE", {x}, type_, {shape[0], shape[2], shape[1]},
                               {{"perms", std::vector<int64_t>{0, 2, 1}}}));
      case 2: {
        Tensor pad(type_, {1});
        pad.SetElement(0, random_.Between(-1, 1));
        const std::string padding = chain_.ShapeConst({0, 0, 1, 0, 0, 0});
        const std::string value = chain_.Const(std::move(pad));
        const std::string padded =
            chain_.Add("PAD", {x, padding, value}, type_, {shape[0], shape[1] + 1, shape[2]});
        const std::string start = chain_.ShapeConst({0, 0, 0}), size = chain_.ShapeConst(shape);
        return Push(chain_.Add("SLICE", {padded, start, size}, type_, shape));
      }
      default: {
        const std::string y = Any();
        if (chain_.ShapeOf(y) != shape) return;
        const std::string both = chain_.Add(
            "CONCAT", {x, y}, type_, {shape[0], shape[1], 2 * shape[2]}, {{"axis", int64_t{2}}});
        const std::string start = chain_.ShapeConst({0, 0, 1}), size = chain_.ShapeConst(shape);
        return Push(chain_.Add("SLICE", {both, start, size}, type_, shape));
      }
    }
  }

  void Matmul() {
    const std::string x = Any(), y = Any();
    const Shape a = chain_.ShapeOf(x), b = chain_.ShapeOf(y);
    if (a[0] != b[0] || a[2] != b[1]) {
      Tensor weights(type_, {a[0], a[2], a[1]});
      for (int64_t i = 0; i < weights.size(); ++i) weights.SetElement(i, random_.Between(-1, 1));
      const std::string w = chain_.Const(std::move(weights));
      return PushProduct(x, w, {a[0], a[1], a[1]});
    }
    PushProduct(x, y, {a[0], a[1], b[2]});
  }

  void PushProduct(const std::string& x, const std::string& y, const Shape& shape) {
    if (type_ != DType::kBf16) return Push(chain_.Add("MATMUL", {x, y}, type_, shape));
    const std::string wide = chain_.Add("MATMUL", {x, y}, DType::kFp32, shape);
    Push(chain_.Add("CAST", {wide}, type_, shape));
  }

  // Reshapes the tensor to an image with one channel.
  std::string Image(const std::string& x) {
    const Shape shape = chain_.ShapeOf(x);
    const std::string to = chain_.ShapeConst({1, shape[1], shape[2], 1});
    return chain_.Add("RESHAPE", {x, to}, type_, {1, shape[1], shape[2], 1});
  }
  void PushImage(const std::string& image) {
    const Shape shape = chain_.ShapeOf(image);
    const std::string to = chain_.ShapeConst({1, shape[1], shape[2]});
    std::string result = image;
    if (chain_.Type(image) != type_) result = chain_.Add("CAST", {image}, type_, shape);
    Push(chain_.Add("RESHAPE", {result, to}, type_, {1, shape[1], shape[2]}));
  }

  void Convolve() {
    const std::string x = Any();
    Shape shape = chain_.ShapeOf(x);
    if (shape[1] != shape[2] || shape[1] > 3) return;
    const std::string image = Image(x);
    // The weights are either a result of another operator or a constant.
    const std::string y = Any();
    const bool results = random_.Chance(2) && chain_.ShapeOf(y) == shape;
    Tensor values(type_, {1, shape[1], shape[2], 1}), bias(type_, {1});
    for (int64_t i = 0; i < values.size(); ++i) values.SetElement(i, random_.Between(-1, 1));
    bias.SetElement(0, random_.Between(-1, 1));
    const std::string weights = results ? Image(y) : chain_.Const(std::move(values));
    const std::string addend = chain_.Const(std::move(bias));
    const int64_t pad = shape[1] - 1;
    const std::string acc = type_ == DType::kFp16 && random_.Chance(2) ? "FP16" : "FP32";
    PushImage(chain_.Add("CONV2D", {image, weights, addend}, type_, {1, shape[1], shape[2], 1},
                         {{"pad", std::vector<int64_t>{pad, 0, 0, pad}},
                          {"stride", std::vector<int64_t>{1, 1}},
                          {"dilation", std::vector<int64_t>{1, 1}},
                          {"local_bound", random_.Chance(2)},
                          {"acc_type", acc}}));
  }

  void Pool() {
    const std::string x = Any();
    const Shape shape = chain_.ShapeOf(x);
    const std::string image = Image(x);
    std::map<std::string, AttributeValue> attributes{{"pad", std::vector<int64_t>{1, 0, 0, 1}},
                                                     {"stride", std::vector<int64_t>{1, 1}},
                                                     {"kernel", std::vector<int64_t>{2, 2}}};
    const bool average = random_.Chance(2);
    if (average) {
      attributes["acc_type"] = std::string("FP32");
    } else {
      attributes["nan_mode"] = NanMode();
    }
    PushImage(chain_.Add(average ? "AVG_POOL2D" : "MAX_POOL2D", {image}, type_,
                         {1, shape[1], shape[2], 1}, std::move(attributes)));
  }

  void Gather() {
    const std::string x = Any();
    const Shape shape = chain_.ShapeOf(x);
    Tensor indices(DType::kI32, {1, shape[1]});
    for (int64_t i = 0; i < indices.size(); ++i) {
      indices.SetInteger(i, static_cast<int64_t>(random_.Below(static_cast<uint64_t>(shape[1]))));
    }
    const std::string at = chain_.Const(std::move(indices));
    Push(chain_.Add("GATHER", {x, at}, type_, shape));
  }

  void Transform() {
    const std::string x = Any(), y = Any();
    const Shape shape = chain_.ShapeOf(x);
    const bool powers = shape[1] == 2 && shape[2] == 2 && chain_.ShapeOf(y) == shape;
    if (type_ != DType::kFp32 || !powers) return;
    const auto [real, imaginary] =
        chain_.AddPair("FFT2D", {x, y}, type_, shape,
                       {{"inverse", random_.Chance(2)}, {"local_bound", random_.Chance(2)}});
    Push(real);
    Push(imaginary);
  }

  // Resizes an image to almost twice its size, then cuts out a part that has the original size.
  void Resize() {
    const std::string x = Any();
    const Shape shape = chain_.ShapeOf(x);
    const int64_t h = 2 * shape[1] - 1, w = 2 * shape[2] - 1;
    const std::string image = Image(x), scale = chain_.ShapeConst({2, 1, 2, 1});
    const std::string offset = chain_.ShapeConst({0, 0}), border = chain_.ShapeConst({0, 0});
    const std::string mode = random_.Chance(3) ? "NEAREST_NEIGHBOR" : "BILINEAR";
    const std::string large =
        chain_.Add("RESIZE", {image, scale, offset, border}, type_, {1, h, w, 1}, {{"mode", mode}});
    const std::string start = chain_.ShapeConst({0, 1, 0, 0});
    const std::string size = chain_.ShapeConst({1, shape[1], shape[2], 1});
    PushImage(chain_.Add("SLICE", {large, start, size}, type_, {1, shape[1], shape[2], 1}));
  }

  void Scatter() {
    const std::string x = Any(), y = Any();
    const Shape shape = chain_.ShapeOf(x);
    if (chain_.ShapeOf(y) != shape) return;
    const std::string start = chain_.ShapeConst({0, 0, 0}),
                      size = chain_.ShapeConst({1, 1, shape[2]});
    const std::string row = chain_.Add("SLICE", {y, start, size}, type_, {1, 1, shape[2]});
    const std::string at = chain_.Const(Tensor::OfIntegers(DType::kI32, {1, 1}, {1}));
    Push(chain_.Add("SCATTER", {x, at, row}, type_, shape));
  }

  // Casts the indices that ARGMAX yields to the chain's type, so that other operators can read
  // them.
  void Argmax() {
    const std::string x = Any();
    const Shape shape = chain_.ShapeOf(x);
    const std::string at = chain_.Add("ARGMAX", {x}, DType::kI32, {shape[0], shape[1]},
                                      {{"axis", int64_t{2}}, {"nan_mode", NanMode()}});
    const std::string to = chain_.ShapeConst({shape[0], shape[1], 1});
    const std::string column =
        chain_.Add("RESHAPE", {at, to}, DType::kI32, {shape[0], shape[1], 1});
    const std::string number = chain_.Add("CAST", {column}, type_, {shape[0], shape[1], 1});
    Push(chain_.Add("ADD", {x, number}, type_, shape));
  }

  void Clamp() {
    const std::string x = Any();
    const double lo = RoundTo(type_, random_.Between(-2, 0.5));
    Push(chain_.Add(
        "CLAMP", {x}, type_, chain_.ShapeOf(x),
        {{"min_val", lo}, {"max_val", RoundTo(type_, lo + 2)}, {"nan_mode", NanMode()}}));
  }

  void Select() {
    const std::string x = Any(), y = Partner(x), z = Partner(x), u = Partner(x);
    static constexpr const char* kOps[] = {"GREATER", "GREATER_EQUAL", "EQUAL"};
    const std::string c =
        chain_.Add(kOps[random_.Below(3)], {x, y}, DType::kBool, chain_.ShapeOf(x));
    Push(chain_.Add("SELECT", {c, z, random_.Chance(2) ? x : u}, type_, chain_.ShapeOf(x)));
  }

  void Cast() {
    const std::string x = Any();
    const DType to = type_ == DType::kFp32 ? DType::kFp16 : DType::kFp32;
    const std::string there = chain_.Add("CAST", {x}, to, chain_.ShapeOf(x));
    Push(chain_.Add("CAST", {there}, type_, chain_.ShapeOf(x)));
  }

  Chain& chain_;
  Random& random_;
  const DType type_;
  std::vector<std::string> pool_;
};

}  // namespace cts::testing_chains
