// Faults of RESCALE.
#include <algorithm>
#include <cmath>

#include "reference/faults/functions.h"

namespace cts::rescale_faults {
namespace {

// The low bits as an unsigned or a signed number.
int64_t Extend(int64_t value, int bits, bool is_unsigned) {
  const uint64_t shifted = static_cast<uint64_t>(value) << (64 - bits);
  return is_unsigned ? static_cast<int64_t>(shifted >> (64 - bits))
                     : static_cast<int64_t>(shifted) >> (64 - bits);
}
int64_t Cut(int64_t value, int bits) { return Extend(value, bits, false); }

// Shifts 64 bits, never undefined.
int64_t Plus(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
}

// One element on its way, and the parameters that apply to it.
struct Element {
  DType in, out;
  bool in_unsigned, out_unsigned, scale32, double_round, inexact;
  int64_t value;  // input less input_zp
  int64_t multiplier, shift;
  int64_t output_zp;

  int64_t product() const { return value * multiplier; }
  int64_t half() const { return int64_t{1} << (shift - 1); }
  int64_t low() const { return out_unsigned ? 0 : IntegerMin(out); }
  int64_t high() const {
    return out_unsigned ? (int64_t{1} << Info(out).bits) - 1 : IntegerMax(out);
  }
};

// Rounded half up, once.
int64_t Single(const Element& e) { return Plus(e.product(), e.half()) >> e.shift; }
// Twice, from shift 32 on, as DOUBLE_ROUND wants it.
int64_t Double(const Element& e) {
  if (e.shift <= 31) return Single(e);
  const int64_t first = e.value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  return Plus(Plus(e.product(), e.half()), first) >> e.shift;
}
int64_t Right(const Element& e) { return e.double_round ? Double(e) : Single(e); }
// The right scaling of another product.
int64_t OfProduct(const Element& e, int64_t product) {
  const bool twice = e.double_round && e.shift > 31;
  const int64_t first = twice ? int64_t{1} << 30 : 0;
  return Plus(Plus(product, e.half()), e.value >= 0 ? first : -first) >> e.shift;
}

// The steps in which an implementation treats an element otherwise.
struct Steps {
  int64_t (*scale)(const Element&) = Right;
  // From the scaled number to what is stored.
  int64_t (*finish)(const Element&, int64_t scaled) = [](const Element& e, int64_t scaled) {
    return std::clamp(scaled + e.output_zp, e.low(), e.high());
  };
  int64_t (*value)(const Element&, int64_t input, int64_t zero_point) =
      [](const Element&, int64_t input, int64_t zero_point) { return input - zero_point; };
  int64_t (*channel)(int64_t i, const Shape& shape) = [](int64_t i, const Shape& shape) {
    return i % shape.back();
  };
  // The signedness that it takes its input, its zero points and its output for.
  bool (*in_unsigned)(bool) = nullptr;
  bool (*in_zp_unsigned)(bool) = nullptr;
  bool (*out_unsigned)(bool) = nullptr;
  bool (*out_zp_unsigned)(bool) = nullptr;
};

bool Not(bool is_unsigned) { return !is_unsigned; }

Wrong By(const Steps& steps) {
  return [steps](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    const auto changed = [](bool (*change)(bool), bool flag) {
      return change == nullptr ? flag : change(flag);
    };
    const bool in_unsigned = call.Flag("input_unsigned");
    const bool out_unsigned = call.Flag("output_unsigned");
    Element e = {
        .in = call.dtype("input"),
        .out = call.dtype("output"),
        .in_unsigned = changed(steps.in_unsigned, in_unsigned),
        .out_unsigned = changed(steps.out_unsigned, out_unsigned),
        .scale32 = call.Flag("scale32"),
        .double_round = call.Enum("rounding_mode") == "DOUBLE_ROUND" || call.Flag("double_round"),
        .inexact = call.Enum("rounding_mode") == "INEXACT_ROUND",
        .value = 0,
        .multiplier = 0,
        .shift = 0,
        .output_zp = 0};
    const int in_bits = Info(e.in).bits, out_bits = Info(e.out).bits;
    const int64_t input_zp =
        Extend(call.Integer("input_zp"), in_bits, changed(steps.in_zp_unsigned, in_unsigned));
    e.output_zp =
        Extend(call.Integer("output_zp"), out_bits, changed(steps.out_zp_unsigned, out_unsigned));
    const Tensor &input = *call.values("input"), &multiplier = *call.values("multiplier"),
                 &shift = *call.values("shift");
    const bool per_channel = call.Flag("per_channel") && !input.shape().empty();
    auto out = std::make_shared<Tensor>(e.out, call.shape("output"));
    for (int64_t i = 0; i < out->size(); ++i) {
      const int64_t c = per_channel ? steps.channel(i, input.shape()) % multiplier.size() : 0;
      e.multiplier = multiplier.Integer(c);
      e.shift = std::clamp<int64_t>(shift.Integer(c), 1, 62);
      e.value = steps.value(e, Extend(input.Integer(i), in_bits, e.in_unsigned), input_zp);
      out->SetInteger(i, Cut(steps.finish(e, steps.scale(e)), out_bits));
    }
    return OperatorOutputs{{"output", std::move(out)}};
  };
}

Fault Scaling(const std::string& what, std::string sentence, int64_t (*scale)(const Element&),
              std::function<bool(const TypeRow&)> rows = nullptr) {
  return Hardware("RESCALE", what, std::move(sentence),
                  "apply_scale_32, apply_scale_16: half up, and with DOUBLE_ROUND twice",
                  std::move(rows), By({.scale = scale}));
}

const std::vector<DType> kNarrow = {DType::kI8, DType::kI16};
const std::vector<DType> kNot48 = {DType::kI8, DType::kI16, DType::kI32};

// A number of 31 bits that is to be shifted by `shift` - 31 more: what instructions of high
// multiplication leave.
int64_t HighMultiply(const Element& e) {
  return Cut(Plus(e.product(), int64_t{1} << 30) >> 31, 32);
}

}  // namespace

Faults RescaleFaults() {
  const std::string clip = "RESCALE: clipped to the range of the output, unsigned or signed";
  const std::string zero_points = "RESCALE, zero points";
  // Both can be unsigned only if neither has more than 16 bits; i32 has no unsigned neighbour.
  const auto unsigned_in = [](const TypeRow& row) {
    return Rows("in_t", kNarrow)(row) && Rows("out_t", kNarrow)(row);
  };
  const auto i8_in = Rows("in_t", {DType::kI8});
  const auto i8_out = Rows("out_t", {DType::kI8});
  Faults faults = {
      // --- Rounding. i48 is scaled by 16 bits, which have no double rounding.
      Reported("RESCALE", "single_round_for_double", "rounds once where it is to round twice",
               "apply_scale_32, double_round", Rows("in_t", kNot48), By({.scale = Single}),
               "google-ai-edge/LiteRT#7441"),
      Reported("RESCALE", "double_round_for_single", "rounds twice where it is to round once",
               "apply_scale_32, double_round", Rows("in_t", kNot48),
               By({.scale =
                       [](const Element& e) {
                         return e.scale32 && !e.inexact ? Double(e) : Single(e);
                       }}),
               "google-ai-edge/LiteRT#7441"),
      Scaling(
          "double_round_of_positive", "rounds twice only numbers that are not negative",
          [](const Element& e) { return e.double_round && e.value >= 0 ? Double(e) : Single(e); },
          Rows("in_t", kNot48)),
      Scaling(
          "double_round_of_one_sign", "adds the half of the first rounding to all numbers",
          [](const Element& e) {
            if (!e.double_round || e.shift <= 31) return Single(e);
            return Plus(Plus(e.product(), e.half()), int64_t{1} << 30) >> e.shift;
          },
          Rows("in_t", kNot48)),
      Scaling(
          "double_round_of_all_shifts", "rounds twice whatever the shift is",
          [](const Element& e) {
            if (!e.double_round) return Single(e);
            const int64_t first = e.value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
            return Plus(Plus(e.product(), e.half()), first) >> e.shift;
          },
          Rows("in_t", kNot48)),
      Scaling("truncates", "shifts without rounding",
              [](const Element& e) { return e.product() >> e.shift; }),
      Scaling("truncates_toward_zero", "divides by 2^shift, toward zero",
              [](const Element& e) { return e.product() / (int64_t{1} << e.shift); }),
      Scaling("rounds_half_away", "rounds ties away from zero",
              [](const Element& e) {
                if (e.inexact || e.double_round) return Right(e);
                const int64_t x = e.product();
                return x < 0 ? -(Plus(-x, e.half()) >> e.shift) : Plus(x, e.half()) >> e.shift;
              }),
      Scaling("rounds_half_down", "rounds ties toward minus infinity",
              [](const Element& e) {
                return e.double_round ? Right(e) : Plus(e.product(), e.half() - 1) >> e.shift;
              }),
      Scaling("rounds_half_even", "rounds ties to even",
              [](const Element& e) {
                if (e.double_round) return Right(e);
                const int64_t last = e.product() >> e.shift & 1;
                return Plus(e.product(), e.half() - 1 + last) >> e.shift;
              }),
      // --- The product.
      Reported("RESCALE", "product_of_32_bits", "keeps 32 bits of the product",
               "apply_scale_32, apply_scale_16: products of 64 bits", nullptr,
               By({.scale = [](const Element& e) { return OfProduct(e, Cut(e.product(), 32)); }}),
               "iree-org/iree#8731"),
      Scaling(
          "high_multiply", "takes 32 bits of a rounded high product, then shifts and rounds",
          [](const Element& e) {
            if (!e.scale32 || e.double_round || e.shift <= 31) return Right(e);
            const int64_t shift = e.shift - 31;
            return (HighMultiply(e) + (int64_t{1} << (shift - 1))) >> shift;
          },
          Rows("in_t", kNot48)),
      Scaling(
          "shift_of_5_bits", "takes the low 5 bits of the shift",
          [](const Element& e) {
            Element other = e;
            other.shift = std::max<int64_t>(e.shift & 31, 1);
            return Right(other);
          },
          Rows("in_t", kNot48)),
      Scaling(
          "half_of_32_bits", "computes one half of the last place in 32 bits",
          [](const Element& e) { return e.shift > 31 ? e.product() >> e.shift : Right(e); },
          Rows("in_t", kNot48)),
      Scaling(
          "multiplier_of_16_bits", "keeps the upper 16 bits of a 32-bit multiplier",
          [](const Element& e) {
            if (!e.scale32 || e.shift < 17) return Right(e);
            Element other = e;
            other.multiplier = e.multiplier >> 16;
            other.shift = e.shift - 16;
            return Right(other);
          },
          Rows("in_t", kNot48)),
      Scaling(
          "value_of_32_bits", "keeps 32 bits of an i48",
          [](const Element& e) {
            Element other = e;
            other.value = Cut(e.value, 32);
            return Right(other);
          },
          Rows("in_t", {DType::kI48})),
      Scaling(
          "saturated_to_i32", "saturates an i48 to i32 before it scales it",
          [](const Element& e) {
            Element other = e;
            other.value = std::clamp(e.value, IntegerMin(DType::kI32), IntegerMax(DType::kI32));
            return Right(other);
          },
          Rows("in_t", {DType::kI48})),
      Scaling(
          "zero_extends_i48", "takes an i48 as an unsigned number",
          [](const Element& e) {
            Element other = e;
            other.value = Extend(e.value, 48, true);
            // At most 2^63.
            return static_cast<int64_t>(
                (static_cast<uint64_t>(other.value) * static_cast<uint64_t>(e.multiplier) +
                 static_cast<uint64_t>(e.half())) >>
                e.shift);
          },
          Rows("in_t", {DType::kI48})),
      // 17 bits times 31 fit.
      Scaling(
          "product_of_48_bits", "keeps 48 bits of the product",
          [](const Element& e) { return OfProduct(e, Cut(e.product(), 48)); },
          Rows("in_t", {DType::kI32, DType::kI48})),
      Scaling("in_fp32", "multiplies and divides in fp32",
              [](const Element& e) {
                const float product =
                    static_cast<float>(e.value) * static_cast<float>(e.multiplier);
                const double scaled =
                    std::ldexp(static_cast<double>(product), -static_cast<int>(e.shift));
                return static_cast<int64_t>(std::nearbyint(scaled));
              }),
      // --- Channels.
      Hardware("RESCALE", "first_channel", "takes the first channel's factor for all",
               "RESCALE, per_channel", nullptr,
               By({.channel = [](int64_t, const Shape&) { return int64_t{0}; }})),
      Hardware("RESCALE", "channel_of_first_axis", "takes the first axis for that of channels",
               "RESCALE, per_channel: the last axis", nullptr,
               By({.channel =
                       [](int64_t i, const Shape& shape) {
                         return i / std::max<int64_t>(ElementCount(shape) / shape[0], 1);
                       }})),
      // For editions whose layouts have the channels there.
      Hardware("RESCALE", "channel_of_second_axis", "takes the second axis for that of channels",
               "RESCALE, per_channel: the last axis", nullptr,
               By({.channel =
                       [](int64_t i, const Shape& shape) {
                         if (shape.size() < 2) return i % shape.back();
                         return i / (ElementCount(shape) / shape[0] / shape[1]) % shape[1];
                       }})),
      Hardware(
          "RESCALE", "channel_of_8_lanes",
          "takes the factor of the first of eight elements for all of them", "RESCALE, per_channel",
          nullptr,
          By({.channel = [](int64_t i, const Shape& shape) { return i % shape.back() / 8 * 8; }})),
      // --- Clipping.
      Hardware("RESCALE", "wraps", "keeps the low bits where it should clip", clip,
               Rows("out_t", kNarrow),
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         return Cut(scaled + e.output_zp, Info(e.out).bits);
                       }})),
      Hardware("RESCALE", "clips_before_zero_point", "clips, then adds output_zp", clip, i8_out,
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         return std::clamp(scaled, e.low(), e.high()) + e.output_zp;
                       }})),
      // The least i32 is out of reach for 17 bits times 15, and for 32 times 31 in apply_scale_32.
      Hardware(
          "RESCALE", "clips_symmetrically", "clips at one more than the least number", clip,
          [](const TypeRow& row) {
            return !Rows("in_t", kNarrow)(row) || !Rows("out_t", {DType::kI32})(row);
          },
          By({.finish =
                  [](const Element& e, int64_t scaled) {
                    return std::clamp(scaled + e.output_zp, e.low() + 1, e.high());
                  }})),
      Hardware("RESCALE", "clips_as_signed", "clips an unsigned output as a signed one", clip,
               unsigned_in,
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         return std::clamp(scaled + e.output_zp, IntegerMin(e.out),
                                           IntegerMax(e.out));
                       }})),
      Hardware("RESCALE", "clips_as_unsigned", "clips a signed output as an unsigned one", clip,
               Rows("out_t", kNarrow), By({.out_unsigned = [](bool) { return true; }})),
      Hardware("RESCALE", "negative_becomes_greatest",
               "zero-extends a negative result before it clips it as an unsigned one", clip,
               unsigned_in,
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         const int64_t result = scaled + e.output_zp;
                         if (e.out_unsigned && result < 0) return e.high();
                         return std::clamp(result, e.low(), e.high());
                       }})),
      Hardware("RESCALE", "clips_to_i8", "clips to i8", clip,
               Rows("out_t", {DType::kI16, DType::kI32}),
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         return std::clamp<int64_t>(scaled + e.output_zp, -128,
                                                    e.out_unsigned ? 255 : 127);
                       }})),
      // --- Zero points and signedness.
      Reported("RESCALE", "signed_zero_point_of_unsigned_input",
               "takes the zero point of an unsigned input as a signed number", zero_points,
               unsigned_in, By({.in_zp_unsigned = [](bool) { return false; }}),
               "llvm/llvm-project#138780"),
      Hardware("RESCALE", "unsigned_zero_point_of_signed_input",
               "takes the zero point of a signed input as an unsigned number", zero_points, i8_in,
               By({.in_zp_unsigned = [](bool) { return true; }})),
      Hardware("RESCALE", "signed_zero_point_of_unsigned_output",
               "takes the zero point of an unsigned output as a signed number", zero_points,
               unsigned_in, By({.out_zp_unsigned = [](bool) { return false; }})),
      Hardware("RESCALE", "unsigned_zero_point_of_signed_output",
               "takes the zero point of a signed output as an unsigned number", zero_points, i8_out,
               By({.out_zp_unsigned = [](bool) { return true; }})),
      Hardware("RESCALE", "other_signedness", "takes signed inputs for unsigned ones and reversed",
               "RESCALE, input_unsigned", Rows("in_t", kNarrow), By({.in_unsigned = Not})),
      Hardware("RESCALE", "unsigned_zero_point_of_zero", "does not subtract an unsigned zero point",
               zero_points, unsigned_in,
               By({.value =
                       [](const Element& e, int64_t input, int64_t zero_point) {
                         return e.in_unsigned ? input : input - zero_point;
                       }})),
      Hardware("RESCALE", "adds_input_zp", "adds input_zp", zero_points, i8_in,
               By({.value = [](const Element&, int64_t input,
                               int64_t zero_point) { return input + zero_point; }})),
      Hardware("RESCALE", "subtracts_output_zp", "subtracts output_zp", zero_points, i8_out,
               By({.finish =
                       [](const Element& e, int64_t scaled) {
                         return std::clamp(scaled - e.output_zp, e.low(), e.high());
                       }})),
      Hardware("RESCALE", "difference_of_the_type",
               "keeps as many bits of the difference to input_zp as the input has", zero_points,
               i8_in,
               By({.value =
                       [](const Element& e, int64_t input, int64_t zero_point) {
                         return Extend(input - zero_point, Info(e.in).bits, e.in_unsigned);
                       }})),
      Hardware("RESCALE", "scales_output_zp", "adds output_zp before it scales", zero_points,
               i8_out,
               By({.finish = [](const Element& e,
                                int64_t scaled) { return std::clamp(scaled, e.low(), e.high()); },
                   .value = [](const Element& e, int64_t input,
                               int64_t zero_point) { return input - zero_point + e.output_zp; }})),
  };
  // Without a way to ask for double rounding nothing can be wrong with it.
  const std::vector<std::string> of_double_round = {
      "single_round_for_double", "double_round_of_positive", "double_round_of_one_sign",
      "double_round_of_all_shifts"};
  MarkShown(faults, of_double_round, [](const OperatorSpec& spec, const TypeRow&) {
    return spec.FindArgument("rounding_mode") != nullptr ||
           spec.FindArgument("double_round") != nullptr;
  });
  MarkNeeds(faults, of_double_round, "EXT-DOUBLEROUND");
  MarkShown(faults, {"channel_of_second_axis"}, HasOwnLayout);
  return faults;
}

}  // namespace cts::rescale_faults
