// Fp64 against Exact: how far the reference's arithmetic lies from the real results, in units of
// what the precision rule of each element allows. Over every case of the smoke recipes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "generator/generate.h"
#include "reference/ops/operator.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The gaps that were found for the elements of one operator and type row.
struct Gap {
  int64_t elements = 0;
  int64_t tiny = 0;     // below the least normal number of fp64; see Measure
  double greatest = 0;  // in units of the rule
  std::string rule;
  std::string worst;  // case and element of the greatest

  void Add(double gap, const std::string& place) {
    ++elements;
    if (gap <= greatest) return;
    greatest = gap;
    worst = place;
  }
};

// Edition, operator, mode of the type row.
using Gaps = std::map<std::tuple<std::string, std::string, std::string>, Gap>;

// Returns what the rule allows at element i; 0 where it allows one number.
double Unit(const RuledAnswer& answer, DType type, int64_t i, double ref) {
  switch (answer.rule.kind) {
    case RuleKind::kUlp:
      return UlpErrorBound(type, ref, answer.rule.ulp);
    case RuleKind::kAbsoluteBound:
      return answer.answer.bound->Element(i);
    case RuleKind::kDotProduct: {
      // The rule allows a multiple of this.
      const double bound = answer.answer.bound->Element(i);
      return bound == 0 ? 0
                        : std::max(std::ldexp(bound, -1 - Format(type).fraction_bits),
                                   Format(type).normal_min());
    }
    default:
      return 0;
  }
}

// |ref - exact| / unit.
double Measure(double ref, const MpfrFloat& exact, double unit) {
  if (mpfr_nan_p(exact.raw()) != 0 || std::isnan(ref)) {
    return std::isnan(ref) && mpfr_nan_p(exact.raw()) != 0 ? 0 : kInfinity;
  }
  if (mpfr_cmp_d(exact.raw(), ref) == 0) return 0;
  // Beyond fp64 both are the infinity that the rule then means.
  if (std::isinf(ref)) return ref == exact.ToDouble() ? 0 : kInfinity;
  if (unit == kInfinity || std::isnan(unit)) return 0;  // anything is accepted
  if (unit == 0) return kInfinity;
  return std::fabs(Sub(MpfrFloat::FromDouble(ref, exact.precision()), exact).ToDouble()) / unit;
}

void Audit(const Case& c, const Edition& edition, Gap& gap) {
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const auto& [name, tensor] : c.inputs) values[name] = std::make_shared<Tensor>(tensor);
  const Block& block = c.graph.main();
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) values[tensor.name] = tensor.values;
  }
  for (const GraphOperator& node : block.operators) {
    if (node.op != c.op) continue;
    const Call call(edition, *edition.FindOperator(c.op), *edition.FindLevel(c.level), block, node,
                    values);
    ASSERT_TRUE(call.fits()) << c.id;
    const Operator& op = *FindOperator(c.op);
    Computation fp64(call, ComputationKind::kReference), exact(call, ComputationKind::kExact);
    op.compute(call, fp64);
    op.compute(call, exact);
    std::map<std::string, Tensor> refs;
    for (const auto& [output, ref] : fp64.outputs()) refs.emplace(output, *ref);
    const auto applied = ApplyPrecision(op, call, fp64, false, -1);
    ASSERT_TRUE(applied.ok()) << applied.status();
    const auto& answers = *applied;
    for (const auto& [output, ref] : refs) {
      const RuledAnswer& answer = answers.at(output);
      gap.rule = Name(answer.rule.kind);
      if (!IsFloat(call.dtype(output))) {
        const bool same = ref == *exact.outputs().at(output);
        for (int64_t i = 0; i < ref.size(); ++i) gap.Add(same ? 0 : kInfinity, c.id);
        continue;
      }
      for (int64_t i = 0; i < ref.size(); ++i) {
        const MpfrFloat& real = exact.exact(output)[static_cast<size_t>(i)];
        // If fp64 itself has no 53 bits, no narrower type has any: every bound is out of reach.
        if (mpfr_zero_p(real.raw()) == 0 && mpfr_number_p(real.raw()) != 0 &&
            mpfr_get_exp(real.raw()) < -1021) {
          ++gap.tiny;
          continue;
        }
        gap.Add(Measure(ref.Element(i), real, Unit(answer, call.dtype(output), i, ref.Element(i))),
                StrCat(c.id, " ", output, "[", i, "]"));
      }
    }
  }
}

