// The type rows that graphs use, and small integers as operands, so that the graphs' results are
// exact in every type.
#pragma once

#include <string>
#include <string_view>

#include "generator/draft/case_draft.h"

namespace cts::operand_rows {

// The type of the variable `in_out_t` or, if the row has no such variable, of `in_t`. In the
// comments below, a row "of" a type is a row for which TypeOf returns this type.
DType TypeOf(const Setting& setting);

bool IsFloatRow(const Setting& setting);
// Whether the row is of i32, and all operators of the base integer profile may be used. The second
// condition is needed because PRO-FP has i32, too, but few operators for i32 (no RESCALE, no
// INTDIV).
bool IsI32Row(const Setting& setting);
bool IsFloatOrI32Row(const Setting& setting);
// Whether the row is of i8, and all operators of the base integer profile may be used.
bool IsI8RowOfIntegers(const Setting& setting);
bool IsIntegerOrFloatRow(const Setting& setting);
// IsI8ByI8 is for rows of a convolution: whether input and weight are of i8. IsI8ToI8 and IsI32ToI8
// are for rows of RESCALE or CAST: whether the row converts i8 to i8, or i32 to i8.
bool IsI8ByI8(const Setting& setting);
bool IsI8ToI8(const Setting& setting);
bool IsI32ToI8(const Setting& setting);
// Whether the row is of i8 or fp32. Graphs of data layout are made for these rows only: one integer
// type and one floating-point type suffice.
bool IsI8OrFp32Row(const Setting& setting);

// Whether the setting's profiles allow a type row of the operator `op` in which `in_out_t` is
// `type`.
bool HasRow(const Setting& setting, std::string_view op, DType type);

// The value as an attribute of this type.
AttributeValue ValueOf(DType type, int64_t value);
// Random integers from -most to most. A floating-point type that is too narrow for them rounds
// them. No number is -0.
Tensor SmallNumbers(const Choice& choice, std::string_view name, DType type, const Shape& shape,
                    int64_t most);
// Consecutive integers from `first` on.
Tensor Counted(DType type, const Shape& shape, int64_t first);

}  // namespace cts::operand_rows
