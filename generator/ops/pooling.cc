// AVG_POOL2D and MAX_POOL2D.
#include <algorithm>
#include <cmath>
#include <limits>

#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"
#include "generator/ops/operands.h"
#include "reference/base/float_format.h"

namespace cts::pooling_domain {
namespace {

WindowGeometry GeometryOf(const Labels& labels) {
  const Shape output = labels[kOutputAxis];  // N, OH, OW, C
  return WindowGeometryOf(labels, output, output[3]);
}

// A window of 7 x 9 elements: more than fp8 and a narrow reciprocal count exactly.
void AddWindowAxes(bool many_outputs, std::vector<Axis>& axes) {
  axes.push_back(kOutputAxis.With(
      many_outputs ? std::vector<std::string>{"1x16x16x4", "2x9x10x6"}
                   : std::vector<std::string>{"1x4x5x3", "2x3x7x4", "1x7x6x1"},
      many_outputs ? std::vector<std::string>{"1x32x32x1", "251x1x1x4", "2x2x3x89"}
                   : std::vector<std::string>{"7x1x1x5", "2x9x8x16", "1x17x33x2"}));
  axes.push_back(kKernelAxis.With({"3x3", "1x1", "2x5", "7x9"}, {"1x4", "8x1", "2x2", "16x16"}));
  axes.push_back(kStrideAxis.With({"1x1", "2x1", "2x3"}, {"1x4", "2x2", "5x4"}));
  axes.push_back(kPadAxis.With({"0-0-0-0", "1-0-1-1", "0-1-2-0", "6-5-8-7"},
                               {"1-1-0-0", "0-0-0-3", "7-7-0-0", "1-1-1-1"}));
}

bool PadWithinKernel(const Setting&, const Labels& labels) {
  const std::vector<int64_t> pad = labels[kPadAxis];
  const Shape kernel = labels[kKernelAxis];
  for (size_t side = 0; side < 4; ++side) {
    if (pad[side] >= kernel[side / 2]) return false;
  }
  return true;
}

// A window in which i8 and i16 nearly fill an accumulator of 32 bits: 255 * 255 * 32768 < 2^31.
constexpr char kFull[] = "255x255", kSmall[] = "1x2x1x2";

bool IsAverage(const Setting& setting) { return setting.Text() == "AVG_POOL2D"; }

bool IsFull(const Setting& setting, const Labels& labels) {
  return IsAverage(setting) && labels.Is(kKernelAxis, kFull);
}

// So many results that the bias of sums in fp16 can be told from their errors.
constexpr char kMany[] = "1x32x32x8";

bool ManyForABias(const Setting& setting, const Labels& labels) {
  return !IsAverage(setting) || !labels.Is(kOutputAxis, kMany) ||
         (labels.Is(kKernelAxis, "7x9") && labels.Is(kStrideAxis, "1x1") &&
          labels[kDataAxis] == DataSet::kS3);
}

bool Allowed(const Setting& setting, const Labels& labels) {
  const WindowGeometry g = GeometryOf(labels);
  // Two channels of a window that fills the accumulator, and the next one's stride.
  const int64_t most = IsFull(setting, labels) ? 135000 : 65536;
  return g.input[1] >= 1 && g.input[2] >= 1 && ElementCount(g.input) <= most;
}

Constraint AveragesWithinTheType() {
  return {{"zero_point", "data"},
          "averages of nothing but the least number are clipped if the zero points differ",
          [](const Setting&, const Labels& labels) {
            const ZeroPoints zero_points = labels[kZeroPointAxis];
            return labels[kDataAxis] != DataSet::kAccumulator ||
                   zero_points.first == zero_points.second;
          }};
}

// Combinations that both operators exclude.
std::vector<Constraint> Constraints(std::string_view pad) {
  return {{{"output", "data"},
           "channels tell kinds of windows apart",
           [](const Setting& setting, const Labels& labels) {
             const bool by_channel =
                 labels[kDataAxis] ==
                 (IsAverage(setting) ? DataSet::kAccumulator : DataSet::kWindows);
             return !by_channel || labels[kOutputAxis][3] > 1;
           }},
          {{"kernel", "pad"}, pad, PadWithinKernel},
          {{"kernel", "output"},
           "a window that fills the accumulator has a small output, and it alone",
           [](const Setting& setting, const Labels& labels) {
             return !IsAverage(setting) ||
                    (labels.Is(kKernelAxis, kFull)) == (labels.Is(kOutputAxis, kSmall));
           }},
          {{"output", "kernel", "stride", "data"},
           "many results are for S3 of a large window, which shows a bias",
           ManyForABias},
          {{"kernel", "data"},
           "a window that fills the accumulator is for its data sets",
           [](const Setting& setting, const Labels& labels) {
             if (!IsAverage(setting)) return true;
             const bool plateau = labels[kDataAxis] == DataSet::kPlateau;
             return labels.Is(kKernelAxis, kFull)
                        ? plateau || labels[kDataAxis] == DataSet::kAccumulator
                        : !plateau;
           }},
          {{"kernel", "data"},
           "S2 and S3 have nothing random in a window of one; special values have no greatest that "
           "differs between large windows",
           [](const Setting& setting, const Labels& labels) {
             const DataSet data = labels[kDataAxis];
             const int64_t area = ElementCount(labels[kKernelAxis]);
             if (data == DataSet::kS2 || data == DataSet::kS3) return area > 1;
             // A large window sees all values of a narrow type, or the few great ones are in every
             // window.
             const bool many = Info(setting.Type("in_out_t")).bits <= 16 && area > 100;
             if (data == DataSet::kFullRange && many) return IsAverage(setting);
             return data != DataSet::kSpecial || IsAverage(setting) || area < 7;
           }},
          {{"kernel", "data"},
           "sums of ten small values in fp8 show no fault",
           [](const Setting& setting, const Labels& labels) {
             return setting.Type("in_out_t") != DType::kFp8E5M2 ||
                    labels[kDataAxis] != DataSet::kS2 || ElementCount(labels[kKernelAxis]) < 10;
           }},
          {{"kernel"},
           "with large windows the bound of narrow sums hides a fault",
           [](const Setting& setting, const Labels& labels) {
             if (!IsAverage(setting)) return true;
             const DType type = setting.Type("in_out_t");
             const bool fp8 = type == DType::kFp8E4M3 || type == DType::kFp8E5M2;
             const bool fp16 = setting.Type("acc_t") == DType::kFp16;
             return ElementCount(labels[kKernelAxis]) < (fp8 ? 20 : fp16 ? 200 : 100000);
           }},
          {{"output", "kernel", "stride", "pad"}, kInputDimension, Allowed}};
}

// Axes that both operators have.
CaseDraft Window(const WindowGeometry& g, DType in_out_t) {
  CaseDraft draft;
  draft.Set("kernel", g.kernel);
  draft.Set("stride", g.stride);
  draft.Set("pad", g.pad);
  draft.output_type = in_out_t;
  draft.output_shape = g.output;
  return draft;
}

std::vector<Axis> AvgAxes(const Setting& setting) {
  const DType in_out_t = setting.Type("in_out_t");
  std::vector<Axis> axes;
  // MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  AddWindowAxes(IsFloat(in_out_t), axes);
  if (!IsFloat(in_out_t)) {
    axes[0].more.push_back(kSmall);
    axes[1].more.push_back(kFull);
  }
  // If all profiles are asked for, one of many other cases shows it.
  if (in_out_t == DType::kFp16 && setting.Type("acc_t") == DType::kFp16 && !setting.HasAll()) {
    axes[0].more.push_back(kMany);
  }
  axes.push_back(ConstantAxis());
  AddZeroPointAxis(in_out_t, in_out_t, axes);
  AddParametersAxis(setting, {"input_zp", "output_zp"}, axes);
  axes.push_back(DotProductData(in_out_t));
  if (in_out_t == DType::kI16) axes.back().more.push_back("plateau");
  return axes;
}

// Numbers of one sign and from one to two, times a power of two by channel: relations alone have
// it.
constexpr char kChannels[] = "channels";

// The output's zero points, not far from the input's, so that few results are clipped.
constexpr ListedAxis<int64_t> kNearZeroPointAxis{"zero_point",
                                                 "z",
                                                 {{"0", 0}, {"lo", -100}, {"hi", 90}},
                                                 {{"mid", -30}, {"lo-lo", -128}, {"hi-hi", 127}}};

CaseDraft BuildAvg(const Choice& choice) {
  const WindowGeometry g = GeometryOf(choice.labels);
  const DType in_out_t = choice.Type("in_out_t"), acc_t = choice.Type("acc_t");
  CaseDraft draft = Window(g, in_out_t);
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->features, s, g.kernel[0] * g.kernel[1], in_out_t,
                      in_out_t, acc_t);
    draft.Input("input", AvgPool2dInput(set, in_out_t, g.input, g.kernel));
  } else if (choice.data_set() == DataSet::kChannels) {
    Tensor input = FloatsBetween(choice.Stream("input"), in_out_t, g.input, 1, 2);
    for (int64_t i = 0; i < input.size(); ++i) {
      const int64_t channel = i % g.input[3];
      input.SetValue(i, std::ldexp(channel % 2 == 0 ? input.Value(i) : -input.Value(i),
                                   static_cast<int>(channel % 4)));
    }
    draft.Input("input", std::move(input));
  } else if (choice.data_set() == DataSet::kPlateau) {
    // One number in the first channel, and the numbers above it in others: each addition of such a
    // sum loses as much, where sums are kept in floating point.
    Random random = choice.Stream("input");
    Tensor input(in_out_t, g.input);
    for (int64_t i = 0; i < input.size(); ++i) {
      input.SetInteger(i, 20001 + (i % g.input[3] == 0 ? 0 : random.Between(0, 63)));
    }
    draft.Input("input", std::move(input));
  } else {
    draft.Input("input", FillIntegers(choice, "input", in_out_t, g.input, 0, g.input[3]));
  }
  const int64_t input_zp = ZeroPoint(choice, in_out_t, true);
  const int64_t output_zp = in_out_t == DType::kI8 ? choice[kNearZeroPointAxis] : 0;
  draft.Set("input_zp", input_zp);
  draft.Set("output_zp", output_zp);
  draft.Set("acc_type", AccumulatorName(acc_t));
  SetParameters(choice, {"input_zp", "output_zp"}, draft);
  SetConstants(choice, draft);
  return draft;
}

