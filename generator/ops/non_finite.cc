#include "generator/ops/non_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/base/float_format.h"

namespace cts {
namespace {

bool HasFloatOperands(const Setting& setting) {
  return IsFloat(setting.FirstBound({"in_t", "in_out_t"}));
}

// Small numbers; `count` of them are replaced by NaN and infinities in turn.
Tensor SmallAndNonFinite(Random random, DType dtype, const Shape& shape, int64_t count,
                         bool with_infinities) {
  constexpr double kNumbers[] = {0, 0, -2, -1, -0.5, 0.5, 1, 2};
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.SetValue(i, kNumbers[random.Below(std::size(kNumbers))]);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> kinds = {std::nan("")};
  if (with_infinities && Format(dtype).has_infinity) kinds = {std::nan(""), infinity, -infinity};
  count = std::min(count, tensor.size() / 2);
  for (int64_t k = 0; k < count; ++k) {
    int64_t place = 0;
    do {
      place = static_cast<int64_t>(random.Below(static_cast<uint64_t>(tensor.size())));
    } while (!std::isfinite(tensor.Value(place)));
    tensor.SetValue(place, kinds[static_cast<size_t>(k) % kinds.size()]);
  }
  return tensor;
}

void FillNonFinite(const Choice& choice, const NonFiniteShape& shape, bool bound_is_local,
                   CaseDraft& draft) {
  const Setting& setting = choice.setting;
  // 0.100 says of a sum only that a NaN among its operands makes it a NaN. It has no run that
  // multiplies in the padding, so that weights of NaN must not meet any.
  const bool nan_alone = setting.EditionHas(Feature::kAlwaysPropagatesNan);
  // Under a bound of the whole input a NaN in the data would leave every other result free.
  const bool data_is_finite = !bound_is_local && !setting.Takes("local_bound");
  const bool weight_is_finite = shape.weight_is_finite || (nan_alone && shape.multiplies_padding);
  const bool has_weight = draft.arguments.contains("weight") || draft.arguments.contains("B");
  // Each kind at least twice.
  constexpr int64_t kFew = 6;
  for (auto& [name, argument] : draft.arguments) {
    auto* operand = std::get_if<TensorArgument>(&argument);
    if (operand == nullptr || operand->tensors.empty()) continue;
    Tensor& tensor = operand->tensors.front();
    if (!IsFloat(tensor.dtype())) continue;
    // Few enough that many sums have one of them alone, and enough that others have two infinities
    // of different signs. A weight is in the sums of all positions.
    const int64_t size = tensor.size(), of_each_sum = size / shape.products;
    int64_t count = 0;
    if (name == "bias") {
      count = nan_alone ? size / 4 : size / 2;
    } else if (name == "weight" || name == "B") {
      if (!weight_is_finite) count = std::max(kFew, data_is_finite ? of_each_sum : of_each_sum / 4);
    } else if (!data_is_finite) {
      count = std::max(kFew, has_weight ? of_each_sum / 2 : of_each_sum);
    }
    tensor =
        SmallAndNonFinite(choice.Stream(name), tensor.dtype(), tensor.shape(), count, !nan_alone);
  }
}

}  // namespace

std::vector<DataCase> NonFiniteCases(CaseDraft (*at)(const CaseDraft&, Labels),
                                     std::vector<NonFiniteShape> shapes, bool bound_is_local) {
  std::vector<DataCase> cases;
  for (NonFiniteShape& shape : shapes) {
    DataCase one{"non-finite", shape.what, {}, HasFloatOperands, nullptr};
    one.change = [at, bound_is_local, shape = std::move(shape)](const Setting& setting,
                                                                CaseDraft& draft) {
      const Choice& choice = *draft.built_from;
      Labels labels = shape.labels;
      if (setting.Takes("local_bound")) labels.Set("local_bound", "yes");
      draft = at(draft, std::move(labels));
      FillNonFinite(choice, shape, bound_is_local, draft);
    };
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace cts
