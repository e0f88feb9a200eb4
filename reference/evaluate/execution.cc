#include "reference/evaluate/execution.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "reference/base/contains.h"
#include "reference/enclosure/enclosed_operands.h"
#include "reference/enclosure/inexact_operand.h"
#include "reference/evaluate/check_call.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/structure.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/facts.h"
#include "reference/symbolic/resolver.h"

namespace cts {
namespace {

// Whether every element is a tensor_size_t of the level (section Tensor definitions).
bool HoldsSizes(const Tensor& shape, const Level& level) {
  const int64_t bits = level.Max("MAX_LOG2_SIZE");
  const int64_t max = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
  const std::vector<int64_t> sizes = shape.Integers();
  return std::all_of(sizes.begin(), sizes.end(),
                     [&](int64_t size) { return size >= -max - 1 && size <= max; });
}

// Whether a tensor of this shape can be given values.
bool CanBeComputed(const Shape& shape) {
  const StatusOr<int64_t> count = CheckedElementCount(shape);
  return count.ok() && static_cast<uint64_t>(*count) <= kMaxElements;
}

// An operand whose values are not known. An operator that only hands tensors on, or looks at
// their shape (DIM), does not need them.
const GraphTensor* FindUnknown(const Call& call) {
  if (!FactsOf(call.name()).reads_values) return nullptr;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kInput) continue;
    if (argument.spec->name == "input_list") continue;
    for (size_t k = 0; k < argument.values.size(); ++k) {
      if (argument.values[k] == nullptr) return argument.tensors[k];
    }
  }
  return nullptr;
}

bool HasAnswer(const GraphTensor& tensor, const Frame& frame) {
  return frame.answers.contains(tensor.name);
}

// Whether an operator cannot be computed because an operand is open, or a result. Some operators
// need no values of an operand (FindUnknown). Control flow makes its results by other operators.
bool IsOpen(const Call& call, const OperatorSpec& spec, const Frame& frame) {
  if (frame.open.empty()) return false;
  const bool needs_operands = FactsOf(call.name()).reads_values;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category == ArgumentCategory::kAttribute || argument.was_attribute) continue;
    const bool is_input = argument.spec->category == ArgumentCategory::kInput;
    if (is_input ? !needs_operands || argument.spec->name == "input_list"
                 : spec.group == "control-flow") {
      continue;
    }
    for (const GraphTensor* tensor : argument.tensors) {
      if (frame.open.contains(tensor->name)) return true;
    }
  }
  return false;
}

void Open(const std::vector<std::string>& outputs, Frame& frame) {
  frame.open.insert(outputs.begin(), outputs.end());
}

// Whether an operand is known that alone decides a REQUIRE about data.
bool MayBreakRequirement(const Call& call, const Conditions& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    return !condition.operand.empty() && StandsIn(condition, call.edition()) &&
           call.Has(condition.operand) && call.Knows(condition.operand);
  });
}

// The conditions compare shapes, never element types (schemas/editions/notes.md).
bool TypesFit(const Call& call, const std::string& where, std::vector<Violation>& violations) {
  const auto compare = [&](std::string_view list, const Block& graph,
                           const std::vector<std::string>& names) {
    for (int k = 0; k < call.Count(list); ++k) {
      const DType found = graph.Find(names[static_cast<size_t>(k)])->dtype;
      if (found == call.dtype(list, k)) continue;
      violations.push_back(
          {"graph.subgraph_types", where,
           StrCat(list, ": found ", Name(call.dtype(list, k)), " where block ", graph.name, " has ",
                  Name(found), " for ", names[static_cast<size_t>(k)])});
    }
  };
  if (call.name() == "COND_IF") {
    for (const char* attribute : {"then_graph", "else_graph"}) {
      const Block& graph = call.Subgraph(attribute);
      compare("input_list", graph, graph.inputs);
      compare("output_list", graph, graph.outputs);
    }
  } else {
    const Block& body = call.Subgraph("body_graph");
    compare("input_list", call.Subgraph("cond_graph"), call.Subgraph("cond_graph").inputs);
    compare("input_list", body, body.inputs);
    compare("input_list", body, body.outputs);
    compare("output_list", body, body.outputs);
  }
  return violations.empty();
}

}  // namespace

