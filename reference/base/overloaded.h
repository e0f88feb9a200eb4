// Combines functions for std::visit, one for each alternative of a variant.
#pragma once

namespace cts {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace cts
