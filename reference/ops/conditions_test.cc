// The tables of conditions against the official counts.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "reference/graph/symbols.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

struct Counts {
  int error_if = 0, require = 0, level = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.error_if << " ERROR_IF, " << c.require << " REQUIRE, " << c.level << " level";
  }
};

// ERROR_IF, REQUIRE and LEVEL_CHECK as counted in the specification's pseudocode and XML at the
// revisions of the editions.
const std::map<std::string, std::map<std::string, Counts>> kOfficial = {
    {"tosa-0.100",
     {{"ARGMAX", {2, 0, 1}},
      {"AVG_POOL2D", {9, 0, 8}},
      {"CONV2D", {8, 0, 8}},
      {"CONV3D", {9, 0, 12}},
      {"DEPTHWISE_CONV2D", {8, 0, 8}},
      {"FFT2D", {2, 0, 2}},
      {"FULLY_CONNECTED", {3, 0, 0}},
      {"MATMUL", {1, 0, 0}},
      {"MAX_POOL2D", {7, 0, 8}},
      {"RFFT2D", {2, 0, 2}},
      {"TRANSPOSE_CONV2D", {8, 0, 8}},
      {"CLAMP", {1, 0, 1}},
      {"ERF", {0, 0, 1}},
      {"SIGMOID", {0, 0, 1}},
      {"TANH", {0, 0, 1}},
      {"ADD", {1, 0, 1}},
      {"ARITHMETIC_RIGHT_SHIFT", {1, 1, 1}},
      {"BITWISE_AND", {1, 0, 1}},
      {"BITWISE_OR", {1, 0, 1}},
      {"BITWISE_XOR", {1, 0, 1}},
      {"INTDIV", {1, 2, 1}},
      {"LOGICAL_AND", {1, 0, 1}},
      {"LOGICAL_LEFT_SHIFT", {1, 1, 1}},
      {"LOGICAL_RIGHT_SHIFT", {1, 1, 1}},
      {"LOGICAL_OR", {1, 0, 1}},
      {"LOGICAL_XOR", {1, 0, 1}},
      {"MAXIMUM", {1, 0, 1}},
      {"MINIMUM", {1, 0, 1}},
      {"MUL", {1, 3, 1}},
      {"POW", {1, 0, 1}},
      {"SUB", {1, 0, 1}},
      {"TABLE", {0, 1, 1}},
      {"ABS", {0, 0, 1}},
      {"BITWISE_NOT", {0, 0, 1}},
      {"CEIL", {0, 0, 1}},
      {"CLZ", {0, 0, 1}},
      {"COS", {0, 0, 1}},
      {"EXP", {0, 0, 1}},
      {"FLOOR", {0, 0, 1}},
      {"LOG", {0, 0, 1}},
      {"LOGICAL_NOT", {0, 0, 1}},
      {"NEGATE", {2, 0, 1}},
      {"RECIPROCAL", {0, 0, 1}},
      {"RSQRT", {0, 0, 1}},
      {"SELECT", {1, 0, 1}},
      {"SIN", {0, 0, 1}},
      {"EQUAL", {1, 0, 1}},
      {"GREATER", {1, 0, 1}},
      {"GREATER_EQUAL", {1, 0, 1}},
      {"REDUCE_ALL", {2, 0, 0}},
      {"REDUCE_ANY", {2, 0, 0}},
      {"REDUCE_MAX", {2, 0, 0}},
      {"REDUCE_MIN", {2, 0, 0}},
      {"REDUCE_PRODUCT", {2, 0, 0}},
      {"REDUCE_SUM", {2, 0, 0}},
      {"CONCAT", {4, 0, 1}},
      {"PAD", {3, 0, 1}},
      {"DIM", {1, 0, 1}},
      {"RESHAPE", {1, 0, 2}},
      {"REVERSE", {1, 0, 1}},
      {"SLICE", {6, 0, 1}},
      {"TILE", {2, 0, 1}},
      {"TRANSPOSE", {6, 0, 1}},
      {"GATHER", {0, 1, 0}},
      {"SCATTER", {0, 2, 0}},
      {"RESIZE", {10, 0, 2}},
      {"CAST", {0, 0, 1}},
      {"RESCALE", {10, 0, 1}},
      {"CONST", {0, 0, 0}},
      {"IDENTITY", {0, 0, 0}},
      {"CUSTOM", {0, 0, 0}},
      {"COND_IF", {6, 0, 0}},
      {"WHILE_LOOP", {7, 0, 0}},
      {"VARIABLE", {0, 3, 1}},
      {"VARIABLE_WRITE", {0, 4, 1}},
      {"VARIABLE_READ", {0, 4, 1}},
      {"ADD_SHAPE", {1, 0, 0}},
      {"CONCAT_SHAPE", {1, 0, 0}},
      {"CONST_SHAPE", {0, 0, 0}},
      {"DIV_SHAPE", {1, 0, 0}},
      {"MUL_SHAPE", {1, 0, 0}},
      {"SUB_SHAPE", {1, 0, 0}}}},
    {"tosa-1.0",
     {{"ARGMAX", {2, 1, 1}},
      {"AVG_POOL2D", {9, 0, 8}},
      {"CONV2D", {8, 0, 8}},
      {"CONV3D", {9, 0, 12}},
      {"DEPTHWISE_CONV2D", {8, 0, 8}},
      {"FFT2D", {2, 0, 2}},
      {"MATMUL", {1, 0, 0}},
      {"MAX_POOL2D", {7, 0, 8}},
      {"RFFT2D", {2, 0, 2}},
      {"TRANSPOSE_CONV2D", {8, 0, 8}},
      {"CLAMP", {2, 0, 1}},
      {"ERF", {0, 0, 1}},
      {"SIGMOID", {0, 0, 1}},
      {"TANH", {0, 0, 1}},
      {"ADD", {1, 0, 1}},
      {"ARITHMETIC_RIGHT_SHIFT", {1, 1, 1}},
      {"BITWISE_AND", {1, 0, 1}},
      {"BITWISE_OR", {1, 0, 1}},
      {"BITWISE_XOR", {1, 0, 1}},
      {"INTDIV", {1, 1, 1}},
      {"LOGICAL_AND", {1, 0, 1}},
      {"LOGICAL_LEFT_SHIFT", {1, 1, 1}},
      {"LOGICAL_RIGHT_SHIFT", {1, 1, 1}},
      {"LOGICAL_OR", {1, 0, 1}},
      {"LOGICAL_XOR", {1, 0, 1}},
      {"MAXIMUM", {1, 0, 1}},
      {"MINIMUM", {1, 0, 1}},
      {"MUL", {1, 3, 1}},
      {"POW", {1, 4, 1}},
      {"SUB", {1, 0, 1}},
      {"TABLE", {0, 1, 1}},
      {"ABS", {0, 0, 1}},
      {"BITWISE_NOT", {0, 0, 1}},
      {"CEIL", {0, 0, 1}},
      {"CLZ", {0, 0, 1}},
      {"COS", {0, 0, 1}},
      {"EXP", {0, 0, 1}},
      {"FLOOR", {0, 0, 1}},
      {"LOG", {0, 0, 1}},
      {"LOGICAL_NOT", {0, 0, 1}},
      {"NEGATE", {2, 0, 1}},
      {"RECIPROCAL", {0, 0, 1}},
      {"RSQRT", {0, 0, 1}},
      {"SIN", {0, 0, 1}},
      {"SELECT", {1, 0, 1}},
      {"EQUAL", {1, 0, 1}},
      {"GREATER", {1, 0, 1}},
      {"GREATER_EQUAL", {1, 0, 1}},
      {"REDUCE_ALL", {2, 0, 0}},
      {"REDUCE_ANY", {2, 0, 0}},
      {"REDUCE_MAX", {2, 0, 0}},
      {"REDUCE_MIN", {2, 0, 0}},
      {"REDUCE_PRODUCT", {2, 0, 0}},
      {"REDUCE_SUM", {2, 0, 0}},
      {"CONCAT", {5, 0, 2}},
      {"PAD", {3, 0, 1}},
      {"RESHAPE", {1, 0, 2}},
      {"REVERSE", {1, 0, 1}},
      {"SLICE", {6, 0, 1}},
      {"TILE", {2, 0, 1}},
      {"TRANSPOSE", {6, 0, 1}},
      {"GATHER", {0, 1, 0}},
      {"SCATTER", {0, 2, 0}},
      {"RESIZE", {10, 0, 2}},
      {"CAST", {0, 0, 1}},
      {"RESCALE", {14, 0, 1}},
      {"CONST", {0, 0, 0}},
      {"IDENTITY", {0, 0, 0}},
      {"CUSTOM", {0, 0, 2}},
      {"COND_IF", {6, 0, 3}},
      {"WHILE_LOOP", {7, 0, 2}},
      {"VARIABLE", {0, 3, 1}},
      {"VARIABLE_WRITE", {0, 4, 1}},
      {"VARIABLE_READ", {0, 4, 1}},
      {"CONST_SHAPE", {0, 0, 0}}}},
    // As of tosa-1.0, whose conditions it has where its document says nothing; RESCALE without that
    // of double rounding, FULLY_CONNECTED as of tosa-0.100.
    {"rvtensor",
     {{"CONV2D", {8, 0, 8}},
      {"CONV3D", {9, 0, 12}},
      {"DEPTHWISE_CONV2D", {8, 0, 8}},
      {"TRANSPOSE_CONV2D", {8, 0, 8}},
      {"FULLY_CONNECTED", {3, 0, 0}},
      {"MATMUL", {1, 0, 0}},
      {"RESCALE", {13, 0, 1}},
      {"RESHAPE", {1, 0, 2}},
      {"TRANSPOSE", {6, 0, 1}},
      {"CONST", {0, 0, 0}},
      {"CONST_SHAPE", {0, 0, 0}}}},
};

