// Faults of COND_IF, WHILE_LOOP where the level ends.
#include <gtest/gtest.h>

#include "reference/evaluate/native.h"
#include "reference/evaluate/testing.h"
#include "reference/faults/catalogue.h"

namespace cts {
namespace {

using namespace testing_graph;  // NOLINT(google-build-using-namespace): helpers of these tests

// Counts to 3.
Graph Counting() {
  return {{R("main", {"i"}, {"p"}, {I32("i"), I32("p")}, {WhileLoop({"i"}, {"p"})}),
           R("cond", {"i1"}, {"c1"}, {I32("i1"), Constant("n1", 3), Bool("c1")},
             {Op("GREATER", {"n1", "i1"}, {"c1"})}),
           R("body", {"i2"}, {"j2"}, {I32("i2"), Constant("one", 1), I32("j2")},
             {Op("ADD", {"i2", "one"}, {"j2"})})}};
}

// Returns the count that `while_loop.once_less` ends with; -1 where it refuses.
int64_t Counted(int64_t max_nesting) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  EXPECT_TRUE(edition.ok()) << edition.status();
  const StatusOr<const Fault*> fault = FindFault(**edition, "while_loop.once_less");
  EXPECT_TRUE(fault.ok()) << fault.status();
  Level level = *(*edition)->FindLevel("8K");
  level.maxima["MAX_NESTING"] = max_nesting;
  const std::map<std::string, Tensor> inputs = {{"i", Integers({0})}};
  const auto results = ExecuteFaulty(**fault, Counting(), {&inputs}, **edition, level);
  EXPECT_TRUE(results.ok()) << results.status();
  const NativeResult& result = results->front();
  return result.outcome == Outcome::kValid ? result.outputs.at("p").Integer(0) : -1;
}

// The graph that says what the fault does has a COND_IF in its condition: one deeper.
TEST(WhileLoopFaults, AreRefusedOnlyWhereTheGraphItselfIs) {
  EXPECT_EQ(Counted(6), 2);
  EXPECT_EQ(Counted(1), 2);
  EXPECT_EQ(Counted(0), -1);
}

}  // namespace
}  // namespace cts
