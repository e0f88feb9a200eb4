// What several cases show together.
#pragma once

#include "checker/check_report.h"

namespace cts {

// An implementation flushes all subnormals of a type or none, says 1.0 (Floating-Point Precision
// Requirements). A result shows a choice only where the other answer does not fit, and it speaks of
// at least one of the types that the bundle names (FlushingEvidence). If no choice, type by type,
// agrees with all cases, the implementation mixes: that is a finding if every bundle that shows it
// says `all_or_none`, else a note.
void FindMixedFlushing(Report* report);

// One finding: the cases whose answers differed between the repeats of a run.
void FindNondeterminism(Report* report);

}  // namespace cts
