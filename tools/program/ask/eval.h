// `tensor-cts eval`: runs the reference alone, on a case, on a graph, on operator calls.
#pragma once

#include <filesystem>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/evaluate.h"

namespace cts {

// The reference's answer to a graph, and the question.
struct Evaluated {
  std::string name;  // id of a case, file of a graph
  const Edition* edition = nullptr;
  std::string level;
  Evaluation
      evaluation;  // of all executions; if the outcome is not valid, the last one is the reason
  std::vector<Binding> bindings = {};  // for a symbolic program: those of every execution
};

// A case, given by its folder, or by the suite's folder and its id. Errors for an unknown id name
// the nearest.
StatusOr<Evaluated> EvaluateCase(const std::filesystem::path& folder, const std::string& id);

// A file that holds a graph as it stands in case.json. `inputs` maps names to .npy files, for every
// input of the main block.
StatusOr<Evaluated> EvaluateGraph(const std::filesystem::path& file,
                                  const std::map<std::string, std::filesystem::path>& inputs,
                                  const CallDefaults& defaults, int data_set);

// As text for people, and in the form of schemas/answer.schema.json, with the name as id.
std::string FormatEvaluation(const Evaluated& evaluated);
Json EvaluatedToJson(const Evaluated& evaluated);

// Writes DIR/NAME.npy and, if they exist, flushed/NAME.npy, bound/ and upper/
// (flushed/NAME.bound.npy, flushed/NAME.upper.npy). Floating-point outputs are fp64: the reference
// values before rounding.
Status WriteOutputs(const Evaluation& evaluation, const std::filesystem::path& directory);

// Reads one line without its end. Returns whether there was one. `too_long`: only a part of it was
// kept.
bool ReadLine(std::istream& in, std::string& line, bool& too_long);

// Answers line after line; blank lines are skipped, each answer is flushed. Returns whether all
// lines were calls. An error if `in` cannot be read or `out` written; the error calls `in` by
// `origin`.
StatusOr<bool> AnswerCalls(std::istream& in, std::ostream& out, const CallDefaults& defaults,
                           const std::string& origin);

}  // namespace cts
