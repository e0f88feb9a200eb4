// The findings of a sweep, as JSON (schemas/sweep.schema.json) and for people. The JSON file is
// also the state of an unfinished sweep.
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

// A range of input numbers, including both ends.
struct SweepRange {
  uint64_t first = 0, last = 0;
  friend bool operator==(const SweepRange&, const SweepRange&) = default;
};

// Adds a range, and joins ranges that overlap or touch.
void AddRange(const SweepRange& range, std::vector<SweepRange>* ranges);

struct SweepReport {
  SweepQuestion question;
  struct Implementation {
    std::string name, version, about, digest;  // the digest is the library's
    friend bool operator==(const Implementation&, const Implementation&) = default;
  } implementation;
  uint64_t size = 0;             // the number of all inputs of the operator
  SweepRange assigned;           // the inputs of this sweep
  std::vector<SweepRange> done;  // the finished inputs of `assigned`, in order
  SweepTotals totals;

  // The function Complete computes the members from here on.
  struct Example {
    SweepElement element;
    bool accepted = false;
    double value = 0;      // the result as a number, even if the type is an integer type
    double reference = 0;  // the reference value that keeps subnormal numbers
    double ulp = 0;        // the error, exactly as the checker measures it
    double of_bound = -1;  // the error as a multiple of the rule's bound; -1: the rule has no bound
  };
  std::vector<Example> worst, refused;
  std::string rule, clause;
  std::vector<std::string> findings, notes;
};

// Fills in examples, rule and findings.
Status Complete(SweepReport* report);

enum class SweepVerdict {
  kConformant,  // all inputs were swept, and no result is wrong
  kPassed,      // a part of the inputs was swept, and no result is wrong
  kNonconforming,
  kUnfinished,  // no wrong result so far; but inputs remain, or no result was accepted
};
SweepVerdict VerdictOf(const SweepReport& report);
std::string_view Name(SweepVerdict verdict);

Json SweepReportToJson(const SweepReport& report);
// Reads a report and calls Complete. Refuses a report that contradicts itself. Errors name the
// file, or `origin`, and the place in it.
StatusOr<SweepReport> SweepReportFromJson(const Json& json, std::string_view origin);
StatusOr<SweepReport> ReadSweepReport(const std::filesystem::path& file);

// The report as text for a terminal of 100 columns.
std::string FormatSweep(const SweepReport& report);

// The report as a self-contained HTML page, with the curve of errors over the inputs.
std::string FormatSweepPage(const SweepReport& report);

// Adds up reports on the same question and implementation, whose inputs must not overlap.
StatusOr<SweepReport> MergeSweeps(const std::vector<std::filesystem::path>& files);

Json QuestionToJson(const SweepQuestion& question);
SweepQuestion QuestionFromJson(const Json& json);

}  // namespace cts
