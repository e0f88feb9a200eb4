#include "reference/evaluate/evaluate.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/escaping.h"
#include "reference/graph/call.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/finding.h"
#include "reference/ops/operator.h"
#include "reference/precision/flushing.h"
#include "reference/precision/precision.h"
#include "reference/symbolic/resolver.h"

namespace cts {
namespace {

using Values = std::map<std::string, std::shared_ptr<const Tensor>>;

// The dimensions that the operator's inputs determine but none of its conditions checks. The
// specification leaves them to the rule that output shapes are derivable from the inputs.
std::string OutputShapeMismatch(const Operator& op, const Call& call) {
  const StatusOr<Shapes> shapes = op.infer(call);
  if (!shapes.ok()) return "";  // no condition minds: only the computation can tell
  size_t next = 0;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      const Shape& expected = (*shapes)[next++];
      if (tensor->shape == expected) continue;
      return StrCat(argument.spec->name, ": found shape ", ToString(argument.Given(tensor->shape)),
                    ", expected ", ToString(argument.Given(expected)));
    }
  }
  return "";
}

// The effects of departures on conditions, not conditions themselves.
constexpr std::string_view kOverlooked = "overlooked", kRefused = "refused";

// Everything wrong with a call before it is computed, as an implementation sees it. If `departure`
// is null, everything that is wrong.
void CheckCall(const Operator& op, const Call& call, const Departure* departure,
               std::vector<Violation>& violations) {
  const size_t before = violations.size();
  bool overlooked = false;
  const auto see = [&](std::string_view condition, bool broken, auto&& message) {
    if (departure == nullptr ? broken : departure->Sees(condition, call, broken)) {
      violations.push_back({std::string(condition), "", message()});
    } else {
      overlooked = overlooked || broken;
    }
  };
  for (const ArgumentViolation& v : call.violations()) {
    see(v.condition, true, [&]() -> const std::string& { return v.message; });
  }
  if (call.fits()) {
    for (const Condition& condition : ConditionsOf(op, call.given(), call.edition())) {
      if (condition.broken == nullptr) continue;
      see(condition.id, condition.broken(call), [&] { return ExplainBroken(condition, call); });
    }
    if (violations.size() == before && !overlooked) {
      const std::string mismatch = OutputShapeMismatch(op, call);
      if (!mismatch.empty()) {
        see("graph.output_shape", true, [&]() -> const std::string& { return mismatch; });
      }
    }
  }
  // Nobody can say what it goes on to compute.
  if (violations.size() == before && overlooked) {
    violations.push_back({std::string(kOverlooked), "", "a broken condition was not seen"});
  }
  if (violations.size() == before && departure != nullptr && departure->Refuses(call)) {
    violations.push_back({std::string(kRefused), "", "a legal call was refused"});
  }
}

// error_if and the argument tables make an error. require, levels and cases that the text leaves
// open make the result unpredictable, and outrank them.
Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition) {
  Outcome outcome = Outcome::kValid;
  for (const Violation& v : violations) {
    if (v.condition == kOverlooked) return Outcome::kUnpredictable;
    if (v.condition != kRefused) {
      const Condition* const condition = FindCondition(v.condition, edition);
      if (condition == nullptr || condition->kind != ConditionKind::kErrorIf) {
        return Outcome::kUnpredictable;
      }
    }
    outcome = Outcome::kError;
  }
  return outcome;
}

// A reference value in the type of its tensor. Only for results that are exact in it.
std::shared_ptr<const Tensor> Typed(const Tensor& ref, DType dtype) {
  if (ref.dtype() == dtype) return std::make_shared<Tensor>(ref);
  auto typed = std::make_shared<Tensor>(dtype, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) typed->SetFloat(i, ref.Float(i));
  return typed;
}

using Answers = std::map<std::string, std::shared_ptr<RuledAnswer>>;

// What is known of the tensors of one block while it runs. A tensor whose result has a bound has an
// answer but no value.
struct Frame {
  Values values;
  Answers answers;  // of reference runs: what operators computed
};

// The variables of a graph. They outlive an execution.
struct Variables {
  std::map<std::string, Variable> known;  // by name or uid
  Answers answers;                        // of those written with what has no one value
};

// How the operators of a graph are computed.
class Machine {
 public:
  virtual ~Machine() = default;

  // Computes the operator's outputs into the frame. Returns the id of a REQUIRE that broke, or
  // empty.
  virtual StatusOr<std::string_view> Compute(const Operator& op, const Call& call,
                                             Frame& frame) = 0;

  // Called before and after the execution of a graph that an operator names. `outputs` are the
  // tensors that its outputs become.
  virtual void Enter(const std::vector<std::string>& outputs, const Block& graph) {
    (void)outputs, (void)graph;
  }
  virtual void Leave() {}

  // Says in words what broke a REQUIRE in Compute.
  virtual std::string Describe(const Operator& op, const Call& call, std::string_view broken) {
    (void)op, (void)call, (void)broken;
    return "broken by the data";
  }

  // The implementation's departure; null: none.
  virtual const Departure* departure() const { return nullptr; }
};

