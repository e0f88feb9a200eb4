// What editions write in ways of their own, made regular once, when an edition is read.
#pragma once

#include "reference/spec/edition.h"

namespace cts {

// Types that a row leaves out although its operator has them: published rows get them, too.
void CompleteTypeRows(OperatorSpec& spec);

// Arguments that have a default are optional, indices have a type that tensors have. A row is of
// one type a variable and says which attributes it is for; rows of the same types are one, with the
// profiles of all.
void MakeRegular(OperatorSpec& spec);

}  // namespace cts
