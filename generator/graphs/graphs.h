// Graphs of several operators: what frameworks emit, and what compilers fold and fuse.
#pragma once

#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct GraphDomain {
  std::string_view name;  // "conv2d-rescale-clamp"; with "graphs/" before it the prefix of ids
  std::string_view op;    // the operator whose type rows it is made for; cases name it as theirs
  bool (*applies)(const Setting&);  // to a type row; null: to all
  Domain (*domain)();               // builds Draft::whole, which names the extensions it needs
};

const std::vector<GraphDomain>& GraphDomains();

}  // namespace cts
