#include "reference/ops/move.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <type_traits>

#include "reference/numeric/transpose_words.h"

namespace cts {
namespace {

constexpr double kOneNan = std::numeric_limits<double>::quiet_NaN();

// --- One element, as it is stored in the output -------------------------------------------------

template <class Word>
struct SameBits {
  using Stored = Word;
  static constexpr bool kSameBits = true;
  const Word* from;
  Word operator()(int64_t i) const { return from[i]; }
};

struct Boolean {
  using Stored = uint8_t;
  static constexpr bool kSameBits = false;
  const uint8_t* from;
  uint8_t operator()(int64_t i) const { return from[i] != 0; }
};

struct WideFp64 {
  using Stored = double;
  static constexpr bool kSameBits = false;
  const double* from;
  double operator()(int64_t i) const { return from[i] == from[i] ? from[i] : kOneNan; }
};

template <bool kFlush>
struct WideFp32 {
  using Stored = double;
  static constexpr bool kSameBits = false;
  const float* from;
  double operator()(int64_t i) const {
    float x = from[i];
    if (kFlush && std::fabs(x) < 0x1p-126f) x = std::copysign(0.0f, x);
    return x == x ? static_cast<double>(x) : kOneNan;
  }
};

// A type of at most 16 bits, by a table of all its values.
template <class Word>
struct WideNarrow {
  using Stored = double;
  static constexpr bool kSameBits = false;
  const Word* from;
  const double* values;
  double operator()(int64_t i) const { return values[from[i]]; }
};

struct AnyWide {
  using Stored = double;
  static constexpr bool kSameBits = false;
  const Operand* from;
  double operator()(int64_t i) const {
    const double x = from->Element(i);
    return x == x ? x : kOneNan;
  }
};

// The output has the operand's type.
template <class Word>
struct AnyNative {
  using Stored = Word;
  static constexpr bool kSameBits = false;
  const Operand* from;
  DType dtype;
  Word operator()(int64_t i) const {
    const double x = from->Element(i);
    return static_cast<Word>(EncodeFloat(dtype, x == x ? x : kOneNan));
  }
};

// The values of Operand::Element for every pattern of a type of 8 or 16 bits, with one NaN.
const double* ValuesOfPatterns(DType dtype, bool flush) {
  struct Slot {
    std::once_flag once;
    std::unique_ptr<double[]> values;
  };
  static std::array<std::array<Slot, 2>, kDTypeCount> slots;
  Slot& slot = slots[static_cast<size_t>(dtype)][flush ? 1 : 0];
  std::call_once(slot.once, [&] {
    const int64_t count = int64_t{1} << 8 * StorageBytes(dtype);
    slot.values = std::make_unique<double[]>(static_cast<size_t>(count));
    Tensor patterns(dtype, {count});
    for (int64_t i = 0; i < count; ++i) patterns.SetBits(i, static_cast<uint64_t>(i));
    const Operand operand = {.tensor = &patterns, .flush = flush};
    const AnyWide wide = {&operand};
    for (int64_t i = 0; i < count; ++i) slot.values[static_cast<size_t>(i)] = wide(i);
  });
  return slot.values.get();
}

// A table of 16 bits takes 0.3 ms, as long as about this number of elements without it.
constexpr int64_t kWorthATable = 1 << 15;

// --- Boxes --------------------------------------------------------------------------------------

template <class Element>
void CopyRun(const Element& at, int64_t from, int64_t from_step, typename Element::Stored* to,
             int64_t to_step, int64_t count) {
  if (from_step == 1 && to_step == 1) {
    if constexpr (Element::kSameBits) {
      std::memcpy(to, at.from + from, static_cast<size_t>(count) * sizeof(*to));
    } else {
      for (int64_t k = 0; k < count; ++k) to[k] = at(from + k);
    }
  } else if (to_step == 1) {
    for (int64_t k = 0; k < count; ++k) to[k] = at(from + k * from_step);
  } else {
    for (int64_t k = 0; k < count; ++k) to[k * to_step] = at(from + k * from_step);
  }
}

// Whether every element of a box lies in a tensor of `count` elements.
bool IsWithin(const Shape& size, const Shape& strides, int64_t first, int64_t count) {
  int64_t least = first, greatest = first;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] == 0) return true;
    (strides[i] < 0 ? least : greatest) += (size[i] - 1) * strides[i];
  }
  return least >= 0 && greatest < count;
}

