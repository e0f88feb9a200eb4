// One case of a plan.
#pragma once

#include <string>
#include <string_view>

#include "generator/case_draft.h"
#include "generator/ops/domain.h"

namespace cts {

enum class ItemKind {
  kValid,      // a combination of values
  kSample,     // one drawn at random
  kLimit,      // at a limit of the level
  kRelation,   // small, for relations between parameters and shapes
  kNeighbour,  // the valid case beside an error case
  kError,      // breaks a condition
  kMutant,     // an error case by a random change
};

// One case to make.
struct Item {
  ItemKind kind = ItemKind::kValid;
  Choice choice;
  const Domain* domain = nullptr;
  std::string neighbour;                   // kError: the id of the nearest legal case
  const Breaker* breaker = nullptr;        // kError, kNeighbour
  const LimitCase* limit = nullptr;        // kLimit
  const RelationCase* relation = nullptr;  // kRelation

  // The condition that the case breaks; empty for a valid case.
  std::string_view condition() const {
    return kind == ItemKind::kError ? breaker->condition : std::string_view();
  }
  bool is_error() const { return kind == ItemKind::kError || kind == ItemKind::kMutant; }
};

}  // namespace cts
