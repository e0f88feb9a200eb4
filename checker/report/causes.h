// A cause is a group of failures that look alike. The costliest cause comes first (CostsMore).
// Failures look alike if they have the same operator and the same clause or, without a clause, the
// same words. Failures on illegal graphs look alike if the graphs break the same condition, even
// with different operators, and the verdict is the same.
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

// The kinds of failures. The costliest kind comes first.
enum class CauseKind {
  kWrongValues,
  kNoResult,  // a missing or malformed result, or an answer that breaks the protocol
  kCrash,     // a crash or a timeout
  kRefused,   // a legal graph was refused, or a declared case is unsupported
  kAccepted,  // an illegal graph was accepted
  kNotOwed,   // a failure on an illegal graph that no declaration includes
  kNotRun,
};

// The properties that the cases of one cause have in common.
struct CauseKey {
  CauseKind kind = CauseKind::kWrongValues;
  // Whether the cases are graphs of several operators, of which no operator is known to be wrong.
  bool graphs = false;
  // Whether several operators of these graphs also fail in the same way in cases of their own. If
  // true, `op` is the first of these operators.
  bool fail_alone = false;
  // The operator; empty if the cause joins cases of all operators, such as accepted illegal graphs.
  std::string op;
  Verdict verdict = Verdict::kFail;
  // The words that the failures have in common, such as the clause or the condition.
  std::string gist;

  // Whether the cases are illegal graphs of all operators that break the condition `gist`.
  bool IsOfCondition() const { return op.empty() && kind != CauseKind::kNotOwed; }

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about generated code.
  friend auto operator<=>(const CauseKey&, const CauseKey&) = default;
};

struct Cause : CauseKey {
  // At least one, in the order of Failures (report.h); see `of_graphs`.
  std::vector<const CaseReport*> cases;
  // The result of TypeOf -> the number of cases, without those that AddGraph added.
  std::map<std::string, int> types;
  // The number of cases that AddGraph added. In the result of CausesOf, they are the last elements
  // of `cases`.
  size_t of_graphs = 0;
  // The operators of the cases, without the cases that AddGraph added.
  std::set<std::string> operators;
  // (operator, mode of the type row) of each case, without the cases that AddGraph added.
  std::set<std::pair<std::string, std::string>> rows;

  void Add(const CaseReport& c);
  // Adds a case with a graph of several operators. Among these operators, only `op` also fails in
  // cases of its own.
  void AddGraph(const CaseReport& c);
  // Whether the graphs of all cases are illegal.
  bool OnIllegalGraphs() const;
};

// Returns the causes of all cases that are wrong or did not run. Every such case has exactly one
// cause. If one operator of a graph is known to be wrong, the graph belongs to a cause of that
// operator. If no operator is known to be wrong, but exactly one operator of the graph fails in the
// same way in cases of its own, the graph belongs to the costliest cause of those cases.
std::vector<Cause> CausesOf(const Report& report);

// Whether cause `a` comes before cause `b`. The costlier kind comes first. Within a kind, single
// operators come before graphs of several operators. Within each of these groups, the
// cause whose cases have more different operators comes first; among equals, the one with more type
// rows; among equals again, the one with more cases. A cause whose cases all have
// illegal graphs, for example crashes, comes just before accepted illegal graphs.
bool CostsMore(const Cause& a, const Cause& b);

// The failures of a report: first those with a cause, in the order of their causes, then the other
// failures in the order of Failures.
std::vector<const CaseReport*> FailuresByCause(const Report& report);

// "ADD", "ADD in graphs of several operators", "22 operators".
std::string SubjectOf(const Cause& cause);
// "ADD, fail", "graph.type_row accepted: 22 operators".
std::string TitleOf(const Cause& cause);
// ", perhaps with 29 graphs that contain it (`which` can tell)"; `which` is a command of
// tensor-cts. The text is empty if `of_graphs` is 0.
std::string GraphsText(size_t of_graphs);
// The clause or, without a clause, the message of the first case. Unlike Gist, this function keeps
// the figures in the message. For a condition the text begins with "for example ", because other
// cases have other messages.
std::string WordsOf(const Cause& cause);

// Replaces words of a message that differ from case to case by "#": figures, file names and the
// case's id. Only the first 300 bytes of the message count.
std::string Gist(std::string_view message, std::string_view case_id);

}  // namespace cts
