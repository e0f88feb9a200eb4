// CONCAT, PAD, DIM, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE (section Data Layout).
#include <algorithm>
#include <set>

#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// shape_dim of the specification: 1 beyond the rank, so that scalars can be concatenated (0.100).
int64_t ShapeDim(const Shape& shape, int64_t axis) {
  return IsAxisOf(shape, axis) ? shape[axis] : 1;
}

// Whether `broken` holds for the shape of any input.
template <class Predicate>
Breach AnyShape(const Call& c, Predicate broken) {
  for (int t = 0; t < c.Count("input1"); ++t) {
    if (!broken(c.shape("input1", t))) continue;
    return Breach::Showing("input1[", t, "] of shape ", ToString(c.shape("input1", t)),
                           ", input1[0] of shape ", ToString(c.shape("input1")));
  }
  return false;
}

bool AxisOutOfRange(const Call& c) {
  if (c.Count("input1") == 0) return false;
  const int64_t rank = static_cast<int64_t>(c.shape("input1").size());
  const int64_t axis = c.Integer("axis");
  return axis < 0 || axis >= std::max<int64_t>(1, rank);
}

int64_t AxisSum(const Call& c, int64_t axis) {
  int64_t sum = 0;
  for (int t = 0; t < c.Count("input1"); ++t) sum += ShapeDim(c.shape("input1", t), axis);
  return sum;
}

// The distance between two neighbours along each axis.
Shape Strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// The input offset from which element `offset` of a tensor of shape `out` comes. `coordinate(axis,
// index)` is its position along an axis of the input. `strides` are the input's, by axis of the
// output.
template <class Coordinate>
int64_t Source(const Shape& out, const Shape& strides, int64_t offset, Coordinate coordinate) {
  int64_t source = 0;
  for (size_t axis = out.size(); axis-- > 0;) {
    source += coordinate(axis, offset % out[axis]) * strides[axis];
    offset /= out[axis];
  }
  return source;
}

bool RanksDiffer(const Call& c) { return c.shape("input1").size() != c.shape("output").size(); }

// Called `input` by REVERSE in 0.100.
std::string_view InputOf(const Call& c) { return c.Has("input1") ? "input1" : "input"; }

// 1.0 has the length in the argument table, 0.100 in the description of the argument only.
bool PaddingFits(const Call& c) {
  return c.shape("padding")[0] == 2 * static_cast<int64_t>(c.shape("input1").size());
}

bool SizesDiffer(const Call& c) {
  const StatusOr<int64_t> in = CheckedElementCount(c.shape("input1"));
  const StatusOr<int64_t> out = CheckedElementCount(c.shape("output"));
  return !in.ok() || !out.ok() || *in != *out;
}

bool SliceListLengthsDiffer(const Call& c) {
  const int64_t rank = static_cast<int64_t>(c.shape("input1").size());
  return c.shape("start")[0] != rank || c.shape("size")[0] != rank;
}

// Whether `broken(start, size, dimension of input1, dimension of the output)` holds for any axis.
template <class Predicate>
Breach AnyAxisOfSlice(const Call& c, Predicate broken) {
  if (SliceListLengthsDiffer(c) || RanksDiffer(c)) return false;
  for (size_t i = 0; i < c.shape("input1").size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    if (broken(c.Integer("start", axis), c.Integer("size", axis), c.shape("input1")[i],
               c.shape("output")[i])) {
      return Breach::Showing("start ", c.Integer("start", axis), ", size ", c.Integer("size", axis),
                             ", input1 ", c.shape("input1")[i], " and output ",
                             c.shape("output")[i], " along axis ", i);
    }
  }
  return false;
}

// Whether perms has an element for every axis, each of them an axis, none twice.
bool IsPermutation(const Call& c) {
  const int64_t rank = static_cast<int64_t>(c.shape("input1").size());
  std::set<int64_t> used;
  for (int64_t i = 0; i < c.Length("perms"); ++i) {
    const int64_t axis = c.Integer("perms", i);
    if (axis < 0 || axis >= rank || !used.insert(axis).second) return false;
  }
  return static_cast<int64_t>(used.size()) == rank;
}

