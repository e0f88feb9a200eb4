#include "generator/draft.h"

#include <cassert>
#include <cstdlib>

namespace cts {
namespace {

std::string WithoutSuffix(std::string_view type) {
  if (type.ends_with("_t")) type.remove_suffix(2);
  return std::string(type);
}

// The element type of an argument: a variable of the type row, or a type by name ("i8_t").
std::optional<DType> ElementType(const Setting& setting, const ArgumentSpec& argument) {
  if (argument.type == "shape_t") return DType::kShape;
  const std::string& name = argument.type == "tensor_t" ? argument.element_type : argument.type;
  if (const auto type = setting.row->Type(name)) return type;
  return ParseDType(WithoutSuffix(name));
}

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
  // MUL's shift is a scalar in tosa-0.100, where its shape is "-".
  const bool scalar = argument.shape == "-" && argument.type != "shape_t";
  const Shape shape = scalar ? Shape{} : Shape{static_cast<int64_t>(count)};
  return IsFloat(dtype) ? Tensor::OfFloats(dtype, shape, floats)
                        : Tensor::OfIntegers(dtype, shape, integers);
}

// An attribute as its type wants it: zero points of floats are doubles.
AttributeValue AttributeOf(const Setting& setting, const ArgumentSpec& argument,
                           const AttributeValue& value) {
  const std::optional<DType> dtype = ElementType(setting, argument);
  const auto* integer = std::get_if<int64_t>(&value);
  if (dtype && IsFloat(*dtype) && integer != nullptr) return static_cast<double>(*integer);
  return value;
}

const EnumSpec* FindEnum(const Setting& setting, const ArgumentSpec& argument) {
  if (const EnumSpec* found = setting.edition->FindEnum(argument.type)) return found;
  return setting.edition->FindEnum(argument.element_type);
}

// Adds tensors and operators to one block.
class Builder {
 public:
  Builder(const Setting& setting, Assembly& assembly)
      : setting_(setting), assembly_(assembly), block_(assembly.graph.main()) {}

  void Constant(const std::string& name, const Tensor& values) {
    const bool shape = values.dtype() == DType::kShape;
    block_.tensors.push_back(
        {name, values.dtype(), values.shape(), std::make_shared<const Tensor>(values)});
    block_.operators.push_back({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    operator_.inputs.push_back(name);
  }

  void Input(const std::string& name, const Tensor& values) {
    block_.tensors.push_back({name, values.dtype(), values.shape(), nullptr});
    block_.inputs.push_back(name);
    assembly_.inputs.emplace(name, values);
    operator_.inputs.push_back(name);
  }

  void Add(const std::string& name, const TensorArgument& operand) {
    for (size_t k = 0; k < operand.tensors.size(); ++k) {
      const std::string tensor = operand.list ? StrCat(name, "_", k) : name;
      operand.constant ? Constant(tensor, operand.tensors[k]) : Input(tensor, operand.tensors[k]);
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

  void Finish(const Draft& draft) {
    operator_.op = setting_.spec->name;
    operator_.outputs = {"output"};
    block_.tensors.push_back(
        {"output", draft.output_type, draft.output_shape,
         draft.values ? std::make_shared<const Tensor>(*draft.values) : nullptr});
    block_.operators.push_back(std::move(operator_));
    block_.outputs = {"output"};
  }

 private:
  const Setting& setting_;
  Assembly& assembly_;
  Block& block_;
  GraphOperator operator_;
};

}  // namespace

DType Setting::Type(std::string_view variable) const {
  return row->Type(variable).value_or(DType::kBool);
}

const std::string& Labels::operator[](std::string_view axis) const {
  static const std::string undecided;
  const auto found = labels_.find(axis);
  return found == labels_.end() ? undecided : found->second;
}

// The setting of a draft's carrier: the first type row with the types that the draft has.
StatusOr<Setting> CarrierSetting(const Setting& setting, const Draft& draft) {
  Setting carrier = setting;
  carrier.spec = setting.edition->FindOperator(draft.carrier);
  const DType input =
      std::get<TensorArgument>(draft.arguments.find("input")->second).tensors.front().dtype();
  for (const TypeRow& row : carrier.spec->type_rows) {
    if (row.Type("in_t") == input && row.Type("out_t") == draft.output_type) {
      carrier.row = &row;
      return carrier;
    }
  }
  return InvalidArgument(draft.carrier, ": no type row from ", Name(input), " to ",
                         Name(draft.output_type));
}

StatusOr<Assembly> AssembleGraph(const Setting& tested, const Draft& draft) {
  if (draft.whole) return *draft.whole;
  Setting setting = tested;
  if (!draft.carrier.empty()) {
    CTS_ASSIGN_OR_RETURN(setting, CarrierSetting(tested, draft));
  }
  const OperatorSpec& spec = *setting.spec;
  for (const auto& [name, value] : draft.arguments) {
    if (!setting.Takes(name)) {
      return InvalidArgument(spec.name, " of ", setting.edition->id, " has no argument ", name);
    }
  }
  Assembly assembly;
  assembly.graph = EmptyGraph();
  Builder builder(setting, assembly);
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kOutput) continue;
    const auto found = draft.arguments.find(argument.name);
    if (found == draft.arguments.end()) {
      if (argument.optional || draft.values.has_value()) continue;
      return InvalidArgument(spec.name, " of ", setting.edition->id, ": argument ", argument.name,
                             " is missing");
    }
    const auto* operand = std::get_if<TensorArgument>(&found->second);
    const auto* value = std::get_if<AttributeValue>(&found->second);
    if (argument.category == ArgumentCategory::kAttribute) {
      if (value == nullptr) {
        return InvalidArgument(spec.name, ": argument ", argument.name,
                               ": found a tensor, expected ", "an attribute");
      }
      builder.Attribute(argument, *value);
    } else if (operand != nullptr) {
      builder.Add(argument.name, *operand);
    } else {
      const std::optional<DType> dtype = ElementType(setting, argument);
      if (!dtype) {
        return InvalidArgument(spec.name, ": argument ", argument.name, ": type ",
                               argument.element_type, " is not one of the type row");
      }
      CTS_ASSIGN_OR_RETURN(const Tensor constant, ConstantOf(argument, *dtype, *value));
      builder.Constant(argument.name, constant);
    }
  }
  builder.Finish(draft);
  if (!draft.carrier.empty()) {
    // An implementation needs the carrier's profile, too.
    const std::vector<std::string>& profiles = setting.row->profiles.front();
    assembly.extensions.insert(assembly.extensions.end(), profiles.begin(), profiles.end());
  }
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
