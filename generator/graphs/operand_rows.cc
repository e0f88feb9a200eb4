#include "generator/graphs/operand_rows.h"

#include <algorithm>

#include "generator/data/data_sets.h"
#include "generator/graphs/graphs.h"

namespace cts::operand_rows {

DType TypeOf(const Setting& setting) {
  for (const char* variable : {"in_out_t", "in_t"}) {
    if (const auto type = setting.row->PlainType(variable)) return *type;
  }
  return DType::kBool;
}

bool IsFloatRow(const Setting& setting) { return IsFloat(TypeOf(setting)); }
bool IsI32Row(const Setting& setting) {
  return TypeOf(setting) == DType::kI32 && HasIntegers(setting);
}
bool IsFloatOrI32Row(const Setting& setting) { return IsFloatRow(setting) || IsI32Row(setting); }
bool IsI8RowOfIntegers(const Setting& setting) {
  return TypeOf(setting) == DType::kI8 && HasIntegers(setting);
}
bool IsIntegerOrFloatRow(const Setting& setting) {
  return IsIntegerRow(setting) || IsFloatRow(setting);
}
bool IsI8ByI8(const Setting& setting) {
  return setting.Type("in_t") == DType::kI8 && setting.Type("weight_t") == DType::kI8;
}
bool IsI8ToI8(const Setting& setting) {
  return setting.Type("in_t") == DType::kI8 && setting.Type("out_t") == DType::kI8;
}
bool IsI32ToI8(const Setting& setting) {
  return setting.Type("in_t") == DType::kI32 && setting.Type("out_t") == DType::kI8;
}
bool IsI8OrFp32Row(const Setting& setting) {
  return TypeOf(setting) == DType::kI8 || TypeOf(setting) == DType::kFp32;
}

bool HasRow(const Setting& setting, std::string_view op, DType type) {
  const OperatorSpec* const spec = setting.edition->FindOperator(op);
  if (spec == nullptr) return false;
  return std::any_of(spec->type_rows.begin(), spec->type_rows.end(), [&](const TypeRow& row) {
    return row.Type("in_out_t") == type &&
           std::any_of(row.profiles.begin(), row.profiles.end(), [&](const auto& alternative) {
             return std::all_of(alternative.begin(), alternative.end(),
                                [&](const std::string& name) { return setting.Has(name); });
           });
  });
}

AttributeValue ValueOf(DType type, int64_t value) {
  return IsFloat(type) ? AttributeValue(static_cast<double>(value)) : AttributeValue(value);
}

Tensor SmallNumbers(const Choice& choice, std::string_view name, DType type, const Shape& shape,
                    int64_t most) {
  if (!IsFloat(type)) return IntegersBetween(choice.Stream(name), type, shape, -most, most);
  const Tensor numbers = IntegersBetween(choice.Stream(name), DType::kI32, shape, -most, most);
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    values.SetValue(i, static_cast<double>(numbers.Integer(i)));
  }
  return values;
}

Tensor Counted(DType type, const Shape& shape, int64_t first) {
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    IsFloat(type) ? values.SetValue(i, static_cast<double>(first + i))
                  : values.SetInteger(i, first + i);
  }
  return values;
}

}  // namespace cts::operand_rows