Status Execution::Run(const ExecutionInputs& inputs) {
  for (const auto& [name, tensor] : *inputs) {
    frame_.values[name] = std::make_shared<const Tensor>(tensor);
  }
  if (inputs.binding != nullptr) return RunSymbolic(*inputs, *inputs.binding);
  for (auto& [name, variable] : variables_.known) variable.declared = false;
  const std::string unordered = FindUnorderedVariable(graph_);
  if (!unordered.empty()) {
    violations_.push_back({"graph.variable_order", "graph", unordered});
    return absl::OkStatus();
  }
  return RunBlock(graph_.main(), frame_, 0);
}

bool Execution::IsOverlooked(const Block& block, const std::string& shape) const {
  if (machine_.departure() == nullptr) return false;
  for (const GraphOperator& node : block.operators) {
    if (!Contains(node.outputs, shape)) continue;
    const Call call(edition_, *edition_.FindOperator(node.op), level_, block, node, {},
                    {&graph_, &variables_.known, 0});
    return !machine_.departure()->Sees("graph.shape_interface", call, true);
  }
  return false;
}

void Execution::CheckBlock(const Block& block, Frame& frame) {
  if (edition_.Has(Feature::kShapesStayInside)) {
    for (const std::vector<std::string>* names : {&block.inputs, &block.outputs}) {
      for (const std::string& name : *names) {
        if (block.Find(name)->dtype != DType::kShape) continue;
        if (IsOverlooked(block, name)) {
          violations_.push_back({std::string(kOverlooked), "graph", name});
          continue;
        }
        violations_.push_back(
            {"graph.shape_interface", "graph", StrCat(name, ": found a shape, expected a tensor")});
      }
    }
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (!CheckSize(tensor.name, tensor.dtype, tensor.shape, "graph")) {
      frame.open.insert(tensor.name);
    }
  }
}

bool Execution::CheckSize(const std::string& name, DType dtype, const Shape& shape,
                          const std::string& where) {
  const std::string excess = TensorSizeExcess(name, dtype, shape, edition_, level_);
  if (!excess.empty()) {
    violations_.push_back({"graph.tensor_size", where, excess});
    return false;
  }
  uint64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 1) return true;  // graph.dimension's
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count)) count = ~uint64_t{0};
  }
  if (count <= kMaxElements) return true;
  GiveUp(StrCat(where, ": tensor ", name, " of shape ", ToString(shape),
                ": the reference computes at most ", kMaxElements, " elements a tensor"));
  return false;
}

Status Execution::RunSymbolic(const std::map<std::string, Tensor>& inputs, const Binding& binding) {
  Resolver resolver(graph_, edition_, level_);
  resolver.Bind(binding, inputs, violations_);
  const Block& program = graph_.main();
  const Block& made = resolver.graph().main();
  size_t checked = 0;
  // Runs before anything of its size is allocated or computed with. Broken conditions are
  // reported first.
  const auto check_sizes = [&](const std::string& where) {
    for (; checked < made.tensors.size(); ++checked) {
      const GraphTensor& tensor = made.tensors[checked];
      if (!CheckSize(tensor.name, tensor.dtype, tensor.shape, where)) {
        frame_.open.insert(tensor.name);
      }
    }
    if (!violations_.empty()) unsupported_.clear();
  };
  check_sizes("binding");
  for (size_t i = 0; i < program.operators.size() && !Stopped(); ++i) {
    const std::string where = Place(graph_, program, i);
    place_ = where;
    const std::string& wanted = resolver.WantedBy(i);
    const auto known = frame_.values.find(wanted);
    // No shape behind it follows.
    if (!wanted.empty() && frame_.open.contains(wanted)) return absl::OkStatus();
    if (!wanted.empty() && known == frame_.values.end()) {
      return UnknownValues(where, wanted, frame_);
    }
    size_t next = made.operators.size();
    CTS_RETURN_IF_ERROR(
        resolver.Append(i, wanted.empty() ? nullptr : known->second.get(), violations_));
    check_sizes(where);
    // Index values are wider than the sizes of the level.
    if (!Stopped() && IsSymbolic(program.operators[i])) {
      const GraphTensor& yielded = *made.Find(program.operators[i].outputs[0]);
      if (yielded.dtype == DType::kShape) {
        frame_.values[yielded.name] = yielded.values;
        continue;
      }
    }
    for (; next < made.operators.size() && !Stopped(); ++next) {
      CTS_RETURN_IF_ERROR(RunOperator(made, next, frame_, 0));
    }
  }
  return absl::OkStatus();
}

