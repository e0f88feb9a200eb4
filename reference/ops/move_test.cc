// Operators that move elements: the fast way against the operators' texts, bit for bit, on random
// shapes and every pattern of bits.
#include "reference/ops/move.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "reference/ops/testing.h"

namespace cts {
namespace {

constexpr DType kMovedTypes[] = {DType::kBool, DType::kI8,      DType::kI16,
                                 DType::kI32,  DType::kFp8E4M3, DType::kFp8E5M2,
                                 DType::kFp16, DType::kBf16,    DType::kFp32};

class Draw {
 public:
  explicit Draw(uint64_t seed) : seed_(seed) {}
  // From low to high, both included.
  int64_t operator()(int64_t low, int64_t high) {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier
    return low + static_cast<int64_t>((seed_ >> 24) % static_cast<uint64_t>(high - low + 1));
  }
  Shape AShape(int64_t rank, int64_t most) {
    Shape shape;
    for (int64_t i = 0; i < rank; ++i) shape.push_back((*this)(1, most));
    return shape;
  }
  // Any bits: NaN of every kind, infinities, subnormals, zeros of both signs.
  Tensor Values(DType type, Shape shape) {
    Tensor tensor(type, std::move(shape));
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const uint64_t bits = static_cast<uint64_t>((*this)(0, int64_t{1} << 34)) >> 2;
      if (type == DType::kBool) {
        tensor.SetInteger(i, static_cast<int64_t>(bits & 1));
      } else if (IsFloat(type) && bits % 8 == 0) {
        tensor.SetBits(i, (bits >> 8) & ((uint64_t{1} << (Format(type).fraction_bits + 1)) - 1));
      } else {
        tensor.SetBits(i, bits & ((uint64_t{1} << 8 * StorageBytes(type)) - 1));
      }
    }
    return tensor;
  }

 private:
  uint64_t seed_;
};

// kExact and kFaulty follow the text, element by element.
void ExpectAsTheTextHasIt(const OneOperator& one) {
  const Graph graph = one.graph();
  const GraphOperator& node = graph.main().operators.back();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const auto& [name, tensor] : one.inputs()) values[name] = std::make_shared<Tensor>(tensor);
  for (const GraphTensor& tensor : graph.main().tensors) {
    if (tensor.values) values[tensor.name] = tensor.values;
  }
  const Call call(one.edition(), *one.edition().FindOperator(node.op),
                  *one.edition().FindLevel("8K"), graph.main(), node, values);
  ASSERT_TRUE(call.fits()) << node.op;
  ArithmeticFault none;
  for (const bool flush : {false, true}) {
    for (const auto& [fast, text] :
         {std::pair(ComputationKind::kReference, ComputationKind::kExact),
          {ComputationKind::kNative, ComputationKind::kFaulty}}) {
      Computation found(call, fast), expected(call, text);
      expected.set_fault(&none);
      for (Computation* const each : {&found, &expected}) {
        each->set_flush(flush);
        FindOperator(node.op)->compute(call, *each);
      }
      // A faulty implementation does not look at REQUIREs.
      if (text == ComputationKind::kExact) {
        ASSERT_EQ(found.broken(), expected.broken());
      }
      if (!found.broken().empty()) continue;
      const Tensor &a = *found.outputs().begin()->second, &b = *expected.outputs().begin()->second;
      for (int64_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a.Bits(i), b.Bits(i)) << node.op << " " << Name(a.dtype()) << " element " << i
                                        << " of " << ToString(a.shape()) << ", flush " << flush;
      }
    }
  }
}

// Calls `f(type, draw)` for many draws of every type.
template <class F>
void ForEachDraw(F&& f) {
  uint64_t seed = 0;
  for (const DType type : kMovedTypes) {
    for (int i = 0; i < 12; ++i) {
      Draw draw(++seed);
      f(type, draw);
    }
  }
}

TEST(Move, IdentityAndReshape) {
  ForEachDraw([](DType type, Draw& draw) {
    const Shape shape = draw.AShape(draw(1, 4), 7);
    OneOperator identity("IDENTITY"), reshape("RESHAPE");
    ExpectAsTheTextHasIt(identity.In(draw.Values(type, shape)).Out(type, shape));
    const int64_t size = ElementCount(shape);
    reshape.In(draw.Values(type, shape)).ShapeIn({size});
    ExpectAsTheTextHasIt(reshape.Out(type, {size}));
  });
}

// So many elements that the types of 8 and 16 bits are read from tables.
TEST(Move, IdentityOfManyElements) {
  for (const DType type : kMovedTypes) {
    Draw draw(5);
    OneOperator one("IDENTITY");
    ExpectAsTheTextHasIt(one.In(draw.Values(type, {70000})).Out(type, {70000}));
  }
}