Shape ElementsOf(const Call& c, std::string_view operand) {
  Shape elements;
  for (int64_t i = 0; i < c.Length(operand); ++i) elements.push_back(c.Integer(operand, i));
  return elements;
}

// Checks that a shape operand has one element for each of `length` dimensions.
Status CheckLength(const Call& c, std::string_view operand, size_t length) {
  if (c.Length(operand) == static_cast<int64_t>(length)) return absl::OkStatus();
  return Undetermined(c, operand, " has ", c.Length(operand), " elements, not ", length);
}

// In 0.100 scalars become a vector: shape_dim is 1 beyond the rank.
StatusOr<Shapes> InferConcat(const Call& c) {
  if (c.Count("input1") == 0) return Undetermined(c, "the list of inputs is empty");
  Shape shape = c.shape("input1");
  if (shape.empty()) shape = {1};
  const int64_t axis = c.Integer("axis");
  if (!IsAxisOf(shape, axis)) return Undetermined(c, "axis ", axis, " is none of the inputs");
  WideSize sum = 0;
  for (int k = 0; k < c.Count("input1"); ++k) {
    const Shape& in = c.shape("input1", k);
    sum += IsAxisOf(in, axis) ? in[static_cast<size_t>(axis)] : 1;
  }
  std::vector<std::optional<int64_t>> sizes(shape.begin(), shape.end());
  sizes[static_cast<size_t>(axis)] = NarrowSize(sum);
  return InferOfSizes(c, sizes);
}

StatusOr<Shapes> InferPad(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "padding", 2 * in.size()));
  std::vector<std::optional<int64_t>> sizes;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(i);
    sizes.push_back(NarrowSize(WideSize{in[i]} + c.Integer("padding", 2 * axis) +
                               c.Integer("padding", 2 * axis + 1)));
  }
  return InferOfSizes(c, sizes);
}

StatusOr<Shapes> InferDim(const Call&) { return Shapes{{1}}; }

StatusOr<Shapes> InferReshape(const Call& c) { return Shapes{ElementsOf(c, "shape")}; }

StatusOr<Shapes> InferSlice(const Call& c) {
  CTS_RETURN_IF_ERROR(CheckLength(c, "size", c.shape("input1").size()));
  return Shapes{ElementsOf(c, "size")};
}

StatusOr<Shapes> InferTile(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "multiples", in.size()));
  std::vector<std::optional<int64_t>> sizes;
  for (size_t i = 0; i < in.size(); ++i) {
    sizes.push_back(NarrowSize(WideSize{in[i]} * c.Integer("multiples", static_cast<int64_t>(i))));
  }
  return InferOfSizes(c, sizes);
}

StatusOr<Shapes> InferTranspose(const Call& c) {
  const Shape& in = c.shape("input1");
  CTS_RETURN_IF_ERROR(CheckLength(c, "perms", in.size()));
  Shape shape;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t axis = c.Integer("perms", static_cast<int64_t>(i));
    if (!IsAxisOf(in, axis)) return Undetermined(c, "perms names axis ", axis);
    shape.push_back(in[static_cast<size_t>(axis)]);
  }
  return Shapes{shape};
}

}  // namespace

OperatorFacts ConcatFacts() {
  return {.infer = InferConcat,
          .keeping = Keeping::kSilent,
          .dimensions = ConcatDimensions,
          .moves = Moves::kSome};
}