// Removes axes of one element and joins neighbours that are one run in both tensors.
Box Simplified(const Box& box) {
  Box simple = {{}, {}, {}, box.from_first, box.to_first};
  for (size_t i = 0; i < box.size.size(); ++i) {
    if (box.size[i] == 1) continue;
    if (!simple.size.empty() && simple.from.back() == box.from[i] * box.size[i] &&
        simple.to.back() == box.to[i] * box.size[i]) {
      simple.size.back() *= box.size[i];
      simple.from.back() = box.from[i];
      simple.to.back() = box.to[i];
      continue;
    }
    simple.size.push_back(box.size[i]);
    simple.from.push_back(box.from[i]);
    simple.to.push_back(box.to[i]);
  }
  while (simple.size.size() < 2) {
    simple.size.insert(simple.size.begin(), 1);
    simple.from.insert(simple.from.begin(), 0);
    simple.to.insert(simple.to.begin(), 0);
  }
  return simple;
}

// Calls `f(from, to)` for every place along the axes other than the two given.
template <class F>
void ForEachPlace(const Box& box, size_t axis1, size_t axis2, F&& f) {
  Shape index(box.size.size(), 0);
  int64_t from = box.from_first, to = box.to_first;
  while (true) {
    f(from, to);
    size_t axis = box.size.size();
    while (axis-- > 0) {
      if (axis == axis1 || axis == axis2) continue;
      from += box.from[axis], to += box.to[axis];
      if (++index[axis] < box.size[axis]) break;
      from -= box.from[axis] * box.size[axis], to -= box.to[axis] * box.size[axis];
      index[axis] = 0;
    }
    if (axis >= box.size.size()) return;  // below zero: every axis began again
  }
}

// Elements along an axis whose cache lines a tile of a transposition holds.
constexpr int64_t kTile = 16;

template <class Element>
void CopyBox(const Element& at, const Box& given, typename Element::Stored* out) {
  if (std::find(given.size.begin(), given.size.end(), 0) != given.size.end()) return;
  const Box box = Simplified(given);
  const size_t inner = box.size.size() - 1;
  // The axis along which the operand's elements lie side by side, if it is another.
  size_t tiled = inner;
  for (size_t i = 0; i < inner && box.from[inner] != 1; ++i) {
    if (box.from[i] == 1) tiled = i;
  }
  const bool tiles = tiled != inner;
  if constexpr (Element::kSameBits && sizeof(typename Element::Stored) <= 4) {
    if (tiles && box.to[inner] == 1) {
      return ForEachPlace(box, tiled, inner, [&](int64_t from, int64_t to) {
        TransposeWords(at.from + from, box.from[inner], box.size[inner], box.size[tiled], out + to,
                       box.to[tiled]);
      });
    }
  }
  const size_t second = tiles ? tiled : inner - 1;
  const int64_t size1 = box.size[second], from1 = box.from[second], to1 = box.to[second];
  const int64_t size2 = box.size[inner], from2 = box.from[inner], to2 = box.to[inner];
  ForEachPlace(box, second, inner, [&](int64_t from, int64_t to) {
    const int64_t tile1 = tiles ? kTile : size1, tile2 = tiles ? kTile : size2;
    for (int64_t first1 = 0; first1 < size1; first1 += tile1) {
      const int64_t end1 = std::min(first1 + tile1, size1);
      for (int64_t first2 = 0; first2 < size2; first2 += tile2) {
        const int64_t count = std::min(tile2, size2 - first2);
        for (int64_t k = first1; k < end1; ++k) {
          CopyRun(at, from + k * from1 + first2 * from2, from2, out + to + k * to1 + first2 * to2,
                  to2, count);
        }
      }
    }
  });
}

}  // namespace

