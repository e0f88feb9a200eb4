#include "generator/draft/case_draft.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "reference/base/contains.h"
#include "reference/base/end_program.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

// The numbers of a scalar or a list, as a tensor of the shape that the edition wants.
StatusOr<Tensor> ConstantOf(const ArgumentSpec& argument, DType dtype,
                            const AttributeValue& value) {
  std::vector<int64_t> integers;
  std::vector<double> floats;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    integers = *list;
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    integers = {*number};
  } else if (const auto* real = std::get_if<double>(&value)) {
    floats = {*real};
  } else {
    return InvalidArgument("argument ", argument.name, ": found neither a number nor a list");
  }
  if (floats.empty() && IsFloat(dtype)) floats.assign(integers.begin(), integers.end());
  if (!floats.empty() && !IsFloat(dtype)) integers.assign(floats.begin(), floats.end());
  const size_t count = IsFloat(dtype) ? floats.size() : integers.size();
  // MUL's shift is a scalar in 0.100, where its shape is "-".
  const bool scalar =
      argument.pattern.kind == ShapePattern::Kind::kAny && argument.type != "shape_t";
  const Shape shape = scalar ? Shape{} : Shape{static_cast<int64_t>(count)};
  return IsFloat(dtype) ? Tensor::OfFloats(dtype, shape, floats)
                        : Tensor::OfIntegers(dtype, shape, integers);
}

// An attribute as its type wants it: zero points of floats are doubles.
AttributeValue AttributeOf(const Setting& setting, const ArgumentSpec& argument,
                           const AttributeValue& value) {
  const std::optional<DType> dtype = TypeOfElements(setting, argument);
  const auto* integer = std::get_if<int64_t>(&value);
  if (dtype && IsFloat(*dtype) && integer != nullptr) return static_cast<double>(*integer);
  return value;
}

const EnumSpec* FindEnum(const Setting& setting, const ArgumentSpec& argument) {
  if (const EnumSpec* found = setting.edition->FindEnum(argument.type)) return found;
  return setting.edition->FindEnum(argument.element_type);
}

// Adds an operator and what it needs to one block.
class Builder {
 public:
  Builder(const Setting& setting, const std::string& prefix, Assembly& assembly, Block& block)
      : setting_(setting), prefix_(prefix), assembly_(assembly), block_(block) {}

  void Constant(const std::string& argument, const Tensor& values) {
    const std::string name = prefix_ + argument;
    const bool shape = values.dtype() == DType::kShape;
    block_.tensors.push_back(
        {name, values.dtype(), values.shape(), std::make_shared<const Tensor>(values)});
    block_.operators.push_back({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    operator_.inputs.push_back(name);
  }

  void Input(const std::string& argument, const Tensor& values) {
    const std::string name = prefix_ + argument;
    block_.tensors.push_back({name, values.dtype(), values.shape(), nullptr});
    block_.inputs.push_back(name);
    assembly_.inputs.emplace(name, values);
    operator_.inputs.push_back(name);
  }

  // An operand that the profiles want constant needs the extension if it is not constant.
  void RunTimeInput(const ArgumentSpec& argument, const std::string& name, const Tensor& values) {
    Input(name, values);
    for (const std::string& extension : argument.ctc_remove) {
      if (!Contains(assembly_.extensions, extension)) {
        assembly_.extensions.push_back(extension);
      }
    }
  }

  void Known(const std::string& tensor) { operator_.inputs.push_back(tensor); }

  // The operand that an argument before has.
  void Same(const ArgumentSpec& argument) {
    const bool list = argument.type == "tensor_list_t";
    Known(StrCat(prefix_, argument.name, list ? "_0" : ""));
  }

  void Add(const ArgumentSpec& argument, const TensorArgument& operand) {
    for (const std::string& tensor : operand.known) Known(tensor);
    for (size_t k = 0; k < operand.tensors.size(); ++k) {
      const std::string name = operand.list ? StrCat(argument.name, "_", k) : argument.name;
      const Tensor tensor = Permute(operand.tensors[k], Inverse(argument.view_axes));
      operand.constant ? Constant(name, tensor) : RunTimeInput(argument, name, tensor);
    }
  }

  void Attribute(const ArgumentSpec& argument, const AttributeValue& value) {
    operator_.attributes[argument.name] = AttributeOf(setting_, argument, value);
    const EnumSpec* enumeration = FindEnum(setting_, argument);
    const auto* chosen = std::get_if<std::string>(&value);
    if (enumeration == nullptr || chosen == nullptr) return;
    for (const EnumValue& known : enumeration->values) {
      if (known.name == *chosen && !known.extension.empty()) {
        assembly_.extensions.push_back(known.extension);
      }
    }
  }

  // Adds the operator, whose inputs and attributes exist already.
  void Finish(const std::string& op, std::vector<GraphTensor> outputs) {
    operator_.op = op;
    for (GraphTensor& output : outputs) {
      output.name.insert(0, prefix_);
      operator_.outputs.push_back(output.name);
      block_.tensors.push_back(std::move(output));
    }
    block_.operators.push_back(std::move(operator_));
    operator_ = {};
  }

 private:
  const Setting& setting_;
  const std::string prefix_;
  Assembly& assembly_;
  Block& block_;
  GraphOperator operator_;
};

const ArgumentSpec* FindOutput(const OperatorSpec& spec, size_t k) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kOutput && k-- == 0) return &argument;
  }
  return nullptr;
}

