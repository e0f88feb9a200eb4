#include "checker/report/causes.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>

#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr size_t kMaxGist = 300;

// A word that names a place or a number: "/tmp/x", "0x3f", "-1.5e-3,", "[1,2]", "line12".
bool Differs(std::string_view word) {
  return word.find('/') != std::string_view::npos ||
         std::any_of(word.begin(), word.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// "rule ulp: clause". The clause of a dot product ends with the figures of this one.
std::string ClauseOf(const OutputReport& output) {
  const std::string& clause = output.rule.clause;
  return StrCat("rule ", Name(output.rule.kind), ": ",
                Printable(clause.substr(0, clause.find(": KS = "))));
}

CauseKind KindOf(const CaseReport& c) {
  if (StandingOf(c) == Standing::kNotRun) return CauseKind::kNotRun;
  if (OnIllegalGraph(c) && !c.declared.value_or(true)) return CauseKind::kNotOwed;
  switch (c.verdict) {
    case Verdict::kFail:
      return CauseKind::kWrongValues;
    case Verdict::kCrash:
    case Verdict::kTimeout:
      return CauseKind::kCrash;
    case Verdict::kWrongOutcome:
      return OnIllegalGraph(c) ? CauseKind::kAccepted : CauseKind::kRefused;
    case Verdict::kUnsupported:
      return CauseKind::kRefused;
    default:
      return CauseKind::kNoResult;
  }
}

// Returns the text by which failures are alike. A value is refused by a clause, whatever the value
// is.
std::string GistOf(const CaseReport& c) {
  const OutputReport* const output = DecidingOutput(c);
  if (c.verdict == Verdict::kFail && output != nullptr) return ClauseOf(*output);
  return Gist(c.message, c.id);
}

bool IsOfSeveral(const CaseReport& c) { return !c.graph.empty() && c.wrong_operator.empty(); }

const std::string& OperatorOf(const CaseReport& c) {
  return c.wrong_operator.empty() ? c.op : c.wrong_operator;
}

// Operators that fail by themselves, and how. A failure on an illegal graph says nothing of legal
// ones.
using Alone = std::set<std::pair<CauseKind, std::string>>;

bool FailsOnLegalGraph(const CaseReport& c) {
  return KindOf(c) <= CauseKind::kRefused && !OnIllegalGraph(c);
}

Alone FailAlone(const std::vector<const CaseReport*>& failures) {
  Alone alone;
  for (const CaseReport* c : failures) {
    if (!IsOfSeveral(*c) && FailsOnLegalGraph(*c)) alone.emplace(KindOf(*c), OperatorOf(*c));
  }
  return alone;
}

// The operators of a graph that fail by themselves in the same way.
std::vector<std::string> Suspects(const CaseReport& c, const Alone& alone) {
  std::vector<std::string> suspects;
  if (!IsOfSeveral(c) || !FailsOnLegalGraph(c)) return suspects;
  std::copy_if(c.graph.begin(), c.graph.end(), std::back_inserter(suspects),
               [&](const std::string& op) {
                 return alone.contains({KindOf(c), op});
               });
  return suspects;
}

CauseKey KeyOf(const CaseReport& c, const Alone& alone) {
  CauseKey key{.kind = KindOf(c), .op = OperatorOf(c), .verdict = c.verdict};
  switch (key.kind) {
    case CauseKind::kNoResult:
    case CauseKind::kCrash:
    case CauseKind::kAccepted:
      if (!OnIllegalGraph(c) || c.condition.empty()) break;
      key.op.clear();
      key.gist = Printable(c.condition);
      return key;
    case CauseKind::kNotOwed:
      return {.kind = key.kind, .verdict = Verdict::kWrongOutcome, .gist = "illegal graphs"};
    case CauseKind::kNotRun:
      return key;
    default:
      break;
  }
  key.graphs = IsOfSeveral(c);
  if (const std::vector<std::string> suspects = Suspects(c, alone); !suspects.empty()) {
    key.fail_alone = true;
    key.op = suspects.front();
    key.gist = "graphs with ";
    for (const std::string& op : suspects) {
      key.gist += StrCat(op == suspects.front() ? "" : " and ", Printable(op));
    }
    key.gist += ", which fail by themselves, too";
    return key;
  }
  key.gist = GistOf(c);
  return key;
}

// Crashes on illegal graphs cost less than anything on legal ones.
int RankOf(const Cause& cause) {
  const bool late = cause.kind < CauseKind::kAccepted && cause.OnIllegalGraphs();
  return 2 * static_cast<int>(late ? CauseKind::kAccepted : cause.kind) - (late ? 1 : 0);
}

}  // namespace

std::string Gist(std::string_view message, std::string_view case_id) {
  std::string text = Printable(message.substr(0, kMaxGist));
  if (!case_id.empty()) {
    for (size_t at = text.find(case_id); at != std::string::npos; at = text.find(case_id, at)) {
      text.replace(at, case_id.size(), "#");
    }
  }
  std::string gist;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    if (!gist.empty()) gist += ' ';
    if (!Differs(word)) {
      gist += word;
    } else {
      gist += '#';
      const std::string_view last = word.substr(word.size() - 1);
      if (last == "," || last == ";" || last == ":" || last == ")") gist += last;
    }
    at = end + 1;
  }
  return gist;
}

