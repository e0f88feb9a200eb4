#include "reference/ops/sum_of_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/numeric/multiply_panel.h"

namespace cts {
namespace {

// An element less its zero point. Exact: integer factors have 16 bits at most.
double Factor(const Operand& operand, int64_t zero_point, int64_t i) {
  if (IsFloat(operand.tensor->dtype())) return operand.Element(i);
  return static_cast<double>(operand.Integer(i) - zero_point);
}

double GreatestMagnitude(const Operand& operand, int64_t zero_point) {
  double greatest = 0;
  for (int64_t i = 0; i < operand.tensor->size(); ++i) {
    greatest = std::max(greatest, std::fabs(Factor(operand, zero_point, i)));
  }
  return greatest;
}

bool IsFinite(const Operand& operand) {
  for (int64_t i = 0; i < operand.tensor->size(); ++i) {
    if (!std::isfinite(operand.Element(i))) return false;
  }
  return true;
}

}  // namespace

SumOfProducts::SumOfProducts(const Call& call, Computation& computation, DType acc_t,
                             const Names& names)
    : computation_(computation),
      value_(computation.In(names.value)),
      weight_(computation.In(names.weight)),
      acc_t_(acc_t),
      out_t_(call.Type("out_t")),
      value_zp_(call.Number(names.value_zp).Integer()),
      weight_zp_(call.Number(names.weight_zp).Integer()) {
  if (names.bias.empty()) return;
  bias_ = &computation.In(names.bias);
  bias_channels_ = call.shape(names.bias)[0];  // 1: the same for every channel
}

// Floating point: a product outside of the input adds a zero, which changes no sum that began with
// +0 unless the weight is infinite or NaN. With extra multiplies the text itself has that product.
// Integers: every partial sum fits acc_t, and so fp64, in any order. Sums that might overflow are
// left to the text, which knows at which addition.
bool SumOfProducts::MayUsePanels(const SumLayout& layout, bool extra_multiplies,
                                 bool floating) const {
  if (floating) return extra_multiplies || IsFinite(weight_);
  const double products = static_cast<double>(layout.taps * layout.run);
  return products * GreatestMagnitude(value_, value_zp_) * GreatestMagnitude(weight_, weight_zp_) <=
         static_cast<double>(IntegerMax(acc_t_));
}

void SumOfProducts::PutSums(const SumLayout& layout, const ValueOffset& offset, double* out) const {
  // Without a bias -0 is added, which changes no number.
  std::vector<double> bias(static_cast<size_t>(bias_channels_), -0.0);
  for (int64_t k = 0; k < bias_channels_ && bias_ != nullptr; ++k) {
    bias[static_cast<size_t>(k)] = bias_->Element(k);
  }
  ForEachSum(layout, offset, [&](const SumRun& run) {
    double* const to = out + run.first;
    int64_t channel = run.first % bias_channels_;
    if (run.step == 1 && channel + run.count <= bias_channels_) {
      const double* const added = bias.data() + channel;
      for (int64_t k = 0; k < run.count; ++k) to[k] = OneNan(run.sums[k] + added[k]);
      return;
    }
    const int64_t next = run.step % bias_channels_;
    for (int64_t k = 0; k < run.count; ++k) {
      to[k * run.step] = OneNan(run.sums[k] + bias[static_cast<size_t>(channel)]);
      channel += next;
      if (channel >= bias_channels_) channel -= bias_channels_;
    }
  });
}

// A panel holds the factors of kPanelLanes positions, product by product. It is multiplied by the
// weights of every column. If there are more columns than positions they change places, so that the
// greater number lies along the lanes.
void SumOfProducts::ForEachSum(const SumLayout& s, const ValueOffset& offset,
                               const PutRun& put) const {
  if (s.groups > 1 && s.value_group == 1 && s.run == 1 && value_.tensor->size() % s.groups == 0) {
    return ForEachSumOfGroups(s, offset, put);
  }
  const int64_t depth = s.taps * s.run;
  const bool columns_in_lanes = s.columns > s.positions;
  const int64_t lanes = std::max(s.columns, s.positions);
  const int64_t rows = std::min(s.columns, s.positions);

  // The factors of one sum, `stride` apart; `offsets` are those of the position.
  const auto load_values = [&](int64_t group, const int64_t* offsets, double* out, int64_t stride) {
    for (int64_t tap = 0; tap < s.taps; ++tap) {
      const int64_t first = offsets[tap] + group * s.value_group;
      for (int64_t k = 0; k < s.run; ++k, out += stride) {
        *out = offsets[tap] == kOutside ? 0 : Factor(value_, value_zp_, first + k);
      }
    }
  };
  const auto load_weights = [&](int64_t group, int64_t column, double* out, int64_t stride) {
    int64_t i = group * s.weight_group + column * s.weight_column;
    for (int64_t k = 0; k < depth; ++k, i += s.weight_product, out += stride) {
      *out = Factor(weight_, weight_zp_, i);
    }
  };
  std::vector<int64_t> offsets(static_cast<size_t>(kPanelLanes * s.taps));
  const auto find_offsets = [&](int64_t position, int64_t* out) {
    for (int64_t tap = 0; tap < s.taps; ++tap) out[tap] = offset(position, tap);
  };

  std::vector<double> row_factors(static_cast<size_t>(s.groups * rows * depth));
  for (int64_t row = 0; row < rows; ++row) {
    if (columns_in_lanes) find_offsets(row, offsets.data());
    for (int64_t group = 0; group < s.groups; ++group) {
      double* const out = row_factors.data() + (group * rows + row) * depth;
      if (columns_in_lanes) {
        load_values(group, offsets.data(), out, 1);
      } else {
        load_weights(group, row, out, 1);
      }
    }
  }

  std::vector<double> panel(static_cast<size_t>(depth * kPanelLanes));  // unused lanes stay zero
  std::vector<double> sums(static_cast<size_t>(rows * kPanelLanes));
  for (int64_t first = 0; first < lanes; first += kPanelLanes) {
    const int64_t used = std::min(kPanelLanes, lanes - first);
    for (int64_t lane = 0; lane < used && !columns_in_lanes; ++lane) {
      find_offsets(first + lane, &offsets[static_cast<size_t>(lane * s.taps)]);
    }
    for (int64_t group = 0; group < s.groups; ++group) {
      for (int64_t lane = 0; lane < used; ++lane) {
        double* const out = panel.data() + lane;
        if (columns_in_lanes) {
          load_weights(group, first + lane, out, kPanelLanes);
        } else {
          load_values(group, &offsets[static_cast<size_t>(lane * s.taps)], out, kPanelLanes);
        }
      }
      MultiplyPanel(panel.data(), row_factors.data() + group * rows * depth, depth, rows,
                    sums.data());
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t column = columns_in_lanes ? first : row;
        const int64_t position = columns_in_lanes ? row : first;
        put({.first = group * s.output_group + position * s.output_position + column,
             .step = columns_in_lanes ? 1 : s.output_position,
             .count = used,
             .sums = sums.data() + row * kPanelLanes});
      }
    }
  }
}

