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

// The verdict on one operator of a network. The reference computes the operator from the
// implementation's own values of its inputs, and the implementation's result is compared with the
// reference's result.
struct OperatorVerdict {
  enum class Kind {
    kPass,
    kFail,
    kMissing,    // the implementation did not provide the operator's inputs or its results
    kNotJudged,  // the reference has no answer
  };
  std::string op;       // "operator 3 of the graph, CONV2D"
  size_t position = 0;  // the operator's position in the main block
  Kind kind = Kind::kPass;
  std::string message;  // the reason if `kind` is not kPass
  // For the first operator that fails: the operator as a case, and the implementation's result.
  std::shared_ptr<const CheckedCase> failure = nullptr;
  std::vector<OutputReport> outputs = {};  // one for each judged output
};

// Reads the implementation's values of a tensor; kNotFound if the implementation did not provide
// the tensor.
using ReadIntermediate = std::function<StatusOr<Tensor>(const GraphTensor& tensor, int execution)>;

// Judges the operators of the main block in their order, execution by execution. Errors: a tensor
// that the implementation provided cannot be read.
StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read);

}  // namespace cts
