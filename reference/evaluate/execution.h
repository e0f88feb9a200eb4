// One execution of a graph. A machine (reference/machine/operator_machine.h) computes the
// operators.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/machine/operator_machine.h"
#include "reference/spec/edition.h"

namespace cts {

// The greatest number of times that graphs of COND_IF and WHILE_LOOP are executed in one execution
// of the whole graph. A single loop can have 16383 iterations: each iteration executes two graphs,
// and the last check of the loop's condition executes one more.
inline constexpr int64_t kMaxGraphExecutions = 1 << 15;

// The variables of a graph, which keep their values between executions.
struct Variables {
  std::map<std::string, Variable> known;  // by name or uid
  Answers answers;                        // of the variables whose values are known only within
                                          // bounds
  std::set<std::string> open;             // the variables that hold an unknown result
};

// One execution of a graph: of its main block and of the blocks that control flow runs.
class Execution {
 public:
  Execution(const Graph& graph, const Edition& edition, const Level& level, Variables& variables,
            OperatorMachine& machine)
      : graph_(graph), edition_(edition), level_(level), variables_(variables), machine_(machine) {}

  // Runs the main block on its inputs, and stops at the first operator with a violation. After an
  // operator that the reference cannot compute, Run continues: it computes the operators that do
  // not depend on this operator. For operators that depend on it, Run checks only types, shapes,
  // attributes and known values. Returns an error if an operator depends on an input that has no
  // values.
  Status Run(const ExecutionInputs& inputs);

  const Frame& frame() const { return frame_; }
  const std::vector<Violation>& violations() const { return violations_; }
  // The first thing that the reference cannot compute, and its place; empty if it can compute
  // everything.
  const std::string& unsupported() const { return unsupported_; }
  // For an unsupported graph. Unknown values may decide whether a graph of control flow runs.
  // Returns the violations of the first such graph that has any, but leaves out broken REQUIREs of
  // operators (see Evaluation::possible).
  const std::vector<Violation>& possible() const { return possible_; }
  // An output of the main block. An error if its values are not known.
  StatusOr<std::shared_ptr<const Tensor>> Output(const std::string& name) const;

 private:
  bool Stopped() const { return !violations_.empty(); }
  // Records something that the reference cannot compute. Only the first record is kept.
  void GiveUp(std::string what) {
    if (unsupported_.empty()) unsupported_ = std::move(what);
  }

  // In some editions, no input or output of a block may be a shape. The tensor `shape` is such an
  // input or output. Returns whether the machine imitates a wrong implementation
  // (machine/departure.h) that does not detect this violation at the operator that yields the
  // tensor. False if no operator of the block yields the tensor.
  bool IsOverlooked(const Block& block, const std::string& shape) const;
  // Checks a block as a whole, before memory for its tensors is allocated. Tensors that are too
  // large for the level or the reference become open: their values stay unknown.
  void CheckBlock(const Block& block, Frame& frame);
  // Whether the level allows a tensor of this type and shape, and the reference can compute such a
  // tensor. If the result is false, records the violation or the reason. Ignores a dimension below
  // 1, which another check finds.
  bool CheckSize(const std::string& name, DType dtype, const Shape& shape,
                 const std::string& where);
  // Runs a symbolic program. Each operator is resolved just before it runs, since its shapes and
  // parameters may depend on earlier results.
  Status RunSymbolic(const std::map<std::string, Tensor>& inputs, const Binding& binding);
  Status RunBlock(const Block& block, Frame& frame, int64_t nesting);
  Status RunOperator(const Block& block, size_t position, Frame& frame, int64_t nesting);
  // Checks everything that is known about an operator that the reference cannot compute. The
  // operator's outputs become open: their values stay unknown.
  Status CheckUncomputed(const Operator& op, const Call& call, const Block& block,
                         const GraphOperator& node, const std::string& where, Frame& frame);
  // Finds a certainly broken REQUIRE about the values of a single operand: the operand is known and
  // breaks the REQUIRE, whatever the unknown operands hold.
  void FindCertainRequirement(const Operator& op, const Call& call, const Block& block,
                              const GraphOperator& node, const std::string& where,
                              const Frame& frame);
  // Handles a COND_IF with an unknown condition. If both branches have violations, those of
  // then_graph are reported. If only one branch has violations, they are only possible: possible()
  // has them.
  Status CheckBranches(const Call& call, const std::string& where, const GraphOperator& node,
                       Frame& frame);
  // Executes a graph of control flow although unknown values decide whether the graph runs. Then
  // restores the variables. Returns the graph's violations.
  StatusOr<std::vector<Violation>> TryGraph(const Block& graph,
                                            const std::vector<std::string>& outputs,
                                            int64_t nesting, const std::string& where,
                                            std::vector<KnownTensor> list);
  void NotePossible(std::vector<Violation> violations);
  // Runs an operator with operands that are known only within bounds; `unknown` is one of them.
  Status RunEnclosed(const Operator& op, const Call& call, const Block& block,
                     const GraphOperator& node, const std::string& where,
                     const GraphTensor& unknown, Frame& frame);
  // If the outcome so far is kError, for example because of a wrong output shape, looks for a
  // REQUIRE that the data break, since such a REQUIRE outranks the error. To find it, computes the
  // operator with the output shapes that the inputs determine.
  void FindRequirementBesideShape(const Operator& op, const OperatorSpec& spec, const Block& block,
                                  const GraphOperator& node, const Frame& frame, int64_t nesting,
                                  const std::string& where);
  // Handles the operand `tensor`, which has no values. If the operand is known within bounds,
  // records that the reference cannot compute the operator. Otherwise returns an error, since the
  // values of an input of the graph are missing.
  Status UnknownValues(const std::string& where, const std::string& tensor, const Frame& frame);
  // Executes a graph with the inputs `list`. The graph's results replace `list`. `outputs` names
  // the tensors that get these results in the calling block. Limits the number of executions,
  // because loops may be endless, and nested loops multiply their numbers of iterations. Beyond the
  // limit, a graph is executed only as a check, once for each nesting depth, and all its results
  // are open (unknown).
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
  std::vector<Violation> possible_;
  std::string place_;             // of the current operator of a symbolic program
  int64_t graph_executions_ = 0;  // the executions of graphs by control flow
  // The graphs that were executed beyond the limit, with their nesting.
  std::set<std::pair<const Block*, int64_t>> executed_beyond_;
  // Whether a graph that may or may not run has declared or written a variable. If so, all
  // variables are unknown.
  bool variables_open_ = false;
  // tries_: whether TryGraph is running. touched_variables_: whether a graph that TryGraph ran has
  // declared or written a variable.
  bool tries_ = false, touched_variables_ = false;
};

}  // namespace cts
