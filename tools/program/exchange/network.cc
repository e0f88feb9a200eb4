#include "tools/program/exchange/network.h"

#include <algorithm>
#include <utility>

#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"
#include "tools/program/ask/find_level.h"
#include "tools/program/exchange/graph_parts.h"

namespace cts {
namespace {

Status Refusal(const Evaluation& evaluation) {
  if (evaluation.outcome == Outcome::kValid) return absl::OkStatus();
  const bool runs = evaluation.outcome != Outcome::kUnsupported;
  if (!runs && evaluation.possible.empty()) return absl::OkStatus();
  const Violation& first = (runs ? evaluation.violations : evaluation.possible).front();
  return InvalidArgument(!runs ? "the graph is illegal or unpredictable if this operator runs, "
                                 "which is not known: "
                         : evaluation.outcome == Outcome::kError
                             ? "the graph is illegal: "
                             : "the graph is unpredictable with these inputs: ",
                         first.op, ": ", first.message, " (", first.condition, ")");
}

}  // namespace

StatusOr<Case> CaseOfNetwork(const Network& network) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(network.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevelOrNarrowest(*edition, network.level));
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation, Evaluate(network.graph, network.inputs, *edition,
                                                       *level, -1, network.chains));
  CTS_RETURN_IF_ERROR(Refusal(evaluation));
  const Block& block = network.graph.main();
  Case c;
  c.id = network.id;
  c.edition = network.edition;
  c.level = level->name;
  c.op = "NETWORK";
  c.mode = "network";
  c.data_set = "given";
  c.parameters["operators"] =
      std::to_string(std::count_if(block.operators.begin(), block.operators.end(),
                                   [](const GraphOperator& op) { return !IsConstant(op); }));
  c.graph = network.graph;
  c.inputs = network.inputs;
  c.outputs = std::move(evaluation.outputs);
  if (evaluation.outcome == Outcome::kUnsupported) {
    // The reference stopped there. An execution that goes on from one accepted value finds faults
    // behind it.
    CTS_ASSIGN_OR_RETURN(const NativeResult native,
                         ExecuteNative(network.graph, network.inputs, *edition, *level));
    if (native.outcome == Outcome::kError || native.outcome == Outcome::kUnpredictable) {
      return InvalidArgument("the graph is ",
                             native.outcome == Outcome::kError
                                 ? "illegal: "
                                 : "unpredictable, as the embedded implementation runs it: ",
                             native.message);
    }
    c.outputs.clear();
    size_t decided = 0;
    for (const std::string& name : block.outputs) {
      const GraphTensor& tensor = *block.Find(name);
      // A tensor that does not depend on the operator at which the reference stopped has an answer.
      CTS_ASSIGN_OR_RETURN(Evaluation part, Evaluate(DownTo(network.graph, name), network.inputs,
                                                     *edition, *level, -1, network.chains));
      CTS_RETURN_IF_ERROR(Refusal(part));
      if (part.outcome == Outcome::kValid) {
        c.outputs.push_back(std::move(part.outputs[0]));
        ++decided;
        continue;
      }
      // The message names the tensor; positions in the part are not those in the graph.
      std::string why = part.message;
      if (const size_t at = why.find(" (operator "); at != why.npos) {
        const size_t end = why.find_first_not_of("0123456789", at + 11);
        if (end != why.npos && why[end] == ')') why.erase(at, end + 1 - at);
      }
      c.outputs.push_back({name,
                           tensor.dtype,
                           tensor.shape,
                           Rule{.kind = RuleKind::kUnchecked,
                                .form = edition->id,
                                .clause = StrCat("no one answer: ", why)},
                           {}});
    }
    c.parameters["checked"] =
        decided == 0 ? std::string("outcome and shapes only")
                     : StrCat("values of ", decided, " of ", c.outputs.size(), " outputs");
  }
  FindDispute(c);
  return c;
}

}  // namespace cts
