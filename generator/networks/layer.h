// Layers of published networks (layers.json). Users of an accelerator run these networks first.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/shape.h"
#include "reference/base/status.h"

namespace cts {

// One operator of a network with its sizes. Members that an operator does not have are empty.
struct NetworkLayer {
  std::string name;      // "resnet50_stem"; for ids
  std::string place;     // "layers.json: /layers/9"; for messages
  std::string networks;  // titles of the networks that have the layer: "ResNet-34, ResNet-50"
  // The published shapes, "INPUT to OUTPUT", if this layer has smaller shapes; otherwise empty.
  std::string published;
  std::string op;  // the operator, as OperatorSpec::Seen names it: "CONV2D"
  // The graph that is also built around this layer, such as "bottleneck"; may be empty.
  std::string block;
  Shape input, output;  // N, H, W, C; for MATMUL N, H, C and N, H, W; for FULLY_CONNECTED N, C
  std::vector<int64_t> kernel, stride, dilation;  // y, x
  // Top, bottom, left, right; for TRANSPOSE_CONV2D the pads of the output.
  std::vector<int64_t> pad;
  bool constant = false;                // MATMUL: whether the second operand has constant weights
  std::string mode;                     // RESIZE
  std::vector<int64_t> scale;           // RESIZE: numerator and denominator of y, then of x
  std::vector<int64_t> offset, border;  // RESIZE: y, x

  // The number of products, including products with padding. For a pooling operator: the sum of the
  // sizes of all windows, including padding. For RESIZE: four for each element of the output.
  int64_t Products() const;
  // The greatest number of products in one sum; 1 for RESIZE and MAX_POOL2D, which have no long
  // sums.
  int64_t SumLength() const;
  // The number of elements of the input, of the weights or the second operand, and of the result,
  // in total.
  int64_t Elements() const;
};

enum class LayerSize {
  kSmall,      // the reference takes a few milliseconds
  kPublished,  // the published sizes, or smaller sizes that take the reference less than a second
};

// Reads layers in the form of schemas/networks.schema.json. An error names `origin` (a path), the
// JSON pointer, what was found and what was expected. Errors are a missing member, a member that
// the operator does not have, and an output that the other sizes do not yield. Other errors are a
// wrong number of dimensions, a network that the JSON does not describe, and a name that several
// layers have.
StatusOr<std::vector<NetworkLayer>> LayersFromJson(const Json& json, std::string_view origin);

// The layers of layers.json, which is embedded in the program.
const StatusOr<std::vector<NetworkLayer>>& PublishedLayers();

// Converts a FULLY_CONNECTED layer to a convolution, for editions without FULLY_CONNECTED.
NetworkLayer AsConvolution(const NetworkLayer& dense);

// Limits of a layer in addition to those of its LayerSize. For kSmall, Resized ignores LayerLimits.
struct LayerLimits {
  int64_t products_of_a_sum = std::numeric_limits<int64_t>::max();
  int64_t sums = std::numeric_limits<int64_t>::max();  // the number of sums, one for each result;
                                                       // no limit for operators without sums
};

// Returns the layer with fewer channels and smaller images, if `size` and `limits` require this.
// Kernel, stride, dilation, pads and scale stay. Numbers of channels or elements stay the same
// modulo 16. An even size of an image stays even, and an odd size stays odd. A number of channels
// that is greater than another number of channels stays greater. For kPublished, the returned layer
// exceeds a limit only if even the smallest layer that this function tries exceeds the limit.
NetworkLayer Resized(const NetworkLayer& layer, LayerSize size, const LayerLimits& limits = {});

// Resizes the layers to this size. Leaves out layers whose sums are still longer than
// limits.products_of_a_sum. If several of the other layers then have the same geometry, returns the
// first of them. A later one is returned only if it has a block (NetworkLayer::block) that no
// earlier layer of the same geometry has. The `op` of such a later layer is empty, because the
// layer is used only for its block.
std::vector<NetworkLayer> DistinctLayers(const std::vector<NetworkLayer>& layers, LayerSize size,
                                         const LayerLimits& limits = {});

}  // namespace cts
