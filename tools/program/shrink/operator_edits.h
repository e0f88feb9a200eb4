// Steps that leave out operators and executions.
#pragma once

#include "tools/program/shrink/search.h"

namespace cts {

void LeaveOutOperators(Search& search);
void LeaveOutExecutions(Search& search);

}  // namespace cts
