// Groups failures that look alike into causes, the costliest cause first. Failures look alike if
// they have the same operator and the same clause or, without a clause, the same words. Accepted
// illegal graphs look alike if they break the same condition, even with different operators.
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

// The kinds of failures, the costliest first.
enum class CauseKind {
  kWrongValues,
  kNoResult,  // missing, malformed, or an answer that breaks the protocol
  kCrash,     // a crash or a timeout
  kRefused,   // a legal graph was refused, or a declared case is unsupported
  kAccepted,  // an illegal graph was accepted
  kNotOwed,   // a failure on an illegal graph; no declaration includes the case
  kNotRun,
};

// The properties that the cases of one cause have in common.
struct CauseKey {
  CauseKind kind = CauseKind::kWrongValues;
  // Whether the cases are graphs of several operators, and no operator of them is known to be
  // wrong.
  bool graphs = false;
  // Whether several operators of these graphs also fail in the same way in cases of their own. Then
  // `op` is the first of these operators.
  bool fail_alone = false;
  // Empty if the cause joins cases of all operators, such as accepted illegal graphs.
  std::string op;
  Verdict verdict = Verdict::kFail;
  std::string gist;  // the words by which failures are alike, such as the clause or the condition

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about generated code.
  friend auto operator<=>(const CauseKey&, const CauseKey&) = default;
};

struct Cause : CauseKey {
  std::vector<const CaseReport*> cases;  // at least one, in the order of Failures; see of_graphs
  std::map<std::string, int> types;      // TypeOf -> number of cases, without the cases of AddGraph
  // The number of cases of AddGraph. If all cases are of one report, these cases are the last of
  // `cases`.
  size_t of_graphs = 0;
  std::set<std::string> operators;  // the operators of the cases, without those of AddGraph
  // (operator, mode of the type row) for each case, without the cases of AddGraph.
  std::set<std::pair<std::string, std::string>> rows;

  void Add(const CaseReport& c);
  // Adds a graph of several operators. Among these operators, only `op` also fails in cases of its
  // own.
  void AddGraph(const CaseReport& c);
  // Whether all cases are on illegal graphs.
  bool OnIllegalGraphs() const;
};

// Returns the causes of all cases that are wrong or did not run. Every such case has exactly one
// cause. If one operator of a graph is known to be wrong, the graph counts for that operator.
// Otherwise, if exactly one operator of the graph fails in the same way in cases of its own, the
// graph counts for the costliest cause of those cases.
std::vector<Cause> CausesOf(const Report& report);

// Whether cause `a` comes before cause `b`. The costlier kind comes first, then single operators
// before graphs of several, then the cause with more operators, more type rows, more cases. A cause
// whose cases are all crashes and the like on illegal graphs comes just before accepted illegal
// graphs.
bool CostsMore(const Cause& a, const Cause& b);

// The failures of a report in the order of their causes, then the remaining ones in the order of
// Failures.
std::vector<const CaseReport*> FailuresByCause(const Report& report);

// "ADD", "ADD in graphs of several operators", "22 operators".
std::string SubjectOf(const Cause& cause);
// "ADD, fail", "graph.type_row accepted: 22 operators".
std::string TitleOf(const Cause& cause);
// ", perhaps with 29 graphs that contain it (`which` can tell)"; `which` is a command of
// tensor-cts. Empty if `of_graphs` is 0.
std::string GraphsText(size_t of_graphs);
// The clause, or the message of the first case; figures of the message are kept, unlike in Gist.
std::string WordsOf(const Cause& cause);

// Replaces words of a message that differ from case to case by "#": figures, file names and the
// case's id. Only the first 300 bytes of the message count.
std::string Gist(std::string_view message, std::string_view case_id);

}  // namespace cts
