#include "reference/formats/mlir_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "reference/base/contains.h"
#include "reference/formats/mlir_dialect.h"
#include "reference/formats/to_tosa.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

template <class... Args>
Status Unsupported(const Args&... args) {
  return {absl::StatusCode::kUnimplemented, StrCat(args...)};
}

StatusOr<std::string_view> ElementType(DType dtype) {
  if (const auto mlir = ToMlir(kMlirElementTypes, Name(dtype))) return *mlir;
  return Unsupported("MLIR has no tensors of ", Name(dtype));
}

bool IsSymbol(const GraphTensor& tensor, size_t dimension) {
  return !tensor.symbols.empty() && !tensor.symbols[dimension].empty();
}

// `is_unsigned`: whether integers, but not bool, are unsigned types, as in some versions of the
// dialect.
StatusOr<std::string> TensorType(const GraphTensor& tensor, bool is_unsigned = false) {
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t size = tensor.shape[i];
    if (size < 0 && !IsSymbol(tensor, i)) {
      return Unsupported("MLIR cannot write a dimension of size ", size, " (tensor ", tensor.name,
                         ")");
    }
  }
  if (tensor.dtype == DType::kShape) {
    if (tensor.shape.size() == 1) return StrCat("!tosa.shape<", tensor.shape[0], ">");
    return Unsupported("MLIR cannot write a shape that is a tensor of rank ", tensor.shape.size(),
                       " (tensor ", tensor.name, ")");
  }
  CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementType(tensor.dtype));
  std::string text = "tensor<";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    text += IsSymbol(tensor, i) ? "?x" : StrCat(tensor.shape[i], "x");
  }
  return StrCat(text, is_unsigned && IsInteger(tensor.dtype) ? "u" : "", element, ">");
}

// The bits as MLIR writes a floating-point literal that is no decimal number.
std::string HexLiteral(uint64_t bits, int bytes) {
  std::string text = "0x";
  for (int shift = bytes * 8 - 4; shift >= 0; shift -= 4) {
    text += "0123456789ABCDEF"[(bits >> shift) & 15];
  }
  return text;
}

// One element: exact, so that NaN payloads and the sign of zero survive.
std::string Literal(const Tensor& tensor, int64_t i, bool is_unsigned = false) {
  if (IsFloat(tensor.dtype())) {
    return HexLiteral(tensor.Bits(i), StorageBytes(tensor.dtype()));
  }
  if (tensor.dtype() == DType::kBool) return tensor.Integer(i) != 0 ? "true" : "false";
  if (!is_unsigned) return StrCat(tensor.Integer(i));
  const uint64_t bits_that_count = 2 * static_cast<uint64_t>(IntegerMax(tensor.dtype())) + 1;
  return StrCat(tensor.Bits(i) & bits_that_count);
}

// "[[1, 2], [3, 4]]": the elements from `*next` on, along dimension `axis` and those within it.
std::string NestedList(const Tensor& tensor, size_t axis, int64_t* next, bool is_unsigned) {
  if (axis == tensor.shape().size()) return Literal(tensor, (*next)++, is_unsigned);
  std::string text = "[";
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    text += (i == 0 ? "" : ", ") + NestedList(tensor, axis + 1, next, is_unsigned);
  }
  return text + "]";
}

// The values of a constant: "dense<[1, 2]> : tensor<2xi8>".
StatusOr<std::string> DenseValues(const GraphTensor& tensor, bool is_unsigned = false) {
  if (tensor.values->is_block_scaled()) {
    return absl::UnimplementedError(StrCat("MLIR text cannot hold scales, and the values of ",
                                           tensor.name, " are ", tensor.values->TypeName()));
  }
  CTS_ASSIGN_OR_RETURN(std::string type, TensorType(tensor, is_unsigned));
  if (tensor.dtype == DType::kShape) type = StrCat("tensor<", tensor.values->size(), "xindex>");
  int64_t next = 0;
  const std::string list =
      tensor.values->size() == 0 ? "" : NestedList(*tensor.values, 0, &next, is_unsigned);
  return StrCat("dense<", list, "> : ", type);
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      quoted += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += {'\\', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    }
  }
  return quoted + "\"";
}

std::string List(const std::vector<int64_t>& list, std::string_view type) {
  std::string text = StrCat("array<", type);
  for (size_t i = 0; i < list.size(); ++i) text += StrCat(i == 0 ? ": " : ", ", list[i]);
  return text + ">";
}

bool FitsI32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

// Any value, in its natural form. This is for an attribute of a wrong kind, which MLIR is to
// refuse.
std::string ByKind(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int64_t>(&value)) return StrCat(*number, " : i64");
  if (const auto* number = std::get_if<double>(&value)) {
    return StrCat(HexLiteral(EncodeFloat(DType::kFp64, *number), 8), " : f64");
  }
  if (const auto* text = std::get_if<std::string>(&value)) return Quoted(*text);
  return List(std::get<std::vector<int64_t>>(value), "i64");
}

// A scalar of the type of the operator's tensors: "5".
std::optional<std::string> ScalarLiteral(const AttributeValue& value, DType dtype) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && IsFloat(dtype)) {
    const Tensor scalar = Tensor::OfFloats(dtype, {}, {*number});
    const bool exact =
        std::isnan(*number) ? std::isnan(scalar.Float(0)) : scalar.Float(0) == *number;
    if (exact) return Literal(scalar, 0);
  }
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && IsInteger(dtype)) {
    if (*number >= IntegerMin(dtype) && *number <= IntegerMax(dtype)) return StrCat(*number);
  }
  if (const auto* bit = std::get_if<int64_t>(&value); bit != nullptr && dtype == DType::kBool) {
    if (*bit == 0 || *bit == 1) return *bit == 1 ? "true" : "false";
  }
  return std::nullopt;
}

