// `judge` for a whole tensor of dot products.
#pragma once

#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts::judging {

// Returns the answer to a question about dot products (the definition `dot_products` in
// schemas/judge_line.schema.json).
StatusOr<Json> JudgeDotProducts(const Json& json);

}  // namespace cts::judging
