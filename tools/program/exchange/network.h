// Users' networks: graphs of many operators, judged as cases.
#pragma once

#include <map>
#include <string>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

struct Network {
  std::string id;  // "networks/mobilenet"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // one for every input of the main block
  std::string edition = std::string(kDefaultEdition);
  std::string level;  // empty: the edition's narrowest
  Chains chains = Chains::kEnclosed;
};

// Makes the case that judges the network's outputs. If the reference determines the value of an
// output, as in an integer network, this value is expected. An output that depends on a result for
// which the edition gives only a bound is judged by enclosures (enclosure/enclosure.h). An output
// that depends on an operator without an enclosure is unchecked (RuleKind::kUnchecked). Errors:
// inputs that do not fit, and a network that is illegal or unpredictable with these inputs.
StatusOr<Case> CaseOfNetwork(const Network& network);

}  // namespace cts
