#include "generator/partial_suite.h"

#include <gtest/gtest.h>

#include <string>

namespace cts {
namespace {

FinishedCase Finished() {
  FinishedCase finished;
  finished.entry = {"add/a", "ADD", "valid", std::string(64, 'a'), {"c"}, 0.5, "add/b"};
  finished.files = {"case.json", "in.npy"};
  return finished;
}

TEST(Journal, LineComesBack) {
  const std::string line = JournalLine(Finished());
  const auto again = ParseJournalLine(line);
  ASSERT_TRUE(again);
  EXPECT_EQ(JournalLine(*again), line);
}

TEST(Journal, PassesOverLinesThatAreNotWhole) {
  const std::string line = JournalLine(Finished());
  EXPECT_FALSE(ParseJournalLine(line.substr(0, line.size() - 5)));
  for (const auto& [from, to] : {std::pair("0.5", "\"x\""),
                                 {"\"add/b\"", "5"},
                                 {"[\"c\"]", "[1]"},
                                 {"\"add/a\"", "\"../../a\""}}) {
    std::string other = line;
    other.replace(other.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(ParseJournalLine(other)) << other;
  }
}

}  // namespace
}  // namespace cts
