// Findings that several cases show together.
#pragma once

#include "checker/judge/check_report.h"

namespace cts {

// The finding of an implementation that flushes computed subnormals and keeps moved ones.
inline constexpr std::string_view kMovedNotComputed = "moved_not_computed";

// An edition lists by name the choices that an implementation may make. An implementation conforms
// if one assignment of these choices explains all of its cases. Each output gives evidence by its
// accepted answer and by the findings of checker/rules/shown.h. A piece of evidence is about at
// least one of some choices: whether the subnormals of a type are flushed, or which of two signs a
// zero has where the text allows both. If no assignment agrees with all of the evidence, there is a
// finding:
//
//   mixed_flushing      subnormals of a type are flushed here and kept there. Only a note, unless
//                       every bundle that shows it says `all_or_none`: 0.100 allows a mixture.
// moved_not_computed  the same, but only operators that hand an operand on keep them (ABS, MAXIMUM,
// SELECT ...): computed subnormals are flushed everywhere.
// mixed_choice        two different choices for one type, where the text allows both.
//
// Writes the assignment to Report::choices.
void FindChoices(Report* report);

// One finding: the cases whose answers differed between the repeats of a run.
void FindNondeterminism(Report* report);

}  // namespace cts
