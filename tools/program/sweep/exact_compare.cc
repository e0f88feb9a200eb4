#include "tools/program/sweep/exact_compare.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/exact_compare.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 16 lanes, so that their mask has two bytes.
using Words = hn::CappedTag<uint32_t, 16>;
using Integers = hn::RebindToSigned<Words>;
using Floats = hn::RebindToFloat<Words>;
using Vec = hn::Vec<Words>;
using Mask = hn::Mask<Words>;

constexpr int64_t kMostLanes = 16;

HWY_INLINE Vec Set(uint32_t value) { return hn::Set(Words(), value); }
HWY_INLINE hn::Vec<Floats> AsFloats(Vec x) { return hn::BitCast(Floats(), x); }
template <class V>
HWY_INLINE Vec AsWords(V x) {
  return hn::BitCast(Words(), x);
}

constexpr uint32_t kSign = 0x8000'0000, kNormalMin = 0x0080'0000, kInfinity = 0x7F80'0000;

// Finite normal numbers of fp32.
HWY_INLINE Mask IsNormal(Vec x) {
  const Vec magnitude = hn::AndNot(Set(kSign), x);
  return hn::Lt(hn::Sub(magnitude, Set(kNormalMin)), Set(kInfinity - kNormalMin));
}

struct Value {
  Vec bits;
  Mask known;
};

// A function with two right results has, besides Of, Other: the other one where Of knows it.
template <class Function>
concept HasOther = requires(const ExactOperator& op, Vec x) {
  Function::Other(op, x);
};

