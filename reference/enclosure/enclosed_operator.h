// Encloses the results of an operator if its operands are known only within bounds.
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

// Enclosures of an operator's outputs, by argument, in the layout of the call.
using Enclosures = std::map<std::string, Enclosure>;

// One operator whose operands are enclosed.
struct EnclosedCall {
  const Operator& op;
  const EnclosedOperands& operands;
  // Has ones in place of unknown values; only its shapes, types and attributes matter.
  const Call& call;
  const PrecisionTable& table;
  // The precision row that applies to a floating-point output; an error if there is no row.
  StatusOr<const PrecisionRow*> Row(const std::string& output) const;
};

// The enclosures of all results that the operator may give. Fails with kUnimplemented and the
// reason if the program cannot enclose them yet.
StatusOr<Enclosures> EncloseOperator(const EnclosedCall& enclosed);

// --- Parts of EncloseOperator ------------------------------------------------------------------

// The precision row that applies to a floating-point output of a call.
StatusOr<const PrecisionRow*> FindRow(const PrecisionTable& table, const Call& call,
                                      const std::string& output);

// Whether any argument has another layout in the edition than in the operator's text.
bool IsInAnotherLayout(const Call& call);

Status NoEnclosure(const EnclosedCall& enclosed, std::string_view why);

// Encloses sums of products. The error of each sum is at most the dot-product rule's limit for one
// element.
StatusOr<Enclosures> EncloseSums(const EnclosedCall& enclosed, const PrecisionRow& row,
                                 const DotProductPrecision& sum);
// If the operator multiplies a tensor by the reciprocal of that tensor's sum (softmax), narrows the
// enclosures of the products. Otherwise leaves `products` unchanged.
void NarrowQuotient(const EnclosedCall& enclosed, std::vector<Ends>* products);
// Encloses functions of one floating-point number: EXP, LOG, TANH, ...
StatusOr<Enclosures> EncloseFunction(const EnclosedCall& enclosed, const PrecisionRow& row);

// Puts the outputs into the frame. An output that is not floating-point, and has only one possible
// value for each element, becomes a value. Any other output becomes an answer with the rule of an
// enclosure. `place` names the operator. Returns the reason if there is no enclosure, otherwise an
// empty text.
StatusOr<std::string> Enclose(const Operator& op, const EnclosedOperands& operands,
                              const Call& call, const GraphOperator& node, const std::string& place,
                              bool flush, Frame& frame);

}  // namespace cts