bool IsOperand(const ArgumentSpec& argument) {
  return argument.category == ArgumentCategory::kInput;
}

// The edition's argument whose operand `argument`, a name of the text, has too; null if none.
const ArgumentSpec* SameArgument(const OperatorSpec& spec, const CaseDraft& draft,
                                 std::string_view argument) {
  const auto found = draft.arguments.find(argument);
  if (found == draft.arguments.end()) return nullptr;
  const auto* const operand = std::get_if<TensorArgument>(&found->second);
  if (operand == nullptr) return nullptr;
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    if (spec.Seen().arguments[i].name == operand->same_as) return &spec.arguments[i];
  }
  return nullptr;
}

// The edition's name for output `k`.
std::string OutputName(const OperatorSpec& spec, size_t k) {
  const ArgumentSpec* const output = FindOutput(spec, k);
  return output != nullptr ? output->name
                           : "output_beyond_the_last";  // the reference will refuse it
}

std::vector<GraphTensor> OutputsOf(const OperatorSpec& spec, const CaseDraft& draft) {
  std::string output = draft.more_outputs.empty() ? "output" : OutputName(spec, 0);
  if (draft.carrier) output = "shape";
  Shape first_shape = draft.output_shape;
  if (const ArgumentSpec* const first = FindOutput(spec, 0)) {
    first_shape = Permute(first_shape, Inverse(first->view_axes));
  }
  std::vector<GraphTensor> outputs = {{output, draft.output_type, std::move(first_shape), nullptr}};
  if (draft.values) outputs[0].values = std::make_shared<const Tensor>(*draft.values);
  for (const auto& [dtype, shape] : draft.more_outputs) {
    outputs.push_back({OutputName(spec, outputs.size()), dtype, shape, nullptr});
  }
  return outputs;
}

}  // namespace

std::optional<DType> TypeOfElements(const Setting& setting, const ArgumentSpec& argument) {
  if (argument.type == "shape_t" || argument.type == "shape_list_t") return DType::kShape;
  const bool is_tensor = argument.type == "tensor_t" || argument.type == "tensor_list_t";
  const std::string& name = is_tensor ? argument.element_type : argument.type;
  if (const auto type = setting.row->PlainType(name)) return type;
  return ParseDType(WithoutSuffix(name));
}

Assembly& CaseDraft::Whole() {
  if (whole) return *whole;
  EndProgram(built_from == nullptr ? "a draft" : built_from->id,
             ": found a draft of one operator, expected one with a graph of its own",
             failure.ok() ? "" : StrCat(", which failed: ", Message(failure)));
}

DType Setting::Type(std::string_view variable) const {
  return row->BoundType(spec->name, variable);
}

DType Setting::FirstBound(std::initializer_list<std::string_view> variables) const {
  for (const std::string_view variable : variables) {
    if (const auto type = row->PlainType(variable)) return *type;
  }
  return Type(*variables.begin());
}

bool Setting::Has(std::string_view profile) const {
  return profiles == nullptr || profiles->empty() || Contains(*profiles, profile);
}

bool Setting::HasAll() const {
  return std::all_of(edition->profiles.begin(), edition->profiles.end(),
                     [&](const ProfileSpec& profile) { return Has(profile.name); });
}

// The profiles that an implementation needs for RESHAPE, in addition to those of the operator under
// test.
StatusOr<std::vector<std::string>> CarrierProfiles(const Setting& setting, DType type) {
  for (const TypeRow& row : setting.edition->FindOperator("RESHAPE")->type_rows) {
    if (row.Type("in_out_t") != type) continue;
    if (row.profiles == setting.row->profiles) return std::vector<std::string>();
    return row.profiles.front();
  }
  return InvalidArgument("RESHAPE: no type row of ", Name(type));
}

