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

// Gives a case to the implementation and judges its answer. nullopt: it was interrupted.
using Trial = std::function<StatusOr<std::optional<CheckedCase>>(const Case&)>;

struct ShrinkOptions {
  int max_runs = 1000;
  int repeats = 3;  // of the given case
  // Called after every run.
  std::function<void(int runs)> progress = {};
};

// The attempts of one way.
struct ShrinkStep {
  std::string what;   // "dimensions"
  int runs = 0;       // of the implementation
  int kept = 0;       // the runs that failed in the same way
  int undefined = 0;  // not run: the reference calls them neither valid nor an error for one reason
};

struct Shrunk {
  Case smallest;
  CheckedCase failure;  // the implementation's result, judged
  std::string kind;
  CaseSize before, after;
  std::vector<ShrinkStep> steps;
  int runs = 0;
  bool limit_reached = false;  // the limit of runs: the case might become smaller still
  bool interrupted = false;
  bool statistics_only =
      false;  // only the statistics of many results fail; the case stays unchanged
};

class Search {
 public:
  Search(const Edition& edition, const Level& level, const Trial& trial,
         const ShrinkOptions& options)
      : edition_(edition), level_(level), trial_(trial), options_(options) {}

  // Runs the unchanged case the requested number of times.
  Status Start(const Case& given);
  // The smallest case so far.
  StatusOr<Shrunk> Finish();

  // Counts what `step` tries under this name.
  void Step(const std::string& what, void (*step)(Search&));

  // Whether the search has ended.
  bool Over() const { return interrupted_ || limit_reached_ || !error_.ok(); }
  // Whether only the statistics of many results fail: then no element can be left out.
  bool statistics_only() const { return statistics_only_; }

  const Edition& edition() const { return edition_; }
  const Level& level() const { return level_; }
  const Case& best() const { return best_; }
  const CaseSize& size() const { return size_; }

  // Whether a smaller case fails in the same way; if so, it becomes the best.
  bool Try(Case candidate);

  // Infers the shapes of the tensors that the operators of the main block compute. Shapes that only
  // the surroundings of a tensor determine stay as they were.
  bool Infer(Case& c) const;

  // An element of the best case's outputs.
  struct Element {
    size_t output = 0;
    int64_t offset = 0;
  };
  // Elements to keep: the wrong ones; if no wrong one is known (a crash), those at both ends.
  std::vector<Element> ElementsToKeep() const;
  // The elements of the inputs and constants from which an element was computed: offsets by tensor.
  std::map<std::string, std::set<int64_t>> ReadFor(const Element& element) const;
  // Inputs and constants from which elements can be left out.
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
  std::set<std::string> tried_;  // digests
  std::vector<ShrinkStep> steps_;
  size_t step_ = 0;
  int runs_ = 0;
  bool limit_reached_ = false, interrupted_ = false, statistics_only_ = false;
  Status error_;
};

}  // namespace cts