// One execution of a graph: its main block and, by control flow, others.
class Execution {
 public:
  Execution(const Graph& graph, const Edition& edition, const Level& level, Variables& variables,
            Machine& machine)
      : graph_(graph), edition_(edition), level_(level), variables_(variables), machine_(machine) {}

  // Runs the main block over its inputs. Stops at the first operator with a violation, and at one
  // that the reference cannot execute. An error if it depends on a value that is not known.
  Status Run(const ExecutionInputs& inputs) {
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

  const Frame& frame() const { return frame_; }
  const std::vector<Violation>& violations() const { return violations_; }
  const std::string& unsupported() const { return unsupported_; }

 private:
  bool Stopped() const { return !violations_.empty() || !unsupported_.empty(); }

  // Whether a departure misses that a shape leaves the graph. It is asked about the operator that
  // yields the shape.
  bool IsOverlooked(const Block& block, const std::string& shape) const {
    if (machine_.departure() == nullptr) return false;
    for (const GraphOperator& node : block.operators) {
      if (std::find(node.outputs.begin(), node.outputs.end(), shape) == node.outputs.end())
        continue;
      const Call call(edition_, *edition_.FindOperator(node.op), level_, block, node, {},
                      {&graph_, &variables_.known, 0});
      return !machine_.departure()->Sees("graph.shape_interface", call, true);
    }
    return false;
  }

  // Checks the graph as a whole, before anything of its size is allocated.
  void CheckBlock(const Block& block) {
    if (edition_.Has(Feature::kShapesStayInside)) {
      for (const std::vector<std::string>* names : {&block.inputs, &block.outputs}) {
        for (const std::string& name : *names) {
          if (block.Find(name)->dtype != DType::kShape) continue;
          if (IsOverlooked(block, name)) {
            violations_.push_back({std::string(kOverlooked), "graph", name});
            continue;
          }
          violations_.push_back({"graph.shape_interface", "graph",
                                 StrCat(name, ": found a shape, expected a tensor")});
        }
      }
    }
    for (const GraphTensor& tensor : block.tensors) {
      CheckSize(tensor.name, tensor.dtype, tensor.shape, "graph");
    }
  }

  void CheckSize(const std::string& name, DType dtype, const Shape& shape,
                 const std::string& where) {
    const std::string excess = TensorSizeExcess(name, dtype, shape, edition_, level_);
    if (!excess.empty()) {
      violations_.push_back({"graph.tensor_size", where, excess});
      return;
    }
    uint64_t count = 1;
    for (const int64_t size : shape) {
      if (size < 1) return;  // graph.dimension's
      if (__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count)) count = ~uint64_t{0};
    }
    if (count > kMaxElements && unsupported_.empty()) {
      unsupported_ =
          StrCat(where, ": tensor ", name, " of shape ", ToString(shape),
                 ": the reference computes at most ", kMaxElements, " elements a tensor");
    }
  }

