#include "reference/formats/mlir/mlir_parse.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "reference/formats/mlir/mlir_cursor.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_graph_maker.h"
#include "reference/formats/mlir/mlir_literals.h"
#include "reference/formats/mlir/mlir_types.h"

namespace cts {
namespace mlir_parse {
namespace {

constexpr std::string_view kParsedMlir = "22";  // the version whose text is read

class Parser {
 public:
  Parser(std::string_view text, const Edition& edition, std::string_view origin)
      : in_(text, origin), literals_(in_, kMaxMlirConstants), maker_(in_, edition) {}

  StatusOr<Graph> Parse() {
    const bool module = in_.AcceptWord("module") || in_.AcceptWord("builtin.module");
    if (module) {
      if (in_.At("@")) CTS_RETURN_IF_ERROR(Symbol().status());
      if (in_.AcceptWord("attributes")) {
        CTS_RETURN_IF_ERROR(in_.Expect("{"));
        CTS_RETURN_IF_ERROR(in_.SkipBraces());
      }
      CTS_RETURN_IF_ERROR(in_.Expect("{"));
    }
    graph_ = EmptyGraph();
    while (module ? !in_.Accept("}") : !in_.AtEnd() && !in_.At("{-#")) {
      const size_t place = in_.place();
      if (in_.AcceptWord("func.func")) {
        if (!function_.empty()) {
          return in_.BadAt(
              place,
              "found a second function, expected one; each of several cases, separated "
              "by \"// -----\", is a text of its own");
        }
        CTS_RETURN_IF_ERROR(Function());
      } else {
        CTS_RETURN_IF_ERROR(Variable());
      }
    }
    // Resources stand behind it.
    if (!in_.AtEnd() && !in_.At("{-#")) return in_.Expected("nothing after the module");
    if (function_.empty()) return in_.Expected("func.func");
    Block& main = graph_.main();
    main.tensors.insert(main.tensors.begin(), variables_.block.tensors.begin(),
                        variables_.block.tensors.end());
    main.operators.insert(main.operators.begin(), variables_.block.operators.begin(),
                          variables_.block.operators.end());
    ShortenVariables();
    return std::move(graph_);
  }
  const std::map<std::string, std::string>& renamed() const { return renamed_; }

 private:
  // --- Names -------------------------------------------------------------------------------------

  StatusOr<std::string> Symbol() {
    CTS_RETURN_IF_ERROR(in_.Expect("@"));
    if (in_.Peek() == '"') return in_.String();
    CTS_ASSIGN_OR_RETURN(const std::string_view name, in_.Suffix("a name after @"));
    return std::string(name);
  }

  // "%x", "%0#1": a value's name in the text.
  StatusOr<std::string> ValueName() {
    CTS_RETURN_IF_ERROR(in_.Expect("%"));
    CTS_ASSIGN_OR_RETURN(const std::string_view suffix, in_.Suffix("a name after %"));
    std::string name = StrCat("%", suffix);
    if (in_.Peek() != '#') return name;
    in_.Advance();
    CTS_ASSIGN_OR_RETURN(const int64_t number, in_.Size("a number after #"));
    return number == 0 ? name : StrCat(name, "#", number);
  }

  StatusOr<Use> ValueUse(const Scope& scope) {
    in_.SkipSpace();
    const size_t place = in_.place();
    CTS_ASSIGN_OR_RETURN(const std::string name, ValueName());
    const auto found = scope.values.find(name);
    if (found != scope.values.end()) return Use{found->second, place};
    return in_.BadAt(place, name,
                     " is not defined before it in this block; a value that a region "
                     "uses from outside has to be an operand of its operation");
  }

  // "%a, %b", or nothing.
  StatusOr<std::vector<Use>> ValueUses(const Scope& scope) {
    std::vector<Use> uses;
    if (!in_.At("%")) return uses;
    do {
      CTS_ASSIGN_OR_RETURN(uses.emplace_back(), ValueUse(scope));
    } while (in_.Accept(","));
    return uses;
  }

