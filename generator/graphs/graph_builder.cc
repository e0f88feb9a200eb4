#include "generator/graphs/graph_builder.h"

#include <algorithm>
#include <cctype>

#include "generator/ops/convolution.h"
#include "reference/base/contains.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/evaluate/native.h"
#include "reference/numeric/quantized_scale.h"

namespace cts {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool IsOperand(const ArgumentSpec& argument) {
  return argument.category == ArgumentCategory::kInput;
}

// The neutral value of an argument that is left out; null where there is none.
std::optional<AttributeValue> Neutral(const Setting& setting, const ArgumentSpec& argument) {
  const std::string& name = argument.name;
  if (name.ends_with("_zp") || name == "shift") return int64_t{0};
  if (name == "stride" || name == "dilation") return std::vector<int64_t>{1, 1};
  if (name == "pad") return std::vector<int64_t>{0, 0, 0, 0};
  if (name == "nan_mode") return std::string("PROPAGATE");
  if (name == "rounding_mode") return std::string("SINGLE_ROUND");
  if (name == "acc_type") {
    return AccumulatorName(setting.FirstBound({"acc_t", "out_t"}));
  }
  if (argument.optional) return std::nullopt;
  for (const char* flag : {"double_round", "per_channel", "input_unsigned", "output_unsigned"}) {
    if (name == flag) return false;
  }
  return std::nullopt;
}

}  // namespace

GraphBuilder::GraphBuilder(const Choice& choice) : choice_(choice), setting_(choice.setting) {
  assembly_.graph = EmptyGraph();
}

Block& GraphBuilder::block() {
  for (Region& region : assembly_.graph.regions) {
    if (region.name == open_.back()) return region.blocks.front();
  }
  return assembly_.graph.main();
}

void GraphBuilder::Fail(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
}

const GraphTensor& GraphBuilder::Find(const Name& tensor) {
  if (const GraphTensor* found = block().Find(tensor)) return *found;
  Fail(InvalidArgument("region ", open_.back(), " has no tensor ", tensor));
  static const GraphTensor none = {"", DType::kBool, {}, nullptr};
  return none;
}

DType GraphBuilder::TypeOf(const Name& tensor) { return Find(tensor).dtype; }
const Shape& GraphBuilder::ShapeOf(const Name& tensor) { return Find(tensor).shape; }

GraphBuilder::Name GraphBuilder::Input(const Name& name, Tensor values) {
  Block& main = assembly_.graph.main();
  main.tensors.push_back({name, values.dtype(), values.shape(), nullptr});
  main.inputs.push_back(name);
  assembly_.inputs.emplace(name, std::move(values));
  return name;
}

void GraphBuilder::NextInput(const Name& name, Tensor values) {
  for (std::map<std::string, Tensor>& inputs : assembly_.later_inputs) {
    if (inputs.emplace(name, values).second) return;
  }
  assembly_.later_inputs.push_back({{name, std::move(values)}});
}

GraphBuilder::Name GraphBuilder::Parameter(const Name& name, DType type, const Shape& shape) {
  block().tensors.push_back({name, type, shape, nullptr});
  block().inputs.push_back(name);
  return name;
}

GraphBuilder::Name GraphBuilder::Constant(const Name& name, const Tensor& values) {
  block().tensors.push_back(
      {name, values.dtype(), values.shape(), std::make_shared<const Tensor>(values)});
  block().operators.push_back({"CONST", {}, {name}, {}});
  return name;
}

