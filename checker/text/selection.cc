#include "checker/text/selection.h"

#include "reference/base/pattern.h"

namespace cts {

StatusOr<std::vector<const SuiteEntry*>> SelectCases(const Suite& suite,
                                                     const std::optional<Shard>& shard,
                                                     const std::vector<std::string>& filter,
                                                     const std::filesystem::path& suite_path) {
  const std::string place = StrCat("--filter: ", (suite_path / "suite.json").string());
  if (!filter.empty()) {
    std::vector<std::string> ids;
    ids.reserve(suite.cases.size());
    for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
    CTS_RETURN_IF_ERROR(CheckPatterns(filter, ids, place));
  }
  std::vector<const SuiteEntry*> entries;
  size_t in_shard = 0;
  for (size_t i = 0; i < suite.cases.size(); ++i) {
    if (shard && !shard->Has(i)) continue;
    ++in_shard;
    const SuiteEntry& entry = suite.cases[i];
    if (filter.empty() || MatchesAny(filter, entry.id)) entries.push_back(&entry);
  }
  if (entries.empty() && in_shard > 0) {
    return InvalidArgument(place, ": none of the ", in_shard, " cases in shard ", shard->index, "/",
                           shard->of, " matches: leave the shard or the patterns out");
  }
  return entries;
}

}  // namespace cts
