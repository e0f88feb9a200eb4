// Operators that only symbolic programs have, as text of MLIR.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/formats/mlir/mlir_block.h"
#include "reference/graph/graph.h"

namespace cts::mlir_text {

// Renders an operator that only symbolic programs have. The tosa dialect has no such operator, but
// other dialects of MLIR can express most of these operators. The operator becomes several
// operations, one on each line.
StatusOr<std::string> RenderSymbolic(const BlockNames& block, const GraphOperator& op);

}  // namespace cts::mlir_text
