// One case of a plan.
#pragma once

#include <string>
#include <string_view>

#include "generator/draft/case_draft.h"
#include "generator/ops/domain.h"
#include "reference/ops/size_ladder.h"

namespace cts {

enum class ItemKind {
  kValid,      // a combination of values
  kSample,     // a combination drawn at random
  kLimit,      // at a limit of the level
  kData,       // of a data set beside the combinations
  kRepeated,   // one whose graph runs several times
  kRelation,   // small, for relations between parameters and shapes
  kSize,       // at a rung of the ladder of sizes
  kLongSum,    // at a rung of the lengths of long sums
  kNetwork,    // a layer of a published network
  kNeighbour,  // the valid case beside an error case
  kError,      // breaks a condition
  kMutant,     // an error case by a random change
};

// One case to make.
struct Item {
  ItemKind kind = ItemKind::kValid;
  Choice choice;
  const Domain* domain = nullptr;
  std::string neighbour;             // kError: the id of the nearest legal case
  const Breaker* breaker = nullptr;  // kError, kNeighbour
  const LimitCase* limit = nullptr;  // kLimit
  const DataCase* data = nullptr;    // kData
  std::string other_data;            // kRepeated: the second execution's data set, if it differs
  const RelationCase* relation = nullptr;     // kRelation
  const SizedDimension* dimension = nullptr;  // kSize, kLongSum
  const Rung* rung = nullptr;                 // kSize, kLongSum
  const NetworkLayer* layer = nullptr;        // kNetwork; lives as long as the plan

  // The condition that the case breaks; empty for a valid case.
  std::string_view condition() const {
    return kind == ItemKind::kError ? breaker->condition : std::string_view();
  }
  std::string data_set() const {
    if (data != nullptr) return std::string(data->data_set);
    const std::string_view own = relation == nullptr || relation->data_set == nullptr
                                     ? std::string_view()
                                     : relation->data_set(choice.setting);
    return own.empty() ? choice.labels.Text(kDataAxis) : std::string(own);
  }
  bool is_error() const { return kind == ItemKind::kError || kind == ItemKind::kMutant; }
};

}  // namespace cts
