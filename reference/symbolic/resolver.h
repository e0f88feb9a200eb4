// Makes the static graph of a symbolic program (schemas/editions/notes.md, Symbolic shapes). Once
// every symbol has a value, such a program is a static graph of the edition.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/graph/symbols.h"
#include "reference/ops/condition.h"
#include "reference/spec/edition.h"

namespace cts {

// Makes the static graph of a symbolic program, operator by operator. Each operator becomes one or
// more operators of the edition; the last of them yields the tensor that the program's operator
// yields. The program's structure must have been checked.
class Resolver {
 public:
  using Values = std::map<std::string, std::shared_ptr<const Tensor>>;

  Resolver(const Graph& program, const Edition& edition, const Level& level);

  // Gives the inputs' symbols their values and declares the inputs. Appends a violation for a
  // symbol without a value, a value below 1, and a tensor in `inputs` whose shape differs from the
  // declared shape.
  void Bind(const Binding& binding, const std::map<std::string, Tensor>& inputs,
            std::vector<Violation>& violations);

  // The name of the tensor whose values Append(position) needs and the resolver does not know.
  // Empty if Append needs no such values.
  const std::string& WantedBy(size_t position) const;

  // Appends the static operators for operator `position` of the program. All operators before it
  // must have been appended. `wanted` has the values of the tensor WantedBy(position); null if this
  // name is empty. Stops at the first violation.
  Status Append(size_t position, const Tensor* wanted, std::vector<Violation>& violations);

  // The static graph so far. This graph has the program's outputs once all operators are appended.
  const Graph& graph() const { return graph_; }

  // The static graph with these outputs, without constants that no operator reads.
  Graph Finish(const std::vector<std::string>& outputs) const;

  // The values of all known symbols.
  const Binding& symbols() const { return symbols_; }

 private:
  Block& block() { return graph_.main(); }
  const Block& block() const { return graph_.main(); }
  Shape ShapeOf(const GraphTensor& tensor) const;
  int64_t IndexOf(const std::string& name) const;
  std::string NewName(const std::string& output, std::string_view argument);
  // Adds a constant, by CONST or CONST_SHAPE.
  void AddConstant(const std::string& name, Tensor values);
  // Declares an output. `shape`, which the operator computes, gives the output's symbols their
  // values. If `must_fit` is true, a declared dimension that differs from `shape` is a violation.
  void Declare(const GraphTensor& tensor, const Shape& shape, bool must_fit,
               const std::string& where, std::vector<Violation>& violations);
  // Appends the constant that replaces an index value, a tensor of index values, or IOTA.
  Status AppendConstant(const GraphOperator& op, const std::string& where, const Tensor* wanted,
                        std::vector<Violation>& violations);
  // The operator of the edition that replaces a symbolic operator when its parameters are known;
  // nullopt after a violation.
  std::optional<GraphOperator> StaticForm(const GraphOperator& op, const std::string& where,
                                          std::vector<Violation>& violations);
  std::optional<Shape> ReshapedTo(const GraphOperator& op, const std::string& where,
                                  std::vector<Violation>& violations) const;
  void CheckBroadcast(const GraphOperator& op, const std::string& where,
                      std::vector<Violation>& violations) const;
  // The sizes of the operands' dimensions by the names of the argument table: "IC" -> 3.
  std::map<std::string, int64_t> SizesByName(const GraphOperator& op,
                                             const OperatorSpec& spec) const;
  void InferAndDeclare(GraphOperator op, const std::string& where,
                       std::vector<Violation>& violations);

  const Graph& program_;
  const Edition& edition_;
  const Level& level_;
  Graph graph_;
  Values constants_;  // the known values of the static graph's tensors
  Binding symbols_;
  std::set<std::string> names_;
};

}  // namespace cts
