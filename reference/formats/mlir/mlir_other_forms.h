// Arguments whose form in a version of the dialect differs from that in the edition.
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

// The dialect's form of an argument; null if the dialect has the edition's form.
const MlirArgument* OtherForm(const MlirDialect& dialect, std::string_view op,
                              std::string_view argument);

// Adds a constant that is an operand in the edition. In the dialect it is an attribute, or an
// operand of another type.
Status AddConstant(const BlockNames& block, const GraphOperator& op, const std::string& name,
                   const MlirArgument& form, Operation& operation);

// Adds an attribute or output that has another form in the dialect. `value` is the attribute's
// value, or null if it is missing. `tensor_type` is the type of the first operand.
Status AddOtherForm(const BlockNames& block, const GraphOperator& op, const OperatorSpec& spec,
                    const MlirArgument& form, const AttributeValue* value, DType tensor_type,
                    Operation& operation);

}  // namespace cts::mlir_text
