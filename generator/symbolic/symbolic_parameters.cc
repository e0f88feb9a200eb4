#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"

namespace cts::symbolic_graphs {
namespace {

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

CaseDraft BuildIdentity(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const Name x = builder.Input("x", TypeOf(choice.setting), {"N", 2, "M"});
  return builder.Finish({builder.Apply("IDENTITY", {x})});
}

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

CaseDraft BuildPadded(const Choice& choice) {
  SymbolicBuilder builder(choice, Batches());
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("x", type, {"N", 3, "M"});
  const Name constant =
      builder.Constant("constant", FullRange(choice.Stream("constant"), type, {1}));
  return builder.Finish(
      {builder.Apply("PAD", {x, constant}, {{"padding", Sizes{1, 0, 0, 2, 3, 1}}})});
}

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

}  // namespace

Domain Matmul() { return {.axes = SumAxes, .build = BuildMatmul}; }

Domain Pool() { return {.axes = PoolAxes, .build = BuildPool}; }

Domain Reduced() { return {.axes = ReducedAxes, .build = BuildReduced}; }

Domain Identity() { return {.axes = OneAxis, .build = BuildIdentity}; }

Domain Indexed() { return {.axes = OneAxis, .build = BuildIndexed}; }

Domain Padded() { return {.axes = OneAxis, .build = BuildPadded}; }

Domain Resized() { return {.axes = OneAxis, .build = BuildResized}; }

Domain Transformed() { return {.axes = SumAxes, .build = BuildTransformed}; }

}  // namespace cts::symbolic_graphs
