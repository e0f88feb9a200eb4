// Symbolic programs: operators whose dimensions are symbols, the shape helpers, and the forms that
// take their parameters at run time. Every program comes with three bindings, in which each symbol
// is 1 once.
#include <algorithm>
#include <cctype>

#include "generator/graphs/graphs.h"
#include "generator/graphs/symbolic_builder.h"
#include "generator/plan.h"

namespace cts {
namespace {

using Name = SymbolicBuilder::Name;
using Names = SymbolicBuilder::Names;
using Index = SymbolicBuilder::Index;
using Indices = SymbolicBuilder::Indices;
using Sizes = std::vector<int64_t>;

constexpr size_t kBindings = 3;

std::vector<Binding> Batches() {
  return {{{"N", 6}, {"M", 7}}, {{"N", 1}, {"M", 20}}, {{"N", 13}, {"M", 1}}};
}

// Where one element leaves nothing to find.
std::vector<Binding> LargerBatches() {
  return {{{"N", 6}, {"M", 7}}, {{"N", 3}, {"M", 20}}, {{"N", 13}, {"M", 4}}};
}

DType TypeOf(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (const auto type = setting.row->Type(argument.element_type)) return *type;
  }
  return DType::kBool;
}

// The choice's data; integers so small that several sums of them fit.
Tensor Small(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  Tensor values = Filled(choice, name, type, shape);
  if (IsFloat(type) || type == DType::kBool) return values;
  for (int64_t i = 0; i < values.size(); ++i) values.SetInteger(i, values.Integer(i) / 16);
  return values;
}

// The choice's data. Floating-point numbers are so small that a sum of their products is small,
// too.
Tensor Modest(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  return FloatsBetween(choice.Stream(name), type, shape, -1, 1);
}

// Sums of floating-point products and the like use only data of appendix A, of which a tensor has a
// thousand results or more (notes.md, dot product, which data).
bool IsFloatRow(const Setting& setting) { return IsFloat(TypeOf(setting)); }

Axis SumData(const Setting& setting) {
  if (IsFloatRow(setting)) return {"data", "", {"S1", "S4"}};
  return {"data", "", {"full-range"}};
}
std::vector<Axis> SumAxes(const Setting& setting) { return {SumData(setting)}; }

DotProductSet SetOf(const Choice& choice, int64_t kernel_size) {
  const Setting& setting = choice.setting;
  const DType in = TypeOf(setting);
  const DType out = setting.row->Type("out_t").value_or(in);
  return {setting.edition->features,
          DotProductSetNumber(choice.data_set()),
          kernel_size,
          in,
          out,
          setting.row->Type("acc_t").value_or(out)};
}

std::vector<Axis> OneAxis(const Setting&) { return {{"data", "", {"full-range"}}}; }

Tensor I32(const std::vector<int64_t>& values) {
  return Tensor::OfIntegers(DType::kI32, {static_cast<int64_t>(values.size())}, values);
}

// Elements of an input that holds one list for each binding.
Indices ExtractAll(SymbolicBuilder& builder, const Name& name, const std::vector<Sizes>& lists) {
  std::vector<Tensor> values;
  values.reserve(lists.size());
  for (const Sizes& list : lists) values.push_back(I32(list));
  builder.Input(name, values);
  Indices indices;
  for (size_t i = 0; i < lists[0].size(); ++i) {
    indices.push_back(builder.Extract(name, static_cast<int64_t>(i)));
  }
  return indices;
}

Indices Consts(SymbolicBuilder& builder, const Sizes& values) {
  Indices indices;
  for (const int64_t value : values) indices.push_back(builder.Const(value));
  return indices;
}

// ---- Breakers of a program ---------------------------------------------------------------------

// The program with its first binding alone.
void KeepOne(const Setting&, CaseDraft& draft) {
  draft.whole->later_inputs.clear();
  draft.whole->bindings.resize(1);
  draft.whole->resolved.resize(1);
}

// An input of other dimensions, with its values repeated.
void Resize(CaseDraft& draft, const std::string& input, Shape shape) {
  const Tensor values = draft.whole->inputs.at(input);
  Tensor resized(values.dtype(), std::move(shape));
  for (int64_t i = 0; i < resized.size(); ++i) resized.SetBits(i, values.Bits(i % values.size()));
  draft.whole->inputs.insert_or_assign(input, std::move(resized));
}

// A symbol of one input has another value, and the input has that size; below 1 it has no values.
void Rebind(CaseDraft& draft, const std::string& symbol, int64_t value, const std::string& input) {
  KeepOne({}, draft);
  draft.whole->bindings[0][symbol] = value;
  const GraphTensor& tensor = *draft.whole->graph.main().Find(input);
  if (value < 1) {
    draft.whole->inputs.erase(input);
    return;
  }
  Shape shape = draft.whole->inputs.at(input).shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (tensor.symbols[i] == symbol) shape[i] = value;
  }
  Resize(draft, input, std::move(shape));
}

// One number of what an input holds.
void Replace(CaseDraft& draft, const std::string& input, int64_t element, int64_t value) {
  KeepOne({}, draft);
  draft.whole->inputs.at(input).SetInteger(element, value);
}

GraphOperator& First(CaseDraft& draft, std::string_view op) {
  for (GraphOperator& found : draft.whole->graph.main().operators) {
    if (found.op == op) return found;
  }
  draft.failure = absl::InternalError(StrCat("no operator ", op));
  return draft.whole->graph.main().operators.front();
}

void SetAttribute(CaseDraft& draft, std::string_view op, const std::string& attribute,
                  AttributeValue value) {
  KeepOne({}, draft);
  First(draft, op).attributes[attribute] = std::move(value);
}

// ---- Operators by themselves -------------------------------------------------------------------

