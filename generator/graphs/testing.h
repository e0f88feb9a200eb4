// Helpers that the tests of graphs share.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>

#include "generator/generate.h"

namespace cts::testing_graphs {

using Cases = std::map<std::string, Case>;  // by id

// Every case of a recipe.
inline Cases CasesOf(const Recipe& recipe) {
  Cases cases;
  GenerateOptions options;
  options.recipe = recipe;
  options.jobs = 2;
  std::mutex mutex;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    cases.emplace(c.id, c);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return cases;
}

}  // namespace cts::testing_graphs
