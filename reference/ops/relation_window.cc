// Relations of the operators whose windows slide over an image.
#include <algorithm>
#include <utility>

#include "reference/ops/relation_tables.h"

namespace cts {
namespace {

// The parts that operators with a sliding window have in common. `axes` are spatial.
struct SlidingWindow {
  std::vector<int64_t> kernel, stride, dilation;  // by axis; dilation 1 where there is none
  std::vector<int64_t> pad;                       // two for each axis; of TRANSPOSE_CONV2D out_pad
  Shape input, output;                            // batch, axes, channels

  size_t axes() const { return stride.size(); }
};

using OfWindow = std::function<bool(const SlidingWindow&)>;

// The form in which an operator gives its window.
struct WindowForm {
  size_t axes = 2;
  int weight_axis = -1;  // the first of the weight's axes for the kernel; -1: attribute kernel
  bool dilates = false;
  std::string pad = "pad";
};

std::vector<int64_t> NumbersOf(const Call& call, std::string_view argument) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < call.Length(argument); ++i) numbers.push_back(call.Integer(argument, i));
  return numbers;
}

SlidingWindow SlidingWindowOf(const WindowForm& form, const Call& call) {
  SlidingWindow w;
  w.input = call.shape("input");
  w.output = call.shape("output");
  w.stride = NumbersOf(call, "stride");
  w.pad = NumbersOf(call, form.pad);
  w.dilation = form.dilates ? NumbersOf(call, "dilation") : std::vector<int64_t>(form.axes, 1);
  if (form.weight_axis < 0) {
    w.kernel = NumbersOf(call, "kernel");
  } else {
    const Shape& weight = call.shape("weight");
    for (size_t axis = 0; axis < form.axes; ++axis) {
      w.kernel.push_back(weight[static_cast<size_t>(form.weight_axis) + axis]);
    }
  }
  return w;
}

bool AllAre(const std::vector<int64_t>& numbers, int64_t value) {
  return std::all_of(numbers.begin(), numbers.end(), [=](int64_t n) { return n == value; });
}
bool AreEqual(const std::vector<int64_t>& numbers) { return AllAre(numbers, numbers.front()); }

template <class Holds>
bool OnEveryAxis(const SlidingWindow& w, Holds holds) {
  for (size_t axis = 0; axis < w.axes(); ++axis) {
    if (!holds(axis)) return false;
  }
  return true;
}

// Collects the relations of one operator.
class WindowRelations {
 public:
  explicit WindowRelations(WindowForm form) : form_(std::move(form)) {}

  void Add(std::string name, std::string meaning, std::string reason, OfWindow holds) {
    relations_.push_back({std::move(name), std::move(meaning), std::move(reason),
                          [form = form_, holds = std::move(holds)](const Call& call) {
                            return holds(SlidingWindowOf(form, call));
                          }});
  }
  Relation& back() { return relations_.back(); }
  std::vector<Relation> Take() { return std::move(relations_); }

 private:
  WindowForm form_;
  std::vector<Relation> relations_;
};

void AddSteps(const std::string& what, std::vector<int64_t> SlidingWindow::*steps,
              WindowRelations& all) {
  const std::string reason = StrCat("kernels are written for one ", what, " along every axis");
  all.Add(what + "_equal", StrCat("the ", what, "s are equal and above 1"), reason,
          [=](const SlidingWindow& w) { return AreEqual(w.*steps) && (w.*steps).front() > 1; });
  all.Add(what + "_one", StrCat("every ", what, " is 1"), reason,
          [=](const SlidingWindow& w) { return AllAre(w.*steps, 1); });
  all.Add(what + "_different", StrCat("the ", what, "s differ"), reason,
          [=](const SlidingWindow& w) { return !AreEqual(w.*steps); });
}

std::string_view AxisName(size_t axes, size_t axis) {
  constexpr std::string_view kNames[] = {"z", "y", "x"};
  return kNames[3 - axes + axis];
}

std::string_view SideName(size_t axes, size_t side) {
  constexpr std::string_view kNames[] = {"front", "back", "top", "bottom", "left", "right"};
  return kNames[6 - 2 * axes + side];
}

