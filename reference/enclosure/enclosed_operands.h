// The operands of one operator if some operands are known only as enclosures (intervals of possible
// values). The operator can be executed with chosen tensors in place of these operands.
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

// Tensors that replace operands, by the position of the operand. Operands that are not in the map
// keep their known values.
using Replaced = std::map<size_t, std::shared_ptr<const Tensor>>;

// A tensor of ones with the type and shape of `tensor`. It replaces an operand whose values are not
// known.
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
  // The enclosure of operand `k`, which must not be a shape. An operand with known values has an
  // enclosure, too.
  const Enclosure& operator[](size_t k) const { return *enclosures_[k]; }
  const std::shared_ptr<const Tensor>& value(size_t k) const { return values_[k]; }
  const std::string& name(size_t k) const { return names_[k]; }
  // The operator that yields `tensor` in the block; null if no operator of the block yields it.
  const GraphOperator* MakerOf(const std::string& tensor) const;
  // A call of an operator that MakerOf returned. No operand of the call has values.
  Call CallOf(const GraphOperator& maker) const;
  // The enclosure of a tensor of the block. nullopt for a shape, and for a tensor of which nothing
  // is known or that cannot be enclosed.
  std::optional<Enclosure> Known(const std::string& tensor) const;
  // Whether operands `j` and `k` are the same tensor of the graph.
  bool AreSame(size_t j, size_t k) const { return names_[j] == names_[k]; }

  // The call with the tensors of `replaced` in place of operands. An operand that `replaced` lacks
  // keeps its known values, or becomes a tensor of ones if its values are not known.
  Call With(const Replaced& replaced = {}) const;
  // The position of an argument's operand; nullopt unless the argument has exactly one tensor.
  std::optional<size_t> Find(const Call& call, std::string_view argument) const;

  // Executes the call With(replaced). Returns the outputs by argument name, or nullopt if a REQUIRE
  // does not hold.
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
