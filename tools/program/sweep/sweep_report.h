// The findings of a sweep, as JSON (schemas/sweep.schema.json) and for people. The same file is the
// state of an unfinished sweep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "tools/program/sweep/sweep_judge.h"

namespace cts {

// Inputs by number, including both ends.
struct SweepRange {
  uint64_t first = 0, last = 0;
  friend bool operator==(const SweepRange&, const SweepRange&) = default;
};

// Joins ranges that overlap or touch.
void AddRange(const SweepRange& range, std::vector<SweepRange>* ranges);

struct SweepReport {
  SweepQuestion question;
  struct Implementation {
    std::string name, version, about, digest;  // the digest is the library's
    friend bool operator==(const Implementation&, const Implementation&) = default;
  } implementation;
  uint64_t size = 0;             // all inputs
  SweepRange assigned;           // inputs of this sweep
  std::vector<SweepRange> done;  // of those, in order
  SweepTotals totals;

  // From here on: members that Complete computes.
  struct Example {
    SweepElement element;
    bool accepted = false;
    double value = 0;      // the result; integers too
    double reference = 0;  // the reference value that keeps subnormal numbers
    double ulp = 0;        // the error, exactly as the checker measures it
    double of_bound = -1;  // as a multiple of the rule's bound; -1: it has no bound
  };
  std::vector<Example> worst, refused;
  std::string rule, clause;
  std::vector<std::string> findings, notes;
};

// Fills in examples, rule and findings.
Status Complete(SweepReport* report);

enum class SweepVerdict {
  kConformant,  // every input was asked, and is right
  kPassed,      // likewise for a part of the inputs
  kNonconforming,
  kUnfinished,  // nothing wrong so far
};
SweepVerdict VerdictOf(const SweepReport& report);
std::string_view Name(SweepVerdict verdict);

Json SweepReportToJson(const SweepReport& report);
// Reads a report and completes it. Refuses a report that contradicts itself; errors name the file,
// or `origin`, and the place in it.
StatusOr<SweepReport> SweepReportFromJson(const Json& json, std::string_view origin);
StatusOr<SweepReport> ReadSweepReport(const std::filesystem::path& file);

// For a terminal of 100 columns.
std::string FormatSweep(const SweepReport& report);

// The same as a page that loads nothing, with the curve of errors over the inputs.
std::string FormatSweepPage(const SweepReport& report);

// The sum of reports of the same question and implementation, whose inputs do not overlap.
StatusOr<SweepReport> MergeSweeps(const std::vector<std::filesystem::path>& files);

Json QuestionToJson(const SweepQuestion& question);
SweepQuestion QuestionFromJson(const Json& json);

}  // namespace cts
