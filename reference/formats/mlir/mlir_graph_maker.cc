#include "reference/formats/mlir/mlir_graph_maker.h"

#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "reference/base/contains.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/spec/type_names.h"

namespace cts::mlir_parse {
namespace {

constexpr size_t kMaxNameLength = 90;  // of a tensor; the schema's limit less what makes it unique

}  // namespace

std::string GraphMaker::UniqueName(std::string_view wanted, std::set<std::string>& taken) {
  std::string name;
  for (const char c : wanted.substr(0, kMaxNameLength)) {
    name += IsLetter(c) || IsDigit(c) ? c : '_';
  }
  if (name.empty() || IsDigit(name[0])) name = "v" + name;
  std::string unique = name;
  for (int& n = counts_[name]; !taken.insert(unique).second;) unique = StrCat(name, "_", ++n + 1);
  return unique;
}

Status GraphMaker::Define(Scope& scope, const std::string& name, size_t place, const Type& type) {
  if (!scope.values.emplace(name, scope.block.tensors.size()).second) {
    return in_.BadAt(place, name, " is defined a second time");
  }
  if (type.is_unsigned) scope.unsigned_tensors.insert(scope.block.tensors.size());
  scope.block.tensors.push_back(
      {UniqueName(name.substr(1), names_), type.dtype, type.shape, nullptr});
  return absl::OkStatus();
}

Status GraphMaker::TakeAttributes(Scope& scope, const Operation& operation, Literals& attributes,
                                  GraphOperator& op, const OperatorSpec& spec) {
  for (auto& [name, literal] : attributes) {
    const auto bad = [&, &key = name](const auto&... args) {
      return in_.BadAt(operation.place, operation.name, ": ", key, ": ", args...);
    };
    if (op.op == "VARIABLE" && name == "sym_name") name = "name";
    const ArgumentSpec* argument = spec.FindArgument(name);
    if (auto* tensor = std::get_if<Tensor>(&literal)) {
      if (IsConstant(op) && name == "values" && !op.outputs.empty()) {
        GraphTensor& output = scope.block.tensors[scope.values.at(operation.results[0].first)];
        const Type type{tensor->dtype(), tensor->shape(), false};
        const Type expected{output.dtype, output.shape, false};
        if (type != expected) {
          return bad("found ", ToString(type), ", expected ", ToString(expected),
                     " as of the result");
        }
        output.values = std::make_shared<const Tensor>(std::move(*tensor));
      } else if (op.op == "VARIABLE" && name == "var_shape" && tensor->shape().size() == 1) {
        op.attributes[name] = tensor->Integers();
      } else if (op.op == "VARIABLE" && name == "initial_value") {
        const std::string values = UniqueName("initial_value", names_);
        op.attributes[name] = values;
        const Type type{tensor->dtype(), tensor->shape(), false};
        scope.block.tensors.push_back(
            {values, type.dtype, type.shape, std::make_shared<const Tensor>(std::move(*tensor))});
      } else {
        return bad("found a constant, expected none");
      }
    } else if (const auto* dtype = std::get_if<DType>(&literal)) {
      const bool wanted =
          argument != nullptr && (argument->type == "acc_type_t" || argument->type == "var_t");
      const std::string_view value = EnumeratorOf(*dtype);
      if (!wanted || value.empty()) return bad("no graph has the type ", Name(*dtype), " there");
      op.attributes[name] = std::string(value);
    } else {
      std::visit(
          [&, &key = name](auto& value) {
            if constexpr (std::is_constructible_v<AttributeValue, decltype(value)>) {
              op.attributes[key] = std::move(value);
            }
          },
          literal);
    }
  }
  return absl::OkStatus();
}

Status GraphMaker::CheckTypes(const Scope& scope, const std::vector<Use>& uses,
                              const std::vector<Type>& types, size_t place) const {
  if (uses.size() != types.size()) {
    return in_.BadAt(place, "found ", uses.size(), " values and ", types.size(), " types for them");
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    const GraphTensor& tensor = scope.block.tensors[uses[i].tensor];
    const Type type{tensor.dtype, tensor.shape, scope.unsigned_tensors.contains(uses[i].tensor)};
    if (!Fits(type, types[i])) {
      return in_.BadAt(uses[i].place, "found a value of type ", ToString(type), ", expected ",
                       ToString(types[i]), " as the operation says");
    }
  }
  return absl::OkStatus();
}

Status GraphMaker::CheckSigns(const Scope& scope, const Operation& operation,
                              const std::vector<Use>& operands,
                              const std::vector<Type>& result_types,
                              const GraphOperator& op) const {
  // Bits go where they went, whatever they mean.
  static constexpr std::string_view kMovesData[] = {"CONCAT", "CONST",    "GATHER",  "IDENTITY",
                                                    "PAD",    "RESHAPE",  "REVERSE", "SLICE",
                                                    "TILE",   "TRANSPOSE"};
  if (Contains(kMovesData, op.op)) return absl::OkStatus();
  const auto says = [&op](const char* attribute) {
    const auto found = op.attributes.find(attribute);
    return op.op == "RESCALE" && found != op.attributes.end() &&
           found->second == AttributeValue(true);
  };
  // RESCALE: input, multiplier, shift, input_zp, output_zp.
  constexpr size_t kInput = 0, kInputZeroPoint = 3, kOutputZeroPoint = 4;
  const bool of_input = says("input_unsigned"), of_output = says("output_unsigned");
  const auto refused = [&](size_t place) {
    return in_.BadAt(
        place, operation.name, ": found unsigned numbers, which TOSA has in ",
        "tosa.rescale alone, expected one whose input_unsigned or output_unsigned says so");
  };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!scope.unsigned_tensors.contains(operands[i].tensor)) continue;
    const bool legal =
        i == kInput || i == kInputZeroPoint ? of_input : i == kOutputZeroPoint && of_output;
    if (!legal) return refused(operands[i].place);
  }
  for (const Type& type : result_types) {
    if (type.is_unsigned && !of_output) return refused(operation.place);
  }
  return absl::OkStatus();
}

