// `tensor-cts eval`: runs the reference, without an implementation, on a case, a graph or operator
// calls.
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

// A graph that the reference evaluated, and the reference's answer.
struct Evaluated {
  std::string name;  // the id of the case, or the file of the graph
  const Edition* edition = nullptr;
  std::string level;
  Evaluation evaluation;  // the outputs of all executions; `outcome` is that of the last execution
  std::vector<Binding> bindings = {};  // of a symbolic program: one for each execution
};

// Evaluates a case, given by its folder, or by the suite's folder and the case's id. The error for
// an unknown id names the most similar ids.
StatusOr<Evaluated> EvaluateCase(const std::filesystem::path& folder, const std::string& id);

// Evaluates a graph from a file in the form that graphs have in case.json. `inputs` maps the name
// of every input of the main block to a .npy file. `data_set` is the data set S of the dot-product
// rule, 0 to 5; -1: other data.
StatusOr<Evaluated> EvaluateGraph(const std::filesystem::path& file,
                                  const std::map<std::string, std::filesystem::path>& inputs,
                                  const CallDefaults& defaults, int data_set);

// FormatEvaluation returns the evaluation as text for people. EvaluatedToJson returns it in the
// form of schemas/answer.schema.json, with Evaluated::name as the member `id`.
std::string FormatEvaluation(const Evaluated& evaluated);
Json EvaluatedToJson(const Evaluated& evaluated);

// Writes into `directory`: the values to NAME.npy, bounds to bound/NAME.npy and, for intervals, the
// greatest accepted values to upper/NAME.npy. If an output has an answer with flushed subnormals,
// writes that answer to flushed/NAME.npy, flushed/NAME.bound.npy and flushed/NAME.upper.npy.
// Floating-point outputs are fp64: the reference values before rounding.
Status WriteOutputs(const Evaluation& evaluation, const std::filesystem::path& directory);

// Reads one line, without its line end. Returns false at the end of the input. If the line is
// too long, sets `too_long` and keeps only the beginning in `line`; otherwise clears `too_long`.
bool ReadLine(std::istream& in, std::string& line, bool& too_long);

// Answers operator calls, one per line. Skips blank lines, and flushes `out` after each answer.
// Returns whether all other lines were well-formed calls. Returns an error if `in` cannot be read
// or `out` cannot be written; `origin` is the name of `in` in the error.
StatusOr<bool> AnswerCalls(std::istream& in, std::ostream& out, const CallDefaults& defaults,
                           const std::string& origin);

}  // namespace cts