TEST(Conditions, AreAsManyAsTheSpecificationHas) {
  for (const auto& [edition, operators] : kOfficial) {
    size_t in_edition = 0;
    for (const Operator& op : Operators()) {
      if ((*FindEdition(edition))->FindOperator(op.name) == nullptr) continue;
      Counts found;
      for (const Condition& c : op.conditions()) {
        if (!StandsIn(c, **FindEdition(edition))) continue;
        found.error_if += c.kind == ConditionKind::kErrorIf;
        found.require += c.kind == ConditionKind::kRequire;
        found.level += c.kind == ConditionKind::kLevel;
      }
      ++in_edition;
      ASSERT_TRUE(operators.contains(std::string(op.name))) << edition << " " << op.name;
      EXPECT_EQ(found, operators.at(std::string(op.name))) << edition << " " << op.name;
    }
    EXPECT_EQ(operators.size(), in_edition);
  }
}

TEST(Conditions, HaveIdsThatNameTheirOperator) {
  for (const Operator& op : Operators()) {
    std::string prefix(op.name);
    for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const Condition& c : op.conditions()) {
      EXPECT_TRUE(c.id.starts_with(prefix + ".")) << c.id;
      EXPECT_FALSE(c.paraphrase.empty()) << c.id;
    }
  }
}

