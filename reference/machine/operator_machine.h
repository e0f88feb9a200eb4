// The interface of machines that compute the operators of a graph, and the known values of the
// tensors while the graph runs.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"
#include "reference/precision/precision.h"

namespace cts {

using TensorValues = std::map<std::string, std::shared_ptr<const Tensor>>;
using Answers = std::map<std::string, std::shared_ptr<RuledAnswer>>;

// The value and the answer of one tensor, for copying them from one block to another. A pointer is
// null if the value or the answer is not known. `open`: whether the tensor is in Frame::open.
struct KnownTensor {
  std::shared_ptr<const Tensor> value;
  std::shared_ptr<RuledAnswer> answer;
  bool open = false;
};

// The tensors of one block while the block runs. If the rule of a result allows a range of values,
// the result has an answer but no value.
struct Frame {
  TensorValues values;
  Answers answers;  // only in reference runs: the answers of operators' results
  // The open tensors: tensors of which only type and shape are known. Open tensors are results of
  // CUSTOM, and of other operators that the reference does not compute.
  std::set<std::string> open;

  KnownTensor Get(const std::string& name) const {
    const auto value = values.find(name);
    const auto answer = answers.find(name);
    return {value == values.end() ? nullptr : value->second,
            answer == answers.end() ? nullptr : answer->second, open.contains(name)};
  }
  void Put(const std::string& name, const KnownTensor& known) {
    if (known.value != nullptr) values[name] = known.value;
    if (known.answer != nullptr) answers[name] = known.answer;
    if (known.open) open.insert(name);
  }
};

class EnclosedOperands;

// Computes the operators of a graph.
class OperatorMachine {
 public:
  virtual ~OperatorMachine() = default;

  // Computes the operator's outputs and stores them in `frame`. Returns the id of a REQUIRE that
  // the data broke, or an empty text if the data broke no REQUIRE.
  virtual StatusOr<std::string_view> Compute(const Operator& op, const Call& call,
                                             Frame& frame) = 0;

  // Computes enclosures (intervals that contain every acceptable value) of the results of an
  // operator, and stores them in `frame`. Some operands of the operator have answers but no values;
  // in `call`, all elements of these operands are 1. Returns an empty text, or the reason if the
  // machine cannot compute the enclosures.
  virtual StatusOr<std::string> Enclose(const Operator& op, const Call& call,
                                        const EnclosedOperands& operands, const GraphOperator& node,
                                        const std::string& place, Frame& frame) {
    (void)op, (void)call, (void)operands, (void)node, (void)place, (void)frame;
    return std::string("the reference goes on from exact results only");
  }
  // Whether the machine can compute enclosures.
  virtual bool encloses() const { return false; }

  // If control flow runs a graph, Enter is called before the graph is executed, and Leave
  // afterwards. The results of the graph become the tensors `outputs`.
  virtual void Enter(const std::vector<std::string>& outputs, const Block& graph) {
    (void)outputs, (void)graph;
  }
  virtual void Leave() {}

  // Describes the values that broke the REQUIRE `broken` in Compute.
  virtual std::string Describe(const Operator& op, const Call& call, std::string_view broken) {
    (void)op, (void)call, (void)broken;
    return "broken by the data";
  }

  // The departure of the implementation (departure.h); null if the implementation has no departure.
  virtual const Departure* departure() const { return nullptr; }
};

}  // namespace cts
