// Cases whose graph runs several times: with some data, with other data of the same shapes, and in
// the end with the first data again. No variable connects the executions: each answers as if it
// were alone.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// Adds the case of a type row, from the first values of its parameters. There is none where the
// answer does not depend on the inputs' values, and none of variables, which have executions of
// their own.
void AddRepeatedOperator(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// Adds the same of one of four cases of a graph of several operators, and of the first. Its cases
// of one execution are the items from `first` on. There is none where all operands are constants.
void AddRepeatedGraphs(const Recipe& recipe, const Part& part, size_t first,
                       std::vector<Item>& items);

// The graph of such an item, with the inputs of all executions. The second is given the first 16
// bytes of each input again, where the operator allows it: an implementation that takes inputs for
// the same by their first bytes is found out. So is the third the last 16 bytes of the second, and
// each that follows all inputs but one of the execution before it. Attempt by attempt the data are
// others, and chosen in another way.
StatusOr<Assembly> AssembleRepeated(const Item& item, const Choice& choice);

}  // namespace cts