// "n-3-m+n-1-m": dimensions of one operand or several.
std::string WithSizes(const std::string& label, const Binding& binding) {
  std::string sizes;
  for (const char c : label) {
    if (c == '-') {
      sizes += 'x';
    } else if (c == 'n' || c == 'm') {
      sizes += StrCat(binding.at(std::string(1, static_cast<char>(std::toupper(c)))));
    } else {
      sizes += c;
    }
  }
  return sizes;
}

std::string OwnData(const Setting& setting) {
  const std::vector<std::string> values = OwnDomain(setting.spec->name).axes(setting).back().values;
  const bool has = std::find(values.begin(), values.end(), "full-range") != values.end();
  return has ? "full-range" : values.front();
}

bool HasAxis(const Setting& setting, std::string_view name) {
  const std::vector<Axis> axes = OwnDomain(setting.spec->name).axes(setting);
  return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
}

std::vector<Axis> SizesAxes(const Setting& setting) {
  Axis dims = {"dims", "", {"n", "n-m", "3-n-m", "n-2-m-2"}};
  if (HasAxis(setting, "shapes")) {
    dims.values = {"n-m+n-m", "n-1-m+1-3-m", "n+1", "1-m+n-1", "n-2-m+1-2-1"};
    if (setting.spec->group == "elementwise-ternary") {
      dims.values = {"n-m+n-m+n-m", "n-1+n-m+1-m", "1+n+n", "n-1-m+1-3-1+1-1-m"};
    }
  }
  return {std::move(dims), {"data", "", {OwnData(setting)}}};
}

CaseDraft BuildOwn(const Choice& choice) {
  const Setting& setting = choice.setting;
  const Domain& domain = OwnDomain(setting.spec->name);
  const std::optional<Labels> start =
      StartOf(domain, setting, Recipe{}, {{"data", choice.data_set().text()}}, nullptr);
  CaseDraft result;
  if (!start) {
    result.failure = absl::InternalError("its own domain has no such case");
    return result;
  }
  const std::vector<Binding> bindings =
      setting.spec->name == "ARGMAX" ? LargerBatches() : Batches();
  // Other data for every binding, unless the operator also draws parameters.
  for (const bool same : {false, true}) {
    SymbolicBuilder builder(choice, bindings);
    std::vector<Choice> choices;
    std::vector<CaseDraft> drafts;
    for (size_t k = 0; k < kBindings; ++k) {
      Choice& own = choices.emplace_back(choice);
      own.labels = *start;
      own.labels.Set(HasAxis(setting, "shapes") ? "shapes" : "shape",
                     WithSizes(choice["dims"].text(), bindings[k]));
      if (k > 0 && !same) own.id += StrCat(" ", k);
      drafts.push_back(domain.build(own));
    }
    result = builder.Finish(builder.Append(setting, drafts));
    if (result.failure.ok()) break;
  }
  return result;
}

// Gives the last operand that has the first symbol a symbol of its own instead; returns the
// operand.
Name Separate(CaseDraft& draft) {
  KeepOne({}, draft);
  Block& block = draft.whole->graph.main();
  for (auto input = block.inputs.rbegin(); input != block.inputs.rend(); ++input) {
    const auto tensor =
        std::find_if(block.tensors.begin(), block.tensors.end(),
                     [&](const GraphTensor& candidate) { return candidate.name == *input; });
    const auto symbol = std::find(tensor->symbols.begin(), tensor->symbols.end(), "N");
    if (symbol == tensor->symbols.end()) continue;
    *symbol = "K";
    Binding& binding = draft.whole->bindings[0];
    binding["K"] = binding.at("N");
    return *input;
  }
  draft.failure = absl::InternalError("no operand has the symbol");
  return "";
}

// An operator that broadcasts must not take a symbol for a 1 that broadcasts.
Breaker OwnBroadcast(std::string_view dims, bool (*applies)(const Setting&)) {
  return {"symbol.broadcast",
          {{"dims", std::string(dims)}},
          applies,
          [](const Setting&, CaseDraft& draft) {
            const Name operand = Separate(draft);
            if (draft.failure.ok()) Rebind(draft, "K", 1, operand);
          },
          [](const Setting&, CaseDraft& draft) { Separate(draft); }};
}

Domain OwnOperator() {
  return {SizesAxes,
          {},
          BuildOwn,
          {OwnBroadcast("n-m+n-m",
                        [](const Setting& setting) {
                          return HasAxis(setting, "shapes") &&
                                 setting.spec->group != "elementwise-ternary";
                        }),
           OwnBroadcast("n-m+n-m+n-m", [](const Setting& setting) {
             return HasAxis(setting, "shapes") && setting.spec->group == "elementwise-ternary";
           })}};
}

// ---- Several operands, one symbol each ---------------------------------------------------------

// Two symbols that every binding makes equal: no dimension of them may be taken for a 1 that
// broadcasts.
CaseDraft BuildTwoBatches(const Choice& choice) {
  std::vector<Binding> bindings = Batches();
  for (Binding& binding : bindings) binding["K"] = binding["N"];
  SymbolicBuilder builder(choice, bindings);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", "M"});
  const Name y = builder.Input("y", type, {"K", "M"});
  return builder.Finish({builder.Apply("MAXIMUM", {x, y})});
}

Domain TwoBatches() {
  return {OneAxis,
          {},
          BuildTwoBatches,
          {{"symbol.unbound",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              KeepOne(setting, draft);
              draft.whole->bindings[0].erase("K");
              draft.whole->inputs.erase("y");
            },
            KeepOne},
           {"symbol.contradiction",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              KeepOne(setting, draft);
              Resize(draft, "y", {7, 7});
            },
            KeepOne},
           {"symbol.contradiction",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              KeepOne(setting, draft);
              draft.whole->bindings[0]["M"] = 8;
              Resize(draft, "y", {6, 8});
            },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Rebind(draft, "K", 0, "y"); },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Rebind(draft, "K", -6, "y"); },
            KeepOne},
           {"symbol.broadcast",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Rebind(draft, "K", 1, "y"); },
            KeepOne},
           {"symbol.broadcast",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Rebind(draft, "N", 1, "x"); },
            KeepOne}}};
}

