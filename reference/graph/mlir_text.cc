#include "reference/graph/mlir_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace cts {
namespace {

template <class... Args>
Status Unsupported(const Args&... args) {
  return {absl::StatusCode::kUnimplemented, StrCat(args...)};
}

// Rows of these tables are facts of the dialect (mlir/Dialect/Tosa/IR of LLVM 22).
struct Spelling {
  std::string_view name;
  std::string_view mlir;
};

// Element types. The dialect has no unsigned integers: RESCALE says it with an attribute.
constexpr std::array<Spelling, 12> kElementTypes = {{
    {"bool", "i1"},
    {"i4", "i4"},
    {"i8", "i8"},
    {"i16", "i16"},
    {"i32", "i32"},
    {"i48", "i48"},
    {"i64", "i64"},
    {"fp8e4m3", "f8E4M3FN"},
    {"fp8e5m2", "f8E5M2"},
    {"fp16", "f16"},
    {"bf16", "bf16"},
    {"fp32", "f32"},
}};

// Enumerations that the dialect writes as an attribute of its own, under another name.
constexpr std::array<Spelling, 3> kEnumerations = {{
    {"nan_propagation_mode_t", "#tosa.nan_mode"},
    {"resize_mode_t", "#tosa.resize_mode"},
    {"rounding_mode_t", "#tosa.rounding_mode"},
}};

// acc_type_t, which the dialect writes as a type.
constexpr std::array<Spelling, 4> kAccumulatorTypes = {{
    {"INT32", "i32"},
    {"INT48", "i48"},
    {"FP16", "f16"},
    {"FP32", "f32"},
}};

// Lists of integers are 64 bits wide in the dialect, but for these.
constexpr std::array<std::string_view, 1> kNarrowLists = {"perms"};

template <size_t kSize>
std::optional<std::string_view> Find(const std::array<Spelling, kSize>& table,
                                     std::string_view name) {
  for (const Spelling& row : table) {
    if (row.name == name) return row.mlir;
  }
  return std::nullopt;
}

StatusOr<std::string_view> ElementType(DType dtype) {
  if (const auto mlir = Find(kElementTypes, Name(dtype))) return *mlir;
  return Unsupported("the tosa dialect has no tensors of ", Name(dtype));
}

StatusOr<std::string> TensorType(const GraphTensor& tensor) {
  if (tensor.dtype == DType::kShape) {
    return StrCat("!tosa.shape<", tensor.shape.empty() ? 0 : tensor.shape[0], ">");
  }
  CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementType(tensor.dtype));
  std::string text = "tensor<";
  for (int64_t size : tensor.shape) {
    if (size < 0) {
      return Unsupported("MLIR cannot write a dimension of size ", size, " (tensor ", tensor.name,
                         ")");
    }
    text += StrCat(size, "x");
  }
  return StrCat(text, element, ">");
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
std::string Literal(const Tensor& tensor, int64_t i) {
  if (IsFloat(tensor.dtype())) {
    return HexLiteral(tensor.Bits(i), StorageBytes(tensor.dtype()));
  }
  if (tensor.dtype() == DType::kBool) return tensor.Integer(i) != 0 ? "true" : "false";
  return StrCat(tensor.Integer(i));
}

// "[[1, 2], [3, 4]]": the elements from `*next` on, along dimension `axis` and those within it.
std::string NestedList(const Tensor& tensor, size_t axis, int64_t* next) {
  if (axis == tensor.shape().size()) return Literal(tensor, (*next)++);
  std::string text = "[";
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    text += (i == 0 ? "" : ", ") + NestedList(tensor, axis + 1, next);
  }
  return text + "]";
}

// What CONST and CONST_SHAPE yield: "dense<[1, 2]> : tensor<2xi8>".
StatusOr<std::string> DenseValues(const GraphTensor& tensor) {
  if (tensor.values == nullptr) {
    return InvalidArgument("constant tensor ", tensor.name, " has no values");
  }
  std::string type;
  if (tensor.dtype == DType::kShape) {
    type = StrCat("tensor<", tensor.values->size(), "xindex>");
  } else {
    CTS_ASSIGN_OR_RETURN(type, TensorType(tensor));
  }
  int64_t next = 0;
  const std::string list = tensor.values->size() == 0 ? "" : NestedList(*tensor.values, 0, &next);
  return StrCat("dense<", list, "> : ", type);
}

// A scalar attribute that has the type of the operator's tensors: CLAMP's bounds.
StatusOr<std::string> TypedScalar(const AttributeValue& value, DType dtype) {
  CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementType(dtype));
  if (const auto* number = std::get_if<double>(&value); number != nullptr && IsFloat(dtype)) {
    const Tensor scalar = Tensor::OfFloats(dtype, {}, {*number});
    return StrCat(Literal(scalar, 0), " : ", element);
  }
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && IsInteger(dtype)) {
    if (*number < IntegerMin(dtype) || *number > IntegerMax(dtype)) {
      return Unsupported("MLIR cannot write ", *number, " as ", element);
    }
    return StrCat(*number, " : ", element);
  }
  return InvalidArgument("expected a scalar of type ", Name(dtype));
}