  // Runs a symbolic program: each operator gets its shapes and parameters from the results of those
  // before it, and is run at once.
  Status RunSymbolic(const std::map<std::string, Tensor>& inputs, const Binding& binding) {
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
        CheckSize(tensor.name, tensor.dtype, tensor.shape, where);
      }
      if (!violations_.empty()) unsupported_.clear();
    };
    check_sizes("binding");
    for (size_t i = 0; i < program.operators.size() && !Stopped(); ++i) {
      const std::string where = Place(graph_, program, i);
      place_ = where;
      const std::string& wanted = resolver.WantedBy(i);
      const auto known = frame_.values.find(wanted);
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

  Status RunBlock(const Block& block, Frame& frame, int64_t nesting) {
    CheckBlock(block);
    for (size_t i = 0; i < block.operators.size() && !Stopped(); ++i) {
      CTS_RETURN_IF_ERROR(RunOperator(block, i, frame, nesting));
    }
    return absl::OkStatus();
  }

  // Whether every element is a tensor_size_t of the level (section Tensor definitions).
  bool HoldsSizes(const Tensor& shape) const {
    const int64_t bits = level_.Max("MAX_LOG2_SIZE");
    const int64_t max = bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
    const std::vector<int64_t> sizes = shape.Integers();
    return std::all_of(sizes.begin(), sizes.end(),
                       [&](int64_t size) { return size >= -max - 1 && size <= max; });
  }

  Status RunOperator(const Block& block, size_t position, Frame& frame, int64_t nesting) {
    const GraphOperator& node = block.operators[position];
    const OperatorSpec& spec = *edition_.FindOperator(node.op);
    const Operator& op = *OperatorFor(spec);
    const Call call(edition_, spec, level_, block, node, frame.values,
                    {&graph_, &variables_.known, nesting});
    const auto where = [&] { return place_.empty() ? Place(graph_, block, position) : place_; };
    bool moves_answers = false;
    std::shared_ptr<const Tensor> settled;
    if (call.fits()) {
      if (const GraphTensor* unknown = FindUnknown(call)) {
        moves_answers = MovesAnswers(call, frame.answers);
        if (!moves_answers) settled = SettledByCast(op, call, block, node, frame);
        if (!moves_answers && settled == nullptr) {
          return UnknownValues(where(), unknown->name, frame);
        }
      }
    }
    CheckCall(op, call, machine_.departure(), violations_);
    for (Violation& violation : violations_) violation.op = where();
    if (Stopped()) return absl::OkStatus();
    if (moves_answers) {
      MoveAnswers(op, call, block, node, frame);
      return absl::OkStatus();
    }
    if (settled != nullptr) {
      frame.values[node.outputs[0]] = std::move(settled);
      return absl::OkStatus();
    }
    if (node.op == "CONST" || node.op == "CONST_SHAPE") {
      const GraphTensor& tensor = *block.Find(node.outputs[0]);
      if (tensor.values == nullptr) {
        return InvalidArgument("graph, ", where(), ": tensor ", tensor.name, " has no values");
      }
      frame.values[tensor.name] = tensor.values;
      if (node.op == "CONST_SHAPE" && !HoldsSizes(*tensor.values)) {
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
      unsupported_ = StrCat(where(), ": only an implementation knows operator \"",
                            absl::Utf8SafeCHexEscape(call.Enum("operator_name")), "\" of domain \"",
                            absl::Utf8SafeCHexEscape(call.Enum("domain_name")), "\"");
    } else {
      const StatusOr<std::string_view> broken = machine_.Compute(op, call, frame);
      if (!broken.ok()) return Annotate(broken.status(), StrCat("graph, ", where()));
      if (!broken->empty()) {
        violations_.push_back(
            {std::string(*broken), where(), machine_.Describe(op, call, *broken)});
      }
    }
    return absl::OkStatus();
  }

  // An operand whose values are not known. An operator that only hands tensors on, or looks at
  // their shape (DIM), does not need them.
  static const GraphTensor* FindUnknown(const Call& call) {
    for (const char* name : {"CUSTOM", "VARIABLE_WRITE", "DIM"}) {
      if (call.name() == name) return nullptr;
    }
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kInput) continue;
      if (argument.spec->name == "input_list") continue;
      for (size_t k = 0; k < argument.values.size(); ++k) {
        if (argument.values[k] == nullptr) return argument.tensors[k];
      }
    }
    return nullptr;
  }

  // ---- OperatorOutputs that have bounds ----

  // Whether the operator only moves the elements of its first argument, which are results with
  // bounds. The same values are then accepted of an element wherever it goes
  // (schemas/editions/notes.md, Graphs). The dot-product rule judges a tensor as a whole, so that
  // none of its elements may be missing or occur twice. CONCAT's operands must have one rule, since
  // its output has one. PAD adds elements without a rule.
  static bool MovesAnswers(const Call& call, const Answers& answers) {
    const std::string& op = call.name();
    const bool permutes =
        op == "IDENTITY" || op == "RESHAPE" || op == "REVERSE" || op == "TRANSPOSE";
    if (!permutes && op != "CONCAT" && op != "SLICE" && op != "TILE") return false;
    const Argument& moved = call.arguments().front();
    std::optional<Rule> rule;
    for (size_t k = 0; k < moved.tensors.size(); ++k) {
      const auto answer = answers.find(moved.tensors[k]->name);
      if (moved.values[k] != nullptr || answer == answers.end()) return false;
      Rule other = answer->second->rule;
      other.zero_sign = false;  // no longer binds once data has moved
      if (rule && *rule != other) return false;
      rule = std::move(other);
    }
    return rule && (permutes || rule->kind != RuleKind::kDotProduct);
  }

  void MoveAnswers(const Operator& op, const Call& call, const Block& block,
                   const GraphOperator& node, Frame& frame) {
    // Lets the operator move the positions of the elements, numbered through all operands, in place
    // of their values. Their type must hold the positions, and the operator must have it.
    Block stand_in;
    Values values = frame.values;
    std::vector<const RuledAnswer*> parts;
    int64_t count = 0;
    for (const GraphTensor* operand : call.arguments().front().tensors) {
      if (stand_in.Find(operand->name) != nullptr) continue;  // concatenated with itself
      stand_in.tensors.push_back({operand->name, DType::kFp32, operand->shape, nullptr});
      parts.push_back(frame.answers.at(operand->name).get());
      auto positions = std::make_shared<Tensor>(DType::kFp64, operand->shape);
      for (int64_t i = 0; i < positions->size(); ++i) {
        positions->SetFloat(i, static_cast<double>(count++));
      }
      values[operand->name] = std::move(positions);
    }
    for (const std::string& name : node.inputs) {
      const GraphTensor& tensor = *block.Find(name);
      if (tensor.dtype == DType::kShape) stand_in.tensors.push_back(tensor);
    }
    const GraphTensor& output = *block.Find(node.outputs[0]);
    stand_in.tensors.push_back({output.name, DType::kFp32, output.shape, nullptr});
    const Call moving(edition_, *edition_.FindOperator(node.op), level_, stand_in, node, values);
    Computation computation(moving, ComputationKind::kReference);
    op.compute(moving, computation);
    const Tensor& from = *computation.outputs().begin()->second;

    auto moved = std::make_shared<RuledAnswer>(RuledAnswer{
        parts[0]->rule,
        {.flushed = parts[0]->answer.flushed,
         .expected = Gather(from, parts, [](const Answer& a) { return &a.expected; })}});
    // Where data moves, a zero may keep its sign or lose it.
    moved->rule.zero_sign = false;
    if (parts[0]->answer.bound) {
      moved->answer.bound = Gather(from, parts, [](const Answer& a) { return &*a.bound; });
    }
    if (parts[0]->answer.upper) {
      moved->answer.upper = Gather(from, parts, [](const Answer& a) { return &*a.upper; });
    }
    frame.answers[output.name] = std::move(moved);
  }

  // The integer to which CAST takes every number that is off by at most some units in the last
  // place, if it is one integer. Rounding is monotonic, so both ends decide. The comparing
  // functions accept anything up to normal_min where they look for less.
  std::shared_ptr<const Tensor> SettledByCast(const Operator& op, const Call& call,
                                              const Block& block, const GraphOperator& node,
                                              const Frame& frame) const {
    if (call.name() != "CAST" || call.values("input") != nullptr) return nullptr;
    const DType in = call.dtype("input"), out = call.dtype("output");
    const auto known = frame.answers.find(node.inputs[0]);
    if (!IsFloat(in) || IsFloat(out) || out == DType::kBool || known == frame.answers.end() ||
        known->second->rule.kind != RuleKind::kUlp) {
      return nullptr;
    }
    const Tensor& expected = known->second->answer.expected;
    std::shared_ptr<const Tensor> ends[2];
    for (const int side : {0, 1}) {
      auto end = std::make_shared<Tensor>(DType::kFp64, expected.shape());
      for (int64_t i = 0; i < end->size(); ++i) {
        const double x = expected.Float(i);
        const double off =
            std::max(UlpErrorBound(in, x, known->second->rule.ulp), Format(in).normal_min());
        end->SetFloat(i, side == 0 ? x - off : x + off);
      }
      Values values = frame.values;
      values[node.inputs[0]] = std::move(end);
      const Call cast(edition_, *edition_.FindOperator(node.op), level_, block, node, values);
      Computation computation(cast, ComputationKind::kReference);
      op.compute(cast, computation);
      if (!computation.broken().empty()) return nullptr;
      ends[side] = computation.outputs().at("output");
    }
    return *ends[0] == *ends[1] ? ends[0] : nullptr;
  }

  // The elements at `positions` of one tensor of each part, one after another.
  template <class Get>
  static Tensor Gather(const Tensor& positions, const std::vector<const RuledAnswer*>& parts,
                       Get get) {
    std::vector<uint64_t> elements;
    for (const RuledAnswer* part : parts) {
      const Tensor& tensor = *get(part->answer);
      for (int64_t i = 0; i < tensor.size(); ++i) elements.push_back(tensor.Bits(i));
    }
    Tensor gathered(get(parts[0]->answer)->dtype(), positions.shape());
    for (int64_t i = 0; i < gathered.size(); ++i) {
      gathered.SetBits(i, elements[static_cast<size_t>(positions.Float(i))]);
    }
    return gathered;
  }

  // Either a file is missing, or an operator's result has no one value.
  Status UnknownValues(const std::string& where, const std::string& tensor, const Frame& frame) {
    if (const auto answer = frame.answers.find(tensor); answer != frame.answers.end()) {
      unsupported_ =
          StrCat(where, ": ", tensor, " is judged within bounds (", answer->second->rule.clause,
                 "), so that there is no one value to compute with; the reference goes "
                 "on from exact results only");
      return absl::OkStatus();
    }
    return InvalidArgument("graph, ", where, ": the values of ", tensor,
                           " are not known: neither an input with a file, nor a constant, nor an "
                           "exact result of another operator");
  }

  // ---- Control flow ----

  // What is known of one tensor, on its way from one block to another.
  struct Known {
    std::shared_ptr<const Tensor> value;
    std::shared_ptr<RuledAnswer> answer;
  };

  static Known Get(const Frame& frame, const std::string& name) {
    const auto value = frame.values.find(name);
    const auto answer = frame.answers.find(name);
    return {value == frame.values.end() ? nullptr : value->second,
            answer == frame.answers.end() ? nullptr : answer->second};
  }

  static void Put(Frame& frame, const std::string& name, const Known& known) {
    if (known.value != nullptr) frame.values[name] = known.value;
    if (known.answer != nullptr) frame.answers[name] = known.answer;
  }

  // The conditions compare shapes, never element types (schemas/editions/notes.md).
  bool TypesFit(const Call& call, const std::string& where) {
    const auto compare = [&](std::string_view list, const Block& graph,
                             const std::vector<std::string>& names) {
      for (int k = 0; k < call.Count(list); ++k) {
        const DType found = graph.Find(names[static_cast<size_t>(k)])->dtype;
        if (found == call.dtype(list, k)) continue;
        violations_.push_back(
            {"graph.subgraph_types", where,
             StrCat(list, ": found ", Name(call.dtype(list, k)), " where block ", graph.name,
                    " has ", Name(found), " for ", names[static_cast<size_t>(k)])});
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
    return violations_.empty();
  }

  // Executes a graph over `list` and replaces `list` by its results. `outputs`: the tensors that
  // these become. Stops endless loops, and executions that multiply from level to level.
  Status RunGraph(const Block& graph, const std::vector<std::string>& outputs, int64_t nesting,
                  const std::string& where, std::vector<Known>& list) {
    if (++graph_executions_ > kMaxGraphExecutions) {
      unsupported_ = StrCat(where, ": still running; the reference stops after ",
                            kMaxGraphExecutions, " executions of the graphs of control flow");
      return absl::OkStatus();
    }
    Frame frame;
    for (size_t k = 0; k < list.size(); ++k) Put(frame, graph.inputs[k], list[k]);
    machine_.Enter(outputs, graph);
    Status status = RunBlock(graph, frame, nesting);
    machine_.Leave();
    if (!status.ok() || Stopped()) return status;
    list.clear();
    for (const std::string& name : graph.outputs) list.push_back(Get(frame, name));
    return absl::OkStatus();
  }

  Status RunCondIf(const Call& call, const std::string& where, const GraphOperator& node,
                   Frame& frame) {
    if (!TypesFit(call, where)) return absl::OkStatus();
    std::vector<Known> list;
    for (size_t k = 1; k < node.inputs.size(); ++k) list.push_back(Get(frame, node.inputs[k]));
    const bool taken = call.values("condition")->Integer(0) != 0;
    const Block& graph = call.Subgraph(taken ? "then_graph" : "else_graph");
    CTS_RETURN_IF_ERROR(RunGraph(graph, node.outputs, call.nesting() + 1, where, list));
    if (Stopped()) return absl::OkStatus();
    for (size_t k = 0; k < list.size(); ++k) Put(frame, node.outputs[k], list[k]);
    return absl::OkStatus();
  }

  Status RunWhileLoop(const Call& call, const std::string& where, const GraphOperator& node,
                      Frame& frame) {
    if (!TypesFit(call, where)) return absl::OkStatus();
    std::vector<Known> list;
    for (const std::string& name : node.inputs) list.push_back(Get(frame, name));
    const Block& cond_graph = call.Subgraph("cond_graph");
    while (true) {
      std::vector<Known> condition = list;
      CTS_RETURN_IF_ERROR(RunGraph(cond_graph, {}, call.nesting() + 1, where, condition));
      if (Stopped()) return absl::OkStatus();
      if (condition[0].value == nullptr) {
        unsupported_ = StrCat(where, ": the condition ", cond_graph.outputs[0],
                              " is judged within bounds, so that there is no one value to go by");
        return absl::OkStatus();
      }
      if (condition[0].value->Integer(0) == 0) break;
      CTS_RETURN_IF_ERROR(
          RunGraph(call.Subgraph("body_graph"), node.outputs, call.nesting() + 1, where, list));
      if (Stopped()) return absl::OkStatus();
    }
    for (size_t k = 0; k < list.size(); ++k) Put(frame, node.outputs[k], list[k]);
    return absl::OkStatus();
  }

  // ---- Variables ----

  void Declare(const Call& call, const std::string& where) {
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
    const auto [found, inserted] = variables_.known.emplace(
        call.VariableName(), Variable{.dtype = call.VariableType(), .shape = shape});
    Variable& variable = found->second;
    if (inserted && call.InitialValue() != nullptr) {
      variable.value = call.InitialValue()->values;
      variable.written = true;
    }
    variable.declared = true;
  }

  void Write(const Call& call, const GraphOperator& node, const Frame& frame) {
    const Known known = Get(frame, node.inputs[0]);
    Variable& variable = variables_.known.at(call.VariableName());
    variable.value = known.value;
    variable.written = true;
    variables_.answers[call.VariableName()] = known.answer;
  }

  void Read(const Call& call, const GraphOperator& node, Frame& frame) {
    Put(frame, node.outputs[0],
        {call.FindVariable()->value, variables_.answers[call.VariableName()]});
  }

  const Graph& graph_;
  const Edition& edition_;
  const Level& level_;
  Variables& variables_;
  Machine& machine_;
  Frame frame_;  // of the main block
  std::vector<Violation> violations_;
  std::string unsupported_;
  std::string place_;             // of the operator of a symbolic program that is run
  int64_t graph_executions_ = 0;  // of those that control flow names
};

// Whether flushing would change a tensor.
bool HasSubnormal(const Tensor& tensor) {
  if (!Info(tensor.dtype()).may_flush) return false;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsSubnormal(tensor.dtype(), tensor.Float(i))) return true;
  }
  return false;
}

