// The tables of conditions against the official counts.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

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
    {"tosa-0.100", {{"ARGMAX", {2, 0, 1}},      {"CONV2D", {8, 0, 8}},      {"FFT2D", {2, 0, 2}},
                    {"MATMUL", {1, 0, 0}},      {"RFFT2D", {2, 0, 2}},      {"CLAMP", {1, 0, 1}},
                    {"ERF", {0, 0, 1}},         {"SIGMOID", {0, 0, 1}},     {"TANH", {0, 0, 1}},
                    {"ADD", {1, 0, 1}},         {"MAXIMUM", {1, 0, 1}},     {"MUL", {1, 3, 1}},
                    {"POW", {1, 0, 1}},         {"TABLE", {0, 1, 1}},       {"ABS", {0, 0, 1}},
                    {"BITWISE_NOT", {0, 0, 1}}, {"CEIL", {0, 0, 1}},        {"CLZ", {0, 0, 1}},
                    {"COS", {0, 0, 1}},         {"EXP", {0, 0, 1}},         {"FLOOR", {0, 0, 1}},
                    {"LOG", {0, 0, 1}},         {"LOGICAL_NOT", {0, 0, 1}}, {"NEGATE", {2, 0, 1}},
                    {"RECIPROCAL", {0, 0, 1}},  {"RSQRT", {0, 0, 1}},       {"SIN", {0, 0, 1}},
                    {"REDUCE_SUM", {2, 0, 0}},  {"CONCAT", {4, 0, 1}},      {"RESIZE", {10, 0, 2}},
                    {"CAST", {0, 0, 1}},        {"RESCALE", {10, 0, 1}},    {"CONST", {0, 0, 0}},
                    {"IDENTITY", {0, 0, 0}},    {"CONST_SHAPE", {0, 0, 0}}}},
    {"tosa-1.0", {{"ARGMAX", {2, 1, 1}},      {"CONV2D", {8, 0, 8}},      {"FFT2D", {2, 0, 2}},
                  {"MATMUL", {1, 0, 0}},      {"RFFT2D", {2, 0, 2}},      {"CLAMP", {2, 0, 1}},
                  {"ERF", {0, 0, 1}},         {"SIGMOID", {0, 0, 1}},     {"TANH", {0, 0, 1}},
                  {"ADD", {1, 0, 1}},         {"MAXIMUM", {1, 0, 1}},     {"MUL", {1, 3, 1}},
                  {"POW", {1, 4, 1}},         {"TABLE", {0, 1, 1}},       {"ABS", {0, 0, 1}},
                  {"BITWISE_NOT", {0, 0, 1}}, {"CEIL", {0, 0, 1}},        {"CLZ", {0, 0, 1}},
                  {"COS", {0, 0, 1}},         {"EXP", {0, 0, 1}},         {"FLOOR", {0, 0, 1}},
                  {"LOG", {0, 0, 1}},         {"LOGICAL_NOT", {0, 0, 1}}, {"NEGATE", {2, 0, 1}},
                  {"RECIPROCAL", {0, 0, 1}},  {"RSQRT", {0, 0, 1}},       {"SIN", {0, 0, 1}},
                  {"REDUCE_SUM", {2, 0, 0}},  {"CONCAT", {5, 0, 2}},      {"RESIZE", {10, 0, 2}},
                  {"CAST", {0, 0, 1}},        {"RESCALE", {14, 0, 1}},    {"CONST", {0, 0, 0}},
                  {"IDENTITY", {0, 0, 0}},    {"CONST_SHAPE", {0, 0, 0}}}},
};

TEST(Conditions, AreAsManyAsTheSpecificationHas) {
  for (const auto& [edition, operators] : kOfficial) {
    ASSERT_EQ(operators.size(), Operators().size());
    for (const Operator& op : Operators()) {
      Counts found;
      for (const Condition& c : op.conditions()) {
        if ((c.editions & MaskOf(edition)) == 0) continue;
        found.error_if += c.kind == ConditionKind::kErrorIf;
        found.require += c.kind == ConditionKind::kRequire;
        found.level += c.kind == ConditionKind::kLevel;
      }
      EXPECT_EQ(found, operators.at(std::string(op.name))) << edition << " " << op.name;
    }
  }
}

TEST(Conditions, HaveUniqueIdsThatNameTheirOperator) {
  std::set<std::string_view> ids;
  for (const Operator& op : Operators()) {
    std::string prefix(op.name);
    for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const Condition& c : op.conditions()) {
      EXPECT_TRUE(ids.insert(c.id).second) << c.id;
      EXPECT_TRUE(c.id.starts_with(prefix + ".")) << c.id;
      EXPECT_FALSE(c.paraphrase.empty()) << c.id;
    }
  }
  for (const Conditions& list : {GraphConditions(), LibraryConditions()}) {
    for (const Condition& c : list) EXPECT_TRUE(ids.insert(c.id).second) << c.id;
  }
}

TEST(Operators, AreInEveryEditionThatTheReferenceCovers) {
  for (const char* id : {"tosa-0.100", "tosa-1.0"}) {
    for (const Operator& op : Operators()) {
      EXPECT_NE((*FindEdition(id))->FindOperator(op.name), nullptr) << id << " " << op.name;
    }
  }
}

}  // namespace
}  // namespace cts
