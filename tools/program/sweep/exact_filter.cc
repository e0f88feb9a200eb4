#include "tools/program/sweep/exact_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "reference/spec/edition.h"
#include "tools/program/sweep/sweep_domain.h"

namespace cts {
namespace {

uint32_t Fp32(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

constexpr uint32_t kGreatest = 0x7F7F'FFFF, kLeast = 0xFF7F'FFFF;

// The function of a CAST; its numbers are those of the types.
std::optional<ExactOperator> CastOf(DType in, DType out) {
  ExactOperator op;
  op.out_bits = 8 * StorageBytes(out);
  if (in == DType::kI32) {
    if (out != DType::kI8 && out != DType::kI16 && out != DType::kBool) return std::nullopt;
    op.function = out == DType::kBool ? ExactFunction::kIsNotZero : ExactFunction::kLowBits;
    return op;
  }
  if (in != DType::kFp32 || out == DType::kFp32) return std::nullopt;
  if (out == DType::kI8 || out == DType::kI16 || out == DType::kI32) {
    op.function = ExactFunction::kToInteger;
    return op;
  }
  if (!IsFloat(out) || StorageBytes(out) > 2) return std::nullopt;
  op.function = ExactFunction::kNarrow;
  const FloatFormat& format = Format(out);
  op.fraction_bits = format.fraction_bits;
  op.exponent_step = static_cast<uint32_t>(format.min_exponent + 126) << format.fraction_bits;
  op.normal_min = Fp32(format.normal_min());
  op.max = Fp32(format.max);
  // Subnormal numbers of fp32 are never known. Half of the least number of bf16 is one.
  const double half = format.subnormal_min() / 2;
  op.zero_below = half < 0x1p-126 ? 0 : Fp32(half);
  // The last place that max has, twice, is beyond the rounding.
  const double step = std::ldexp(1.0, std::ilogb(format.max) - format.fraction_bits);
  op.over = format.max + step < 0x1p127 ? Fp32(format.max + step) : kGreatest + 1;
  op.over_result = static_cast<uint32_t>(EncodeFloat(out, std::numeric_limits<double>::infinity()));
  op.toward_zero = true;
  return op;
}

std::optional<ExactOperator> FunctionOf(const std::string& text, DType in, DType out) {
  constexpr std::pair<std::string_view, ExactFunction> kOfFloats[] = {
      {"ABS", ExactFunction::kAbs},
      {"CEIL", ExactFunction::kCeil},
      {"CLAMP", ExactFunction::kClamp},
      {"FLOOR", ExactFunction::kFloor},
      {"NEGATE", ExactFunction::kNegate}};
  constexpr std::pair<std::string_view, ExactFunction> kOfIntegers[] = {
      {"ABS", ExactFunction::kAbsInteger},
      {"BITWISE_NOT", ExactFunction::kNot},
      {"CLZ", ExactFunction::kLeadingZeros}};
  if (text == "CAST") return CastOf(in, out);
  if (in != out) return std::nullopt;
  ExactOperator op;
  const auto find = [&](const auto& functions) -> std::optional<ExactOperator> {
    for (const auto& [name, function] : functions) {
      if (name != text) continue;
      op.function = function;
      return op;
    }
    return std::nullopt;
  };
  if (in == DType::kFp32) return find(kOfFloats);
  if (in == DType::kI32) return find(kOfIntegers);
  return std::nullopt;
}

// Sets the limits: the results of the least and the greatest number.
bool FindLimits(const SweepDomain& domain, ExactOperator& op) {
  const StatusOr<ExpectedOutput> expected = domain.Expect(domain.Operands({kLeast, kGreatest}));
  if (!expected.ok()) return false;
  const double least = expected->answers[0].expected.Element(0);
  const double greatest = expected->answers[0].expected.Element(1);
  op.least = Fp32(least), op.greatest = Fp32(greatest);
  const auto is_plain = [](double x) { return x == 0 || std::fabs(x) >= 0x1p-126; };
  return is_plain(least) && is_plain(greatest);
}

// Inputs of every exponent, with their first and last fractions and some between.
std::vector<uint64_t> Probes() {
  std::vector<uint64_t> probes;
  for (uint32_t upper = 0; upper < 512; ++upper) {
    uint32_t random = upper * 2654435761u + 1;
    for (uint32_t lower : {0u, 1u, 0x2000u, 0x3FFFFFu, 0x400000u, 0x400001u, 0x7FFFFFu}) {
      probes.push_back(upper << 23 | lower);
    }
    for (int i = 0; i < 9; ++i) {
      random = random * 1664525u + 1013904223u;  // Knuth's lines on linear sequences
      probes.push_back(upper << 23 | random >> 9);
    }
  }
  return probes;
}

// Whether the reference accepts all that the function gives, as exact.
bool Holds(const SweepDomain& domain, const ExactOperator& op) {
  const std::vector<uint64_t> probes = Probes();
  std::vector<uint64_t> inputs, results;
  for (size_t first = 0; first < probes.size(); first += static_cast<size_t>(kExactBlock)) {
    const size_t end = std::min(probes.size(), first + static_cast<size_t>(kExactBlock));
    const std::vector<uint32_t> in(probes.begin() + static_cast<std::ptrdiff_t>(first),
                                   probes.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<uint32_t> bits(in.size()), others(in.size()), known(in.size());
    ExactValues(op, in.data(), static_cast<int64_t>(in.size()), bits.data(), others.data(),
                known.data());
    for (size_t i = 0; i < in.size(); ++i) {
      if (known[i] == 0) continue;
      inputs.push_back(in[i]), results.push_back(bits[i]);
      if (others[i] != bits[i]) inputs.push_back(in[i]), results.push_back(others[i]);
    }
  }
  if (inputs.empty()) return false;
  const StatusOr<ExpectedOutput> expected = domain.Expect(domain.Operands(inputs));
  if (!expected.ok()) return false;
  Tensor result(domain.type(), {static_cast<int64_t>(inputs.size())});
  for (size_t i = 0; i < inputs.size(); ++i) result.SetBits(static_cast<int64_t>(i), results[i]);
  return std::all_of(expected->answers.begin(), expected->answers.end(), [&](const Answer& answer) {
    const TensorErrors errors = MeasureTensor(*expected, answer, result);
    return errors.mismatches == 0 && errors.worst_ulp == 0;
  });
}

}  // namespace

std::optional<ExactFilter> ExactFilter::For(const SweepDomain& domain) {
  const OperatorSpec* const spec = domain.edition().FindOperator(domain.op());
  if (spec == nullptr || spec->definition != nullptr || domain.operands() != 1) return std::nullopt;
  std::optional<ExactOperator> op = FunctionOf(spec->Seen().name, domain.in_type(), domain.type());
  if (!op) return std::nullopt;
  if (op->function == ExactFunction::kClamp && !FindLimits(domain, *op)) return std::nullopt;
  if (Holds(domain, *op)) return ExactFilter(*op);
  // An edition may allow one way of rounding.
  if (!op->toward_zero) return std::nullopt;
  op->toward_zero = false;
  if (Holds(domain, *op)) return ExactFilter(*op);
  return std::nullopt;
}

}  // namespace cts
