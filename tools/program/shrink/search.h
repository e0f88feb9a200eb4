// The search for the smallest case: the candidates, the implementation's answers to them, and the
// best case so far.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/spec/edition.h"
#include "tools/program/shrink/case_size.h"

namespace cts {

// Runs the implementation on a case and judges its answer. nullopt if the run was interrupted.
using Trial = std::function<StatusOr<std::optional<CheckedCase>>(const Case&)>;

struct ShrinkOptions {
  int max_runs = 1000;
  int repeats = 3;  // how often the given case runs
  // Called after every run with the number of runs so far.
  std::function<void(int runs)> progress = {};
};

// The attempts of one kind of step.
struct ShrinkStep {
  std::string what;  // "dimensions"
  int runs = 0;      // runs of the implementation
  int kept = 0;      // runs that failed in the same way, so that the smaller case was kept
  // Candidates that were not run because, by the reference, they have no outcome, another outcome
  // than the case, or other broken conditions.
  int undefined = 0;
};

struct Shrunk {
  Case smallest;
  CheckedCase failure;  // the smallest case with the implementation's result, judged
  std::string kind;     // the kind of the failure (failure_kind.h)
  CaseSize before, after;
  std::vector<ShrinkStep> steps;
  int runs = 0;
  bool limit_reached = false;  // max_runs was reached; the case might become still smaller
  bool interrupted = false;
  // Only a statistic over many results fails, and no single result, so the case stays unchanged.
  bool statistics_only = false;
};

class Search {
 public:
  Search(const Edition& edition, const Level& level, const Trial& trial,
         const ShrinkOptions& options)
      : edition_(edition), level_(level), trial_(trial), options_(options) {}

  // Runs the unchanged case ShrinkOptions::repeats times.
  Status Start(const Case& given);
  // Ends the search and returns the smallest case so far.
  StatusOr<Shrunk> Finish();

  // Runs `step`, and counts its attempts under the name `what`.
  void Step(const std::string& what, void (*step)(Search&));

  // Whether the search has ended.
  bool Over() const { return interrupted_ || limit_reached_ || !error_.ok(); }
  // Whether only a statistic over many results fails, and no single result. No element of such a
  // case can be left out.
  bool statistics_only() const { return statistics_only_; }

  const Edition& edition() const { return edition_; }
  const Level& level() const { return level_; }
  const Case& best() const { return best_; }
  const CaseSize& size() const { return size_; }

  // Tries a candidate. Returns whether the candidate is smaller than the best case and fails in the
  // same way. If so, the candidate becomes the best case.
  bool Try(Case candidate);

  // Infers the shapes of the tensors that the operators of the main block compute. Shapes that
  // cannot be inferred from the operator, such as those of control flow and variables, stay
  // unchanged. Returns false if the shapes of an operator are illegal.
  bool Infer(Case& c) const;

  // An element of the best case's outputs.
  struct Element {
    size_t output = 0;
    int64_t offset = 0;
  };
  // Returns the output elements to keep: of the first output with wrong elements, the first, the
  // worst and the last wrong element. If no wrong element is known, as after a crash, returns the
  // first and the last element of the first output.
  std::vector<Element> ElementsToKeep() const;
  // Returns the elements of inputs and constants from which `element` was computed: their offsets,
  // by the name of the tensor.
  std::map<std::string, std::set<int64_t>> ReadFor(const Element& element) const;
  // Returns the names of the inputs and constants from which elements can be left out.
  std::vector<std::string> Leaves() const;

 private:
  size_t StepNamed(const std::string& what);
  StatusOr<std::optional<CheckedCase>> RunOnce(const Case& c);
  bool Answer(Case& c) const;
  void NameOperator(Case& c) const;
  // The first output with an element that the rule refuses.
  const OutputReport* FailingOutput() const;

  const Edition& edition_;
  const Level& level_;
  const Trial& trial_;
  const ShrinkOptions& options_;

  Case best_;
  CheckedCase failure_;  // of best_
  CaseSize before_, size_;
  std::string kind_;
  std::set<std::string> tried_;  // digests of the candidates
  std::vector<ShrinkStep> steps_;
  size_t step_ = 0;
  int runs_ = 0;
  bool limit_reached_ = false, interrupted_ = false, statistics_only_ = false;
  Status error_;
};

}  // namespace cts