CaseDraft BuildConcat(const Choice& choice) {
  SymbolicBuilder builder(choice, {{{"N", 6}, {"M", 3}, {"K", 2}},
                                   {{"N", 1}, {"M", 5}, {"K", 4}},
                                   {{"N", 4}, {"M", 1}, {"K", 1}}});
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", "M", 3});
  const Name y = builder.Input("y", type, {"N", "K", 3});
  return builder.Finish({builder.Apply("CONCAT", {x, y, x}, {{"axis", int64_t{1}}})});
}

Domain Concat() { return {OneAxis, {}, BuildConcat}; }

// ---- Shape helpers -----------------------------------------------------------------------------

// A vector gets a literal 1, which broadcasts as a symbol would not.
CaseDraft BuildExpanded(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", "M", 2}, Small);
  const Name row = builder.Input("row", type, {"M"}, Small);
  const Name column = builder.Input("column", type, {"N"}, Small);
  const Name sum = builder.Apply("ADD", {x, builder.ExpandDims(row, {0, 1})});
  const Name wide = builder.ExpandDims(builder.ExpandDims(column, {1}), {2});
  return builder.Finish({sum, builder.Apply("ADD", {wide, x})});
}

Domain Expanded() {
  return {OneAxis,
          {},
          BuildExpanded,
          {{"expand_dims.indices",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "EXPAND_DIMS", "indices", Sizes{1, 0});
            },
            KeepOne},
           {"expand_dims.indices",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "EXPAND_DIMS", "indices", Sizes{0, 2});
            },
            KeepOne}}};
}

CaseDraft BuildCollapsed(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", 3, "M", 2});
  const Name greatest = builder.Apply(choice.setting.spec->name, {x}, {{"axis", int64_t{1}}});
  const Name again = builder.Apply(choice.setting.spec->name, {greatest}, {{"axis", int64_t{3}}});
  return builder.Finish({builder.CollapseDims(again, {1, 3})});
}

Domain Collapsed() {
  return {OneAxis,
          {},
          BuildCollapsed,
          {{"collapse_dims.indices",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "COLLAPSE_DIMS", "indices", Sizes{1, 4});
            },
            KeepOne},
           {"collapse_dims.indices",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "COLLAPSE_DIMS", "indices", Sizes{3, 1});
            },
            KeepOne},
           // A symbol is no 1 that could be left out, even where it has that value.
           {"collapse_dims.not_one",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              Rebind(draft, "N", 1, "x");
              First(draft, "COLLAPSE_DIMS").attributes["indices"] = Sizes{0, 1};
            },
            KeepOne}}};
}

// The shapes of attention: the last dimension is split, and one part is moved to the front.
CaseDraft BuildHeads(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", "M", 6});
  const Index n = builder.Dim(x, 0), m = builder.Dim(x, 1);
  const Name heads = builder.Reshape(x, {n, m, 2, 3});
  const Name turned = builder.Apply("TRANSPOSE", {heads}, {{"perms", Sizes{2, 0, 3, 1}}});
  const Index three = builder.Const(3);
  return builder.Finish({builder.Reshape(turned, {2, n, three, m, 1})});
}

Domain Heads() {
  return {OneAxis,
          {},
          BuildHeads,
          {{"reshape.size_mismatch",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "INDEX_CONST", "value", int64_t{4});
            },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "INDEX_CONST", "value", int64_t{0});
            },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "INDEX_CONST", "value", int64_t{-3});
            },
            KeepOne},
           {"get_dim.dim_index",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "GET_DIM", "dim_index", int64_t{3});
            },
            KeepOne},
           {"get_dim.dim_index",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "GET_DIM", "dim_index", int64_t{-1});
            },
            KeepOne}}};
}

// Shapes are computed as tensors: a product of two dimensions.
CaseDraft BuildFlattened(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", "M", 4});
  const Name dims = builder.DimsToTensor({builder.Dim(x, 0), builder.Dim(x, 1)}, DType::kI32);
  const Name n = builder.Apply("SLICE", {dims}, {{"start", Sizes{0}}, {"size", Sizes{1}}});
  const Name m = builder.Apply("SLICE", {dims}, {{"start", Sizes{1}}, {"size", Sizes{1}}});
  const Index product = builder.Extract(builder.Apply("MUL", {n, m}), 0);
  return builder.Finish({builder.Reshape(x, {product, 4}), dims});
}

Domain Flattened() { return {OneAxis, {}, BuildFlattened}; }

// Padding of sequences: everything behind the length of each sequence is another value.
CaseDraft BuildMasked(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const DType type = choice.Type("in_out_t");
  const Name x = builder.Input("x", type, {"N", "M"});
  const Name rest = builder.Input("rest", type, {1, "M"});
  const Name lengths = builder.Input(
      "lengths", DType::kI32, {"N", 1},
      [](const Choice& given, std::string_view name, DType dtype, const Shape& shape) {
        return IntegersBetween(given.Stream(name), dtype, shape, 0, 12);
      });
  const Name positions = builder.Iota({builder.Dim(x, 1)}, DType::kI32);
  const Name within = builder.Apply("GREATER", {lengths, builder.ExpandDims(positions, {0})});
  return builder.Finish({builder.Apply("SELECT", {within, x, rest})});
}

Domain Masked() { return {OneAxis, {}, BuildMasked}; }

