// ARGMAX.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"
#include "generator/ops/operands.h"
#include "reference/base/float_format.h"
#include "reference/ops/axis.h"

namespace cts::argmax_domain {
namespace {

constexpr char kTall[] = "65539x2", kWide[] = "1x65539";

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<Axis> axes = {
      kShapeAxis.With({"57", "4x70", "5x7x11", "2x3x4x5", WithMaxRank(setting, "2x3x2x5x1x7")},
                      {"16x8", "3x2x5x2x7", "2x5x2x3x4x3", "3x7x1x5x2", kTall, kWide}),
      kPlaceAxis.All(), ConstantAxis()};
  AddNanModeAxis(setting, setting.Type("in_t"), axes);
  axes.push_back(kDataAxis.With({"full-range", "special", "ties"}, {"lines", "late"}));
  if (IsFloat(setting.Type("in_t"))) {
    axes.back().values.push_back(setting.Takes("nan_mode") ? "nan-first" : "nan-last");
  }
  return axes;
}

int64_t AxisOf(const Labels& labels, const Shape& shape) {
  return AxisNumber(labels[kPlaceAxis], shape);
}

// The lines have in turn: only the least value; the least value and another value once; the least
// value and another value twice, of which the first counts; numbers with a NaN at the start, in the
// middle, at the end; only NaN; NaN and one number.
Tensor Lines(const Choice& choice, DType type, const Shape& shape, int64_t axis, bool with_nan) {
  Random random = choice.Stream("places");
  Tensor input = FullRange(choice.Stream("input"), type, shape);
  const AxisView view(shape, axis);
  const bool is_float = IsFloat(type);
  const double infinity = std::numeric_limits<double>::infinity();
  const double least = is_float && !Format(type).has_infinity ? -Format(type).max : -infinity;
  const int64_t lines = input.size() / view.size, size = view.size;
  const int64_t start = random.Between(1, 4);
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t turn = (start + line) % (is_float && with_nan ? 9 : 4);
    const int64_t first = random.Between(0, size - 1), second = random.Between(0, size - 1);
    const int64_t nan = turn == 4 ? 0 : turn == 5 ? size / 2 : turn == 6 ? size - 1 : -1;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t offset = view.Offset(line, k);
      const bool other = (turn > 0 && k == first) || (turn > 1 && k == second);
      if (turn < 3 && other) {
        is_float ? input.SetValue(offset, 1) : input.SetInteger(offset, 1);
      } else if (turn < 3) {
        is_float ? input.SetValue(offset, least) : input.SetInteger(offset, IntegerMin(type));
      } else if (k == nan || turn == 7 || (turn == 8 && k != first)) {
        input.SetValue(offset, std::nan(""));
      }
    }
  }
  return input;
}