bool Cause::OnIllegalGraphs() const {
  return std::all_of(cases.begin(), cases.end(),
                     [](const CaseReport* c) { return OnIllegalGraph(*c); });
}

void Cause::Add(const CaseReport& c) {
  cases.push_back(&c);
  ++types[TypeOf(c)];
  operators.insert(OperatorOf(c));
  rows.emplace(c.op, c.mode);
}

void Cause::AddGraph(const CaseReport& c) {
  cases.push_back(&c);
  ++of_graphs;
}

bool CostsMore(const Cause& a, const Cause& b) {
  const auto cost = [](const Cause& cause) {
    return std::tuple(-RankOf(cause), !cause.graphs, cause.operators.size(), cause.rows.size(),
                      cause.cases.size());
  };
  return cost(a) > cost(b);
}

std::vector<Cause> CausesOf(const Report& report) {
  std::vector<const CaseReport*> failures = Failures(report);
  std::erase_if(failures, [](const CaseReport* c) {
    const Standing standing = StandingOf(*c);
    return standing != Standing::kWrong && standing != Standing::kNotRun;
  });
  const Alone alone = FailAlone(failures);
  std::vector<Cause> causes;
  std::map<CauseKey, size_t> known;
  std::vector<const CaseReport*> graphs_of_one;
  for (const CaseReport* c : failures) {
    if (Suspects(*c, alone).size() == 1) {
      graphs_of_one.push_back(c);
      continue;
    }
    const auto [found, is_new] = known.try_emplace(KeyOf(*c, alone), causes.size());
    if (is_new) static_cast<CauseKey&>(causes.emplace_back()) = found->first;
    causes[found->second].Add(*c);
  }
  std::stable_sort(causes.begin(), causes.end(), CostsMore);
  for (const CaseReport* c : graphs_of_one) {
    const std::string op = Suspects(*c, alone).front();
    std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
      return !cause.graphs && cause.kind == KindOf(*c) && cause.op == op &&
             !cause.OnIllegalGraphs();
    })->AddGraph(*c);
  }
  return causes;
}

std::vector<const CaseReport*> FailuresByCause(const Report& report) {
  std::vector<const CaseReport*> failures;
  for (const Cause& cause : CausesOf(report)) {
    failures.insert(failures.end(), cause.cases.begin(), cause.cases.end());
  }
  for (const CaseReport* c : Failures(report)) {
    const Standing standing = StandingOf(*c);
    if (standing != Standing::kWrong && standing != Standing::kNotRun) failures.push_back(c);
  }
  return failures;
}

std::string SubjectOf(const Cause& cause) {
  if (cause.fail_alone) return cause.gist;
  if (cause.graphs) return StrCat(Printable(cause.op), " in graphs of several operators");
  if (!cause.op.empty()) return Printable(cause.op);
  if (cause.operators.size() == 1) return Printable(*cause.operators.begin());
  return StrCat(cause.operators.size(), " operators");
}

std::string TitleOf(const Cause& cause) {
  if (cause.kind == CauseKind::kNotOwed) {
    return StrCat("illegal graphs, for which no error is owed: ", SubjectOf(cause));
  }
  if (cause.kind == CauseKind::kAccepted && cause.IsOfCondition()) {
    return StrCat(cause.gist, " accepted: ", SubjectOf(cause));
  }
  if (cause.IsOfCondition()) {
    return StrCat(cause.gist, ", ", Words(Name(cause.verdict)), ": ", SubjectOf(cause));
  }
  return StrCat(SubjectOf(cause), ", ", Words(Name(cause.verdict)));
}

std::string GraphsText(size_t of_graphs) {
  if (of_graphs == 0) return "";
  return StrCat(", perhaps with ", of_graphs,
                of_graphs == 1 ? " graph that contains it" : " graphs that contain it",
                " (`which` can tell)");
}

std::string WordsOf(const Cause& cause) {
  const CaseReport& first = *cause.cases.front();
  const OutputReport* const output = DecidingOutput(first);
  if (cause.verdict == Verdict::kFail && output != nullptr) return ClauseOf(*output);
  return StrCat(cause.IsOfCondition() ? "for example " : "", Printable(first.message));
}

}  // namespace cts