void AddKernels(size_t axes, const std::vector<int64_t>& sizes, WindowRelations& all) {
  for (const int64_t size : sizes) {
    all.Add(StrCat("kernel_", size), StrCat("the kernel is ", size, " along every axis"),
            "common sizes have kernels of their own",
            [=](const SlidingWindow& w) { return AllAre(w.kernel, size); });
  }
  for (size_t along = 0; along < axes; ++along) {
    const std::string name(AxisName(axes, along));
    all.Add("kernel_along_" + name, StrCat("the kernel is above 1 along ", name, " alone"),
            "separable convolutions take one axis at a time", [=](const SlidingWindow& w) {
              return OnEveryAxis(
                  w, [&](size_t axis) { return (w.kernel[axis] > 1) == (axis == along); });
            });
  }
  all.Add("kernel_is_input", "the kernel, above 1, is as large as the input",
          "it is taken for a matrix product", [](const SlidingWindow& w) {
            return OnEveryAxis(w, [&](size_t axis) {
              return w.kernel[axis] > 1 && w.kernel[axis] == w.input[1 + axis];
            });
          });
  all.Add("stride_is_kernel", "the strides are the kernel's sizes, above 1",
          "windows that do not overlap are taken for patches", [](const SlidingWindow& w) {
            return w.stride == w.kernel &&
                   OnEveryAxis(w, [&](size_t axis) { return w.stride[axis] > 1; });
          });
  all.Add("stride_above_kernel", "every stride is above the kernel's size",
          "elements between windows are never read", [](const SlidingWindow& w) {
            return OnEveryAxis(w, [&](size_t axis) { return w.stride[axis] > w.kernel[axis]; });
          });
}

void AddPads(size_t axes, WindowRelations& all) {
  for (size_t alone = 0; alone < 2 * axes; ++alone) {
    const std::string name(SideName(axes, alone));
    all.Add(StrCat("pad_", name), StrCat("the pad ", name, " is above 0 and all others are 0"),
            "each side is a loop of its own", [=](const SlidingWindow& w) {
              for (size_t side = 0; side < w.pad.size(); ++side) {
                if (side == alone ? w.pad[side] <= 0 : w.pad[side] != 0) return false;
              }
              return true;
            });
  }
  all.Add("pads_equal", "all pads are equal and above 0", "most networks pad so",
          [](const SlidingWindow& w) { return AreEqual(w.pad) && w.pad.front() > 0; });
  all.Add("pads_asymmetric", "the pads before and after every axis differ",
          "padding for an even size is asymmetric", [](const SlidingWindow& w) {
            return OnEveryAxis(w,
                               [&](size_t axis) { return w.pad[2 * axis] != w.pad[2 * axis + 1]; });
          });
}

void AddChannels(const std::string& what, Shape SlidingWindow::*shape, WindowRelations& all) {
  for (const int64_t step : {4, 8, 16, 32}) {
    all.Add(StrCat(what, "_channels_", step),
            StrCat("the ", what, " channels are a multiple of ", step), "vectors hold so many",
            [=](const SlidingWindow& w) { return (w.*shape).back() % step == 0; });
  }
  all.Add(what + "_channels_rest", StrCat("the ", what, " channels are no multiple of 4"),
          "a vector is left that is not full",
          [=](const SlidingWindow& w) { return (w.*shape).back() % 4 != 0; });
}

