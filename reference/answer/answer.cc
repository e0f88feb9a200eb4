#include "reference/answer/answer.h"

#include <algorithm>

#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts {
namespace {

constexpr std::string_view kOutcomes[] = {"valid", "error", "unpredictable", "unsupported",
                                          "sealed"};
constexpr std::string_view kRuleKinds[] = {"exact",       "ulp",      "absolute_bound",
                                           "dot_product", "interval", "unchecked"};

// Inverse of Name over an enumeration whose names stand in a table; the schema admits no others.
template <class Enum, size_t N>
Enum Parse(const std::string_view (&names)[N], std::string_view name) {
  return static_cast<Enum>(std::find(names, names + N, name) - names);
}

}  // namespace

std::string_view Name(Outcome outcome) { return kOutcomes[static_cast<int>(outcome)]; }
Outcome OutcomeOf(std::string_view name) { return Parse<Outcome>(kOutcomes, name); }

std::string_view Name(RuleKind kind) { return kRuleKinds[static_cast<int>(kind)]; }
RuleKind RuleKindOf(std::string_view name) { return Parse<RuleKind>(kRuleKinds, name); }

std::string ResultName(std::string_view output, int execution) {
  return execution == 0 ? std::string(output) : StrCat(output, ".", execution);
}

Json RuleToJson(const Rule& rule) {
  Json json = {{"kind", Name(rule.kind)}, {"form", rule.form}, {"clause", rule.clause}};
  switch (rule.kind) {
    case RuleKind::kExact:
    case RuleKind::kAbsoluteBound:
      json["zero_sign"] = rule.zero_sign;
      if (!rule.zero_choice.empty()) json["zero_choice"] = rule.zero_choice;
      if (rule.is_unsigned) json["unsigned"] = true;
      break;
    case RuleKind::kUlp:
      json["ulp"] = rule.ulp;
      break;
    case RuleKind::kDotProduct:
      json["kernel_size"] = rule.kernel_size;
      json["ksb"] = rule.ksb;
      json["data_set"] = rule.data_set;
      json["absolute_limit"] = rule.absolute_limit;
      if (rule.variance_limit) json["variance_limit"] = *rule.variance_limit;
      if (rule.bias_limit) json["bias_limit"] = *rule.bias_limit;
      break;
    case RuleKind::kInterval:
      json["zero_sign"] = rule.zero_sign;
      json["unsigned"] = rule.is_unsigned;
      if (rule.enclosure) json["enclosure"] = true;
      break;
    case RuleKind::kUnchecked:
      break;
  }
  return json;
}

}  // namespace cts