// The same as an attribute, for CLAMP's bounds: "5 : i8".
std::optional<std::string> TypedScalar(const AttributeValue& value, DType dtype) {
  const auto element = ToMlir(kMlirElementTypes, Name(dtype));
  const auto literal = ScalarLiteral(value, dtype);
  if (!element || !literal || dtype == DType::kBool) return std::nullopt;
  return StrCat(*literal, " : ", *element);
}

std::optional<std::string> Enumerator(const EnumSpec& spec, const std::string& name) {
  const bool known = std::any_of(spec.values.begin(), spec.values.end(),
                                 [&](const EnumValue& value) { return value.name == name; });
  if (!known) return std::nullopt;
  if (const auto mlir = ToMlir(kMlirEnumerations, spec.name)) return StrCat(*mlir, "<", name, ">");
  if (const auto mlir = ToMlir(kMlirTypeNames, name)) return std::string(*mlir);
  return std::nullopt;
}

// One attribute, in the form that the edition's type for it asks for.
std::string Attribute(const ArgumentSpec& spec, const AttributeValue& value, DType tensor_type,
                      const Edition& edition) {
  const auto* number = std::get_if<int64_t>(&value);
  // Editions before 1.0 have attributes that are tensors.
  const std::string& type = spec.type == "tensor_t" ? spec.element_type : spec.type;
  if (type == "i32_t" && number != nullptr && FitsI32(*number)) {
    return StrCat(*number, " : i32");
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    if (spec.name == "var_shape") {
      std::string sizes;
      for (const int64_t size : *list) sizes += StrCat(sizes.empty() ? "" : ", ", size);
      return StrCat("dense<", list->empty() ? "" : "[", sizes, list->empty() ? "" : "]",
                    "> : tensor<", list->size(), "xindex>");
    }
    // Integers of lists are 64 bits wide in the dialect, except in this one.
    if (spec.name == "perms" && std::all_of(list->begin(), list->end(), FitsI32)) {
      return List(*list, "i32");
    }
  }
  if (type == "in_out_t" || type == "in_t") {
    if (const auto text = TypedScalar(value, tensor_type)) return *text;
  }
  const auto* name = std::get_if<std::string>(&value);
  if (const EnumSpec* values = edition.FindEnum(type); values != nullptr && name != nullptr) {
    if (const auto text = Enumerator(*values, *name)) return *text;
  }
  return ByKind(value);
}

bool TouchesVariables(const GraphOperator& op) {
  return op.op == "VARIABLE_READ" || op.op == "VARIABLE_WRITE";
}

// A function of the main block, or a region of an operator.
class BlockRenderer {
 public:
  BlockRenderer(const Graph& graph, const Block& block, const Edition& edition,
                const MlirDialect& dialect, std::string_view function_name, int nesting,
                int& operators)
      : graph_(graph),
        block_(block),
        edition_(edition),
        dialect_(dialect),
        function_name_(function_name),
        nesting_(nesting),
        operators_(operators) {
    for (const GraphTensor& tensor : block_.tensors) tensors_.emplace(tensor.name, &tensor);
    for (const GraphOperator& op : block_.operators) {
      for (const std::string_view name : UnsignedTensors(op)) unsigned_.emplace(name);
    }
  }

