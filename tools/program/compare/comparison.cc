#include "tools/program/compare/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

StatusOr<Compared> ReadCompared(const fs::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, ""));
  if (!json.is_object() || json.value("format", Json()) != "tensor-cts-report-1") {
    return InvalidArgument(file.string(), ": expected a report, as `tensor-cts check --json FILE` ",
                           "writes it");
  }
  CTS_ASSIGN_OR_RETURN(Report report, ReportFromJson(json, file.string()));
  Compared compared{StrCat(report.run.name, " ", report.run.version), file.string(),
                    std::move(report), json["checker"]["checker"]};
  const auto twice =
      std::adjacent_find(compared.report.cases.begin(), compared.report.cases.end(),
                         [](const CaseReport& a, const CaseReport& b) { return !(a.id < b.id); });
  if (twice != compared.report.cases.end()) {
    return InvalidArgument(file.string(), ": /cases: found ", Printable(twice->id),
                           " before or beside a smaller id, expected each once and in order");
  }
  return compared;
}

// Each report by a name of its own.
void MakeLabelsUnique(std::vector<Compared>* reports) {
  std::map<std::string, int> known;
  for (const Compared& each : *reports) ++known[each.label];
  for (Compared& each : *reports) {
    if (known[each.label] > 1) each.label += StrCat(" (", each.file, ")");
    each.label = Printable(each.label);
  }
}

Status CheckSameSuite(const std::vector<Compared>& reports) {
  const Compared& first = reports.front();
  for (const Compared& each : reports) {
    if (each.report.suite.digest == first.report.suite.digest) continue;
    return InvalidArgument(
        each.file, ": /suite/digest: found ", each.report.suite.digest, " (",
        Printable(each.report.suite.name), "), expected ", first.report.suite.digest, " (",
        Printable(first.report.suite.name), ") as in ", first.file,
        ": only reports of one suite can be compared; run and check both over the same");
  }
  return absl::OkStatus();
}

void AlignCases(Comparison* comparison) {
  std::map<std::string_view, std::vector<const CaseReport*>> by_id;
  const size_t count = comparison->reports.size();
  for (size_t i = 0; i < count; ++i) {
    for (const CaseReport& c : comparison->reports[i].report.cases) {
      std::vector<const CaseReport*>& of = by_id[c.id];
      of.resize(count);
      of[i] = &c;
    }
  }
  for (auto& [id, of] : by_id) comparison->cases.push_back({std::move(of)});
}

// Older reports do not say which operators a graph has: another report of the case does.
void FillInGraphs(Comparison* comparison) {
  std::map<std::string, std::vector<std::string>> known;
  for (const Compared& each : comparison->reports) {
    for (const CaseReport& c : each.report.cases) {
      if (!c.graph.empty()) known.emplace(c.id, c.graph);
    }
  }
  for (Compared& each : comparison->reports) {
    for (CaseReport& c : each.report.cases) {
      const auto found = known.find(c.id);
      if (c.graph.empty() && found != known.end()) c.graph = found->second;
    }
  }
}

void GatherCauses(Comparison* comparison) {
  std::map<std::string_view, const ComparedCase*> by_id;
  for (const ComparedCase& c : comparison->cases) by_id[c.any().id] = &c;
  std::map<CauseKey, size_t> known;
  std::set<std::pair<size_t, const ComparedCase*>> gathered;
  std::vector<ComparedCause>& causes = comparison->causes;
  for (size_t i = 0; i < comparison->reports.size(); ++i) {
    for (const Cause& cause : CausesOf(comparison->reports[i].report)) {
      if (cause.kind == CauseKind::kNotRun) continue;
      const auto [found, is_new] = known.try_emplace(cause, causes.size());
      if (is_new) {
        static_cast<CauseKey&>(causes.emplace_back().all) = cause;
        causes.back().counts.resize(comparison->reports.size());
      }
      ComparedCause& all = causes[found->second];
      all.counts[i] = static_cast<int>(cause.cases.size());
      const size_t alone = cause.cases.size() - cause.of_graphs;
      for (size_t k = 0; k < cause.cases.size(); ++k) {
        const CaseReport& c = *cause.cases[k];
        const ComparedCase* const compared = by_id.at(c.id);
        if (!gathered.emplace(found->second, compared).second) continue;
        all.cases.push_back(compared);
        if (k < alone) {
          all.all.Add(c);
        } else {
          all.all.AddGraph(c);
        }
      }
    }
  }
  for (ComparedCause& cause : causes) {
    std::sort(
        cause.cases.begin(), cause.cases.end(),
        [](const ComparedCase* a, const ComparedCase* b) { return a->any().id < b->any().id; });
  }
  std::stable_sort(
      causes.begin(), causes.end(),
      [](const ComparedCause& a, const ComparedCause& b) { return CostsMore(a.all, b.all); });
}