// An operand's name in its graph, the place of the element there, and its value.
ReadElement ReadOf(const Call& call, const Computation& trace, const TracedLoad& load) {
  const auto [name, k] = trace.OperandName(load.operand);
  const std::shared_ptr<const Tensor>& tensor = call.values(name, k);
  ReadElement element{.index = Index(tensor->shape(), load.offset)};
  for (const Argument& input : call.arguments()) {
    if (input.spec->name != name || input.was_attribute) continue;
    element.tensor = input.tensors[static_cast<size_t>(k)]->name;
    element.index = Permute(element.index, Inverse(input.view_axes));
  }
  element.dtype = tensor->dtype();
  element.factors = load.factors;
  if (IsFloat(tensor->dtype())) {
    element.value = tensor->Float(load.offset);
  } else {
    element.integer = tensor->Integer(load.offset);
  }
  return element;
}

// The element of an output that breaks a REQUIRE, and the elements it is made of: "out[3] of in0[3]
// = 5, in1[3] = 40". Empty if the REQUIRE holds without flushing.
std::string BrokenElement(const Operator& op, const Call& call, std::string_view broken) {
  constexpr size_t kMost = 4;
  for (const Argument& output : call.arguments()) {
    if (output.spec->category != ArgumentCategory::kOutput) continue;
    Computation trace(call, ComputationKind::kTrace);
    trace.set_traced(output.spec->name, -1);
    op.compute(call, trace);
    if (trace.broken() != broken) continue;
    const Shape& shape = output.tensors[0]->shape;
    std::string text =
        StrCat(output.tensors[0]->name,
               ToString(Permute(Index(shape, trace.broken_at()), Inverse(output.view_axes))));
    const Loads& loads = trace.loads();
    for (size_t k = 0; k < std::min(loads.size(), kMost); ++k) {
      const ReadElement read = ReadOf(call, trace, loads[k]);
      const std::string value =
          IsFloat(read.dtype) ? NumberText(read.value) : std::to_string(read.integer);
      const std::string operand = trace.OperandName(loads[k].operand).first;
      text += StrCat(k == 0 ? " of " : ", ", read.tensor.empty() ? operand : read.tensor,
                     ToString(read.index), " = ", value);
    }
    if (loads.size() > kMost) text += StrCat(" and ", loads.size() - kMost, " more");
    return text;
  }
  return "";
}

