// Makes regular what TOSA's XML and the documents of the embedded editions write in ways of their
// own, once, when an edition is read. An edition from a file says the same in its members:
// `optional`, `attributes` of a type row, a type for every variable.
#pragma once

#include "reference/spec/edition.h"

namespace cts {

// Adds the types that a row leaves out although its operator has them, to published rows, too.
void CompleteTypeRows(OperatorSpec& spec);

// Makes arguments that have a default optional, gives indices a type that tensors have, and reads
// from a row's mode for which attributes it is.
void MakeRegular(OperatorSpec& spec);

// Gives each row one type for each variable. Rows of the same types become one, with the profiles
// of all.
void ExpandTypeRows(OperatorSpec& spec);

}  // namespace cts
