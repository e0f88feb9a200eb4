#include "tools/program/audit/false_alarms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>

#include "absl/strings/str_join.h"
#include "checker/judge/across_cases.h"
#include "checker/judge/check.h"
#include "checker/rules/match.h"
#include "generator/generate.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/base/pattern.h"
#include "reference/evaluate/native.h"
#include "reference/faults/legal.h"
#include "reference/faults/right_answers.h"
#include "tools/program/ask/list.h"
#include "tools/program/audit/audit.h"
#include "tools/program/audit/farthest_accepted.h"

namespace cts {
namespace {

enum class End { kLowest, kHighest, kAlternating };
struct EndRun {
  const char* id;
  const char* sentence;
  End end;
};
constexpr EndRun kEnds[] = {
    {"lowest", "answers the least value that is accepted", End::kLowest},
    {"highest", "answers the greatest value that is accepted", End::kHighest},
    {"alternating", "answers the least and the greatest accepted value in turn", End::kAlternating},
};
constexpr const char* kEndsClause = "the rule of each output";

bool IsInterval(const ExpectedOutput& output) {
  return output.rule.kind == RuleKind::kInterval && !output.answers.empty();
}

// Integers of an interval, such as RESCALE's with INEXACT_ROUND.
void PushInteger(const ExpectedOutput& output, End end, Tensor* result) {
  const Answer& answer = output.answers[0];
  for (int64_t i = 0; i < result->size(); ++i) {
    const bool up = end == End::kHighest || (end == End::kAlternating && i % 2 == 1);
    result->SetBits(i, (up ? *answer.upper : answer.expected).Bits(i));
  }
}

// An output moved to an end of the values that its first answer accepts. The dot-product rule is
// left out, since it judges a tensor as a whole; so are exact values.
void Push(const ExpectedOutput& output, End end, Tensor* result) {
  if (!IsFloat(output.dtype) && IsInterval(output)) return PushInteger(output, end, result);
  if (!IsFloat(output.dtype) || output.rule.kind == RuleKind::kDotProduct ||
      output.rule.kind == RuleKind::kExact || output.answers.empty()) {
    return;
  }
  const ElementJudge judge(output, output.answers[0], *result);
  for (int64_t i = 0; i < result->size(); ++i) {
    const double x = result->Element(i);
    // Values that are free anyway, or have no neighbours.
    if (x != x || std::isinf(x) || !judge.Accepts(i) || judge.Unlimited(i)) continue;
    const bool up = end == End::kHighest || (end == End::kAlternating && i % 2 == 1);
    PushToEnd(judge, *result, i, up ? 1 : -1);
  }
}

// Whether the specification leaves a choice: in floating point, and where an interval of integers
// is accepted.
bool LeavesChoice(const Case& c) {
  if (std::any_of(c.outputs.begin(), c.outputs.end(), IsInterval)) return true;
  for (const Region& region : c.graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (IsFloat(tensor.dtype)) return true;
      }
    }
  }
  return false;
}

}  // namespace

Refused RefusalOf(const Case& c, const StatusOr<std::vector<NativeResult>>& results,
                  CaseReport* shown) {
  if (!results.ok()) return {results.status().ToString()};
  const bool point = !c.disputed.empty();
  Refused excused;
  for (const ExpectedOutput& output : c.outputs) {
    const auto execution = static_cast<size_t>(output.execution);
    if (execution >= results->size()) return {"an execution is missing"};
    const NativeResult& result = (*results)[execution];
    if (result.outcome != Outcome::kValid) return {result.message, point};
    OutputReport report = JudgeTensor(output, result.outputs.at(output.name));
    report.disputed = point && !output.undisputed;
    if (report.verdict != Verdict::kPass) {
      if (!report.disputed || report.verdict != Verdict::kFail) return {report.message};
      if (excused.message.empty()) excused = {report.message, true};
    } else if (shown != nullptr) {
      shown->outputs.push_back(std::move(report));
    }
  }
  return excused;
}