void AddSizes(size_t axes, WindowRelations& all) {
  for (size_t along = 0; along < axes; ++along) {
    const std::string name(AxisName(axes, along));
    all.Add("input_along_" + name, StrCat("the input is above 1 along ", name, " alone"),
            "a line of data has kernels of its own", [=](const SlidingWindow& w) {
              return OnEveryAxis(
                  w, [&](size_t axis) { return (w.input[1 + axis] > 1) == (axis == along); });
            });
  }
  all.Add("output_width_odd", "the output's width is odd and above 1",
          "kernels make two results at once", [](const SlidingWindow& w) {
            const int64_t width = w.output[w.output.size() - 2];
            return width > 1 && width % 2 == 1;
          });
  all.Add("output_one_element", "the output has one element", "it is no loop any more",
          [](const SlidingWindow& w) { return ElementCount(w.output) == 1; });
  all.Add("batch", "the batch is above 1", "batches are divided among cores",
          [](const SlidingWindow& w) { return w.input.front() > 1; });
  all.Add("batch_alone", "the batch is above 1 and every other dimension is 1",
          "dimensions of 1 are folded away", [](const SlidingWindow& w) {
            return w.input.front() > 1 && ElementCount(w.input) == w.input.front() &&
                   ElementCount(w.output) == w.input.front();
          });
}

// Sizes of square kernels that networks have. A cube of more than 5 has too many products for the
// bound of a narrow type.
const std::vector<int64_t>& SquareSizes(size_t axes) {
  static const std::vector<int64_t> square = {2, 3, 4, 5, 6, 7, 11}, cube = {2, 3, 4, 5};
  return axes == 2 ? square : cube;
}

std::vector<Relation> RelationsOfWindow(const WindowForm& form, bool many_channels) {
  WindowRelations all(form);
  AddSteps("stride", &SlidingWindow::stride, all);
  if (form.dilates) AddSteps("dilation", &SlidingWindow::dilation, all);
  AddKernels(form.axes, SquareSizes(form.axes), all);
  AddPads(form.axes, all);
  AddSizes(form.axes, all);
  AddChannels("input", &SlidingWindow::input, all);
  if (many_channels) AddChannels("output", &SlidingWindow::output, all);
  return all.Take();
}

}  // namespace

std::vector<Relation> Conv2dRelations() {
  return RelationsOfWindow({.weight_axis = 1, .dilates = true}, true);
}
std::vector<Relation> Conv3dRelations() {
  return RelationsOfWindow({.axes = 3, .weight_axis = 1, .dilates = true}, true);
}
std::vector<Relation> DepthwiseConv2dRelations() {
  const WindowForm form = {.weight_axis = 0, .dilates = true};
  std::vector<Relation> relations = RelationsOfWindow(form, true);
  WindowRelations groups(form);
  groups.Add("multiplier_one", "each input channel has one output channel",
             "depthwise kernels take that alone",
             [](const SlidingWindow& w) { return w.input.back() == w.output.back(); });
  groups.Add("multiplier_above_one", "each input channel has several output channels",
             "it is a grouped convolution elsewhere",
             [](const SlidingWindow& w) { return w.input.back() < w.output.back(); });
  for (Relation& relation : groups.Take()) relations.push_back(std::move(relation));
  return relations;
}

std::vector<Relation> TransposeConv2dRelations() {
  const WindowForm form = {.weight_axis = 1, .pad = "out_pad"};
  std::vector<Relation> relations = RelationsOfWindow(form, true);
  WindowRelations crops(form);
  crops.Add("pads_crop", "every pad is below 0", "cropping is padding of the gradient elsewhere",
            [](const SlidingWindow& w) {
              return std::all_of(w.pad.begin(), w.pad.end(), [](int64_t pad) { return pad < 0; });
            });
  relations.push_back(std::move(crops.back()));
  return relations;
}

std::vector<Relation> MaxPool2dRelations() { return RelationsOfWindow({}, false); }

std::vector<Relation> AvgPool2dRelations() {
  std::vector<Relation> relations = RelationsOfWindow({}, false);
  for (Relation& relation : relations) {
    if (relation.name != "kernel_6" && relation.name != "kernel_7" &&
        relation.name != "kernel_11") {
      continue;
    }
    relation.impossible = [](const Edition& edition, const TypeRow& row) -> std::string_view {
      const DType type = *row.PlainType("in_out_t");
      if (!IsFloat(type) || Info(type).bits > 8) return "";
      if (edition.Has(Feature::kDotProductBoundOfAccumulator)) return "";
      return "the bound of that many terms in 8 bits is as large as any average";
    };
  }
  return relations;
}

}  // namespace cts
