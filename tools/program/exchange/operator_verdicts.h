// The operators of a network, each judged on its own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/graph/graph.h"

namespace cts {

// One operator of a network, judged on its own: its result is judged by the inputs that the
// implementation itself computed for it.
struct OperatorVerdict {
  enum class Kind {
    kPass,
    kFail,
    kMissing,    // its inputs or its results were not handed over
    kNotJudged,  // the reference cannot say
  };
  std::string op;       // "operator 3 of the graph, CONV2D"
  size_t position = 0;  // of the operator in the main block
  Kind kind = Kind::kPass;
  std::string message;  // why not kPass
  // For the first operator that fails: the operator as a case, and the implementation's result.
  std::shared_ptr<const CheckedCase> failure = nullptr;
  std::vector<OutputReport> outputs = {};  // of the judged outputs
};

// Reads the implementation's values of a tensor; kNotFound if it did not hand the tensor over.
using ReadIntermediate = std::function<StatusOr<Tensor>(const GraphTensor& tensor, int execution)>;

// The operators of the main block in their order, execution by execution.
// Errors: a given tensor that cannot be read.
StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read);

}  // namespace cts
