#include "tools/program/certify/judged_evidence.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "checker/judge/run_record.h"
#include "checker/report/html.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/file_type.h"
#include "reference/base/pack.h"
#include "reference/bundle/case.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/run/announced_name.h"
#include "tools/program/run/merge.h"

namespace cts {

namespace fs = std::filesystem;

// The claim is about what ran: an implementation that says who it is must say the same. The signer
// has nothing of a blind run, or of results that were made before, but the record, so there it must
// say who it is.
Status CheckNames(const Claim& claim, const RunRecord& run, const std::string& file) {
  const ImplementationName& ran = run.implementation;
  // The positive control has no vendor.
  if (run.command.starts_with("builtin:")) return absl::OkStatus();
  const std::string place = file + ": /implementation/";
  if (!IsAnonymous(ran, run.command)) {
    return CheckAnnouncedName(ran, ClaimedName{claim.name, claim.version, "claim.json"}, place);
  }
  if (!run.blind && !run.given) return absl::OkStatus();
  return InvalidArgument(place, "name: found the command alone, expected \"", claim.name,
                         "\" as in claim.json: /name; run the suite with --worker or ",
                         "--plugin, where an implementation says its name");
}

StatusOr<std::vector<std::string>> RecordFaults(const fs::path& results, const RecordedRun& run) {
  CTS_ASSIGN_OR_RETURN(const RunRecord record, ReadRunRecord(results));
  CTS_ASSIGN_OR_RETURN(const Json found, LoadJson(results / "run.json", ""));
  std::vector<std::string> ids;
  for (const SuiteEntry& entry : run.suite.cases) ids.push_back(entry.id);
  Json expected = RunRecordToJson(record);
  expected["complete"] = true;
  expected["cases"] = expected["suite_cases"] = ids.size();
  expected["results_digest"] = DigestOf(run.results);
  expected["suite"] = run.suite.name;
  expected["suite_digest"] = run.suite.digest;
  expected["tensor_cts"] = run.build["version"];
  // A blind run is the vendor's, by a build of his.
  const bool blind = record.blind || !run.suite.answers.empty();
  if (!blind) {
    for (const char* part : {"editions", "recipes", "checker"}) {
      expected["build"][part] = run.build[part];
    }
  }
  // An edition of the program's own has no file. Where that of another lay, the run says.
  const StatusOr<const Edition*> edition = FindEdition(run.suite.edition);
  if (!edition.ok() || (*edition)->file.empty()) expected.erase("edition_file");
  expected.erase("packs");
  if (!run.packs.empty()) expected["packs"] = run.packs;
  std::vector<std::string> faults;
  if (!record.shards.empty() && !record.given && !blind) {
    faults.push_back("/shards: found shards, expected them only of results that were made before");
  }
  if (record.given && blind) {
    faults.push_back(
        "/given: found the time when certify took the results, expected it only of results with "
        "their answers");
  }
  // Where the results have got the ids of the suite with answers, the shards still have those of
  // the blind suite.
  if (!record.blind) {
    for (std::string& fault : ShardFaults(record, ids, run.results)) {
      faults.push_back(std::move(fault));
    }
  }
  for (std::string& difference : Differences(found, expected)) {
    faults.push_back(std::move(difference));
  }
  return faults;
}

StatusOr<std::set<std::string>> PackedOperators(const fs::path& results,
                                                const std::vector<std::string>& ids) {
  std::set<std::string> operators, packed;
  for (const std::string& id : ids) operators.insert(id.substr(0, id.find('/')));
  for (const std::string& op : operators) {
    CTS_ASSIGN_OR_RETURN(const bool is, IsTaken(results / StrCat(op, kPackSuffix)));
    if (is) packed.insert(op);
  }
  return packed;
}

StatusOr<Report> JudgeEvidence(const fs::path& evidence, const Claim& claim, int jobs,
                               const StageProgress& progress, const std::atomic<bool>* stop) {
  CheckOptions options{evidence / "suite", evidence / "results", jobs};
  options.meaning = MeaningOf;
  options.stop = stop;
  if (claim.declared) options.declared = DeclaredBy{std::string(kClaimFile), *claim.declared};
  if (progress) {
    options.progress = [&](size_t done, size_t total) { progress("check", done, total); };
  }
  CTS_ASSIGN_OR_RETURN(Report report, CheckSuite(options));
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(evidence / "results"));
  for (const auto& [member, there] :
       {std::pair("again", run.again.has_value()), std::pair("filter", run.filter.has_value()),
        std::pair("shard", run.shard.has_value()), std::pair("repeats", run.repeats.has_value())}) {
    if (!there) continue;
    return InvalidArgument("results/run.json: found /", member,
                           ": nothing may be left out or repeated for a certificate");
  }
  CTS_RETURN_IF_ERROR(CheckNames(claim, run, "results/run.json"));
  if (const int64_t restarts = run.restarts.value_or(0); restarts > 0) {
    report.findings.push_back(
        {"worker_restarted",
         StrCat(restarts, restarts == 1 ? " worker" : " workers",
                " did something wrong, and what they had in hand ran again: nothing may be "
                "retried for a certificate"),
         {}});
  }
  for (Finding& finding : report.findings) {
    finding.waived = Contains(claim.waived_findings, finding.kind);
  }
  return report;
}