Json ChangesToJson(const Comparison& comparison) {
  Json changes = Json::array();
  for (int from = 0; from < kStandingCount; ++from) {
    for (int to = 0; to < kStandingCount; ++to) {
      if (from == to) continue;
      const auto a = static_cast<Standing>(from), b = static_cast<Standing>(to);
      const std::vector<const ComparedCase*> changed = comparison.Changed(a, b);
      if (changed.empty()) continue;
      Json ids = Json::array();
      for (const ComparedCase* c : changed) ids.push_back(c->any().id);
      changes.push_back({{"from", Name(a)}, {"to", Name(b)}, {"cases", std::move(ids)}});
    }
  }
  return changes;
}

}  // namespace

const CaseReport& ComparedCase::any() const {
  return **std::find_if(of.begin(), of.end(), [](const CaseReport* c) { return c != nullptr; });
}

bool ComparedCase::Differs() const {
  const Standing first = StandingOf(any());
  return std::any_of(of.begin(), of.end(),
                     [&](const CaseReport* c) { return c != nullptr && StandingOf(*c) != first; });
}

bool ComparedCase::IsWrong() const {
  return std::any_of(of.begin(), of.end(), [](const CaseReport* c) {
    return c != nullptr && StandingOf(*c) == Standing::kWrong;
  });
}

int Comparison::RightWhereWrong(size_t right, size_t wrong) const {
  return static_cast<int>(std::count_if(cases.begin(), cases.end(), [&](const ComparedCase& c) {
    return c.of[right] != nullptr && c.of[wrong] != nullptr &&
           StandingOf(*c.of[right]) == Standing::kRight &&
           StandingOf(*c.of[wrong]) == Standing::kWrong;
  }));
}

std::vector<const ComparedCase*> Comparison::Changed(Standing from, Standing to) const {
  std::vector<const ComparedCase*> changed;
  for (const ComparedCase& c : cases) {
    const CaseReport *const first = c.of.front(), *const last = c.of.back();
    if (first == nullptr || last == nullptr) continue;
    if (StandingOf(*first) == from && StandingOf(*last) == to) changed.push_back(&c);
  }
  std::stable_partition(changed.begin(), changed.end(),
                        [](const ComparedCase* c) { return !OnIllegalGraph(c->any()); });
  return changed;
}

StatusOr<Comparison> CompareReports(const std::vector<fs::path>& files) {
  if (files.size() < 2) {
    return InvalidArgument("compare: found ", files.size(), " report, expected two or more");
  }
  Comparison comparison;
  for (const fs::path& file : files) {
    CTS_ASSIGN_OR_RETURN(Compared compared, ReadCompared(file));
    comparison.reports.push_back(std::move(compared));
  }
  CTS_RETURN_IF_ERROR(CheckSameSuite(comparison.reports));
  MakeLabelsUnique(&comparison.reports);
  FillInGraphs(&comparison);
  AlignCases(&comparison);
  if (comparison.cases.empty()) {
    return InvalidArgument(files.front().string(), ": found no case in any of the reports");
  }
  GatherCauses(&comparison);
  return comparison;
}

Json ComparisonToJson(const Comparison& comparison) {
  const Suite& suite = comparison.reports.front().report.suite;
  Json reports = Json::array();
  for (const Compared& each : comparison.reports) {
    const Report& report = each.report;
    Json standings = Json::object();
    const Standings counts = CountStandings(report);
    for (int i = 0; i < kStandingCount; ++i) {
      const auto standing = static_cast<Standing>(i);
      standings[std::string(Name(standing))] = Count(counts, standing);
    }
    Json findings = Json::array();
    for (const Finding& finding : report.findings) findings.push_back(Printable(finding.kind));
    reports.push_back(
        {{"label", each.label},
         {"implementation",
          {{"name", Printable(report.run.name)}, {"version", Printable(report.run.version)}}},
         {"conformant", Conformant(report)},
         {"standings", std::move(standings)},
         {"findings", std::move(findings)},
         {"checker", each.checker}});
  }
  Json causes = Json::array();
  for (const ComparedCause& cause : comparison.causes) {
    Json ids = Json::array();
    for (const ComparedCase* c : cause.cases) ids.push_back(c->any().id);
    const std::set<std::string>& operators = cause.all.operators;
    causes.push_back({{"operator", operators.size() == 1 ? Printable(*operators.begin()) : ""},
                      {"operators", operators},
                      {"verdict", Name(cause.all.verdict)},
                      {"words", Printable(cause.all.gist)},
                      {"counts", cause.counts},
                      {"cases", std::move(ids)}});
  }
  Json cases = Json::array();
  for (const ComparedCase& c : comparison.cases) {
    if (!c.Differs() && !c.IsWrong()) continue;
    Json verdicts = Json::array();
    for (const CaseReport* each : c.of) {
      verdicts.push_back(each == nullptr ? Json() : Json(Name(each->verdict)));
    }
    cases.push_back({{"id", Printable(c.any().id)}, {"verdicts", std::move(verdicts)}});
  }
  return {{"format", "tensor-cts-comparison-1"},
          {"suite",
           {{"name", Printable(suite.name)},
            {"edition", Printable(suite.edition)},
            {"level", Printable(suite.level)},
            {"digest", suite.digest}}},
          {"reports", std::move(reports)},
          {"changes", ChangesToJson(comparison)},
          {"causes", std::move(causes)},
          {"cases", std::move(cases)}};
}

}  // namespace cts