// The norm: answers with their rules.
class ReferenceMachine : public Machine {
 public:
  ReferenceMachine(int data_set, bool flush) : data_set_(data_set), flush_(flush) {}

  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override {
    for (const Argument& argument : call.arguments()) {
      for (const auto& value : argument.values) {
        flushing_matters_ = flushing_matters_ || (value != nullptr && HasSubnormal(*value));
      }
    }
    Computation computation(call, ComputationKind::kReference);
    computation.set_flush(flush_);
    op.compute(call, computation);
    // A broken REQUIRE leaves outputs without a value; nobody may ask for them.
    if (!computation.broken().empty()) return computation.broken();
    CTS_ASSIGN_OR_RETURN(auto answers, ApplyPrecision(op, call, computation, flush_, data_set_));
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      const GraphTensor& tensor = *argument.tensors[0];
      RuledAnswer& answer = answers.at(argument.spec->name);
      GiveBack(argument, answer.answer);
      // A result with a bound has no one value that a further operator could start from.
      if (HasOneValue(answer)) {
        frame.values[tensor.name] = Typed(answer.answer.expected, tensor.dtype);
        // CLAMP's bounds may be subnormal though its input is not.
        flushing_matters_ = flushing_matters_ || HasSubnormal(*frame.values[tensor.name]);
      }
      frame.answers[tensor.name] = std::make_shared<RuledAnswer>(std::move(answer));
    }
    return "";
  }

  std::string Describe(const Operator& op, const Call& call, std::string_view broken) override {
    const Condition* const condition = FindCondition(broken, call.edition());
    const std::string element = BrokenElement(op, call, broken);
    return StrCat(condition == nullptr ? "broken by the data" : ExplainBroken(*condition, call),
                  element.empty() ? "" : ": found " + element);
  }

  // Exact, or an interval without extent: a floating-point CAST to a wider type.
  static bool HasOneValue(const RuledAnswer& answer) {
    if (answer.rule.kind == RuleKind::kExact) return true;
    return answer.rule.kind == RuleKind::kInterval && answer.rule.zero_sign &&
           answer.answer.expected == answer.answer.upper;
  }

  // In the layout of the edition.
  static void GiveBack(const Argument& argument, Answer& answer) {
    if (argument.view_axes.empty()) return;
    answer.expected = argument.Given(answer.expected);
    if (answer.bound) answer.bound = argument.Given(*answer.bound);
    if (answer.upper) answer.upper = argument.Given(*answer.upper);
  }

  // Whether a subnormal number was read, or is an exact result. Without one a run that flushes
  // gives the same.
  bool flushing_matters() const { return flushing_matters_; }

 private:
  const int data_set_;
  const bool flush_;
  bool flushing_matters_ = false;
};