// Each row judges only calls that pass the rows above it: a list with a first shape, an axis within
// it.
Conditions ConcatConditions() {
  return {
      {"concat.empty_list", ConditionKind::kErrorIf, "the list of inputs is empty",
       [](const Call& c) { return c.Count("input1") == 0; }, With(Feature::kConcatNeedsInputs)},
      {"concat.axis_range", ConditionKind::kErrorIf,
       "axis is outside 0 to the rank of the first input - 1", AxisOutOfRange},
      {"concat.rank_mismatch", ConditionKind::kErrorIf, "the inputs differ in rank",
       [](const Call& c) {
         return AnyShape(c, [&](const Shape& s) { return s.size() != c.shape("input1").size(); });
       }},
      {"concat.dimension_mismatch", ConditionKind::kErrorIf,
       "the inputs differ in a dimension other than axis",
       [](const Call& c) -> Breach {
         if (AxisOutOfRange(c)) return false;
         return AnyShape(c, [&](const Shape& s) {
           const Shape& first = c.shape("input1");
           for (size_t i = 0; i < std::min(s.size(), first.size()); ++i) {
             if (static_cast<int64_t>(i) != c.Integer("axis") && s[i] != first[i]) return true;
           }
           return false;
         });
       }},
      {"concat.axis_sum", ConditionKind::kErrorIf,
       "the output's size along axis is not the sum of the inputs' sizes",
       [](const Call& c) -> Breach {
         // 0.100 has no condition for the empty list. Its sum is 0, which no dimension equals.
         if (c.Count("input1") == 0) return !c.EditionHas(Feature::kConcatNeedsInputs);
         if (AxisOutOfRange(c)) return false;
         const int64_t axis = c.Integer("axis");
         const Shape& out = c.shape("output");
         if (!IsAxisOf(out, axis)) return Breach::Showing("output of shape ", ToString(out));
         const int64_t sum = AxisSum(c, axis);
         return out[axis] != sum ? Breach::Differing(out[axis], sum) : false;
       }},
  };
}

void ComputeConcat(const Call& call, Computation& computation) {
  const Shape& out = call.shape("output");
  const int64_t axis = call.Integer("axis");
  const AxisView view(out, axis);
  std::vector<const Operand*> inputs;
  std::vector<int64_t> sizes;  // along the axis
  for (int t = 0; t < call.Count("input1"); ++t) {
    inputs.push_back(&computation.In("input1", t));
    sizes.push_back(ShapeDim(call.shape("input1", t), axis));
  }
  // No condition compares the output's other dimensions with the inputs'. If they differ, elements
  // outside of an input are read.
  Shape expected = call.shape("input1");
  if (expected.empty()) expected = {1};
  expected[axis] = out[axis];
  const bool fits = expected == out;

  const auto move = [&](Mover& mover) {
    if (!fits) return false;
    const Shape strides = Strides(out);
    int64_t first = 0;  // along the axis
    for (size_t t = 0; t < inputs.size(); ++t) {
      Shape size = out;
      size[static_cast<size_t>(axis)] = sizes[t];
      if (!mover.Copy(*inputs[t], {size, Strides(size), strides, 0, first * view.inner})) {
        return false;
      }
      first += sizes[t];
    }
    return first == view.size;
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    a.Require(fits, "tensor_index_to_offset.index_range");
    if (!fits) return a.FromInteger(0);
    const int64_t row = i / view.inner, outer = row / view.size, column = i % view.inner;
    int64_t position = row % view.size;
    size_t t = 0;
    while (position >= sizes[t]) position -= sizes[t++];
    return a.Load(*inputs[t], (outer * sizes[t] + position) * view.inner + column);
  });
}

OperatorFacts PadFacts() {
  return {.infer = InferPad, .keeping = Keeping::kSilent, .dimensions = TwoAxesDimensions};
}

Conditions PadConditions() {
  return {
      {"pad.rank_mismatch", ConditionKind::kErrorIf, "output and input1 differ in rank",
       RanksDiffer},
      {"pad.padding_negative", ConditionKind::kErrorIf, "an element of padding is negative",
       [](const Call& c) { return AnyBelow(c, "padding", 0); }},
      {"pad.output_dimension", ConditionKind::kErrorIf,
       "a dimension of the output is not that of input1 with the padding at both ends",
       [](const Call& c) -> Breach {
         if (RanksDiffer(c) || !PaddingFits(c)) return false;
         const Shape& in = c.shape("input1");
         for (size_t i = 0; i < in.size(); ++i) {
           const int64_t axis = static_cast<int64_t>(i);
           const int64_t start = c.Integer("padding", 2 * axis);
           const int64_t end = c.Integer("padding", 2 * axis + 1);
           if (start < 0 || end < 0) continue;
           // Written so that nothing overflows.
           const int64_t added = c.shape("output")[i] - in[i];
           if (start <= added && end == added - start) continue;
           return Breach::Showing("dimension ", i, " of ", c.shape("output")[i], " from ", in[i],
                                  " with a padding of ", start, " and ", end);
         }
         return false;
       }},
  };
}

