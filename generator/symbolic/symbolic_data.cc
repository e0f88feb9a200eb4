#include "generator/symbolic/symbolic_data.h"

namespace cts::symbolic_graphs {

std::vector<Binding> Batches() {
  return {{{"N", 6}, {"M", 7}}, {{"N", 1}, {"M", 20}}, {{"N", 13}, {"M", 1}}};
}

DType TypeOf(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (const auto type = setting.row->PlainType(argument.element_type)) return *type;
  }
  return DType::kBool;
}

Tensor Small(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  Tensor values = Filled(choice, name, type, shape);
  if (IsFloat(type) || type == DType::kBool) return values;
  for (int64_t i = 0; i < values.size(); ++i) values.SetInteger(i, values.Integer(i) / 16);
  return values;
}

Tensor Modest(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  if (!IsFloat(type)) return Filled(choice, name, type, shape);
  return FloatsBetween(choice.Stream(name), type, shape, -1, 1);
}

bool IsFloatRow(const Setting& setting) { return IsFloat(TypeOf(setting)); }

Axis SumData(const Setting& setting) {
  if (IsFloatRow(setting)) return kDataAxis.With({"S1", "S4"});
  return kDataAxis.With({"full-range"});
}
std::vector<Axis> SumAxes(const Setting& setting) { return {SumData(setting)}; }

DotProductSet SetOf(const Choice& choice, int64_t kernel_size) {
  const Setting& setting = choice.setting;
  const DType in = TypeOf(setting);
  const DType out = setting.row->PlainType("out_t").value_or(in);
  return {setting.edition->features,
          DotProductSetNumber(choice.data_set()),
          kernel_size,
          in,
          out,
          setting.row->PlainType("acc_t").value_or(out)};
}

std::vector<Axis> OneAxis(const Setting&) { return {kDataAxis.With({"full-range"})}; }

Indices ExtractAll(SymbolicBuilder& builder, const Name& name, const std::vector<Sizes>& lists) {
  std::vector<Tensor> values;
  values.reserve(lists.size());
  for (const Sizes& list : lists) {
    values.push_back(Tensor::OfIntegers(DType::kI32, {static_cast<int64_t>(list.size())}, list));
  }
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

bool IsNumber(const Setting& setting) { return TypeOf(setting) != DType::kBool; }

std::vector<Binding> Images(bool wide) {
  return {{{"N", 2}, {"H", 6}, {"W", wide ? 43 : 7}},
          {{"N", 1}, {"H", 8}, {"W", wide ? 101 : 5}},
          {{"N", 3}, {"H", 1}, {"W", wide ? 91 : 9}}};
}

}  // namespace cts::symbolic_graphs
