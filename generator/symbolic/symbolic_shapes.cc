#include "generator/symbolic/symbolic_breakers.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"

namespace cts::symbolic_graphs {
namespace {

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

CaseDraft BuildConcat(const Choice& choice) {
  SymbolicBuilder builder(choice, {{{"N", 6}, {"M", 3}, {"K", 2}},
                                   {{"N", 1}, {"M", 5}, {"K", 4}},
                                   {{"N", 4}, {"M", 1}, {"K", 1}}});
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", "M", 3});
  const Name y = builder.Input("y", type, {"N", "K", 3});
  return builder.Finish({builder.Apply("CONCAT", {x, y, x}, {{"axis", int64_t{1}}})});
}

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

CaseDraft BuildCollapsed(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", 3, "M", 2});
  const Name greatest = builder.Apply(choice.setting.spec->name, {x}, {{"axis", int64_t{1}}});
  const Name again = builder.Apply(choice.setting.spec->name, {greatest}, {{"axis", int64_t{3}}});
  return builder.Finish({builder.CollapseDims(again, {1, 3})});
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

}  // namespace

Domain TwoBatches() {
  return {.axes = OneAxis,
          .build = BuildTwoBatches,
          .breakers = {Breaks("symbol.unbound",
                              [](const Setting& setting, CaseDraft& draft) {
                                KeepOne(setting, draft);
                                draft.Whole().bindings[0].erase("K");
                                draft.Whole().inputs.erase("y");
                              }),
                       Breaks("symbol.contradiction",
                              [](const Setting& setting, CaseDraft& draft) {
                                KeepOne(setting, draft);
                                Resize(draft, "y", {7, 7});
                              }),
                       Breaks("symbol.contradiction",
                              [](const Setting& setting, CaseDraft& draft) {
                                KeepOne(setting, draft);
                                draft.Whole().bindings[0]["M"] = 8;
                                Resize(draft, "y", {6, 8});
                              }),
                       Breaks("symbol.not_positive", WithSymbol("K", 0, "y")),
                       Breaks("symbol.not_positive", WithSymbol("K", -6, "y")),
                       Breaks("symbol.broadcast", WithSymbol("K", 1, "y")),
                       Breaks("symbol.broadcast", WithSymbol("N", 1, "x"))}};
}

Domain Concat() { return {.axes = OneAxis, .build = BuildConcat}; }

Domain Expanded() {
  return {.axes = OneAxis,
          .build = BuildExpanded,
          .breakers = {
              Breaks("expand_dims.indices", WithAttribute("EXPAND_DIMS", "indices", Sizes{1, 0})),
              Breaks("expand_dims.indices", WithAttribute("EXPAND_DIMS", "indices", Sizes{0, 2}))}};
}

Domain Collapsed() {
  return {
      .axes = OneAxis,
      .build = BuildCollapsed,
      .breakers = {
          Breaks("collapse_dims.indices", WithAttribute("COLLAPSE_DIMS", "indices", Sizes{1, 4})),
          Breaks("collapse_dims.indices", WithAttribute("COLLAPSE_DIMS", "indices", Sizes{3, 1})),
          // A symbol is no 1 that could be left out, even where it has that value.
          Breaks("collapse_dims.not_one", [](const Setting& setting, CaseDraft& draft) {
            WithSymbol("N", 1, "x")(setting, draft);
            First(draft, "COLLAPSE_DIMS").attributes["indices"] = Sizes{0, 1};
          })}};
}

Domain Heads() {
  return {.axes = OneAxis,
          .build = BuildHeads,
          .breakers = {
              Breaks("reshape.size_mismatch", WithAttribute("INDEX_CONST", "value", int64_t{4})),
              Breaks("symbol.not_positive", WithAttribute("INDEX_CONST", "value", int64_t{0})),
              Breaks("symbol.not_positive", WithAttribute("INDEX_CONST", "value", int64_t{-3})),
              Breaks("get_dim.dim_index", WithAttribute("GET_DIM", "dim_index", int64_t{3})),
              Breaks("get_dim.dim_index", WithAttribute("GET_DIM", "dim_index", int64_t{-1}))}};
}

Domain Flattened() { return {.axes = OneAxis, .build = BuildFlattened}; }

Domain Masked() { return {.axes = OneAxis, .build = BuildMasked}; }

Domain IndexValues() {
  return {.axes = OneAxis,
          .build = BuildIndexValues,
          .breakers = {Breaks("iota.range", WithAttribute("INDEX_CONST", "value", int64_t{5})),
                       {"symbol.value_range",
                        {},
                        [](const Setting& setting) {
                          return !IsFloat(TypeOf(setting)) && Info(TypeOf(setting)).bits <= 8 &&
                                 TypeOf(setting) != DType::kBool;
                        },
                        [](const Setting& setting, CaseDraft& draft) {
                          // Only the list changes: the ranges would be too large as well.
                          WithSymbol("N", IntegerMax(TypeOf(setting)) + 1, "x")(setting, draft);
                          Block& block = draft.Whole().graph.main();
                          block.outputs = {block.outputs.back()};
                          std::erase_if(block.operators,
                                        [](const GraphOperator& op) { return op.op == "IOTA"; });
                          std::erase_if(block.tensors, [](const GraphTensor& tensor) {
                            return tensor.name.starts_with("iota_");
                          });
                        },
                        KeepOne}}};
}

}  // namespace cts::symbolic_graphs
