#include "reference/calls/operator_call.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/contains.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/calls/call_arguments.h"
#include "reference/calls/call_json.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/structure.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace calls {
namespace {

// Turns one call into a graph.
class GraphMaker {
 public:
  GraphMaker(const Edition& edition, const OperatorSpec& spec, const Json& call,
             std::vector<Tensor>& tensors)
      : edition_(edition), spec_(spec), arguments_(edition, spec, call, tensors) {}

  // Fills in graph, inputs, withheld.
  Status Make(OperatorCall& call) {
    CTS_RETURN_IF_ERROR(arguments_.Read());
    node_.op = spec_.name;
    for (const ArgumentSpec& argument : spec_.arguments) {
      switch (argument.category) {
        case ArgumentCategory::kInput:
          CTS_RETURN_IF_ERROR(AddInputs(argument, call.inputs));
          break;
        case ArgumentCategory::kAttribute:
          CTS_RETURN_IF_ERROR(AddAttribute(argument));
          break;
        case ArgumentCategory::kOutput:
          CTS_RETURN_IF_ERROR(AddOutput(argument));
          break;
      }
    }
    CTS_RETURN_IF_ERROR(SettleOutputs(call));
    Block& block = graph_.main();
    // A graph of 1.0 yields no shapes: EvaluateCall answers for CONST_SHAPE.
    if (spec_.name != "CONST_SHAPE") block.outputs = node_.outputs;
    block.operators.push_back(std::move(node_));
    call.graph = std::move(graph_);
    call.withheld = arguments_.withheld();
    return absl::OkStatus();
  }

 private:
  bool IsConstant() const { return cts::IsConstant(spec_.name); }

  Status AddInputs(const ArgumentSpec& argument, std::map<std::string, Tensor>& inputs) {
    CTS_ASSIGN_OR_RETURN(std::vector<Given> given, arguments_.Inputs(argument));
    Block& block = graph_.main();
    for (size_t k = 0; k < given.size(); ++k) {
      const std::string name = IsList(argument) ? StrCat(argument.name, "_", k) : argument.name;
      node_.inputs.push_back(name);
      block.tensors.push_back({name, given[k].dtype, given[k].shape});
      // A graph of 1.0 takes no shapes.
      if (given[k].dtype == DType::kShape && given[k].values != nullptr) {
        block.tensors.back().values = given[k].values;
        block.operators.push_back({.op = "CONST_SHAPE", .inputs = {}, .outputs = {name}});
        continue;
      }
      block.inputs.push_back(name);
      // Nothing reads the arguments' own values any more.
      if (given[k].values != nullptr) inputs.emplace(name, std::move(*given[k].values));
    }
    return absl::OkStatus();
  }

  Status AddAttribute(const ArgumentSpec& argument) {
    if (IsConstant()) return absl::OkStatus();  // AddOutput's business
    CTS_ASSIGN_OR_RETURN(std::optional<AttributeValue> value, arguments_.Attribute(argument));
    if (value) node_.attributes[argument.name] = *std::move(value);
    return absl::OkStatus();
  }

  Status AddOutput(const ArgumentSpec& argument) {
    CTS_ASSIGN_OR_RETURN(OutputType type, arguments_.Output(argument));
    GraphTensor tensor{.name = argument.name};
    if (IsConstant()) {
      CTS_RETURN_IF_ERROR(AddConstant(argument, type, tensor));
    } else {
      if (!type.dtype && argument.type == "shape_t") type.dtype = DType::kShape;
      if (!type.dtype) type.dtype = arguments_.Resolve(argument.element_type);
      if (!type.dtype) {
        return Bad("/output_types", "expected a member \"", argument.name,
                   "\" with the dtype of that output: more than one goes with these inputs");
      }
      tensor.dtype = *type.dtype;
      if (type.shape) {
        tensor.shape = *std::move(type.shape);
      } else {
        unknown_.insert(argument.name);
      }
    }
    node_.outputs.push_back(tensor.name);
    graph_.main().tensors.push_back(std::move(tensor));
    return absl::OkStatus();
  }

