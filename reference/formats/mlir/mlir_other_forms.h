// Arguments that a version of the dialect has in another form than the edition.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/formats/mlir/mlir_block.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_operation.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts::mlir_text {

// The other form of an argument; null for an argument without another form.
const MlirArgument* OtherForm(const MlirDialect& dialect, std::string_view op,
                              std::string_view argument);

// An operand that the dialect has as an attribute, or as an operand of another type.
Status AddConstant(const BlockNames& block, const GraphOperator& op, const std::string& name,
                   const MlirArgument& form, Operation& operation);

// An attribute or output that has another form in the dialect. `value` is the attribute's, null if
// it is missing. `tensor_type` is that of the first operand.
Status AddOtherForm(const BlockNames& block, const GraphOperator& op, const OperatorSpec& spec,
                    const MlirArgument& form, const AttributeValue* value, DType tensor_type,
                    Operation& operation);

}  // namespace cts::mlir_text
