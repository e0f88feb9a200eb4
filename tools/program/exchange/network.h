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
  std::map<std::string, Tensor> inputs;  // for every input of the main block
  std::string edition = std::string(kDefaultEdition);
  std::string level;  // empty: the edition's narrowest
  Chains chains = Chains::kEnclosed;
};

// The case that asks for the network's outputs. Where the reference has the answer, as for all of
// an integer network, that answer is the expected one. After a result that is only bounded, outputs
// are judged by enclosures (enclosure/enclosure.h); an output that depends on an operator without
// one is unchecked (RuleKind::kUnchecked). Errors: inputs that do not fit, and a network that is
// illegal or unpredictable with these inputs.
StatusOr<Case> CaseOfNetwork(const Network& network);

}  // namespace cts