bool IsNumber(const Setting& setting) { return TypeOf(setting) != DType::kBool; }

// Every numeric type: ranges, and dimensions as a tensor of integers.
CaseDraft BuildIndexValues(const Choice& choice) {
  SymbolicBuilder builder(choice,
                          {{{"N", 5}, {"M", 2}}, {{"N", 3}, {"M", 6}}, {{"N", 7}, {"M", 1}}});
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", "M"});
  const Index start = builder.Const(-3), n = builder.Dim(x, 0), m = builder.Dim(x, 1);
  Names outputs = {builder.Iota({n}, type), builder.Iota({start, n}, type),
                   builder.Iota({n, start, builder.Const(-2)}, type),
                   builder.Iota({start, n, m}, type)};
  if (!IsFloat(type)) outputs.push_back(builder.DimsToTensor({m, start, n, n}, type));
  return builder.Finish(outputs);
}

Domain IndexValues() {
  return {
      OneAxis,
      {},
      BuildIndexValues,
      {{"iota.range",
        {},
        nullptr,
        [](const Setting&, CaseDraft& draft) {
          SetAttribute(draft, "INDEX_CONST", "value", int64_t{5});
        },
        KeepOne},
       {"symbol.value_range",
        {},
        [](const Setting& setting) {
          return !IsFloat(TypeOf(setting)) && Info(TypeOf(setting)).bits <= 8 &&
                 TypeOf(setting) != DType::kBool;
        },
        [](const Setting& setting, CaseDraft& draft) {
          // Only the list changes: the ranges would be too large as well.
          Rebind(draft, "N", IntegerMax(TypeOf(setting)) + 1, "x");
          Block& block = draft.whole->graph.main();
          block.outputs = {block.outputs.back()};
          std::erase_if(block.operators, [](const GraphOperator& op) { return op.op == "IOTA"; });
          std::erase_if(block.tensors,
                        [](const GraphTensor& tensor) { return tensor.name.starts_with("iota_"); });
        },
        KeepOne}}};
}

// ---- Parameters at run time --------------------------------------------------------------------

CaseDraft BuildSlice(const Choice& choice) {
  SymbolicBuilder builder(choice,
                          {{{"N", 6}, {"M", 7}}, {{"N", 1}, {"M", 12}}, {{"N", 9}, {"M", 1}}});
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", "M", 5});
  const Indices where = ExtractAll(builder, "where", {{2, 3, 3, 4}, {0, 5, 1, 6}, {8, 0, 1, 1}});
  const Index one = builder.Const(1);
  const Index all = builder.Dim(x, 0);
  const Name part = builder.AtRunTime(
      "SLICE", {x}, {{"start", {where[0], where[1], one}}, {"size", {where[2], where[3], one}}});
  const Index zero = builder.Const(0);
  const Name rows = builder.AtRunTime(
      "SLICE", {x},
      {{"start", {zero, where[1], one}}, {"size", {all, where[3], builder.Const(4)}}});
  return builder.Finish({part, rows});
}

Domain Slice() {
  return {OneAxis,
          {},
          BuildSlice,
          {{"slice.end_range",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Replace(draft, "where", 0, 4); },
            KeepOne},
           {"slice.start_negative",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Replace(draft, "where", 0, -1); },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Replace(draft, "where", 2, 0); },
            KeepOne},
           {"symbol.not_positive",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Replace(draft, "where", 2, -2147483648); },
            KeepOne},
           {"symbol.index_count",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              KeepOne(setting, draft);
              First(draft, "DATA_DEPENDENT_SLICE").inputs.pop_back();
            },
            KeepOne},
           {"extract_dim.dim_index",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "EXTRACT_DIM", "dim_index", int64_t{4});
            },
            KeepOne},
           {"extract_dim.dim_index",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              SetAttribute(draft, "EXTRACT_DIM", "dim_index", int64_t{-1});
            },
            KeepOne}}};
}

CaseDraft BuildPad(const Choice& choice) {
  SymbolicBuilder builder(choice,
                          {{{"N", 6}, {"M", 7}}, {{"N", 1}, {"M", 5}}, {{"N", 4}, {"M", 1}}});
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", 3, "M"});
  const Indices by = ExtractAll(builder, "by", {{0, 2, 1, 0}, {3, 0, 0, 2}, {1, 1, 2, 5}});
  const Indices fixed = Consts(builder, {1, 0});
  const Name constant =
      builder.Constant("constant", FullRange(choice.Stream("constant"), type, {1}));
  return builder.Finish({builder.AtRunTime(
      "PAD", {x, constant}, {{"padding", {by[0], by[1], fixed[0], fixed[1], by[2], by[3]}}})});
}

Domain Pad() {
  return {OneAxis,
          {},
          BuildPad,
          {{"pad.padding_negative",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Replace(draft, "by", 1, -1); },
            KeepOne}}};
}

std::vector<Binding> Tables() {
  return {{{"K", 6}, {"C", 5}}, {{"K", 9}, {"C", 1}}, {{"K", 4}, {"C", 8}}};
}

CaseDraft BuildGather(const Choice& choice) {
  SymbolicBuilder builder(choice, Tables());
  const Name values = builder.Input("values", TypeOf(choice.setting), {2, "K", "C"});
  Indices indices = ExtractAll(builder, "rows", {{5, 0, 3}, {8, 2, 2}, {0, 3, 1}});
  for (const Index& index : Consts(builder, {1, 0, 3})) indices.push_back(index);
  return builder.Finish({builder.IndexedAtRunTime("GATHER", {values}, indices, 2)});
}

Domain Gather() {
  return {OneAxis,
          {},
          BuildGather,
          {{"symbol.index_count",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              KeepOne(setting, draft);
              First(draft, "DATA_DEPENDENT_GATHER").inputs.pop_back();
            },
            KeepOne}}};
}

