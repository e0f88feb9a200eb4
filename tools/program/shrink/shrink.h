// Makes a failing case smaller: searches for the smallest case that the implementation fails in the
// same way as the given case.
#pragma once

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/shrink/search.h"

namespace cts {

// Errors: the case does not fail, its failure does not repeat, or the trial has an error.
StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options);

}  // namespace cts