Status Execution::RunBlock(const Block& block, Frame& frame, int64_t nesting) {
  CheckBlock(block, frame);
  for (size_t i = 0; i < block.operators.size() && !Stopped(); ++i) {
    CTS_RETURN_IF_ERROR(RunOperator(block, i, frame, nesting));
  }
  return absl::OkStatus();
}

Status Execution::RunOperator(const Block& block, size_t position, Frame& frame, int64_t nesting) {
  const GraphOperator& node = block.operators[position];
  const OperatorSpec& spec = *edition_.FindOperator(node.op);
  const Operator& op = *OperatorFor(spec);
  const Call call(edition_, spec, level_, block, node, frame.values,
                  {&graph_, &variables_.known, nesting});
  const auto where = [&] { return place_.empty() ? Place(graph_, block, position) : place_; };
  if (call.fits() && (IsOpen(call, spec, frame) || (variables_open_ && spec.group == "variable"))) {
    return CheckUncomputed(op, call, block, node, where(), frame);
  }
  bool moves_answers = false;
  std::shared_ptr<const Tensor> settled;
  if (call.fits()) {
    if (const GraphTensor* unknown = FindUnknown(call)) {
      moves_answers = MovesAnswers(call, frame.answers);
      // An enclosure settles no less, and knows that a wider type may have kept the number.
      const bool by_cast = !moves_answers && !machine_.encloses();
      if (by_cast) settled = SettledByCast(op, call, block, node, level_, frame);
      if (!moves_answers && settled == nullptr) {
        if (!machine_.encloses() || !HasAnswer(*unknown, frame)) {
          CTS_RETURN_IF_ERROR(UnknownValues(where(), unknown->name, frame));
          return CheckUncomputed(op, call, block, node, where(), frame);
        }
        return RunEnclosed(op, call, block, node, where(), *unknown, frame);
      }
    }
  }
  CheckCall(op, call, machine_.departure(), violations_);
  for (Violation& violation : violations_) violation.op = where();
  if (!violations_.empty() && machine_.departure() == nullptr && !IsConstant(node)) {
    FindRequirementBesideShape(op, spec, block, node, frame, nesting, where());
  }
  if (Stopped()) return absl::OkStatus();
  if (moves_answers) {
    MoveAnswers(op, call, block, node, level_, frame);
    return absl::OkStatus();
  }
  if (settled != nullptr) {
    frame.values[node.outputs[0]] = std::move(settled);
    return absl::OkStatus();
  }
  if (IsConstant(node)) {
    const GraphTensor& tensor = *block.Find(node.outputs[0]);
    if (tensor.values == nullptr) {
      return InvalidArgument("graph, ", where(), ": tensor ", tensor.name, " has no values");
    }
    frame.values[tensor.name] = tensor.values;
    if (node.op == "CONST_SHAPE" && !HoldsSizes(*tensor.values, level_)) {
      violations_.push_back({std::string(kIntegerOverflow), where(),
                             "an element is beyond what the level's MAX_LOG2_SIZE allows"});
    }
  } else if (node.op == "COND_IF") {
    return RunCondIf(call, where(), node, frame);
  } else if (node.op == "WHILE_LOOP") {
    return RunWhileLoop(call, where(), node, frame);
  } else if (node.op == "VARIABLE") {
    Declare(call, where());
  } else if (node.op == "VARIABLE_WRITE") {
    Write(call, node, frame);
  } else if (node.op == "VARIABLE_READ") {
    Read(call, node, frame);
  } else if (node.op == "CUSTOM") {
    GiveUp(StrCat(where(), ": only an implementation knows operator \"",
                  absl::Utf8SafeCHexEscape(call.Enum("operator_name")), "\" of domain \"",
                  absl::Utf8SafeCHexEscape(call.Enum("domain_name")), "\""));
    Open(node.outputs, frame);
  } else {
    const StatusOr<std::string_view> broken = machine_.Compute(op, call, frame);
    if (!broken.ok()) return Annotate(broken.status(), StrCat("graph, ", where()));
    if (!broken->empty()) {
      violations_.push_back({std::string(*broken), where(), machine_.Describe(op, call, *broken)});
    }
  }
  return absl::OkStatus();
}

