// One execution of a graph by a machine that computes its operators.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/evaluate/operator_machine.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The most executions of the graphs of COND_IF and WHILE_LOOP in one execution of the whole (a loop
// that does nothing else has 16383 iterations of two graphs).
inline constexpr int64_t kMaxGraphExecutions = 1 << 15;

// The variables of a graph. They outlive an execution.
struct Variables {
  std::map<std::string, Variable> known;  // by name or uid
  Answers answers;                        // of those written with what has no one value
};

// One execution of a graph: its main block and, by control flow, others.
class Execution {
 public:
  Execution(const Graph& graph, const Edition& edition, const Level& level, Variables& variables,
            OperatorMachine& machine)
      : graph_(graph), edition_(edition), level_(level), variables_(variables), machine_(machine) {}

  // Runs the main block over its inputs. Stops at the first operator with a violation, and at one
  // that the reference cannot execute. An error if it depends on a value that is not known.
  Status Run(const ExecutionInputs& inputs);

  const Frame& frame() const { return frame_; }
  const std::vector<Violation>& violations() const { return violations_; }
  const std::string& unsupported() const { return unsupported_; }
  // An output of the main block. An error if its values are not known.
  StatusOr<std::shared_ptr<const Tensor>> Output(const std::string& name) const;

 private:
  bool Stopped() const { return !violations_.empty() || !unsupported_.empty(); }

  // Whether a departure misses that a shape leaves the graph. It is asked about the operator that
  // yields the shape.
  bool IsOverlooked(const Block& block, const std::string& shape) const;
  // Checks the graph as a whole, before anything of its size is allocated.
  void CheckBlock(const Block& block);
  void CheckSize(const std::string& name, DType dtype, const Shape& shape,
                 const std::string& where);
  // Runs a symbolic program: each operator gets its shapes and parameters from the results of those
  // before it, and is run at once.
  Status RunSymbolic(const std::map<std::string, Tensor>& inputs, const Binding& binding);
  Status RunBlock(const Block& block, Frame& frame, int64_t nesting);
  Status RunOperator(const Block& block, size_t position, Frame& frame, int64_t nesting);
  // An operator of which an operand, `unknown` for one, is known within bounds only.
  Status RunEnclosed(const Operator& op, const OperatorSpec& spec, const Block& block,
                     const GraphOperator& node, const std::string& where,
                     const GraphTensor& unknown, Frame& frame);
  // An output of a shape that the inputs do not determine is an error. A REQUIRE about the data
  // that breaks as well has nothing to do with it, and outranks it: looks for one by computing the
  // shapes that the inputs determine.
  void FindRequirementBesideShape(const Operator& op, const OperatorSpec& spec, const Block& block,
                                  const GraphOperator& node, const Frame& frame, int64_t nesting,
                                  const std::string& where);
  // Either a file is missing, or an operator's result has no one value.
  Status UnknownValues(const std::string& where, const std::string& tensor, const Frame& frame);
  // Executes a graph over `list` and replaces `list` by its results. `outputs`: the tensors that
  // these become. Stops endless loops, and executions that multiply from level to level.
  Status RunGraph(const Block& graph, const std::vector<std::string>& outputs, int64_t nesting,
                  const std::string& where, std::vector<KnownTensor>& list);
  Status RunCondIf(const Call& call, const std::string& where, const GraphOperator& node,
                   Frame& frame);
  Status RunWhileLoop(const Call& call, const std::string& where, const GraphOperator& node,
                      Frame& frame);
  void Declare(const Call& call, const std::string& where);
  void Write(const Call& call, const GraphOperator& node, const Frame& frame);
  void Read(const Call& call, const GraphOperator& node, Frame& frame);

  const Graph& graph_;
  const Edition& edition_;
  const Level& level_;
  Variables& variables_;
  OperatorMachine& machine_;
  Frame frame_;  // of the main block
  std::vector<Violation> violations_;
  std::string unsupported_;
  std::string place_;             // of the operator of a symbolic program that is run
  int64_t graph_executions_ = 0;  // of those that control flow names
};

}  // namespace cts