std::optional<Setting> GraphBuilder::SettingOf(const OperatorSpec& spec, const Names& operands,
                                               const Parameters& parameters,
                                               std::optional<DType> type) {
  const auto fits = [&](const TypeRow& row) {
    const Setting setting{setting_.edition, setting_.level, &spec, &row, setting_.profiles};
    size_t next = 0;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kOutput) {
        if (type && TypeOfElements(setting, argument) != type) return false;
      } else if (IsOperand(argument) && next < operands.size() &&
                 !parameters.contains(argument.name)) {
        // mul_t of RESCALE is no variable of the row.
        const auto wanted = TypeOfElements(setting, argument);
        if (wanted && *wanted != TypeOf(operands[next])) return false;
        ++next;
      }
    }
    return true;
  };
  const TypeRow* found = nullptr;
  if (spec.name == setting_.spec->name && fits(*setting_.row)) found = setting_.row;
  for (size_t i = 0; found == nullptr && i < spec.type_rows.size(); ++i) {
    if (fits(spec.type_rows[i])) found = &spec.type_rows[i];
  }
  if (found == nullptr) {
    std::string types;
    for (const Name& operand : operands)
      types += StrCat(" ", Name(operand), ": ", cts::Name(TypeOf(operand)));
    Fail(InvalidArgument(spec.name, ": no type row for", types));
    return std::nullopt;
  }
  rows_.push_back(found);
  return Setting{setting_.edition, setting_.level, &spec, found, setting_.profiles};
}

GraphBuilder::Name GraphBuilder::Apply(std::string_view op, const Names& operands,
                                       const Parameters& parameters, std::optional<DType> type) {
  std::string prefix = StrCat(Lower(op), "_", ++count_, "_");
  const OperatorSpec* spec = setting_.edition->FindOperator(op);
  if (spec == nullptr) {
    Fail(InvalidArgument(setting_.edition->id, " has no operator ", op));
    return prefix;
  }
  const std::optional<Setting> setting = SettingOf(*spec, operands, parameters, type);
  if (!setting) return prefix;

  CaseDraft draft;
  size_t next = 0;
  for (const ArgumentSpec& argument : spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      draft.output_type = TypeOfElements(*setting, argument).value_or(DType::kBool);
    } else if (const auto given = parameters.find(argument.name); given != parameters.end()) {
      draft.Set(argument.name, given->second);
    } else if (IsOperand(argument) && next < operands.size()) {
      TensorArgument operand;
      operand.list = argument.type == "tensor_list_t";
      const size_t last = operand.list ? operands.size() : next + 1;
      while (next < last) operand.known.push_back(operands[next++]);
      draft.arguments[argument.name] = std::move(operand);
    } else if (auto neutral = Neutral(*setting, argument)) {
      draft.Set(argument.name, *std::move(neutral));
    }
  }
  Block& where = block();
  if (Status status = AppendOperator(*setting, draft, prefix, assembly_, where); !status.ok()) {
    Fail(std::move(status));
    return prefix;
  }
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : where.tensors) {
    if (tensor.values != nullptr) values[tensor.name] = tensor.values;
  }
  const GraphOperator& added = where.operators.back();
  const auto shapes =
      InferShapes(added, where, values, *setting_.edition, *setting_.level, {&assembly_.graph});
  if (!shapes.ok()) {
    Fail(Annotate(shapes.status(), prefix));
  } else {
    where.tensors.back().shape = shapes->begin()->second;
  }
  return added.outputs[0];
}

GraphBuilder::Name GraphBuilder::Rescale(const Name& input, const std::vector<double>& factors,
                                         DType type, Parameters parameters) {
  parameters.emplace("scale32", TypeOf(input) != DType::kI48);
  parameters.emplace("per_channel", factors.size() > 1);
  const bool scale32 = std::get<bool>(parameters.at("scale32"));
  const Shape channels = {static_cast<int64_t>(factors.size())};
  Tensor multiplier(scale32 ? DType::kI32 : DType::kI16, channels), shift(DType::kI8, channels);
  for (int64_t c = 0; c < shift.size(); ++c) {
    const auto quantized = QuantizeScale(factors[static_cast<size_t>(c)], scale32 ? 32 : 16);
    if (!quantized.ok()) {
      Fail(quantized.status());
      continue;
    }
    multiplier.SetInteger(c, quantized->multiplier);
    shift.SetInteger(c, quantized->shift);
  }
  const std::string prefix = StrCat("rescale_", count_ + 1, "_");
  const Name multiplier_name = Constant(prefix + "multiplier", multiplier);
  const Name shift_name = Constant(prefix + "shift", shift);
  return Apply("RESCALE", {input, multiplier_name, shift_name}, parameters, type);
}