struct Abs {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    return {hn::AndNot(Set(kSign), x), IsNormal(x)};
  }
};
struct Negate {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    return {hn::Xor(Set(kSign), x), IsNormal(x)};
  }
};
// The result is a zero with the operand's sign, or has that sign.
struct Ceil {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    const Vec value = AsWords(hn::Ceil(AsFloats(x)));
    return {hn::Or(value, hn::And(x, Set(kSign))), IsNormal(x)};
  }
};
struct Floor {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    const Vec value = AsWords(hn::Floor(AsFloats(x)));
    return {hn::Or(value, hn::And(x, Set(kSign))), IsNormal(x)};
  }
};
struct Clamp {
  static HWY_INLINE Value Of(const ExactOperator& op, Vec x) {
    const auto least = AsFloats(Set(op.least)), greatest = AsFloats(Set(op.greatest));
    const auto given = AsFloats(x);
    const auto raised = hn::IfThenElse(hn::Lt(given, least), least, given);
    return {AsWords(hn::IfThenElse(hn::Gt(raised, greatest), greatest, raised)), IsNormal(x)};
  }
};
struct Narrow {
  static HWY_INLINE Value Of(const ExactOperator& op, Vec x) {
    const Vec magnitude = hn::AndNot(Set(kSign), x);
    const int dropped = 23 - op.fraction_bits;
    const Vec odd = hn::And(hn::ShiftRightSame(magnitude, dropped), Set(1));
    const Vec half = Set((uint32_t{1} << (dropped - 1)) - 1);
    const Vec rounded = hn::Sub(hn::ShiftRightSame(hn::Add(magnitude, hn::Add(half, odd)), dropped),
                                Set(op.exponent_step));
    const Mask normal =
        hn::And(hn::Lt(Set(op.normal_min - 1), magnitude), hn::Lt(magnitude, Set(op.max + 1)));
    const Mask zero = hn::And(hn::Lt(magnitude, Set(op.zero_below)), IsNormal(x));
    const Mask over = hn::And(hn::Lt(Set(op.over - 1), magnitude), IsNormal(x));
    Vec bits = hn::IfThenElseZero(normal, rounded);
    bits = hn::IfThenElse(over, Set(op.over_result), bits);
    const Vec sign = hn::ShiftRightSame(hn::And(x, Set(kSign)), 32 - op.out_bits);
    return {hn::Or(bits, sign), hn::Or(normal, hn::Or(zero, over))};
  }
  // Toward zero.
  static HWY_INLINE Vec Other(const ExactOperator& op, Vec x) {
    const Vec magnitude = hn::AndNot(Set(kSign), x);
    const Vec cut =
        hn::Sub(hn::ShiftRightSame(magnitude, 23 - op.fraction_bits), Set(op.exponent_step));
    Vec bits = hn::IfThenElseZero(hn::Lt(Set(op.normal_min - 1), magnitude), cut);
    bits = hn::IfThenElse(hn::Lt(Set(op.over - 1), magnitude), Set(op.over_result), bits);
    return hn::Or(bits, hn::ShiftRightSame(hn::And(x, Set(kSign)), 32 - op.out_bits));
  }
};
// The limits of every type of at most 16 bits are numbers of fp32; the greatest number of i32 is
// not, and the last number before it is 2^31 - 128.
struct ToInteger {
  static HWY_INLINE Value Of(const ExactOperator& op, Vec x) {
    const Floats df;
    const bool wide = op.out_bits == 32;
    const float least = wide ? -0x1p31F : -static_cast<float>(1 << (op.out_bits - 1));
    const float greatest = wide ? 0x1p31F - 128 : -least - 1;
    const auto given = AsFloats(x);
    const auto limited = hn::Min(hn::Max(given, hn::Set(df, least)), hn::Set(df, greatest));
    Vec bits = AsWords(hn::NearestInt(limited));
    if (wide) {
      const auto over = hn::RebindMask(Words(), hn::Ge(given, hn::Set(df, 0x1p31F)));
      bits = hn::IfThenElse(over, Set(0x7FFF'FFFF), bits);
    } else {
      bits = hn::And(bits, Set((uint32_t{1} << op.out_bits) - 1));
    }
    return {bits, IsNormal(x)};
  }
};
struct AbsInteger {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    return {AsWords(hn::Abs(hn::BitCast(Integers(), x))), hn::Ne(x, Set(kSign))};
  }
};
struct Not {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) { return {hn::Not(x), hn::Eq(x, x)}; }
};
// All bits below the first that is set are set, too, and counted.
struct LeadingZeros {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    Vec filled = hn::Or(x, hn::ShiftRight<1>(x));
    filled = hn::Or(filled, hn::ShiftRight<2>(filled));
    filled = hn::Or(filled, hn::ShiftRight<4>(filled));
    filled = hn::Or(filled, hn::ShiftRight<8>(filled));
    filled = hn::Or(filled, hn::ShiftRight<16>(filled));
    return {hn::Sub(Set(32), hn::PopulationCount(filled)), hn::Eq(x, x)};
  }
};
struct LowBits {
  static HWY_INLINE Value Of(const ExactOperator& op, Vec x) {
    return {hn::And(x, Set((uint32_t{1} << op.out_bits) - 1)), hn::Eq(x, x)};
  }
};
struct IsNotZero {
  static HWY_INLINE Value Of(const ExactOperator&, Vec x) {
    return {hn::IfThenElseZero(hn::Ne(x, Set(0)), Set(1)), hn::Eq(x, x)};
  }
};

// Calls `use` with the struct of a function.
template <class Use>
HWY_INLINE void WithFunction(ExactFunction function, const Use& use) {
  switch (function) {
    case ExactFunction::kAbs:
      return use(Abs());
    case ExactFunction::kNegate:
      return use(Negate());
    case ExactFunction::kCeil:
      return use(Ceil());
    case ExactFunction::kFloor:
      return use(Floor());
    case ExactFunction::kClamp:
      return use(Clamp());
    case ExactFunction::kNarrow:
      return use(Narrow());
    case ExactFunction::kToInteger:
      return use(ToInteger());
    case ExactFunction::kAbsInteger:
      return use(AbsInteger());
    case ExactFunction::kNot:
      return use(Not());
    case ExactFunction::kLeadingZeros:
      return use(LeadingZeros());
    case ExactFunction::kLowBits:
      return use(LowBits());
    case ExactFunction::kIsNotZero:
      return use(IsNotZero());
  }
}

// A vector of results, each widened to 32 bits.
template <class Stored>
HWY_INLINE Vec Widened(const Stored* results) {
  if constexpr (sizeof(Stored) == 4) {
    return hn::LoadU(Words(), results);
  } else {
    return hn::PromoteTo(Words(), hn::LoadU(hn::Rebind<Stored, Words>(), results));
  }
}

