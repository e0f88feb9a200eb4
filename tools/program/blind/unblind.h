// Joins the results of a blind suite with the suite that has the answers. Every command that judges
// results accepts the joined results.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "generator/generate.h"
#include "reference/base/status.h"
#include "tools/program/blind/blind_suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {

struct UnblindOptions {
  std::filesystem::path results;  // as `run` wrote them
  SealedAnswers answers;
  int jobs = 0;
  std::function<void(size_t done, size_t total)> progress = {};  // of generating the suite
  const std::atomic<bool>* stop = nullptr;
};

// Generates the suite again, from the recipe in the answers, into OUT/suite. Writes the results,
// with the ids of that suite, to OUT/results. Both folders must be new. `place` is the final path
// of OUT, to which the caller moves it in the end; run.json records this path. Errors: results that
// are not a whole run of the blind suite, or that have changed since they were written; answers or
// results of another version of the program.
StatusOr<Suite> Unblind(const UnblindOptions& options, const std::filesystem::path& out,
                        const std::filesystem::path& place);

// Refuses a result of the case `id` with a file that no run leaves, or that is larger than any
// result of `c` is. The files are not read.
Status CheckResultSize(const std::filesystem::path& results, const std::string& id, const Case& c);

// The value that `results_digest` of run.json had before the results got the ids of the suite.
std::string BlindResultsDigest(const ResultDigests& results, const std::string& salt);

}  // namespace cts
