#include "generator/graphs/operand_rows.h"

#include "generator/data/data_sets.h"
#include "generator/graphs/graphs.h"

namespace cts::operand_rows {

DType TypeOf(const Setting& setting) {
  for (const char* variable : {"in_out_t", "in_t"}) {
    if (const auto type = setting.row->Type(variable)) return *type;
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
bool IsI8OrFp32Row(const Setting& setting) {
  return TypeOf(setting) == DType::kI8 || TypeOf(setting) == DType::kFp32;
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
