// `tensor-cts sweep --all`: one sweep after another, for all operators that can be swept.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/sweep/sweep.h"

namespace cts {

// All questions that a sweep can ask about an edition, in the order of the edition's operators and
// type rows, with every value of enumerations and booleans. CLAMP is swept with the range [0, 6].
// `type` selects the type of the result, and `in_type` the type of the operands; an empty text
// means all types. Errors: an unknown edition or type.
StatusOr<std::vector<SweepQuestion>> SweepQuestions(const std::string& edition,
                                                    const std::string& type,
                                                    const std::string& in_type);

// "EXP.fp32", "CAST.fp16-fp32", "MAXIMUM.fp16.nan_mode-IGNORE": the stem of a report's file.
std::string StemOf(const SweepQuestion& question);

// One question and its answer.
struct SweepOutcome {
  SweepQuestion question;
  SweepReport report;       // empty if the plugin was not swept
  std::string not_offered;  // not empty if the plugin says that it does not offer the operator
  std::string cannot;       // not empty if the plugin fails on this legal operator: its message
  bool gave_up = false;     // the sweep gave up after kMaxFaults blocks without results

  bool asked() const { return not_offered.empty() && cannot.empty(); }
};

struct SweepAllSummary {
  std::vector<SweepOutcome> outcomes;
  bool interrupted = false;
};

// Called before each question.
using SweepBegins = std::function<void(const SweepQuestion& question, size_t done, size_t total)>;

// Sweeps all questions with the edition and types of the question in `common`. With a shard, sweeps
// only every N-th question, but all inputs of each of these questions. Writes a report and a page
// for each question to `folder`, and index.html. With `resume`, finished reports in `folder` are
// kept. Errors are those of RunSweep, but it is no error if the plugin does not offer an operator
// or fails to prepare it.
StatusOr<SweepAllSummary> RunAllSweeps(const SweepOptions& common,
                                       const std::filesystem::path& folder,
                                       const SweepBegins& begins, const SweepProgress& progress);

// The worst outcome of all sweeps. kNonconforming is the worst outcome. kIncomplete (unfinished, or
// the plugin fails on a legal operator) is the second worst.
enum class SweepAllVerdict { kNothingWrong, kNonconforming, kIncomplete, kNothingOffered };
SweepAllVerdict VerdictOf(const SweepAllSummary& summary);

// A line for each question, and the number of each kind of outcome.
std::string FormatAllSweeps(const SweepAllSummary& summary);
std::string FormatAllSweepsPage(const SweepAllSummary& summary);

}  // namespace cts
