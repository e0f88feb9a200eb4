// Suite and results of an evidence directory, judged, and the reports that follow.
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

// Judges suite/ and results/. A case that ran again is a finding: nothing may be retried. Findings
// of the kinds that the claim waives are no obstacle.
StatusOr<Report> JudgeEvidence(const std::filesystem::path& evidence, const Claim& claim, int jobs,
                               const StageProgress& progress, const std::atomic<bool>* stop);

// The reports on the results, for people and for programs: names and bytes.
std::vector<std::pair<std::string, std::string>> ReportFiles(const Report& report);

// The differences between report.json and a check made now.
std::vector<std::string> CompareReport(const Json& json, const Report& report);

// Files that do not belong in evidence: they belong to no case, or to no part of one.
StatusOr<std::vector<std::string>> StrayFiles(const std::filesystem::path& evidence,
                                              const FileDigests& files, const Report& report);

}  // namespace cts
