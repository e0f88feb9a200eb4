#include "reference/faults/moves.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace cts {
namespace {

// Whether the elements of a type row have more than `bits` bits, and are kept in whole bytes.
std::function<bool(const TypeRow&)> WiderThan(const std::string& variable, int bits) {
  return [=](const TypeRow& row) {
    const auto type = row.PlainType(variable);
    return type.has_value() && Info(*type).bits > bits;
  };
}

std::function<bool(const TypeRow&)> RowsWhere(const std::string& variable, bool (*holds)(DType)) {
  return [=](const TypeRow& row) {
    const auto type = row.PlainType(variable);
    return type.has_value() && holds(*type);
  };
}

}  // namespace

std::optional<int64_t> OffsetOf(const Shape& shape, const Shape& index) {
  if (index.size() != shape.size()) return std::nullopt;
  int64_t offset = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (index[axis] < 0 || index[axis] >= shape[axis]) return std::nullopt;
    offset = offset * shape[axis] + index[axis];
  }
  return offset;
}

Shape IndexOf(const Shape& shape, int64_t offset) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = offset % shape[axis];
    offset /= shape[axis];
  }
  return index;
}

Wrong TakenFromOffset(std::string operand, FromOffset from) {
  return ByResult([operand = std::move(operand), from = std::move(from)](const Call& call,
                                                                         OperatorOutputs& results) {
    Tensor& out = *results.begin()->second;
    const Tensor& in = *call.values(operand);
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t k = from(call, i);
      out.SetBits(i, k >= 0 && k < in.size() ? in.Bits(k) : 0);
    }
  });
}

Wrong TakenFrom(std::string operand, From from) {
  const std::string name = operand;
  return TakenFromOffset(std::move(operand),
                         [name, from = std::move(from)](const Call& call, int64_t offset) {
                           const Shape& out = call.shape("output");
                           const std::optional<Shape> index = from(call, IndexOf(out, offset));
                           return index ? OffsetOf(call.shape(name), *index).value_or(-1) : -1;
                         });
}

Faults MovingFaults(const std::string& op, const std::string& variable) {
  std::string prefix = op;
  for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string clause = StrCat(op, ": elements are moved as they are");
  Faults faults;
  const auto add = [&](const char* id, const char* sentence,
                       std::function<bool(const TypeRow&)> touches,
                       const std::function<void(Tensor&, int64_t)>& spoil) {
    faults.push_back(
        {.id = StrCat(prefix, ".", id),
         .op = op,
         .sentence = sentence,
         .clause = clause,
         .touches = std::move(touches),
         .does = ByElement([spoil](const Call&, Tensor& out, int64_t i) { spoil(out, i); })});
  };
  add("makes_nan_zero", "moves elements by a maximum with the least number, which loses NaNs",
      RowsWhere(variable, IsFloat), [](Tensor& out, int64_t i) {
        if (std::isnan(out.Element(i))) out.SetElement(i, 0);
      });
  add("nan_is_infinity", "moves elements by rounding their bits, which makes infinities of NaNs",
      RowsWhere(variable,
                [](DType type) {
                  return IsFloat(type) && Info(type).bits <= 16 && Format(type).has_infinity;
                }),
      [](Tensor& out, int64_t i) {
        if (!std::isnan(out.Element(i))) return;
        out.SetElement(i, std::numeric_limits<double>::infinity());
      });
  add("makes_infinity_finite", "clamps elements to the finite numbers of their type",
      RowsWhere(variable, [](DType type) { return IsFloat(type) && Format(type).has_infinity; }),
      [](Tensor& out, int64_t i) {
        const double x = out.Element(i);
        if (std::isinf(x)) out.SetElement(i, std::copysign(Format(out.dtype()).max, x));
      });
  // The other types may be flushed, if all values are.
  add("flushes_fp8", "takes subnormal numbers of eight bits for zeros",
      RowsWhere(variable, [](DType type) { return IsFloat(type) && !Info(type).may_flush; }),
      [](Tensor& out, int64_t i) {
        const double x = out.Element(i);
        if (IsSubnormal(out.dtype(), x)) out.SetElement(i, std::copysign(0.0, x));
      });
  add("flushes_some", "takes subnormal numbers below zero for zeros, and keeps those above",
      RowsWhere(variable, [](DType type) { return IsFloat(type) && Info(type).may_flush; }),
      [](Tensor& out, int64_t i) {
        const double x = out.Element(i);
        if (x < 0 && IsSubnormal(out.dtype(), x)) out.SetElement(i, -0.0);
      });
  add("moves_in_bf16", "takes elements through bf16 on their way",
      Rows(variable, {DType::kFp16, DType::kFp32}),
      [](Tensor& out, int64_t i) { out.SetElement(i, RoundTo(DType::kBf16, out.Element(i))); });
  add("moves_in_fp32", "takes integers through fp32 on their way",
      Rows(variable, {DType::kI32, DType::kI48}), [](Tensor& out, int64_t i) {
        const int64_t most = (int64_t{1} << (Info(out.dtype()).bits - 1)) - 1;
        const double x = RoundTo(DType::kFp32, static_cast<double>(out.Integer(i)));
        out.SetInteger(i, std::min(most, static_cast<int64_t>(x)));
      });
  add("moves_one_byte", "copies one byte for each element", WiderThan(variable, 8),
      [](Tensor& out, int64_t i) { out.SetBits(i, out.Bits(i) & 0xff); });
  add("moves_32_bits", "copies 32 bits for each element", WiderThan(variable, 32),
      [](Tensor& out, int64_t i) { out.SetInteger(i, static_cast<int32_t>(out.Integer(i))); });
  return faults;
}

}  // namespace cts