Status Execution::CheckUncomputed(const Operator& op, const Call& call, const Block& block,
                                  const GraphOperator& node, const std::string& where,
                                  Frame& frame) {
  if (variables_open_ && call.given().group == "variable") {
    Open(node.outputs, frame);
    return absl::OkStatus();
  }
  CheckCall(op, call, nullptr, violations_);
  for (Violation& violation : violations_) violation.op = where;
  if (Stopped()) return absl::OkStatus();
  if (node.op == "COND_IF") return CheckBranches(call, where, node, frame);
  FindCertainRequirement(op, call, block, node, where, frame);
  Open(node.outputs, frame);
  return absl::OkStatus();
}

void Execution::FindCertainRequirement(const Operator& op, const Call& call, const Block& block,
                                       const GraphOperator& node, const std::string& where,
                                       const Frame& frame) {
  if (!MayBreakRequirement(call, ConditionsOf(op, call.given(), edition_)) &&
      !MayBreakRequirement(call, LibraryConditions())) {
    return;
  }
  TensorValues values = frame.values;
  for (const std::vector<std::string>* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      const GraphTensor& tensor = *block.Find(name);
      if (!CanBeComputed(tensor.shape)) return;
      // The others are ones: what they are does not matter.
      if (names == &node.inputs && values[name] == nullptr) values[name] = Ones(tensor);
    }
  }
  const Call stand_in(edition_, call.given(), level_, block, node, values);
  Computation computation(stand_in, ComputationKind::kReference);
  op.compute(stand_in, computation);
  const Condition* const broken = FindCondition(computation.broken(), edition_);
  if (broken == nullptr || broken->operand.empty() || !call.Knows(broken->operand)) return;
  violations_.push_back(
      {std::string(broken->id), where, machine_.Describe(op, stand_in, broken->id)});
}

Status Execution::CheckBranches(const Call& call, const std::string& where,
                                const GraphOperator& node, Frame& frame) {
  if (!TypesFit(call, where, violations_)) return absl::OkStatus();
  std::vector<KnownTensor> list;
  for (size_t k = 1; k < node.inputs.size(); ++k) list.push_back(frame.Get(node.inputs[k]));
  std::vector<std::vector<Violation>> found;
  for (const char* branch : {"then_graph", "else_graph"}) {
    CTS_ASSIGN_OR_RETURN(
        std::vector<Violation> broken,
        TryGraph(call.Subgraph(branch), node.outputs, call.nesting() + 1, where, list));
    found.push_back(std::move(broken));
  }
  variables_open_ = variables_open_ || touched_variables_;
  if (!found[0].empty() && !found[1].empty()) {
    violations_ = std::move(found[0]);
    return absl::OkStatus();
  }
  NotePossible(std::move(found[0].empty() ? found[1] : found[0]));
  Open(node.outputs, frame);
  return absl::OkStatus();
}

StatusOr<std::vector<Violation>> Execution::TryGraph(const Block& graph,
                                                     const std::vector<std::string>& outputs,
                                                     int64_t nesting, const std::string& where,
                                                     std::vector<KnownTensor> list) {
  const Variables before = variables_;
  const bool tried = std::exchange(tries_, true);
  CTS_RETURN_IF_ERROR(RunGraph(graph, outputs, nesting, where, list));
  tries_ = tried;
  variables_ = before;
  return std::exchange(violations_, {});
}

void Execution::NotePossible(std::vector<Violation> violations) {
  // A graph may be there to run only where the data are right.
  std::erase_if(violations, [&](const Violation& violation) {
    const Condition* const condition = FindCondition(violation.condition, edition_);
    return condition != nullptr && condition->kind == ConditionKind::kRequire &&
           !violation.condition.starts_with("graph.");
  });
  if (violations.empty() || !possible_.empty()) return;
  possible_ = std::move(violations);
  unsupported_ += StrCat("; ", possible_.front().op,
                         ", which runs or not by what is not known: ", possible_.front().message,
                         " (", possible_.front().condition, ")");
}

Status Execution::RunEnclosed(const Operator& op, const Call& call, const Block& block,
                              const GraphOperator& node, const std::string& where,
                              const GraphTensor& unknown, Frame& frame) {
  const OperatorSpec& spec = call.given();
  const auto operands = EnclosedOperands::Of(op, spec, edition_, level_, block, node, frame);
  // A result may be a number, or a branch, for each of which something else follows.
  if (spec.group == "control-flow" || !operands.ok()) {
    CTS_RETURN_IF_ERROR(UnknownValues(where, unknown.name, frame));
    return CheckUncomputed(op, call, block, node, where, frame);
  }
  const Call enclosed = operands->With();
  CheckCall(op, enclosed, machine_.departure(), violations_);
  for (Violation& violation : violations_) violation.op = where;
  if (Stopped()) return absl::OkStatus();
  CTS_ASSIGN_OR_RETURN(const std::string refusal,
                       machine_.Enclose(op, enclosed, *operands, node, where, frame));
  if (!refusal.empty()) {
    const bool is_first = unsupported_.empty();
    CTS_RETURN_IF_ERROR(UnknownValues(where, unknown.name, frame));
    if (is_first) unsupported_ += StrCat("; ", refusal);
    Open(node.outputs, frame);
  }
  return absl::OkStatus();
}

