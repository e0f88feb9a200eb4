// The geometry of the operators whose windows slide over an image. It has the sizes that labels
// stand for, axes of several operators, changes that break a size, and the cases at the limits of a
// level. Spatial axes are those between the batch and the channels.
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

// A convolution (except TRANSPOSE_CONV2D) or a pooling.
struct WindowGeometry {
  Shape output;                           // N, OH, OW and channels; for CONV3D N, OD, OH, OW, OC
  std::vector<int64_t> kernel;            // KH, KW, and IC where the label has it
  std::vector<int64_t> stride, dilation;  // y, x
  std::vector<int64_t> pad;               // top, bottom, left, right
  Shape input;                            // of sizes that give exactly the output's sizes
};

// The geometry by the axes "kernel", "stride", "pad" and "dilation", which is 1 where there is no
// such axis.
WindowGeometry WindowGeometryOf(const Labels& labels, Shape output, int64_t input_channels);
// The same for CONV2D and CONV3D: the axis "output" has the output's shape, and the label of the
// kernel ends with the input's channels.
WindowGeometry ConvolutionGeometryOf(const Labels& labels);

// Why a choice of output, kernel, stride, pad and dilation makes no case.
inline constexpr std::string_view kInputDimension =
    "an input of no elements or of more than a case should have, or one that few windows see";

// The share of the positions along an axis at which a kernel sees an element of the input.
double ShareThatSees(int64_t outputs, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation,
                     int64_t inputs);
// At least this share of the results must be more than a bias: with fewer, any answer would do.
inline constexpr double kLeastShare = 0.25;

// A kernel of at most 33025 products, each of them 255 * 255, fits an accumulator of 32 bits; one
// product more does not. Few cases have so large a kernel; the others are small.
inline bool IsSmall(int64_t kernel_size, int64_t input, int64_t weight) {
  return input + weight <= (kernel_size > 33000 ? 200000 : 50000);
}

// Whether a convolution makes a case; kInputDimension says why it does not.
bool MakesCase(const WindowGeometry& geometry);

// --- Axes ---------------------------------------------------------------------------------------

// In narrow types, with kernels of some hundred products, the bound of the dot-product rule or the
// large value of S2 and S3 detects nothing any more.
inline bool IsNarrowFloat(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  return IsFloat(in_t) && in_t != DType::kFp32;
}

// A kernel of CONV2D and TRANSPOSE_CONV2D that fills the accumulator (see FullSum), and one whose
// sums show how they are rounded (see WholeSum).
inline constexpr char kFullImageKernel[] = "1x1x33025", kSummedImageKernel[] = "1x1x21";

// KH, KW, IC of CONV2D and TRANSPOSE_CONV2D.
Axis ImageKernelAxis(const Setting& setting);
// The stride of the convolutions of two spatial axes, and the axes "stride", "pad" and "dilation"
// of those whose pads are the input's.
Axis ImageStrideAxis();
void AddImageWindowAxes(std::vector<Axis>& axes);

// --- Changes of a draft that several breakers make ----------------------------------------------

// Sets a pad to `value` and changes the input's axis by the difference, so that the output's size
// stays.
DraftChange ReplacePad(size_t side, int64_t value);
inline DraftChange NegativePad(size_t side) { return ReplacePad(side, -1); }
DraftChange SetStride(size_t index, int64_t value);
// The same with one position along the axis. The number of positions does not depend on the stride
// then; the kernel must be 1 and the pads 0.
DraftChange SetStrideOfOnePosition(size_t index, int64_t value);
DraftChange SetDilation(size_t index, int64_t value);
DraftChange EnlargeOutput(size_t axis, int64_t more = 1);
DraftChange EnlargeInput(size_t axis);
// The size for an implementation that rounds up, instead of down, where the stride does not divide.
DraftChange EnlargeBoth(size_t axis);
// The number of channels of a convolution in two groups.
inline void TwiceTheChannels(const Setting&, CaseDraft& d) {
  Shape shape = d.tensor("input").shape();
  shape.back() *= 2;
  Reshape(d.tensor("input"), shape);
}

