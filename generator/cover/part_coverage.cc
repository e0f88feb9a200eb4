#include "generator/cover/part_coverage.h"

#include <algorithm>
#include <optional>

#include "generator/recipe/profiles.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

// The combinations of values of some axes, and which of them occur.
class TupleSet {
 public:
  TupleSet(std::vector<size_t> axes, const std::vector<int>& sizes)
      : axes_(std::move(axes)), sizes_(sizes) {
    size_t count = 1;
    for (const size_t axis : axes_) count *= static_cast<size_t>(sizes[axis]);
    occurs_.assign(count, false);
  }

  size_t size() const { return occurs_.size(); }
  bool occurs(size_t tuple) const { return occurs_[tuple]; }
  void Add(const Row& row) {
    size_t tuple = 0;
    for (const size_t axis : axes_) {
      tuple = tuple * static_cast<size_t>(sizes_[axis]) + static_cast<size_t>(row[axis]);
    }
    occurs_[tuple] = true;
  }
  Row RowOf(size_t tuple) const {
    Row row(sizes_.size(), kUndecided);
    for (size_t i = axes_.size(); i-- > 0;) {
      row[axes_[i]] = static_cast<int>(tuple % static_cast<size_t>(sizes_[axes_[i]]));
      tuple /= static_cast<size_t>(sizes_[axes_[i]]);
    }
    return row;
  }

 private:
  std::vector<size_t> axes_;
  const std::vector<int>& sizes_;
  std::vector<bool> occurs_;
};

