#include "reference/formats/mlir/mlir_text.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "reference/formats/mlir/mlir_block.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_operation.h"
#include "reference/formats/mlir/mlir_other_forms.h"
#include "reference/formats/mlir/mlir_symbolic.h"
#include "reference/formats/mlir/mlir_values.h"
#include "reference/formats/to_tosa.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace mlir_text {
namespace {

bool TouchesVariables(const GraphOperator& op) {
  return op.op == "VARIABLE_READ" || op.op == "VARIABLE_WRITE";
}

std::vector<std::string> GraphsOf(const OperatorSpec& spec) {
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.type == "tosa_graph_t") names.push_back(argument.name);
  }
  return names;
}

bool YieldsShape(const OperatorSpec& spec) {
  return std::any_of(
      spec.arguments.begin(), spec.arguments.end(), [](const ArgumentSpec& argument) {
        return argument.category == ArgumentCategory::kOutput && argument.type == "shape_t";
      });
}

// A function of the main block, or a region of an operator.
class BlockRenderer {
 public:
  BlockRenderer(const Graph& graph, const Block& block, const Edition& edition,
                const MlirDialect& dialect, std::string_view function_name, int nesting,
                int& operators)
      : graph_(graph),
        edition_(edition),
        names_(block, dialect, function_name, nesting),
        operators_(operators) {}

  // The variables, which stand beside the function, and the function.
  StatusOr<std::string> Module() const {
    std::string text;
    bool touched = false;  // whether a variable may have been used
    for (const GraphOperator& op : names_.block().operators) {
      const OperatorSpec* spec = edition_.FindOperator(op.op);
      touched = touched || TouchesVariables(op) || (spec != nullptr && !GraphsOf(*spec).empty());
      if (op.op != "VARIABLE") continue;
      if (touched) return Unsupported("VARIABLE: a module declares it before any use");
      if (!op.inputs.empty() || !op.outputs.empty()) {
        return Unsupported("VARIABLE: a module has no values for its operands");
      }
      StatusOr<std::string> line = Operator(op);
      if (!line.ok()) return Annotate(line.status(), op.op);
      text += *line + "\n";
    }
    CTS_ASSIGN_OR_RETURN(const std::string function, Function());
    return text + function;
  }

 private:
  StatusOr<std::string> Function() const {
    CTS_RETURN_IF_ERROR(names_.CheckSigns());
    CTS_ASSIGN_OR_RETURN(const std::string arguments, Arguments());
    CTS_ASSIGN_OR_RETURN(const std::string result_types, names_.Types(names_.block().outputs));
    std::string text = StrCat("func.func @", names_.function_name(), "(", arguments, ") -> (",
                              result_types, ") attributes {llvm.emit_c_interface} {\n");
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    text += operators;
    text += StrCat("  return", names_.block().outputs.empty() ? "" : " ",
                   Values(names_.block().outputs), names_.block().outputs.empty() ? "" : " : ",
                   result_types, "\n}\n");
    return text;
  }

  // "{ ^then(%a: tensor<1xi8>): ... }"
  StatusOr<std::string> Region(const std::string& label) const {
    if (!IsMlirName(label)) return Unsupported("MLIR cannot write the name of a region");
    CTS_RETURN_IF_ERROR(names_.CheckSigns());
    CTS_ASSIGN_OR_RETURN(const std::string arguments, Arguments());
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    CTS_ASSIGN_OR_RETURN(const std::string types, names_.Types(names_.block().outputs));
    return StrCat("{\n", names_.Indent(), "^", label, "(", arguments, "):\n", operators,
                  names_.Indent(), "  \"tosa.yield\"(", Values(names_.block().outputs), ") : (",
                  types, ") -> ()\n", names_.Indent(), "}");
  }

  // "%a: tensor<1xi8>, ..."
  StatusOr<std::string> Arguments() const {
    std::string text;
    for (const std::string& name : names_.block().inputs) {
      CTS_ASSIGN_OR_RETURN(const std::string type, names_.Types({name}));
      text += StrCat(text.empty() ? "" : ", ", "%", name, ": ", type);
    }
    return text;
  }

  StatusOr<std::string> Operators() const {
    std::string text;
    for (const GraphOperator& op : names_.block().operators) {
      if (++operators_ > kMaxMlirOperators) {
        return Unsupported("more than ", kMaxMlirOperators, " operators, with those of its graphs");
      }
      if (op.op == "VARIABLE") {
        if (names_.nesting() == 0) continue;  // beside the function
        return Unsupported("VARIABLE: a module declares it, no region");
      }
      if (!names_.dialect().has_shapes && IsConstantShape(op))
        continue;  // in the attributes that have it
      StatusOr<std::string> line = Operator(op);
      if (!line.ok()) return Annotate(line.status(), op.op);
      text += StrCat(names_.Indent(), "  ", *line, "\n");
    }
    return text;
  }