TEST(Move, Transpose) {
  ForEachDraw([](DType type, Draw& draw) {
    const int64_t rank = draw(1, 5);
    const Shape in = draw.AShape(rank, rank < 4 ? 40 : 6);
    std::vector<int64_t> perms(static_cast<size_t>(rank));
    std::iota(perms.begin(), perms.end(), 0);
    for (size_t i = perms.size(); i-- > 1;) {
      std::swap(perms[i], perms[static_cast<size_t>(draw(0, static_cast<int64_t>(i)))]);
    }
    Shape out;
    for (const int64_t axis : perms) out.push_back(in[static_cast<size_t>(axis)]);
    if (ElementCount(in) > 8000) return;
    OneOperator one("TRANSPOSE");
    ExpectAsTheTextHasIt(one.In(draw.Values(type, in)).Set("perms", perms).Out(type, out));
  });
}

// For every type, whole tiles and a rest.
TEST(Move, TransposeOfManyElements) {
  for (const DType type : kMovedTypes) {
    Draw draw(6);
    OneOperator one("TRANSPOSE");
    one.In(draw.Values(type, {2, 70, 131})).Set("perms", std::vector<int64_t>{0, 2, 1});
    ExpectAsTheTextHasIt(one.Out(type, {2, 131, 70}));
  }
}

TEST(Move, Reverse) {
  ForEachDraw([](DType type, Draw& draw) {
    const Shape shape = draw.AShape(draw(1, 4), 7);
    OneOperator one("REVERSE");
    one.In(draw.Values(type, shape)).Set("axis", draw(0, static_cast<int64_t>(shape.size()) - 1));
    ExpectAsTheTextHasIt(one.Out(type, shape));
  });
}

TEST(Move, Slice) {
  ForEachDraw([](DType type, Draw& draw) {
    const Shape in = draw.AShape(draw(1, 4), 7);
    std::vector<int64_t> start, size;
    for (const int64_t length : in) {
      start.push_back(draw(0, length - 1));
      size.push_back(draw(1, length - start.back()));
    }
    OneOperator one("SLICE");
    ExpectAsTheTextHasIt(
        one.In(draw.Values(type, in)).ShapeIn(start).ShapeIn(size).Out(type, size));
  });
}

TEST(Move, Tile) {
  ForEachDraw([](DType type, Draw& draw) {
    const Shape in = draw.AShape(draw(1, 4), 5);
    std::vector<int64_t> multiples;
    Shape out;
    for (const int64_t length : in) {
      multiples.push_back(draw(1, 3));
      out.push_back(length * multiples.back());
    }
    OneOperator one("TILE");
    ExpectAsTheTextHasIt(one.In(draw.Values(type, in)).ShapeIn(multiples).Out(type, out));
  });
}

TEST(Move, Concat) {
  ForEachDraw([](DType type, Draw& draw) {
    Shape shape = draw.AShape(draw(1, 4), 5);
    const int64_t axis = draw(0, static_cast<int64_t>(shape.size()) - 1);
    int64_t sum = 0;
    OneOperator one("CONCAT");
    for (int64_t t = draw(1, 4); t > 0; --t) {
      shape[static_cast<size_t>(axis)] = draw(1, 5);
      sum += shape[static_cast<size_t>(axis)];
      one.In(draw.Values(type, shape));
    }
    shape[static_cast<size_t>(axis)] = sum;
    ExpectAsTheTextHasIt(one.Set("axis", axis).Out(type, shape));
  });
}

TEST(Move, Pad) {
  ForEachDraw([](DType type, Draw& draw) {
    const Shape in = draw.AShape(draw(1, 4), 5);
    std::vector<int64_t> padding;
    Shape out = in;
    for (int64_t& length : out) {
      for (int end = 0; end < 2; ++end) {
        padding.push_back(draw(0, 3));
        length += padding.back();
      }
    }
    OneOperator one("PAD");
    one.In(draw.Values(type, in)).ShapeIn(padding).In(draw.Values(type, {1}));
    ExpectAsTheTextHasIt(one.Out(type, out));
  });
}

