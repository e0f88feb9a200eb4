// The ways in which a symbolic program can be wrong. Each breaker changes a legal program that has
// only its first binding. That program is the legal neighbour of the changed one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

// Returns a breaker that applies to every type row. `change` breaks the condition in the valid case
// with these labels.
Breaker Breaks(std::string condition, DraftChange change, Labels labels = {});

// --- Changes. Each change keeps only the first binding.

// Sets an attribute of the first operator of kind `op` to another value.
DraftChange WithAttribute(std::string op, std::string attribute, AttributeValue value);
// Removes the last operand of the first operator of kind `op`.
DraftChange WithoutLastInput(std::string op);
// Sets one element of an input to another value.
DraftChange WithElement(std::string input, int64_t element, int64_t value);
// Sets a symbol of one input to another value, and gives the input's dimension this size. If the
// value is below 1, the case has no values for the input.
DraftChange WithSymbol(std::string symbol, int64_t value, std::string input);

// --- Parts of these changes.

// Reduces the program to its first binding.
void KeepOne(const Setting& setting, CaseDraft& draft);
// Gives an input another shape. Its values are repeated until the new shape is full.
void Resize(CaseDraft& draft, const std::string& input, Shape shape);
// Returns the first operator of kind `op`. The draft fails if it has no such operator.
GraphOperator& First(CaseDraft& draft, std::string_view op);

}  // namespace cts::symbolic_graphs