CaseDraft Build(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  const DType in_t = choice.Type("in_t");
  const int64_t axis = AxisOf(choice.labels, shape);
  // With NaN, text and pseudocode of 0.100 disagree.
  const bool nan = choice.setting.Takes("nan_mode");
  CaseDraft draft;
  if (choice.data_set() == DataSet::kTies) {
    // Few values, so that several elements are the greatest and the first counts; -0 and +0 among
    // them.
    Random random = choice.Stream("input");
    Tensor input(in_t, shape);
    const double values[] = {-1, -0.0, 0.0, 1, 1};
    for (int64_t i = 0; i < input.size(); ++i) {
      const double value = values[random.Below(5)];
      IsFloat(in_t) ? input.SetValue(i, value) : input.SetInteger(i, static_cast<int64_t>(value));
    }
    draft.Input("input", std::move(input));
  } else if (choice.data_set() == DataSet::kLate) {
    // Each line has its one maximum in the last tenth: an index that is cut short does not reach
    // it.
    Random random = choice.Stream("input");
    const AxisView view(shape, axis);
    Tensor input(in_t, shape);
    for (int64_t line = 0; line < input.size() / view.size; ++line) {
      const int64_t greatest = view.size - 1 - random.Between(0, (view.size - 1) / 10);
      for (int64_t k = 0; k < view.size; ++k) {
        const int64_t value = k == greatest ? 1 : -random.Between(0, 5);
        const int64_t offset = view.Offset(line, k);
        IsFloat(in_t) ? input.SetValue(offset, static_cast<double>(value))
                      : input.SetInteger(offset, value);
      }
    }
    draft.Input("input", std::move(input));
  } else if (choice.data_set() == DataSet::kLines) {
    draft.Input("input", Lines(choice, in_t, shape, axis, nan));
  } else if (choice.data_set() == DataSet::kNanFirst) {
    // Only the least value after some NaN: even that is greater, where NaN is ignored.
    Tensor input(in_t, shape);
    const FloatFormat& format = Format(in_t);
    const double least =
        format.has_infinity ? -std::numeric_limits<double>::infinity() : -format.max;
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
    for (int64_t i = 0; i < input.size(); ++i) {
      const int64_t row = i / inner, line = row / shape[axis] * inner + i % inner;
      const int64_t leading = line % shape[axis];
      input.SetValue(i, row % shape[axis] < leading ? std::nan("") : least);
    }
    draft.Input("input", std::move(input));
  } else if (choice.data_set() == DataSet::kNanLast) {
    // The only cases on which text and pseudocode of 0.100 agree, in turn: the one NaN of a line is
    // at its end, only NaN, no NaN.
    Tensor input = FullRange(choice.Stream("input"), in_t, shape);
    const AxisView view(shape, axis);
    for (int64_t line = 0; line < input.size() / view.size; ++line) {
      for (int64_t k = 0; k < view.size; ++k) {
        const bool is_nan = line % 3 == 0 ? k == view.size - 1 : line % 3 == 1;
        if (is_nan) input.SetValue(view.Offset(line, k), std::nan(""));
      }
    }
    draft.Input("input", std::move(input));
  } else {
    draft.Input("input",
                Filled(choice, "input", in_t, shape, nan ? Specials::kAll : Specials::kNoNan));
  }
  draft.Set("axis", axis);
  SetNanMode(choice, draft);
  SetConstants(choice, draft);
  draft.output_type = choice.Type("out_t");
  draft.output_shape = shape;
  draft.output_shape.erase(draft.output_shape.begin() + axis);
  return draft;
}

// Shapes of layers, of full domains: lines of 19 and 67 elements, and 19 lines beside each other,
// are no multiple of a vector.
std::vector<RelationCase> LayerRelations() {
  struct Line {
    const char* what;
    const char* shape;
    const char* axis;
    const char* data;
  };
  constexpr Line kLines[] = {{"last_19", "7x19", "last", "full-range"},
                             {"last_67", "5x67", "last", "full-range"},
                             {"ties_67", "17x67", "last", "ties"},
                             {"ties_19", "2x5x7x19", "middle", "ties"},
                             {"second", "2x5x7x19", "second", "full-range"},
                             {"third", "2x5x7x19", "middle", "full-range"},
                             {"rank6", "2x3x2x2x3x5", "middle", "full-range"}};
  std::vector<RelationCase> cases;
  for (const Line& line : kLines) {
    cases.push_back(RelationAt(line.what, Axes, Build, {{"shape", line.shape}, {"axis", line.axis}},
                               nullptr, {{"data", line.data}}));
  }
  // With NaN at the start, in the middle and at the end of lines, where they are settled.
  const Labels lines = {{"data", "lines"}};
  cases.push_back(RelationAt("lines_67", Axes, Build, {{"shape", "19x67"}}, nullptr, lines));
  cases.push_back(RelationAt(
      "lines_67_ignore", Axes, Build, {{"shape", "19x67"}, {"nan_mode", "ignore"}},
      [](const Setting& s) { return IsFloat(s.Type("in_t")) && s.Takes("nan_mode"); }, lines));
  RelationCase one = RelationAt("axis_of_one", Axes, Build, {});
  one.change = [](const Setting&, CaseDraft& draft) {
    draft = BuildAt(draft, Axes, Build, {{"shape", "3x1x19"}, {"axis", "middle"}});
    draft.one_value = true;
  };
  cases.push_back(std::move(one));
  return cases;
}

}  // namespace

