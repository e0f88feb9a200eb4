// One case of a plan.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "generator/draft/case_draft.h"
#include "generator/ops/domain.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// The purposes of cases, each with the objects from which the case is made. All pointers are valid
// as long as the plan exists.
namespace purpose {

struct Combination {};  // a combination of parameter values
struct Sample {};       // a combination drawn at random
struct Limit {          // a case at a limit of the level
  const LimitCase* limit;
};
struct Data {  // a case of a data set that is not part of the combinations
  const DataCase* data;
};
struct Repeated {          // a case whose graph runs several times
  std::string other_data;  // the second execution's data set; empty if it is that of the first
};
struct Relation {  // a small case for relations between parameters and shapes
  const RelationCase* relation;
};
struct Size {  // a case at a rung of the ladder of sizes
  const SizedDimension* dimension;
  const Rung* rung;
};
struct LongSum : Size {};  // a case with long sums; `rung` has their length
struct Network {           // a layer of a published network
  const NetworkLayer* layer;
};
struct Neighbour {  // the valid case beside an error case
  const Breaker* breaker;
};
struct Error {  // a case that breaks a condition
  const Breaker* breaker;
  std::string neighbour;  // the id of the nearest legal case; empty if the plan has no such case
};
struct Mutant {};  // an error case, made by a random change

}  // namespace purpose

using Purpose = std::variant<purpose::Combination, purpose::Sample, purpose::Limit, purpose::Data,
                             purpose::Repeated, purpose::Relation, purpose::Size, purpose::LongSum,
                             purpose::Network, purpose::Neighbour, purpose::Error, purpose::Mutant>;

// One planned case.
struct Item {
  Choice choice;
  const Domain* domain = nullptr;
  Purpose purpose;

  template <class T>
  bool Is() const {
    return std::holds_alternative<T>(purpose);
  }
  // Returns null if the case has another purpose.
  template <class T>
  const T* As() const {
    return std::get_if<T>(&purpose);
  }
  bool is_error() const { return Is<purpose::Error>() || Is<purpose::Mutant>(); }
  // The layer of a network; null for other cases.
  const NetworkLayer* layer() const {
    const auto* const network = As<purpose::Network>();
    return network == nullptr ? nullptr : network->layer;
  }
  // The condition that the case breaks; empty for a valid case.
  std::string_view condition() const {
    const auto* const error = As<purpose::Error>();
    return error == nullptr ? std::string_view() : error->breaker->condition;
  }
  std::string data_set() const {
    if (const auto* const data = As<purpose::Data>()) return std::string(data->data->data_set);
    if (const auto* const relation = As<purpose::Relation>();
        relation != nullptr && relation->relation->data_set != nullptr) {
      const std::string_view own = relation->relation->data_set(choice.setting);
      if (!own.empty()) return std::string(own);
    }
    return choice.labels.Text(kDataAxis);
  }
};

}  // namespace cts
