// Makes irregular forms regular when an edition is read. Such forms occur in TOSA's XML and in the
// documents of the embedded editions. An edition that is added from a file states the same facts
// directly: by `optional`, by `attributes` of a type row, and by a type for every variable.
#pragma once

#include "reference/spec/edition.h"

namespace cts {

// Adds the types of the weights and of the accumulator that the fp8 rows of TRANSPOSE_CONV2D in
// 0.100 leave out (schemas/editions/notes.md). Published rows get these types, too.
void CompleteTypeRows(OperatorSpec& spec);

// Makes nan_mode optional, and gives indices of size_t the type i32. For RESIZE, sets the
// attribute `mode` of a type row from the row's description: "signed 8, bilinear" gives BILINEAR.
// Gives the operands of VARIABLE operators the type variable of the
// rows.
void MakeRegular(OperatorSpec& spec);

// Replaces each row that leaves types open by one row for each choice of these types. Rows with the
// same types and attributes become one row, which has the profiles of all of them.
void ExpandTypeRows(OperatorSpec& spec);

}  // namespace cts