Domain ArgmaxDomain() {
  return {.axes = Axes,
          .constraints =
              {RoomForSpecials(),
               {{"shape", "axis"},
                "rank 1 has no axis before the last, and a single element has one place",
                [](const Setting&, const Labels& labels) {
                  const Shape shape = labels[kShapeAxis];
                  if (labels[kPlaceAxis] == AxisPlace::kSecond && shape.size() < 2) return false;
                  return shape[static_cast<size_t>(AxisOf(labels, shape))] > 1;
                }},
               {{"shape", "data"},
                "large shapes carry full-range data or a late maximum, which is for them alone: in "
                "short lines it is always the last element",
                [](const Setting&, const Labels& labels) {
                  const bool large = ElementCount(labels[kShapeAxis]) >= 65536;
                  return large ? labels[kDataAxis] == DataSet::kFullRange ||
                                     labels[kDataAxis] == DataSet::kLate
                               : labels[kDataAxis] != DataSet::kLate;
                }},
               {{"shape", "axis", "constant"},
                "large shapes are for the long axis of operands that come in from outside",
                [](const Setting&, const Labels& labels) {
                  const Shape shape = labels[kShapeAxis];
                  return ElementCount(shape) < 65536 ||
                         (labels[kConstantAxis] == Constants::kNone &&
                          labels[kPlaceAxis] == (labels.Is(kShapeAxis, kTall) ? AxisPlace::kFirst
                                                                              : AxisPlace::kLast));
                }},
               {{"shape", "axis", "data"},
                "special values come again and again, in short lines at the same place",
                [](const Setting&, const Labels& labels) {
                  const Shape shape = labels[kShapeAxis];
                  return labels[kDataAxis] != DataSet::kSpecial ||
                         shape[static_cast<size_t>(AxisOf(labels, shape))] >= 4;
                }},
               Excluded({{"shape", "57"}, {"data", "nan-first"}},
                        "the only line would have no NaN before its least value"),
               Excluded({{"data", "nan-first"}, {"nan_mode", "propagate"}},
                        "a leading NaN decides every result where NaN propagates")},
          .build = Build,
          .breakers = {{"argmax.axis_range",
                        {{"shape", "5x7x11"}, {"axis", "last"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{3}); }},
                       {"argmax.axis_range",
                        {{"shape", "4x70"}, {"axis", "first"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }},
                       {"argmax.output_shape",
                        {{"shape", "5x7x11"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[0] += 1; }},
                       // The output has the shape of an implementation that counts from the end.
                       More({"argmax.axis_range",
                             {{"shape", "4x70"}, {"axis", "last"}},
                             nullptr,
                             [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }}),
                       // And of one that goes over an axis of one element behind the last.
                       More({"argmax.axis_range",
                             {{"shape", "5x7x11"}, {"axis", "last"}},
                             nullptr,
                             [](const Setting&, CaseDraft& d) {
                               d.Set("axis", int64_t{3});
                               d.output_shape = {5, 7, 11};
                             }}),
                       // As if the operator kept the axis.
                       More({"argmax.output_shape",
                             {{"shape", "5x7x11"}, {"axis", "last"}},
                             nullptr,
                             [](const Setting&, CaseDraft& d) { d.output_shape.push_back(1); }})},
          .limits =
              {{"MAX_RANK",
                "",
                {},
                nullptr,
                [](const Setting& setting, CaseDraft& draft) {
                  draft = BuildAt(draft, Axes, Build, {{"shape", WithMaxRank(setting, "17x4x3")}});
                }}},
          .data_cases = {SignallingCase(
              Axes, Build, {{"shape", "4x70"}, {"axis", "first"}, {"data", "special"}})},
          .relations = LayerRelations()};
}

}  // namespace cts::argmax_domain
