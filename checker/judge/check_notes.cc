#include "checker/judge/check_notes.h"

#include <algorithm>
#include <set>

#include "checker/judge/standing.h"
#include "checker/judge/stored_result.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"

namespace cts {

namespace fs = std::filesystem;

StatusOr<std::vector<std::string>> StrayDirectories(const fs::path& results, const Suite& suite) {
  std::set<std::string> operators;
  for (const SuiteEntry& entry : suite.cases)
    operators.insert(entry.id.substr(0, entry.id.find('/')));
  std::vector<std::string> stray;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> found, StoredOperators(results));
  for (const std::string& op : found) {
    if (operators.count(op) == 0) {
      stray.push_back(op);
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> cases, StoredCases(results, op));
    for (const std::string& name : cases) {
      const std::string id = StrCat(op, "/", name);
      if (suite.Find(id) == nullptr) stray.push_back(id);
    }
  }
  return stray;
}

std::string FirstNames(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += StrCat(i == 0 ? "" : ", ", Shortened(Printable(names[i]), 240));
  }
  return names.size() > kShown ? text + ", ..." : text;
}

namespace {

Status NoteStrayDirectories(Report* report) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> stray,
                       StrayDirectories(report->results_path, report->suite));
  if (stray.empty()) return absl::OkStatus();
  report->notes.push_back(StrCat(stray.size(), " result director", stray.size() == 1 ? "y" : "ies",
                                 " of no case of this suite, not counted: ", FirstNames(stray)));
  return absl::OkStatus();
}

// Nothing is lost, so nothing is wrong; but the user may not know.
void NoteConverted(Report* report) {
  int64_t count = 0;
  std::string first;
  for (const CaseReport& c : report->cases) {
    for (const OutputReport& output : c.outputs) {
      if (output.stored_as.empty() || count++ > 0) continue;
      first = StrCat(output.name, " of ", c.id, ": '", Printable(output.stored_as), "' for ",
                     Name(output.dtype));
    }
  }
  if (count == 0) return;
  report->notes.push_back(StrCat(count, count == 1 ? " output came" : " outputs came",
                                 " as another type of elements and lost nothing when converted; ",
                                 "the first, ", first));
}

// Not refuted is less than right: what was accepted in this way, and how much it says.
void NoteEnclosed(Report* report) {
  int64_t cases = 0, outputs = 0, elements = 0, limited = 0;
  std::string first;
  for (const CaseReport& c : report->cases) {
    if (c.verdict != Verdict::kPass) continue;
    bool enclosed = false;
    for (const OutputReport& output : c.outputs) {
      if (!output.enclosure) continue;
      enclosed = true;
      ++outputs;
      elements += output.enclosure->elements;
      limited += output.enclosure->elements - output.enclosure->unlimited - output.enclosure->wide;
    }
    if (enclosed && cases++ == 0) first = c.id;
  }
  if (cases == 0) return;
  report->notes.push_back(
      StrCat(cases, cases == 1 ? " case is not refuted" : " cases are not refuted", ", the first ",
             first, ": ", outputs, outputs == 1 ? " output lies" : " outputs lie",
             " within what operators in a row may give; ", limited, " of ", elements,
             " elements are known to half of their magnitude"));
}

// The edition has cases where its own rule takes every number of an output: a right answer, and one
// that shows nothing.
void NoteUndefined(Report* report) {
  const auto is_undefined = [](const CaseReport& c) {
    return StandingOf(c) == Standing::kRight &&
           std::any_of(c.outputs.begin(), c.outputs.end(), [](const OutputReport& output) {
             return output.elements > 0 && output.limits.undefined == output.elements;
           });
  };
  const auto count = std::count_if(report->cases.begin(), report->cases.end(), is_undefined);
  if (count == 0) return;
  const auto first = std::find_if(report->cases.begin(), report->cases.end(), is_undefined);
  report->notes.push_back(StrCat(count, count == 1 ? " case passes" : " cases pass",
                                 " with any numbers, the first ", first->id,
                                 ": the specification limits no element of an output there"));
}

void NoteUndeclared(Report* report) {
  const auto is_undeclared = [](const CaseReport& c) {
    return c.verdict == Verdict::kPass && !c.declared.value_or(true);
  };
  const auto count = std::count_if(report->cases.begin(), report->cases.end(), is_undeclared);
  if (count == 0) return;
  const auto first = std::find_if(report->cases.begin(), report->cases.end(), is_undeclared);
  report->notes.push_back(StrCat(count, count == 1 ? " case passes" : " cases pass",
                                 " that no declaration covers, the first ", first->id, " (",
                                 first->beyond, "): declare it, so that its loss is noticed"));
}

std::string OneAfterAnother(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text;
}