void ComputePad(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Shape& in = call.shape("input1");
  const Shape& out = call.shape("output");
  const Shape strides = Strides(in);
  const DType type = call.Type("in_out_t");
  const bool fits = PaddingFits(call);
  Shape start;
  for (size_t i = 0; fits && i < in.size(); ++i) {
    start.push_back(call.Integer("padding", 2 * static_cast<int64_t>(i)));
  }
  // An attribute in 0.100.
  const Argument* attribute = nullptr;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->name == "pad_const" && argument.attribute) attribute = &argument;
  }
  double attribute_number = 0;
  int64_t attribute_integer = 0;
  if (attribute != nullptr && IsFloat(type)) {
    attribute_number = Tensor::OfFloats(type, {}, {call.Number("pad_const").Float()}).Element(0);
  } else if (attribute != nullptr) {
    attribute_integer = call.Integer("pad_const");
  }
  const Operand* pad_const = attribute == nullptr ? &computation.In("pad_const") : nullptr;

  const auto move = [&](Mover& mover) {
    if (!fits || pad_const == nullptr || !mover.Fill(*pad_const, 0)) return false;
    const Shape to = Strides(out);
    int64_t first = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      if (start[i] < 0 || start[i] + in[i] > out[i]) return false;
      first += start[i] * to[i];
    }
    return mover.Copy(input1, {in, strides, to, 0, first});
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    a.Require(fits, "pad.padding_length");
    if (!fits) return a.FromInteger(0);
    bool is_pad = false;
    // The pseudocode compares the index with the output's dimension. Here everything outside of the
    // input is padding.
    const int64_t source = Source(out, strides, i, [&](size_t axis, int64_t index) {
      const int64_t position = index - start[axis];
      is_pad |= position < 0 || position >= in[axis];
      return position;
    });
    if (!is_pad) return a.Load(input1, source);
    if (pad_const != nullptr) return a.Load(*pad_const, 0);
    if constexpr (std::decay_t<decltype(a)>::kFloating) return a.FromDouble(attribute_number);
    return a.FromInteger(attribute_integer);
  });
}

OperatorFacts DimFacts() {
  return {.infer = InferDim, .keeping = Keeping::kAside, .reads_values = false};
}

// Only in 0.100. A negative axis is outside the range that the argument's description gives; 1.1
// has a condition for it.
Conditions DimConditions() {
  return {
      {"dim.axis_range", ConditionKind::kErrorIf, "axis is outside 0 to rank(shape) - 1",
       [](const Call& c) { return !IsAxisOf(c.shape("input1"), c.Integer("axis")); }},
  };
}

void ComputeDim(const Call& call, Computation& computation) {
  const int64_t size = call.shape("input1")[call.Integer("axis")];
  computation.ForEach("output", [&](auto&, int64_t) { return size; });
}

OperatorFacts ReshapeFacts() {
  return {.infer = InferReshape,
          .keeping = Keeping::kSilent,
          .dimensions = ElementwiseDimensions,
          .moves = Moves::kEach};
}

Conditions ReshapeConditions() {
  return {
      {"reshape.size_mismatch", ConditionKind::kErrorIf,
       "output and input1 differ in their number of elements", SizesDiffer},
  };
}

void ComputeReshape(const Call&, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  computation.ForEachMoved(
      "output", [&](Mover& mover) { return mover.CopyAll(input1); },
      [&](auto& a, int64_t i) { return a.Load(input1, i); });
}

OperatorFacts ReverseFacts() {
  return {.infer = InferAsInput,
          .keeping = Keeping::kSilent,
          .dimensions = ElementwiseDimensions,
          .alone_with_symbols = true,
          .moves = Moves::kEach};
}