  // Takes a shape's elements from those that are left; false if too few are left. The argument
  // tables refuse what is no shape at all.
  static bool Take(const Shape& shape, int64_t& left) {
    if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 1; })) return true;
    const StatusOr<int64_t> count = CheckedElementCount(shape);
    if (!count.ok() || *count > left) return false;
    left -= *count;
    return true;
  }

  // Outputs get the shapes that the call leaves open. One that is too large may pass if another
  // shape follows from the inputs: then the conditions refuse it before anything is computed.
  Status SettleOutputs(OperatorCall& call) {
    Block& block = graph_.main();
    int64_t left = arguments_.elements_left();
    const bool settled =
        std::all_of(node_.outputs.begin(), node_.outputs.end(), [&](const std::string& name) {
          return !unknown_.contains(name) && Take(block.Find(name)->shape, left);
        });
    if (IsConstant() || settled) return absl::OkStatus();
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    for (const GraphTensor& tensor : block.tensors) {
      if (tensor.values != nullptr) values[tensor.name] = tensor.values;
    }
    for (const auto& [name, value] : call.inputs) {
      if (value.dtype() == DType::kShape) values[name] = std::make_shared<const Tensor>(value);
    }
    left = arguments_.elements_left();
    const auto shapes = InferShapes(node_, block, values, edition_, *call.level);
    for (GraphTensor& tensor : block.tensors) {
      if (!Contains(node_.outputs, tensor.name)) continue;
      if (unknown_.contains(tensor.name)) {
        if (!shapes.ok()) {
          call.undetermined = Bad("/output_types", "expected a member \"", tensor.name,
                                  "\" with the shape of that output: ", Message(shapes.status()));
          tensor.shape = block.tensors.front().shape;
          continue;
        }
        tensor.shape = shapes->at(tensor.name);
      }
      if (!Take(shapes.ok() ? shapes->at(tensor.name) : tensor.shape, left)) {
        return arguments_.withheld().ok() ? TooLarge("/output_types/" + tensor.name)
                                          : arguments_.withheld();
      }
    }
    return absl::OkStatus();
  }

  Status AddConstant(const ArgumentSpec& argument, const OutputType& type, GraphTensor& tensor) {
    CTS_ASSIGN_OR_RETURN(const Given given, arguments_.ConstantValues());
    if (given.values == nullptr) {
      return Bad("/arguments/values", "found shape ", ToString(given.shape),
                 ", expected dimensions of at least 1 and at most ", kMaxElements, " elements");
    }
    if (type.dtype.value_or(given.dtype) != given.dtype ||
        type.shape.value_or(given.shape) != given.shape) {
      return Bad("/output_types/" + argument.name, "found ", Name(type.dtype.value_or(given.dtype)),
                 ToString(type.shape.value_or(given.shape)), ", expected ", Name(given.dtype),
                 ToString(given.shape), " as in /arguments/values");
    }
    tensor.dtype = given.dtype;
    tensor.shape = given.shape;
    tensor.values = given.values;
    return absl::OkStatus();
  }

  const Edition& edition_;
  const OperatorSpec& spec_;
  Arguments arguments_;
  Graph graph_ = EmptyGraph();
  GraphOperator node_;
  std::set<std::string> unknown_;  // outputs without a shape
};