void SumOfProducts::ReadGroups(int64_t groups, int64_t first, int64_t count, int64_t stride,
                               Tensor& out) const {
  const int64_t places = value_.tensor->size() / groups;
  if (IsFloat(value_.tensor->dtype()) &&
      Mover(out).Copy(value_, {{places, count}, {groups, 1}, {stride, 1}, first, 0})) {
    return;
  }
  for (int64_t place = 0; place < places; ++place) {
    for (int64_t k = 0; k < count; ++k) {
      out.SetElement(place * stride + k, Factor(value_, value_zp_, place * groups + first + k));
    }
  }
}

// The groups lie along the lanes, a block of them at a time, whose values are widened once.
void SumOfProducts::ForEachSumOfGroups(const SumLayout& s, const ValueOffset& offset,
                                       const PutRun& put) const {
  constexpr int64_t kBlockElements = 1 << 21;  // 16 MiB
  const int64_t places = value_.tensor->size() / s.groups;
  const int64_t panels = std::clamp<int64_t>(kBlockElements / places / kPanelLanes, 1,
                                             (s.groups + kPanelLanes - 1) / kPanelLanes);
  const int64_t lanes = panels * kPanelLanes;
  Tensor values(DType::kFp64, {places, lanes});  // unused lanes stay zero
  const auto* const first_value = reinterpret_cast<const double*>(values.bytes().data());
  std::vector<double> weights(static_cast<size_t>(s.columns * s.taps * lanes));
  const std::vector<double> nothing(static_cast<size_t>(lanes));
  std::vector<double> sums(static_cast<size_t>(lanes));
  std::vector<const double*> rows(static_cast<size_t>(s.taps));
  for (int64_t first = 0; first < s.groups; first += lanes) {
    const int64_t count = std::min(lanes, s.groups - first);
    ReadGroups(s.groups, first, count, lanes, values);
    for (int64_t column = 0; column < s.columns; ++column) {
      for (int64_t tap = 0; tap < s.taps; ++tap) {
        double* const out = weights.data() + (column * s.taps + tap) * lanes;
        const int64_t from =
            first * s.weight_group + column * s.weight_column + tap * s.weight_product;
        for (int64_t k = 0; k < count; ++k) {
          out[k] = Factor(weight_, weight_zp_, from + k * s.weight_group);
        }
      }
    }
    for (int64_t position = 0; position < s.positions; ++position) {
      for (int64_t tap = 0; tap < s.taps; ++tap) {
        const int64_t place = offset(position, tap);
        rows[static_cast<size_t>(tap)] =
            place == kOutside ? nothing.data() : first_value + place / s.groups * lanes;
      }
      for (int64_t column = 0; column < s.columns; ++column) {
        MultiplyRows(rows.data(), weights.data() + column * s.taps * lanes, s.taps, lanes,
                     sums.data());
        put({.first = first * s.output_group + position * s.output_position + column,
             .step = s.output_group,
             .count = count,
             .sums = sums.data()});
      }
    }
  }
}

}  // namespace cts