Status GraphMaker::Finish(Scope& scope, const Operation& operation,
                          const std::vector<Use>& operands, const std::vector<Type>& operand_types,
                          const std::vector<Type>& result_types, Literals attributes,
                          const std::vector<std::string>& regions) {
  GraphOperator op;
  const std::string_view mnemonic = std::string_view(operation.name).substr(5);
  op.op = OperatorOf(*FindMlirDialect(edition_.mlir), mnemonic);
  const OperatorSpec* spec = edition_.FindOperator(op.op);
  if (spec == nullptr) {
    return in_.BadAt(operation.place, edition_.id, " has no operator ", op.op);
  }
  CTS_RETURN_IF_ERROR(CheckTypes(scope, operands, operand_types, operation.place));
  for (const Use& use : operands) op.inputs.push_back(scope.block.tensors[use.tensor].name);
  if (operation.results.size() != result_types.size()) {
    return in_.BadAt(operation.place, "found ", operation.results.size(), " results and ",
                     result_types.size(), " types for them");
  }
  for (size_t i = 0; i < result_types.size(); ++i) {
    const auto& [name, place] = operation.results[i];
    CTS_RETURN_IF_ERROR(Define(scope, name, place, result_types[i]));
    op.outputs.push_back(scope.block.tensors.back().name);
  }
  CTS_RETURN_IF_ERROR(TakeAttributes(scope, operation, attributes, op, *spec));
  CTS_RETURN_IF_ERROR(CheckSigns(scope, operation, operands, result_types, op));
  auto region = regions.begin();
  for (const ArgumentSpec& argument : spec->arguments) {
    if (argument.type != "tosa_graph_t" || region == regions.end()) continue;
    if (!region->empty()) op.attributes[argument.name] = *region;
    ++region;
  }
  if (region != regions.end()) {
    return in_.BadAt(operation.place, operation.name, ": found more regions than it has");
  }
  scope.block.operators.push_back(std::move(op));
  return absl::OkStatus();
}

}  // namespace cts::mlir_parse
