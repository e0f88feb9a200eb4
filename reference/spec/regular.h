// Makes regular what editions write in ways of their own, once, when an edition is read.
#pragma once

#include "reference/spec/edition.h"

namespace cts {

// Adds the types that a row leaves out although its operator has them, to published rows, too.
void CompleteTypeRows(OperatorSpec& spec);

// Makes arguments that have a default optional, and gives indices a type that tensors have. Each
// row then has one type for each variable and names its attributes. Rows of the same types become
// one, with the profiles of all.
void MakeRegular(OperatorSpec& spec);

}  // namespace cts