// Whether the graph hands the values on without computing anything.
bool ComputesNothing(std::string_view op) {
  return op == "CONST" || op == "CUSTOM" || op == "COND_IF" || op == "WHILE_LOOP" ||
         op.starts_with("VARIABLE");
}

bool HasFloat(const TypeRow& row) {
  for (const auto& [variable, name] : row.types) {
    if (const auto type = row.PlainType(variable); type.has_value() && IsFloat(*type)) return true;
  }
  return false;
}

void Print(const Gaps& gaps) {
  std::printf("%-11s %-18s %-44s %-14s %8s %6s %s\n", "edition", "operator", "types", "rule",
              "elements", "tiny", "gap");
  for (const auto& [key, gap] : gaps) {
    const auto& [edition, op, mode] = key;
    std::printf("%-11s %-18s %-44s %-14s %8lld %6lld ", edition.c_str(), op.c_str(), mode.c_str(),
                gap.rule.c_str(), static_cast<long long>(gap.elements),
                static_cast<long long>(gap.tiny));
    if (gap.greatest == 0) {
      std::printf("0\n");
    } else {
      std::printf("2^%.1f\n", std::log2(gap.greatest));
    }
  }
}

// The reference must be so much nearer to the truth than what it judges that its own error decides
// nothing.
TEST(Audit, Fp64IsFarWithinEveryRule) {
  Gaps gaps;
  for (const char* name : {"smoke", "smoke-0.100"}) {
    GenerateOptions options;
    options.recipe = *FindRecipe(name);
    options.recipe.error_cases = false;
    options.jobs = 2;
    const Edition& edition = **FindEdition(options.recipe.edition);
    std::mutex mutex;
    const Status status = ForEachCase(options, [&](size_t, const Case& c) {
      const OperatorSpec& spec = *edition.FindOperator(c.op);
      for (const TypeRow& row : spec.type_rows) {
        if (row.mode != c.mode || !HasFloat(row) || ComputesNothing(c.op)) continue;
        Gap gap;
        Audit(c, edition, gap);
        const std::lock_guard<std::mutex> lock(mutex);
        Gap& all = gaps[{edition.id, c.op, c.mode}];
        all.elements += gap.elements;
        all.tiny += gap.tiny;
        all.rule = gap.rule;
        if (gap.greatest > all.greatest) all.greatest = gap.greatest, all.worst = gap.worst;
      }
      return absl::OkStatus();
    });
    ASSERT_TRUE(status.ok()) << status;
    for (const Operator& op : Operators()) {
      const OperatorSpec* const spec = edition.FindOperator(op.name);
      if (spec == nullptr || ComputesNothing(op.name)) continue;
      for (const TypeRow& row : spec->type_rows) {
        if (!HasFloat(row)) continue;
        const auto found = gaps.find({edition.id, std::string(op.name), row.mode});
        EXPECT_TRUE(found != gaps.end() && found->second.elements > 0)
            << edition.id << " " << op.name << " " << row.mode << " was not audited";
      }
    }
  }
  Print(gaps);
  for (const auto& [key, gap] : gaps) {
    EXPECT_LT(gap.greatest, 0x1p-20) << std::get<0>(key) << " " << std::get<1>(key) << " "
                                     << std::get<2>(key) << ": " << gap.worst;
  }
}

}  // namespace
}  // namespace cts
