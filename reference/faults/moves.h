// Faults of operators that only move elements: an element changes its value, or comes from a wrong
// place.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "reference/faults/fault.h"

namespace cts {

// Faults that change the values of moved elements, but not their places. For example, NaNs become
// zeros, or numbers go through a narrower type. `variable` is the type variable of the elements. A
// right implementation may choose the sign of a moved zero and the bits of a moved NaN. It may also
// flush all subnormals of fp16, bf16 and fp32, or none of them.
Faults MovingFaults(const std::string& op, const std::string& variable);

// Maps an index in the output to the index in the operand from which TakenFrom takes the element.
// The element is zero if the result is nullopt or an index outside of the operand.
using From = std::function<std::optional<Shape>(const Call& call, const Shape& index)>;
Wrong TakenFrom(std::string operand, From from);

// Like TakenFrom, but with offsets in memory instead of indices.
using FromOffset = std::function<int64_t(const Call& call, int64_t offset)>;
Wrong TakenFromOffset(std::string operand, FromOffset from);

// The row-major offset of an index; nullopt if the index is outside of the shape.
std::optional<int64_t> OffsetOf(const Shape& shape, const Shape& index);
Shape IndexOf(const Shape& shape, int64_t offset);

}  // namespace cts
