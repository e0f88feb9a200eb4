// Faults of ARGMAX.
#include <cmath>

#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"
#include "reference/ops/axis.h"

namespace cts::argmax_faults {
namespace {

// The index that `replaces(call, greatest, element)` leaves of a line, for numbers of fp64 or
// int64_t as the elements are.
template <class Replaces>
Wrong Search(Replaces replaces) {
  return ByElement([replaces](const Call& call, Tensor& out, int64_t i) {
    const Tensor& input = *call.values("input");
    const AxisView view(call.shape("input"), call.Integer("axis"));
    const auto last = [&](const auto& value) {
      int64_t index = 0;
      for (int64_t k = 1; k < view.size; ++k) {
        if (replaces(call, value(view.Offset(i, index)), value(view.Offset(i, k)))) index = k;
      }
      return index;
    };
    out.SetInteger(i, IsFloat(input.dtype())
                          ? last([&](int64_t offset) { return input.Element(offset); })
                          : last([&](int64_t offset) { return input.Integer(offset); }));
  });
}

bool Ignores(const Call& call) { return call.Enum("nan_mode") == "IGNORE"; }

bool IsNan(double x) { return std::isnan(x); }
bool IsNan(int64_t) { return false; }
bool IsNegative(double x) { return std::signbit(x); }
bool IsNegative(int64_t x) { return x < 0; }

// The right comparison of numbers and NaN.
template <class Value>
bool Greater(const Call& call, Value greatest, Value x) {
  if (IsNan(greatest) || IsNan(x)) {
    return Ignores(call) ? IsNan(greatest) && !IsNan(x) : IsNan(x) && !IsNan(greatest);
  }
  return greatest < x;
}

}  // namespace

Faults ArgmaxFaults() {
  FaultFamily family("ARGMAX");
  family.clause = "ARGMAX, the first of several maxima";
  family.Add("takes_the_last_of_equals", "gives the last place of the maximum", nullptr,
             Search([](const Call& call, auto greatest, auto x) {
               return Greater(call, greatest, x) || greatest == x;
             }));
  family.Add("orders_zeros", "takes +0 for greater than -0", FloatRows(),
             Search([](const Call& call, auto greatest, auto x) {
               const bool zeros = greatest == 0 && x == 0;
               return zeros ? IsNegative(greatest) && !IsNegative(x) : Greater(call, greatest, x);
             }));
  family.clause = "ARGMAX, the maximum";
  family.Add("gives_the_minimum", "gives the place of the least element", nullptr,
             Search([](const Call& call, auto greatest, auto x) {
               if (IsNan(greatest) || IsNan(x)) return Greater(call, greatest, x);
               return x < greatest;
             }));
  family.Add("compares_unsigned", "compares integers as unsigned", IntegerRows(),
             Search([](const Call&, auto greatest, auto x) {
               return (greatest < 0) == (x < 0) ? greatest < x : x < 0;
             }));
  family.Add("compares_bits", "compares the bits of floats as integers", FloatRows(),
             Search([](const Call& call, auto greatest, auto x) {
               if (greatest < 0 && x < 0) return x < greatest;
               return Greater(call, greatest, x);
             }));
  family.Add("begins_with_zero", "begins with 0 at the first place: nothing below is greater",
             nullptr, ByElement([](const Call& call, Tensor& out, int64_t i) {
               const Tensor& input = *call.values("input");
               const AxisView view(call.shape("input"), call.Integer("axis"));
               const int64_t offset = view.Offset(i, out.Integer(i));
               const bool below =
                   IsFloat(input.dtype()) ? input.Element(offset) < 0 : input.Integer(offset) < 0;
               if (below) out.SetInteger(i, 0);
             }));
  family.clause = "ARGMAX, nan_mode";
  family.AddReported("takes_the_last_nan", "gives the place of the last of several NaN",
                     "llvm/llvm-project#133074", FloatRows(),
                     Search([](const Call& call, auto greatest, auto x) {
                       const bool nan = IsNan(x) && !Ignores(call);
                       return nan || Greater(call, greatest, x);
                     }));
  family.Add("takes_nan_for_a_number", "gives a NaN's place only where it is the first",
             FloatRows(), Search([](const Call&, auto greatest, auto x) { return greatest < x; }));
  family.Add("forgets_a_nan", "lets what follows a NaN replace it", FloatRows(),
             Search([](const Call&, auto greatest, auto x) { return !(greatest >= x); }));
  family.AddReported(
      "begins_with_the_least_finite",
      "where NaN is ignored, begins with the lowest finite number at the first place: nothing that "
      "is not greater is found",
      "MLIR 22: tools/findings/mlir/deviations.json, argmax-ignore-nan", FloatRows(),
      ByElement([](const Call& call, Tensor& out, int64_t i) {
        if (!Ignores(call)) return;
        const Tensor& input = *call.values("input");
        const AxisView view(call.shape("input"), call.Integer("axis"));
        const double x = input.Element(view.Offset(i, out.Integer(i)));
        if (!(x > -Format(input.dtype()).max)) out.SetInteger(i, 0);
      }));
  family.clause = "ARGMAX, argument axis";
  family.Add("counts_the_axis_from_the_end",
             "takes axis for rank - 1 - axis where both are as long", nullptr,
             CountsTheAxisFromTheEnd());
  family.clause = "ARGMAX, output of i32";
  family.Add("index_in_8_bits", "keeps 8 bits of the index", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               out.SetInteger(i, out.Integer(i) & 0xff);
             }));
  family.Add("index_in_16_bits", "keeps 16 bits of the index, with their sign", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               const int64_t low = out.Integer(i) & 0xffff;
               out.SetInteger(i, low >= 0x8000 ? low - 0x10000 : low);
             }));
  family.clause = "ARGMAX, every element along the axis";
  family.Add("forgets_the_last_element", "leaves out the last element of every line", nullptr,
             ByCall([](CallEditor& editor) {
               const Call& call = editor.original();
               const Tensor& before = *call.values("input");
               const AxisView view(call.shape("input"), call.Integer("axis"));
               if (view.size == 1) return false;
               Tensor after = before;  // its neighbour once more, which never wins
               for (int64_t i = 0; i < after.size() / view.size; ++i) {
                 after.SetBits(view.Offset(i, view.size - 1),
                               before.Bits(view.Offset(i, view.size - 2)));
               }
               editor.SetOperand("input", std::move(after));
               return true;
             }));
  family.Add("searches_whole_vectors",
             "leaves out what follows the last whole vector of 8 elements", nullptr,
             ByElement([](const Call& call, Tensor& out, int64_t i) {
               const AxisView view(call.shape("input"), call.Integer("axis"));
               if (view.size > 8 && out.Integer(i) >= view.size / 8 * 8) out.SetInteger(i, 0);
             }));
  return family.Take();
}

}  // namespace cts::argmax_faults
