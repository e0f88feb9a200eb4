#include "tools/program/certify/blind_evidence.h"

#include "checker/judge/run_record.h"
#include "reference/base/file_type.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {

StatusOr<std::optional<SealedAnswers>> FindAnswers(const std::filesystem::path& evidence) {
  CTS_ASSIGN_OR_RETURN(const bool blind, IsTaken(evidence / kAnswersFile));
  if (!blind) return std::optional<SealedAnswers>();
  CTS_ASSIGN_OR_RETURN(SealedAnswers answers, ReadAnswers(evidence / kAnswersFile));
  return std::optional<SealedAnswers>(std::move(answers));
}

StatusOr<Recipe> BlindRecipe(const Recipe& mandatory, const SealedAnswers& answers,
                             const std::string& file) {
  const std::string place = file + ": /recipe";
  if (answers.recipe.seed == mandatory.seed) {
    return InvalidArgument(place, "/seed: found ", mandatory.seed, ", the recipe's own, whose ",
                           "answers everybody can have: let generate --blind draw one");
  }
  Recipe recipe = mandatory;
  recipe.seed = answers.recipe.seed;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> differences,
                       DifferentCases(answers.recipe, recipe));
  if (differences.empty()) return recipe;
  return InvalidArgument(place, differences.front(), " for this claim");
}

StatusOr<std::vector<std::string>> BlindFaults(const std::filesystem::path& evidence,
                                               const std::optional<SealedAnswers>& answers,
                                               const Report& report, int jobs,
                                               const std::atomic<bool>* stop) {
  const std::filesystem::path results = evidence / "results";
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(results));
  if (answers.has_value() != run.blind.has_value()) {
    return std::vector<std::string>{
        answers ? "results/run.json: /blind: found nothing, expected the digests of a blind run"
                : "results/run.json: /blind: found a blind run, but no answers.json beside it"};
  }
  if (!answers) return std::vector<std::string>();
  std::vector<std::string> faults;
  const auto compare = [&](const std::string& place, const std::string& found,
                           const std::string& expected, std::string_view of) {
    if (found == expected) return;
    faults.push_back(StrCat(place, ": found ", found, ", expected ", expected, " of ", of));
  };
  const std::string file(kAnswersFile);
  compare(file + ": /suite", answers->suite, report.suite.digest, "the suite");
  CTS_ASSIGN_OR_RETURN(const std::string blind,
                       BlindDigest(evidence / "suite", report.suite, answers->salt, jobs, stop));
  compare(file + ": /blind", answers->blind, blind, "the suite without its answers");
  compare("results/run.json: /blind/suite_digest", run.blind->suite_digest, blind,
          "the suite without its answers");
  CTS_ASSIGN_OR_RETURN(const ResultDigests listed, ReadResultDigests(results));
  compare("results/run.json: /blind/results_digest", run.blind->results_digest,
          BlindResultsDigest(listed, answers->salt), "the results under their neutral names");
  return faults;
}

std::optional<BlindSuiteName> NameOf(const std::optional<SealedAnswers>& answers) {
  if (!answers) return std::nullopt;
  return BlindSuiteName{answers->blind, answers->recipe.seed};
}

}  // namespace cts