  // The graphs of a control flow operator, in the order of its arguments: " ({...}, {...})"; a
  // region without a block where the operator names no graph.
  StatusOr<std::string> Regions(const GraphOperator& op, const OperatorSpec& spec) const {
    std::string text;
    for (const std::string& argument : GraphsOf(spec)) {
      text += text.empty() ? " (" : ", ";
      const auto found = op.attributes.find(argument);
      const auto* name =
          found == op.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
      if (name == nullptr) {
        text += "{}";
        continue;
      }
      const Block* block = graph_.FindGraph(*name);
      if (block == nullptr) return InvalidArgument(argument, ": found no region of that name");
      if (names_.nesting() == kMaxMlirNesting) {
        return Unsupported("nested more than ", kMaxMlirNesting, " deep");
      }
      CTS_ASSIGN_OR_RETURN(const std::string region,
                           BlockRenderer(graph_, *block, edition_, names_.dialect(),
                                         names_.function_name(), names_.nesting() + 1, operators_)
                               .Region(*name));
      text += region;
    }
    return text.empty() ? text : text + ")";
  }

  // Several cases may stand in one module; each has variables of its own.
  AttributeValue OfThisFunction(const AttributeValue& variable) const {
    const auto* name = std::get_if<std::string>(&variable);
    return name == nullptr ? variable : StrCat(names_.function_name(), ".", *name);
  }

  Status AddOperands(const GraphOperator& op, const OperatorSpec& spec,
                     Operation& operation) const {
    auto argument = spec.arguments.begin();
    const auto next = [&] {
      return std::find_if(argument, spec.arguments.end(), [](const ArgumentSpec& candidate) {
        return candidate.category == ArgumentCategory::kInput;
      });
    };
    for (const std::string& name : op.inputs) {
      argument = next();  // a list takes all that follow; a surplus operand has no argument
      const MlirArgument* form = nullptr;
      if (argument != spec.arguments.end()) {
        form = OtherForm(names_.dialect(), op.op, argument->name);
        if (!argument->type.ends_with("list_t")) ++argument;
      }
      if (form != nullptr) {
        const Status status = AddConstant(names_, op, name, *form, operation);
        if (!status.ok()) return Annotate(status, std::string(form->argument));
        continue;
      }
      CTS_ASSIGN_OR_RETURN(const std::string type, names_.Types({name}));
      operation.AddOperand("%" + name, type);
    }
    return absl::OkStatus();
  }

