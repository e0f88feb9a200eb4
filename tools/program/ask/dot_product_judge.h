// `judge` for a whole tensor of dot products.
#pragma once

#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts::judging {

// Returns the answer to a question about dot products (dot_products of
// schemas/judge_line.schema.json).
StatusOr<Json> JudgeDotProducts(const Json& json);

}  // namespace cts::judging
