// Makes irregular forms of TOSA's XML and of the documents of the embedded editions regular, once,
// when an edition is read. An edition from a file states the same facts in members of their own:
// `optional`, `attributes` of a type row, a type for every variable.
#pragma once

#include "reference/spec/edition.h"

namespace cts {

// Adds the types that a row leaves out although its operator has them. Published rows get them,
// too.
void CompleteTypeRows(OperatorSpec& spec);

// Makes arguments with a default optional, gives indices of size_t the type i32, and reads a row's
// attributes from its mode.
void MakeRegular(OperatorSpec& spec);

// Gives each row one type for each variable. Rows with the same types become one row, which has the
// profiles of all of them.
void ExpandTypeRows(OperatorSpec& spec);

}  // namespace cts
