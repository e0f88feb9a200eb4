#include "generator/cover/case_facts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "generator/draft/name_text.h"
#include "generator/graphs/patterns.h"
#include "reference/bundle/bundle.h"
#include "reference/graph/call.h"
#include "reference/ops/relation.h"
#include "reference/ops/size_ladder.h"

namespace cts {
namespace {

bool TakesShapes(const OperatorSpec& spec) {
  return std::any_of(
      spec.arguments.begin(), spec.arguments.end(), [](const ArgumentSpec& argument) {
        return argument.category == ArgumentCategory::kInput && argument.type == "shape_t";
      });
}

// The relations that hold in a valid case of one operator. Where every result is zero, or a trivial
// answer would pass, a fault has nothing to show: then there are none.
StatusOr<std::vector<std::string>> RelationsIn(const std::filesystem::path& bundle, const Case& c,
                                               const SuiteEntry& entry) {
  std::vector<std::string> names;
  if (c.outcome != Outcome::kValid || c.data_set == "S0") return names;
  if (entry.teeth.value_or(0) <= 0) return names;
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
  const OperatorSpec* const spec = edition->FindOperator(c.op);
  const Level* const level = edition->FindLevel(c.level);
  if (spec == nullptr || level == nullptr || RelationsOf(spec->Seen().name).empty()) return names;
  const Block& block = c.graph.main();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  if (TakesShapes(*spec)) {  // such as RESIZE's scale
    CTS_ASSIGN_OR_RETURN(const Case whole, ReadCaseInputs(bundle));
    for (const GraphTensor& tensor : whole.graph.main().tensors) {
      if (tensor.values) values.emplace(tensor.name, tensor.values);
    }
    for (const auto& [name, tensor] : whole.inputs) {
      values.emplace(name, std::make_shared<const Tensor>(tensor));
    }
  }
  for (const GraphOperator& op : block.operators) {
    if (op.op != c.op) continue;
    const Call call(*edition, *spec, *level, block, op, values);
    if (!call.fits()) continue;
    for (const Relation& relation : RelationsOf(spec->Seen().name)) {
      if (relation.holds(call)) names.push_back(relation.name);
    }
  }
  return names;
}

// The rungs of the ladder of sizes that a valid case of one operator stands on, likewise.
StatusOr<std::vector<std::pair<std::string, int64_t>>> RungsIn(const Case& c,
                                                               const SuiteEntry& entry) {
  std::vector<std::pair<std::string, int64_t>> rungs;
  if (c.outcome != Outcome::kValid || entry.teeth.value_or(0) <= 0) return rungs;
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
  const OperatorSpec* const spec = edition->FindOperator(c.op);
  const Level* const level = edition->FindLevel(c.level);
  if (spec == nullptr || level == nullptr) return rungs;
  // Sums of S0 are zero, and say something of an accumulator all the same.
  std::vector<const SizedDimension*> dimensions;
  if (c.data_set != "S0") {
    for (const SizedDimension& each : DimensionsOf(spec->Seen().name)) dimensions.push_back(&each);
  }
  const bool is_set = c.data_set.size() == 2 && c.data_set[0] == 'S';
  if (const auto* const sums = LongSumsOf(*edition, *spec); is_set && sums != nullptr) {
    dimensions.push_back(sums);
  }
  if (dimensions.empty()) return rungs;
  const Block& block = c.graph.main();
  for (const GraphOperator& op : block.operators) {
    if (op.op != c.op) continue;
    const Call call(*edition, *spec, *level, block, op, {});
    if (!call.fits()) continue;
    for (const SizedDimension* const dimension : dimensions) {
      const int64_t size = dimension->size(call);
      for (const Rung& rung : dimension->rungs) {
        if (rung.Has(size)) rungs.emplace_back(dimension->name, rung.above);
      }
    }
  }
  return rungs;
}

// The patterns of a valid graph; some are told by the values of constants.
StatusOr<std::vector<std::string>> PatternsIn(const std::filesystem::path& bundle, const Case& c) {
  std::vector<std::string> names;
  if (c.outcome != Outcome::kValid || c.id.starts_with("symbolic/")) return names;
  CTS_ASSIGN_OR_RETURN(const Case whole, ReadCaseInputs(bundle));
  for (const GraphPattern& pattern : GraphPatterns()) {
    if (pattern.holds(whole.graph.main())) names.emplace_back(pattern.name);
  }
  return names;
}

}  // namespace

StatusOr<CaseFacts> ReadFacts(const std::filesystem::path& directory, const Suite& suite,
                              const SuiteEntry& entry) {
  const std::filesystem::path bundle = directory / entry.id;
  CTS_ASSIGN_OR_RETURN(const std::string digest, BundleDigestOnDisk(bundle));
  if (digest != entry.digest) {
    return InvalidArgument(bundle.string(), ": found files with the digest ", digest,
                           ", but the manifest has ", entry.digest, "; generate the suite again");
  }
  CTS_ASSIGN_OR_RETURN(Case c, ReadCaseHeader(bundle));
  const auto differs = [&](std::string_view what, std::string_view found,
                           std::string_view expected) {
    return InvalidArgument((bundle / "case.json").string(), ": /", what, ": found ", found,
                           ", but the manifest has ", expected, "; generate the suite again");
  };
  if (c.id != entry.id) return differs("id", c.id, entry.id);
  CTS_RETURN_IF_ERROR(CheckEdition(c, suite.edition, bundle));
  if (c.op != entry.op) return differs("operator", c.op, entry.op);
  if (Name(c.outcome) != entry.outcome) return differs("outcome", Name(c.outcome), entry.outcome);
  const std::string conditions = Join(entry.conditions);
  if (c.condition != conditions) {
    return differs("condition", c.condition.empty() ? "none" : c.condition,
                   conditions.empty() ? "none" : conditions);
  }
  CaseFacts facts{c.id, c.op, c.mode, c.outcome, c.condition, c.profiles, {}, {}, {}, {}};
  for (const auto& [axis, value] : c.parameters) facts.labels.Set(axis, value);
  facts.labels.Set("data", c.data_set);
  if (!IsOfGraph(facts)) {
    CTS_ASSIGN_OR_RETURN(facts.relations, RelationsIn(bundle, c, entry));
    CTS_ASSIGN_OR_RETURN(facts.rungs, RungsIn(c, entry));
  } else {
    CTS_ASSIGN_OR_RETURN(facts.patterns, PatternsIn(bundle, c));
  }
  return facts;
}

bool IsOfGraph(const CaseFacts& facts) {
  return facts.id.starts_with("graphs/") || facts.id.starts_with("symbolic/");
}

bool IsAsChosen(const CaseFacts& facts) {
  const std::string_view name = std::string_view(facts.id).substr(facts.id.find('/') + 1);
  for (const std::string_view prefix : {"again-", "data-", "error-", "legal-", "limit-", "network-",
                                        "relation-", "size-", "sum-"}) {
    if (name.starts_with(prefix)) return false;
  }
  return true;
}

bool IsCaseOf(const CaseFacts& facts, const Part& part) {
  return facts.op == part.setting.spec->name && facts.mode == part.setting.row->mode &&
         (part.is_graph ? facts.id.starts_with(part.prefix + "-") : !IsOfGraph(facts));
}

}  // namespace cts
