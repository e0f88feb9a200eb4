#include "generator/cover/case_facts.h"

#include <string_view>

#include "generator/name_text.h"
#include "reference/bundle/bundle.h"

namespace cts {

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
  CaseFacts facts{c.id, c.op, c.mode, c.outcome, c.condition, c.profiles, {}};
  for (const auto& [axis, value] : c.parameters) facts.labels.Set(axis, value);
  facts.labels.Set("data", c.data_set);
  return facts;
}

bool IsOfGraph(const CaseFacts& facts) {
  return facts.id.starts_with("graphs/") || facts.id.starts_with("symbolic/");
}

bool IsAsChosen(const CaseFacts& facts) {
  const std::string_view name = std::string_view(facts.id).substr(facts.id.find('/') + 1);
  for (const std::string_view prefix : {"again-", "data-", "error-", "legal-", "limit-"}) {
    if (name.starts_with(prefix)) return false;
  }
  return true;
}

bool IsCaseOf(const CaseFacts& facts, const Part& part) {
  return facts.op == part.setting.spec->name && facts.mode == part.setting.row->mode &&
         (part.is_graph ? facts.id.starts_with(part.prefix + "-") : !IsOfGraph(facts));
}

}  // namespace cts