template <class Copier>
bool Mover::WithElements(const Operand& from, Copier&& copier) {
  const DType dtype = from.tensor->dtype();
  const uint8_t* const bytes = from.tensor->bytes().data();
  const auto go = [&](const auto& at) {
    using Stored = typename std::decay_t<decltype(at)>::Stored;
    copier(at, reinterpret_cast<Stored*>(out_.bytes().data()));
    return true;
  };
  if (from.magnitude || from.uniform.has_value()) return false;
  if (!IsFloat(dtype)) {
    if (out_.dtype() != dtype) return false;
    if (dtype == DType::kBool) return go(Boolean{bytes});
    switch (StorageBytes(dtype)) {
      case 1:
        return go(SameBits<uint8_t>{bytes});
      case 2:
        return go(SameBits<uint16_t>{reinterpret_cast<const uint16_t*>(bytes)});
      case 4:
        return go(SameBits<uint32_t>{reinterpret_cast<const uint32_t*>(bytes)});
      default:
        return go(SameBits<uint64_t>{reinterpret_cast<const uint64_t*>(bytes)});
    }
  }
  if (out_.dtype() == DType::kFp64) {
    if (dtype == DType::kFp64) return go(WideFp64{reinterpret_cast<const double*>(bytes)});
    if (dtype == DType::kFp32 && from.flush)
      return go(WideFp32<true>{reinterpret_cast<const float*>(bytes)});
    if (dtype == DType::kFp32) return go(WideFp32<false>{reinterpret_cast<const float*>(bytes)});
    if (out_.size() < kWorthATable) return go(AnyWide{&from});
    const double* const values = ValuesOfPatterns(dtype, from.flush);
    if (StorageBytes(dtype) == 1) return go(WideNarrow<uint8_t>{bytes, values});
    return go(WideNarrow<uint16_t>{reinterpret_cast<const uint16_t*>(bytes), values});
  }
  if (out_.dtype() != dtype) return false;
  switch (StorageBytes(dtype)) {
    case 1:
      return go(AnyNative<uint8_t>{&from, dtype});
    case 2:
      return go(AnyNative<uint16_t>{&from, dtype});
    default:
      return go(AnyNative<uint32_t>{&from, dtype});
  }
}

bool Mover::Copy(const Operand& from, const Box& box) {
  if (!IsWithin(box.size, box.from, box.from_first, from.tensor->size()) ||
      !IsWithin(box.size, box.to, box.to_first, out_.size())) {
    return false;
  }
  return WithElements(from, [&](const auto& at, auto* out) { CopyBox(at, box, out); });
}

bool Mover::CopyAll(const Operand& from) { return Copy(from, {{out_.size()}, {1}, {1}}); }

namespace {

// So many rows lie between the one that is copied and the one whose memory is asked for: a row that
// lies anywhere would have to be waited for.
constexpr size_t kRowsAhead = 16;

// Always inline: g++ 12 takes a function that only prefetches for one without effect, and leaves
// out its calls.
template <class T>
[[gnu::always_inline]] inline void Prefetch(const T* first, int64_t count) {
  constexpr int64_t kLine = 64 / sizeof(T), kMost = 8 * kLine;
  for (int64_t k = 0; k < std::min(count, kMost); k += kLine) __builtin_prefetch(first + k);
}

// Asks for a row of an operand and of the output, unless it follows the row before: the processor
// asks for those itself.
template <class Element>
[[gnu::always_inline]] inline void PrefetchRow(const Element& at, const MovedRow& before,
                                               const MovedRow& row, int64_t length,
                                               const typename Element::Stored* out) {
  using From = std::remove_cv_t<std::remove_pointer_t<decltype(at.from)>>;
  if constexpr (std::is_arithmetic_v<From>) {
    if (row.from != before.from + length) Prefetch(at.from + row.from, length);
  }
  if (row.to != before.to + length) Prefetch(out + row.to, length);
}

}  // namespace

bool Mover::CopyRows(const Operand& from, const std::vector<MovedRow>& rows, int64_t length) {
  const int64_t last_from = from.tensor->size() - length, last_to = out_.size() - length;
  for (const MovedRow& row : rows) {
    if (row.from < 0 || row.from > last_from || row.to < 0 || row.to > last_to) return false;
  }
  return WithElements(from, [&](const auto& at, auto* out) {
    if (length == 1) {
      for (const MovedRow& row : rows) out[row.to] = at(row.from);
    } else {
      for (size_t k = 0; k < rows.size(); ++k) {
        if (k + kRowsAhead < rows.size()) {
          PrefetchRow(at, rows[k + kRowsAhead - 1], rows[k + kRowsAhead], length, out);
        }
        CopyRun(at, rows[k].from, 1, out + rows[k].to, 1, length);
      }
    }
  });
}

bool Mover::Fill(const Operand& from, int64_t offset) {
  return WithElements(from, [&](const auto& at, auto* out) {
    if (out_.size() > 0) std::fill_n(out, out_.size(), at(offset));
  });
}

}  // namespace cts
