// The ways in which a symbolic program can be wrong: changes to its legal neighbour, which is the
// program with only its first binding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

// A change to the valid case with these labels that breaks the condition in every type row.
Breaker Breaks(std::string condition, DraftChange change, Labels labels = {});

// --- Changes. Each keeps only the first binding.

// The attribute of the first operator of that name has another value.
DraftChange WithAttribute(std::string op, std::string attribute, AttributeValue value);
// The first operator of that name lacks its last operand.
DraftChange WithoutLastInput(std::string op);
// One number that an input holds is another.
DraftChange WithElement(std::string input, int64_t element, int64_t value);
// A symbol of one input has another value, and the input has that size; below 1 it has no values.
DraftChange WithSymbol(std::string symbol, int64_t value, std::string input);

// --- Parts of these changes.

// The program with only its first binding.
void KeepOne(const Setting& setting, CaseDraft& draft);
// An input has other dimensions, with its values repeated.
void Resize(CaseDraft& draft, const std::string& input, Shape shape);
// The first operator of that name. The draft fails if there is none.
GraphOperator& First(CaseDraft& draft, std::string_view op);

}  // namespace cts::symbolic_graphs