// An id may have other words in another edition, but one row in each.
TEST(Conditions, HaveOneRowAnEdition) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = **FindEdition(id);
    std::set<std::string_view> ids;
    const auto add = [&](const Conditions& list) {
      for (const Condition& c : list) {
        if (!StandsIn(c, edition)) continue;
        EXPECT_TRUE(ids.insert(c.id).second) << id << " " << c.id;
        EXPECT_TRUE(edition.Has(Feature::kExecuted)) << id;
      }
    };
    for (const Operator& op : Operators()) add(op.conditions());
    for (const Conditions& list : {GraphConditions(), LibraryConditions(), SymbolConditions()}) {
      add(list);
    }
  }
}

TEST(Conditions, StandWhereTheirFeatureDoes) {
  const Edition &release = **FindEdition("tosa-1.0"), &draft = **FindEdition("tosa-0.100");
  const Edition &rvtensor = **FindEdition("rvtensor"), &next = **FindEdition("tosa-1.1-draft");
  const auto words = [](std::string_view id, const Edition& edition) {
    const Condition* condition = FindCondition(id, edition);
    return condition == nullptr ? std::string_view() : condition->paraphrase;
  };
  EXPECT_EQ(words("logical_left_shift.shift_range", release),
            "a shift is outside 0 to the type's width - 1");
  EXPECT_EQ(words("logical_left_shift.shift_range", draft), "a shift is outside 0 to 31");
  EXPECT_NE(words("clamp.nan_bounds", release), "");
  EXPECT_EQ(words("clamp.nan_bounds", draft), "");
  EXPECT_EQ(words("rescale.unsigned_type", release), "");
  EXPECT_NE(words("rescale.unsigned_type", draft), "");
  // By operator: RVTensor has no CLAMP, and nobody but 0.100 a DIM.
  EXPECT_NE(words("apply_clip_s.bounds", release), "");
  EXPECT_EQ(words("apply_clip_s.bounds", rvtensor), "");
  EXPECT_NE(words("dim.axis_range", draft), "");
  EXPECT_EQ(words("dim.axis_range", release), "");
  EXPECT_EQ(words("graph.type_row", next), "");
}

TEST(Operators, AreInAnEditionThatTheReferenceCovers) {
  for (const Operator& op : Operators()) {
    EXPECT_TRUE((*FindEdition("tosa-0.100"))->FindOperator(op.name) != nullptr ||
                (*FindEdition("tosa-1.0"))->FindOperator(op.name) != nullptr)
        << op.name;
  }
}

}  // namespace
}  // namespace cts