std::vector<Axis> MaxAxes(const Setting& setting) {
  std::vector<Axis> axes;
  AddWindowAxes(false, axes);
  axes.push_back(ConstantAxis());
  AddNanModeAxis(setting, setting.Type("in_out_t"), axes);
  axes.push_back(kDataAxis.With({"full-range", "special"}, {"windows"}));
  return axes;
}

// In turn: windows of only the least number; windows of it and few others; for floats also windows
// of only NaN, of NaN and few numbers, and of numbers and few NaN.
Tensor FillWindows(const Choice& choice, DType type, const WindowGeometry& g) {
  Random random = choice.Stream("input");
  Tensor input = FullRange(choice.Stream("numbers"), type, g.input);
  const int64_t area = g.kernel[0] * g.kernel[1];
  const double infinity = std::numeric_limits<double>::infinity();
  const double least = IsFloat(type) && !Format(type).has_infinity ? -Format(type).max : -infinity;
  for (int64_t i = 0; i < input.size(); ++i) {
    const int64_t c = i % g.input[3], row = i / g.input[3] / g.input[2];
    // Rows as high as a kernel alternate as do channels.
    const int64_t turn = (1 + c + row / g.kernel[0]) % (IsFloat(type) ? 5 : 3);
    const bool few = random.Below(static_cast<uint64_t>(std::max<int64_t>(8, area))) == 0;
    if (turn == 0 || (turn == 1 && !few)) {
      IsFloat(type) ? input.SetValue(i, least) : input.SetInteger(i, IntegerMin(type));
    } else if (turn == 2 && few && !IsFloat(type)) {
      input.SetInteger(i, IntegerMax(type));
    } else if (IsFloat(type) && (turn == 3 || (turn == 2 && few) || (turn == 4 && !few))) {
      input.SetValue(i, std::nan(""));
    }
  }
  return input;
}