CaseDraft BuildScatter(const Choice& choice) {
  SymbolicBuilder builder(choice, Tables());
  const DType type = TypeOf(choice.setting);
  const Name values = builder.Input("values", type, {2, "K", "C"});
  const Name rows = builder.Input("rows", type, {2, 2, "C"});
  Indices indices = ExtractAll(builder, "to", {{5, 0}, {8, 2}, {0, 3}});
  for (const Index& index : Consts(builder, {1, 3})) indices.push_back(index);
  return builder.Finish({builder.IndexedAtRunTime("SCATTER", {values, rows}, indices, 2)});
}

Domain Scatter() { return {OneAxis, {}, BuildScatter}; }

// The weight of each convolution. Kernels are 2 x 3, so that the directions cannot be mistaken.
Shape WeightShape(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  if (op == "DEPTHWISE_CONV2D") return {2, 3, 3, 2};
  if (op == "CONV3D") return {3, 2, 2, 3, 2};
  return {4, 2, 3, 3};
}

DotProductSet SetOfConvolution(const Choice& choice) {
  const Shape weight = WeightShape(choice);
  const bool depthwise = choice.setting.spec->name == "DEPTHWISE_CONV2D";
  return SetOf(choice, depthwise ? weight[0] * weight[1] : ElementCount(weight) / weight[0]);
}

Tensor Convolved(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  const std::string& op = choice.setting.spec->name;
  DotProductSet set = SetOfConvolution(choice);
  return (op == "CONV3D"             ? Conv3dInput
          : op == "DEPTHWISE_CONV2D" ? DepthwiseConv2dInput
                                     : Conv2dInput)(set, type, shape, WeightShape(choice));
}

Tensor WeightOf(const Choice& choice) {
  const DType type = choice.Type("weight_t");
  const Shape shape = WeightShape(choice);
  if (!IsFloat(type)) return FullRange(choice.Stream("weight"), type, shape);
  DotProductSet set = SetOfConvolution(choice);
  return choice.setting.spec->name == "DEPTHWISE_CONV2D" ? DepthwiseConv2dWeight(set, type, shape)
                                                         : Conv2dWeight(set, type, shape);
}

// A bias with room for a sum of products.
Tensor SmallBias(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (IsFloat(type)) {
    DotProductSet set = SetOfConvolution(choice);
    return Conv2dBias(set, type, shape);
  }
  return IntegersBetween(choice.Stream(name), type, shape, -9999, 9999);
}

std::vector<Axis> ParameterAxes(const Setting& setting) {
  return {{"parameters", "", {"run-time", "const"}}, SumData(setting)};
}

// With a stride of 2 the height including its padding is even; with a stride of 3 the depth is one
// more than a multiple of 3. `wide`: there are a thousand results.
std::vector<Binding> Images(bool wide = false) {
  return {{{"N", 2}, {"H", 6}, {"W", wide ? 43 : 7}},
          {{"N", 1}, {"H", 8}, {"W", wide ? 101 : 5}},
          {{"N", 3}, {"H", 1}, {"W", wide ? 91 : 9}}};
}

CaseDraft BuildConvolution(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  const bool deep = op == "CONV3D", transposed = op == "TRANSPOSE_CONV2D";
  std::vector<Binding> bindings = Images(IsFloatRow(choice.setting));
  for (size_t k = 0; deep && k < bindings.size(); ++k) {
    bindings[k]["D"] = std::vector<int64_t>{4, 1, 7}[k];
  }
  SymbolicBuilder builder(choice, bindings);
  const DType in = choice.Type("in_t"), out = choice.Type("out_t");
  const bool at_run_time = choice["parameters"] == "run-time";
  const bool depthwise = op == "DEPTHWISE_CONV2D";
  std::vector<SymbolicBuilder::Dimension> dimensions = {"N", "H", "W", 3};
  if (deep) dimensions = {"N", "D", "H", "W", 2};
  const Name input = builder.Input("input", in, dimensions, Convolved);
  const Name weight = builder.Constant("weight", WeightOf(choice));
  const int64_t channels = depthwise ? 6 : WeightShape(choice)[0];
  const Name bias = builder.Constant("bias", SmallBias(choice, "bias", out, {channels}));
  // The height is even with its padding, less the kernel's last row; the width is unchanged.
  std::vector<Sizes> pads = {{1, 1, 0, 2}, {0, 0, 1, 0}, {0, 1, 2, 2}};
  Sizes stride = {2, 1}, dilation = {1, 2}, fixed_pad = {1, 1, 0, 2};
  if (!at_run_time) pads = {fixed_pad, fixed_pad, fixed_pad}, stride = {1, 1};
  const Sizes depth = {1, 0};
  const std::string pad = transposed ? "out_pad" : "pad";
  if (deep) {
    stride.insert(stride.begin(), at_run_time ? 3 : 1);
    dilation.insert(dilation.begin(), 1);
    fixed_pad.insert(fixed_pad.begin(), depth.begin(), depth.end());
  }
  if (!at_run_time) {
    SymbolicBuilder::Parameters parameters = {{pad, fixed_pad}, {"stride", stride}};
    if (!transposed) parameters["dilation"] = dilation;
    return builder.Finish({builder.Apply(op, {input, weight, bias}, parameters)});
  }
  Indices padding = ExtractAll(builder, "padding", pads);
  if (deep) {
    const Indices of_depth = Consts(builder, depth);
    padding.insert(padding.begin(), of_depth.begin(), of_depth.end());
  }
  const Indices strides = ExtractAll(builder, "strides", {stride, stride, stride});
  std::vector<std::pair<std::string, Indices>> run_time = {{pad, padding}, {"stride", strides}};
  if (!transposed) run_time.emplace_back("dilation", Consts(builder, dilation));
  return builder.Finish({builder.AtRunTime(op, {input, weight, bias}, run_time)});
}