Conditions ReverseConditions() {
  return {
      {"reverse.axis_range", ConditionKind::kErrorIf, "axis is outside 0 to rank(shape) - 1",
       [](const Call& c) { return !IsAxisOf(c.shape("output"), c.Integer("axis")); }},
  };
}

void ComputeReverse(const Call& call, Computation& computation) {
  const Operand& input = computation.In(InputOf(call));
  const Shape& shape = call.shape("output");
  const Shape strides = Strides(shape);
  const size_t reversed = static_cast<size_t>(call.Integer("axis"));
  const auto move = [&](Mover& mover) {
    Shape from = strides;
    from[reversed] = -from[reversed];
    return mover.Copy(input, {shape, from, strides, (shape[reversed] - 1) * strides[reversed], 0});
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    return a.Load(input, Source(shape, strides, i, [&](size_t axis, int64_t index) {
                    return axis == reversed ? shape[axis] - 1 - index : index;
                  }));
  });
}

OperatorFacts SliceFacts() {
  return {.infer = InferSlice,
          .keeping = Keeping::kSilent,
          .dimensions = ElementwiseDimensions,
          .moves = Moves::kSome};
}

// Each row judges only calls that pass the rows above it: lists as long as the rank, equal ranks,
// coordinates that are one.
Conditions SliceConditions() {
  return {
      {"slice.list_length", ConditionKind::kErrorIf,
       "start or size does not have an element for each dimension of input1",
       SliceListLengthsDiffer},
      {"slice.rank_mismatch", ConditionKind::kErrorIf, "output and input1 differ in rank",
       RanksDiffer},
      {"slice.start_negative", ConditionKind::kErrorIf, "an element of start is negative",
       [](const Call& c) {
         return AnyAxisOfSlice(c,
                               [](int64_t start, int64_t, int64_t, int64_t) { return start < 0; });
       }},
      {"slice.size_not_positive", ConditionKind::kErrorIf, "an element of size is below 1",
       [](const Call& c) {
         return AnyAxisOfSlice(c,
                               [](int64_t, int64_t size, int64_t, int64_t) { return size <= 0; });
       }},
      {"slice.end_range", ConditionKind::kErrorIf, "the slice ends outside of input1",
       [](const Call& c) {
         return AnyAxisOfSlice(c, [](int64_t start, int64_t size, int64_t in, int64_t) {
           return start >= 0 && size > 0 && start > in - size;
         });
       }},
      {"slice.output_dimension", ConditionKind::kErrorIf,
       "a dimension of the output is not the element of size",
       [](const Call& c) {
         return AnyAxisOfSlice(c, [](int64_t, int64_t size, int64_t, int64_t out) {
           return size > 0 && out != size;
         });
       }},
  };
}

void ComputeSlice(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Shape& out = call.shape("output");
  const Shape strides = Strides(call.shape("input1"));
  const Shape start = call.values("start")->Integers();
  const auto move = [&](Mover& mover) {
    int64_t first = 0;
    for (size_t i = 0; i < out.size(); ++i) first += start[i] * strides[i];
    return mover.Copy(input1, {out, strides, Strides(out), first, 0});
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    return a.Load(input1, Source(out, strides, i,
                                 [&](size_t axis, int64_t index) { return start[axis] + index; }));
  });
}

OperatorFacts TileFacts() {
  return {.infer = InferTile,
          .keeping = Keeping::kSilent,
          .dimensions = TwoAxesDimensions,
          .alone_with_symbols = true,
          .moves = Moves::kSome};
}