Status AppendOperator(const Setting& setting, const CaseDraft& draft, const std::string& prefix,
                      Assembly& assembly, Block& block) {
  const OperatorSpec &spec = *setting.spec, &seen = spec.Seen();
  for (const auto& [name, value] : draft.arguments) {
    if (!setting.Takes(name)) {
      return InvalidArgument(spec.name, " of ", setting.edition->id, " has no argument ", name);
    }
  }
  Builder builder(setting, prefix, assembly, block);
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& argument = spec.arguments[i];
    if (argument.category == ArgumentCategory::kOutput) continue;
    auto found = draft.arguments.find(seen.arguments[i].name);
    if (const ArgumentSpec* const same = SameArgument(spec, draft, seen.arguments[i].name)) {
      // Attributes are no tensors: an argument that is no operand of both has the values once more.
      if (IsOperand(argument) && IsOperand(*same)) {
        builder.Same(*same);
        if (same != &argument) continue;
      } else {
        found = draft.arguments.find(std::get<TensorArgument>(found->second).same_as);
      }
    }
    if (found == draft.arguments.end()) {
      if (argument.optional || draft.values.has_value()) continue;
      return InvalidArgument(spec.name, " of ", setting.edition->id, ": argument ", argument.name,
                             " is missing");
    }
    const auto* operand = std::get_if<TensorArgument>(&found->second);
    const auto* value = std::get_if<AttributeValue>(&found->second);
    const bool shown_as_operand = argument.category != seen.arguments[i].category;
    if (shown_as_operand && operand != nullptr) {
      builder.Attribute(argument, operand->tensors.at(0).Integers());
    } else if (argument.category == ArgumentCategory::kAttribute) {
      if (value == nullptr) {
        return InvalidArgument(spec.name, ": argument ", argument.name,
                               ": found a tensor, expected ", "an attribute");
      }
      builder.Attribute(argument, *value);
    } else if (operand != nullptr) {
      builder.Add(argument, *operand);
    } else {
      const std::optional<DType> dtype = TypeOfElements(setting, argument);
      if (!dtype) {
        return InvalidArgument(spec.name, ": argument ", argument.name, ": type ",
                               argument.element_type, " is not one of the type row");
      }
      CTS_ASSIGN_OR_RETURN(const Tensor constant, ConstantOf(argument, *dtype, *value));
      draft.run_time.contains(seen.arguments[i].name)
          ? builder.RunTimeInput(argument, argument.name, constant)
          : builder.Constant(argument.name, constant);
    }
  }
  builder.Finish(spec.name, OutputsOf(spec, draft));
  return absl::OkStatus();
}

StatusOr<Assembly> AssembleGraph(const Setting& setting, const CaseDraft& draft) {
  CTS_RETURN_IF_ERROR(draft.failure);
  Assembly assembly;
  if (draft.whole) {
    assembly = *draft.whole;
    if (draft.change_graph) draft.change_graph(setting, assembly);
    return assembly;
  }
  assembly.graph = EmptyGraph();
  Block& block = assembly.graph.main();
  CTS_RETURN_IF_ERROR(AppendOperator(setting, draft, "", assembly, block));
  if (draft.carrier) {
    const Carrier& carrier = *draft.carrier;
    Builder reshape(setting, "", assembly, block);
    reshape.Input("carried", carrier.input);
    reshape.Known(block.operators.back().outputs[0]);
    const DType type = carrier.input.dtype();
    reshape.Finish("RESHAPE", {{"output", type, carrier.output_shape, nullptr}});
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> profiles, CarrierProfiles(setting, type));
    assembly.extensions.insert(assembly.extensions.end(), profiles.begin(), profiles.end());
  }
  block.outputs = block.operators.back().outputs;
  if (draft.change_graph) draft.change_graph(setting, assembly);
  return assembly;
}

Shape ParseShape(std::string_view label) {
  if (label == "scalar") return {};
  return ParseNumbers(label);
}

std::vector<int64_t> ParseNumbers(std::string_view label) {
  std::vector<int64_t> numbers;
  int64_t sign = 1, number = 0;
  for (char c : label) {
    if (c == 'm') {
      sign = -1;
    } else if (c >= '0' && c <= '9') {
      number = 10 * number + (c - '0');
    } else {
      numbers.push_back(sign * number);
      sign = 1, number = 0;
    }
  }
  numbers.push_back(sign * number);
  return numbers;
}

}  // namespace cts
