// What several cases show together.
#pragma once

#include "checker/check_report.h"

namespace cts {

// Subnormals of fp16, bf16 and fp32 are flushed all or none, type by type (Floating-Point Precision
// Requirements of 1.0). An answer shows a choice only where the other one does not fit. Where a
// graph has several such types, "flushed" shows that at least one is, "unflushed" that at least one
// is not. Operators that only move values, or whose text does not speak of flushing, show nothing
// by keeping them. If no choice agrees with all cases the implementation mixes: a finding in
// editions that forbid it, else a note.
void FindMixedFlushing(Report* report);

// Cases whose answers differed between the repeats of a run: one finding.
void FindNondeterminism(Report* report);

// What FindMixedFlushing needs of a graph.
FlushingScope ScopeOf(const Graph& graph);

}  // namespace cts