std::vector<std::pair<std::string, std::string>> ReportFiles(const Report& report) {
  return {{"report.json", FormatJson(ReportToJson(report))},
          {"report.html", FormatHtml(report)},
          {"report.txt", FormatText(report)}};
}

std::vector<std::string> CompareReport(const Json& json, const Report& report) {
  std::map<std::string, std::string> verdicts;
  const Json cases = json.is_object() && json.contains("cases") && json["cases"].is_array()
                         ? json["cases"]
                         : Json::array();
  std::vector<std::string> faults;
  for (const Json& c : cases) {
    if (!c.is_object() || !c.contains("id") || !c["id"].is_string() || !c.contains("verdict") ||
        !c["verdict"].is_string() || !verdicts.emplace(c["id"], c["verdict"]).second) {
      return {"report.json: /cases: expected id and verdict of every case, once"};
    }
  }
  for (const CaseReport& c : report.cases) {
    const auto found = verdicts.find(c.id);
    const std::string says = found == verdicts.end() ? "nothing" : Printable(found->second);
    if (says != Name(c.verdict)) {
      faults.push_back(StrCat("results/", c.id, ": checked again it is ", Name(c.verdict),
                              c.message.empty() ? "" : " (" + Shortened(c.message, 200) + ")",
                              ", but report.json says ", says));
    }
    if (found != verdicts.end()) verdicts.erase(found);
  }
  for (const auto& [id, verdict] : verdicts) {
    faults.push_back(
        StrCat("report.json: case ", Shortened(Printable(id), 300), " is not of the suite"));
  }
  const Json conformant = json.is_object() ? json.value("conformant", Json()) : Json();
  if (conformant != Json(Conformant(report))) {
    faults.push_back(StrCat("report.json: /conformant: found ", conformant.dump(), ", expected ",
                            Conformant(report) ? "true" : "false"));
  }
  return faults;
}

StatusOr<std::vector<std::string>> StrayFiles(const fs::path& root, const FileDigests& files,
                                              const Report& report) {
  CTS_ASSIGN_OR_RETURN(std::set<std::string> known,
                       SuiteFiles(root / "suite", report.suite, "suite/"));
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(root / "results"));
  if (run.blind) {
    known.insert(std::string(kAnswersFile));
    for (const std::string_view name : kChallengeFiles) {
      known.insert(StrCat(kChallengeFolder, "/", name));
    }
  }
  known.insert({std::string(kClaimFile), "report.json", "report.txt", "report.html",
                "results/run.json", "results/results.json"});
  std::set<std::string> of_results;
  for (const CaseReport& c : report.cases) {
    CTS_ASSIGN_OR_RETURN(const Case header, ReadCaseHeader(root / "suite" / c.id));
    of_results.insert(StrCat(c.id, "/result.json"));
    for (const std::string& name : ResultFileNames(header)) {
      of_results.insert(StrCat(c.id, "/", name));
    }
  }
  std::vector<std::string> faults;
  for (const std::string& op : run.packs.value_or(std::vector<std::string>())) {
    const std::string file = StrCat("results/", op, kPackSuffix);
    // The files of results lie there, or otherwise in a folder.
    if (files.count(file) == 0) continue;
    known.insert(file);
    CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Pack> pack, Pack::Open(root / file));
    for (const std::string& name : pack->Names()) {
      if (of_results.count(name) > 0) continue;
      faults.push_back(
          StrCat(file, ": ", Shortened(Printable(name), 300), ": is no part of evidence"));
    }
  }
  for (const std::string& name : of_results) known.insert(StrCat("results/", name));
  for (const auto& [path, digest] : files) {
    if (known.count(path) > 0) continue;
    faults.push_back(StrCat(Shortened(Printable(path), 300), ": is no part of evidence"));
  }
  return faults;
}

}  // namespace cts
