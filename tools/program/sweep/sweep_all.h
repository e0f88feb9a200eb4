// `tensor-cts sweep --all`: one sweep after another, of everything that a plugin can be asked.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/sweep/sweep.h"

namespace cts {

// The questions of an edition that can be swept, in the order of its operators and type rows: each
// with every value of its enumerations and booleans, a CLAMP to [0, 6]. `type` is that of the
// result, `in_type` that of the operands; an empty one means all. Errors: an unknown edition or
// type.
StatusOr<std::vector<SweepQuestion>> SweepQuestions(const std::string& edition,
                                                    const std::string& type,
                                                    const std::string& in_type);

// "EXP.fp32", "CAST.fp16-fp32", "MAXIMUM.fp16.nan_mode-IGNORE": the stem of a report's file.
std::string StemOf(const SweepQuestion& question);

// One question and its answer.
struct SweepOutcome {
  SweepQuestion question;
  SweepReport report;       // empty if the plugin was not asked
  std::string not_offered;  // the plugin says that it does not offer the operator
  std::string cannot;       // the plugin cannot be asked: it fails on a legal operator
  bool gave_up = false;     // the sweep gave up after kMaxFaults blocks without results

  bool asked() const { return not_offered.empty() && cannot.empty(); }
};

struct SweepAllSummary {
  std::vector<SweepOutcome> outcomes;
  bool interrupted = false;
};

// Called before each question.
using SweepBegins = std::function<void(const SweepQuestion& question, size_t done, size_t total)>;

// Sweeps the questions of `common` (its question's edition and types; a shard takes every N-th
// question whole). Writes a report and a page for each question to `folder`, and index.html. With
// `resume` finished reports there are kept. Errors: as RunSweep, except for operators that the
// plugin does not offer.
StatusOr<SweepAllSummary> RunAllSweeps(const SweepOptions& common,
                                       const std::filesystem::path& folder,
                                       const SweepBegins& begins, const SweepProgress& progress);

// The worst of all, in this order: something wrong, something unfinished or that cannot be asked.
enum class SweepAllVerdict { kNothingWrong, kNonconforming, kIncomplete, kNothingOffered };
SweepAllVerdict VerdictOf(const SweepAllSummary& summary);

// A line for each question, and the numbers of the outcomes.
std::string FormatAllSweeps(const SweepAllSummary& summary);
std::string FormatAllSweepsPage(const SweepAllSummary& summary);

}  // namespace cts