Status CheckOperator(const Edition& edition, const std::string& name) {
  const std::string place = "/operator";
  const OperatorSpec* spec = edition.FindOperator(name);
  if (spec == nullptr) {
    std::vector<std::string> names;
    for (const OperatorSpec& known : edition.operators) names.push_back(known.name);
    std::string upper = name;
    for (char& c : upper) c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const std::string with = EditionsWith(upper);
    return Bad(place, "found ", Found(name), ", of which ", edition.id, " knows nothing",
               with.empty() ? "" : StrCat(", an operator of ", with), "; ", Expected(names, upper));
  }
  if (spec->group == "control-flow" || spec->group == "variable" || spec->group == "custom") {
    return Bad(place, name, " makes sense within a graph only; use tensor-cts eval --graph");
  }
  if (OperatorFor(*spec) == nullptr) {
    return Bad(place, "the reference does not have ", name, " yet");
  }
  return absl::OkStatus();
}

// Tensors with a number in place of their elements are those of `tensors`.
StatusOr<OperatorCall> FromJson(const Json& json, const CallDefaults& defaults,
                                std::vector<Tensor>& tensors) {
  CTS_RETURN_IF_ERROR(CheckObject(json, "", {"operator", "arguments"},
                                  {"id", "edition", "level", "data_set", "output_types"},
                                  "an object: an operator call"));
  const auto text = [&](const char* member, const std::string& fallback) -> StatusOr<std::string> {
    if (!json.contains(member)) return fallback;
    return TextFromJson(json[member], StrCat("/", member), "a name");
  };
  OperatorCall call;
  CTS_ASSIGN_OR_RETURN(const std::string edition_id, text("edition", defaults.edition));
  const StatusOr<const Edition*> edition = FindEdition(edition_id);
  if (!edition.ok() || !(*edition)->Has(Feature::kExecuted)) {
    std::vector<std::string> known;
    for (const std::string& id : EditionIds()) {
      CTS_ASSIGN_OR_RETURN(const Edition* each, FindEdition(id));
      if (each->Has(Feature::kExecuted)) known.push_back(id);
    }
    return Bad("/edition", "found ", Found(edition_id), ", ", Expected(known, edition_id));
  }
  call.edition = *edition;
  CTS_ASSIGN_OR_RETURN(const std::string level, text("level", defaults.level));
  const bool narrowest = level.empty() && !json.contains("level");
  call.level = narrowest ? &call.edition->NarrowestLevel() : call.edition->FindLevel(level);
  if (call.level == nullptr) {
    std::vector<std::string> known;
    for (const Level& each : call.edition->levels) known.push_back(each.name);
    return Bad("/level", "found ", Found(level), ", ", Expected(known, level));
  }
  if (json.contains("data_set")) {
    const Json& set = json["data_set"];
    if (!set.is_number_integer() || set < 0 || set > 5) {
      return Bad("/data_set", "found ", Found(set),
                 ", expected the number of a data set of appendix A, 0 to 5");
    }
    call.data_set = set.get<int>();
  }
  CTS_ASSIGN_OR_RETURN(const std::string op,
                       TextFromJson(json["operator"], "/operator", "the name of an operator"));
  CTS_RETURN_IF_ERROR(CheckOperator(*call.edition, op));
  CTS_RETURN_IF_ERROR(
      GraphMaker(*call.edition, *call.edition->FindOperator(op), json, tensors).Make(call));
  return call;
}

// Returns the JSON that stands in a call for a tensor in memory: its elements are those of
// tensors[place].
Json InMemory(Tensor tensor, std::vector<Tensor>& tensors) {
  Json json = {
      {"dtype", Name(tensor.dtype())}, {"shape", tensor.shape()}, {"data", tensors.size()}};
  tensors.push_back(std::move(tensor));
  return json;
}

Json InMemory(CallArgument argument, std::vector<Tensor>& tensors) {
  if (auto* const plain = std::get_if<Json>(&argument)) return std::move(*plain);
  if (auto* const tensor = std::get_if<Tensor>(&argument)) {
    return InMemory(std::move(*tensor), tensors);
  }
  Json list = Json::array();
  for (Tensor& tensor : std::get<std::vector<Tensor>>(argument)) {
    list.push_back(InMemory(std::move(tensor), tensors));
  }
  return list;
}

}  // namespace
}  // namespace calls

StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults) {
  const PlainArithmetic plain;
  std::vector<Tensor> none;
  return calls::FromJson(json, defaults, none);
}

StatusOr<OperatorCall> MakeCall(CallParts parts, const CallDefaults& defaults) {
  const PlainArithmetic plain;
  std::vector<Tensor> tensors;
  Json json = {{"operator", parts.op}, {"arguments", Json::object()}};
  for (auto& [name, argument] : parts.arguments) {
    json["arguments"][name] = calls::InMemory(std::move(argument), tensors);
  }
  for (const auto& [name, output] : parts.outputs) {
    Json& type = json["output_types"][name] = Json::object();
    if (output.dtype) type["dtype"] = Name(*output.dtype);
    if (output.shape) type["shape"] = *output.shape;
  }
  if (parts.edition) json["edition"] = *parts.edition;
  if (parts.level) json["level"] = *parts.level;
  if (parts.data_set) json["data_set"] = *parts.data_set;
  return calls::FromJson(json, defaults, tensors);
}

namespace {

bool IsAboutOutputShape(const Violation& violation) {
  return violation.condition == "graph.shape" ||
         violation.condition.find(".output_") != std::string::npos;
}

// The findings that two guesses of the outputs' shapes have in common. Those about these shapes
// count only if there are no others.
StatusOr<Evaluation> EvaluateUndetermined(const OperatorCall& call) {
  Graph other = call.graph;
  const GraphOperator& node = other.main().operators.back();
  for (GraphTensor& tensor : other.main().tensors) {
    if (!Contains(node.outputs, tensor.name)) {
      continue;
    }
    for (int64_t& size : tensor.shape) ++size;
  }
  const auto first = Evaluate(call.graph, call.inputs, *call.edition, *call.level, call.data_set);
  const auto second = Evaluate(other, call.inputs, *call.edition, *call.level, call.data_set);
  if (!first.ok() || !second.ok()) return call.undetermined;
  Evaluation common;
  for (const Violation& violation : first->violations) {
    const auto& others = second->violations;
    if (std::any_of(others.begin(), others.end(),
                    [&](const Violation& each) { return each.condition == violation.condition; })) {
      common.violations.push_back(violation);
    }
  }
  if (!std::all_of(common.violations.begin(), common.violations.end(), IsAboutOutputShape)) {
    std::erase_if(common.violations, IsAboutOutputShape);
  }
  if (common.violations.empty()) return call.undetermined;
  common.outcome = Outcome::kError;
  for (const Violation& violation : common.violations) {
    const Condition* condition = FindCondition(violation.condition, *call.edition);
    if (condition == nullptr || condition->kind != ConditionKind::kErrorIf) {
      common.outcome = Outcome::kUnpredictable;
    }
  }
  return common;
}

}  // namespace

StatusOr<Evaluation> EvaluateCall(const OperatorCall& call) {
  const PlainArithmetic plain;
  if (!call.undetermined.ok()) return EvaluateUndetermined(call);
  StatusOr<Evaluation> evaluated =
      Evaluate(call.graph, call.inputs, *call.edition, *call.level, call.data_set);
  if (!evaluated.ok()) return call.withheld.ok() ? evaluated.status() : call.withheld;
  Evaluation evaluation = *std::move(evaluated);
  const Block& block = call.graph.main();
  const GraphOperator& node = block.operators.back();
  if (node.op == "CONST_SHAPE" && evaluation.outcome == Outcome::kValid) {
    const GraphTensor& tensor = *block.Find(node.outputs[0]);
    const Rule rule{.form = call.edition->precision->form(),
                    .clause = StrCat(call.edition->id, ", CONST_SHAPE: exact")};
    evaluation.outputs.push_back(
        {tensor.name, tensor.dtype, tensor.shape, rule, {{.expected = *tensor.values}}});
  }
  return evaluation;
}

}  // namespace cts
