// Computes operators by the specification.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/machine/chains.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/operator.h"

namespace cts {

// Whether flushing would change the tensor: an element is subnormal, and its type allows an
// implementation to replace subnormal numbers by zeros.
bool HasSubnormal(const Tensor& tensor);

// Computes the expected values of each operator's outputs, and the rules that compare results with
// them.
class ReferenceMachine : public OperatorMachine {
 public:
  // `data_set` and `chains` mean the same as in Evaluate. If `flush` is true, subnormal numbers are
  // replaced by zeros.
  ReferenceMachine(int data_set, bool flush, Chains chains)
      : data_set_(data_set), flush_(flush), chains_(chains) {}

  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override;
  StatusOr<std::string> Enclose(const Operator& op, const Call& call,
                                const EnclosedOperands& operands, const GraphOperator& node,
                                const std::string& place, Frame& frame) override;
  bool encloses() const override { return chains_ == Chains::kEnclosed; }
  std::string Describe(const Operator& op, const Call& call, std::string_view broken) override;

  // Whether an operator read a subnormal number, or gave a subnormal number as an exact result. If
  // this is false, runs with and without `flush` give the same answers.
  bool flushing_matters() const { return flushing_matters_; }

 private:
  const int data_set_;
  const bool flush_;
  const Chains chains_;
  bool flushing_matters_ = false;
};

}  // namespace cts
