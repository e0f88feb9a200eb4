// RESCALE: conditions and semantics (section Type Conversion).
#include <algorithm>

#include "reference/numeric/scaling.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// The low bits as an unsigned or a signed number. Elements and zero points are signless: an i8
// element 200 is stored as -56, an i16 zero point 32768 as -32768.
int64_t Extend(int64_t value, DType type, bool is_unsigned) {
  const int drop = 64 - Info(type).bits;
  const uint64_t shifted = static_cast<uint64_t>(value) << drop;
  return is_unsigned ? static_cast<int64_t>(shifted >> drop)
                     : static_cast<int64_t>(shifted) >> drop;
}

bool DoubleRounds(const Call& c) {
  return c.Has("double_round") ? c.Flag("double_round") : c.Enum("rounding_mode") == "DOUBLE_ROUND";
}

// The arguments of a zero point: an operand's tensor, its zero point and its signedness.
struct Side {
  std::string_view tensor, zero_point, is_unsigned;
};
constexpr Side kInput = {"input", "input_zp", "input_unsigned"};
constexpr Side kOutput = {"output", "output_zp", "output_unsigned"};

bool ZeroPointWithoutPermission(const Call& c, const Side& side) {
  const DType type = c.dtype(side.tensor);
  return type != DType::kI8 && (type != DType::kI16 || !c.Flag(side.is_unsigned)) &&
         c.Integer(side.zero_point) != 0;
}

bool ZeroPointOfUint16(const Call& c, const Side& side) {
  if (c.dtype(side.tensor) != DType::kI16 || !c.Flag(side.is_unsigned)) return false;
  // Compared as unsigned numbers; as signed ones 32768 could not occur.
  const int64_t zero_point = Extend(c.Integer(side.zero_point), DType::kI16, true);
  return zero_point != 0 && zero_point != 32768;
}

}  // namespace

OperatorFacts RescaleFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kAside, .dimensions = RescaleDimensions};
}

Conditions RescaleConditions() {
  return {
      {"rescale.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is neither i8 nor unsigned i16",
       [](const Call& c) { return ZeroPointWithoutPermission(c, kInput); }},
      {"rescale.output_zp", ConditionKind::kErrorIf,
       "output_zp is not zero although the output is neither i8 nor unsigned i16",
       [](const Call& c) { return ZeroPointWithoutPermission(c, kOutput); }},
      {"rescale.input_zp_uint16", ConditionKind::kErrorIf,
       "input_zp of an unsigned i16 is neither 0 nor 32768",
       [](const Call& c) { return ZeroPointOfUint16(c, kInput); }},
      {"rescale.output_zp_uint16", ConditionKind::kErrorIf,
       "output_zp of an unsigned i16 is neither 0 nor 32768",
       [](const Call& c) { return ZeroPointOfUint16(c, kOutput); }},
      {"rescale.scale32_i48", ConditionKind::kErrorIf, "scale32 with an i48 input",
       [](const Call& c) { return c.Flag("scale32") && c.dtype("input") == DType::kI48; }},
      {"rescale.double_round_scale16", ConditionKind::kErrorIf,
       "double rounding with a 16-bit multiplier",
       [](const Call& c) { return !c.Flag("scale32") && DoubleRounds(c); },
       With(Feature::kDoubleRounding)},
      {"rescale.both_unsigned", ConditionKind::kErrorIf, "input and output are both unsigned",
       [](const Call& c) { return c.Flag("input_unsigned") && c.Flag("output_unsigned"); }},
      {"rescale.unsigned_input_to_i32", ConditionKind::kErrorIf,
       "an unsigned input with an i32 output",
       [](const Call& c) { return c.dtype("output") == DType::kI32 && c.Flag("input_unsigned"); }},
      {"rescale.i32_to_unsigned_output", ConditionKind::kErrorIf,
       "an i32 input with an unsigned output",
       [](const Call& c) { return c.dtype("input") == DType::kI32 && c.Flag("output_unsigned"); }},
      {"rescale.i48_to_unsigned_output", ConditionKind::kErrorIf,
       "an i48 input with an unsigned output",
       [](const Call& c) { return c.dtype("input") == DType::kI48 && c.Flag("output_unsigned"); }},
      {"rescale.unsigned_i48_input", ConditionKind::kErrorIf, "an unsigned i48 input",
       [](const Call& c) { return c.dtype("input") == DType::kI48 && c.Flag("input_unsigned"); },
       With(Feature::kRescaleRefusesWideUnsigned)},
      {"rescale.unsigned_i32_input", ConditionKind::kErrorIf, "an unsigned i32 input",
       [](const Call& c) { return c.dtype("input") == DType::kI32 && c.Flag("input_unsigned"); },
       With(Feature::kRescaleRefusesWideUnsigned)},
      {"rescale.unsigned_i32_output", ConditionKind::kErrorIf, "an unsigned i32 output",
       [](const Call& c) { return c.dtype("output") == DType::kI32 && c.Flag("output_unsigned"); },
       With(Feature::kRescaleRefusesWideUnsigned)},
      {"rescale.per_channel_rank", ConditionKind::kErrorIf, "per_channel with a scalar input",
       [](const Call& c) { return c.Flag("per_channel") && c.shape("input").empty(); },
       With(Feature::kRescaleRefusesScalarChannels)},
  };
}

void ComputeRescale(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const Operand& multiplier = computation.In("multiplier");
  const Operand& shift = computation.In("shift");
  const Shape& shape = call.shape("input");
  const DType in_t = call.Type("in_t"), out_t = call.Type("out_t");
  const bool scale32 = call.Flag("scale32"), per_channel = call.Flag("per_channel");
  // INEXACT_ROUND is judged by an interval around the exact result. Single rounding stays within
  // it.
  const bool double_round = DoubleRounds(call);
  const bool input_unsigned = call.Flag("input_unsigned");
  const bool output_unsigned = call.Flag("output_unsigned");
  const int64_t input_zp = Extend(call.Integer("input_zp"), in_t, input_unsigned);
  const int64_t output_zp = Extend(call.Integer("output_zp"), out_t, output_unsigned);
  // The range of out_t as unsigned begins at 0, and a negative result is clipped there.
  // Zero-extending it, as apply_clip_u literally does, would give the greatest value.
  const int64_t low = output_unsigned ? 0 : IntegerMin(out_t);
  const int64_t high = output_unsigned ? (int64_t{1} << Info(out_t).bits) - 1 : IntegerMax(out_t);
  // Only 8 and 16 bits may be unsigned (introduction, Integer behavior); 0.100 has no conditions
  // that enforce it.
  const bool unsigned_fits =
      !(input_unsigned && Info(in_t).bits > 16) && !(output_unsigned && Info(out_t).bits > 16);

  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    a.Require(unsigned_fits, "rescale.unsigned_type");
    a.Require(!per_channel || !shape.empty(), "tensor_index_to_offset.index_range");
    // The pseudocode extends `value` before anything was assigned to it. It means in_value.
    const int64_t value = Extend(a.LoadInteger(input, i), in_t, input_unsigned) - input_zp;
    const int64_t c = per_channel && !shape.empty() ? i % shape.back() : 0;
    const int64_t m = a.LoadInteger(multiplier, c), s = a.LoadInteger(shift, c);
    int64_t result =
        scale32 ? ApplyScale32(a, value, m, s, double_round) : ApplyScale16(a, value, m, s);
    result += output_zp;
    a.Require(result >= IntegerMin(DType::kI32) && result <= IntegerMax(DType::kI32),
              kIntegerOverflow);
    return Extend(std::clamp(result, low, high), out_t, false);
  });
}

}  // namespace cts