Conditions TileConditions() {
  return {
      {"tile.rank_mismatch", ConditionKind::kErrorIf, "output and input1 differ in rank",
       RanksDiffer},
      {"tile.output_dimension", ConditionKind::kErrorIf,
       "a dimension of the output is not that of input1 times the element of multiples",
       [](const Call& c) -> Breach {
         if (RanksDiffer(c)) return false;
         const Shape& in = c.shape("input1");
         const Shape& out = c.shape("output");
         for (size_t i = 0; i < in.size(); ++i) {
           const int64_t multiple = c.Integer("multiples", static_cast<int64_t>(i));
           if (out[i] % in[i] == 0 && out[i] / in[i] == multiple) continue;
           return Breach::Showing("dimension ", i, " of ", out[i], " from ", in[i], " times ",
                                  multiple);
         }
         return false;
       }},
  };
}

void ComputeTile(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Shape& in = call.shape("input1");
  const Shape& out = call.shape("output");
  const Shape strides = Strides(in);
  const auto move = [&](Mover& mover) {
    const Shape to = Strides(out);
    Box box;
    for (size_t i = 0; i < in.size(); ++i) {
      if (out[i] % in[i] != 0) return false;
      // An axis over the copies, and one within a copy.
      box.size.insert(box.size.end(), {out[i] / in[i], in[i]});
      box.from.insert(box.from.end(), {0, strides[i]});
      box.to.insert(box.to.end(), {to[i] * in[i], to[i]});
    }
    return mover.Copy(input1, box);
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    return a.Load(input1, Source(out, strides, i,
                                 [&](size_t axis, int64_t index) { return index % in[axis]; }));
  });
}

OperatorFacts TransposeFacts() {
  return {.infer = InferTranspose,
          .keeping = Keeping::kSilent,
          .dimensions = TransposeDimensions,
          .relations = TransposeRelations,
          .alone_with_symbols = true,
          .moves = Moves::kEach};
}

// Each row judges only calls that pass the rows above it. The loop over perms is about its values:
// their positions could never be out of range.
Conditions TransposeConditions() {
  return {
      {"transpose.rank_mismatch", ConditionKind::kErrorIf, "output and input1 differ in rank",
       RanksDiffer},
      {"transpose.size_mismatch", ConditionKind::kErrorIf,
       "output and input1 differ in their number of elements", SizesDiffer},
      {"transpose.perm_too_large", ConditionKind::kErrorIf,
       "an element of perms is not below rank(shape1)",
       [](const Call& c) {
         const int64_t rank = static_cast<int64_t>(c.shape("input1").size());
         for (int64_t i = 0; i < c.Length("perms"); ++i) {
           if (c.Integer("perms", i) >= rank) return true;
         }
         return false;
       }},
      {"transpose.perm_negative", ConditionKind::kErrorIf, "an element of perms is negative",
       [](const Call& c) { return AnyBelow(c, "perms", 0); }},
      {"transpose.perm_repeated", ConditionKind::kErrorIf, "an axis stands in perms twice",
       [](const Call& c) {
         std::set<int64_t> used;
         for (int64_t i = 0; i < c.Length("perms"); ++i) {
           const int64_t axis = c.Integer("perms", i);
           if (IsAxisOf(c.shape("input1"), axis) && !used.insert(axis).second) return true;
         }
         return false;
       }},
      {"transpose.output_dimension", ConditionKind::kErrorIf,
       "a dimension of the output is not the one of input1 that perms names",
       [](const Call& c) {
         if (RanksDiffer(c) || SizesDiffer(c) || !IsPermutation(c)) return false;
         for (size_t i = 0; i < c.shape("output").size(); ++i) {
           const int64_t axis = c.Integer("perms", static_cast<int64_t>(i));
           if (c.shape("output")[i] != c.shape("input1")[static_cast<size_t>(axis)]) return true;
         }
         return false;
       }},
  };
}

void ComputeTranspose(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Shape& out = call.shape("output");
  const Shape of_input = Strides(call.shape("input1"));
  Shape strides;  // of the input, by axis of the output
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t axis = call.Integer("perms", static_cast<int64_t>(i));
    strides.push_back(of_input[static_cast<size_t>(axis)]);
  }
  const auto move = [&](Mover& mover) {
    return mover.Copy(input1, {out, strides, Strides(out), 0, 0});
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    return a.Load(input1, Source(out, strides, i, [](size_t, int64_t index) { return index; }));
  });
}

}  // namespace cts
