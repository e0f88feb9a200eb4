// What several cases show together.
#pragma once

#include "checker/check_report.h"

namespace cts {

// Subnormals of a type are flushed all or none, says 1.0 (Floating-Point Precision Requirements). A
// result shows a choice only where the other answer does not fit, and of the types that the bundle
// names (FlushingEvidence) it speaks of at least one. If no choice, type by type, agrees with all
// cases the implementation mixes: a finding if every bundle that shows it says `all_or_none`, else
// a note.
void FindMixedFlushing(Report* report);

// Cases whose answers differed between the repeats of a run: one finding.
void FindNondeterminism(Report* report);

}  // namespace cts
