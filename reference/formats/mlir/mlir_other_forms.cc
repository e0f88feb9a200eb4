#include "reference/formats/mlir/mlir_other_forms.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "reference/base/contains.h"
#include "reference/formats/mlir/mlir_values.h"
#include "reference/formats/unsupported.h"

namespace cts::mlir_text {
namespace {

// A constant that only the operation has. Its name is made up.
void AddConstantOperand(const BlockNames& block, const GraphOperator& op, std::string_view argument,
                        const std::string& list, const std::string& type, Operation& operation) {
  const std::string name =
      block.NewName(StrCat(op.outputs.empty() ? "none" : op.outputs[0], "__", argument));
  operation.before +=
      StrCat("%", name, " = \"tosa.const\"() {", block.dialect().const_values, " = dense<", list,
             "> : ", type, "} : () -> (", type, ")\n", block.Indent(), "  ");
  operation.AddOperand("%" + name, type);
}

// RESCALE's zero points are bit patterns of their tensor's type, and may be given as signed or as
// unsigned numbers (schemas/editions/notes.md); the dialect takes them by the sign of the tensor.
int64_t ZeroPoint(const BlockNames& block, const GraphOperator& op, const MlirArgument& form,
                  int64_t number) {
  const auto& tensors = form.argument.starts_with("input") ? op.inputs : op.outputs;
  const GraphTensor* const tensor = tensors.empty() ? nullptr : block.Find(tensors[0]);
  if (tensor == nullptr || !IsInteger(tensor->dtype)) return number;
  const DType dtype = tensor->dtype;
  if (dtype == DType::kI64 || dtype == DType::kShape) return number;
  const int64_t half = IntegerMax(dtype) + 1;  // 2^(bits - 1), of at most 48 bits
  if (!FitsI32(number) || number < -half || number >= 2 * half) return number;
  const bool is_unsigned = block.IsUnsigned(tensors[0]);
  if (is_unsigned && number < 0) return number + 2 * half;
  return !is_unsigned && number >= half ? number - 2 * half : number;
}

// Whether an accumulator follows from the types of the tensors, as their only one or as that of
// the result.
bool IsImplied(const BlockNames& block, const GraphOperator& op, const OperatorSpec& spec,
               const AttributeValue& acc_type) {
  const auto* name = std::get_if<std::string>(&acc_type);
  const auto element = TypeEnumeratorToMlir(name == nullptr ? "" : *name);
  if (!element || op.inputs.size() < 2 || op.outputs.empty()) return false;
  const auto type_of = [&](const std::string& tensor) {
    const GraphTensor* const found = block.Find(tensor);
    return found == nullptr ? std::string() : std::string(Name(found->dtype));
  };
  const std::map<std::string, std::string> types = {{"in_t", type_of(op.inputs[0])},
                                                    {"weight_t", type_of(op.inputs[1])},
                                                    {"out_t", type_of(op.outputs[0])}};
  std::vector<std::string> accumulators;
  for (const TypeRow& row : spec.type_rows) {
    const bool same = std::all_of(types.begin(), types.end(), [&](const auto& type) {
      const auto found = row.types.find(type.first);
      return found != row.types.end() && found->second == type.second;
    });
    if (same) accumulators.push_back(row.types.at("acc_t"));
  }
  const auto dtype = FromMlir(kMlirElementTypes, *element);
  // If no row has these types, MLIR must judge them.
  if (accumulators.empty()) return true;
  const bool known = Contains(accumulators, *dtype);
  return known && (accumulators.size() == 1 || *dtype == types.at("out_t"));
}

Status CannotSay(const BlockNames& block, std::string_view what) {
  return Unsupported(block.Dialect(), " cannot say that it is ", what);
}

Status AddPermutation(const BlockNames& block, const GraphOperator& op, const MlirArgument& form,
                      const AttributeValue& value, Operation& operation) {
  const auto* list = std::get_if<std::vector<int64_t>>(&value);
  if (list == nullptr || !std::all_of(list->begin(), list->end(), FitsI32)) {
    return CannotSay(block, "anything but a list of i32");
  }
  std::string numbers;
  for (const int64_t one : *list) numbers += StrCat(numbers.empty() ? "[" : ", ", one);
  AddConstantOperand(block, op, form.argument, numbers + (numbers.empty() ? "" : "]"),
                     StrCat("tensor<", list->size(), "xi32>"), operation);
  return absl::OkStatus();
}

Status AddScalar(const BlockNames& block, const GraphOperator& op, const OperatorSpec& spec,
                 const MlirArgument& form, const AttributeValue& value, DType tensor_type,
                 Operation& operation) {
  // MLIR goes by the place: this operand would take the place of the missing one.
  const auto operands = std::count_if(
      spec.arguments.begin(), spec.arguments.end(),
      [](const ArgumentSpec& argument) { return argument.category == ArgumentCategory::kInput; });
  if (static_cast<std::ptrdiff_t>(op.inputs.size()) < operands) {
    return CannotSay(block, "there while an operand before it is missing");
  }
  const auto element = ToMlir(kMlirElementTypes, Name(tensor_type));
  const auto literal = ScalarLiteral(value, tensor_type);
  if (!element || !literal) return CannotSay(block, "of another type than the tensor");
  AddConstantOperand(block, op, form.argument, *literal, StrCat("tensor<", *element, ">"),
                     operation);
  return absl::OkStatus();
}

// The one of the two attributes that is of the tensor's kind counts.
void AddBound(const GraphOperator& op, const MlirArgument& form, const AttributeValue& value,
              DType tensor_type, Operation& operation) {
  // Without the tensor only the bound itself tells.
  const bool is_float =
      op.inputs.empty() ? std::holds_alternative<double>(value) : IsFloat(tensor_type);
  const auto typed = is_float ? TypedScalar(value, tensor_type) : std::nullopt;
  operation.AddAttribute(StrCat(form.mlir, "_fp"),
                         is_float ? typed.value_or(ByKind(value)) : "0x00000000 : f32");
  operation.AddAttribute(StrCat(form.mlir, "_int"), is_float ? "0 : i64" : ByKind(value));
}

Status AddZeroPoint(const BlockNames& block, const MlirArgument& form, const AttributeValue& value,
                    DType tensor_type, Operation& operation) {
  const auto* number = std::get_if<int64_t>(&value);
  if (!IsInteger(tensor_type)) {
    const bool zero = value == AttributeValue(0.0) || value == AttributeValue(int64_t{0});
    return zero ? absl::OkStatus() : CannotSay(block, "anything but zero here");
  }
  if (number == nullptr) return CannotSay(block, "no integer");
  const std::string member = StrCat(form.mlir, " = ", *number);
  for (auto& [name, text] : operation.attributes) {
    if (name != "quantization_info") continue;
    text.insert(text.size() - 1, ", " + member);
    return absl::OkStatus();
  }
  operation.AddAttribute("quantization_info", StrCat(form.attribute, "<", member, ">"));
  return absl::OkStatus();
}

Status AddTensorType(const BlockNames& block, const GraphOperator& op, const MlirArgument& form,
                     const AttributeValue& value, Operation& operation) {
  const auto* name = std::get_if<std::string>(&value);
  const auto element = TypeEnumeratorToMlir(name == nullptr ? "" : *name);
  const auto shape = op.attributes.find("var_shape");
  const auto* sizes =
      shape == op.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&shape->second);
  if (!element || sizes == nullptr) return CannotSay(block, "no element type or shape");
  std::string text;
  for (const int64_t size : *sizes) {
    if (size < 0) return CannotSay(block, "one of a negative dimension");
    text += StrCat(size, "x");
  }
  operation.AddAttribute(form.mlir, StrCat("tensor<", text, *element, ">"));
  return absl::OkStatus();
}

}  // namespace

