#include "reference/evaluate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/enclosure/enclosure.h"
#include "reference/enclosure/reference_machine.h"
#include "reference/evaluate/check_call.h"
#include "reference/evaluate/check_program.h"
#include "reference/evaluate/execution.h"
#include "reference/graph/symbols.h"
#include "reference/precision/flushing.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

// An answer for a tensor that no operator computed: a constant, a variable's value, or a tensor
// that control flow handed on.
std::shared_ptr<RuledAnswer> AnswerAsItIs(const Block& block, const std::string& name,
                                          const Tensor& value, const Edition& edition, bool flush) {
  Tensor expected = value;
  if (IsFloat(value.dtype())) {
    expected = Tensor(DType::kFp64, value.shape());
    for (int64_t i = 0; i < expected.size(); ++i) {
      double x = value.Element(i);
      if (flush && Info(value.dtype()).may_flush && IsSubnormal(value.dtype(), x)) {
        x = std::copysign(0.0, x);
      }
      expected.SetElement(i, x);
    }
  }
  std::string_view maker = "CONST", source = edition.id;
  for (const GraphOperator& op : block.operators) {
    if (!Contains(op.outputs, name)) continue;
    if (op.op != "CONST_SHAPE") maker = op.op;
    if (IsSymbolic(op)) source = "symbolic shapes";
  }
  return std::make_shared<RuledAnswer>(RuledAnswer{
      {.form = edition.precision->form(), .clause = StrCat(source, ", ", maker, ": exact")},
      {.flushed = flush, .expected = std::move(expected)}});
}

// The values to which the numbers of an enclosure round, which are what a result is judged by.
std::shared_ptr<RuledAnswer> InValues(const RuledAnswer& enclosed, DType dtype) {
  auto answer = std::make_shared<RuledAnswer>(enclosed);
  Tensor &lo = answer->answer.expected, &hi = *answer->answer.upper;
  for (int64_t i = 0; i < lo.size(); ++i) {
    const Ends values = ValuesOf(dtype, {lo.Element(i), hi.Element(i)});
    lo.SetElement(i, values.lo);
    hi.SetElement(i, values.hi);
  }
  return answer;
}

// One reference run of one execution.
struct ReferenceRun {
  std::vector<Violation> violations;
  std::string unsupported;
  std::vector<Violation> possible;
  // The main block's outputs in their order, if neither of the above.
  std::vector<std::shared_ptr<RuledAnswer>> answers;
  bool flushing_matters = false;
};

StatusOr<ReferenceRun> RunReference(const Graph& graph, const ExecutionInputs& inputs,
                                    const Edition& edition, const Level& level, int data_set,
                                    Chains chains, bool flush, Variables& variables) {
  ReferenceMachine machine(data_set, flush, chains);
  Execution execution(graph, edition, level, variables, machine);
  CTS_RETURN_IF_ERROR(execution.Run(inputs));
  ReferenceRun run{execution.violations(),
                   execution.unsupported(),
                   execution.possible(),
                   {},
                   machine.flushing_matters()};
  if (!run.violations.empty() || !run.unsupported.empty()) return run;
  const Block& block = graph.main();
  for (const std::string& name : block.outputs) {
    if (const auto known = execution.frame().answers.find(name);
        known != execution.frame().answers.end()) {
      const DType dtype = block.Find(name)->dtype;
      const bool reals = known->second->rule.enclosure && IsFloat(dtype);
      run.answers.push_back(reals ? InValues(*known->second, dtype) : known->second);
      continue;
    }
    if (Contains(block.inputs, name)) {
      return InvalidArgument("graph, outputs: found ", name, ", an input of the graph; expected ",
                             "what operators make, such as IDENTITY of it");
    }
    CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Tensor> value, execution.Output(name));
    run.answers.push_back(AnswerAsItIs(block, name, *value, edition, flush));
    run.flushing_matters = run.flushing_matters || HasSubnormal(*value);
  }
  return run;
}

// Hands over the answer itself if nothing else needs it: large tensors are not copied.
Answer Take(const std::shared_ptr<RuledAnswer>& answer) {
  return answer.use_count() == 1 ? std::move(answer->answer) : answer->answer;
}

bool IsEnclosure(const std::shared_ptr<RuledAnswer>& answer) { return answer->rule.enclosure; }

// Whether an implementation may flush some subnormal numbers of the graph and keep others.
bool MayMixFlushing(const Graph& graph, const Edition& edition) {
  std::set<DType> types;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (Info(tensor.dtype).may_flush) types.insert(tensor.dtype);
      }
    }
  }
  return edition.Has(Feature::kMixedFlushing) || types.size() > 1;
}

