// RVTensor's cases, each held against the same graph in TOSA.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <mutex>
#include <string>

#include "generator/generate.h"
#include "generator/recipe/recipe.h"
#include "reference/evaluate/evaluate.h"
#include "reference/formats/to_tosa.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// By way of TRANSPOSE, CONST and what stands for FULLY_CONNECTED, every case has the outcome that
// it has, and its values wherever the reference goes on from operator to operator.
TEST(Rvtensor, CasesMeanTheSameInTosa) {
  const Edition &rvtensor = **FindEdition("rvtensor"), &tosa = **FindEdition("tosa-1.0");
  const Level& level = *tosa.FindLevel("8K");
  GenerateOptions options;
  options.recipe = *FindRecipe("smoke-rvtensor");
  options.jobs = 2;
  std::mutex mutex;
  std::map<std::string, int> compared, left_out;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) -> Status {
    const StatusOr<Graph> lowered = ToTosa(c.graph, rvtensor, tosa);
    const std::lock_guard<std::mutex> lock(mutex);
    if (!lowered.ok()) {
      EXPECT_TRUE(absl::IsUnimplemented(lowered.status())) << c.id << ": " << lowered.status();
      ++left_out["no rendering"];
      return absl::OkStatus();
    }
    const auto evaluation = Evaluate(*lowered, c.inputs, tosa, level);
    if (!evaluation.ok()) {
      ADD_FAILURE() << c.id << ": " << evaluation.status();
      return absl::OkStatus();
    }
    if (evaluation->outcome == Outcome::kUnsupported) {
      ++left_out["unsupported"];
      return absl::OkStatus();
    }
    EXPECT_EQ(evaluation->outcome, c.outcome) << c.id;
    ++compared[std::string(Name(c.outcome))];
    for (size_t i = 0; i < evaluation->outputs.size() && i < c.outputs.size(); ++i) {
      EXPECT_EQ(evaluation->outputs[i].answers[0].expected, c.outputs[i].answers[0].expected)
          << c.id;
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(compared["valid"], 300);
  EXPECT_GT(compared["error"], 300);
  for (const auto& [what, count] : compared) std::cout << what << ": " << count << "\n";
  for (const auto& [what, count] : left_out) std::cout << what << ": " << count << "\n";
}

}  // namespace
}  // namespace cts