Domain Convolution() { return {ParameterAxes, {}, BuildConvolution}; }

Domain Convolution2d() {
  Domain domain = Convolution();
  const auto at_run_time = [](std::string_view condition,
                              void (*change)(const Setting&, CaseDraft&)) -> Breaker {
    return {condition, {{"parameters", "run-time"}}, nullptr, change, KeepOne};
  };
  domain.breakers = {
      at_run_time("conv2d.pad_negative",
                  [](const Setting&, CaseDraft& draft) { Replace(draft, "padding", 0, -1); }),
      at_run_time("symbol.index_count", [](const Setting& setting, CaseDraft& draft) {
        KeepOne(setting, draft);
        First(draft, "DATA_DEPENDENT_CONV2D").inputs.pop_back();
      })};
  return domain;
}

// CONV2D is left out: no size follows from a stride of 0, so that more than the stride would be
// wrong.
Domain TransposeConvolution() {
  Domain domain = Convolution();
  domain.breakers = {{"transpose_conv2d.stride_below_one",
                      {{"parameters", "run-time"}},
                      nullptr,
                      [](const Setting&, CaseDraft& draft) { Replace(draft, "strides", 1, 0); },
                      KeepOne}};
  return domain;
}

// A bias of as many elements as there are channels, though its dimension is a symbol.
CaseDraft BuildBiased(const Choice& choice) {
  std::vector<Binding> bindings = Images();
  for (Binding& binding : bindings) binding["C"] = 4, binding["H"] += 1;
  SymbolicBuilder builder(choice, bindings);
  const Name input = builder.Input("input", choice.Type("in_t"), {"N", "H", "W", 3});
  const Name weight = builder.Constant("weight", WeightOf(choice));
  const Name bias = builder.Input("bias", choice.Type("out_t"), {"C"}, SmallBias);
  return builder.Finish({builder.Apply("CONV2D", {input, weight, bias})});
}

Domain Biased() {
  return {OneAxis,
          {},
          BuildBiased,
          {{"symbol.broadcast",
            {},
            nullptr,
            [](const Setting&, CaseDraft& draft) { Rebind(draft, "C", 1, "bias"); },
            KeepOne}}};
}

// The graphs that frameworks emit for images of any size and number.
CaseDraft BuildLayers(const Choice& choice) {
  std::vector<Binding> bindings = Images();
  for (Binding& binding : bindings) binding["H"] += 4;
  SymbolicBuilder builder(choice, bindings);
  const Name input = builder.Input("input", DType::kI8, {"N", "H", "W", 3});
  const Name weight =
      builder.Constant("weight", FullRange(choice.Stream("weight"), DType::kI8, {4, 3, 3, 3}));
  const Name bias = builder.Constant("bias", SmallBias(choice, "bias", DType::kI32, {4}));
  const Name sum = builder.Apply("CONV2D", {input, weight, bias},
                                 {{"pad", Sizes{1, 1, 1, 1}}, {"input_zp", int64_t{-4}}});
  const Name scaled = builder.Rescale(sum, {0.0021, 0.0017, 0.0019, 0.0023}, DType::kI8);
  const Name bounded =
      builder.Apply("CLAMP", {scaled}, {{"min_val", int64_t{-100}}, {"max_val", int64_t{101}}});
  const Name pooled =
      builder.Apply("MAX_POOL2D", {bounded}, {{"kernel", Sizes{2, 2}}, {"stride", Sizes{1, 1}}});
  const Index n = builder.Dim(pooled, 0);
  const Index h = builder.Dim(pooled, 1), w = builder.Dim(pooled, 2);
  const Name turned = builder.Apply("TRANSPOSE", {pooled}, {{"perms", Sizes{0, 3, 2, 1}}});
  return builder.Finish({builder.Reshape(turned, {n, 2, 2, w, h})});
}

Domain Layers() { return {OneAxis, {}, BuildLayers}; }

Tensor MatmulLeft(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  DotProductSet set = SetOf(choice, shape[2]);
  return MatmulA(set, type, shape);
}
Tensor MatmulRight(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  DotProductSet set = SetOf(choice, shape[1]);
  return MatmulB(set, type, shape);
}

CaseDraft BuildMatmul(const Choice& choice) {
  const bool wide = IsFloatRow(choice.setting);
  SymbolicBuilder builder(choice,
                          {{{"N", 2}, {"H", wide ? 30 : 5}, {"C", 6}, {"W", wide ? 20 : 7}},
                           {{"N", 1}, {"H", wide ? 1009 : 9}, {"C", 4}, {"W", 1}},
                           {{"N", 3}, {"H", 1}, {"C", wide ? 2 : 1}, {"W", wide ? 400 : 8}}});
  const DType in = choice.Type("in_t");
  const Name a = builder.Input("a", in, {"N", "H", "C"}, MatmulLeft);
  const Name b = builder.Input("b", in, {"N", "C", "W"}, MatmulRight);
  return builder.Finish({builder.Apply("MATMUL", {a, b}, {}, choice.Type("out_t"))});
}

Domain Matmul() { return {SumAxes, {}, BuildMatmul}; }

Tensor Pooled(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (DotProductSetNumber(choice.data_set()) < 0) return Filled(choice, name, type, shape);
  DotProductSet set = SetOf(choice, 2 * 3);
  return AvgPool2dInput(set, type, shape, {2, 3});
}

std::vector<Axis> PoolAxes(const Setting& setting) {
  return setting.spec->name == "AVG_POOL2D" ? SumAxes(setting) : OneAxis(setting);
}