// Indices out of range and repeated ones included: the same REQUIRE is broken then.
TEST(Move, GatherAndScatter) {
  ForEachDraw([](DType type, Draw& draw) {
    if (type == DType::kBool) return;
    const int64_t n = draw(1, 3), k = draw(1, 6), c = draw(1, 4), w = draw(1, k);
    std::vector<int64_t> gathered, scattered;
    for (int64_t batch = 0; batch < n; ++batch) {
      std::vector<int64_t> order(static_cast<size_t>(k));
      std::iota(order.begin(), order.end(), 0);
      for (size_t i = order.size(); i-- > 1;) {
        std::swap(order[i], order[static_cast<size_t>(draw(0, static_cast<int64_t>(i)))]);
      }
      scattered.insert(scattered.end(), order.begin(), order.begin() + w);
      for (int64_t i = 0; i < w; ++i) gathered.push_back(draw(0, k - 1));
    }
    const int64_t wrong = draw(0, 3);
    if (wrong == 1) gathered.back() = scattered.back() = k;
    if (wrong == 2 && w > 1) scattered.back() = scattered[scattered.size() - 2];
    OneOperator gather("GATHER"), scatter("SCATTER");
    gather.In(draw.Values(type, {n, k, c})).Integers(DType::kI32, {n, w}, gathered);
    ExpectAsTheTextHasIt(gather.Out(type, {n, w, c}));
    scatter.In(draw.Values(type, {n, k, c})).Integers(DType::kI32, {n, w}, scattered);
    ExpectAsTheTextHasIt(scatter.In(draw.Values(type, {n, w, c})).Out(type, {n, k, c}));
  });
}

// The type of RESIZE's output.
DType ResizedType(DType type, const std::string& mode) {
  if (mode != "BILINEAR" || IsFloat(type)) return type;
  return type == DType::kI8 ? DType::kI32 : DType::kI48;
}

// The plain loop of BILINEAR in fp64. Positions and weights as the section RESIZE has them.
std::vector<double> Bilinear(const Tensor& input, const Shape& out,
                             const std::vector<int64_t>& scale,
                             const std::vector<int64_t>& offset) {
  const Shape& in = input.shape();
  std::vector<double> result;
  for (int64_t i = 0; i < ElementCount(out); ++i) {
    const Shape o = Index(out, i);
    int64_t low[2], high[2];
    double near[2];
    for (size_t k = 0; k < 2; ++k) {
      const int64_t n = scale[2 * k], position = o[1 + k] * scale[2 * k + 1] + offset[k];
      const auto floor =
          static_cast<int64_t>(std::floor(static_cast<double>(position) / static_cast<double>(n)));
      low[k] = std::max<int64_t>(floor, 0), high[k] = std::min(floor + 1, in[1 + k] - 1);
      near[k] = static_cast<double>(position - floor * n) / static_cast<double>(n);
    }
    double sum = 0;
    for (const auto& [y, x] : {std::pair(0, 0), {0, 1}, {1, 0}, {1, 1}}) {
      const int64_t place =
          Offset(in, {o[0], y == 0 ? low[0] : high[0], x == 0 ? low[1] : high[1], o[3]});
      const double across = input.Element(place) * (y == 0 ? 1 - near[0] : near[0]);
      const double tap = across * (x == 0 ? 1 - near[1] : near[1]);
      sum = y + x == 0 ? tap : sum + tap;
    }
    result.push_back(sum);
  }
  return result;
}

TEST(Move, Resize) {
  ForEachDraw([](DType type, Draw& draw) {
    if (type == DType::kBool || type == DType::kI32 || StorageBytes(type) == 1) {
      if (type != DType::kI8) return;
    }
    for (const std::string mode : {"BILINEAR", "NEAREST_NEIGHBOR"}) {
      const Shape in = {draw(1, 2), draw(1, 6), draw(1, 6), draw(1, 9)};
      Shape out = in;
      std::vector<int64_t> scale, offset, border;
      for (size_t k = 0; k < 2; ++k) {
        const int64_t n = draw(1, 6), d = draw(1, 3 * n);
        offset.push_back(draw(-n, n));
        // The greatest border below n that gives a whole size.
        int64_t last = (in[1 + k] - 1) * n - offset[k] + n - 1;
        if (last < 0) offset[k] = 0, last = (in[1 + k] - 1) * n + n - 1;
        last -= last % d;
        border.push_back(last - ((in[1 + k] - 1) * n - offset[k]));
        out[1 + k] = last / d + 1;
        scale.insert(scale.end(), {n, d});
      }
      OneOperator one("RESIZE");
      const Tensor input = draw.Values(type, in);
      one.In(input).ShapeIn(scale).ShapeIn(offset).ShapeIn(border);
      one.Set("mode", mode).Out(ResizedType(type, mode), out);
      if (mode != "BILINEAR" || !IsFloat(type)) {
        ExpectAsTheTextHasIt(one);
        continue;
      }
      // Exact has other sums than Fp64.
      const std::vector<double> expected = Bilinear(input, out, scale, offset);
      const Tensor found = one.Run();
      for (int64_t i = 0; i < found.size(); ++i) {
        const double a = found.Element(i), b = expected[static_cast<size_t>(i)];
        ASSERT_TRUE(a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b)
            << "element " << i << ": found " << a << ", expected " << b;
        ASSERT_TRUE(a == a || found.Bits(i) == std::bit_cast<uint64_t>(std::nan("")));
      }
    }
  });
}

}  // namespace
}  // namespace cts