template <class Function, class Stored>
HWY_INLINE int64_t CompareAs(const ExactOperator& op, uint32_t first, const Stored* results,
                             int64_t count, uint16_t* doubtful) {
  const Words d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t found = 0;
  const Vec step = Set(static_cast<uint32_t>(lanes));
  Vec next = hn::Iota(d, first);
  for (int64_t i = 0; i < count; i += lanes) {
    const int64_t left = count - i;
    Stored last_results[kMostLanes] = {};
    const Stored* given = results + i;
    if (left < lanes) {
      for (int64_t k = 0; k < left; ++k) last_results[k] = given[k];
      given = last_results;
    }
    const Vec x = next, result = Widened(given);
    next = hn::Add(next, step);
    const Value value = Function::Of(op, x);
    Mask clear = hn::And(value.known, hn::Eq(value.bits, result));
    if (hn::AllTrue(d, clear)) continue;
    if constexpr (HasOther<Function>) {
      if (op.toward_zero) {
        const Mask other = hn::Eq(Function::Other(op, x), result);
        clear = hn::Or(clear, hn::And(value.known, other));
        if (hn::AllTrue(d, clear)) continue;
      }
    }
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, clear, bits);
    const unsigned present = (1U << (left < lanes ? left : lanes)) - 1;
    const unsigned accepted = bits[0] | static_cast<unsigned>(bits[1]) << 8;
    for (unsigned rest = present & ~accepted; rest != 0; rest &= rest - 1) {
      doubtful[found++] = static_cast<uint16_t>(i + __builtin_ctz(rest));
    }
  }
  return found;
}

int64_t Compare(const ExactOperator& op, uint32_t first, const uint8_t* results, int64_t count,
                uint16_t* doubtful) {
  // They are as aligned as memory of a tensor is.
  int64_t found = 0;
  WithFunction(op.function, [&](auto function) HWY_ATTR {
    using Function = decltype(function);
    if (op.out_bits == 32) {
      found = CompareAs<Function>(op, first, reinterpret_cast<const uint32_t*>(results), count,
                                  doubtful);
    } else if (op.out_bits == 16) {
      found = CompareAs<Function>(op, first, reinterpret_cast<const uint16_t*>(results), count,
                                  doubtful);
    } else {
      found = CompareAs<Function>(op, first, results, count, doubtful);
    }
  });
  return found;
}

void Values(const ExactOperator& op, const uint32_t* in, int64_t count, uint32_t* results,
            uint32_t* others, uint32_t* known) {
  const Words d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  WithFunction(op.function, [&](auto function) HWY_ATTR {
    using Function = decltype(function);
    for (int64_t i = 0; i < count; i += lanes) {
      uint32_t padded[kMostLanes] = {}, bits[kMostLanes], other[kMostLanes], is_known[kMostLanes];
      const int64_t left = count - i < lanes ? count - i : lanes;
      for (int64_t k = 0; k < left; ++k) padded[k] = in[i + k];
      const Vec x = hn::LoadU(d, padded);
      const Value value = Function::Of(op, x);
      hn::StoreU(value.bits, d, bits);
      hn::StoreU(value.bits, d, other);
      if constexpr (HasOther<Function>) {
        if (op.toward_zero) hn::StoreU(Function::Other(op, x), d, other);
      }
      hn::StoreU(hn::VecFromMask(d, value.known), d, is_known);
      for (int64_t k = 0; k < left; ++k) {
        results[i + k] = bits[k], others[i + k] = other[k], known[i + k] = is_known[k];
      }
    }
  });
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Compare);
HWY_EXPORT(Values);

void ExactValues(const ExactOperator& op, const uint32_t* in, int64_t count, uint32_t* results,
                 uint32_t* others, uint32_t* known) {
  HWY_DYNAMIC_DISPATCH(Values)(op, in, count, results, others, known);
}

int64_t ExactCompare(const ExactOperator& op, uint32_t first, const uint8_t* results, int64_t count,
                     uint16_t* doubtful) {
  return HWY_DYNAMIC_DISPATCH(Compare)(op, first, results, count, doubtful);
}

}  // namespace cts
#endif
