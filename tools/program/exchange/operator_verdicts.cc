#include "tools/program/exchange/operator_verdicts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reference/base/contains.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/disputed.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/find_level.h"
#include "tools/program/exchange/graph_parts.h"

namespace cts {
namespace {

using Kind = OperatorVerdict::Kind;

// The tensors of one execution, as they are read.
class Execution {
 public:
  Execution(const Case& c, const Edition& edition, const Level& level, int k,
            const ReadIntermediate& read)
      : case_(c),
        edition_(edition),
        level_(level),
        k_(k),
        inputs_(*c.InputsOfExecutions()[static_cast<size_t>(k)]),
        read_(read) {}

  StatusOr<OperatorVerdict> Judge(const GraphOperator& op, OperatorVerdict verdict) {
    const auto say = [&verdict](Kind kind, std::string message) {
      verdict.kind = kind;
      verdict.message = std::move(message);
      return verdict;
    };
    if (IsVariableOperator(op))
      return say(Kind::kNotJudged, "what a variable holds is not handed over");
    const Graph alone = TakeOut(case_.graph, op);
    std::map<std::string, Tensor> inputs;
    for (const std::string& name : alone.main().inputs) {
      StatusOr<Tensor> value = ValueOf(*alone.main().Find(name));
      if (absl::IsNotFound(value.status())) {
        return say(Kind::kMissing, StrCat("its input ", name, " was not handed over"));
      }
      CTS_RETURN_IF_ERROR(value.status());
      inputs.emplace(name, *std::move(value));
    }
    // Results come first: the reference need not compute values that cannot be compared.
    std::vector<Tensor> results;
    for (const std::string& name : op.outputs) {
      StatusOr<Tensor> result = ValueOf(*alone.main().Find(name));
      if (absl::IsNotFound(result.status())) {
        return say(Kind::kMissing, StrCat("its result ", name, " was not handed over"));
      }
      CTS_RETURN_IF_ERROR(result.status());
      results.push_back(*std::move(result));
    }
    StatusOr<Evaluation> evaluation = Evaluate(alone, inputs, edition_, level_);
    if (!evaluation.ok()) return say(Kind::kNotJudged, Message(evaluation.status()));
    if (evaluation->outcome != Outcome::kValid) {
      return say(Kind::kNotJudged,
                 evaluation->violations.empty()
                     ? evaluation->message
                     : StrCat("with these inputs it is ", Name(evaluation->outcome), ": ",
                              evaluation->violations.front().message));
    }
    const std::string disputed = DisputeOf(alone, {&inputs});
    auto judged = std::make_shared<CheckedCase>();
    for (size_t i = 0; i < results.size(); ++i) {
      CheckedCase::Output& output = judged->outputs.emplace_back();
      judged->report.outputs.push_back(
          JudgeTensor(evaluation->outputs[i], results[i], &output.answer));
      output.result = std::move(results[i]);
      const OutputReport& report = judged->report.outputs.back();
      verdict.outputs.push_back(report);
      if (report.verdict == Verdict::kPass || verdict.kind == Kind::kFail) continue;
      if (!disputed.empty()) {
        return say(Kind::kNotJudged, DisputedMessage(report.message, disputed));
      }
      say(Kind::kFail, StrCat(report.message, " (", report.rule.clause, ")"));
    }
    if (verdict.kind != Kind::kFail) return verdict;
    judged->expected.edition = case_.edition;
    judged->expected.level = case_.level;
    judged->expected.graph = alone;
    judged->expected.inputs = std::move(inputs);
    judged->expected.outputs = std::move(evaluation->outputs);
    verdict.failure = std::move(judged);
    return verdict;
  }

 private:
  StatusOr<Tensor> ValueOf(const GraphTensor& tensor) const {
    if (const auto given = inputs_.find(tensor.name); given != inputs_.end()) return given->second;
    return read_(tensor, k_);
  }

  const Case& case_;
  const Edition& edition_;
  const Level& level_;
  const int k_;
  const std::map<std::string, Tensor>& inputs_;
  const ReadIntermediate& read_;
};

}  // namespace

StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevel(*edition, c.level));
  std::vector<OperatorVerdict> verdicts;
  if (IsSymbolic(c.graph)) {
    // The tensors that are handed over have other shapes than the program, and index values are not
    // handed over at all.
    for (size_t i = 0; i < c.graph.main().operators.size(); ++i) {
      const GraphOperator& op = c.graph.main().operators[i];
      if (IsConstant(op)) continue;
      verdicts.push_back({.op = StrCat("operator ", i, " of the graph, ", op.op),
                          .position = i,
                          .kind = OperatorVerdict::Kind::kNotJudged,
                          .message = "it stands in a symbolic program"});
    }
    return verdicts;
  }
  bool failed = false;
  for (int k = 0; k < c.executions(); ++k) {
    Execution execution(c, *edition, *level, k, read);
    const auto& operators = c.graph.main().operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      if (IsConstant(operators[i])) continue;
      std::string name = StrCat("operator ", i, " of the graph, ", operators[i].op);
      if (k > 0) name += StrCat(", execution ", k);
      CTS_ASSIGN_OR_RETURN(OperatorVerdict verdict,
                           execution.Judge(operators[i], {.op = std::move(name), .position = i}));
      if (std::exchange(failed, failed || verdict.failure != nullptr)) verdict.failure = nullptr;
      verdicts.push_back(std::move(verdict));
    }
    for (const std::string& name : c.graph.main().outputs) {
      const bool made = std::any_of(operators.begin(), operators.end(), [&](const auto& op) {
        return !IsConstant(op) && Contains(op.outputs, name);
      });
      // A constant that is an output: the check has compared it already.
      const bool checked = std::any_of(c.outputs.begin(), c.outputs.end(), [&](const auto& output) {
        return output.name == name && output.execution == k &&
               output.rule.kind != RuleKind::kUnchecked;
      });
      if (made || checked) continue;
      verdicts.push_back({.op = StrCat("output ", name),
                          .kind = OperatorVerdict::Kind::kNotJudged,
                          .message = "no operator makes it"});
    }
  }
  return verdicts;
}

}  // namespace cts