GraphBuilder::Names GraphBuilder::Append(const Setting& setting, const CaseDraft& draft) {
  const std::string prefix = StrCat(Lower(setting.spec->name), "_", ++count_, "_");
  rows_.push_back(setting.row);
  if (Status status = AppendOperator(setting, draft, prefix, assembly_, block()); !status.ok()) {
    Fail(std::move(status));
    return {prefix};
  }
  return block().operators.back().outputs;
}

void GraphBuilder::Begin(const std::string& region) {
  assembly_.graph.regions.push_back({region, {Block{region, {}, {}, {}, {}}}});
  open_.push_back(region);
}

void GraphBuilder::End(const Names& outputs) {
  block().outputs = outputs;
  open_.pop_back();
}

GraphBuilder::Names GraphBuilder::AddControlFlow(GraphOperator node, const Names& like,
                                                 const Block& where) {
  const std::string prefix = StrCat(Lower(node.op), "_", ++count_, "_output");
  rows_.push_back(&setting_.edition->FindOperator(node.op)->type_rows.front());
  std::vector<GraphTensor> outputs;
  for (const Name& name : like) {
    const GraphTensor* tensor = where.Find(name);
    if (tensor == nullptr) {
      Fail(InvalidArgument(node.op, ": region ", where.name, " has no tensor ", name));
      continue;
    }
    node.outputs.push_back(StrCat(prefix, outputs.size()));
    outputs.push_back({node.outputs.back(), tensor->dtype, tensor->shape, nullptr});
  }
  Names names = node.outputs;
  block().tensors.insert(block().tensors.end(), outputs.begin(), outputs.end());
  block().operators.push_back(std::move(node));
  return names;
}

GraphBuilder::Names GraphBuilder::If(const Name& condition, const Names& operands,
                                     const std::string& then_region,
                                     const std::string& else_region) {
  GraphOperator node{"COND_IF", {condition}, {}, {}};
  node.inputs.insert(node.inputs.end(), operands.begin(), operands.end());
  node.attributes = {{"then_graph", then_region}, {"else_graph", else_region}};
  const Block* taken = assembly_.graph.FindGraph(then_region);
  if (taken == nullptr) {
    Fail(InvalidArgument("COND_IF: no region ", then_region));
    return {};
  }
  return AddControlFlow(std::move(node), taken->outputs, *taken);
}

GraphBuilder::Names GraphBuilder::While(const Names& operands, const std::string& cond_region,
                                        const std::string& body_region) {
  GraphOperator node{"WHILE_LOOP", operands, {}, {}};
  node.attributes = {{"cond_graph", cond_region}, {"body_graph", body_region}};
  return AddControlFlow(std::move(node), operands, block());
}

GraphOperator GraphBuilder::OfVariable(std::string_view op, const std::string& variable) {
  GraphOperator node{std::string(op), {}, {}, {}};
  int64_t uid = 0;
  while (uid < static_cast<int64_t>(variables_.size()) &&
         variables_[static_cast<size_t>(uid)].first != variable) {
    ++uid;
  }
  if (setting_.edition->FindOperator(op)->FindArgument("uid") != nullptr) {
    node.attributes["uid"] = uid;
  } else {
    node.attributes["name"] = variable;
  }
  return node;
}

