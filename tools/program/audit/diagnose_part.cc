#include "tools/program/audit/diagnose_part.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "checker/report/clusters.h"
#include "checker/report/explain_parts.h"
#include "checker/text/element_text.h"
#include "reference/base/status.h"
#include "tools/program/ask/element_origin.h"

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

namespace {

// A NaN is equal to any other.
bool IsSame(const Tensor& a, int64_t i, const Tensor& b, int64_t k) {
  if (!IsFloat(a.dtype())) return a.Integer(i) == b.Integer(k);
  return a.Element(i) == b.Element(k) || (std::isnan(a.Element(i)) && std::isnan(b.Element(k)));
}

// What the wrong values themselves have in common; empty if nothing.
std::string ValuesInCommon(const Case& c, const ExpectedOutput& output, const Answer& answer,
                           const Tensor& result, const std::vector<int64_t>& wrong) {
  const auto all = [&](const auto& is) { return std::all_of(wrong.begin(), wrong.end(), is); };
  const bool real = IsFloat(output.dtype);
  const auto got = [&](int64_t i) {
    return real ? result.Element(i) : static_cast<double>(result.Integer(i));
  };
  const auto expected = [&](int64_t i) {
    return real ? answer.expected.Element(i) : static_cast<double>(answer.expected.Integer(i));
  };
  const auto got_bits = [&](int64_t i) { return static_cast<uint64_t>(result.Integer(i)); };
  const auto expected_bits = [&](int64_t i) {
    return static_cast<uint64_t>(answer.expected.Integer(i));
  };
  if (all([&](int64_t i) { return IsFlushed(output, answer, result, i); })) {
    return "subnormal numbers are flushed to zero";
  }
  // A zero of the wrong sign is another error.
  if (all([&](int64_t i) { return got(i) == 0 && expected(i) != 0; })) return "zero is answered";
  if (all([&](int64_t i) { return std::isnan(got(i)); })) return "NaN is answered";
  if (all([&](int64_t i) { return std::isinf(got(i)); })) return "an infinity is answered";
  if (all([&](int64_t i) { return std::isnan(expected(i)); })) {
    return "a number is answered for NaN";
  }
  // Integers are compared as such: fp64 does not hold all of 64 bits. Unsigned, they wrap.
  const auto negated = [&](int64_t i) {
    return real ? got(i) == -expected(i) : got_bits(i) + expected_bits(i) == 0;
  };
  if (all(negated)) return "the sign is the other one";
  if (!real && output.dtype != DType::kBool) {
    const auto more = [&](int64_t i) { return got_bits(i) - expected_bits(i) == 1; };
    const auto less = [&](int64_t i) { return expected_bits(i) - got_bits(i) == 1; };
    if (all(more)) return "every one is one more";
    if (all(less)) return "every one is one less";
    if (all([&](int64_t i) { return more(i) || less(i); })) {
      return "every one is one more or one less";
    }
  }
  for (const auto& [name, operand] : c.inputs) {
    if (output.execution > 0 || operand.dtype() != output.dtype || operand.shape() != output.shape)
      continue;
    const Tensor& of = operand;
    if (all([&](int64_t i) { return IsSame(result, i, of, i); })) {
      return StrCat("the operand ", name, " is handed through");
    }
  }
  const bool one =
      wrong.size() > 1 && all([&](int64_t i) { return IsSame(result, i, result, wrong.front()); });
  return one ? StrCat("one value is answered, ", FormatElement(output, result, wrong.front())) : "";
}

// Words without their figures.
std::string WithoutFigures(const std::string& words) {
  std::string text;
  for (const char c : words) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> InCommon(const Case& c, const ExpectedOutput& output, const Answer& answer,
                                  const Tensor& result, const std::vector<int64_t>& wrong) {
  std::vector<std::string> words;
  if (wrong.empty()) return words;
  const std::string values = ValuesInCommon(c, output, answer, result, wrong);
  if (!values.empty()) words.push_back(values);
  const std::vector<Cluster> clusters = FindClusters(output.shape, wrong, WindowSetsOf(c, output));
  if (!clusters.empty()) words.push_back(clusters.front().words);
  if (wrong.size() == 1 && result.size() > 1) {
    if (wrong.front() == 0) words.emplace_back("the first element alone");
    if (wrong.front() == result.size() - 1) words.emplace_back("the last element alone");
  }
  return words;
}

std::vector<std::string> MostFrequent(const std::vector<CaseRemarks>& cases) {
  constexpr size_t kShown = 3;
  struct Found {
    std::string words, id;
    size_t count = 0;
    bool same = true;  // the figures are, too
  };
  std::map<std::string, Found> found;
  for (const CaseRemarks& remarks : cases) {
    std::set<std::string> of_case;
    for (const std::string& words : remarks.words) {
      const std::string key = WithoutFigures(words);
      if (!of_case.insert(key).second) continue;
      Found& of = found[key];
      if (of.count++ == 0) of = {words, remarks.id, 1};
      of.same = of.same && of.words == words;
    }
  }
  std::vector<Found> ranked;
  for (auto& [key, of] : found) {
    if (2 * of.count >= cases.size()) ranked.push_back(std::move(of));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Found& a, const Found& b) { return a.count > b.count; });
  std::vector<std::string> lines;
  for (size_t k = 0; k < std::min(kShown, ranked.size()); ++k) {
    lines.push_back(StrCat(ranked[k].count, " of ", cases.size(),
                           ranked[k].same ? ": " : ": such as ", ranked[k].words, " (",
                           ranked[k].id, ")"));
  }
  return lines;
}

}  // namespace cts