// The embedded implementation.
class NativeMachine : public Machine {
 public:
  explicit NativeMachine(const Departure* departure = nullptr) : departure_(departure) {}

  const Departure* departure() const override { return departure_; }

  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override {
    if (departure_ != nullptr) {
      if (const std::optional<OperatorOutputs> results = departure_->Compute(op, call)) {
        Hand(call, *results, frame);
        return "";
      }
    }
    Computation computation(call, ComputationKind::kNative);
    op.compute(call, computation);
    Hand(call, computation.outputs(), frame);
    return computation.broken();
  }

 private:
  static void Hand(const Call& call, const OperatorOutputs& results, Frame& frame) {
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      const std::shared_ptr<Tensor>& result = results.at(argument.spec->name);
      frame.values[argument.tensors[0]->name] =
          argument.view_axes.empty() ? result : std::make_shared<Tensor>(argument.Given(*result));
    }
  }

  const Departure* departure_;
};

// The embedded implementation, watched where it computes one element.
class TracingMachine : public NativeMachine {
 public:
  TracingMachine(std::string output, int64_t offset)
      : wanted_({std::move(output)}), offset_(offset) {}

  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override {
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      if (argument.tensors[0]->name == wanted_.back()) Watch(op, call, argument);
    }
    return NativeMachine::Compute(op, call, frame);
  }

  // Inside a graph that yields the output, trace the operator that yields it there. In a loop the
  // last time counts.
  void Enter(const std::vector<std::string>& outputs, const Block& graph) override {
    const auto found = std::find(outputs.begin(), outputs.end(), wanted_.back());
    const auto k = static_cast<size_t>(found - outputs.begin());
    wanted_.push_back(found == outputs.end() ? "" : graph.outputs[k]);
  }
  void Leave() override { wanted_.pop_back(); }

  // Elements of later executions, instead of those found so far.
  void Forget() { elements_.clear(); }
  const std::vector<ReadElement>& elements() const { return elements_; }

 private:
  void Watch(const Operator& op, const Call& call, const Argument& output) {
    elements_.clear();
    Computation trace(call, ComputationKind::kTrace);
    trace.set_traced(output.spec->name, output.SeenOffset(output.tensors[0]->shape, offset_));
    op.compute(call, trace);
    for (const TracedLoad& load : trace.loads()) {
      ReadElement element = ReadOf(call, trace, load);
      if (!element.tensor.empty()) elements_.push_back(std::move(element));
    }
  }

  std::vector<std::string> wanted_;  // the tensor to watch, in the block that runs; "": none
  const int64_t offset_;
  std::vector<ReadElement> elements_;
};

