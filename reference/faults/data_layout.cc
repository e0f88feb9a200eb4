// Faults of CONCAT, PAD, DIM, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE.
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/faults/moves.h"

namespace cts::data_layout_faults {
namespace {

// A list of integers: padding, start, multiples, perms.
int64_t At(const Call& call, std::string_view list, size_t k) {
  return call.Integer(list, static_cast<int64_t>(k));
}

class Catalogue {
 public:
  Catalogue(std::string op, std::string prefix, std::string clause)
      : op_(std::move(op)), prefix_(std::move(prefix)), clause_(std::move(clause)) {
    faults_ = MovingFaults(op_, "in_out_t");
  }
  void Add(const char* id, const char* sentence, Wrong wrong,
           std::function<bool(const TypeRow&)> touches = nullptr) {
    faults_.push_back({.id = prefix_ + id,
                       .op = op_,
                       .sentence = sentence,
                       .clause = clause_,
                       .touches = std::move(touches),
                       .does = std::move(wrong)});
  }
  Faults Take() { return std::move(faults_); }

 private:
  std::string op_, prefix_, clause_;
  Faults faults_;
};

// --- CONCAT

// The place of element `position` along the axis: the operand, and the place within it.
using OutputPlace = std::pair<int, int64_t>;

// CONCAT that finds operands otherwise along the axis; zero if there is no operand.
Wrong Joined(
    std::function<OutputPlace(const Call&, const std::vector<int64_t>& sizes, int64_t)> find) {
  return ByResult([find = std::move(find)](const Call& call, OperatorOutputs& results) {
    Tensor& out = *results.begin()->second;
    const auto axis = static_cast<size_t>(call.Integer("axis"));
    if (axis >= out.shape().size()) return;  // scalars of 0.100
    std::vector<int64_t> sizes;
    sizes.reserve(static_cast<size_t>(call.Count("input1")));
    for (int t = 0; t < call.Count("input1"); ++t) sizes.push_back(call.shape("input1", t)[axis]);
    for (int64_t i = 0; i < out.size(); ++i) {
      Shape index = IndexOf(out.shape(), i);
      const auto [t, position] = find(call, sizes, index[axis]);
      index[axis] = position;
      const bool is_operand = t >= 0 && t < call.Count("input1");
      const auto k = is_operand ? OffsetOf(call.shape("input1", t), index) : std::nullopt;
      out.SetBits(i, k ? call.values("input1", t)->Bits(*k) : 0);
    }
  });
}

OutputPlace Right(const std::vector<int64_t>& sizes, int64_t position) {
  int t = 0;
  while (position >= sizes[static_cast<size_t>(t)]) position -= sizes[static_cast<size_t>(t++)];
  return {t, position};
}

// The operands' memory one after another.
void JoinBuffers(const Call& call, OperatorOutputs& results) {
  Tensor& out = *results.begin()->second;
  int64_t i = 0;
  for (int t = 0; t < call.Count("input1"); ++t) {
    const Tensor& in = *call.values("input1", t);
    for (int64_t k = 0; k < in.size() && i < out.size(); ++k) out.SetBits(i++, in.Bits(k));
  }
}

// --- TRANSPOSE

// The memory that a transposition by other perms gives, whatever its shape.
Wrong TransposedBy(std::function<std::vector<size_t>(const Call&)> perms) {
  return TakenFromOffset("input1", [perms = std::move(perms)](const Call& call, int64_t offset) {
    const Shape& in = call.shape("input1");
    const std::vector<size_t> order = perms(call);
    Shape other;
    for (const size_t axis : order) other.push_back(in[axis]);
    const Shape index = IndexOf(other, offset);
    Shape from(in.size());
    for (size_t k = 0; k < order.size(); ++k) from[order[k]] = index[k];
    return *OffsetOf(in, from);
  });
}

std::vector<size_t> PermsOf(const Call& call) {
  std::vector<size_t> perms;
  for (size_t k = 0; k < call.shape("input1").size(); ++k) {
    perms.push_back(static_cast<size_t>(At(call, "perms", k)));
  }
  return perms;
}

std::vector<size_t> AsItIs(const Call& call) {
  std::vector<size_t> perms(call.shape("input1").size());
  for (size_t k = 0; k < perms.size(); ++k) perms[k] = k;
  return perms;
}

// Called `input` by REVERSE in 0.100.
std::string_view InputOf(const Call& call) { return call.Has("input1") ? "input1" : "input"; }

// REVERSE with other indices; the output has the input's shape.
Wrong Reversed(std::function<void(const Call&, size_t axis, Shape& index)> change) {
  return ByResult([change = std::move(change)](const Call& call, OperatorOutputs& results) {
    Tensor& out = *results.begin()->second;
    const Tensor& in = *call.values(InputOf(call));
    for (int64_t i = 0; i < out.size(); ++i) {
      Shape index = IndexOf(out.shape(), i);
      change(call, static_cast<size_t>(call.Integer("axis")), index);
      const auto k = OffsetOf(out.shape(), index);
      out.SetBits(i, k ? in.Bits(*k) : 0);
    }
  });
}

// PAD with other positions: `start(call, axis)` elements of padding before each axis. The padding's
// value is right.
Wrong PaddedBy(std::function<int64_t(const Call&, size_t axis)> start) {
  return ByResult([start = std::move(start)](const Call& call, OperatorOutputs& results) {
    Tensor& out = *results.begin()->second;
    const Tensor& in = *call.values("input1");
    // The elements before or after all of the input, if there is any padding.
    uint64_t constant = 0;
    for (int64_t i = 0; i < out.size(); ++i) {
      const Shape index = IndexOf(out.shape(), i);
      for (size_t axis = 0; axis < index.size(); ++axis) {
        const int64_t k = index[axis] - At(call, "padding", 2 * axis);
        if (k < 0 || k >= in.shape()[axis]) constant = out.Bits(i);
      }
    }
    for (int64_t i = 0; i < out.size(); ++i) {
      Shape index = IndexOf(out.shape(), i);
      for (size_t axis = 0; axis < index.size(); ++axis) index[axis] -= start(call, axis);
      const auto k = OffsetOf(in.shape(), index);
      out.SetBits(i, k ? in.Bits(*k) : constant);
    }
  });
}

// PAD whose padding holds wrong values.
Wrong PaddedWith(std::function<uint64_t(const Call&, const Shape& index, uint64_t bits)> fill) {
  return ByResult([fill = std::move(fill)](const Call& call, OperatorOutputs& results) {
    Tensor& out = *results.begin()->second;
    const Shape& in = call.shape("input1");
    for (int64_t i = 0; i < out.size(); ++i) {
      Shape index = IndexOf(out.shape(), i);
      for (size_t axis = 0; axis < index.size(); ++axis) {
        index[axis] -= At(call, "padding", 2 * axis);
      }
      if (!OffsetOf(in, index)) out.SetBits(i, fill(call, index, out.Bits(i)));
    }
  });
}

// The nearest element of the input, or its mirror image at the edge.
uint64_t FromWithin(const Call& call, Shape index, bool mirrored) {
  const Tensor& in = *call.values("input1");
  for (size_t axis = 0; axis < index.size(); ++axis) {
    const int64_t last = in.shape()[axis] - 1;
    if (mirrored && index[axis] < 0) index[axis] = -index[axis];
    if (mirrored && index[axis] > last) index[axis] = 2 * last - index[axis];
    index[axis] = std::clamp<int64_t>(index[axis], 0, last);
  }
  return in.Bits(*OffsetOf(in.shape(), index));
}

std::function<bool(const TypeRow&)> WideRows() {
  return Rows("in_out_t", {DType::kI16, DType::kI32, DType::kFp16, DType::kBf16, DType::kFp32});
}

}  // namespace

Faults ConcatFaults() {
  Catalogue concat("CONCAT", "concat.", "CONCAT, the output's elements along axis");
  concat.Add("joins_buffers", "joins the operands' memory, as if axis were 0",
             ByResult(JoinBuffers));
  concat.Add("joins_buffers_beyond_rank_4",
             "joins the operands' memory as it lies where the rank is above 4",
             ByResult([](const Call& call, OperatorOutputs& results) {
               if (call.shape("output").size() > 4) JoinBuffers(call, results);
             }));
  concat.Add("takes_the_list_backwards", "joins the operands from the last to the first",
             Joined([](const Call&, const std::vector<int64_t>& sizes, int64_t position) {
               const auto [t, k] = Right({sizes.rbegin(), sizes.rend()}, position);
               return OutputPlace{static_cast<int>(sizes.size()) - 1 - t, k};
             }));
  concat.Add("repeats_the_first", "takes the first operand for every operand",
             Joined([](const Call&, const std::vector<int64_t>& sizes, int64_t position) {
               return OutputPlace{0, Right(sizes, position).second};
             }));
  concat.Add("overlaps_by_one", "begins each operand over the last element of the one before",
             Joined([](const Call&, const std::vector<int64_t>& sizes, int64_t position) {
               const OutputPlace place = Right(sizes, position);
               const auto t = static_cast<size_t>(place.first);
               if (t + 1 < sizes.size() && place.second == sizes[t] - 1) {
                 return OutputPlace{place.first + 1, 0};
               }
               return t == 0 ? place : OutputPlace{place.first, place.second + 1};
             }));
  concat.Add("drops_beyond_two", "joins two operands; what further ones would hold stays zero",
             Joined([](const Call&, const std::vector<int64_t>& sizes, int64_t position) {
               const OutputPlace place = Right(sizes, position);
               return place.first < 2 ? place : OutputPlace{-1, 0};
             }));
  concat.Add("takes_one_size_for_all", "takes every operand to be as long as the first",
             Joined([](const Call&, const std::vector<int64_t>& sizes, int64_t position) {
               return OutputPlace{static_cast<int>(position / sizes[0]), position % sizes[0]};
             }));
  return concat.Take();
}

Faults PadFaults() {
  Catalogue pad("PAD", "pad.", "PAD, arguments padding and pad_const");
  pad.Add(
      "swaps_ends", "pads before an axis what is due after it",
      PaddedBy([](const Call& call, size_t axis) { return At(call, "padding", 2 * axis + 1); }));
  pad.Add("takes_axes_backwards", "takes padding from the last axis to the first",
          PaddedBy([](const Call& call, size_t axis) {
            return At(call, "padding", 2 * (call.shape("input1").size() - 1 - axis));
          }));
  pad.Add("takes_all_starts_first", "takes padding as all starts, then all ends",
          PaddedBy([](const Call& call, size_t axis) { return At(call, "padding", axis); }));
  pad.Add("starts_one_late", "pads one element more before an axis, and one less after it",
          PaddedBy([](const Call& call, size_t axis) {
            const int64_t start = At(call, "padding", 2 * axis);
            return start > 0 ? start + 1 : start;
          }));
  pad.Add("centers", "pads as much before an axis as after it",
          PaddedBy([](const Call& call, size_t axis) {
            return (At(call, "padding", 2 * axis) + At(call, "padding", 2 * axis + 1)) / 2;
          }));
  pad.Add("pads_four_axes", "pads no more than the last four axes before the input",
          PaddedBy([](const Call& call, size_t axis) {
            const size_t rank = call.shape("input1").size();
            return axis + 4 < rank ? 0 : At(call, "padding", 2 * axis);
          }));
  pad.Add("repeats_the_edge", "pads with the nearest element of the input",
          PaddedWith([](const Call& call, const Shape& index, uint64_t) {
            return FromWithin(call, index, false);
          }));
  pad.Add("mirrors", "pads with the input's mirror image",
          PaddedWith([](const Call& call, const Shape& index, uint64_t) {
            return FromWithin(call, index, true);
          }));
  pad.Add("pads_after_with_zero", "pads with pad_const before the input, and with zero after it",
          PaddedWith([](const Call&, const Shape& index, uint64_t bits) {
            const bool before =
                std::any_of(index.begin(), index.end(), [](int64_t k) { return k < 0; });
            return before ? bits : 0;
          }));
  pad.Add("fills_by_bytes", "fills the padding with one byte of pad_const",
          PaddedWith([](const Call&, const Shape&, uint64_t bits) {
            return (bits & 0xff) * 0x0101010101010101U;
          }),
          WideRows());
  pad.Add("pads_with_an_integer", "makes pad_const an integer first",
          ByResult([](const Call& call, OperatorOutputs& results) {
            Tensor& out = *results.begin()->second;
            const Shape& in = call.shape("input1");
            for (int64_t i = 0; i < out.size(); ++i) {
              Shape index = IndexOf(out.shape(), i);
              for (size_t axis = 0; axis < index.size(); ++axis) {
                index[axis] -= At(call, "padding", 2 * axis);
              }
              if (OffsetOf(in, index)) continue;
              const double x = out.Element(i);
              out.SetElement(i, std::isnan(x) ? 0 : std::trunc(x));
            }
          }),
          FloatRows());
  Faults faults = pad.Take();
  faults.push_back(
      {.id = "pad.counts_padding_as_dimensions",
       .op = "PAD",
       .source = FaultSource::kReported,
       .sentence = "holds the padding, two numbers a dimension, against the greatest rank",
       .clause = "PAD, pad.level_rank",
       .report = "llvm/llvm-project#175020",
       .does = [](const Call& call) {
         const auto numbers = static_cast<int64_t>(2 * call.shape("input1").size());
         return numbers > call.level().Max("MAX_RANK");
       }});
  return faults;
}

Faults DimFaults() {
  const std::string clause = "DIM, the size along axis";
  const auto fault =
      [&](const char* id, const char* sentence,
          const std::function<int64_t(const Call&, const Shape&, size_t axis)>& size) {
        return Fault{.id = StrCat("dim.", id),
                     .op = "DIM",
                     .sentence = sentence,
                     .clause = clause,
                     .does = ByResult([size](const Call& call, OperatorOutputs& results) {
                       const Shape& shape = call.shape("input1");
                       const auto axis = static_cast<size_t>(call.Integer("axis"));
                       results.begin()->second->SetInteger(0, size(call, shape, axis));
                     })};
      };
  return {fault("axis_from_the_end", "counts axis from the last",
                [](const Call&, const Shape& shape, size_t axis) {
                  return shape[shape.size() - 1 - axis];
                }),
          fault("next_axis", "takes the next axis, or the first for the last",
                [](const Call&, const Shape& shape, size_t axis) {
                  return shape.size() < 2 ? shape[axis] + 1 : shape[(axis + 1) % shape.size()];
                }),
          fault("gives_the_rank", "yields how many axes there are",
                [](const Call&, const Shape& shape, size_t) {
                  return static_cast<int64_t>(shape.size());
                })};
}

// RESHAPE of a tensor whose four axes lie in memory in another order.
Wrong LiesAs(const std::vector<size_t>& order) {
  return TakenFromOffset("input1", [order](const Call& call, int64_t offset) {
    const Shape& in = call.shape("input1");
    if (in.size() != 4) return offset;
    Shape stored, index(4);
    for (const size_t axis : order) stored.push_back(in[axis]);
    const Shape place = IndexOf(stored, offset);
    for (size_t i = 0; i < 4; ++i) index[order[i]] = place[i];
    return *OffsetOf(in, index);
  });
}

Faults ReshapeFaults() {
  Catalogue reshape("RESHAPE", "reshape.", "RESHAPE, the order of the elements");
  reshape.Add("takes_channels_first", "takes a tensor of four axes to lie in memory as NCHW",
              LiesAs({0, 3, 1, 2}));
  // For editions in which NCHW is right.
  reshape.Add("takes_channels_last", "takes a tensor of four axes to lie in memory as NHWC",
              LiesAs({0, 2, 3, 1}));
  reshape.Add("goes_by_columns", "counts the first axis fastest",
              TakenFromOffset("input1", [](const Call& call, int64_t offset) {
                const Shape& in = call.shape("input1");
                const Shape& out = call.shape("output");
                Shape index = IndexOf(out, offset);
                int64_t place = 0;
                for (size_t axis = out.size(); axis-- > 0;) place = place * out[axis] + index[axis];
                Shape from(in.size());
                for (size_t axis = 0; axis < in.size(); ++axis) {
                  from[axis] = place % in[axis];
                  place /= in[axis];
                }
                return *OffsetOf(in, from);
              }));
  reshape.Add("reads_aligned_rows", "takes every row of the input to begin at a multiple of four",
              TakenFromOffset("input1", [](const Call& call, int64_t offset) {
                const Shape& in = call.shape("input1");
                if (in.empty()) return offset;
                const int64_t pitch = (in.back() + 3) / 4 * 4;
                return offset % pitch < in.back() ? offset / pitch * in.back() + offset % pitch
                                                  : int64_t{-1};
              }));
  reshape.Add("keeps_what_overlaps", "keeps elements at their indices, where the output has them",
              TakenFromOffset("input1", [](const Call& call, int64_t offset) {
                const Shape& in = call.shape("input1");
                Shape index = IndexOf(call.shape("output"), offset);
                while (index.size() < in.size()) index.insert(index.begin(), 0);
                while (index.size() > in.size()) {
                  if (index.front() != 0) return int64_t{-1};
                  index.erase(index.begin());
                }
                return OffsetOf(in, index).value_or(-1);
              }));
  return reshape.Take();
}

Faults ReverseFaults() {
  Catalogue reverse("REVERSE", "reverse.", "REVERSE, argument axis");
  reverse.Add("axis_from_the_end", "counts axis from the last",
              Reversed([](const Call& call, size_t axis, Shape& index) {
                const Shape& shape = call.shape("output");
                const size_t other = shape.size() - 1 - axis;
                index[other] = shape[other] - 1 - index[other];
              }));
  reverse.Add("reverses_all", "reverses every axis",
              Reversed([](const Call& call, size_t, Shape& index) {
                for (size_t axis = 0; axis < index.size(); ++axis) {
                  index[axis] = call.shape("output")[axis] - 1 - index[axis];
                }
              }));
  reverse.Add("begins_one_late", "reads the element behind, and the last one twice",
              Reversed([](const Call& call, size_t axis, Shape& index) {
                const int64_t size = call.shape("output")[axis];
                index[axis] = std::min(size - index[axis], size - 1);
              }));
  reverse.Add("reverses_in_place", "overwrites in one half what the other half is to become",
              Reversed([](const Call& call, size_t axis, Shape& index) {
                const int64_t size = call.shape("output")[axis];
                if (index[axis] < size / 2) index[axis] = size - 1 - index[axis];
              }));
  reverse.Add("reverses_the_last_axis", "reverses the last axis, whatever axis says",
              Reversed([](const Call& call, size_t, Shape& index) {
                index.back() = call.shape("output").back() - 1 - index.back();
              }));
  return reverse.Take();
}

Faults SliceFaults() {
  Catalogue slice("SLICE", "slice.", "SLICE, arguments start and size");
  const auto shifted = [](std::function<int64_t(const Call&, size_t axis)> start) {
    return TakenFrom("input1", [start = std::move(start)](const Call& call, Shape index) {
      for (size_t axis = 0; axis < index.size(); ++axis) index[axis] += start(call, axis);
      return std::optional<Shape>(std::move(index));
    });
  };
  slice.Add("ignores_start", "begins at the first element",
            shifted([](const Call&, size_t) { return 0; }));
  slice.Add("starts_one_late", "begins one element later, and reads on beyond the input",
            shifted([](const Call& call, size_t axis) {
              return At(call, "start", axis) + (axis + 1 == call.shape("input1").size() ? 1 : 0);
            }));
  slice.Add("starts_from_the_end", "counts start from the end of an axis",
            shifted([](const Call& call, size_t axis) {
              return call.shape("input1")[axis] - call.shape("output")[axis] -
                     At(call, "start", axis);
            }));
  slice.Add("takes_axes_backwards", "takes start from the last axis to the first",
            shifted([](const Call& call, size_t axis) {
              return At(call, "start", call.shape("input1").size() - 1 - axis);
            }));
  slice.Add("starts_on_four_axes", "begins at the first element of all but the last four axes",
            shifted([](const Call& call, size_t axis) {
              return axis + 4 < call.shape("input1").size() ? 0 : At(call, "start", axis);
            }));
  slice.Add("reads_on", "finds the first element, and reads on in memory from there",
            TakenFromOffset("input1", [](const Call& call, int64_t offset) {
              Shape start;
              for (size_t k = 0; k < call.shape("input1").size(); ++k) {
                start.push_back(At(call, "start", k));
              }
              return OffsetOf(call.shape("input1"), start).value_or(0) + offset;
            }));
  return slice.Take();
}

Faults TileFaults() {
  Catalogue tile("TILE", "tile.", "TILE, argument multiples");
  const auto from = [](std::function<int64_t(int64_t index, int64_t in, int64_t out)> change) {
    return TakenFrom("input1", [change = std::move(change)](const Call& call, Shape index) {
      for (size_t axis = 0; axis < index.size(); ++axis) {
        index[axis] = change(index[axis], call.shape("input1")[axis], call.shape("output")[axis]);
      }
      return std::optional<Shape>(std::move(index));
    });
  };
  tile.Add("repeats_elements", "repeats each element, not the whole",
           from([](int64_t index, int64_t in, int64_t out) { return index / (out / in); }));
  tile.Add("leaves_the_rest", "copies the input once; the rest stays zero",
           from([](int64_t index, int64_t in, int64_t) { return index < in ? index : -1; }));
  tile.Add("repeats_the_edge", "repeats the last element of an axis",
           from([](int64_t index, int64_t in, int64_t) { return std::min(index, in - 1); }));
  tile.Add("mirrors", "turns every other copy round", from([](int64_t index, int64_t in, int64_t) {
             return index / in % 2 == 0 ? index % in : in - 1 - index % in;
           }));
  tile.Add("repeats_memory", "repeats the input's memory as a whole",
           TakenFromOffset("input1", [](const Call& call, int64_t offset) {
             return offset % ElementCount(call.shape("input1"));
           }));
  tile.Add("tiles_four_axes", "repeats the first element along all but the last four axes",
           TakenFrom("input1", [](const Call& call, Shape index) {
             const Shape& in = call.shape("input1");
             for (size_t axis = 0; axis < index.size(); ++axis) {
               if (axis + 4 < in.size()) {
                 index[axis] = std::min(index[axis], in[axis] - 1);
               } else {
                 index[axis] %= in[axis];
               }
             }
             return std::optional<Shape>(std::move(index));
           }));
  return tile.Take();
}

Faults TransposeFaults() {
  Catalogue transpose("TRANSPOSE", "transpose.", "TRANSPOSE, argument perms");
  transpose.Add("inverts_perms", "takes perms for where an axis goes, not for where it comes from",
                TransposedBy([](const Call& call) {
                  const std::vector<size_t> perms = PermsOf(call);
                  std::vector<size_t> inverse(perms.size());
                  for (size_t k = 0; k < perms.size(); ++k) inverse[perms[k]] = k;
                  return inverse;
                }));
  transpose.Add("ignores_perms", "leaves the elements as they lie in memory", TransposedBy(AsItIs));
  transpose.Add("reverses_axes", "turns the order of all axes round, whatever perms says",
                TransposedBy([](const Call& call) {
                  std::vector<size_t> perms = AsItIs(call);
                  std::reverse(perms.begin(), perms.end());
                  return perms;
                }));
  transpose.Add("swaps_the_last_two", "exchanges the last two axes, whatever perms says",
                TransposedBy([](const Call& call) {
                  std::vector<size_t> perms = AsItIs(call);
                  if (perms.size() > 1) std::swap(perms[perms.size() - 1], perms[perms.size() - 2]);
                  return perms;
                }));
  transpose.Add("ignores_perms_beyond_rank_4", "leaves tensors of more than four axes as they lie",
                TransposedBy([](const Call& call) {
                  const std::vector<size_t> perms = PermsOf(call);
                  return perms.size() > 4 ? AsItIs(call) : perms;
                }));
  transpose.Add("takes_perms_backwards", "takes perms from the last axis to the first",
                TransposedBy([](const Call& call) {
                  std::vector<size_t> perms = PermsOf(call);
                  std::reverse(perms.begin(), perms.end());
                  return perms;
                }));
  transpose.Add("transposes_in_place",
                "writes its result over its input, and reads on from what it has written",
                ByResult([](const Call& call, OperatorOutputs& results) {
                  Tensor& out = *results.begin()->second;
                  const Shape& in = call.shape("input1");
                  const std::vector<size_t> perms = PermsOf(call);
                  for (int64_t i = 0; i < out.size(); ++i)
                    out.SetBits(i, call.values("input1")->Bits(i));
                  for (int64_t i = 0; i < out.size(); ++i) {
                    const Shape index = IndexOf(call.shape("output"), i);
                    Shape from(in.size());
                    for (size_t k = 0; k < perms.size(); ++k) from[perms[k]] = index[k];
                    out.SetBits(i, out.Bits(*OffsetOf(in, from)));
                  }
                }));
  transpose.Add("loses_partial_tiles", "moves whole tiles of four by four; the rest stays zero",
                ByElement([](const Call&, Tensor& out, int64_t i) {
                  const Shape& shape = out.shape();
                  if (shape.size() < 2) return;
                  const Shape index = IndexOf(shape, i);
                  for (size_t axis = shape.size() - 2; axis < shape.size(); ++axis) {
                    if (index[axis] >= shape[axis] / 4 * 4) return out.SetBits(i, 0);
                  }
                }));
  return transpose.Take();
}

}  // namespace cts::data_layout_faults