  // --- Operations --------------------------------------------------------------------------------

  // "%0:2 = ", "%a, %b = ", or nothing; then the name.
  StatusOr<Operation> Start() {
    Operation operation{};
    in_.SkipSpace();
    operation.place = in_.place();
    if (in_.At("%")) {
      do {
        in_.SkipSpace();
        const size_t place = in_.place();
        CTS_ASSIGN_OR_RETURN(const std::string name, ValueName());
        int64_t count = 1;
        if (in_.Accept(":")) {
          CTS_ASSIGN_OR_RETURN(count, in_.Size("a number of results"));
        }
        const auto had = static_cast<int64_t>(operation.results.size());
        if (count < 1 || count > kMaxMlirOperators - had) {
          return in_.BadAt(place, "expected 1 to ", kMaxMlirOperators, " results");
        }
        for (int64_t i = 0; i < count; ++i) {
          operation.results.emplace_back(i == 0 ? name : StrCat(name, "#", i), place);
        }
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect("="));
    }
    operation.generic = in_.At("\"");
    if (operation.generic) {
      CTS_ASSIGN_OR_RETURN(operation.name, in_.String());
    } else {
      CTS_ASSIGN_OR_RETURN(operation.name, in_.Word("an operation of the tosa dialect"));
    }
    if (++operators_ > kMaxMlirOperators) {
      return in_.BadAt(operation.place, "expected at most ", kMaxMlirOperators, " operations");
    }
    if (!IsKnown(operation.name)) {
      in_.Return(operation.place);
      const std::string foreign = ForeignOperations();
      if (foreign.empty()) return in_.Expected("an operation of the tosa dialect");
      return in_.BadAt(operation.place, "found operations outside of the tosa dialect: ", foreign,
                       "; expected none: what a converter left is not legalized");
    }
    return operation;
  }

  static bool IsKnown(std::string_view name) {
    return name.starts_with("tosa.") || name == "return" || name == "func.return" ||
           name == "tensor.cast" || name == "arith.constant";
  }

  // "tfl.equal (3), tfl.gelu (1)": what stands from here on where printers begin an operation, at
  // the beginning of a line or behind its results. The commonest first.
  std::string ForeignOperations() const {
    std::map<std::string, int64_t> counts;
    std::string_view rest = in_.rest();
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const size_t begin = line.find_first_not_of(" \t");
      if (begin == line.npos) continue;
      line.remove_prefix(begin);
      if (line[0] == '%') {
        const size_t results = line.find(" = ");
        if (results == line.npos) continue;
        line.remove_prefix(results + 3);
      }
      if (line.starts_with('"')) line.remove_prefix(1);
      size_t end = 0;
      while (end < line.size() && (IsLetter(line[end]) || IsDigit(line[end]) || line[end] == '.'))
        ++end;
      const std::string name(line.substr(0, end));
      const bool has_dialect = name.find('.') != name.npos && IsLetter(name[0]);
      if (has_dialect && !IsKnown(name) && !name.starts_with("func.")) ++counts[name];
    }
    std::vector<std::pair<int64_t, std::string>> order;
    for (const auto& [name, count] : counts) order.emplace_back(-count, name);
    std::sort(order.begin(), order.end());
    std::string text;
    for (const auto& [count, name] : order) {
      text += StrCat(text.empty() ? "" : ", ", name, " (", -count, ")");
    }
    return text;
  }