CaseDraft BuildMax(const Choice& choice) {
  const WindowGeometry g = GeometryOf(choice.labels);
  const DType in_out_t = choice.Type("in_out_t");
  CaseDraft draft = Window(g, in_out_t);
  draft.Input("input", choice.data_set() == DataSet::kWindows
                           ? FillWindows(choice, in_out_t, g)
                           : Filled(choice, "input", in_out_t, g.input));
  SetNanMode(choice, draft);
  SetConstants(choice, draft);
  return draft;
}

// An invalid kernel size, and the input's axis smaller by as much. The pads are zero: they would
// reach the kernel's size.
DraftChange SetKernel(size_t axis, int64_t size) {
  return [=](const Setting&, CaseDraft& draft) {
    int64_t& kernel = List(draft, "kernel")[axis];
    Shape shape = draft.tensor("input").shape();
    shape[1 + axis] += size - kernel;
    kernel = size;
    Reshape(draft.tensor("input"), shape);
  };
}

// A pad as large as the kernel, which is 1.
DraftChange PadWholeKernel(size_t side) { return ReplacePad(side, 1); }

// The case at a limit: this geometry, the rest as it comes.
CaseDraft At(const CaseDraft& draft, Labels labels) {
  if (draft.built_from->setting.Text() == "AVG_POOL2D") {
    return BuildAt(draft, AvgAxes, BuildAvg, std::move(labels));
  }
  labels.Set("data", "windows");
  return BuildAt(draft, MaxAxes, BuildMax, std::move(labels));
}

