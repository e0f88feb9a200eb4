#include "tools/program/audit/diagnose_part.h"

#include <algorithm>
#include <set>
#include <variant>

#include "reference/base/status.h"

namespace cts {
namespace {

constexpr size_t kMostFeatures = 3;

bool AllConstant(const Block& block, const GraphOperator& op) {
  return !op.inputs.empty() &&
         std::all_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
           const GraphTensor* const tensor = block.Find(input);
           return tensor != nullptr && tensor->values != nullptr;
         });
}

// Adds the sets of up to kMostFeatures of the features from `next` on, each joined to `part`.
void AddParts(const std::vector<std::string>& features, size_t next,
              const std::vector<std::string>& part, std::set<std::vector<std::string>>* parts) {
  parts->insert(part);
  if (part.size() == kMostFeatures) return;
  for (size_t k = next; k < features.size(); ++k) {
    std::vector<std::string> more = part;
    more.push_back(features[k]);
    AddParts(features, k + 1, more, parts);
  }
}

bool Counts(const PartCounts& counts) {
  if (counts.cases == 0) return false;
  if (counts.part.empty()) {
    return counts.Score() > 0 &&
           (counts.contradicted == 0 || counts.contradicted < counts.of_passing);
  }
  // A wrong outcome is one bit. Among many small parts some fits by chance.
  const bool is_evidence =
      counts.elements > 0 || (counts.of_passing > 0 && counts.part.size() == 1);
  return is_evidence && counts.contradicted == 0 && counts.cases >= 2 &&
         2 * counts.cases >= counts.of_cases;
}

}  // namespace

std::vector<std::string> FeaturesOf(const Case& c) {
  std::vector<std::string> features = {"mode " + c.mode};
  const Block& block = c.graph.main();
  const auto op = std::find_if(block.operators.begin(), block.operators.end(),
                               [&](const GraphOperator& one) { return one.op == c.op; });
  if (op != block.operators.end()) {
    features.emplace_back(AllConstant(block, *op) ? "constant operands" : "operands at run time");
    for (const auto& [name, value] : op->attributes) {
      if (const auto* const text = std::get_if<std::string>(&value)) {
        features.push_back(StrCat(name, " ", *text));
      } else if (const auto* const flag = std::get_if<bool>(&value)) {
        features.push_back(StrCat(name, *flag ? " true" : " false"));
      }
    }
  }
  std::sort(features.begin(), features.end());
  return features;
}

bool IsOf(const std::vector<std::string>& part, const TriedCase& tried) {
  return std::includes(tried.features.begin(), tried.features.end(), part.begin(), part.end());
}

PartCounts CountPart(const std::vector<std::string>& part, const std::vector<TriedCase>& tried) {
  PartCounts counts{.part = part};
  for (const TriedCase& one : tried) {
    if (!IsOf(part, one)) continue;
    if (one.failing) {
      ++counts.of_cases;
      counts.cases += one.elements ? 1 : 0;
      counts.elements += one.elements.value_or(0);
    } else {
      ++counts.of_passing;
      counts.contradicted += one.contradicts ? 1 : 0;
    }
  }
  return counts;
}

std::optional<PartCounts> BestPart(const std::vector<TriedCase>& tried) {
  std::set<std::vector<std::string>> of_features;
  for (const TriedCase& one : tried) {
    if (one.elements) of_features.insert(one.features);
  }
  std::set<std::vector<std::string>> parts;
  for (const std::vector<std::string>& features : of_features) AddParts(features, 0, {}, &parts);
  std::vector<std::vector<std::string>> in_order(parts.begin(), parts.end());
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::optional<PartCounts> best;
  for (const std::vector<std::string>& part : in_order) {
    PartCounts counts = CountPart(part, tried);
    if (Counts(counts) && (!best || counts.Score() > best->Score())) best = std::move(counts);
  }
  return best;
}

}  // namespace cts
