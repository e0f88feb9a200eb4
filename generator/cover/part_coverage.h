// Measures how much the cases of a suite cover of a type row, or of a graph made for the row.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/cover/case_facts.h"
#include "generator/plan/parts.h"
#include "generator/recipe/recipe.h"

namespace cts {

// Counts the things of one kind: all of them, the covered ones, and the impossible ones. The
// remaining things are holes.
struct Tally {
  uint64_t all = 0, covered = 0, impossible = 0;

  uint64_t holes() const { return all - covered - impossible; }
  Tally& operator+=(const Tally& other);
};

// A hole: values of some axes of a part. A case with all these values is possible, but the suite
// has no such case.
struct OpenTuple {
  std::vector<std::pair<std::string, std::string>> values;  // (axis, value)
};

// The coverage of a type row of an operator, or of a graph made for the row.
struct PartCoverage {
  std::string prefix;  // the prefix of its cases' ids: "conv2d/i8-i8-i32"; for a type row
                       // without a Part, its operator and its mode
  std::string op, mode;
  bool is_graph = false;
  std::string not_asked;  // why the recipe asks for no case of the part; empty if it asks for cases
  bool no_row = false;    // the constraints allow no case of the part
  size_t axes = 0;
  uint64_t any_cases = 0;  // the number of valid cases of the part
  // The number of those valid cases for which IsAsChosen holds and whose labels are values of the
  // axes.
  uint64_t cases = 0;
  Tally tuples;
  std::map<std::string, uint64_t> impossible;  // reason -> number of tuples
  std::vector<OpenTuple> holes;
  std::map<std::string, uint64_t> needs;  // extension -> number of axis values that need it
};

// The reason why CUSTOM has no case.
inline constexpr std::string_view kUnknowable =
    "only an implementation knows what the operator does";

// Measures a part. `valid_cases` are the valid cases of this part.
PartCoverage MeasurePart(const Part& part, const Recipe& recipe,
                         const std::vector<const CaseFacts*>& valid_cases);

// Adds a PartCoverage for each type row that the recipe asks for and for which `asked` has no part.
void AddRowsWithoutPart(const Parts& asked, const std::vector<CaseFacts>& cases,
                        std::vector<PartCoverage>& parts);

}  // namespace cts