  Status AddAttributes(const GraphOperator& op, const OperatorSpec& spec,
                       Operation& operation) const {
    if (IsConstant(op) && !op.outputs.empty()) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, names_.Lookup(op.outputs[0]));
      if (tensor->values != nullptr) {
        CTS_ASSIGN_OR_RETURN(const std::string values,
                             DenseValues(*tensor, names_.IsUnsigned(tensor->name)));
        operation.AddAttribute(names_.dialect().const_values, values);
      }
    }
    DType tensor_type = DType::kBool;
    if (!op.inputs.empty()) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, names_.Lookup(op.inputs[0]));
      tensor_type = tensor->dtype;
    }
    for (const auto& [name, value] : op.attributes) {
      const auto* string = std::get_if<std::string>(&value);
      const ArgumentSpec* argument = spec.FindArgument(name);
      if (argument == nullptr || argument->category != ArgumentCategory::kAttribute) {
        operation.AddAttribute(name, ByKind(value));
      } else if (OtherForm(names_.dialect(), op.op, name) != nullptr) {
        continue;  // below
      } else if (op.op.starts_with("VARIABLE") && name == "name") {
        operation.AddAttribute(op.op == "VARIABLE" ? "sym_name" : name,
                               ByKind(OfThisFunction(value)));
      } else if (op.op == "VARIABLE" && name == "initial_value" && string != nullptr) {
        CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, names_.Lookup(*string));
        if (tensor->values == nullptr) return InvalidArgument("tensor ", *string, " has no values");
        CTS_ASSIGN_OR_RETURN(const std::string values, DenseValues(*tensor));
        operation.AddAttribute(name, values);
      } else if (argument->type != "tosa_graph_t" || string == nullptr) {  // otherwise a region
        operation.AddAttribute(name, Attribute(*argument, value, tensor_type, edition_));
      }
    }
    for (const MlirArgument& row : names_.dialect().arguments) {
      const ArgumentSpec* argument = row.op == op.op ? spec.FindArgument(row.argument) : nullptr;
      if (argument == nullptr || argument->category == ArgumentCategory::kInput) continue;
      const auto found = op.attributes.find(argument->name);
      const Status status = AddOtherForm(names_, op, spec, row,
                                         found == op.attributes.end() ? nullptr : &found->second,
                                         tensor_type, operation);
      if (!status.ok()) return Annotate(status, std::string(row.argument));
    }
    return absl::OkStatus();
  }

  // Renders MLIR's generic form, which the dialect's custom syntaxes cannot refuse. Attributes
  // stand in its dictionary: every MLIR reads that, and 22 names the operator if an attribute there
  // is wrong.
  StatusOr<std::string> Operator(const GraphOperator& op) const {
    if (IsSymbolic(op)) return RenderSymbolic(names_, op);
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, edition_));
    if (!names_.dialect().has_shapes && YieldsShape(*spec)) {
      return Unsupported(names_.Dialect(), " has no operators on shapes");
    }
    Operation operation;
    CTS_RETURN_IF_ERROR(AddOperands(op, *spec, operation));
    CTS_RETURN_IF_ERROR(AddAttributes(op, *spec, operation));
    CTS_ASSIGN_OR_RETURN(const std::string regions, Regions(op, *spec));
    CTS_ASSIGN_OR_RETURN(const std::string output_types, names_.Types(op.outputs));
    std::string attributes;
    for (const auto& [name, value] : operation.attributes) {
      attributes += StrCat(attributes.empty() ? " {" : ", ", IsMlirName(name) ? name : Quoted(name),
                           " = ", value);
    }
    return StrCat(operation.before, Values(op.outputs), op.outputs.empty() ? "" : " = ", "\"tosa.",
                  MnemonicOf(names_.dialect(), op.op), "\"(", operation.values, ")", regions,
                  attributes, attributes.empty() ? "" : "}", " : (", operation.types, ") -> (",
                  output_types, ")");
  }

  // A legal CONST_SHAPE. An illegal one has no place in a text without shapes.
  bool IsConstantShape(const GraphOperator& op) const {
    if (op.op != "CONST_SHAPE" || !op.inputs.empty() || op.outputs.size() != 1) return false;
    const GraphTensor* const found = names_.Find(op.outputs[0]);
    return op.attributes.empty() && found != nullptr && found->values != nullptr &&
           found->dtype == DType::kShape && found->shape.size() == 1;
  }

  const Graph& graph_;
  const Edition& edition_;
  const BlockNames names_;
  int& operators_;  // rendered so far
};

}  // namespace
}  // namespace mlir_text

std::string_view MlirVersionOf(const Edition& edition) {
  if (edition.follows.empty()) return edition.mlir;
  const StatusOr<const Edition*> followed = FindEdition(edition.follows);
  return followed.ok() ? std::string_view((*followed)->mlir) : "";
}

StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name) {
  if (IsSymbolic(graph)) {
    CTS_RETURN_IF_ERROR(CheckStructure(graph, edition));
    CTS_RETURN_IF_ERROR(CheckSymbolicStructure(graph, edition));
  }
  if (!edition.follows.empty()) {
    CTS_ASSIGN_OR_RETURN(const Edition* followed, FindEdition(edition.follows));
    CTS_ASSIGN_OR_RETURN(const Graph lowered, ToTosa(graph, edition, *followed));
    return RenderMlir(lowered, *followed, function_name);
  }
  const MlirDialect* const dialect = FindMlirDialect(edition.mlir);
  if (dialect == nullptr) {
    std::string known;
    for (const std::string& id : EditionIds()) {
      CTS_ASSIGN_OR_RETURN(const Edition* other, FindEdition(id));
      if (other->mlir.empty()) continue;
      known += StrCat(known.empty() ? "" : ", ", id, " in MLIR ", other->mlir);
    }
    return Unsupported("edition ", edition.id, ": the tosa dialect is that of ", known);
  }
  if (!IsMlirName(function_name)) {
    return InvalidArgument("function name \"", function_name,
                           "\": expected letters, digits and underscores, no digit first");
  }
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("the graph has no block");
  }
  int operators = 0;
  return mlir_text::BlockRenderer(graph, graph.main(), edition, *dialect, function_name, 0,
                                  operators)
      .Module();
}

}  // namespace cts