const MlirArgument* OtherForm(const MlirDialect& dialect, std::string_view op,
                              std::string_view argument) {
  for (const MlirArgument& row : dialect.arguments) {
    if (row.op == op && row.argument == argument) return &row;
  }
  return nullptr;
}

Status AddConstant(const BlockNames& block, const GraphOperator& op, const std::string& name,
                   const MlirArgument& form, Operation& operation) {
  CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, block.Lookup(name));
  DType dtype = DType::kShape;
  if (form.form == MlirForm::kI8 || form.form == MlirForm::kI8List) dtype = DType::kI8;
  if (form.form == MlirForm::kI32List) {
    const auto wide = op.attributes.find("scale32");
    dtype = wide != op.attributes.end() && wide->second == AttributeValue(false) ? DType::kI16
                                                                                 : DType::kI32;
  }
  const size_t rank = form.form == MlirForm::kI8 ? 0 : 1;
  if (tensor->values == nullptr || tensor->dtype != dtype || tensor->shape.size() != rank) {
    return Unsupported(block.Dialect(), " cannot say that it is anything but a constant of ",
                       Name(dtype), " and rank ", rank);
  }
  const std::vector<int64_t> list = tensor->values->Integers();
  switch (form.form) {
    case MlirForm::kI8:
      operation.AddAttribute(form.mlir, StrCat(list[0], " : i8"));
      break;
    case MlirForm::kI8List:
      operation.AddAttribute(form.mlir, List(list, "i8"));
      break;
    case MlirForm::kI32List:
      operation.AddAttribute(form.mlir, List(list, "i32"));
      break;
    case MlirForm::kPairs: {
      if (list.size() % 2 != 0) return Unsupported(block.Dialect(), " has pairs, no odd number");
      std::string pairs;
      for (size_t i = 0; i < list.size(); i += 2) {
        pairs += StrCat(i == 0 ? "[[" : ", [", list[i], ", ", list[i + 1], "]");
      }
      AddConstantOperand(block, op, form.argument, pairs + (pairs.empty() ? "" : "]"),
                         StrCat("tensor<", list.size() / 2, "x2xi64>"), operation);
      break;
    }
    default:
      operation.AddAttribute(form.mlir, List(list, "i64"));
  }
  return absl::OkStatus();
}

