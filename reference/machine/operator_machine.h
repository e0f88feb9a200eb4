// The machine that computes the operators of a graph, and the known values of the tensors while the
// graph runs.
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

// The value and the answer of one tensor, as passed from one block to another.
struct KnownTensor {
  std::shared_ptr<const Tensor> value;
  std::shared_ptr<RuledAnswer> answer;
  bool open = false;
};

// The tensors of one block while it runs. A result that is judged with a bound has an answer but no
// value.
struct Frame {
  TensorValues values;
  Answers answers;  // for reference runs: the answers of operators' results
  // The open tensors, of which only type and shape are known. They are results of CUSTOM or of
  // other operators that the reference does not compute.
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

  // Computes the operator's outputs into the frame. Returns the id of a REQUIRE that the data
  // broke, or an empty text.
  virtual StatusOr<std::string_view> Compute(const Operator& op, const Call& call,
                                             Frame& frame) = 0;

  // Computes enclosures of the results of an operator whose operands have answers but no values,
  // and puts them into the frame. In `call` all elements of these operands are 1. Returns the
  // reason if there are no enclosures, otherwise an empty text.
  virtual StatusOr<std::string> Enclose(const Operator& op, const Call& call,
                                        const EnclosedOperands& operands, const GraphOperator& node,
                                        const std::string& place, Frame& frame) {
    (void)op, (void)call, (void)operands, (void)node, (void)place, (void)frame;
    return std::string("the reference goes on from exact results only");
  }
  // Whether Enclose can compute enclosures.
  virtual bool encloses() const { return false; }

  // Enter is called before, and Leave after, the execution of a graph that control flow runs. The
  // results of the graph become the tensors `outputs`.
  virtual void Enter(const std::vector<std::string>& outputs, const Block& graph) {
    (void)outputs, (void)graph;
  }
  virtual void Leave() {}

  // Returns a text that says which values broke a REQUIRE in Compute.
  virtual std::string Describe(const Operator& op, const Call& call, std::string_view broken) {
    (void)op, (void)call, (void)broken;
    return "broken by the data";
  }

  // The implementation's departure; null if there is none.
  virtual const Departure* departure() const { return nullptr; }
};

}  // namespace cts
