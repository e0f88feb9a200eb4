#include "generator/graphs/graphs.h"

namespace cts {

const std::vector<GraphDomain>& GraphDomains() {
  static const std::vector<GraphDomain> domains = {};
  return domains;
}

}  // namespace cts
