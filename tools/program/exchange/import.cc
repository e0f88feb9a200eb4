#include "tools/program/exchange/import.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "generator/partial_suite.h"
#include "reference/base/file.h"
#include "reference/base/parallel_for.h"
#include "tools/program/exchange/import_folder.h"
#include "tools/program/exchange/imported_case.h"
#include "tools/program/exchange/runner_results.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownErrors = 20;

// All errors, the first ones in full.
Status Together(const std::map<size_t, Status>& failures) {
  std::string message;
  size_t shown = 0;
  for (const auto& [i, status] : failures) {
    if (shown == kShownErrors) {
      message += StrCat("\nand ", failures.size() - shown, " more");
      break;
    }
    message += StrCat(shown++ == 0 ? "" : "\n", Message(status));
  }
  return InvalidArgument(message, "\n--skip leaves out what cannot be read or judged");
}

}  // namespace

StatusOr<Imported> ImportTests(const ImportOptions& options) {
  std::error_code error;
  fs::path tests_path = fs::absolute(options.tests, error).lexically_normal();
  if (!tests_path.has_filename()) tests_path = tests_path.parent_path();
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_RETURN_IF_ERROR(CheckFree(out));
  CTS_ASSIGN_OR_RETURN(std::vector<TestOfOthers> tests, FindTests(tests_path));
  CTS_ASSIGN_OR_RETURN(const Folder root, Folder::Open(tests_path));
  CTS_RETURN_IF_ERROR(NameTests(root, tests));
  std::sort(tests.begin(), tests.end(),
            [](const TestOfOthers& a, const TestOfOthers& b) { return a.id < b.id; });
  RunnerResults results(options, root);
  CTS_RETURN_IF_ERROR(results.Open());

  Imported imported;
  Suite& suite = imported.suite;
  suite.name = "imported";
  suite.generator = kSuiteGenerator;
  suite.recipe = "{}";
  PartialSuite partial;
  CTS_RETURN_IF_ERROR(partial.Open(out, suite, /*resume=*/false));
  suite.recipe.clear();

  std::vector<std::optional<SuiteEntry>> entries(tests.size());
  std::vector<std::vector<std::string>> other_rules(tests.size());
  std::map<size_t, Status> failures, skipped;
  std::set<std::pair<std::string, std::string>> editions;
  std::mutex mutex;
  const auto import_one = [&](size_t i) -> Status {
    CTS_ASSIGN_OR_RETURN(ImportedCase made, ReadTest(options, root, tests[i]));
    const Case& c = made.c;
    const std::vector<BundleFile> files = EncodeCase(c);
    SuiteEntry entry{c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}, {}, ""};
    if (c.outcome == Outcome::kValid) entry.teeth = made.noticed_share;
    if (!c.condition.empty()) entry.conditions = {c.condition};
    CTS_RETURN_IF_ERROR(partial.Write(entry, files));
    bool has_result = false;
    if (!options.results.empty()) {
      CTS_ASSIGN_OR_RETURN(has_result, results.Collect(tests[i], made));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    editions.emplace(c.edition, c.level);
    imported.results += has_result ? 1 : 0;
    other_rules[i] = std::move(made.other_rules);
    entries[i] = std::move(entry);
    return absl::OkStatus();
  };
  const Status done = ParallelFor(
      tests.size(), {.jobs = options.jobs, .stop = options.stop}, [&](size_t i) -> Status {
        Status status = import_one(i);
        if (status.ok()) return status;
        const std::lock_guard<std::mutex> lock(mutex);
        // Faults of one folder; not those of the machine.
        const bool skip =
            options.skip && !absl::IsUnavailable(status) && !absl::IsPermissionDenied(status);
        (skip ? skipped : failures).emplace(i, std::move(status));
        return absl::OkStatus();
      });
  if (!done.ok()) return Unavailable("interrupted; nothing was written");
  if (!failures.empty()) return Together(failures);
  if (skipped.size() == tests.size()) return Together(skipped);  // a suite of nothing
  if (editions.size() > 1) {
    return InvalidArgument(tests_path.string(), ": found tests of ", editions.begin()->first, " (",
                           editions.begin()->second, ") and of ", editions.rbegin()->first, " (",
                           editions.rbegin()->second,
                           "), expected one edition and level; import "
                           "the folders one by one");
  }
  std::tie(suite.edition, suite.level) = *editions.begin();
  for (size_t i = 0; i < tests.size(); ++i) {
    if (entries[i]) suite.cases.push_back(*std::move(entries[i]));
    for (std::string& line : other_rules[i]) imported.other_rules.push_back(std::move(line));
  }
  for (const auto& [i, status] : skipped) imported.skipped.push_back(Message(status));
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(partial.MoveTo(out, suite));
  CTS_RETURN_IF_ERROR(results.MoveTo(suite));
  return imported;
}

}  // namespace cts