Status AddOtherForm(const BlockNames& block, const GraphOperator& op, const OperatorSpec& spec,
                    const MlirArgument& form, const AttributeValue* value, DType tensor_type,
                    Operation& operation) {
  if (form.form == MlirForm::kOutputShape) {
    if (op.outputs.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, block.Lookup(op.outputs[0]));
    operation.AddAttribute(form.mlir, List(tensor->shape, "i64"));
    return absl::OkStatus();
  }
  if (value == nullptr) {
    switch (form.form) {
      case MlirForm::kString:
      case MlirForm::kI32:
      case MlirForm::kPermutation:
      case MlirForm::kBound:
      case MlirForm::kSymbol:
        return absl::OkStatus();  // for MLIR to refuse
      default:
        return CannotSay(block, "missing");
    }
  }
  const auto* number = std::get_if<int64_t>(value);
  switch (form.form) {
    case MlirForm::kI32: {
      const int64_t zero_point = number == nullptr ? 0 : ZeroPoint(block, op, form, *number);
      operation.AddAttribute(form.mlir, number != nullptr && FitsI32(zero_point)
                                            ? StrCat(zero_point, " : i32")
                                            : ByKind(*value));
      break;
    }
    case MlirForm::kPermutation:
      return AddPermutation(block, op, form, *value, operation);
    case MlirForm::kScalar:
      return AddScalar(block, op, spec, form, *value, tensor_type, operation);
    case MlirForm::kBound:
      AddBound(op, form, *value, tensor_type, operation);
      break;
    case MlirForm::kZeroPoint:
      return AddZeroPoint(block, form, *value, tensor_type, operation);
    case MlirForm::kTensorType:
      return AddTensorType(block, op, form, *value, operation);
    case MlirForm::kImplied:
      if (!IsImplied(block, op, spec, *value))
        return CannotSay(block, StrCat(ByKind(*value), " here"));
      break;
    case MlirForm::kPartOfType:
      break;
    case MlirForm::kUnsigned:
      if (!std::holds_alternative<bool>(*value)) return CannotSay(block, "no bool");
      break;
    case MlirForm::kSymbol:
      if (number == nullptr) return CannotSay(block, "no integer");
      operation.AddAttribute(form.mlir, Quoted(StrCat(block.function_name(), ".", *number)));
      break;
    default:
      operation.AddAttribute(form.mlir, ByKind(*value));
  }
  return absl::OkStatus();
}

}  // namespace cts::mlir_text
