// How much a suite covers of what its recipe asks for: read from the suite, proven against the
// domains.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/plan.h"
#include "generator/recipe.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// How many of `all` things are covered, and how many cannot be; the rest are holes.
struct Tally {
  uint64_t all = 0, covered = 0, impossible = 0;

  uint64_t holes() const { return all - covered - impossible; }
  Tally& operator+=(const Tally& other);
};

// Values of some axes of a part. A case could have them together, but none has.
struct OpenTuple {
  std::vector<std::pair<std::string, std::string>> values;  // (axis, value)
};

// A type row of an operator, or a graph made for it.
struct PartCoverage {
  std::string prefix;  // of the ids of its cases: "conv2d/i8-i8-i32"
  std::string op, mode;
  bool is_graph = false;
  std::string not_asked;  // why the recipe asks for no case of it; empty if it does
  bool no_row = false;    // its constraints allow no case at all
  size_t axes = 0;
  uint64_t any_cases = 0;  // all valid ones of the type row; of a graph the same as `cases`
  uint64_t cases = 0;      // those whose parameters are values of the axes
  Tally tuples;
  std::map<std::string, uint64_t> impossible;  // how many tuples for which reason
  std::vector<OpenTuple> holes;
  std::map<std::string, uint64_t> needs;  // how many values of axes need which extension
};

enum class ConditionState {
  kCovered,     // an error case breaks it
  kHole,        // none does, and one could
  kNotAlone,    // whatever breaks it breaks another one first
  kNotAsked,    // not of the operators, types and profiles that the recipe asks for
  kNotWithin,   // of an operator that it asks for, but needs other profiles, types or data
  kNoBreaker,   // of any graph, and not among those that the generator can break
  kNeverACase,  // REQUIRE or LEVEL_CHECK: the result would be unpredictable
};
std::string_view Name(ConditionState state);

struct ConditionCoverage {
  std::string id, op, kind;  // as `list conditions` has them
  ConditionState state = ConditionState::kNeverACase;
  std::string reason;  // kNotAlone, kNotAsked, kNotWithin, kNoBreaker
  uint64_t cases = 0;
};

struct ProfileCoverage {
  std::string name;
  bool is_extension = false;
  uint64_t type_rows = 0;  // that are asked for and need it, in at least one alternative
  uint64_t values = 0;     // of parameters, that some case can have and that need it
  uint64_t cases = 0;      // that need it, in at least one alternative
  std::string excuse;      // why no case can need it; empty: one can

  bool is_hole() const { return (type_rows > 0 || values > 0) && cases == 0 && excuse.empty(); }
};

struct Coverage {
  Suite suite;
  Recipe recipe;
  std::vector<std::string> filters;  // of the recipe, that leave holes: "shard 1/4"
  uint64_t valid_cases = 0, error_cases = 0;
  uint64_t counted_cases = 0;  // those whose parameters count for tuples
  std::optional<std::pair<std::string, double>> least_teeth;  // case and share, if measured
  Tally planned;                       // the cases that the recipe makes, of all shards
  std::vector<std::string> missing;    // ids: those that the suite lacks
  std::vector<std::string> unplanned;  // ids: what the suite has and the recipe does not make
  std::vector<PartCoverage> parts;     // in the edition's order, graphs last
  std::vector<ConditionCoverage> conditions;  // all of the edition
  std::vector<ProfileCoverage> profiles;      // all of the edition

  Tally Tuples() const;
  Tally TypeRows() const;    // impossible: not asked for
  Tally Conditions() const;  // without those that are never a case; impossible: kNotAlone and so on
  uint64_t Holes() const;    // of all kinds
};

// Reads suite.json and every case. Errors: a suite that does not say what it is to cover, an
// invalid recipe, a case that cannot be read or that differs from the manifest.
StatusOr<Coverage> MeasureCoverage(const std::filesystem::path& suite, int jobs);

// Why no error case of a recipe breaks a condition, for each operator, in the words of
// ConditionCoverage.
class UnbrokenConditions {
 public:
  static StatusOr<UnbrokenConditions> Of(const Recipe& recipe);

  // The reason for an ERROR_IF of the operator, or of any graph ("graph.rank"). Empty: a case could
  // break it.
  std::string_view Reason(std::string_view condition, const std::string& op) const;

 private:
  Plan asked_, everything_;
};

}  // namespace cts