void Execution::FindRequirementBesideShape(const Operator& op, const OperatorSpec& spec,
                                           const Block& block, const GraphOperator& node,
                                           const Frame& frame, int64_t nesting,
                                           const std::string& where) {
  if (spec.group == "control-flow" || spec.group == "variable" || spec.group == "custom") return;
  if (OutcomeOf(violations_, edition_) != Outcome::kError) return;
  Block right{.name = block.name};
  for (const std::string& name : node.inputs) {
    const GraphTensor* const tensor = block.Find(name);
    const auto value = frame.values.find(name);
    if (tensor == nullptr || value == frame.values.end() || value->second == nullptr) return;
    if (right.Find(name) == nullptr) right.tensors.push_back(*tensor);
  }
  const StatusOr<std::map<std::string, Shape>> shapes =
      InferShapes(node, block, frame.values, edition_, level_);
  if (!shapes.ok()) return;
  for (const auto& [name, shape] : *shapes) {
    const GraphTensor* const tensor = block.Find(name);
    if (tensor == nullptr || !CanBeComputed(shape)) return;
    right.tensors.push_back({tensor->name, tensor->dtype, shape, nullptr});
  }
  const Call call(edition_, spec, level_, right, node, frame.values,
                  {&graph_, &variables_.known, nesting});
  std::vector<Violation> others;
  CheckCall(op, call, nullptr, others);
  if (!others.empty()) {
    // Some operators judge their data by their conditions, as far as the shapes are right.
    if (OutcomeOf(others, edition_) != Outcome::kUnpredictable) return;
    for (Violation& violation : others) {
      const auto same = [&](const Violation& known) {
        return known.condition == violation.condition;
      };
      if (std::any_of(violations_.begin(), violations_.end(), same)) continue;
      violation.op = where;
      violations_.push_back(std::move(violation));
    }
    return;
  }
  Frame scratch = frame;
  const StatusOr<std::string_view> broken = machine_.Compute(op, call, scratch);
  if (!broken.ok() || broken->empty()) return;
  violations_.push_back({std::string(*broken), where, machine_.Describe(op, call, *broken)});
}

Status Execution::UnknownValues(const std::string& where, const std::string& tensor,
                                const Frame& frame) {
  if (const auto answer = frame.answers.find(tensor); answer != frame.answers.end()) {
    GiveUp(StrCat(where, ": ", tensor, " is judged within bounds (", answer->second->rule.clause,
                  "), so that there is no one value to compute with; the reference goes "
                  "on from exact results only"));
    return absl::OkStatus();
  }
  return InvalidArgument("graph, ", where, ": the values of ", tensor,
                         " are not known: neither an input with a file, nor a constant, nor an "
                         "exact result of another operator");
}

Status Execution::RunGraph(const Block& graph, const std::vector<std::string>& outputs,
                           int64_t nesting, const std::string& where,
                           std::vector<KnownTensor>& list) {
  const bool is_beyond = ++graph_executions_ > kMaxGraphExecutions;
  if (is_beyond) {
    GiveUp(StrCat(where, ": still running; the reference stops after ", kMaxGraphExecutions,
                  " executions of the graphs of control flow"));
    if (!executed_beyond_.emplace(&graph, nesting).second) {
      list.assign(graph.outputs.size(), {.open = true});
      return absl::OkStatus();
    }
  }
  Frame frame;
  for (size_t k = 0; k < list.size(); ++k) frame.Put(graph.inputs[k], list[k]);
  machine_.Enter(outputs, graph);
  Status status = RunBlock(graph, frame, nesting);
  machine_.Leave();
  if (!status.ok() || Stopped()) return status;
  list.clear();
  for (const std::string& name : graph.outputs) {
    list.push_back(is_beyond ? KnownTensor{.open = true} : frame.Get(name));
  }
  return absl::OkStatus();
}

