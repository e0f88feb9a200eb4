// One execution of a graph by a machine that computes its operators.
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

// The most executions of the graphs of COND_IF and WHILE_LOOP in one execution of the whole (a loop
// that does nothing else has 16383 iterations of two graphs).
inline constexpr int64_t kMaxGraphExecutions = 1 << 15;

// The variables of a graph. They outlive an execution.
struct Variables {
  std::map<std::string, Variable> known;  // by name or uid
  Answers answers;                        // the variables that were written with a result without
                                          // one definite value
  std::set<std::string> open;             // the variables that were written with an unknown result
};

// One execution of a graph: its main block and, by control flow, others.
class Execution {
 public:
  Execution(const Graph& graph, const Edition& edition, const Level& level, Variables& variables,
            OperatorMachine& machine)
      : graph_(graph), edition_(edition), level_(level), variables_(variables), machine_(machine) {}

  // Runs the main block over its inputs. Stops at the first operator with a violation. It goes on
  // after an operator that the reference cannot compute: it computes operators that do not depend
  // on it, and for the rest checks types, shapes, attributes and constants. An error if an operator
  // depends on an input that has no values.
  Status Run(const ExecutionInputs& inputs);

  const Frame& frame() const { return frame_; }
  const std::vector<Violation>& violations() const { return violations_; }
  // The first thing that the reference cannot compute, and its place; empty: nothing.
  const std::string& unsupported() const { return unsupported_; }
  // If something is unsupported: violations of graphs that may or may not run, depending on an
  // unknown value.
  const std::vector<Violation>& possible() const { return possible_; }
  // An output of the main block. An error if its values are not known.
  StatusOr<std::shared_ptr<const Tensor>> Output(const std::string& name) const;

 private:
  bool Stopped() const { return !violations_.empty(); }
  // Notes something that the reference cannot compute. The first note counts.
  void GiveUp(std::string what) {
    if (unsupported_.empty()) unsupported_ = std::move(what);
  }

  // Whether a departure misses that a shape leaves the graph. It is asked about the operator that
  // yields the shape.
  bool IsOverlooked(const Block& block, const std::string& shape) const;
  // Checks the graph as a whole, before anything of its size is allocated.
  // Tensors that are too large for the reference stay open.
  void CheckBlock(const Block& block, Frame& frame);
  // Whether the reference computes a tensor of that size.
  bool CheckSize(const std::string& name, DType dtype, const Shape& shape,
                 const std::string& where);
  // Runs a symbolic program: each operator gets its shapes and parameters from earlier results, and
  // is run at once.
  Status RunSymbolic(const std::map<std::string, Tensor>& inputs, const Binding& binding);
  Status RunBlock(const Block& block, Frame& frame, int64_t nesting);
  Status RunOperator(const Block& block, size_t position, Frame& frame, int64_t nesting);
  // For an operator that the reference cannot compute: checks everything that is known of it.
  Status CheckUncomputed(const Operator& op, const Call& call, const Block& block,
                         const GraphOperator& node, const std::string& where, Frame& frame);
  // A REQUIRE about data that known operands break, whatever the unknown ones are.
  void FindCertainRequirement(const Operator& op, const Call& call, const Block& block,
                              const GraphOperator& node, const std::string& where,
                              const Frame& frame);
  // COND_IF with an unknown condition. It breaks the conditions that both branches break.
  Status CheckBranches(const Call& call, const std::string& where, const GraphOperator& node,
                       Frame& frame);
  // Runs a graph that may or may not run: the variables keep their values. Returns the violations.
  StatusOr<std::vector<Violation>> TryGraph(const Block& graph,
                                            const std::vector<std::string>& outputs,
                                            int64_t nesting, const std::string& where,
                                            std::vector<KnownTensor> list);
  void NotePossible(std::vector<Violation> violations);
  // Runs an operator that has operands known only within bounds; `unknown` is one of them.
  Status RunEnclosed(const Operator& op, const Call& call, const Block& block,
                     const GraphOperator& node, const std::string& where,
                     const GraphTensor& unknown, Frame& frame);
  // An output whose shape differs from the one that the inputs determine is an error. A broken
  // REQUIRE about the data is independent of that, and outranks it: looks for one by computing the
  // shapes that the inputs determine.
  void FindRequirementBesideShape(const Operator& op, const OperatorSpec& spec, const Block& block,
                                  const GraphOperator& node, const Frame& frame, int64_t nesting,
                                  const std::string& where);
  // Either a file is missing, or an operator's result has no one value.
  Status UnknownValues(const std::string& where, const std::string& tensor, const Frame& frame);
  // Executes a graph over `list` and replaces `list` by its results. `outputs`: the tensors that
  // these become. Stops endless loops, and executions that multiply from level to level. After the
  // last one, a graph is executed once more at each depth, to check it, and its results are open.
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
  int64_t graph_executions_ = 0;  // of graphs that control flow names
  std::set<std::pair<const Block*, int64_t>> executed_beyond_;  // the limit: graph and nesting
  // Whether a graph that may or may not run has declared or written a variable: then all variables
  // are unknown.
  bool variables_open_ = false;
  bool tries_ = false, touched_variables_ = false;  // within TryGraph; the violations that were
                                                    // found there
};

}  // namespace cts