CaseDraft BuildPool(const Choice& choice) {
  std::vector<Binding> bindings = Images(DotProductSetNumber(choice.data_set()) >= 0);
  for (Binding& binding : bindings) binding["H"] += 2;
  SymbolicBuilder builder(choice, bindings);
  const Name input = builder.Input("input", TypeOf(choice.setting), {"N", "H", "W", 3}, Pooled);
  return builder.Finish({builder.Apply(
      choice.setting.spec->name, {input},
      {{"kernel", Sizes{2, 3}}, {"stride", Sizes{1, 2}}, {"pad", Sizes{1, 0, 1, 1}}})});
}

Domain Pool() { return {PoolAxes, {}, BuildPool}; }

// ---- Operators whose parameters are as in a static graph ---------------------------------------

Tensor Summed(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Small(choice, name, type, shape);
  DotProductSet set = SetOf(choice, shape[1]);
  return ReduceSumInput(set, type, shape, 1);
}

std::vector<Axis> ReducedAxes(const Setting& setting) {
  return setting.spec->name == "REDUCE_SUM" ? SumAxes(setting) : OneAxis(setting);
}

// Along a symbol, and along a size, except for operators that have other data for every axis.
CaseDraft BuildReduced(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  const bool wide = DotProductSetNumber(choice.data_set()) >= 0;
  std::vector<Binding> bindings = Batches();
  for (size_t k = 0; wide && k < kBindings; ++k)
    bindings[k]["M"] = std::vector<int64_t>{400, 341, 500}[k];
  SymbolicBuilder builder(choice, bindings);
  const auto fill = op == "REDUCE_SUM" ? Summed : op == "REDUCE_PRODUCT" ? Modest : nullptr;
  const Name x = builder.Input("x", TypeOf(choice.setting), {3, "N", "M"}, fill);
  Names outputs = {builder.Apply(op, {x}, {{"axis", int64_t{1}}})};
  if (!wide) outputs.push_back(builder.Apply(op, {x}, {{"axis", int64_t{0}}}));
  return builder.Finish(outputs);
}

Domain Reduced() { return {ReducedAxes, {}, BuildReduced}; }

CaseDraft BuildIdentity(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", 2, "M"});
  return builder.Finish({builder.Apply("IDENTITY", {x})});
}

Domain Identity() { return {OneAxis, {}, BuildIdentity}; }

// Indices that are a tensor. They name every row of a batch once, so that SCATTER may take them;
// the last row comes first.
Tensor FallingIndices(const Choice&, std::string_view, DType type, const Shape& shape) {
  Tensor indices(type, shape);
  for (int64_t i = 0; i < indices.size(); ++i) {
    indices.SetInteger(i, shape[1] - 1 - i % shape[1]);
  }
  return indices;
}

CaseDraft BuildIndexed(const Choice& choice) {
  SymbolicBuilder builder(choice, {{{"N", 2}, {"K", 6}, {"W", 4}, {"C", 5}},
                                   {{"N", 1}, {"K", 9}, {"W", 9}, {"C", 1}},
                                   {{"N", 4}, {"K", 1}, {"W", 1}, {"C", 8}}});
  const DType type = TypeOf(choice.setting);
  const Name values = builder.Input("values", type, {"N", "K", "C"});
  const Name indices = builder.Input("indices", DType::kI32, {"N", "W"}, FallingIndices);
  if (choice.setting.spec->name == "GATHER") {
    return builder.Finish({builder.Apply("GATHER", {values, indices})});
  }
  const Name rows = builder.Input("rows", type, {"N", "W", "C"});
  return builder.Finish({builder.Apply("SCATTER", {values, indices, rows})});
}

Domain Indexed() { return {OneAxis, {}, BuildIndexed}; }

CaseDraft BuildPadded(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", 3, "M"});
  const Name constant =
      builder.Constant("constant", FullRange(choice.Stream("constant"), type, {1}));
  return builder.Finish(
      {builder.Apply("PAD", {x, constant}, {{"padding", Sizes{1, 0, 0, 2, 3, 1}}})});
}

Domain Padded() { return {OneAxis, {}, BuildPadded}; }

// Three times as high, and half as wide: the width is odd.
CaseDraft BuildResized(const Choice& choice) {
  SymbolicBuilder builder(choice, {{{"N", 2}, {"H", 5}, {"W", 7}, {"C", 3}},
                                   {{"N", 1}, {"H", 1}, {"W", 5}, {"C", 1}},
                                   {{"N", 3}, {"H", 4}, {"W", 1}, {"C", 5}}});
  const bool nearest = choice.setting.row->mode.ends_with("nearest");
  const Name input = builder.Input("input", TypeOf(choice.setting), {"N", "H", "W", "C"}, Modest);
  return builder.Finish(
      {builder.Apply("RESIZE", {input},
                     {{"scale", Sizes{6, 2, 1, 2}},
                      {"offset", Sizes{-2, 0}},
                      {"border", Sizes{2, 0}},
                      {"mode", std::string(nearest ? "NEAREST_NEIGHBOR" : "BILINEAR")}},
                     choice.Type("out_t"))});
}

Domain Resized() { return {OneAxis, {}, BuildResized}; }

