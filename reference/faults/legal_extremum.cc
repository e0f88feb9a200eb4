#include "reference/faults/legal_extremum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "reference/graph/disputed.h"
#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"

namespace cts {
namespace {

struct Value {
  double number = 0;
  bool signalling = false;
};

// One of the functions, for the greatest or the least of two values.
class Extremum {
 public:
  Extremum(IeeeExtremum function, bool greatest) : function_(function), greatest_(greatest) {}

  Value operator()(Value a, Value b) const {
    if (function_ == IeeeExtremum::kNum2008 && (a.signalling || b.signalling)) {
      return {std::numeric_limits<double>::quiet_NaN()};
    }
    a.signalling = b.signalling = false;
    if (std::isnan(a.number)) return b;
    if (std::isnan(b.number)) return a;
    const bool a_is_less = a.number < b.number || (a.number == b.number && std::signbit(a.number));
    return a_is_less == greatest_ ? b : a;
  }

 private:
  IeeeExtremum function_;
  bool greatest_;
};

Value At(const Tensor& tensor, int64_t i) {
  return {tensor.Element(i), IsSignallingNan(tensor.dtype(), tensor.Bits(i))};
}

void OfPairs(const Call& call, const Extremum& extremum, Tensor& output) {
  const Tensor &x = *call.values("input1"), &y = *call.values("input2");
  const BroadcastMap of_x(output.shape(), x.shape()), of_y(output.shape(), y.shape());
  for (int64_t i = 0; i < output.size(); ++i) {
    output.SetElement(i, extremum(At(x, of_x(i)), At(y, of_y(i))).number);
  }
}

// apply_clip_s: the greater of value and min_val, then the lesser of that and max_val.
void Clamped(const Call& call, IeeeExtremum function, Tensor& output) {
  const Tensor& input = *call.values("input");
  const Extremum greatest(function, true), least(function, false);
  const Value low{call.Number("min_val").Float()}, high{call.Number("max_val").Float()};
  for (int64_t i = 0; i < output.size(); ++i) {
    output.SetElement(i, least(greatest(At(input, i), low), high).number);
  }
}

Value Reduced(const Tensor& input, const AxisView& view, int64_t line, const Extremum& extremum) {
  Value found = At(input, view.Offset(line, 0));
  for (int64_t k = 1; k < view.size; ++k) {
    found = extremum(found, At(input, view.Offset(line, k)));
  }
  return found;
}

void OfLines(const Call& call, const Extremum& extremum, Tensor& output) {
  const Tensor& input = *call.values("input");
  const AxisView view(input.shape(), call.Integer("axis"));
  for (int64_t line = 0; line < output.size(); ++line) {
    output.SetElement(line, Reduced(input, view, line, extremum).number);
  }
}

// The first index of what the function makes of a line; 0 if that is a NaN.
void IndicesOfLines(const Call& call, const Extremum& extremum, Tensor& output) {
  const Tensor& input = *call.values("input");
  const AxisView view(input.shape(), call.Integer("axis"));
  for (int64_t line = 0; line < output.size(); ++line) {
    const double found = Reduced(input, view, line, extremum).number;
    int64_t k = 0;
    while (k < view.size && input.Element(view.Offset(line, k)) != found) ++k;
    output.SetInteger(line, k == view.size ? 0 : k);
  }
}

void OfWindows(const Call& call, const Extremum& extremum, Tensor& output) {
  const Tensor& input = *call.values("input");
  const Shape &in = input.shape(), &out = output.shape();
  for (int64_t i = 0; i < output.size(); ++i) {
    const Shape at = Index(out, i);  // N, OH, OW, C
    const int64_t top = at[1] * call.Integer("stride", 0) - call.Integer("pad", 0);
    const int64_t left = at[2] * call.Integer("stride", 1) - call.Integer("pad", 2);
    Value found{std::numeric_limits<double>::quiet_NaN()};
    for (int64_t y = top; y < top + call.Integer("kernel", 0); ++y) {
      for (int64_t x = left; x < left + call.Integer("kernel", 1); ++x) {
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
        found = extremum(found, At(input, ((at[0] * in[1] + y) * in[2] + x) * in[3] + at[3]));
      }
    }
    output.SetElement(i, found.number);
  }
}

}  // namespace

std::optional<OperatorOutputs> ByIeeeExtremum(IeeeExtremum function, const Operator& op,
                                              const Call& call) {
  if (call.Enum("nan_mode") != "IGNORE") return std::nullopt;
  const std::string_view name = op.name;
  const bool pair = name == "MAXIMUM" || name == "MINIMUM";
  if (!IsFloat(call.dtype(pair ? "input1" : "input"))) return std::nullopt;
  const Extremum extremum(function, name != "MINIMUM" && name != "REDUCE_MIN");
  auto output = std::make_shared<Tensor>(call.dtype("output"), call.shape("output"));
  if (pair) {
    OfPairs(call, extremum, *output);
  } else if (name == "CLAMP") {
    Clamped(call, function, *output);
  } else if (name == "REDUCE_MAX" || name == "REDUCE_MIN") {
    OfLines(call, extremum, *output);
  } else if (name == "ARGMAX") {
    IndicesOfLines(call, extremum, *output);
  } else if (name == "MAX_POOL2D") {
    OfWindows(call, extremum, *output);
  } else {
    return std::nullopt;
  }
  return OperatorOutputs{{"output", std::move(output)}};
}

}  // namespace cts
