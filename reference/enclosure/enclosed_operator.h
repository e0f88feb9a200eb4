// Computes intervals (enclosures) for the results of an operator whose operands are known only
// within bounds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/enclosure/enclosed_operands.h"
#include "reference/enclosure/enclosure.h"
#include "reference/graph/call.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {

// Enclosures of an operator's outputs, in the layout of the call. The key is the name of the output
// argument.
using Enclosures = std::map<std::string, Enclosure>;

// One operator with its enclosed operands, and the table from which its precision row comes.
struct EnclosedCall {
  const Operator& op;
  const EnclosedOperands& operands;
  // In this call, ones replace unknown values. Only its shapes, types and attributes matter.
  const Call& call;
  const PrecisionTable& table;
  // The precision row that applies to a floating-point output; an error if there is no row.
  StatusOr<const PrecisionRow*> Row(const std::string& output) const;
};

// Returns enclosures that contain all results that the operator may give. If the program cannot
// enclose this operator yet, returns an error of the kind kUnimplemented with the reason.
StatusOr<Enclosures> EncloseOperator(const EnclosedCall& enclosed);

// --- Parts of EncloseOperator ------------------------------------------------------------------

// The precision row that applies to a floating-point output of a call.
StatusOr<const PrecisionRow*> FindRow(const PrecisionTable& table, const Call& call,
                                      const std::string& output);

// Whether any argument has another layout in the edition than in the operator's text (its code).
bool IsInAnotherLayout(const Call& call);

Status NoEnclosure(const EnclosedCall& enclosed, std::string_view why);

// Encloses sums of products. Each enclosure allows the error that the dot-product rule allows for
// one element.
StatusOr<Enclosures> EncloseSums(const EnclosedCall& enclosed, const PrecisionRow& row,
                                 const DotProductPrecision& sum);
// If the operator multiplies a tensor by the reciprocal of that tensor's sum (softmax), narrows the
// enclosures of the products. Otherwise leaves `products` unchanged.
void NarrowQuotient(const EnclosedCall& enclosed, std::vector<Ends>* products);
// Encloses functions of one floating-point number: EXP, LOG, TANH, ...
StatusOr<Enclosures> EncloseFunction(const EnclosedCall& enclosed, const PrecisionRow& row);

// Encloses the outputs of `node` and stores them in `frame`. An output becomes a tensor of values
// if it is not floating-point and each element has only one possible value. Any other output
// becomes an answer whose rule is an enclosure. `place` names the operator. Returns an empty text,
// or the reason if the program cannot enclose the outputs.
StatusOr<std::string> Enclose(const Operator& op, const EnclosedOperands& operands,
                              const Call& call, const GraphOperator& node, const std::string& place,
                              bool flush, Frame& frame);

}  // namespace cts
