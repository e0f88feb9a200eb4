// Makes cases from a recipe and an edition, and a suite on disk from cases.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

struct GenerateOptions {
  Recipe recipe;
  std::filesystem::path out;  // the suite's directory; must not exist, or must be empty
  int jobs = 0;               // the number of threads; 0: one per core
  bool resume = false;        // continue an interrupted run of the same recipe
  bool pack = false;          // write one file for each operator (reference/base/pack.h)
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress;
  // Once `*stop` is true, generating ends with an error. A later call with `resume` continues.
  const std::atomic<bool>* stop = nullptr;
};

// A case of a recipe before it is computed.
struct PlannedCase {
  std::string id;
  std::string op;
  std::string mode;       // of the type row
  std::string condition;  // the condition that it breaks; empty for a valid case
};

// Returns the cases that Generate would write, sorted by id.
StatusOr<std::vector<PlannedCase>> PlanCases(const Recipe& recipe);

// Makes the cases in memory. Several threads call `sink` at a time, each with one case and the
// case's position in the result of PlanCases. The first error of `sink` ends the call.
Status ForEachCase(const GenerateOptions& options,
                   const std::function<Status(size_t, const Case&)>& sink);

// Chooses among a recipe's cases before the reference computes their answers.
struct CaseFilter {
  // Whether to make the case.
  std::function<bool(size_t, const PlannedCase&)> begins;
  // Whether to let the reference compute the answer. This function gets a case that already has its
  // graph and its inputs. The inputs are from the first draw of random data; later draws may
  // follow. This function is not called for repeated and mutated cases.
  std::function<StatusOr<bool>(size_t, const Case&)> goes_on;
};

// Like ForEachCase, but only for the cases that the filter chooses.
Status ForEachWantedCase(const GenerateOptions& options, const CaseFilter& filter,
                         const std::function<Status(size_t, const Case&)>& sink);

// Like ForEachCase, but passes each case's entry of suite.json to `sink`.
Status ForEachEntry(const GenerateOptions& options,
                    const std::function<Status(const SuiteEntry&)>& sink);

// Writes the suite into a folder beside `out`, and renames that folder to `out` when the suite is
// complete. The bytes of the suite do not depend on `jobs`. If the outcome of a case is not the
// intended one, the generator has a bug: the call then ends with an error, and never leaves out the
// case silently.
StatusOr<Suite> Generate(const GenerateOptions& options);

}  // namespace cts
