// Cases whose graph runs several times: with some data, with other data of the same shapes, and in
// the end with the first data again. No variable connects the executions: each answers as if it
// were alone.
#pragma once

#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// Adds the case of a type row, from the first values of its parameters. There is no case if the
// answer does not depend on the inputs' values, and no case of variables, which have executions of
// their own.
void AddRepeatedOperator(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// Adds the same for one of four cases of a graph of several operators, and for the first. Its cases
// of one execution are the items from `first` on. There is no case if all operands are constants.
void AddRepeatedGraphs(const Recipe& recipe, const Part& part, size_t first,
                       std::vector<Item>& items);

// The graph of such an item, with the inputs of all executions. The second gets the first 16 bytes
// of each input again, where the operator allows it. That finds an implementation that compares
// only the first bytes of inputs. The third gets the last 16 bytes of the second, and each later
// one gets all inputs of the execution before it except one. Each attempt has other data, chosen in
// another way.
StatusOr<Assembly> AssembleRepeated(const Item& item, const Choice& choice);

}  // namespace cts
