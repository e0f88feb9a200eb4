// Questions to the reference: calls and graphs of `eval`, lines of `judge`.
#include <sstream>
#include <string>

#include "reference/base/json.h"
#include "reference/bundle/case.h"
#include "reference/calls/call_answer.h"
#include "reference/evaluate/evaluate.h"
#include "tools/develop/fuzz/fuzz.h"
#include "tools/program/ask/find_level.h"
#include "tools/program/ask/judge_lines.h"

namespace cts {
namespace {

// A graph's constants: none lie beside the text.
class NoFiles : public BundleSource {
 public:
  std::string Describe(std::string_view name) const override { return std::string(name); }
  StatusOr<std::string_view> Read(std::string_view name, uint64_t) override {
    return NotFound(name, ": there are no files");
  }
};

// Large enough for what is asked, small enough for many a second.
constexpr int64_t kMaxElementsOfInputs = 1 << 12;

}  // namespace

void FuzzCall(std::string_view bytes) {
  const TimeLimit limit;
  const CallAnswer answer = AnswerCall(bytes);
  Assert(answer.line.find('\n') == answer.line.npos, "an answer is one line");
  const StatusOr<Json> json = ParseJson(answer.line, "answer");
  Assert(json.ok() && ValidateJson(*json, "answer", "answer").ok(), "an answer fits its schema");
}

void FuzzGraph(std::string_view bytes) {
  const TimeLimit limit;
  const Edition& edition = **FindEdition("tosa-1.0");
  NoFiles none;
  const StatusOr<Graph> graph = ReadGraph(bytes, "text", none);
  if (!graph.ok()) {
    Assert(!Message(graph.status()).empty(), "a refusal has a reason");
    return;
  }
  const Json written = GraphToJson(*graph);
  const StatusOr<Graph> again = ReadGraph(FormatJson(written), "again", none);
  Assert(again.ok() && GraphToJson(*again) == written, "it survives being written and read");
  std::map<std::string, Tensor> inputs;
  int64_t left = kMaxElementsOfInputs;
  for (const std::string& name : graph->main().inputs) {
    const GraphTensor& tensor = *graph->main().Find(name);
    const StatusOr<int64_t> count = CheckedElementCount(tensor.shape);
    if (!count.ok() || (left -= *count) < 0) return;
    inputs.emplace(name, Tensor(tensor.dtype, tensor.shape));
  }
  const StatusOr<Evaluation> evaluation =
      Evaluate(*graph, inputs, edition, **FindLevelOrNarrowest(edition, ""));
  if (!evaluation.ok()) Assert(!Message(evaluation.status()).empty(), "a refusal has a reason");
}

void FuzzJudge(std::string_view bytes) {
  const TimeLimit limit;
  std::istringstream in{std::string(bytes)};
  std::ostringstream out;
  Assert(JudgeLines(in, out, "tosa-1.0", "text").ok(), "every line has an answer");
  std::istringstream answers(out.str());
  for (std::string line; std::getline(answers, line);) {
    const StatusOr<Json> json = ParseJson(line, "answer");
    Assert(json.ok() && ValidateJson(*json, "judge_answer", "answer").ok(),
           "an answer fits its schema");
  }
}

}  // namespace cts
