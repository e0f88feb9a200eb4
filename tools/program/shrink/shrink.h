// Searches for the smallest case that an implementation still fails in the same way.
#pragma once

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/shrink/search.h"

namespace cts {

// Errors: the case does not fail, its failure does not repeat, or the trial has an error.
StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options);

}  // namespace cts
