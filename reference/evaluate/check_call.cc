#include "reference/evaluate/check_call.h"

#include <string>

#include "reference/ops/conditions.h"
#include "reference/ops/facts.h"
#include "reference/ops/finding.h"

namespace cts {
namespace {

// The effect of a departure, too.
constexpr std::string_view kRefused = "refused";

// The dimensions that the operator's inputs determine but none of its conditions checks. The
// specification leaves them to the rule that output shapes are derivable from the inputs.
std::string OutputShapeMismatch(const Operator& op, const Call& call) {
  const StatusOr<Shapes> shapes = op.facts().infer(call);
  // No condition minds: only the computation can tell. Or a value is not known.
  if (call.TookUnknown() || !shapes.ok()) return "";
  size_t next = 0;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      const Shape& expected = (*shapes)[next++];
      if (tensor->shape == expected) continue;
      return StrCat(argument.spec->name, ": found shape ", ToString(argument.Given(tensor->shape)),
                    ", expected ", ToString(argument.Given(expected)));
    }
  }
  return "";
}

}  // namespace

void CheckCall(const Operator& op, const Call& call, const Departure* departure,
               std::vector<Violation>& violations) {
  const size_t before = violations.size();
  bool overlooked = false;
  const auto see = [&](std::string_view condition, bool broken, auto&& message) {
    if (departure == nullptr ? broken : departure->Sees(condition, call, broken)) {
      violations.push_back({std::string(condition), "", message()});
    } else {
      overlooked = overlooked || broken;
    }
  };
  for (const ArgumentViolation& v : call.violations()) {
    see(v.condition, true, [&]() -> const std::string& { return v.message; });
  }
  if (call.fits()) {
    for (const Condition& condition : ConditionsOf(op, call.given(), call.edition())) {
      if (condition.broken == nullptr) continue;
      const bool broken{condition.broken(call)};
      if (call.TookUnknown()) continue;
      see(condition.id, broken, [&] { return ExplainBroken(condition, call); });
    }
    if (violations.size() == before && !overlooked) {
      const std::string mismatch = OutputShapeMismatch(op, call);
      if (!mismatch.empty()) {
        see("graph.output_shape", true, [&]() -> const std::string& { return mismatch; });
      }
    }
  }
  // It is unknown what it then computes.
  if (violations.size() == before && overlooked) {
    violations.push_back({std::string(kOverlooked), "", "a broken condition was not seen"});
  }
  if (violations.size() == before && departure != nullptr && departure->Refuses(call)) {
    violations.push_back({std::string(kRefused), "", "a legal call was refused"});
  }
}

const Violation* DecidingViolation(const std::vector<Violation>& violations,
                                   const Edition& edition) {
  for (const Violation& v : violations) {
    if (OutcomeOf({v}, edition) == Outcome::kUnpredictable) return &v;
  }
  return violations.empty() ? nullptr : &violations.front();
}

Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition) {
  Outcome outcome = Outcome::kValid;
  for (const Violation& v : violations) {
    if (v.condition == kOverlooked) return Outcome::kUnpredictable;
    if (v.condition != kRefused) {
      const Condition* const condition = FindCondition(v.condition, edition);
      if (condition == nullptr || condition->kind != ConditionKind::kErrorIf) {
        return Outcome::kUnpredictable;
      }
    }
    outcome = Outcome::kError;
  }
  return outcome;
}

}  // namespace cts
