// Judges the suite and results of an evidence directory, and makes the reports on them.
#pragma once

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "checker/judge/run_record.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {

// Judges results/ by suite/. The restart of a worker is a finding: cases ran again after the worker
// had ended, and certified runs may not retry a case. Findings of the kinds that the claim waives
// do not cause a failure.
StatusOr<Report> JudgeEvidence(const std::filesystem::path& evidence, const Claim& claim, int jobs,
                               const StageProgress& progress, const std::atomic<bool>* stop);

// Refuses the record of a run whose implementation does not say the name and the version of the
// claim. The implementation of a run that `certify` itself made may give no name. `file`: run.json
// in messages.
Status CheckNames(const Claim& claim, const RunRecord& run, const std::string& file);

// The facts with which results/run.json must agree.
struct RecordedRun {
  const Suite& suite;
  const ResultDigests& results;  // one of each case
  std::set<std::string> packs;   // the operators whose results are packed
  Json build;                    // of the program that ran the cases, as BuildStateToJson has it
};
// The reasons why results/run.json says something wrong about the suite, the results or the
// program, or has an unknown member. Each begins with the member, as "/cases: ". The other members
// are the words of the run's maker.
StatusOr<std::vector<std::string>> RecordFaults(const std::filesystem::path& results,
                                                const RecordedRun& run);
// The operators of the results that are packed.
StatusOr<std::set<std::string>> PackedOperators(const std::filesystem::path& results,
                                                const std::vector<std::string>& ids);

// Returns the names and the bytes of the report files on the results, for people and for programs.
std::vector<std::pair<std::string, std::string>> ReportFiles(const Report& report);

// Returns the differences between `json` (the contents of report.json) and a new report on the same
// results.
std::vector<std::string> CompareReport(const Json& json, const Report& report);

// Returns the files of the evidence that belong to no case and to no other part of the evidence.
StatusOr<std::vector<std::string>> StrayFiles(const std::filesystem::path& evidence,
                                              const FileDigests& files, const Report& report);

}  // namespace cts
