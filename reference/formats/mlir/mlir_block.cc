#include "reference/formats/mlir/mlir_block.h"

#include "reference/base/contains.h"
#include "reference/formats/mlir/mlir_values.h"
#include "reference/formats/unsupported.h"

namespace cts::mlir_text {
namespace {

// The tensors that an operator takes as unsigned. The dialect says so in their type.
std::vector<std::string_view> UnsignedTensors(const GraphOperator& op, const MlirDialect& dialect) {
  std::vector<std::string_view> names;
  for (const MlirArgument& row : dialect.arguments) {
    if (row.op != op.op || row.form != MlirForm::kUnsigned) continue;
    const auto found = op.attributes.find(std::string(row.argument));
    if (found == op.attributes.end() || found->second != AttributeValue(true)) continue;
    const auto& tensors = row.argument.starts_with("input") ? op.inputs : op.outputs;
    if (!tensors.empty()) names.push_back(tensors[0]);
  }
  return names;
}

}  // namespace

std::string Values(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "%" : ", %", name);
  return text;
}

BlockNames::BlockNames(const Block& block, const MlirDialect& dialect,
                       std::string_view function_name, int nesting)
    : block_(block), dialect_(dialect), function_name_(function_name), nesting_(nesting) {
  for (const GraphTensor& tensor : block_.tensors) tensors_.emplace(tensor.name, &tensor);
  for (const GraphOperator& op : block_.operators) {
    for (const std::string_view name : UnsignedTensors(op, dialect_)) unsigned_.emplace(name);
  }
}

const GraphTensor* BlockNames::Find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

StatusOr<const GraphTensor*> BlockNames::Lookup(const std::string& name) const {
  const GraphTensor* const found = Find(name);
  if (found == nullptr) {
    return InvalidArgument("tensor ", name, " is not declared in block ", block_.name);
  }
  if (!IsMlirName(name)) return Unsupported("MLIR cannot write the name of a tensor");
  return found;
}

StatusOr<std::string> BlockNames::Types(const std::vector<std::string>& names) const {
  std::string text;
  for (const std::string& name : names) {
    CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(name));
    if (tensor->dtype == DType::kShape && !dialect_.has_shapes) {
      return Unsupported(Dialect(), " has no shapes (tensor ", name, ")");
    }
    CTS_ASSIGN_OR_RETURN(const std::string type, TensorType(*tensor, unsigned_.contains(name)));
    text += StrCat(text.empty() ? "" : ", ", type);
  }
  return text;
}

std::string BlockNames::NewName(std::string name) const {
  while (tensors_.contains(name)) name += "_";
  return name;
}

Status BlockNames::CheckSigns() const {
  if (unsigned_.empty()) return absl::OkStatus();
  const auto clash = [&](std::string_view name) {
    return Unsupported("tensor ", name, ": ", Dialect(), " has no tensors that are both signed ",
                       "and unsigned");
  };
  for (const GraphOperator& op : block_.operators) {
    if (op.op == "CONST") continue;
    const std::vector<std::string_view> wanted = UnsignedTensors(op, dialect_);
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const std::string& name : *tensors) {
        if (unsigned_.contains(name) && !Contains(wanted, name)) {
          return clash(name);
        }
      }
    }
  }
  if (nesting_ == 0) return absl::OkStatus();  // the caller of the function sees bits
  for (const auto* tensors : {&block_.inputs, &block_.outputs}) {
    for (const std::string& name : *tensors) {
      if (unsigned_.contains(name)) return clash(name);
    }
  }
  return absl::OkStatus();
}

}  // namespace cts::mlir_text
