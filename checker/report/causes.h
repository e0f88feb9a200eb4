// Failures that look alike, in the order of what they cost: they have the same operator, the same
// clause or condition, and the same words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/report.h"

namespace cts {

// The kinds of failures, those that cost most first.
enum class CauseKind {
  kWrongValues,
  kNoResult,  // missing, malformed, or an answer that breaks the protocol
  kCrash,     // or a timeout
  kRefused,   // a legal graph, or any that is declared
  kAccepted,  // an illegal graph
  kNotOwed,   // an illegal graph, where a declaration says that no error is owed for them
  kNotRun,
};

// What the cases of one cause have in common.
struct CauseKey {
  CauseKind kind = CauseKind::kWrongValues;
  // Graphs of several operators, of which none is known to be the wrong one.
  bool graphs = false;
  // They have several operators that fail by themselves in the same report; `op` is the first.
  bool fail_alone = false;
  std::string op;  // empty where the condition is the same, whatever the operator
  Verdict verdict = Verdict::kFail;
  std::string gist;  // the clause, the condition, or the message without its figures

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about what is generated.
  friend auto operator<=>(const CauseKey&, const CauseKey&) = default;
};

struct Cause : CauseKey {
  std::vector<const CaseReport*> cases;  // at least one, in the order of Failures
  std::map<std::string, int> types;      // TypeOf -> cases
  // How many of the cases are graphs of several operators, of which only `op` fails by itself. In
  // the causes of one report they stand last.
  size_t of_graphs = 0;
  std::set<std::string> operators;                     // of the cases
  std::set<std::pair<std::string, std::string>> rows;  // operators with their type rows

  void Add(const CaseReport& c);
  // Adds a graph of which only `op` fails by itself.
  void AddGraph(const CaseReport& c);
  // Whether all its cases are on illegal graphs. In a comparison they are of several reports.
  bool OnIllegalGraphs() const;
};

// Returns the causes of all failures except unsupported cases. Every failure has exactly one cause.
// A graph counts for the operator that is known to be wrong. If none is known, it counts for the
// only one of its operators that fails by itself in the same report and way: in the gravest cause.
std::vector<Cause> CausesOf(const Report& report);

// Whether a cause stands before another: its kind costs more, it hits more operators, or more type
// rows, or more cases. Within a kind, single operators come before graphs of several. Crashes and
// the like on illegal graphs alone come before illegal graphs that were accepted.
bool CostsMore(const Cause& a, const Cause& b);

// The failures of a report in the order of their causes, then the other ones of Failures.
std::vector<const CaseReport*> FailuresByCause(const Report& report);

// "ADD", "ADD in graphs of several operators", "22 operators".
std::string SubjectOf(const Cause& cause);
// "ADD, fail", "graph.type_row accepted: 22 operators".
std::string TitleOf(const Cause& cause);
// ", perhaps with 29 graphs that contain it (`which` can tell)"; empty without graphs.
std::string GraphsText(size_t of_graphs);
// The clause, or the message of the first case, with its figures.
std::string WordsOf(const Cause& cause);

// A message without what differs from case to case: figures, file names and the case's id are "#".
std::string Gist(std::string_view message, std::string_view case_id);

}  // namespace cts