void GraphBuilder::Variable(const std::string& variable, const Tensor& initial) {
  GraphTensor tensor{variable + "_initial", initial.dtype(), initial.shape(),
                     std::make_shared<const Tensor>(initial)};
  variables_.emplace_back(variable, tensor);
  GraphOperator node = OfVariable("VARIABLE", variable);
  node.attributes["var_shape"] = initial.shape();
  node.attributes["type"] = std::string(initial.dtype() == DType::kI8     ? "INT8"
                                        : initial.dtype() == DType::kFp16 ? "FP16"
                                                                          : "FP32");
  node.attributes["initial_value"] = tensor.name;
  block().tensors.push_back(std::move(tensor));
  block().operators.push_back(std::move(node));
  assembly_.extensions.push_back("EXT-VARIABLE");
}

GraphBuilder::Name GraphBuilder::Read(const std::string& variable) {
  GraphOperator node = OfVariable("VARIABLE_READ", variable);
  for (const auto& [name, initial] : variables_) {
    if (name != variable) continue;
    node.outputs = {StrCat("variable_read_", ++count_, "_output")};
    block().tensors.push_back({node.outputs[0], initial.dtype, initial.shape, nullptr});
    block().operators.push_back(node);
    return node.outputs[0];
  }
  Fail(InvalidArgument("no variable ", variable));
  return variable;
}

void GraphBuilder::Write(const std::string& variable, const Name& tensor) {
  GraphOperator node = OfVariable("VARIABLE_WRITE", variable);
  node.inputs = {tensor};
  block().operators.push_back(std::move(node));
}

Tensor GraphBuilder::Values(const Name& tensor) {
  const GraphTensor& wanted = Find(tensor);
  Tensor values(wanted.dtype, wanted.shape);
  if (!failure_.ok()) return values;
  Graph graph = assembly_.graph;
  graph.main().outputs = {tensor};
  const auto result = ExecuteNative(graph, assembly_.inputs, *setting_.edition, *setting_.level);
  if (!result.ok()) {
    Fail(result.status());
  } else if (result->outcome != Outcome::kValid) {
    Fail(InvalidArgument(tensor, ": ", result->message));
  } else {
    values = result->outputs.at(tensor);
  }
  return values;
}

std::vector<std::string> GraphBuilder::Extensions() const {
  std::vector<std::string> extensions = assembly_.extensions;
  const auto has = [&](const std::vector<std::string>& base, const std::string& name) {
    return Contains(base, name) || Contains(extensions, name);
  };
  // An implementation that has one of the type row's alternatives has one of the other row's.
  const auto is_there = [&](const TypeRow& row) {
    return std::all_of(
        setting_.row->profiles.begin(), setting_.row->profiles.end(), [&](const auto& base) {
          return std::any_of(row.profiles.begin(), row.profiles.end(), [&](const auto& wanted) {
            return std::all_of(wanted.begin(), wanted.end(),
                               [&](const std::string& name) { return has(base, name); });
          });
        });
  };
  // Alternatives that leave no choice come first: they may decide for the others.
  for (const bool choice : {false, true}) {
    for (const TypeRow* row : rows_) {
      if ((row->profiles.size() > 1) != choice || is_there(*row)) continue;
      const auto usable =
          std::find_if(row->profiles.begin(), row->profiles.end(), [&](const auto& alternative) {
            return std::all_of(alternative.begin(), alternative.end(),
                               [&](const std::string& name) { return setting_.Has(name); });
          });
      const auto& taken = usable == row->profiles.end() ? row->profiles.front() : *usable;
      extensions.insert(extensions.end(), taken.begin(), taken.end());
    }
  }
  std::sort(extensions.begin(), extensions.end());
  extensions.erase(std::unique(extensions.begin(), extensions.end()), extensions.end());
  return extensions;
}

CaseDraft GraphBuilder::Finish(const Names& outputs) {
  for (const Name& name : outputs) Find(name);
  assembly_.graph.main().outputs = outputs;
  assembly_.extensions = Extensions();
  CaseDraft draft;
  draft.failure = failure_;
  draft.whole = std::move(assembly_);
  return draft;
}

}  // namespace cts