// A pad is smaller than its kernel. With a kernel at the limit, the largest.
DraftChange PadAtLimit(size_t side) {
  return [=](const Setting& setting, CaseDraft& draft) {
    const int64_t limit = Limit(setting, "MAX_KERNEL");
    draft = At(draft, {{"output", StrCat("1x", Along(2, side / 2, 5, 3), "x2")},
                       {"kernel", Along(2, side / 2, limit)},
                       {"stride", Along(2, side / 2, 1024)},
                       {"pad", OnSide(2, side, limit - 1)}});
  };
}

DraftChange KernelAtLimit(size_t axis) {
  return [=](const Setting& setting, CaseDraft& draft) {
    draft = At(draft,
               {{"output", "1x3x3x2"}, {"kernel", Along(2, axis, Limit(setting, "MAX_KERNEL"))}});
  };
}

DraftChange StrideAtLimit(size_t axis) {
  return [=](const Setting& setting, CaseDraft& draft) {
    draft = At(draft, {{"output", StrCat("1x", Along(2, axis, 3, 2), "x4")},
                       {"kernel", "2x2"},
                       {"stride", Along(2, axis, Limit(setting, "MAX_STRIDE"))}});
  };
}

std::vector<LimitCase> Limits(const Labels& data) {
  return {{"MAX_KERNEL", "kernel_y", data, IsI8OrFp32, KernelAtLimit(0)},
          {"MAX_KERNEL", "kernel_x", data, IsI8OrFp32, KernelAtLimit(1)},
          {"MAX_KERNEL", "pad_top", data, IsI8OrFp32, PadAtLimit(0)},
          {"MAX_KERNEL", "pad_bottom", data, IsI8OrFp32, PadAtLimit(1)},
          {"MAX_KERNEL", "pad_left", data, IsI8OrFp32, PadAtLimit(2)},
          {"MAX_KERNEL", "pad_right", data, IsI8OrFp32, PadAtLimit(3)},
          {"MAX_STRIDE", "stride_y", data, IsI8OrFp32, StrideAtLimit(0)},
          {"MAX_STRIDE", "stride_x", data, IsI8OrFp32, StrideAtLimit(1)}};
}

std::vector<DataCase> NonFiniteAverages() {
  return NonFiniteCases(
      At, {{"plain",
            {{"output", "2x6x7x4"}, {"kernel", "2x3"}, {"stride", "1x1"}, {"pad", "0-0-0-0"}},
            6},
           {"padded",
            {{"output", "2x6x7x4"}, {"kernel", "3x3"}, {"stride", "1x1"}, {"pad", "1-1-1-1"}},
            9}});
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  const Setting& setting = draft.built_from->setting;
  Labels labels = LayerLabels(setting, layer);
  labels.Set("output", SizesLabel(layer.output));
  labels.Set("pad", NumbersLabel(layer.pad));
  if (IsAverage(setting)) return BuildAt(draft, AvgAxes, BuildAvg, std::move(labels));
  return BuildAt(draft, MaxAxes, BuildMax, std::move(labels));
}

