// Finds the wrong operator of a network: each operator runs alone and is judged by its own rule.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/run/run_options.h"

namespace cts {

struct WhichOptions {
  std::filesystem::path suite;  // a suite with one network, as `import` wrote it; or with several,
                                // one of which `id` selects
  std::string id;  // the id of the network's case; may be empty if the suite has one case
  std::filesystem::path out;  // a new folder: a suite and results for each operator that ran
  RunOptions run;             // the implementation; FindWrongOperator sets `suite` and `out`
  bool all = false;           // continue after the first wrong operator
  // Called before each operator.
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, the search ends with an error
};

struct OperatorAlone {
  size_t position = 0;  // the operator's position in the main block
  std::string op;       // "CONV2D"
  std::string makes;    // "conv_1": its first output
  enum class Kind {
    kRight,
    kWrong,
    // Operators that read this operator's result get the reference's result instead.
    kNotSupported,
    // Either the operator is illegal, unpredictable, disputed or unchecked; or the implementation
    // showed no values; or an input is missing.
    kNotJudged,
  };
  Kind kind = Kind::kNotJudged;
  std::string message;            // a line; for kRight the size of the error
  std::filesystem::path results;  // OUT/003-conv2d/results; empty if the operator did not run
  std::string id;                 // of the operator's case, in the suite beside `results`
};

struct Which {
  // In the network's order. The list ends with the first wrong operator, unless WhichOptions::all
  // is set.
  std::vector<OperatorAlone> operators;
  size_t total = 0;  // the number of operators of the network
  // The first wrong operator; null if no operator is wrong.
  const OperatorAlone* FirstWrong() const;
  size_t Count(OperatorAlone::Kind kind) const;
};

// Errors: an unknown case; a case whose operators cannot run alone (an illegal or symbolic graph,
// variables, several executions); an implementation that does not start.
StatusOr<Which> FindWrongOperator(const WhichOptions& options);

}  // namespace cts