// One for every `strength` of the axes.
std::vector<TupleSet> TupleSets(const std::vector<int>& sizes, size_t strength) {
  std::vector<TupleSet> sets;
  std::vector<bool> chosen(sizes.size(), false);
  std::fill_n(chosen.begin(), strength, true);
  do {
    std::vector<size_t> axes;
    for (size_t axis = 0; axis < chosen.size(); ++axis) {
      if (chosen[axis]) axes.push_back(axis);
    }
    sets.emplace_back(std::move(axes), sizes);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return sets;
}

// The row of a case; nothing if the case's parameters are not those of the space.
std::optional<Row> RowOfCase(const Space& space, const CaseFacts& facts) {
  if (facts.labels.all().size() != space.axes().size()) return std::nullopt;
  std::optional<Row> row = space.RowOf(facts.labels);
  if (row && Contains(*row, kUndecided)) return std::nullopt;
  return row;
}

void MeasureTuples(const Space& space, int strength, const std::vector<Row>& rows,
                   PartCoverage& part) {
  const std::vector<int>& sizes = space.rows().sizes();
  std::vector<TupleSet> sets =
      TupleSets(sizes, std::min(sizes.size(), static_cast<size_t>(strength)));
  for (TupleSet& set : sets) {
    for (const Row& row : rows) set.Add(row);
    for (size_t tuple = 0; tuple < set.size(); ++tuple) {
      ++part.tuples.all;
      if (set.occurs(tuple)) {
        ++part.tuples.covered;
        continue;
      }
      const Row row = set.RowOf(tuple);
      const std::vector<size_t> why = space.rows().WhyImpossible(row);
      if (!why.empty()) {
        ++part.tuples.impossible;
        std::string reason;
        for (const size_t constraint : why) {
          const std::string_view each = space.ReasonOf(constraint);
          if (reason.find(each) != reason.npos) continue;
          reason += StrCat(reason.empty() ? "" : "; ", each);
        }
        ++part.impossible[reason];
        continue;
      }
      OpenTuple hole;
      for (size_t axis = 0; axis < row.size(); ++axis) {
        if (row[axis] == kUndecided) continue;
        const Axis& known = space.axes()[axis];
        hole.values.emplace_back(known.name, known.values[static_cast<size_t>(row[axis])]);
      }
      part.holes.push_back(std::move(hole));
    }
  }
}

// Whether the recipe takes more than whole operators, types and profiles out of the space.
bool IsRestricted(const Recipe& recipe) {
  return !recipe.data_sets.empty() || !recipe.needs.empty() || !recipe.profiles.empty();
}

// The values that some valid case can have, by the extension that they need.
void CountNeeds(const Space& space, std::map<std::string, uint64_t>& needs) {
  if (!space.HasCases()) return;
  for (size_t i = 0; i < space.axes().size(); ++i) {
    const Axis& axis = space.axes()[i];
    for (const auto& [value, extension] : axis.needs) {
      const auto found = std::find(axis.values.begin(), axis.values.end(), value);
      if (found == axis.values.end()) continue;
      Row row(space.axes().size(), kUndecided);
      row[i] = static_cast<int>(found - axis.values.begin());
      if (space.rows().Complete(row)) ++needs[extension];
    }
  }
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  all += other.all;
  covered += other.covered;
  impossible += other.impossible;
  return *this;
}

PartCoverage MeasurePart(const Part& part, const Recipe& recipe,
                         const std::vector<const CaseFacts*>& valid_cases) {
  PartCoverage measured;
  measured.prefix = part.prefix;
  measured.op = part.setting.spec->name;
  measured.mode = part.setting.row->mode;
  measured.is_graph = part.is_graph;
  const Space space(*part.domain, part.setting, recipe, part.is_graph);
  measured.axes = space.axes().size();
  CountNeeds(space, measured.needs);
  std::vector<Row> rows;
  for (const CaseFacts* facts : valid_cases) {
    ++measured.any_cases;
    if (!IsAsChosen(*facts)) continue;
    if (std::optional<Row> row = RowOfCase(space, *facts)) rows.push_back(*std::move(row));
  }
  measured.cases = rows.size();
  if (!recipe.conditions.empty()) {
    measured.not_asked = "the recipe asks for some conditions only";
  } else if (!part.is_graph && !recipe.valid_cases) {
    measured.not_asked = "the recipe asks for no valid cases of single operators";
  } else if (part.is_graph && !part.is_symbolic && !recipe.graphs) {
    measured.not_asked = "the recipe asks for this graph only as networks' layers have it";
  } else if (space.HasCases()) {
    MeasureTuples(space, recipe.strength, rows, measured);
  } else if (IsRestricted(recipe)) {
    measured.not_asked =
        "no value of some parameter is left by the recipe's data sets, profiles "
        "and needs";
  } else {
    measured.no_row = true;
  }
  return measured;
}

void AddRowsWithoutPart(const Parts& asked, const std::vector<CaseFacts>& cases,
                        std::vector<PartCoverage>& parts) {
  const Recipe& recipe = *asked.recipe;
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || Contains(names, name);
  };
  for (const OperatorSpec& spec : asked.edition->operators) {
    for (const TypeRow& row : spec.type_rows) {
      const bool is_asked =
          is_among(recipe.operators, spec.name) && IsWithin(row.profiles, recipe.profiles) &&
          (recipe.types.empty() ||
           std::any_of(row.types.begin(), row.types.end(),
                       [&](const auto& type) { return is_among(recipe.types, type.second); }));
      const bool has_part =
          std::any_of(asked.parts.begin(), asked.parts.end(),
                      [&](const Part& part) { return !part.is_graph && part.setting.row == &row; });
      if (!is_asked || has_part) continue;
      PartCoverage& part = parts.emplace_back();
      part.prefix = StrCat(spec.name, ", ", row.mode);
      part.op = spec.name;
      part.mode = row.mode;
      part.any_cases = static_cast<uint64_t>(
          std::count_if(cases.begin(), cases.end(), [&](const CaseFacts& facts) {
            return facts.outcome == Outcome::kValid && !IsOfGraph(facts) && facts.op == spec.name &&
                   facts.mode == row.mode;
          }));
      const auto& domains = OperatorDomains();
      const auto domain = std::find_if(domains.begin(), domains.end(),
                                       [&](const auto& known) { return known.name == spec.name; });
      if (domain != domains.end() && domain->domain().build == nullptr) {
        part.not_asked = kUnknowable;
      } else {
        part.no_row = true;
      }
    }
  }
}

}  // namespace cts