// An answer for a tensor that no operator computed: a constant, a variable's value, or a tensor
// that control flow handed on.
std::shared_ptr<RuledAnswer> AnswerAsItIs(const Block& block, const std::string& name,
                                          const Tensor& value, const Edition& edition, bool flush) {
  Tensor expected = value;
  if (IsFloat(value.dtype())) {
    expected = Tensor(DType::kFp64, value.shape());
    for (int64_t i = 0; i < expected.size(); ++i) {
      double x = value.Float(i);
      if (flush && Info(value.dtype()).may_flush && IsSubnormal(value.dtype(), x)) {
        x = std::copysign(0.0, x);
      }
      expected.SetFloat(i, x);
    }
  }
  std::string_view maker = "CONST", source = edition.id;
  for (const GraphOperator& op : block.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), name) == op.outputs.end()) continue;
    if (op.op != "CONST_SHAPE") maker = op.op;
    if (IsSymbolic(op)) source = "symbolic shapes";
  }
  return std::make_shared<RuledAnswer>(RuledAnswer{
      {.form = edition.precision->form(), .clause = StrCat(source, ", ", maker, ": exact")},
      {.flushed = flush, .expected = std::move(expected)}});
}

Status UnknownOutput(const std::string& name) {
  return InvalidArgument("graph, outputs: the values of ", name,
                         " are not known: they come from an input without a file");
}

// One reference run of one execution.
struct ReferenceRun {
  std::vector<Violation> violations;
  std::string unsupported;
  // The main block's outputs in their order, if neither of the above.
  std::vector<std::shared_ptr<RuledAnswer>> answers;
  bool flushing_matters = false;
};

StatusOr<ReferenceRun> RunReference(const Graph& graph, const ExecutionInputs& inputs,
                                    const Edition& edition, const Level& level, int data_set,
                                    bool flush, Variables& variables) {
  ReferenceMachine machine(data_set, flush);
  Execution execution(graph, edition, level, variables, machine);
  CTS_RETURN_IF_ERROR(execution.Run(inputs));
  ReferenceRun run{execution.violations(), execution.unsupported(), {}, machine.flushing_matters()};
  if (!run.violations.empty() || !run.unsupported.empty()) return run;
  const Block& block = graph.main();
  for (const std::string& name : block.outputs) {
    if (const auto known = execution.frame().answers.find(name);
        known != execution.frame().answers.end()) {
      run.answers.push_back(known->second);
      continue;
    }
    if (std::find(block.inputs.begin(), block.inputs.end(), name) != block.inputs.end()) {
      return InvalidArgument("graph, outputs: found ", name, ", an input of the graph; expected ",
                             "what operators make, such as IDENTITY of it");
    }
    const auto value = execution.frame().values.find(name);
    if (value == execution.frame().values.end()) return UnknownOutput(name);
    run.answers.push_back(AnswerAsItIs(block, name, *value->second, edition, flush));
    run.flushing_matters = run.flushing_matters || HasSubnormal(*value->second);
  }
  return run;
}

// Checks a graph before it is executed, and the tensors given for its inputs.
Status CheckProgram(const Graph& graph, const Edition& edition) {
  CTS_RETURN_IF_ERROR(CheckStructure(graph, edition));
  CTS_RETURN_IF_ERROR(PrecisionOf(edition).status());
  for (const Region& region : graph.regions) {
    const Block& block = region.blocks.front();
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const GraphOperator& op = block.operators[i];
      if (IsSymbolic(op) || OperatorFor(*edition.FindOperator(op.op)) != nullptr) continue;
      return InvalidArgument("graph, ", Place(graph, block, i),
                             ": the reference does not have it yet");
    }
  }
  return IsSymbolic(graph) ? CheckSymbolicStructure(graph, edition) : absl::OkStatus();
}