namespace {

bool Differs(const Case& c, const std::vector<NativeResult>& a,
             const std::vector<NativeResult>& b) {
  for (const ExpectedOutput& output : c.outputs) {
    const auto execution = static_cast<size_t>(output.execution);
    if (execution >= a.size() || execution >= b.size()) return true;
    const auto left = a[execution].outputs.find(output.name);
    const auto right = b[execution].outputs.find(output.name);
    if (left == a[execution].outputs.end() || right == b[execution].outputs.end()) return true;
    if (!(left->second == right->second)) return true;
  }
  return false;
}

// Whether each wanted pattern is that of a run.
Status CheckWanted(const std::vector<std::string>& wanted, const std::vector<LegalRun>& runs) {
  std::vector<std::string> ids;
  ids.reserve(runs.size());
  for (const LegalRun& run : runs) ids.push_back(run.id);
  for (const std::string& id : wanted) {
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const std::string& known) { return MatchesPattern(id, known); })) {
      continue;
    }
    return NotFound("no legal implementation \"", id,
                    "\"; nearest: ", absl::StrJoin(NearestNames(ids, id, 3), ", "));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<LegalRun>> FindFalseAlarms(const FalseAlarmOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(options.recipe.edition));
  std::vector<LegalRun> runs;
  for (const LegalImplementation& legal : LegalImplementations()) {
    runs.push_back({legal.id, legal.sentence, ClauseOf(legal, *edition)});
  }
  runs.reserve(LegalImplementations().size() + std::size(kEnds));
  for (const EndRun& end : kEnds) runs.push_back({end.id, end.sentence, kEndsClause});
  CTS_RETURN_IF_ERROR(CheckWanted(options.legal, runs));
  const auto chosen = [&](const std::string& id) {
    return options.legal.empty() ||
           std::any_of(options.legal.begin(), options.legal.end(),
                       [&](const std::string& pattern) { return MatchesPattern(pattern, id); });
  };

  std::mutex mutex;
  std::vector<size_t> firsts(runs.size(), SIZE_MAX);
  const auto tally = [&](size_t run, size_t position, const Case& c, bool differs,
                         const Refused& refusal) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++runs[run].cases;
    runs[run].differs += differs ? 1 : 0;
    if (refusal.message.empty()) return;
    ++(refusal.disputed ? runs[run].disputed : runs[run].refused);
    if (position > firsts[run] || refusal.disputed) return;
    firsts[run] = position;
    runs[run].first = c.id;
    runs[run].said = refusal.message;
  };
  // The cases of each run that show something of named choices, by position.
  std::vector<std::map<size_t, CaseReport>> shown(runs.size());
  const auto keep = [&](size_t run, size_t position, const CaseReport& c) {
    const auto shows = [](const OutputReport& output) {
      return !output.disputed && output.ShowsChoices();
    };
    if (std::none_of(c.outputs.begin(), c.outputs.end(), shows)) return;
    const std::lock_guard<std::mutex> lock(mutex);
    shown[run].emplace(position, c);
  };
  const GenerateOptions generate{.recipe = options.recipe,
                                 .jobs = options.jobs,
                                 .progress = options.progress,
                                 .stop = options.stop};
  const auto ask = [&](size_t position, const Case& c) -> Status {
    if (c.outcome != Outcome::kValid || !LeavesChoice(c)) return absl::OkStatus();
    const Level& level = *edition->FindLevel(c.level);
    const RightAnswers answers;
    CTS_ASSIGN_OR_RETURN(const std::vector<NativeResult> native,
                         ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), *edition, level));
    CaseReport of_native;
    of_native.id = c.id;
    of_native.disputed = c.disputed;
    RefusalOf(c, native, &of_native);
    size_t run = 0;
    for (const LegalImplementation& legal : LegalImplementations()) {
      const size_t k = run++;
      if (!chosen(legal.id)) continue;
      if (options.stop != nullptr && *options.stop) return absl::CancelledError("interrupted");
      const auto results = ExecuteLegal(legal, c, *edition, level);
      const bool differs = !results.ok() || Differs(c, native, *results);
      CaseReport of_legal = of_native;
      if (differs) of_legal.outputs.clear();
      tally(k, position, c, differs, differs ? RefusalOf(c, results, &of_legal) : Refused());
      keep(k, position, of_legal);
    }
    // Each value at an end: no implementation computes so, and choices are mixed.
    for (const EndRun& end : kEnds) {
      const size_t k = run++;
      if (!chosen(end.id)) continue;
      std::vector<NativeResult> results = native;
      for (const ExpectedOutput& output : c.outputs) {
        Push(output, end.end,
             &results[static_cast<size_t>(output.execution)].outputs.at(output.name));
      }
      const bool differs = Differs(c, native, results);
      tally(k, position, c, differs, differs ? RefusalOf(c, results, nullptr) : Refused());
    }
    return absl::OkStatus();
  };
  // An error leaves no choice.
  const CaseFilter valid{
      .begins = [](size_t, const PlannedCase& planned) { return planned.condition.empty(); }};
  CTS_RETURN_IF_ERROR(ForEachWantedCase(generate, valid, ask));
  for (size_t run = 0; run < runs.size(); ++run) {
    Report report;
    report.suite.edition = edition->id;
    for (auto& [position, c] : shown[run]) report.cases.push_back(std::move(c));
    FindChoices(&report);
    for (const Finding& finding : report.findings) {
      if (runs[run].refused++ > 0) continue;
      runs[run].first = finding.cases.front();
      runs[run].said = finding.message;
    }
  }
  std::vector<LegalRun> of_interest;
  for (LegalRun& run : runs) {
    if (chosen(run.id)) of_interest.push_back(std::move(run));
  }
  return of_interest;
}

Json FalseAlarmsToJson(const std::vector<LegalRun>& runs) {
  Json json = {{"format", "tensor-cts-false-alarms-1"}, {"implementations", Json::array()}};
  for (const LegalRun& run : runs) {
    Json entry = {{"implementation", run.id}, {"sentence", run.sentence}, {"clause", run.clause},
                  {"cases", run.cases},       {"differs", run.differs},   {"refused", run.refused}};
    if (run.disputed > 0) entry["disputed"] = run.disputed;
    if (run.refused > 0) entry["first"] = run.first, entry["said"] = run.said;
    json["implementations"].push_back(std::move(entry));
  }
  return json;
}

std::string FormatFalseAlarms(const Json& json) {
  std::string text = FormatTable(json["implementations"],
                                 {"implementation", "cases", "differs", "refused", "sentence"});
  uint64_t passed = 0;
  for (const Json& run : json["implementations"]) {
    const uint64_t count = run["refused"];
    passed += count == 0 && run["cases"].get<uint64_t>() > 0 ? 1 : 0;
    if (run.contains("disputed")) {
      text += StrCat("\n", run["implementation"].get<std::string>(), " answers ",
                     run["disputed"].get<uint64_t>(), " disputed cases otherwise, which decide ",
                     "nothing\n");
    }
    if (count == 0) continue;
    text += StrCat("\n", run["implementation"].get<std::string>(), ", first in ",
                   run["first"].get<std::string>(), "\n  ", run["said"].get<std::string>(), "\n");
  }
  text += StrCat("\n", passed, " of ", json["implementations"].size(),
                 " legal implementations pass every case\n");
  return text;
}

}  // namespace cts