// The breakers of the conditions that both operators have. `of_sizes` is the labels of those that
// change the output's size.
std::vector<Breaker> Breakers(const std::string& op, const Labels& of_sizes,
                              std::vector<Breaker> own) {
  const Labels pointwise = {{"kernel", "1x1"}, {"stride", "1x1"}, {"pad", "0-0-0-0"}};
  // An input of one element more leaves a rest.
  const Labels strided = {{"kernel", "3x3"}, {"stride", "2x3"}, {"pad", "0-0-0-0"}};
  constexpr size_t kSides[] = {2, 3, 0, 1};
  for (const size_t side : kSides) {
    own.push_back(
        {op + (side < 2 ? ".pad_y" : ".pad_x"), pointwise, nullptr, PadWholeKernel(side)});
  }
  return WindowBreakers(
      {.op = op,
       .labels = pointwise,
       .of_sizes = of_sizes,
       .kernels = {SetKernel(0, 0), SetKernel(1, -1), SetKernel(1, 0)},
       .strides = {SetStride(0, 0), SetStrideOfOnePosition(1, -1), SetStride(1, 0)},
       .pads = {0, 3, 1, 2},
       .rests = {{strided}, {strided}},
       .own = std::move(own)});
}

bool NotI8(const Setting& s) { return s.Type("in_out_t") != DType::kI8; }

Labels LabelsOf(const RelationGeometry& g) {
  return {{"output", StrCat(g.positions, "x", g.outputs)},
          {"kernel", std::string(g.kernel)},
          {"stride", std::string(g.stride)},
          {"pad", std::string(g.pad)}};
}

CaseDraft AtLabels(const CaseDraft& draft, Labels labels) {
  if (IsAverage(draft.built_from->setting))
    return BuildAt(draft, AvgAxes, BuildAvg, std::move(labels));
  return BuildAt(draft, MaxAxes, BuildMax, std::move(labels));
}

// Averages of random signs are lost in the bound of a narrow type.
std::string_view DataOfAverages(const Setting& setting) {
  return IsFloat(setting.Type("in_out_t")) ? kChannels : "";
}

// But for the large windows that AvgPool2dRelations calls impossible.
std::vector<RelationCase> AverageRelationCases() {
  std::vector<RelationCase> cases =
      RelationCases(ImageRelations(), PoolLayerGeometries(), LabelsOf, AtLabels, DataOfAverages);
  std::erase_if(cases, [](const RelationCase& c) { return c.what == "kernel_11x11_few"; });
  for (RelationCase& c : cases) {
    if (c.what != "kernel_6x6" && c.what != "kernel_7x7" && c.what != "kernel_11x11") continue;
    c.applies = [](const Setting& setting) {
      const DType type = setting.Type("in_out_t");
      return !IsFloat(type) || Info(type).bits > 8 ||
             setting.EditionHas(Feature::kDotProductBoundOfAccumulator);
    };
  }
  return cases;
}

}  // namespace

Domain AvgPool2dDomain() {
  // A window beyond the last still has elements: AVG_POOL2D of integers requires one.
  const Labels overlapping = {{"kernel", "3x3"}, {"stride", "1x1"}, {"pad", "0-0-0-0"}};
  const Labels pointwise = {{"kernel", "1x1"}, {"stride", "1x1"}, {"pad", "0-0-0-0"}};
  std::vector<Constraint> constraints = Constraints("avg_pool2d.pad_x or avg_pool2d.pad_y");
  constraints.insert(constraints.begin(), AveragesWithinTheType());
  return {.axes = AvgAxes,
          .constraints = std::move(constraints),
          .build = BuildAvg,
          .breakers =
              Breakers("avg_pool2d", overlapping,
                       {{"avg_pool2d.input_zp", pointwise, NotI8, SetInputZeroPoint},
                        {"avg_pool2d.output_zp", pointwise, NotI8,
                         [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{1}); }}}),
          .limits = Limits({}),
          .data_cases = NonFiniteAverages(),
          .relations = AverageRelationCases(),
          .at_layer = AtLayer};
}

Domain MaxPool2dDomain() {
  return {.axes = MaxAxes,
          .constraints = Constraints("max_pool2d.pad_x or max_pool2d.pad_y"),
          .build = BuildMax,
          .breakers = Breakers("max_pool2d", {}, {}),
          .limits = Limits({{"data", "windows"}}),
          .data_cases = {SignallingCase(MaxAxes, BuildMax,
                                        {{"output", "2x3x7x4"},
                                         {"kernel", "2x2"},
                                         {"stride", "1x1"},
                                         {"pad", "0-0-0-0"},
                                         {"data", "special"}})},
          .relations = RelationCases(ImageRelations(), PoolLayerGeometries(), LabelsOf, AtLabels),
          .at_layer = AtLayer};
}

}  // namespace cts::pooling_domain
