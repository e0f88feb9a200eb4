// The smallest case that an implementation still fails in the same way.
#pragma once

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/shrink/search.h"

namespace cts {

// Errors: a case that does not fail, a failure that does not repeat, and those of the trial.
StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options);

}  // namespace cts