StatusOr<std::string> List(const AttributeValue& value, std::string_view name) {
  const auto* list = std::get_if<std::vector<int64_t>>(&value);
  if (list == nullptr) return InvalidArgument("expected a list of integers");
  const bool narrow =
      std::find(kNarrowLists.begin(), kNarrowLists.end(), name) != kNarrowLists.end();
  std::string text = narrow ? "array<i32" : "array<i64";
  for (size_t i = 0; i < list->size(); ++i) text += StrCat(i == 0 ? ": " : ", ", (*list)[i]);
  return text + ">";
}

StatusOr<std::string> Enumerator(const AttributeValue& value, std::string_view type) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) return InvalidArgument("expected the name of a value of ", type);
  if (type == "acc_type_t") {
    if (const auto mlir = Find(kAccumulatorTypes, *name)) return std::string(*mlir);
    return Unsupported("the tosa dialect has no accumulator type ", *name);
  }
  if (const auto mlir = Find(kEnumerations, type)) return StrCat(*mlir, "<", *name, ">");
  return Unsupported("attributes of type ", type, " have no rendering");
}

// One attribute, in the form that the edition's type for it asks for.
StatusOr<std::string> Attribute(const ArgumentSpec& spec, const AttributeValue& value,
                                DType tensor_type) {
  if (spec.type == "bool_t") {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return InvalidArgument("expected true or false");
    return std::string(*flag ? "true" : "false");
  }
  if (spec.type == "i32_t") {
    const auto* number = std::get_if<int64_t>(&value);
    if (number == nullptr) return InvalidArgument("expected an integer");
    return StrCat(*number, " : i32");
  }
  if (spec.type == "tensor_t") return List(value, spec.name);
  if (spec.type == "in_out_t" || spec.type == "in_t") return TypedScalar(value, tensor_type);
  return Enumerator(value, spec.type);
}

// A graph that names its regions again and again has no end of text: there is a limit to operators.
constexpr int kMaxOperators = 1 << 16;
constexpr int kMaxNesting = 512;

// A function of the main block, or a region of an operator.
class BlockRenderer {
 public:
  BlockRenderer(const Graph& graph, const Block& block, const Edition& edition, int nesting,
                int& operators)
      : graph_(graph), block_(block), edition_(edition), nesting_(nesting), operators_(operators) {}

  StatusOr<std::string> Function(std::string_view function_name) const {
    std::string arguments;
    for (const std::string& name : block_.inputs) {
      CTS_ASSIGN_OR_RETURN(const std::string type, TypeOf(name));
      arguments += StrCat(arguments.empty() ? "" : ", ", "%", name, ": ", type);
    }
    CTS_ASSIGN_OR_RETURN(const std::string result_types, Types(block_.outputs));
    std::string text = StrCat("func.func @", function_name, "(", arguments, ") -> (", result_types,
                              ") attributes {llvm.emit_c_interface} {\n");
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    text += operators;
    text += StrCat("  return", block_.outputs.empty() ? "" : " ", Values(block_.outputs),
                   block_.outputs.empty() ? "" : " : ", result_types, "\n}\n");
    return text;
  }

  // "{ ^bb0(%a: tensor<1xi8>): ... }"
  StatusOr<std::string> Region() const {
    std::string arguments;
    for (const std::string& name : block_.inputs) {
      CTS_ASSIGN_OR_RETURN(const std::string type, TypeOf(name));
      arguments += StrCat(arguments.empty() ? "" : ", ", "%", name, ": ", type);
    }
    CTS_ASSIGN_OR_RETURN(const std::string operators, Operators());
    CTS_ASSIGN_OR_RETURN(const std::string types, Types(block_.outputs));
    return StrCat("{\n", Indent(), "^bb0(", arguments, "):\n", operators, Indent(),
                  "  \"tosa.yield\"(", Values(block_.outputs), ") : (", types, ") -> ()\n",
                  Indent(), "}");
  }

 private:
  std::string Indent() const { return std::string(static_cast<size_t>(2 * nesting_), ' '); }

  StatusOr<std::string> Operators() const {
    std::string text;
    for (const GraphOperator& op : block_.operators) {
      if (++operators_ > kMaxOperators) {
        return Unsupported("more than ", kMaxOperators, " operators, with those of its graphs");
      }
      StatusOr<std::string> line = Operator(op);
      if (!line.ok()) return Annotate(line.status(), op.op);
      text += StrCat(Indent(), "  ", *line, "\n");
    }
    return text;
  }

