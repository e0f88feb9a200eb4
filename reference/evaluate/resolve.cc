#include "reference/evaluate/resolve.h"

#include <utility>

#include "reference/base/contains.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/symbolic/resolver.h"

namespace cts {

StatusOr<Resolution> Resolve(const Graph& program, const Binding& binding,
                             const std::map<std::string, Tensor>& inputs, const Edition& edition,
                             const Level& level) {
  const PlainArithmetic plain;
  CTS_RETURN_IF_ERROR(CheckStructure(program, edition));
  CTS_RETURN_IF_ERROR(CheckSymbolicStructure(program, edition));
  CTS_RETURN_IF_ERROR(CheckBinding(program, binding));
  Resolver resolver(program, edition, level);
  Resolution resolution;
  size_t checked = 0;
  const auto check_sizes = [&](const std::string& where) {
    const std::vector<GraphTensor>& made = resolver.graph().main().tensors;
    for (; checked < made.size(); ++checked) {
      const GraphTensor& tensor = made[checked];
      const std::string excess =
          TensorSizeExcess(tensor.name, tensor.dtype, tensor.shape, edition, level);
      if (excess.empty()) continue;
      resolution.violations.push_back({"graph.tensor_size", where, excess});
    }
  };
  resolver.Bind(binding, inputs, resolution.violations);
  check_sizes("binding");
  for (size_t i = 0; i < program.main().operators.size() && resolution.violations.empty(); ++i) {
    std::optional<Tensor> wanted;
    if (const std::string& name = resolver.WantedBy(i); !name.empty()) {
      if (const auto given = inputs.find(name); given != inputs.end()) {
        wanted = given->second;
      } else if (Contains(program.main().inputs, name)) {
        return InvalidArgument("graph, ", Place(program, program.main(), i), ": the values of ",
                               name, " are not known, and a dimension depends on them");
      } else {
        CTS_ASSIGN_OR_RETURN(const Evaluation evaluation,
                             Evaluate(resolver.Finish({name}), inputs, edition, level));
        if (evaluation.outcome != Outcome::kValid) {
          // Without the rest of the program it does this.
          resolution.violations = evaluation.violations;
          if (!evaluation.violations.empty()) break;
          return InvalidArgument("graph, ", Place(program, program.main(), i), ": ",
                                 evaluation.message);
        }
        if (evaluation.outputs[0].answers.size() > 1) {
          return InvalidArgument("graph, ", Place(program, program.main(), i), ": the values of ",
                                 name, " depend on whether subnormal numbers are flushed, and a ",
                                 "dimension depends on them");
        }
        wanted = evaluation.outputs[0].answers[0].expected;
      }
    }
    CTS_RETURN_IF_ERROR(resolver.Append(i, wanted ? &*wanted : nullptr, resolution.violations));
    check_sizes(Place(program, program.main(), i));
    const GraphOperator& op = program.main().operators[i];
    if (op.op == "IOTA" && resolution.violations.empty() &&
        resolver.graph().main().Find(op.outputs[0])->values == nullptr) {
      return InvalidArgument("graph, ", Place(program, program.main(), i),
                             ": the reference computes at most ", kMaxElements,
                             " elements a tensor");
    }
  }
  if (resolution.violations.empty()) resolution.graph = resolver.Finish(program.main().outputs);
  return resolution;
}

bool SameAnswers(const std::vector<ExpectedOutput>& outputs, int execution,
                 const Evaluation& evaluation) {
  if (evaluation.outcome != Outcome::kValid) return false;
  size_t next = 0;
  for (const ExpectedOutput& wanted : outputs) {
    if (wanted.execution != execution) continue;
    if (next == evaluation.outputs.size()) return false;
    const ExpectedOutput& found = evaluation.outputs[next++];
    Rule rule = found.rule;
    rule.clause = wanted.rule.clause;
    if (found.name != wanted.name || found.dtype != wanted.dtype || found.shape != wanted.shape ||
        rule != wanted.rule || found.answers.size() != wanted.answers.size()) {
      return false;
    }
    for (size_t i = 0; i < wanted.answers.size(); ++i) {
      const Answer &a = wanted.answers[i], &b = found.answers[i];
      if (a.flushed != b.flushed || a.expected != b.expected || a.bound != b.bound ||
          a.upper != b.upper) {
        return false;
      }
    }
  }
  return next == evaluation.outputs.size();
}

}  // namespace cts
