// The geometry of the operators whose windows slide over an image: the sizes that labels mean, axes
// of several operators, changes that break a size, and the cases at the limits of a level. Spatial
// axes are the axes between the batch and the channels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

inline constexpr ParsedAxis<Shape> kOutputAxis{"output", "o", ParseShape};
inline constexpr ParsedAxis<Shape> kKernelAxis{"kernel", "k", ParseShape};
inline constexpr ParsedAxis<Shape> kStrideAxis{"stride", "s", ParseShape};
inline constexpr ParsedAxis<Shape> kDilationAxis{"dilation", "d", ParseShape};
inline constexpr ParsedAxis<std::vector<int64_t>> kPadAxis{"pad", "p", ParseNumbers};

// The geometry of a convolution (except TRANSPOSE_CONV2D) or of a pooling operator. In the lists
// for CONV3D, the depth comes first.
struct WindowGeometry {
  Shape output;                           // N, OH, OW and channels; for CONV3D N, OD, OH, OW, OC
  std::vector<int64_t> kernel;            // KH, KW, and IC if the label has it
  std::vector<int64_t> stride, dilation;  // y, x
  std::vector<int64_t> pad;               // top, bottom, left, right
  // The input's shape. The output's sizes follow from it, and the strides leave no remainder.
  Shape input;
};

// The geometry that the labels of the axes "kernel", "stride", "pad" and "dilation" describe. The
// dilation is 1 if there is no such axis.
WindowGeometry WindowGeometryOf(const Labels& labels, Shape output, int64_t input_channels);
// The geometry of CONV2D and CONV3D. The label of the axis "output" is the output's shape. The
// label of the axis "kernel" ends with the number of input channels.
WindowGeometry ConvolutionGeometryOf(const Labels& labels);

// The reason why a combination of output, kernel, stride, pad and dilation makes no case.
inline constexpr std::string_view kInputDimension =
    "an input of no elements or of more than a case should have, or one that few windows see";

// For one axis: the share of the output positions at which the kernel covers an element of the
// input.
double ShareThatSees(int64_t outputs, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                     int64_t inputs);
// At least this share of the results must contain products of the input, and not the bias alone.
// With a smaller share, a case would show too little.
inline constexpr double kLeastShare = 0.25;

// Whether a case is small enough. `input` and `weight` are numbers of elements. They may be larger
// for the kernel that fills an accumulator: a sum of 33025 products, each 255 * 255, fits i32, and
// a longer sum does not.
inline bool IsSmall(int64_t kernel_size, int64_t input, int64_t weight) {
  return input + weight <= (kernel_size > 33000 ? 200000 : 50000);
}

// Whether a convolution makes a case. If it makes no case, kInputDimension names the possible
// reasons: the input has no elements, input and weight together are too large (IsSmall), or too few
// windows see the input (kLeastShare).
bool MakesCase(const WindowGeometry& geometry);

// --- Axes ---------------------------------------------------------------------------------------

// Whether the inputs are of a narrow floating-point type. With kernels of some hundred products,
// neither the bound of the dot-product rule nor the large value of data sets S2 and S3 detects
// faults in such types.
inline bool IsNarrowFloat(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  return IsFloat(in_t) && in_t != DType::kFp32;
}

// The labels of two kernels of CONV2D and TRANSPOSE_CONV2D. The sums of the first kernel fill the
// accumulator (see FullSum). The sums of the second kernel show how sums are rounded (see
// WholeSum).
inline constexpr char kFullImageKernel[] = "1x1x33025", kSummedImageKernel[] = "1x1x21";

// The axis "kernel" of CONV2D and TRANSPOSE_CONV2D: KH, KW, IC.
Axis ImageKernelAxis(const Setting& setting);
// ImageStrideAxis is the axis "stride" of the convolutions with two spatial axes.
// AddImageWindowAxes adds "stride", "pad" and "dilation", for convolutions that pad their input.
Axis ImageStrideAxis();
void AddImageWindowAxes(std::vector<Axis>& axes);

// --- Changes of a draft that several breakers make ----------------------------------------------

// Sets a pad to `value`, and changes the input's size along the pad's axis by the difference. So
// the output's size stays the same.
DraftChange ReplacePad(size_t side, int64_t value);
inline DraftChange NegativePad(size_t side) { return ReplacePad(side, -1); }
DraftChange SetStride(size_t index, int64_t value);
// Sets the stride, and reduces input and output to one position along the axis, so that the
// output's size does not depend on the stride. The kernel must be 1 and the pads 0.
DraftChange SetStrideOfOnePosition(size_t index, int64_t value);
DraftChange SetDilation(size_t index, int64_t value);
DraftChange EnlargeOutput(size_t axis, int64_t more = 1);
DraftChange EnlargeInput(size_t axis);
// Enlarges input and output by 1 along the axis. The new sizes are illegal: for one more output
// position the input would have to grow by the stride, not by 1. An implementation accepts them if
// it rounds up where the size formula divides by the stride.
DraftChange EnlargeBoth(size_t axis);
// Doubles the input's channels, as if the convolution had two groups.
inline void TwiceTheChannels(const Setting&, CaseDraft& d) {
  Shape shape = d.tensor("input").shape();
  shape.back() *= 2;
  Reshape(d.tensor("input"), shape);
}