Status Execution::RunCondIf(const Call& call, const std::string& where, const GraphOperator& node,
                            Frame& frame) {
  if (!TypesFit(call, where, violations_)) return absl::OkStatus();
  std::vector<KnownTensor> list;
  for (size_t k = 1; k < node.inputs.size(); ++k) list.push_back(frame.Get(node.inputs[k]));
  const bool taken = call.values("condition")->Integer(0) != 0;
  const Block& graph = call.Subgraph(taken ? "then_graph" : "else_graph");
  CTS_RETURN_IF_ERROR(RunGraph(graph, node.outputs, call.nesting() + 1, where, list));
  if (Stopped()) return absl::OkStatus();
  for (size_t k = 0; k < list.size(); ++k) frame.Put(node.outputs[k], list[k]);
  return absl::OkStatus();
}

Status Execution::RunWhileLoop(const Call& call, const std::string& where,
                               const GraphOperator& node, Frame& frame) {
  if (!TypesFit(call, where, violations_)) return absl::OkStatus();
  std::vector<KnownTensor> list;
  for (const std::string& name : node.inputs) list.push_back(frame.Get(name));
  const Block& cond_graph = call.Subgraph("cond_graph");
  while (true) {
    std::vector<KnownTensor> condition = list;
    CTS_RETURN_IF_ERROR(RunGraph(cond_graph, {}, call.nesting() + 1, where, condition));
    if (Stopped()) return absl::OkStatus();
    if (condition[0].value == nullptr) {
      GiveUp(StrCat(where, ": the condition ", cond_graph.outputs[0],
                    " is judged within bounds, so that there is no one value to go by"));
      CTS_ASSIGN_OR_RETURN(
          std::vector<Violation> broken,
          TryGraph(call.Subgraph("body_graph"), node.outputs, call.nesting() + 1, where, list));
      variables_open_ = variables_open_ || touched_variables_;
      NotePossible(std::move(broken));
      Open(node.outputs, frame);
      return absl::OkStatus();
    }
    if (condition[0].value->Integer(0) == 0) break;
    CTS_RETURN_IF_ERROR(
        RunGraph(call.Subgraph("body_graph"), node.outputs, call.nesting() + 1, where, list));
    if (Stopped()) return absl::OkStatus();
  }
  for (size_t k = 0; k < list.size(); ++k) frame.Put(node.outputs[k], list[k]);
  return absl::OkStatus();
}

void Execution::Declare(const Call& call, const std::string& where) {
  Shape shape;
  for (int64_t i = 0; i < call.Length("var_shape"); ++i) {
    shape.push_back(call.Integer("var_shape", i));
    if (shape.back() >= 1) continue;
    violations_.push_back({"graph.dimension", where,
                           StrCat("var_shape: found ", shape.back(), ", expected at least 1")});
    return;
  }
  CheckSize("var_shape", call.VariableType(), shape, where);
  if (Stopped()) return;
  touched_variables_ = touched_variables_ || tries_;
  const auto [found, inserted] = variables_.known.emplace(
      call.VariableName(), Variable{.dtype = call.VariableType(), .shape = shape});
  Variable& variable = found->second;
  if (inserted && call.InitialValue() != nullptr) {
    variable.value = call.InitialValue()->values;
    variable.written = true;
  }
  variable.declared = true;
}

void Execution::Write(const Call& call, const GraphOperator& node, const Frame& frame) {
  touched_variables_ = touched_variables_ || tries_;
  const KnownTensor known = frame.Get(node.inputs[0]);
  Variable& variable = variables_.known.at(call.VariableName());
  variable.value = known.value;
  variable.written = true;
  variables_.answers[call.VariableName()] = known.answer;
  variables_.open.erase(call.VariableName());
  if (known.open) variables_.open.insert(call.VariableName());
}

void Execution::Read(const Call& call, const GraphOperator& node, Frame& frame) {
  const std::string name = call.VariableName();
  frame.Put(node.outputs[0],
            {call.FindVariable()->value, variables_.answers[name], variables_.open.contains(name)});
}

StatusOr<std::shared_ptr<const Tensor>> Execution::Output(const std::string& name) const {
  const auto value = frame_.values.find(name);
  if (value != frame_.values.end()) return value->second;
  return InvalidArgument("graph, outputs: the values of ", name,
                         " are not known: they come from an input without a file");
}

}  // namespace cts
