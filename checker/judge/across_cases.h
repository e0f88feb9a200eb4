// Findings that several cases show together.
#pragma once

#include "checker/judge/check_report.h"

namespace cts {

// The kind of the finding that an implementation flushes computed subnormals but keeps subnormals
// that it only moves.
inline constexpr std::string_view kMovedNotComputed = "moved_not_computed";

// An edition lists by name the choices that an implementation may make. Examples are whether the
// subnormals of a type are flushed, and which sign a zero has where the specification allows both
// signs. An assignment gives each choice one option. An implementation conforms if one assignment
// explains all of its cases. Each output gives evidence: the answer that accepts the output, and
// the choices that its values show (checker/rules/shown.h). A piece of evidence names one option
// and one or several choices: the option was taken for at least one of these choices. If no
// assignment agrees with all of the evidence, there is a finding:
//
//   mixed_flushing      Some subnormals of a type are flushed, and others are kept. The edition
//                       tosa-0.100 allows this mixture. So there is only a note, unless
//                       FlushingEvidence::all_or_none is true for every output that is needed to
//                       show the mixture.
//   moved_not_computed  Computed subnormals are flushed everywhere. Only operators that pass an
//                       operand on (ABS, MAXIMUM, SELECT ...) keep some subnormals.
//   mixed_choice        The specification allows two options, and both are taken for one type.
//
// Writes the assignment to Report::choices.
void FindChoices(Report* report);

// Adds one finding with the cases whose answers differed between the repeats of a run, except
// disputed cases. Adds nothing if there are no such cases.
void FindNondeterminism(Report* report);

}  // namespace cts
