// Faults of operators that move elements and change none: what may become of an element on its way,
// and where it may come from instead.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "reference/faults/fault.h"

namespace cts {

// What becomes of elements on their way, whatever the operator does with their places: NaNs made
// zeros, numbers taken through a narrower type. `variable` is their type's. Whether a zero keeps
// its sign, and which NaN a NaN stays, is free where data moves; so is flushing of fp16, bf16 and
// fp32, of all or none.
Faults MovingFaults(const std::string& op, const std::string& variable);

// Where the element at an index of the output comes from: an index of an operand, or nothing for
// zero. What lies outside of the operand is zero, too.
using From = std::function<std::optional<Shape>(const Call& call, const Shape& index)>;
Wrong TakenFrom(std::string operand, From from);

// The same by offsets in memory.
using FromOffset = std::function<int64_t(const Call& call, int64_t offset)>;
Wrong TakenFromOffset(std::string operand, FromOffset from);

// Row-major; nothing where the index is none of the shape's.
std::optional<int64_t> OffsetOf(const Shape& shape, const Shape& index);
Shape IndexOf(const Shape& shape, int64_t offset);

}  // namespace cts