  // The graphs of a control flow operator, in the order of its arguments: "({...}, {...})".
  StatusOr<std::string> Regions(const GraphOperator& op, const OperatorSpec& spec) const {
    std::string text;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.type != "tosa_graph_t") continue;
      const auto found = op.attributes.find(argument.name);
      const auto* name =
          found == op.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
      const Block* block = name == nullptr ? nullptr : graph_.FindGraph(*name);
      if (block == nullptr) return InvalidArgument(argument.name, ": found no region of that name");
      if (nesting_ == kMaxNesting) return Unsupported("nested more than ", kMaxNesting, " deep");
      CTS_ASSIGN_OR_RETURN(
          const std::string region,
          BlockRenderer(graph_, *block, edition_, nesting_ + 1, operators_).Region());
      text += StrCat(text.empty() ? " (" : ", ", region);
    }
    return text.empty() ? text : text + ")";
  }

  StatusOr<const GraphTensor*> Lookup(const std::string& name) const {
    if (const GraphTensor* tensor = block_.Find(name)) return tensor;
    return InvalidArgument("tensor ", name, " is not declared in block ", block_.name);
  }

  StatusOr<std::string> TypeOf(const std::string& name) const {
    CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(name));
    return TensorType(*tensor);
  }

  StatusOr<std::string> Types(const std::vector<std::string>& names) const {
    std::string text;
    for (const std::string& name : names) {
      CTS_ASSIGN_OR_RETURN(const std::string type, TypeOf(name));
      text += StrCat(text.empty() ? "" : ", ", type);
    }
    return text;
  }

  static std::string Values(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += StrCat(text.empty() ? "%" : ", %", name);
    return text;
  }

  // "name = value, ..." in the order of the names.
  StatusOr<std::string> Attributes(const GraphOperator& op, const OperatorSpec& spec) const {
    if (op.op == "CONST" || op.op == "CONST_SHAPE") {
      if (op.outputs.size() != 1) return InvalidArgument("expected one output");
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(op.outputs[0]));
      CTS_ASSIGN_OR_RETURN(const std::string values, DenseValues(*tensor));
      return "values = " + values;
    }
    DType tensor_type = DType::kBool;
    if (!op.inputs.empty()) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, Lookup(op.inputs[0]));
      tensor_type = tensor->dtype;
    }
    std::string text;
    for (const auto& [name, value] : op.attributes) {
      const ArgumentSpec* argument = spec.FindArgument(name);
      if (argument != nullptr && argument->type == "tosa_graph_t") continue;  // a region
      if (argument == nullptr || argument->category != ArgumentCategory::kAttribute) {
        return InvalidArgument("edition ", edition_.id, " has no attribute ", name);
      }
      StatusOr<std::string> rendered = Attribute(*argument, value, tensor_type);
      if (!rendered.ok()) return Annotate(rendered.status(), name);
      text += StrCat(text.empty() ? "" : ", ", name, " = ", *rendered);
    }
    return text;
  }

  // In MLIR's generic form, which the dialect's custom syntaxes cannot refuse.
  StatusOr<std::string> Operator(const GraphOperator& op) const {
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument("not an operator of edition ", edition_.id);
    for (const ArgumentSpec& argument : spec->arguments) {
      if (argument.type == "String") {
        return Unsupported("argument ", argument.name, " of type ", argument.type,
                           " has no rendering");
      }
    }
    std::string mnemonic = op.op;
    std::transform(mnemonic.begin(), mnemonic.end(), mnemonic.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    CTS_ASSIGN_OR_RETURN(const std::string attributes, Attributes(op, *spec));
    CTS_ASSIGN_OR_RETURN(const std::string regions, Regions(op, *spec));
    CTS_ASSIGN_OR_RETURN(const std::string input_types, Types(op.inputs));
    CTS_ASSIGN_OR_RETURN(const std::string output_types, Types(op.outputs));
    return StrCat(Values(op.outputs), op.outputs.empty() ? "" : " = ", "\"tosa.", mnemonic, "\"(",
                  Values(op.inputs), ")", attributes.empty() ? "" : StrCat(" <{", attributes, "}>"),
                  regions, " : (", input_types, ") -> (", output_types, ")");
  }

  const Graph& graph_;
  const Block& block_;
  const Edition& edition_;
  const int nesting_;
  int& operators_;  // rendered so far
};

}  // namespace

StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name) {
  // The dialect moved zero points and shifts from attributes to operands with TOSA 1.0.
  if (edition.id != "tosa-1.0") {
    return Unsupported("edition ", edition.id, ": the tosa dialect is that of tosa-1.0");
  }
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("the graph has no block");
  }
  int operators = 0;
  return BlockRenderer(graph, graph.main(), edition, 0, operators).Function(function_name);
}

}  // namespace cts
