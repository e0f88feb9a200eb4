// Findings that several cases show together.
#pragma once

#include "checker/check_report.h"

namespace cts {

// The finding of an implementation that flushes what it computes and keeps what it moves.
inline constexpr std::string_view kMovedNotComputed = "moved_not_computed";

// What an implementation may choose is a list of named choices of the edition. It conforms if one
// assignment of them explains all of its cases. Of each output, the accepted answer and what
// checker/rules/shown.h finds say something of at least one of some choices: that of flushing the
// subnormals of a type, or that of the sign of a zero which the text gives twice. Where no
// assignment agrees with all of it, there is a finding:
//
//   mixed_flushing      subnormals of a type are flushed here and kept there. Only a note, unless
//                       every bundle that shows it says `all_or_none`: 0.100 allows a mixture.
//   moved_not_computed  the same, but only operators that hand an operand on keep them (ABS,
//                       MAXIMUM, SELECT ...): what is computed is flushed everywhere.
//   mixed_choice        two answers to what the text says twice, of one type.
//
// Writes the assignment to Report::choices.
void FindChoices(Report* report);

// One finding: the cases whose answers differed between the repeats of a run.
void FindNondeterminism(Report* report);

}  // namespace cts
