#include "generator/symbolic/symbolic_breakers.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"

namespace cts::symbolic_graphs {
namespace {

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

CaseDraft BuildScatter(const Choice& choice) {
  SymbolicBuilder builder(choice, Tables());
  const DType type = TypeOf(choice.setting);
  const Name values = builder.Input("values", type, {2, "K", "C"});
  const Name rows = builder.Input("rows", type, {2, 2, "C"});
  Indices indices = ExtractAll(builder, "to", {{5, 0}, {8, 2}, {0, 3}});
  for (const Index& index : Consts(builder, {1, 3})) indices.push_back(index);
  return builder.Finish({builder.IndexedAtRunTime("SCATTER", {values, rows}, indices, 2)});
}

}  // namespace

Domain Slice() {
  return {
      .axes = OneAxis,
      .build = BuildSlice,
      .breakers = {
          Breaks("slice.end_range", WithElement("where", 0, 4)),
          Breaks("slice.start_negative", WithElement("where", 0, -1)),
          Breaks("symbol.not_positive", WithElement("where", 2, 0)),
          Breaks("symbol.not_positive", WithElement("where", 2, -2147483648)),
          Breaks("symbol.index_count", WithoutLastInput("DATA_DEPENDENT_SLICE")),
          Breaks("extract_dim.dim_index", WithAttribute("EXTRACT_DIM", "dim_index", int64_t{4})),
          Breaks("extract_dim.dim_index", WithAttribute("EXTRACT_DIM", "dim_index", int64_t{-1}))}};
}

Domain Pad() {
  return {.axes = OneAxis,
          .build = BuildPad,
          .breakers = {Breaks("pad.padding_negative", WithElement("by", 1, -1))}};
}

Domain Gather() {
  return {.axes = OneAxis,
          .build = BuildGather,
          .breakers = {Breaks("symbol.index_count", WithoutLastInput("DATA_DEPENDENT_GATHER"))}};
}

Domain Scatter() { return {.axes = OneAxis, .build = BuildScatter}; }

}  // namespace cts::symbolic_graphs
