// Evidence of a blind run: EVIDENCE/answers.json beside the suite and the results.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "tools/program/blind/blind_suite.h"

namespace cts {

// Reads EVIDENCE/answers.json. nullopt if the run was not blind.
StatusOr<std::optional<SealedAnswers>> FindAnswers(const std::filesystem::path& evidence);

// Returns `mandatory`, the recipe of a claim, with the seed of the answers in place of the recipe's
// own seed. Returns kInvalidArgument if the answers are for another claim. Also returns
// kInvalidArgument if the answers have the seed of `mandatory`, since everybody can generate the
// answers of that seed. `file` is the name of the answers' file in messages.
StatusOr<Recipe> BlindRecipe(const Recipe& mandatory, const SealedAnswers& answers,
                             const std::string& file);

// Returns the reasons why suite, results and answers do not belong to the same blind run; returns
// no reason if they do. Without answers, the results must not be those of a blind run.
StatusOr<std::vector<std::string>> BlindFaults(const std::filesystem::path& evidence,
                                               const std::optional<SealedAnswers>& answers,
                                               const Report& report, int jobs,
                                               const std::atomic<bool>* stop);

// Returns the name that the signed statement gives the blind suite; nullopt if the run was not
// blind.
std::optional<BlindSuiteName> NameOf(const std::optional<SealedAnswers>& answers);

}  // namespace cts
