// Judges the suite and results of an evidence directory, and makes the reports on them.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

// Judges results/ by suite/. The restart of a worker is a finding: cases ran again after the worker
// had ended, and certified runs may not retry a case. Findings of the kinds that the claim waives
// do not cause a failure.
StatusOr<Report> JudgeEvidence(const std::filesystem::path& evidence, const Claim& claim, int jobs,
                               const StageProgress& progress, const std::atomic<bool>* stop);

// Returns the names and the bytes of the report files on the results, for people and for programs.
std::vector<std::pair<std::string, std::string>> ReportFiles(const Report& report);

// Returns the differences between `json` (the contents of report.json) and a new report on the same
// results.
std::vector<std::string> CompareReport(const Json& json, const Report& report);

// Returns the files of the evidence that belong to no case and to no other part of the evidence.
StatusOr<std::vector<std::string>> StrayFiles(const std::filesystem::path& evidence,
                                              const FileDigests& files, const Report& report);

}  // namespace cts
