// The type rows that graphs use, and operands whose results are exact in every type.
#pragma once

#include <string>
#include <string_view>

#include "generator/draft/case_draft.h"

namespace cts::operand_rows {

// The type of all operands, or of the first, whatever its variable's name.
DType TypeOf(const Setting& setting);

bool IsFloatRow(const Setting& setting);
// PRO-FP also has i32, but few operators for it: no RESCALE, no INTDIV.
bool IsI32Row(const Setting& setting);
bool IsFloatOrI32Row(const Setting& setting);
// Rows of i8, with all operators of the base profile of integers.
bool IsI8RowOfIntegers(const Setting& setting);
bool IsIntegerOrFloatRow(const Setting& setting);
// A convolution of i8 by i8, and a RESCALE or CAST between these types.
bool IsI8ByI8(const Setting& setting);
bool IsI8ToI8(const Setting& setting);
bool IsI32ToI8(const Setting& setting);
// One integer type and one of floating point, for data layout.
bool IsI8OrFp32Row(const Setting& setting);

// Whether the operator has the type as its `in_out_t`, within the profiles that the setting has.
bool HasRow(const Setting& setting, std::string_view op, DType type);

// A value of an attribute of the type.
AttributeValue ValueOf(DType type, int64_t value);
// Integers from -most to most, rounded where the type is too narrow for them. Floating point has no
// zero with a sign among them.
Tensor SmallNumbers(const Choice& choice, std::string_view name, DType type, const Shape& shape,
                    int64_t most);
// Integers from `first` on, each one more than the one before.
Tensor Counted(DType type, const Shape& shape, int64_t first);

}  // namespace cts::operand_rows