// Cases of a profile that a declaration calls conformant, and which have no right answer. A case
// that did not run, or showed no value, contradicts no declaration. Each of these cases fails by
// itself: the finding names the declaration that it contradicts.
void FindNotAsAnnounced(Report* report) {
  std::set<std::string> who, names;
  int64_t wrong = 0, unanswered = 0;
  const CaseReport *first_wrong = nullptr, *first_unanswered = nullptr;
  for (const CaseReport& c : report->cases) {
    if (c.called_conformant_by.empty()) continue;
    const Standing standing = StandingOf(c);
    if (standing != Standing::kWrong && standing != Standing::kNotSupported) continue;
    for (const size_t i : c.called_conformant_by) {
      const DeclaredBy& each = report->declared[i];
      who.insert(Printable(each.by));
      for (const std::vector<std::string>& all_of : c.profiles) {
        if (IsCalledConformant(each.declared, all_of)) names.insert(all_of.begin(), all_of.end());
      }
    }
    const bool is_unanswered = c.verdict == Verdict::kUnsupported;
    const CaseReport*& first = is_unanswered ? first_unanswered : first_wrong;
    if (first == nullptr) first = &c;
    ++(is_unanswered ? unanswered : wrong);
  }
  if (who.empty()) return;
  const auto told = [](int64_t count, const char* how, const CaseReport* first) {
    if (count == 0) return std::string();
    return StrCat(count, count == 1 ? " case of that is " : " cases of that are ", how,
                  ", the first ", first->id);
  };
  report->findings.push_back(
      {"not_as_announced",
       StrCat("conformant according to ", OneAfterAnother(who), ": ", OneAfterAnother(names),
              "; but ", told(wrong, "wrong", first_wrong),
              wrong > 0 && unanswered > 0 ? ", and " : "",
              told(unanswered, "not answered", first_unanswered)),
       {}});
}

// The run did not ask about it: a suite for a claim has only the claim's cases.
void NoteAnnouncedAndNotAsked(Report* report) {
  std::set<std::string> asked;
  for (const CaseReport& c : report->cases) {
    for (const std::vector<std::string>& all_of : c.profiles) {
      asked.insert(all_of.begin(), all_of.end());
    }
  }
  for (const DeclaredBy& each : report->declared) {
    std::set<std::string> names;
    for (const std::string& name : each.declared.conformant) {
      if (!asked.contains(name)) names.insert(Printable(name));
    }
    if (names.empty()) continue;
    report->notes.push_back(StrCat("conformant according to ", Printable(each.by), ": ",
                                   OneAfterAnother(names), "; no case here asks about that"));
  }
}

// Counts the cases about which the text contradicts itself. They decide nothing.
void NoteDisputed(Report* report) {
  struct Counts {
    int cases = 0, expected = 0, otherwise = 0, wrong = 0;
  };
  std::map<std::string, Counts> points;
  for (const CaseReport& c : report->cases) {
    if (c.disputed.empty()) continue;
    Counts& counts = points[c.disputed];
    ++counts.cases;
    counts.expected += c.verdict == Verdict::kPass ? 1 : 0;
    counts.otherwise += c.verdict == Verdict::kDisputed ? 1 : 0;
    counts.wrong += StandingOf(c) == Standing::kWrong ? 1 : 0;
  }
  for (const auto& [point, counts] : points) {
    const int unanswered = counts.cases - counts.expected - counts.otherwise - counts.wrong;
    report->notes.push_back(StrCat(
        counts.cases,
        counts.cases == 1 ? " case is disputed and decides" : " cases are disputed and decide",
        " nothing: ", counts.expected, " answered as expected, ", counts.otherwise, " otherwise",
        unanswered > 0 ? StrCat(", ", unanswered, " not answered") : "",
        counts.wrong > 0 ? StrCat(", ", counts.wrong, " wrong where nothing is disputed") : "",
        ". The point is ", point));
  }
}

// Outcomes alone never make an implementation conformant.
void NoteNotShown(Report* report) {
  const auto count =
      std::count_if(report->cases.begin(), report->cases.end(),
                    [](const CaseReport& c) { return c.verdict == Verdict::kAccepted; });
  if (count == 0) return;
  report->notes.push_back(
      StrCat(count, count == 1 ? " case was" : " cases were",
             " accepted as legal without values: their results are unknown, and "
             "outcomes alone never make an implementation conformant"));
}

// Results that contradict run.json: they belong to another shard, or the run was of the whole
// suite.
Status FindResultsOutsideShard(const Folder& results, Report* report) {
  if (!report->run.shard) return absl::OkStatus();
  Finding finding{"outside_shard", "", {}};
  for (size_t i = 0; i < report->suite.cases.size(); ++i) {
    const std::string& id = report->suite.cases[i].id;
    if (report->run.shard->Has(i)) continue;
    Status found = results.Inside(id).status();
    if (absl::IsUnavailable(found)) return found;
    if (!absl::IsNotFound(found)) finding.cases.push_back(id);
  }
  if (finding.cases.empty()) return absl::OkStatus();
  finding.message = StrCat(finding.cases.size(), " results are there of cases outside of shard ",
                           report->run.shard->index, "/", report->run.shard->of, ", the first of ",
                           finding.cases[0], ": expected those of the shard only");
  report->findings.push_back(std::move(finding));
  return absl::OkStatus();
}

}  // namespace

Status AddNotes(const Folder& results, Report* report) {
  FindNotAsAnnounced(report);
  NoteAnnouncedAndNotAsked(report);
  NoteUndeclared(report);
  NoteDisputed(report);
  NoteNotShown(report);
  NoteConverted(report);
  NoteEnclosed(report);
  NoteUndefined(report);
  FindUnchecked(report);
  CTS_RETURN_IF_ERROR(NoteStrayDirectories(report));
  return FindResultsOutsideShard(results, report);
}

}  // namespace cts