Status CheckGiven(const Graph& graph, const ExecutionInputs& given) {
  CTS_RETURN_IF_ERROR(CheckInputs(graph, *given));
  if (IsSymbolic(graph) == (given.binding != nullptr)) {
    return given.binding == nullptr ? absl::OkStatus() : CheckBinding(graph, *given.binding);
  }
  if (given.binding == nullptr) return RequireStatic(graph);
  return InvalidArgument("graph: found a binding, expected none: it has no symbols");
}

// Hands over the answer itself if nothing else needs it: large tensors are not copied.
Answer Take(const std::shared_ptr<RuledAnswer>& answer) {
  return answer.use_count() == 1 ? std::move(answer->answer) : answer->answer;
}

bool SameAnswer(const Answer& a, const Answer& b) {
  return a.expected == b.expected && a.bound == b.bound && a.upper == b.upper;
}

}  // namespace

StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set) {
  CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                       EvaluateSequence(graph, {&inputs}, edition, level, data_set));
  return std::move(evaluations.front());
}

StatusOr<std::vector<Evaluation>> EvaluateSequence(const Graph& graph, const InputSequence& inputs,
                                                   const Edition& edition, const Level& level,
                                                   int data_set) {
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  bool flushing_matters = false;
  std::vector<Evaluation> evaluations;
  Variables variables, flushed_variables;
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    CTS_ASSIGN_OR_RETURN(ReferenceRun run,
                         RunReference(graph, given, edition, level, data_set, false, variables));
    Evaluation& evaluation = evaluations.emplace_back();
    evaluation.violations = run.violations;
    evaluation.message = run.unsupported;
    evaluation.outcome =
        run.unsupported.empty() ? OutcomeOf(run.violations, edition) : Outcome::kUnsupported;
    if (evaluation.outcome != Outcome::kValid) return evaluations;

    ReferenceRun flushed;
    // A difference from flushing may live on in a variable.
    flushing_matters = flushing_matters || run.flushing_matters;
    if (!flushing_matters) {
      flushed_variables = variables;
    } else {
      CTS_ASSIGN_OR_RETURN(
          flushed, RunReference(graph, given, edition, level, data_set, true, flushed_variables));
      // The outcome differs between implementations that flush and those that do not.
      if (!flushed.violations.empty() || !flushed.unsupported.empty()) {
        evaluation.violations = flushed.violations;
        evaluation.message = flushed.unsupported;
        evaluation.outcome =
            flushed.unsupported.empty() ? Outcome::kUnpredictable : Outcome::kUnsupported;
        return evaluations;
      }
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
      }
      evaluation.outputs.push_back(std::move(output));
    }
  }
  return evaluations;
}

StatusOr<NativeResult> ExecuteNative(const Graph& graph,
                                     const std::map<std::string, Tensor>& inputs,
                                     const Edition& edition, const Level& level) {
  CTS_ASSIGN_OR_RETURN(std::vector<NativeResult> results,
                       ExecuteNativeSequence(graph, {&inputs}, edition, level));
  return std::move(results.front());
}

StatusOr<std::vector<NativeResult>> ExecuteNativeSequence(const Graph& graph,
                                                          const InputSequence& inputs,
                                                          const Edition& edition,
                                                          const Level& level,
                                                          const Departure* departure) {
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  std::vector<NativeResult> results;
  Variables variables;
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    NativeMachine machine(departure);
    Execution execution(graph, edition, level, variables, machine);
    CTS_RETURN_IF_ERROR(execution.Run(given));
    NativeResult& result = results.emplace_back();
    if (!execution.unsupported().empty()) {
      result.outcome = Outcome::kUnsupported;
      result.message = execution.unsupported();
      return results;
    }
    result.outcome = OutcomeOf(execution.violations(), edition);
    if (result.outcome != Outcome::kValid) {
      const Violation& first = execution.violations().front();
      result.message = StrCat(first.op, ": ", first.condition, ": ", first.message);
      return results;
    }
    for (const std::string& name : graph.main().outputs) {
      const auto value = execution.frame().values.find(name);
      if (value == execution.frame().values.end()) return UnknownOutput(name);
      result.outputs.emplace(name, *value->second);
    }
  }
  return results;
}

StatusOr<std::vector<ReadElement>> TraceElement(const Graph& graph,
                                                const std::map<std::string, Tensor>& inputs,
                                                const Edition& edition, const Level& level,
                                                std::string_view output, int64_t offset) {
  return TraceSequence(graph, {&inputs}, edition, level, output, offset);
}

StatusOr<std::vector<ReadElement>> TraceSequence(const Graph& graph, const InputSequence& inputs,
                                                 const Edition& edition, const Level& level,
                                                 std::string_view output, int64_t offset) {
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  Variables variables;
  TracingMachine machine(std::string(output), offset);
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    machine.Forget();
    Execution execution(graph, edition, level, variables, machine);
    CTS_RETURN_IF_ERROR(execution.Run(given));
  }
  return machine.elements();
}

}  // namespace cts