  // "%a : tensor<2x3xi8> to tensor<?x3xi8>": the same value. The operations that follow may know
  // less of it.
  Status Cast(Scope& scope, const Operation& operation) {
    CTS_ASSIGN_OR_RETURN(const Use use, ValueUse(scope));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_ASSIGN_OR_RETURN(const Type from, TensorType(in_));
    if (!in_.AcceptWord("to")) return in_.Expected("to");
    CTS_ASSIGN_OR_RETURN(const Type to, TensorType(in_, Unknowns::kAllowed));
    CTS_RETURN_IF_ERROR(maker_.CheckTypes(scope, {use}, {from}, operation.place));
    if (operation.results.size() != 1 || !Fits(from, to)) {
      return in_.BadAt(operation.place, "found a cast of ", ToString(from), " to ", ToString(to),
                       ", expected one that forgets dimensions");
    }
    const auto& [name, place] = operation.results[0];
    if (scope.values.emplace(name, use.tensor).second) return absl::OkStatus();
    return in_.BadAt(place, name, " is defined a second time");
  }

  // "dense<...> : t", "dense_resource<...> : t": CONST by another name.
  Status ArithConstant(Scope& scope, const Operation& operation) {
    const bool resource = in_.AcceptWord("dense_resource");
    if (!resource && !in_.AcceptWord("dense")) return in_.Expected("dense values of a tensor");
    StatusOr<Tensor> values = resource ? literals_.DenseResource() : literals_.Dense();
    if (!values.ok()) return values.status();
    const Type type{values->dtype(), values->shape(), false};
    Operation constant = operation;
    constant.name = "tosa.const";
    Literals attributes;
    attributes.emplace_back("values", *std::move(values));
    return maker_.Finish(scope, constant, {}, {}, {type}, std::move(attributes), {});
  }

  // "(%a, %b) <{...}> ({...}, {...}) {...} : (t, t) -> t"
  Status Generic(Scope& scope, const Operation& operation, int nesting) {
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> operands, ValueUses(scope));
    CTS_RETURN_IF_ERROR(in_.Expect(")"));
    Literals attributes;
    if (in_.Accept("<{")) {
      CTS_RETURN_IF_ERROR(literals_.Attributes(attributes));
      CTS_RETURN_IF_ERROR(in_.Expect(">"));
    }
    std::vector<std::string> regions;
    if (in_.Accept("(")) {
      do {
        CTS_ASSIGN_OR_RETURN(regions.emplace_back(),
                             Region(operation, regions.size(), {}, nesting + 1));
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    }
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(literals_.Attributes(attributes));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> operand_types, TypesUpTo(in_, ")"));
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes(in_));
    return maker_.Finish(scope, operation, operands, operand_types, result_types,
                         std::move(attributes), regions);
  }

