// The operands of one operator, some of which are known only as enclosures. The operator can be
// executed with tensors in place of such operands.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/enclosure/enclosure.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"

namespace cts {

// Tensors that replace operands, by the position of the operand. Other operands keep their known
// values.
using Replaced = std::map<size_t, std::shared_ptr<const Tensor>>;

// A tensor of ones, which stands for an operand whose values are not known.
std::shared_ptr<const Tensor> Ones(const GraphTensor& tensor);

class EnclosedOperands {
 public:
  // An error if an operand has neither a value nor an enclosure.
  static StatusOr<EnclosedOperands> Of(const Operator& op, const OperatorSpec& spec,
                                       const Edition& edition, const Level& level,
                                       const Block& block, const GraphOperator& node,
                                       const Frame& frame);

  size_t size() const { return names_.size(); }
  // Whether operand `k` is known only as an enclosure.
  bool IsInexact(size_t k) const { return values_[k] == nullptr; }
  // The enclosure of operand `k`. An operand with known values has an enclosure, too, unless it is
  // a shape.
  const Enclosure& operator[](size_t k) const { return *enclosures_[k]; }
  const std::shared_ptr<const Tensor>& value(size_t k) const { return values_[k]; }
  const std::string& name(size_t k) const { return names_[k]; }
  // The operator of the block whose output is `tensor`; null if there is no such operator.
  const GraphOperator* MakerOf(const std::string& tensor) const;
  // A call of an operator that MakerOf returned. No operand of the call has values.
  Call CallOf(const GraphOperator& maker) const;
  // The enclosure of a tensor of the block; nullopt if it has none.
  std::optional<Enclosure> Known(const std::string& tensor) const;
  // Whether two operands are the same tensor of the graph.
  bool AreSame(size_t j, size_t k) const { return names_[j] == names_[k]; }

  // The call with the given tensors in place of operands. Any other operand without known values
  // becomes a tensor of ones.
  Call With(const Replaced& replaced = {}) const;
  // The position of an argument's operand; nullopt if the operator has no tensor for the argument.
  std::optional<size_t> Find(const Call& call, std::string_view argument) const;

  // Executes the operator; nullopt if a REQUIRE does not hold.
  using Outputs = std::map<std::string, Tensor>;
  std::optional<Outputs> Run(const Replaced& replaced,
                             ComputationKind kind = ComputationKind::kReference) const;

 private:
  EnclosedOperands(const Operator& op, const OperatorSpec& spec, const Edition& edition,
                   const Level& level, const Block& graph, const Frame& frame)
      : op_(&op),
        spec_(&spec),
        edition_(&edition),
        level_(&level),
        graph_(&graph),
        frame_(&frame) {}

  const Operator* op_;
  const OperatorSpec* spec_;
  const Edition* edition_;
  const Level* level_;
  const Block* graph_;
  const Frame* frame_;
  std::vector<std::string> names_;  // the operands' names in the graph
  std::vector<std::shared_ptr<const Tensor>> values_, ones_;
  std::vector<std::optional<Enclosure>> enclosures_;
  // A block with only this operator, in which every operand is a separate tensor.
  std::shared_ptr<Block> block_;
  std::shared_ptr<GraphOperator> node_;
};

}  // namespace cts