// The ways to break the conditions of windows. Their order numbers the ids of a condition's cases.
struct WindowWays {
  struct Rest {
    Labels labels;  // with a stride that does not divide an input of one element more
    bool more = false;
  };
  std::string_view op;   // "conv2d": the ids of its conditions begin so
  Labels labels;         // of the drafts that the changes start from
  Labels of_sizes = {};  // the same for another size of the output, if not `labels`
  std::vector<DraftChange> kernels = {}, strides = {}, dilations = {};  // below one
  std::vector<size_t> pads = {};  // the sides that a pad below zero is on
  size_t axes = 2;                // spatial
  std::vector<Rest> rests = {};   // by spatial axis; empty: no input leaves a rest
  std::vector<Breaker> own = {};  // of conditions that other operators do not have
};
std::vector<Breaker> WindowBreakers(const WindowWays& ways);

// --- Limits of a level --------------------------------------------------------------------------

// The label of sizes along the spatial axes: `size` along one, `others` along each of the others.
// "1x7" is 7 along the second of two.
std::string Along(size_t axes, size_t axis, int64_t size, int64_t others = 1);
// The label of the pads of the spatial axes: `pad` on one side, 0 on the others. "0-0-7-0" is 7 on
// the third side of two axes, left.
std::string OnSide(size_t axes, size_t side, int64_t pad);

// The labels of a convolution's cases at MAX_KERNEL and MAX_STRIDE, except those at the limit.
struct ConvolutionLimitLabels {
  struct Channels {
    std::string_view output, kernel;  // end the labels of these axes: "x2"
  };
  size_t axes = 2;  // spatial
  // For the cases with a pad, with a kernel or a dilation, with a stride at its limit.
  Channels pad, kernel, stride;
  int64_t positions = 0;      // along each axis, for a kernel or a dilation at its limit
  int64_t beside_stride = 0;  // positions along the other axes if a stride is at its limit
};
// `at` builds a case from a draft with these labels instead: see BuildAt.
std::vector<LimitCase> ConvolutionLimits(const ConvolutionLimitLabels& labels,
                                         CaseDraft (*at)(const CaseDraft& draft, Labels labels));

// --- Layers of networks -------------------------------------------------------------------------

// "1x2x3" and "1-m2-3": sizes and pads in the form of labels.
std::string SizesLabel(const std::vector<int64_t>& sizes);
std::string NumbersLabel(const std::vector<int64_t>& numbers);
// The labels of a layer that every convolution and pool has: kernel (followed by `channels`, if
// any), stride, and zero points of i8. The weights of a convolution are constant, as in compilers.
Labels LayerLabels(const Setting& setting, const NetworkLayer& layer,
                   std::string_view channels = "");
Labels ConvolutionLayerLabels(const Setting& setting, const NetworkLayer& layer,
                              std::string_view channels = "");

// --- Relations ----------------------------------------------------------------------------------

// A small case of an operator of two spatial axes or three, by labels. Together those of an
// operator have all of its relations (RelationsOf) in every type row.
struct RelationGeometry {
  std::string_view what;
  std::string_view
      positions;  // batch, and the output's spatial axes; for TRANSPOSE_CONV2D the input's
  std::string_view kernel, stride, pad;
  std::string_view dilation;  // not of all operators
  int64_t inputs, outputs;    // channels
  int64_t multiplier = 1;     // for DEPTHWISE_CONV2D: output channels of each input channel
  bool (*applies)(const Setting&) = nullptr;  // null: to every type row
  std::string_view bias = {};                 // "1": one for all channels
};

// The labels of a window's axes.
Labels WindowLabels(std::string_view output, std::string_view kernel, std::string_view stride,
                    std::string_view pad, std::string_view dilation);
// The labels of CONV2D and CONV3D.
Labels ConvolutionLabels(const RelationGeometry& geometry);

// For operators with two spatial axes, except TRANSPOSE_CONV2D.
const std::vector<RelationGeometry>& ImageRelations();

// Layers as networks have them, in the sizes that fast paths tell apart: several images, height and
// width that differ, vectors and tiles that are filled and leave a rest. A fault that needs several
// of these at once shows nowhere else. These are for pools; each convolution has its own.
const std::vector<RelationGeometry>& PoolLayerGeometries();

// A case for each geometry, those of `layers` for recipes whose domains are full, with zero points
// where the operator has them, and their bias. `labels_of` are the labels of a geometry, from which
// `at` builds the case (see BuildAt). `data_set`: see RelationCase. The geometries have to outlive
// the cases.
std::vector<RelationCase> RelationCases(const std::vector<RelationGeometry>& relations,
                                        const std::vector<RelationGeometry>& layers,
                                        Labels (*labels_of)(const RelationGeometry& geometry),
                                        CaseDraft (*at)(const CaseDraft& draft, Labels labels),
                                        std::string_view (*data_set)(const Setting&) = nullptr);

}  // namespace cts
