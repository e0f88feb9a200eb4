#include "reference/graph/symbolic_structure.h"

#include <algorithm>
#include <utility>

#include "reference/graph/symbols.h"

namespace cts {
namespace {

// A value of the Index Type: a list of sizes with one element.
bool IsIndex(const GraphTensor& tensor) {
  return tensor.dtype == DType::kShape && tensor.shape == Shape{1} && tensor.symbols.empty();
}

// One operator that only symbolic programs have, in its block.
class OperatorCheck {
 public:
  OperatorCheck(const Block& block, const GraphOperator& op, const Edition& edition,
                std::string where)
      : block_(block), op_(op), edition_(edition), where_(std::move(where)) {}

  Status Run() const {
    if (op_.outputs.size() != 1) return Bad("found ", op_.outputs.size(), " outputs, expected 1");
    if (const RunTimeForm* form = FindRunTimeForm(op_.op)) {
      size_t tensors = 0;
      for (const ArgumentSpec& argument : edition_.FindOperator(form->base)->arguments) {
        tensors +=
            argument.category == ArgumentCategory::kInput && !TakesAtRunTime(*form, argument.name);
        if (op_.attributes.contains(argument.name) && TakesAtRunTime(*form, argument.name)) {
          return Bad("found attribute ", argument.name, ", expected index values for it");
        }
      }
      return CheckOperands(tensors, 1, kAnyNumber);
    }
    if (op_.op == kReshape) return CheckReshape();
    const SymbolicHelper& helper = *FindSymbolicHelper(op_.op);
    CTS_RETURN_IF_ERROR(CheckOperands(helper.tensors, helper.least, helper.most));
    CTS_RETURN_IF_ERROR(CheckAttribute(helper.attribute, helper.kind));
    if (helper.yields_index) {
      if (IsIndex(output())) return absl::OkStatus();
      return Bad("output ", output().name, ": found ", Describe(output()),
                 ", expected an index value: shape[1]");
    }
    if (op_.op == "EXTRACT_DIM") {
      const GraphTensor& input = *block_.Find(op_.inputs[0]);
      if (!IsInteger(input.dtype) || input.dtype == DType::kShape || input.shape.size() != 1) {
        return Bad("input ", input.name, ": found ", Describe(input),
                   ", expected an integer tensor of one dimension");
      }
    }
    const bool numbers = op_.op == "IOTA";
    if ((numbers || op_.op == "DIMS_TO_TENSOR") &&
        (output().shape.size() != 1 || output().dtype == DType::kShape ||
         output().dtype == DType::kBool || (IsFloat(output().dtype) && !numbers))) {
      return Bad("output ", output().name, ": found ", Describe(output()), ", expected ",
                 numbers ? "numbers" : "integers", " in one dimension");
    }
    return absl::OkStatus();
  }

 private:
  template <class... Args>
  Status Bad(const Args&... args) const {
    return InvalidArgument("graph, ", where_, ": ", args...);
  }
  const GraphTensor& output() const { return *block_.Find(op_.outputs[0]); }

  // Tensors first, index values behind them.
  Status CheckOperands(size_t tensors, size_t least, size_t most) const {
    const size_t found = op_.inputs.size();
    if (found < tensors + least || (most != kAnyNumber && found > tensors + most)) {
      const std::string indices = most == kAnyNumber ? StrCat("at least ", least)
                                  : least == most    ? StrCat(least)
                                                     : StrCat(least, " to ", most);
      return Bad("found ", found, " inputs, expected ", tensors,
                 tensors == 1 ? " tensor" : " tensors", " and ", indices,
                 indices == "1" ? " index value" : " index values");
    }
    for (size_t i = 0; i < found; ++i) {
      const GraphTensor& input = *block_.Find(op_.inputs[i]);
      if (i < tensors ? input.dtype != DType::kShape : IsIndex(input)) continue;
      return Bad("input ", input.name, ": found ", Describe(input), ", expected ",
                 i < tensors ? "a tensor" : "an index value: shape[1]");
    }
    return absl::OkStatus();
  }

