// Recipes yield what suites/<recipe>.lock.json says. To renew after a deliberate change:
//   CTS_RENEW_LOCKS=1 CTS_LARGE_LOCKS=1 build/release/generator/lock_test
// Slow recipes are skipped unless CTS_LARGE_LOCKS is set, as tools/test.sh --locks does; 16 GB of
// room are needed then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// Recipes that take a minute or more of one core, or would on a slower machine; the others are made
// and compared whenever the tests run.
const std::set<std::string, std::less<>> kSlow = {"networks", "networks-0.100", "thorough"};

class Lock : public testing::TestWithParam<std::string> {};

TEST_P(Lock, HoldsWhatTheRecipeYields) {
  if (kSlow.contains(GetParam()) && std::getenv("CTS_LARGE_LOCKS") == nullptr) {
    GTEST_SKIP() << "a slow recipe; set CTS_LARGE_LOCKS, or run tools/test.sh --locks";
  }
  std::string pattern = testing::TempDir() + "/lock_test-XXXXXX";
  const fs::path directory = mkdtemp(pattern.data());
  GenerateOptions options;
  options.recipe = *FindRecipe(GetParam());
  options.jobs = 1;  // ctest runs a test for each lock, as many at a time as there are cores
  options.out = directory / "suite";
  const StatusOr<Suite> suite = Generate(options);
  const StatusOr<std::string> manifest = ReadFile(options.out / "suite.json");
  uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  fs::remove_all(directory);
  ASSERT_TRUE(suite.ok()) << suite.status();
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  Json found = {{"cases", suite->cases.size()},
                {"bytes", bytes},
                {"digest", suite->digest},
                {"manifest", Sha256(*manifest)}};
  for (const SuiteEntry& entry : suite->cases) {
    Json& count = found["operators"][entry.op][entry.outcome];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  const fs::path lock = fs::path(CTS_SOURCE_DIR) / "suites" / (GetParam() + ".lock.json");
  if (std::getenv("CTS_RENEW_LOCKS") != nullptr) {
    ASSERT_TRUE(SaveJson(lock, found).ok());
  }
  const StatusOr<Json> expected = LoadJson(lock, "");
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(FormatJson(found), FormatJson(*expected))
      << "the suite has changed; if it should have, renew the lock as lock_test.cc says";
}

TEST(SlowLock, IsOfARecipe) {
  const std::vector<std::string> names = RecipeNames();
  for (const std::string& slow : kSlow) {
    EXPECT_NE(std::find(names.begin(), names.end(), slow), names.end()) << slow;
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, Lock, testing::ValuesIn(RecipeNames()),
                         [](const testing::TestParamInfo<std::string>& recipe) {
                           std::string name = recipe.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace cts
