// Cases whose graph runs several times: with some data, with other data of the same shapes, and in
// the end with the first data again. No variable connects the executions, so each execution must
// give the same answer as if it ran alone.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// Adds the repeated case of a type row. Each parameter has the first value that fits (StartOf),
// with two exceptions: data set "finite" is preferred, and for RESIZE the label "2x3" of the axis
// "batch_channels". Adds no case if the answer does not depend on the inputs' values. Adds no case
// for operators of variables, because their other cases already run several times.
void AddRepeatedOperator(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// Adds repeated cases for a quarter of the cases of a graph of several operators, and for at least
// one case. The graph's cases with one execution are the items from `first` on. Adds no case if the
// graph has no inputs, or if it has variables.
void AddRepeatedGraphs(const Recipe& recipe, const Part& part, size_t first,
                       std::vector<Item>& items);

// Returns the graph of a repeated item, with the inputs of all executions; the last execution has
// the inputs of the first. In the second execution of a case of one operator, the first 16 bytes of
// each input stay the same, if the operator allows it. This finds an implementation that keeps old
// answers and compares only the first bytes of inputs. In the third execution, the last 16 bytes of
// each input stay as in the second execution. With up to four inputs, each later execution changes
// one input and keeps the others. Some operators refuse such mixed inputs. For them, late attempts
// (Choice::attempt) have only three executions. A graph of several operators has three executions.
// Each attempt draws new data. The way to change the inputs differs from attempt to attempt.
StatusOr<Assembly> AssembleRepeated(const Item& item, const Choice& choice);

}  // namespace cts