// Images of powers of two. The operators have two results.
CaseDraft BuildTransformed(const Choice& choice) {
  const std::vector<Binding> bindings = {{{"N", 2}, {"H", 16}, {"W", 32}},
                                         {{"N", 1}, {"H", 64}, {"W", 16}},
                                         {{"N", 130}, {"H", 1}, {"W", 8}}};
  const DType type = TypeOf(choice.setting);
  const bool complex = choice.setting.Takes("input_imag");
  std::vector<CaseDraft> drafts;
  for (const Binding& binding : bindings) {
    const Shape shape = {binding.at("N"), binding.at("H"), binding.at("W")};
    DotProductSet set = SetOf(choice, (complex ? 2 : 1) * shape[1] * shape[2]);
    CaseDraft draft;
    draft.Input("input_real", FftInput(set, type, shape, 0));
    if (complex) {
      draft.Input("input_imag", FftInput(set, type, shape, 1));
      draft.Set("inverse", true);
    }
    draft.output_type = type;
    draft.output_shape = complex ? shape : Shape{shape[0], shape[1], shape[2] / 2 + 1};
    draft.more_outputs = {{type, draft.output_shape}};
    drafts.push_back(std::move(draft));
  }
  SymbolicBuilder builder(choice, bindings);
  return builder.Finish(builder.Append(choice.setting, drafts));
}

Domain Transformed() { return {SumAxes, {}, BuildTransformed}; }

}  // namespace

std::vector<GraphDomain> SymbolicGraphs() {
  std::vector<GraphDomain> all = {
      {"bias", "CONV2D", IsIntegerRow, Biased},
      {"collapsed", "REDUCE_MAX", nullptr, Collapsed},
      {"concat", "CONCAT", nullptr, Concat},
      {"conv2d", "CONV2D", nullptr, Convolution2d},
      {"conv3d", "CONV3D", nullptr, Convolution},
      {"depthwise-conv2d", "DEPTHWISE_CONV2D", nullptr, Convolution},
      {"transpose-conv2d", "TRANSPOSE_CONV2D", nullptr, TransposeConvolution},
      {"expanded", "ADD", nullptr, Expanded},
      {"flattened", "RESHAPE", HasIntegers, Flattened},
      {"fft2d", "FFT2D", nullptr, Transformed},
      {"gather", "GATHER", nullptr, Gather},
      {"gather-tensor", "GATHER", nullptr, Indexed},
      {"heads", "RESHAPE", nullptr, Heads},
      {"identity", "IDENTITY", nullptr, Identity},
      {"index-values", "CONST", IsNumber, IndexValues},
      {"layers", "CONV2D", IsI8Row, Layers},
      {"masked", "SELECT", HasIntegers, Masked},
      {"matmul", "MATMUL", nullptr, Matmul},
      {"max-pool2d", "MAX_POOL2D", nullptr, Pool},
      {"avg-pool2d", "AVG_POOL2D", nullptr, Pool},
      {"pad", "PAD", nullptr, Pad},
      {"pad-const", "PAD", nullptr, Padded},
      {"reduce-all", "REDUCE_ALL", nullptr, Reduced},
      {"reduce-any", "REDUCE_ANY", nullptr, Reduced},
      {"reduce-max", "REDUCE_MAX", nullptr, Reduced},
      {"reduce-min", "REDUCE_MIN", nullptr, Reduced},
      {"reduce-product", "REDUCE_PRODUCT", nullptr, Reduced},
      {"reduce-sum", "REDUCE_SUM", nullptr, Reduced},
      {"resize", "RESIZE", nullptr, Resized},
      {"rfft2d", "RFFT2D", nullptr, Transformed},
      {"scatter", "SCATTER", nullptr, Scatter},
      {"scatter-tensor", "SCATTER", nullptr, Indexed},
      {"slice", "SLICE", nullptr, Slice},
      {"two-batches", "MAXIMUM", nullptr, TwoBatches}};
  // By themselves, each a graph of one operator.
  static constexpr std::pair<const char*, const char*> kOwn[] = {
      {"own-abs", "ABS"},
      {"own-add", "ADD"},
      {"own-argmax", "ARGMAX"},
      {"own-arithmetic-right-shift", "ARITHMETIC_RIGHT_SHIFT"},
      {"own-bitwise-and", "BITWISE_AND"},
      {"own-bitwise-not", "BITWISE_NOT"},
      {"own-bitwise-or", "BITWISE_OR"},
      {"own-bitwise-xor", "BITWISE_XOR"},
      {"own-cast", "CAST"},
      {"own-ceil", "CEIL"},
      {"own-clamp", "CLAMP"},
      {"own-clz", "CLZ"},
      {"own-cos", "COS"},
      {"own-equal", "EQUAL"},
      {"own-erf", "ERF"},
      {"own-exp", "EXP"},
      {"own-floor", "FLOOR"},
      {"own-greater", "GREATER"},
      {"own-greater-equal", "GREATER_EQUAL"},
      {"own-intdiv", "INTDIV"},
      {"own-log", "LOG"},
      {"own-logical-and", "LOGICAL_AND"},
      {"own-logical-left-shift", "LOGICAL_LEFT_SHIFT"},
      {"own-logical-not", "LOGICAL_NOT"},
      {"own-logical-or", "LOGICAL_OR"},
      {"own-logical-right-shift", "LOGICAL_RIGHT_SHIFT"},
      {"own-logical-xor", "LOGICAL_XOR"},
      {"own-maximum", "MAXIMUM"},
      {"own-minimum", "MINIMUM"},
      {"own-mul", "MUL"},
      {"own-negate", "NEGATE"},
      {"own-pow", "POW"},
      {"own-reciprocal", "RECIPROCAL"},
      {"own-reverse", "REVERSE"},
      {"own-rsqrt", "RSQRT"},
      {"own-select", "SELECT"},
      {"own-sigmoid", "SIGMOID"},
      {"own-sin", "SIN"},
      {"own-sub", "SUB"},
      {"own-table", "TABLE"},
      {"own-tanh", "TANH"},
      {"own-tile", "TILE"},
      {"own-transpose", "TRANSPOSE"}};
  for (const auto& [name, op] : kOwn) all.push_back({name, op, nullptr, OwnOperator});
  return all;
}

}  // namespace cts
