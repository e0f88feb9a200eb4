// Shared by the cases at the limits of a level (Domain::limits).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The level's maximum; at level `none` a value that fits the memory and still exceeds 8K's limits.
inline int64_t Limit(const Setting& setting, std::string_view name) {
  constexpr int64_t kLargest = 10007;
  return std::min(setting.level->Max(name), kLargest);
}

// The choice from which `draft` was built, with these labels instead, which need not be values of
// the axes. The data set stays; every other axis has its first value.
inline CaseDraft BuildAt(const CaseDraft& draft, std::vector<Axis> (*axes)(const Setting&),
                         CaseDraft (*build)(const Choice&), Labels labels) {
  const Choice& before = *draft.built_from;
  if (!labels.Has("data")) labels.Set("data", before.data_set().text());
  for (const Axis& axis : axes(before.setting)) {
    if (!labels.Has(axis.name)) labels.Set(axis.name, axis.values.front());
  }
  Choice choice = before;
  choice.labels = labels.GuardedAs(before.labels);
  return build(choice);
}

// A relation of full domains alone: the case with these labels, which need not be values of the
// axes. `labels` are those of the draft that it starts from.
inline RelationCase RelationAt(std::string what, std::vector<Axis> (*axes)(const Setting&),
                               CaseDraft (*build)(const Choice&), const Labels& at,
                               bool (*applies)(const Setting&) = nullptr, Labels labels = {}) {
  return {
      .what = std::move(what),
      .applies = applies,
      .change = [=](const Setting&, CaseDraft& draft) { draft = BuildAt(draft, axes, build, at); },
      .labels = std::move(labels),
      .more = true};
}

// A shape of rank 6 without a dimension of 1: a kernel that folds dimensions has the most to do.
inline constexpr char kRank6[] = "2x3x2x2x3x5";

// The case of full domains that has it, for operators whose axis "shape" is that of the input.
inline RelationCase Rank6(std::vector<Axis> (*axes)(const Setting&),
                          CaseDraft (*build)(const Choice&), Labels labels = {}) {
  return RelationAt("rank6", axes, build, {{"shape", kRank6}}, nullptr, std::move(labels));
}

// One type row of the integers and one of floating point, by the first operand, have the limits'
// cases: limits do not depend on types.
inline bool IsI8OrFp32(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->Type(argument.element_type);
    if (!type || argument.category != ArgumentCategory::kInput) continue;
    const DType weight_t = setting.row->Type("weight_t").value_or(*type);
    return (type == DType::kI8 || type == DType::kFp32) && weight_t == *type;
  }
  return false;
}

}  // namespace cts