  // The variables, which stand beside the function, and the function.
  StatusOr<std::string> Module() const {
    std::string text;
    bool touched = false;  // whether a variable may have been used
    for (const GraphOperator& op : block_.operators) {
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
    CTS_RETURN_IF_ERROR(CheckSigns());
    CTS_ASSIGN_OR_RETURN(const std::string arguments, Arguments());
    CTS_ASSIGN_OR_RETURN(const std::string result_types, Types(block_.outputs));
    std::string text = StrCat("func.func @", function_name_, "(", arguments, ") -> (", result_types,
                              ") attributes {llvm.emit_c_interface} {\n");
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    text += operators;
    text += StrCat("  return", block_.outputs.empty() ? "" : " ", Values(block_.outputs),
                   block_.outputs.empty() ? "" : " : ", result_types, "\n}\n");
    return text;
  }

  // "{ ^then(%a: tensor<1xi8>): ... }"
  StatusOr<std::string> Region(const std::string& label) const {
    if (!IsMlirName(label)) return Unsupported("MLIR cannot write the name of a region");
    CTS_RETURN_IF_ERROR(CheckSigns());
    CTS_ASSIGN_OR_RETURN(const std::string arguments, Arguments());
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    CTS_ASSIGN_OR_RETURN(const std::string types, Types(block_.outputs));
    return StrCat("{\n", Indent(), "^", label, "(", arguments, "):\n", operators, Indent(),
                  "  \"tosa.yield\"(", Values(block_.outputs), ") : (", types, ") -> ()\n",
                  Indent(), "}");
  }

  std::string Indent() const { return std::string(static_cast<size_t>(2 * nesting_), ' '); }

  // "%a: tensor<1xi8>, ..."
  StatusOr<std::string> Arguments() const {
    std::string text;
    for (const std::string& name : block_.inputs) {
      CTS_ASSIGN_OR_RETURN(const std::string type, Types({name}));
      text += StrCat(text.empty() ? "" : ", ", "%", name, ": ", type);
    }
    return text;
  }

  StatusOr<std::string> Operators() const {
    std::string text;
    for (const GraphOperator& op : block_.operators) {
      if (++operators_ > kMaxMlirOperators) {
        return Unsupported("more than ", kMaxMlirOperators, " operators, with those of its graphs");
      }
      if (op.op == "VARIABLE") {
        if (nesting_ == 0) continue;  // beside the function
        return Unsupported("VARIABLE: a module declares it, no region");
      }
      if (!dialect_.has_shapes && IsConstantShape(op)) continue;  // in the attributes that have it
      StatusOr<std::string> line = Operator(op);
      if (!line.ok()) return Annotate(line.status(), op.op);
      text += StrCat(Indent(), "  ", *line, "\n");
    }
    return text;
  }

  static std::vector<std::string> GraphsOf(const OperatorSpec& spec) {
    std::vector<std::string> names;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.type == "tosa_graph_t") names.push_back(argument.name);
    }
    return names;
  }

  // The graphs of a control flow operator, in the order of its arguments: " ({...}, {...})"; a
  // region without a block where the operator names none.
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
      if (nesting_ == kMaxMlirNesting) {
        return Unsupported("nested more than ", kMaxMlirNesting, " deep");
      }
      CTS_ASSIGN_OR_RETURN(const std::string region,
                           BlockRenderer(graph_, *block, edition_, dialect_, function_name_,
                                         nesting_ + 1, operators_)
                               .Region(*name));
      text += region;
    }
    return text.empty() ? text : text + ")";
  }

  StatusOr<const GraphTensor*> Lookup(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return InvalidArgument("tensor ", name, " is not declared in block ", block_.name);
    }
    if (!IsMlirName(name)) return Unsupported("MLIR cannot write the name of a tensor");
    return found->second;
  }

  StatusOr<std::string> Types(const std::vector<std::string>& names) const {
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

  static std::string Values(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += StrCat(text.empty() ? "%" : ", %", name);
    return text;
  }

  // Several cases may stand in one module; each has variables of its own.
  AttributeValue OfThisFunction(const AttributeValue& variable) const {
    const auto* name = std::get_if<std::string>(&variable);
    return name == nullptr ? variable : StrCat(function_name_, ".", *name);
  }

  // An operation, before it is text.
  struct Operation {
    std::string before;                                           // the constants that it needs
    std::string values, types;                                    // of its operands
    std::vector<std::pair<std::string, std::string>> attributes;  // in the order of the names

    void AddOperand(const std::string& value, const std::string& type) {
      values += StrCat(values.empty() ? "" : ", ", value);
      types += StrCat(types.empty() ? "" : ", ", type);
    }
    void AddAttribute(std::string_view name, std::string value) {
      attributes.emplace_back(name, std::move(value));
    }
  };

  std::string Dialect() const { return StrCat("the dialect of MLIR ", dialect_.version); }

  const MlirArgument* OtherForm(std::string_view op, std::string_view argument) const {
    for (const MlirArgument& row : dialect_.arguments) {
      if (row.op == op && row.argument == argument) return &row;
    }
    return nullptr;
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
      argument = next();  // a list takes all that follow, and what is too much is none
      const MlirArgument* form = nullptr;
      if (argument != spec.arguments.end()) {
        form = OtherForm(op.op, argument->name);
        if (!argument->type.ends_with("list_t")) ++argument;
      }
      if (form != nullptr) {
        const Status status = AddConstant(op, name, *form, operation);
        if (!status.ok()) return Annotate(status, std::string(form->argument));
        continue;
      }
      CTS_ASSIGN_OR_RETURN(const std::string type, Types({name}));
      operation.AddOperand("%" + name, type);
    }
    return absl::OkStatus();
  }

  Status AddAttributes(const GraphOperator& op, const OperatorSpec& spec,
                       Operation& operation) const {
    if ((op.op == "CONST" || op.op == "CONST_SHAPE") && !op.outputs.empty()) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(op.outputs[0]));
      if (tensor->values != nullptr) {
        CTS_ASSIGN_OR_RETURN(const std::string values,
                             DenseValues(*tensor, unsigned_.contains(tensor->name)));
        operation.AddAttribute(dialect_.const_values, values);
      }
    }
    DType tensor_type = DType::kBool;
    if (!op.inputs.empty()) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(op.inputs[0]));
      tensor_type = tensor->dtype;
    }
    for (const auto& [name, value] : op.attributes) {
      const auto* string = std::get_if<std::string>(&value);
      const ArgumentSpec* argument = spec.FindArgument(name);
      if (argument == nullptr || argument->category != ArgumentCategory::kAttribute) {
        operation.AddAttribute(name, ByKind(value));
      } else if (OtherForm(op.op, name) != nullptr) {
        continue;  // below
      } else if (op.op.starts_with("VARIABLE") && name == "name") {
        operation.AddAttribute(op.op == "VARIABLE" ? "sym_name" : name,
                               ByKind(OfThisFunction(value)));
      } else if (op.op == "VARIABLE" && name == "initial_value" && string != nullptr) {
        CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(*string));
        if (tensor->values == nullptr) return InvalidArgument("tensor ", *string, " has no values");
        CTS_ASSIGN_OR_RETURN(const std::string values, DenseValues(*tensor));
        operation.AddAttribute(name, values);
      } else if (argument->type != "tosa_graph_t" || string == nullptr) {  // else a region
        operation.AddAttribute(name, Attribute(*argument, value, tensor_type, edition_));
      }
    }
    for (const MlirArgument& row : dialect_.arguments) {
      const ArgumentSpec* argument = row.op == op.op ? spec.FindArgument(row.argument) : nullptr;
      if (argument == nullptr || argument->category == ArgumentCategory::kInput) continue;
      const auto found = op.attributes.find(argument->name);
      const Status status =
          AddOtherForm(op, spec, row, found == op.attributes.end() ? nullptr : &found->second,
                       tensor_type, operation);
      if (!status.ok()) return Annotate(status, std::string(row.argument));
    }
    return absl::OkStatus();
  }

  // Renders MLIR's generic form, which the dialect's custom syntaxes cannot refuse. Attributes
  // stand in its dictionary: every MLIR reads that, and 22 names the operator if an attribute there
  // is wrong.
  StatusOr<std::string> Operator(const GraphOperator& op) const {
    if (IsSymbolic(op)) return SymbolicOperator(op);
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, edition_));
    if (!dialect_.has_shapes && YieldsShape(*spec)) {
      return Unsupported(Dialect(), " has no operators on shapes");
    }
    Operation operation;
    CTS_RETURN_IF_ERROR(AddOperands(op, *spec, operation));
    CTS_RETURN_IF_ERROR(AddAttributes(op, *spec, operation));
    CTS_ASSIGN_OR_RETURN(const std::string regions, Regions(op, *spec));
    CTS_ASSIGN_OR_RETURN(const std::string output_types, Types(op.outputs));
    std::string attributes;
    for (const auto& [name, value] : operation.attributes) {
      attributes += StrCat(attributes.empty() ? " {" : ", ", IsMlirName(name) ? name : Quoted(name),
                           " = ", value);
    }
    return StrCat(operation.before, Values(op.outputs), op.outputs.empty() ? "" : " = ", "\"tosa.",
                  MnemonicOf(dialect_, op.op), "\"(", operation.values, ")", regions, attributes,
                  attributes.empty() ? "" : "}", " : (", operation.types, ") -> (", output_types,
                  ")");
  }

  // ---- What the dialect has in another form ----------------------------------------------------

  static bool YieldsShape(const OperatorSpec& spec) {
    return std::any_of(
        spec.arguments.begin(), spec.arguments.end(), [](const ArgumentSpec& argument) {
          return argument.category == ArgumentCategory::kOutput && argument.type == "shape_t";
        });
  }

  // A legal CONST_SHAPE. An illegal one has no place in a text without shapes.
  bool IsConstantShape(const GraphOperator& op) const {
    if (op.op != "CONST_SHAPE" || !op.inputs.empty() || op.outputs.size() != 1) return false;
    const auto found = tensors_.find(op.outputs[0]);
    return op.attributes.empty() && found != tensors_.end() && found->second->values != nullptr &&
           found->second->dtype == DType::kShape && found->second->shape.size() == 1;
  }

  // A name that no tensor of the block has.
  std::string NewName(std::string name) const {
    while (tensors_.contains(name)) name += "_";
    return name;
  }

  // A constant that only the operation has. Its name is made up.
  void AddConstantOperand(const GraphOperator& op, std::string_view argument,
                          const std::string& list, const std::string& type,
                          Operation& operation) const {
    const std::string name =
        NewName(StrCat(op.outputs.empty() ? "none" : op.outputs[0], "__", argument));
    operation.before +=
        StrCat("%", name, " = \"tosa.const\"() {", dialect_.const_values, " = dense<", list,
               "> : ", type, "} : () -> (", type, ")\n", Indent(), "  ");
    operation.AddOperand("%" + name, type);
  }

  // An operand that the dialect has as an attribute, or as an operand of another type.
  Status AddConstant(const GraphOperator& op, const std::string& name, const MlirArgument& form,
                     Operation& operation) const {
    CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(name));
    DType dtype = DType::kShape;
    if (form.form == MlirForm::kI8 || form.form == MlirForm::kI8List) dtype = DType::kI8;
    if (form.form == MlirForm::kI32List) {
      const auto wide = op.attributes.find("scale32");
      dtype = wide != op.attributes.end() && wide->second == AttributeValue(false) ? DType::kI16
                                                                                   : DType::kI32;
    }
    const size_t rank = form.form == MlirForm::kI8 ? 0 : 1;
    if (tensor->values == nullptr || tensor->dtype != dtype || tensor->shape.size() != rank) {
      return Unsupported(Dialect(), " cannot say that it is anything but a constant of ",
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
        if (list.size() % 2 != 0) return Unsupported(Dialect(), " has pairs, no odd number");
        std::string pairs;
        for (size_t i = 0; i < list.size(); i += 2) {
          pairs += StrCat(i == 0 ? "[[" : ", [", list[i], ", ", list[i + 1], "]");
        }
        AddConstantOperand(op, form.argument, pairs + (pairs.empty() ? "" : "]"),
                           StrCat("tensor<", list.size() / 2, "x2xi64>"), operation);
        break;
      }
      default:
        operation.AddAttribute(form.mlir, List(list, "i64"));
    }
    return absl::OkStatus();
  }

  // An attribute or output that the dialect has as something else. `value` is the attribute's, null
  // if it is missing. `tensor_type` is that of the first operand.
  Status AddOtherForm(const GraphOperator& op, const OperatorSpec& spec, const MlirArgument& form,
                      const AttributeValue* value, DType tensor_type, Operation& operation) const {
    if (form.form == MlirForm::kOutputShape) {
      if (op.outputs.empty()) return absl::OkStatus();
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(op.outputs[0]));
      operation.AddAttribute(form.mlir, List(tensor->shape, "i64"));
      return absl::OkStatus();
    }
    const auto no_words = [&](std::string_view what) {
      return Unsupported(Dialect(), " cannot say that it is ", what);
    };
    if (value == nullptr) {
      switch (form.form) {
        case MlirForm::kString:
        case MlirForm::kI32:
        case MlirForm::kPermutation:
        case MlirForm::kBound:
        case MlirForm::kSymbol:
          return absl::OkStatus();  // for MLIR to refuse
        default:
          return no_words("missing");
      }
    }
    const auto* number = std::get_if<int64_t>(value);
    switch (form.form) {
      case MlirForm::kI32: {
        const int64_t zero_point = number == nullptr ? 0 : ZeroPoint(op, form, *number);
        operation.AddAttribute(form.mlir, number != nullptr && FitsI32(zero_point)
                                              ? StrCat(zero_point, " : i32")
                                              : ByKind(*value));
        break;
      }
      case MlirForm::kPermutation: {
        const auto* list = std::get_if<std::vector<int64_t>>(value);
        if (list == nullptr || !std::all_of(list->begin(), list->end(), FitsI32)) {
          return no_words("anything but a list of i32");
        }
        std::string numbers;
        for (const int64_t one : *list) numbers += StrCat(numbers.empty() ? "[" : ", ", one);
        AddConstantOperand(op, form.argument, numbers + (numbers.empty() ? "" : "]"),
                           StrCat("tensor<", list->size(), "xi32>"), operation);
        break;
      }
      case MlirForm::kScalar: {
        // MLIR goes by the place: this operand would take the place of the missing one.
        const auto operands = std::count_if(spec.arguments.begin(), spec.arguments.end(),
                                            [](const ArgumentSpec& argument) {
                                              return argument.category == ArgumentCategory::kInput;
                                            });
        if (static_cast<std::ptrdiff_t>(op.inputs.size()) < operands) {
          return no_words("there while an operand before it is missing");
        }
        const auto element = ToMlir(kMlirElementTypes, Name(tensor_type));
        const auto literal = ScalarLiteral(*value, tensor_type);
        if (!element || !literal) return no_words("of another type than the tensor");
        AddConstantOperand(op, form.argument, *literal, StrCat("tensor<", *element, ">"),
                           operation);
        break;
      }
      case MlirForm::kBound: {
        // Without the tensor only the bound itself tells.
        const bool is_float =
            op.inputs.empty() ? std::holds_alternative<double>(*value) : IsFloat(tensor_type);
        const auto typed = is_float ? TypedScalar(*value, tensor_type) : std::nullopt;
        operation.AddAttribute(StrCat(form.mlir, "_fp"),
                               is_float ? typed.value_or(ByKind(*value)) : "0x00000000 : f32");
        operation.AddAttribute(StrCat(form.mlir, "_int"), is_float ? "0 : i64" : ByKind(*value));
        break;
      }
      case MlirForm::kZeroPoint: {
        if (!IsInteger(tensor_type)) {
          const bool zero = *value == AttributeValue(0.0) || *value == AttributeValue(int64_t{0});
          return zero ? absl::OkStatus() : no_words("anything but zero here");
        }
        if (number == nullptr) return no_words("no integer");
        const std::string member = StrCat(form.mlir, " = ", *number);
        for (auto& [name, text] : operation.attributes) {
          if (name != "quantization_info") continue;
          text.insert(text.size() - 1, ", " + member);
          return absl::OkStatus();
        }
        operation.AddAttribute("quantization_info", StrCat(form.attribute, "<", member, ">"));
        break;
      }
      case MlirForm::kImplied:
        if (!IsImplied(op, spec, *value)) return no_words(StrCat(ByKind(*value), " here"));
        break;
      case MlirForm::kPartOfType:
        break;
      case MlirForm::kUnsigned:
        if (!std::holds_alternative<bool>(*value)) return no_words("no bool");
        break;
      case MlirForm::kSymbol:
        if (number == nullptr) return no_words("no integer");
        operation.AddAttribute(form.mlir, Quoted(StrCat(function_name_, ".", *number)));
        break;
      case MlirForm::kTensorType: {
        const auto* name = std::get_if<std::string>(value);
        const auto element = ToMlir(kMlirTypeNames, name == nullptr ? "" : *name);
        const auto shape = op.attributes.find("var_shape");
        const auto* sizes = shape == op.attributes.end()
                                ? nullptr
                                : std::get_if<std::vector<int64_t>>(&shape->second);
        if (!element || sizes == nullptr) return no_words("no element type or shape");
        std::string text;
        for (const int64_t size : *sizes) {
          if (size < 0) return no_words("one of a negative dimension");
          text += StrCat(size, "x");
        }
        operation.AddAttribute(form.mlir, StrCat("tensor<", text, *element, ">"));
        break;
      }
      default:
        operation.AddAttribute(form.mlir, ByKind(*value));
    }
    return absl::OkStatus();
  }

  // RESCALE's zero points are bit patterns of their tensor's type, and may be given as signed or as
  // unsigned numbers (schemas/editions/notes.md); the dialect takes them by the sign of the tensor.
  int64_t ZeroPoint(const GraphOperator& op, const MlirArgument& form, int64_t number) const {
    const auto& tensors = form.argument.starts_with("input") ? op.inputs : op.outputs;
    const auto found = tensors.empty() ? tensors_.end() : tensors_.find(tensors[0]);
    if (found == tensors_.end() || !IsInteger(found->second->dtype)) return number;
    if (found->second->dtype == DType::kI64 || found->second->dtype == DType::kShape) return number;
    const DType dtype = found->second->dtype;
    const int64_t half = IntegerMax(dtype) + 1;  // 2^(bits - 1), of at most 48 bits
    if (!FitsI32(number) || number < -half || number >= 2 * half) return number;
    const bool is_unsigned = unsigned_.contains(tensors[0]);
    if (is_unsigned && number < 0) return number + 2 * half;
    return !is_unsigned && number >= half ? number - 2 * half : number;
  }

  // Whether an accumulator follows from the types of the tensors, as their only one or as that of
  // the result.
  bool IsImplied(const GraphOperator& op, const OperatorSpec& spec,
                 const AttributeValue& acc_type) const {
    const auto* name = std::get_if<std::string>(&acc_type);
    const auto element = ToMlir(kMlirTypeNames, name == nullptr ? "" : *name);
    if (!element || op.inputs.size() < 2 || op.outputs.empty()) return false;
    const auto type_of = [&](const std::string& tensor) {
      const auto found = tensors_.find(tensor);
      return found == tensors_.end() ? std::string() : std::string(Name(found->second->dtype));
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

  // The tensors that an operator takes as unsigned. The dialect says so in their type.
  std::vector<std::string_view> UnsignedTensors(const GraphOperator& op) const {
    std::vector<std::string_view> names;
    for (const MlirArgument& row : dialect_.arguments) {
      if (row.op != op.op || row.form != MlirForm::kUnsigned) continue;
      const auto found = op.attributes.find(std::string(row.argument));
      if (found == op.attributes.end() || found->second != AttributeValue(true)) continue;
      const auto& tensors = row.argument.starts_with("input") ? op.inputs : op.outputs;
      if (!tensors.empty()) names.push_back(tensors[0]);
    }
    return names;
  }

  // A tensor's type is signed or unsigned for all its users.
  Status CheckSigns() const {
    if (unsigned_.empty()) return absl::OkStatus();
    const auto clash = [&](std::string_view name) {
      return Unsupported("tensor ", name, ": ", Dialect(), " has no tensors that are both signed ",
                         "and unsigned");
    };
    for (const GraphOperator& op : block_.operators) {
      if (op.op == "CONST") continue;
      const std::vector<std::string_view> wanted = UnsignedTensors(op);
      for (const auto* tensors : {&op.inputs, &op.outputs}) {
        for (const std::string& name : *tensors) {
          if (unsigned_.contains(name) && !Contains(wanted, name)) {
            return clash(name);
          }
        }
      }
    }
    if (nesting_ == 0) return absl::OkStatus();  // whoever calls the function sees bits
    for (const auto* tensors : {&block_.inputs, &block_.outputs}) {
      for (const std::string& name : *tensors) {
        if (unsigned_.contains(name)) return clash(name);
      }
    }
    return absl::OkStatus();
  }

  // Renders an operator that only symbolic programs have. The tosa dialect has none of them, but
  // MLIR's other dialects have most. It becomes several operations, one a line.
  class Lines {
   public:
    Lines(const BlockRenderer& renderer, const std::string& output)
        : renderer_(renderer), output_(output), indent_(renderer.Indent()) {}
    // "%name = <operation>", of which the type of the result stands at the end.
    void Add(const std::string& name, const std::string& operation) {
      text_ += StrCat(text_.empty() ? "" : StrCat("\n", indent_, "  "), name, " = ", operation);
    }
    // A name for a value that is not the output.
    std::string Name(std::string_view tail) const {
      return StrCat("%", renderer_.NewName(StrCat(output_, tail)));
    }
    // The same as Add, for a value of such a name.
    std::string New(const std::string& operation) {
      std::string name = Name(StrCat("__", count_++));
      Add(name, operation);
      return name;
    }
    std::string Index(int64_t value) {
      return New(StrCat("\"arith.constant\"() {value = ", value, " : index} : () -> index"));
    }
    std::string Cast(const std::string& value, std::string_view from, std::string_view to) {
      return New(StrCat("\"arith.index_cast\"(", value, ") : (", from, ") -> ", to));
    }
    std::string Binary(std::string_view op, const std::string& a, const std::string& b) {
      return New(StrCat("\"arith.", op, "\"(", a, ", ", b, ") : (index, index) -> index"));
    }
    const std::string& text() const { return text_; }

   private:
    const BlockRenderer& renderer_;
    const std::string& output_;
    const std::string indent_;
    std::string text_;
    int count_ = 0;
  };

  static std::string Repeated(std::string_view text, size_t count) {
    std::string list;
    for (size_t i = 0; i < count; ++i) list += StrCat(i == 0 ? "" : ", ", text);
    return list;
  }

  // "tensor<?x?xi8>"
  static std::string Dynamic(size_t rank, std::string_view element) {
    std::string type = "tensor<";
    for (size_t i = 0; i < rank; ++i) type += "?x";
    return StrCat(type, element, ">");
  }

  StatusOr<std::string> SymbolicOperator(const GraphOperator& op) const {
    CTS_ASSIGN_OR_RETURN(const GraphTensor* output, Lookup(op.outputs[0]));
    std::vector<std::string> values;
    std::vector<const GraphTensor*> tensors;
    for (const std::string& name : op.inputs) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(name));
      values.push_back("%" + name);
      tensors.push_back(tensor);
    }
    const auto number = [&](const char* name) { return std::get<int64_t>(op.attributes.at(name)); };
    Lines lines(*this, output->name);
    const std::string result = "%" + output->name;
    if (op.op == "INDEX_CONST") {
      lines.Add(result, StrCat("\"arith.constant\"() {value = ", number("value"),
                               " : index} : () -> index"));
      return lines.text();
    }
    std::string input_type;
    if (!tensors.empty() && tensors[0]->dtype != DType::kShape) {
      CTS_ASSIGN_OR_RETURN(input_type, TensorType(*tensors[0]));
    }
    if (op.op == "GET_DIM" || op.op == "EXTRACT_DIM") {
      const std::string at = lines.Index(number("dim_index"));
      if (op.op == "GET_DIM") {
        lines.Add(result, StrCat("\"tensor.dim\"(", values[0], ", ", at, ") : (", input_type,
                                 ", index) -> index"));
        return lines.text();
      }
      CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementType(tensors[0]->dtype));
      const std::string taken = lines.New(StrCat("\"tensor.extract\"(", values[0], ", ", at,
                                                 ") : (", input_type, ", index) -> ", element));
      lines.Add(result, StrCat("\"arith.index_cast\"(", taken, ") : (", element, ") -> index"));
      return lines.text();
    }
    CTS_ASSIGN_OR_RETURN(const std::string output_type, TensorType(*output));
    CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementType(output->dtype));
    // Index values as elements of a tensor of integers.
    const auto as_tensor = [&](std::string_view type, size_t first, const std::string& name,
                               const std::string& tensor_type) {
      std::string list;
      for (size_t i = first; i < values.size(); ++i) {
        list += StrCat(i == first ? "" : ", ", lines.Cast(values[i], "index", type));
      }
      lines.Add(name, StrCat("\"tensor.from_elements\"(", list, ") : (",
                             Repeated(type, values.size() - first), ") -> ", tensor_type));
    };
    if (op.op == "DIMS_TO_TENSOR") {
      as_tensor(element, 0, result, output_type);
      return lines.text();
    }
    if (op.op == "IOTA") {
      const size_t n = values.size();
      const std::string start = n == 1 ? lines.Index(0) : values[0];
      const std::string step = n == 3 ? values[2] : lines.Index(1);
      const std::string span = lines.Binary("subi", values[n == 1 ? 0 : 1], start);
      const std::string count = lines.Binary("ceildivsi", span, step);
      const std::string at = lines.Name("_at");
      std::string body = StrCat("({^bb0(", at, ": index): ");
      // The name of the result of an operation of the body.
      const auto add = [&](std::string_view tail, const std::string& operation) {
        std::string name = lines.Name(tail);
        body += StrCat(name, " = ", operation, " ");
        return name;
      };
      const std::string by =
          add("_by", StrCat("\"arith.muli\"(", at, ", ", step, ") : (index, index) -> index"));
      const std::string sum =
          add("_sum", StrCat("\"arith.addi\"(", by, ", ", start, ") : (index, index) -> index"));
      const std::string_view integer = IsFloat(output->dtype) ? "i64" : element;
      std::string value =
          add("_value", StrCat("\"arith.index_cast\"(", sum, ") : (index) -> ", integer));
      if (IsFloat(output->dtype)) {
        value = add("_float", StrCat("\"arith.sitofp\"(", value, ") : (i64) -> ", element));
      }
      body += StrCat("\"tensor.yield\"(", value, ") : (", element, ") -> ()})");
      const std::string made = lines.New(
          StrCat("\"tensor.generate\"(", count, ") ", body, " : (index) -> ", Dynamic(1, element)));
      lines.Add(result, StrCat("\"tensor.cast\"(", made, ") : (", Dynamic(1, element), ") -> ",
                               output_type));
      return lines.text();
    }
    const size_t rank = output->shape.size();
    if (op.op == "RESHAPE" || op.op == "EXPAND_DIMS" || op.op == "COLLAPSE_DIMS") {
      // The dimensions of the input that are left, or those among which dimensions of 1 are put.
      std::vector<size_t> left;
      const auto indices = op.attributes.find("indices");
      if (indices != op.attributes.end()) {
        const auto& list = std::get<std::vector<int64_t>>(indices->second);
        // Its operations take sizes. None exists for an axis that is no dimension, or whose size is
        // not 1.
        const size_t among =
            op.op == "COLLAPSE_DIMS" ? tensors[0]->shape.size() : tensors[0]->shape.size() + 1;
        bool fits =
            std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
        for (const int64_t i : list) {
          fits = fits && i >= 0 && i < static_cast<int64_t>(among) &&
                 (op.op == "EXPAND_DIMS" || tensors[0]->shape[static_cast<size_t>(i)] == 1);
        }
        if (!fits) return Unsupported("MLIR has no words for indices ", ToString(list));
        const auto has = [&](size_t i) { return Contains(list, static_cast<int64_t>(i)); };
        for (size_t i = 0; i < tensors[0]->shape.size(); ++i) {
          if (op.op == "COLLAPSE_DIMS") {
            if (!has(i)) left.push_back(i);
            continue;
          }
          if (has(i)) left.push_back(tensors[0]->shape.size());
          left.push_back(i);
        }
        if (op.op == "EXPAND_DIMS" && has(tensors[0]->shape.size())) {
          left.push_back(tensors[0]->shape.size());
        }
        if (left.size() != rank) {
          return Unsupported("MLIR has no words for indices ", ToString(list), " and a result of ",
                             "rank ", rank);
        }
      }
      std::string sizes;
      size_t next = 1;
      for (size_t i = 0; i < rank; ++i) {
        std::string size;
        if (!IsSymbol(*output, i)) {
          size = lines.Index(output->shape[i]);
        } else if (op.op == "RESHAPE") {
          size = values[next++];
        } else if (left[i] == tensors[0]->shape.size()) {
          size = lines.Index(1);
        } else {
          const std::string at = lines.Index(static_cast<int64_t>(left[i]));
          size = lines.New(StrCat("\"tensor.dim\"(", values[0], ", ", at, ") : (", input_type,
                                  ", index) -> index"));
        }
        sizes += StrCat(i == 0 ? "" : ", ", size);
      }
      const std::string list_type = StrCat("tensor<", rank, "xindex>");
      const std::string shape = lines.New(StrCat("\"tensor.from_elements\"(", sizes, ") : (",
                                                 Repeated("index", rank), ") -> ", list_type));
      lines.Add(result, StrCat("\"tensor.reshape\"(", values[0], ", ", shape, ") : (", input_type,
                               ", ", list_type, ") -> ", output_type));
      return lines.text();
    }
    const std::string dynamic = StrCat("array<i64: ", Repeated(StrCat(INT64_MIN), rank), ">");
    if (op.op == "DATA_DEPENDENT_SLICE" && values.size() == 1 + 2 * rank) {
      std::string list = values[0];
      for (size_t i = 1; i < values.size(); ++i) list += ", " + values[i];
      const std::string made = lines.New(
          StrCat("\"tensor.extract_slice\"(", list, ") {operandSegmentSizes = array<i32: 1, ", rank,
                 ", ", rank, ", 0>, static_offsets = ", dynamic, ", static_sizes = ", dynamic,
                 ", static_strides = array<i64: ", Repeated("1", rank), ">} : (", input_type, ", ",
                 Repeated("index", 2 * rank), ") -> ", Dynamic(rank, element)));
      lines.Add(result, StrCat("\"tensor.cast\"(", made, ") : (", Dynamic(rank, element), ") -> ",
                               output_type));
      return lines.text();
    }
    if (op.op == "DATA_DEPENDENT_PAD" && values.size() == 2 + 2 * rank) {
      const std::string zero = lines.Index(0);
      const std::string constant =
          lines.New(StrCat("\"tensor.extract\"(", values[1], ", ", zero, ") : (tensor<1x", element,
                           ">, index) -> ", element));
      std::string lows, highs, arguments;
      for (size_t i = 0; i < rank; ++i) {
        lows += ", " + values[2 + 2 * i];
        highs += ", " + values[3 + 2 * i];
        arguments += StrCat(i == 0 ? "" : ", ", lines.Name(StrCat("_at", i)), ": index");
      }
      const std::string made = lines.New(StrCat(
          "\"tensor.pad\"(", values[0], lows, highs, ") ({^bb0(", arguments, "): \"tensor.yield\"(",
          constant, ") : (", element, ") -> ()}) {operandSegmentSizes = array<i32: 1, ", rank, ", ",
          rank, ">, static_low = ", dynamic, ", static_high = ", dynamic, "} : (", input_type, ", ",
          Repeated("index", 2 * rank), ") -> ", Dynamic(rank, element)));
      lines.Add(result, StrCat("\"tensor.cast\"(", made, ") : (", Dynamic(rank, element), ") -> ",
                               output_type));
      return lines.text();
    }
    const bool scatter = op.op == "DATA_DEPENDENT_SCATTER";
    const size_t first = scatter ? 2 : 1;
    if ((scatter || op.op == "DATA_DEPENDENT_GATHER") && !tensors[0]->shape.empty() &&
        !IsSymbol(*tensors[0], 0)) {
      const int64_t batches = tensors[0]->shape[0];
      const auto count = static_cast<int64_t>(values.size() - first);
      if (batches > 0 && count % batches == 0) {
        const std::string type = StrCat("tensor<", batches, "x", count / batches, "xi32>");
        const std::string name = lines.Name("__indices");
        as_tensor("i32", first, name, type);
        std::string other;
        if (scatter) {
          CTS_ASSIGN_OR_RETURN(other, TensorType(*tensors[1]));
        }
        lines.Add(result, StrCat("\"tosa.", scatter ? "scatter" : "gather", "\"(", values[0], ", ",
                                 name, scatter ? ", " + values[1] : "", ") : (", input_type, ", ",
                                 type, scatter ? ", " + other : "", ") -> ", output_type));
        return lines.text();
      }
    }
    if (op.op.find("CONV") != op.op.npos) {
      return Unsupported("the dialect takes padding, stride and dilation as attributes only");
    }
    return Unsupported("no operation of MLIR takes these index values");
  }

  const Graph& graph_;
  const Block& block_;
  const Edition& edition_;
  const MlirDialect& dialect_;
  const std::string_view function_name_;
  const int nesting_;
  int& operators_;  // rendered so far
  std::unordered_map<std::string, const GraphTensor*> tensors_;
  std::set<std::string, std::less<>> unsigned_;  // tensors that are, by their type
};

}  // namespace

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
  return BlockRenderer(graph, graph.main(), edition, *dialect, function_name, 0, operators)
      .Module();
}

}  // namespace cts