// Flushing may settle what is enclosed without it, and the other way round: then both answers
// become enclosures, by the rule of the one that is.
Status EncloseBoth(DType dtype, std::shared_ptr<RuledAnswer>& kept,
                   std::shared_ptr<RuledAnswer>& flushed) {
  if (kept->rule.enclosure == flushed->rule.enclosure) return absl::OkStatus();
  const Rule rule = kept->rule.enclosure ? kept->rule : flushed->rule;
  for (std::shared_ptr<RuledAnswer>* each : {&kept, &flushed}) {
    if ((*each)->rule.enclosure) continue;
    std::optional<Enclosure> enclosure = EncloseAnswer(**each, dtype);
    if (!enclosure) return absl::InternalError("an answer that cannot be enclosed");
    for (int64_t k = 0; IsFloat(dtype) && k < enclosure->lo.size(); ++k) {
      const Ends values = ValuesOf(dtype, enclosure->At(k));
      enclosure->lo.SetElement(k, values.lo);
      enclosure->hi.SetElement(k, values.hi);
    }
    *each = std::make_shared<RuledAnswer>(RuledAnswer{rule,
                                                      {.flushed = (*each)->answer.flushed,
                                                       .expected = std::move(enclosure->lo),
                                                       .upper = std::move(enclosure->hi)}});
  }
  return absl::OkStatus();
}

bool SameAnswer(const Answer& a, const Answer& b) {
  return a.expected == b.expected && a.bound == b.bound && a.upper == b.upper;
}

}  // namespace

StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set,
                              Chains chains) {
  CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                       EvaluateSequence(graph, {&inputs}, edition, level, data_set, chains));
  return std::move(evaluations.front());
}

StatusOr<std::vector<Evaluation>> EvaluateSequence(const Graph& graph, const InputSequence& inputs,
                                                   const Edition& edition, const Level& level,
                                                   int data_set, Chains chains) {
  const PlainArithmetic plain;
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  bool flushing_matters = false;
  std::vector<Evaluation> evaluations;
  Variables variables, flushed_variables;
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    CTS_ASSIGN_OR_RETURN(ReferenceRun run, RunReference(graph, given, edition, level, data_set,
                                                        chains, false, variables));
    Evaluation& evaluation = evaluations.emplace_back();
    evaluation.violations = run.violations;
    evaluation.message = run.unsupported;
    evaluation.possible = std::move(run.possible);
    evaluation.outcome = run.unsupported.empty() || !run.violations.empty()
                             ? OutcomeOf(run.violations, edition)
                             : Outcome::kUnsupported;
    if (evaluation.outcome != Outcome::kValid) return evaluations;

    ReferenceRun flushed;
    // A difference from flushing may live on in a variable.
    flushing_matters = flushing_matters || run.flushing_matters;
    if (!flushing_matters) {
      flushed_variables = variables;
    } else {
      CTS_ASSIGN_OR_RETURN(flushed, RunReference(graph, given, edition, level, data_set, chains,
                                                 true, flushed_variables));
      // The outcome differs between implementations that flush and those that do not.
      if (!flushed.violations.empty() || !flushed.unsupported.empty()) {
        evaluation.violations = flushed.violations;
        evaluation.message = flushed.unsupported;
        evaluation.outcome =
            flushed.unsupported.empty() ? Outcome::kUnpredictable : Outcome::kUnsupported;
        return evaluations;
      }
    }
    const bool encloses = std::any_of(run.answers.begin(), run.answers.end(), IsEnclosure) ||
                          std::any_of(flushed.answers.begin(), flushed.answers.end(), IsEnclosure);
    if (flushing_matters && encloses && MayMixFlushing(graph, edition)) {
      evaluation.outcome = Outcome::kUnsupported;
      evaluation.message =
          "subnormal numbers are read whose flushing is free for each type, or for each value; the "
          "reference encloses results only if all or none of them are flushed";
      return evaluations;
    }
    for (size_t i = 0; i < run.answers.size(); ++i) {
      const GraphTensor& tensor = *graph.main().Find(graph.main().outputs[i]);
      // In a symbolic program a dimension may depend on flushed values.
      if (flushing_matters &&
          flushed.answers[i]->answer.expected.shape() != run.answers[i]->answer.expected.shape()) {
        evaluation.outputs.clear();
        evaluation.outcome = Outcome::kUnsupported;
        evaluation.message = StrCat("the shape of ", tensor.name,
                                    " depends on whether subnormal numbers are flushed");
        return evaluations;
      }
      if (flushing_matters) {
        CTS_RETURN_IF_ERROR(EncloseBoth(tensor.dtype, run.answers[i], flushed.answers[i]));
      }
      ExpectedOutput output{tensor.name,
                            tensor.dtype,
                            run.answers[i]->answer.expected.shape(),
                            run.answers[i]->rule,
                            {}};
      output.answers.push_back(Take(run.answers[i]));
      output.execution = static_cast<int>(evaluations.size()) - 1;
      if (flushing_matters && !SameAnswer(flushed.answers[i]->answer, output.answers[0])) {
        output.answers.push_back(Take(flushed.answers[i]));
        output.flushing = FlushingEvidenceOf(graph, edition);
      } else {
        output.flushing = EvidenceOfResult(graph, edition, output);
      }
      // Each end stands for numbers that are flushed as well as for those that are not.
      if (output.rule.enclosure) output.flushing.reset();
      evaluation.outputs.push_back(std::move(output));
    }
  }
  return evaluations;
}

}  // namespace cts
