// Cases whose graph runs several times: with some data, with other data of the same shapes, and in
// the end with the first data again. No variable connects the executions, so each must give the
// same answer as if it ran alone.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// Adds the repeated case of a type row, with the first values of the row's parameters that fit.
// There is no case if the answer does not depend on the inputs' values. Operators of variables have
// no such case either, because their other cases already run several times.
void AddRepeatedOperator(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// Adds repeated cases for a quarter of the cases of a graph of several operators, but at least one.
// The graph's cases with one execution are the items from `first` on. No case is added if all
// operands are constants, or for graphs with variables.
void AddRepeatedGraphs(const Recipe& recipe, const Part& part, size_t first,
                       std::vector<Item>& items);

// Returns the graph of a repeated item, with the inputs of all executions; the last execution has
// the inputs of the first. In the second execution of a case of one operator, the first 16 bytes of
// each input stay the same, if the operator allows it. That finds an implementation that compares
// only the first bytes of inputs. In the third execution, the last 16 bytes of each input stay as
// in the second execution. With up to four inputs, each later execution changes one input and keeps
// the others. For operators that refuse such inputs, late attempts (Choice::attempt) have only
// three executions. A graph of several operators has three executions. Each attempt draws new data,
// and the attempts take turns in how they change inputs.
StatusOr<Assembly> AssembleRepeated(const Item& item, const Choice& choice);

}  // namespace cts