  // "%a, %b {...} : (t, t) -> t": most operations in the dialect's own syntax.
  Status Plain(Scope& scope, const Operation& operation) {
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> operands, ValueUses(scope));
    Literals attributes;
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(literals_.Attributes(attributes));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> operand_types, TypesUpTo(in_, ")"));
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes(in_));
    return maker_.Finish(scope, operation, operands, operand_types, result_types,
                         std::move(attributes), {});
  }

  // "@v : t", "@v, %a : t"
  Status VariableAccess(Scope& scope, const Operation& operation) {
    CTS_ASSIGN_OR_RETURN(std::string variable, Symbol());
    std::vector<Use> operands;
    if (in_.Accept(",")) {
      CTS_ASSIGN_OR_RETURN(operands, ValueUses(scope));
    }
    Literals attributes;
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(literals_.Attributes(attributes));
    attributes.emplace_back("name", std::move(variable));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_ASSIGN_OR_RETURN(Type type, ValueType(in_));
    const bool read = operation.name == "tosa.variable_read";
    const std::vector<Type> types = {std::move(type)};
    return maker_.Finish(scope, operation, operands, read ? std::vector<Type>() : types,
                         read ? types : std::vector<Type>(), std::move(attributes), {});
  }

  // "%c (%a1 = %a, %b1 = %b) : t (t, t) -> t {...} else {...}"; a loop has no condition, "do" for
  // "else", and its arguments' types are not in parentheses of their own.
  Status ControlFlow(Scope& scope, const Operation& operation, int nesting) {
    const bool loop = operation.name == "tosa.while_loop";
    std::vector<Use> operands;
    if (!loop) {
      CTS_ASSIGN_OR_RETURN(operands.emplace_back(), ValueUse(scope));
    }
    std::vector<std::pair<std::string, size_t>> names;
    if (in_.Accept("(") && !in_.Accept(")")) {
      do {
        in_.SkipSpace();
        const size_t place = in_.place();
        CTS_ASSIGN_OR_RETURN(std::string name, ValueName());
        names.emplace_back(std::move(name), place);
        CTS_RETURN_IF_ERROR(in_.Expect("="));
        CTS_ASSIGN_OR_RETURN(operands.emplace_back(), ValueUse(scope));
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    }
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    std::vector<Type> types;
    if (!loop) {
      CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType(in_));
    }
    if (in_.Accept("(")) {
      CTS_ASSIGN_OR_RETURN(const std::vector<Type> listed, TypesUpTo(in_, ")"));
      types.insert(types.end(), listed.begin(), listed.end());
    }
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes(in_));
    CTS_RETURN_IF_ERROR(maker_.CheckTypes(scope, operands, types, operation.place));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < names.size(); ++i) {
      arguments.push_back(
          {names[i].first, names[i].second, types[types.size() - names.size() + i]});
    }
    std::vector<std::string> regions;
    CTS_ASSIGN_OR_RETURN(regions.emplace_back(), Region(operation, 0, arguments, nesting + 1));
    if (in_.AcceptWord(loop ? "do" : "else")) {
      CTS_ASSIGN_OR_RETURN(regions.emplace_back(), Region(operation, 1, arguments, nesting + 1));
    }
    return maker_.Finish(scope, operation, operands, types, result_types, {}, regions);
  }

  // --- Blocks ------------------------------------------------------------------------------------

  struct Argument {
    std::string name;
    size_t place;
    Type type;
  };

  // "%a: t, ..." up to the closing parenthesis, which is accepted.
  StatusOr<std::vector<Argument>> Arguments() {
    std::vector<Argument> arguments;
    if (in_.Accept(")")) return arguments;
    do {
      in_.SkipSpace();
      Argument& argument = arguments.emplace_back();
      argument.place = in_.place();
      CTS_ASSIGN_OR_RETURN(argument.name, ValueName());
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_ASSIGN_OR_RETURN(argument.type, ValueType(in_));
      if (in_.Accept("{")) CTS_RETURN_IF_ERROR(in_.SkipBraces());
    } while (in_.Accept(","));
    CTS_RETURN_IF_ERROR(in_.Expect(")"));
    return arguments;
  }

  // The operations of a block up to its end, "}" included. `end` is the operation that hands out
  // its outputs.
  Status Body(Scope& scope, const std::vector<Argument>& arguments, std::string_view end,
              int nesting) {
    for (const Argument& argument : arguments) {
      CTS_RETURN_IF_ERROR(maker_.Define(scope, argument.name, argument.place, argument.type));
      scope.block.inputs.push_back(scope.block.tensors.back().name);
    }
    while (true) {
      CTS_ASSIGN_OR_RETURN(const Operation operation, Start());
      const std::string_view name = operation.name;
      if (name == end || (name == "func.return" && end == "return")) {
        CTS_RETURN_IF_ERROR(End(scope, operation));
        return in_.Expect("}");
      }
      if (name == "return" || name == "func.return" || name == "tosa.yield") {
        return in_.BadAt(operation.place, "found ", name, ", expected ", end);
      }
      if (name == "tosa.variable") {
        return in_.BadAt(operation.place, "found tosa.variable in a function, expected it beside");
      }
      if (name == "tensor.cast" || name == "arith.constant") {
        if (operation.generic)
          return in_.BadAt(operation.place, "expected ", name, " as it is printed");
        CTS_RETURN_IF_ERROR(name == "tensor.cast" ? Cast(scope, operation)
                                                  : ArithConstant(scope, operation));
      } else if (operation.generic) {
        CTS_RETURN_IF_ERROR(Generic(scope, operation, nesting));
      } else if (name == "tosa.cond_if" || name == "tosa.while_loop") {
        CTS_RETURN_IF_ERROR(ControlFlow(scope, operation, nesting));
      } else if (name == "tosa.variable_read" || name == "tosa.variable_write") {
        CTS_RETURN_IF_ERROR(VariableAccess(scope, operation));
      } else {
        CTS_RETURN_IF_ERROR(Plain(scope, operation));
      }
    }
  }

  // "return %a, %b : t, t" or "tosa.yield"(%a, %b) : (t, t) -> ()
  Status End(Scope& scope, const Operation& operation) {
    if (operation.generic) CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> outputs, ValueUses(scope));
    std::vector<Type> types;
    if (operation.generic) {
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_RETURN_IF_ERROR(in_.Expect("("));
      CTS_ASSIGN_OR_RETURN(types, TypesUpTo(in_, ")"));
      CTS_RETURN_IF_ERROR(in_.Expect("->"));
      CTS_RETURN_IF_ERROR(in_.Expect("("));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    } else if (!outputs.empty()) {
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      do {
        CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType(in_, Unknowns::kAllowed));
      } while (in_.Accept(","));
    }
    CTS_RETURN_IF_ERROR(maker_.CheckTypes(scope, outputs, types, operation.place));
    for (const Use& use : outputs) {
      scope.block.outputs.push_back(scope.block.tensors[use.tensor].name);
    }
    scope.output_types = std::move(types);
    return absl::OkStatus();
  }

  // "{ ^label(%a: t): ... }": its name, none if it has no block. Without a label it has the
  // arguments of its operation.
  StatusOr<std::string> Region(const Operation& operation, size_t number,
                               std::vector<Argument> arguments, int nesting) {
    in_.SkipSpace();
    if (nesting > kMaxMlirNesting) {
      return in_.BadAt(in_.place(), "nested more than ", kMaxMlirNesting, " deep");
    }
    CTS_RETURN_IF_ERROR(in_.Expect("{"));
    if (in_.Accept("}")) return std::string();
    constexpr std::string_view kNames[2][2] = {{"then", "else"}, {"cond", "body"}};
    std::string_view label =
        kNames[operation.name == "tosa.while_loop"][std::min<size_t>(number, 1)];
    if (in_.Accept("^")) {
      CTS_ASSIGN_OR_RETURN(const std::string_view given, in_.Suffix("a label"));
      const bool made_up = given.starts_with("bb") && given.size() > 2 &&
                           std::all_of(given.begin() + 2, given.end(), IsDigit);
      if (!made_up) label = given;
      arguments.clear();
      if (in_.Accept("(")) {
        CTS_ASSIGN_OR_RETURN(arguments, Arguments());
      }
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
    }
    const std::string name = maker_.RegionName(label);
    // Before those within, as they stand in the text.
    const size_t position = graph_.regions.size();
    graph_.regions.push_back({name, {}});
    Scope scope;
    scope.block.name = name;
    CTS_RETURN_IF_ERROR(Body(scope, arguments, "tosa.yield", nesting));
    graph_.regions[position].blocks.push_back(std::move(scope.block));
    return name;
  }

  // "@f(%a: t) -> (t) attributes {...} {...}"
  Status Function() {
    for (const char* visibility : {"public", "private", "nested"}) {
      if (in_.AcceptWord(visibility)) break;
    }
    const size_t place = in_.place();
    CTS_ASSIGN_OR_RETURN(function_, Symbol());
    if (function_.empty()) return in_.BadAt(place, "expected the name of the function");
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Argument> arguments, Arguments());
    std::vector<Type> result_types;
    if (in_.Accept("->")) {
      CTS_ASSIGN_OR_RETURN(result_types, ResultTypes(in_, Unknowns::kAllowed));
    }
    if (in_.AcceptWord("attributes")) {
      CTS_RETURN_IF_ERROR(in_.Expect("{"));
      CTS_RETURN_IF_ERROR(in_.SkipBraces());
    }
    CTS_RETURN_IF_ERROR(in_.Expect("{"));
    Scope scope;
    scope.block.name = "main";
    CTS_RETURN_IF_ERROR(Body(scope, arguments, "return", 0));
    if (scope.output_types != result_types) {
      return in_.BadAt(place, "the function does not return what it says");
    }
    for (const auto& [name, position] : scope.values) {
      const std::string& in_graph = scope.block.tensors[position].name;
      if (in_graph != name.substr(1)) renamed_.emplace(name.substr(1), in_graph);
    }
    graph_.main() = std::move(scope.block);
    return absl::OkStatus();
  }

  // "tosa.variable @v = dense<...> : t", "tosa.variable @v : t", or the generic form.
  Status Variable() {
    CTS_ASSIGN_OR_RETURN(const Operation operation, Start());
    if (operation.name != "tosa.variable") {
      in_.Return(operation.place);
      return in_.Expected("func.func or tosa.variable");
    }
    if (operation.generic) return Generic(variables_, operation, 0);
    Literals attributes;
    CTS_ASSIGN_OR_RETURN(std::string name, Symbol());
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(literals_.Attributes(attributes));
    attributes.emplace_back("sym_name", std::move(name));
    Type type;
    if (in_.Accept("=")) {
      if (!in_.AcceptWord("dense")) return in_.Expected("dense");
      CTS_ASSIGN_OR_RETURN(Tensor values, literals_.Dense());
      type = {values.dtype(), values.shape(), false};
      attributes.emplace_back("initial_value", std::move(values));
    } else {
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_ASSIGN_OR_RETURN(type, ValueType(in_));
    }
    attributes.emplace_back("type", type.dtype);
    attributes.emplace_back("var_shape", type.shape);
    return maker_.Finish(variables_, operation, {}, {}, {}, std::move(attributes), {});
  }

  // RenderMlir puts the name of the function before those of the variables.
  void ShortenVariables() {
    const std::string prefix = function_ + ".";
    std::vector<std::string*> names;
    for (auto& region : graph_.regions) {
      for (Block& block : region.blocks) {
        for (GraphOperator& op : block.operators) {
          if (!op.op.starts_with("VARIABLE")) continue;
          const auto found = op.attributes.find("name");
          if (found == op.attributes.end()) continue;
          auto* name = std::get_if<std::string>(&found->second);
          if (name == nullptr) continue;
          if (!name->starts_with(prefix)) return;
          names.push_back(name);
        }
      }
    }
    for (std::string* name : names) name->erase(0, prefix.size());
  }

  Cursor in_;
  LiteralReader literals_;
  GraphMaker maker_;
  Graph graph_;
  Scope variables_;                             // what stands beside the function
  std::string function_;                        // its name
  std::map<std::string, std::string> renamed_;  // of the function, as ParseMlir returns it
  int operators_ = 0;
};

}  // namespace
}  // namespace mlir_parse

StatusOr<Graph> ParseMlir(std::string_view text, const Edition& edition, std::string_view origin,
                          std::map<std::string, std::string>* renamed) {
  if (edition.mlir != mlir_parse::kParsedMlir) {
    std::string known;
    for (const std::string& id : EditionIds()) {
      CTS_ASSIGN_OR_RETURN(const Edition* other, FindEdition(id));
      if (other->mlir == mlir_parse::kParsedMlir) known += StrCat(", ", id);
    }
    return InvalidArgument(origin, ": edition ", edition.id,
                           ": text is read in the dialect of MLIR ", mlir_parse::kParsedMlir,
                           known);
  }
  if (text.size() > kMaxMlirText) {
    return InvalidArgument(origin, ": found ", text.size(), " bytes, expected at most ",
                           kMaxMlirText);
  }
  mlir_parse::Parser parser(text, edition, origin);
  StatusOr<Graph> graph = parser.Parse();
  if (graph.ok() && renamed != nullptr) *renamed = parser.renamed();
  return graph;
}

}  // namespace cts