  Status CheckAttribute(std::string_view name, HelperAttribute kind) const {
    for (const auto& [found, value] : op_.attributes) {
      if (found != name)
        return Bad("found attribute ", found, ", expected ",
                   name.empty() ? "none" : StrCat(name, " only"));
    }
    if (name.empty()) return absl::OkStatus();
    const auto found = op_.attributes.find(std::string(name));
    const bool fits = found != op_.attributes.end() &&
                      (kind == HelperAttribute::kInteger
                           ? std::holds_alternative<int64_t>(found->second)
                           : std::holds_alternative<std::vector<int64_t>>(found->second));
    if (fits) return absl::OkStatus();
    return Bad("expected attribute ", name, ", ",
               kind == HelperAttribute::kInteger ? "an integer" : "a list of integers");
  }

  Status CheckReshape() const {
    CTS_RETURN_IF_ERROR(CheckAttribute(kNewShape, HelperAttribute::kList));
    const std::vector<int64_t>& shape = *IntegerList(op_, kNewShape);
    const auto open = static_cast<size_t>(std::count(shape.begin(), shape.end(), -1));
    CTS_RETURN_IF_ERROR(CheckOperands(1, open, open));
    bool fits = shape.size() == output().shape.size();
    for (size_t i = 0; fits && i < shape.size(); ++i) {
      fits = shape[i] == output().shape[i] && (shape[i] == -1) == !SymbolOf(output(), i).empty();
    }
    if (fits) return absl::OkStatus();
    return Bad("new_shape: found ", ToString(shape), " for ", output().name, ": ",
               Describe(output()), ", expected its dimensions, with -1 for each symbol");
  }

  const Block& block_;
  const GraphOperator& op_;
  const Edition& edition_;
  const std::string where_;
};

}  // namespace

Status CheckSymbolicStructure(const Graph& program, const Edition& edition) {
  if (!edition.Has(Feature::kSymbolicPrograms)) {
    return InvalidArgument("graph: found a symbolic program over ", edition.id, ", expected ",
                           EditionsThatHave(Feature::kSymbolicPrograms));
  }
  if (program.regions.size() != 1) {
    return InvalidArgument("graph: found region ", program.regions[1].name,
                           " in a symbolic program, expected no control flow");
  }
  const Block& block = program.main();
  for (const std::vector<std::string>* names : {&block.inputs, &block.outputs}) {
    for (const std::string& name : *names) {
      if (block.Find(name)->dtype != DType::kShape) continue;
      return InvalidArgument("graph, tensor ", name, ": found ", Describe(*block.Find(name)),
                             " as an input or output of the graph, expected a tensor");
    }
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.symbols.empty()) continue;
    if (tensor.values != nullptr || tensor.dtype == DType::kShape) {
      return InvalidArgument("graph, tensor ", tensor.name, ": found ", Describe(tensor),
                             ", expected no symbol in a ",
                             tensor.values != nullptr ? "constant" : "shape");
    }
  }
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const GraphOperator& op = block.operators[i];
    const std::string where = Place(program, block, i);
    if (IsSymbolic(op)) {
      CTS_RETURN_IF_ERROR(OperatorCheck(block, op, edition, where).Run());
      continue;
    }
    const bool constant = IsConstant(op);
    for (size_t k = 0; constant && k < op.outputs.size(); ++k) {
      const GraphTensor& output = *block.Find(op.outputs[k]);
      if (!output.symbols.empty()) {
        return InvalidArgument("graph, ", where, ": output ", output.name, ": found ",
                               Describe(output), ", expected no symbol in a constant");
      }
      if (output.values == nullptr) {
        return InvalidArgument("graph, ", where, ": tensor ", output.name, " has no values");
      }
    }
    const std::string& group = edition.FindOperator(op.op)->group;
    if (group == "control-flow" || group == "variable" || group == "custom") {
      return InvalidArgument("graph, ", where, ": found it in a symbolic program, expected no ",
                             "control flow, no variable and no custom operator");
    }
  }
  return absl::OkStatus();
}

}  // namespace cts