// The ways to break the conditions of windows. If a list below has several ways to break one
// condition, the ids of the condition's cases are numbered in the order of the list.
struct WindowWays {
  struct Rest {
    Labels labels;  // a stride that leaves a remainder in the enlarged input
    bool more = false;
  };
  std::string_view op;   // "conv2d": the ids of its conditions begin with this name
  Labels labels;         // the labels of the drafts to change
  Labels of_sizes = {};  // labels of the drafts for changes of the output's size; empty: `labels`
  std::vector<DraftChange> kernels = {}, strides = {}, dilations = {};  // changes to less than 1
  std::vector<size_t> pads = {};  // the sides that get a negative pad, one in each breaker
  size_t axes = 2;                // the number of spatial axes
  // One for each spatial axis; empty if no input can leave a remainder.
  std::vector<Rest> rests = {};
  std::vector<Breaker> own = {};  // breakers of conditions that only this operator has
};
std::vector<Breaker> WindowBreakers(const WindowWays& ways);

// --- Limits of a level --------------------------------------------------------------------------

// Returns the label with the sizes of all spatial axes: `size` along `axis`, and `others` along
// each other axis. "1x7" has 7 along the second of two axes.
std::string Along(size_t axes, size_t axis, int64_t size, int64_t others = 1);
// Returns the label with the pads of all spatial axes: `pad` on the side `side`, and 0 on all other
// sides. Two axes have the sides top, bottom, left and right, so "0-0-7-0" has 7 on the left.
std::string OnSide(size_t axes, size_t side, int64_t pad);

// The parts of the labels of a convolution's cases at MAX_KERNEL and MAX_STRIDE, without the size
// at the limit, which comes from the level.
struct ConvolutionLimitLabels {
  struct Channels {
    std::string_view output, kernel;  // the ends of the labels of axes "output", "kernel": "x2"
  };
  size_t axes = 2;  // the number of spatial axes
  // `pad` is for cases with a pad at its limit. `kernel` is for cases with a kernel or a dilation
  // at its limit. `stride` is for cases with a stride at its limit.
  Channels pad, kernel, stride;
  int64_t positions = 0;      // the output's positions along each axis if a kernel or a dilation is
                              // at its limit
  int64_t beside_stride = 0;  // the output's positions along the other axes if a stride is at its
                              // limit
};
// Returns the cases at the limits. `at` builds a case from a draft with other labels: see BuildAt.
std::vector<LimitCase> ConvolutionLimits(const ConvolutionLimitLabels& labels,
                                         CaseDraft (*at)(const CaseDraft& draft, Labels labels));

// --- Layers of networks -------------------------------------------------------------------------

// SizesLabel returns the label of sizes ("1x2x3"). NumbersLabel returns the label of pads ("1-m2-3"
// for 1, -2 and 3).
std::string SizesLabel(const std::vector<int64_t>& sizes);
std::string NumbersLabel(const std::vector<int64_t>& numbers);
// LayerLabels returns the labels for a layer that all convolutions and pooling operators have:
// kernel (followed by `channels`), stride, and zero points of i8. ConvolutionLayerLabels adds the
// labels that only convolutions have. It makes the weights constant, as compilers do.
Labels LayerLabels(const Setting& setting, const NetworkLayer& layer,
                   std::string_view channels = "");
Labels ConvolutionLayerLabels(const Setting& setting, const NetworkLayer& layer,
                              std::string_view channels = "");

// --- Relations ----------------------------------------------------------------------------------

// A small case of an operator with two or three spatial axes, as labels. In every type row, each
// relation of an operator (RelationsOf) holds in at least one of these cases.
struct RelationGeometry {
  std::string_view what;
  std::string_view positions;  // batch, and the output's spatial axes; for TRANSPOSE_CONV2D the
                               // input's spatial axes
  std::string_view kernel, stride, pad;
  std::string_view dilation;  // empty for operators without dilation
  int64_t inputs, outputs;    // channels
  int64_t multiplier = 1;     // for DEPTHWISE_CONV2D: output channels of each input channel
  bool (*applies)(const Setting&) = nullptr;  // null: it applies to every type row
  std::string_view bias = {};                 // "1": one bias for all channels
};

// Returns the labels of a window's axes.
Labels WindowLabels(std::string_view output, std::string_view kernel, std::string_view stride,
                    std::string_view pad, std::string_view dilation);
// Returns the labels of CONV2D or CONV3D for this geometry.
Labels ConvolutionLabels(const RelationGeometry& geometry);

// The geometries for operators with two spatial axes, except TRANSPOSE_CONV2D.
const std::vector<RelationGeometry>& ImageRelations();

// Layers like those of networks, in sizes for which implementations have different fast paths:
// several images, different height and width, and full vectors and tiles followed by a partial
// vector or tile. A fault that needs several of these properties at once shows in no other case.
// These layers are for pooling operators. Each convolution has layers of its own.
const std::vector<RelationGeometry>& PoolLayerGeometries();

// Returns a case for each geometry. The cases of `layers` are only for recipes whose domains are
// "full". These cases also have the geometry's bias and, if the operator has zero points, zero
// points. `labels_of` returns the labels of a geometry, from which `at` builds the case (see
// BuildAt). For `data_set` see RelationCase. The geometries must outlive the cases.
std::vector<RelationCase> RelationCases(const std::vector<RelationGeometry>& relations,
                                        const std::vector<RelationGeometry>& layers,
                                        Labels (*labels_of)(const RelationGeometry& geometry),
                                        CaseDraft (*at)(const CaseDraft& draft, Labels labels),
                                        std::string_view (*data_set)(const Setting&) = nullptr);

}  // namespace cts
