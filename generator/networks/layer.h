// Layers of published networks (layers.json): what users of an accelerator run first.
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
  std::string name;       // "resnet50_stem"; for ids
  std::string place;      // "layers.json: /layers/9"; for messages
  std::string networks;   // titles of those that have it: "ResNet-34, ResNet-50"
  std::string published;  // the published sizes, where those here are smaller
  std::string op;         // by the name of its text: "CONV2D"
  std::string block;      // the graph that is built around this layer as well: "bottleneck"
  Shape input, output;    // N, H, W, C; of MATMUL N, H, C and N, H, W; of FULLY_CONNECTED N, C
  std::vector<int64_t> kernel, stride, dilation;  // y, x
  std::vector<int64_t> pad;    // top, bottom, left, right; of TRANSPOSE_CONV2D the output's
  bool constant = false;       // MATMUL: whether the second operand holds weights
  std::string mode;            // RESIZE
  std::vector<int64_t> scale;  // RESIZE: numerator and denominator of y, then of x
  std::vector<int64_t> offset, border;  // RESIZE: y, x

  // Products of the sums, of a pool or RESIZE as many additions; without padding's.
  int64_t Products() const;
  // The most of one sum. 1 for RESIZE and MAX_POOL2D, which have none.
  int64_t SumLength() const;
  // Elements of all operands and the result.
  int64_t Elements() const;
};

enum class LayerSize {
  kSmall,      // a few milliseconds for the reference
  kPublished,  // as published, or as much of it as the reference does in less than a second
};

// Reads what schemas/networks.schema.json describes. An error names `origin` (a path), the JSON
// pointer, what was found and what was expected: a member that is missing or not the operator's, an
// output that the other sizes do not yield, a network or a name that is unknown or there twice.
StatusOr<std::vector<NetworkLayer>> LayersFromJson(const Json& json, std::string_view origin);

// Those of layers.json, which is embedded.
const StatusOr<std::vector<NetworkLayer>>& PublishedLayers();

// A FULLY_CONNECTED as editions without that operator have it.
NetworkLayer AsConvolution(const NetworkLayer& dense);

inline constexpr int64_t kAnySum = std::numeric_limits<int64_t>::max();

// The layer with fewer channels and smaller images where the size asks for it. Kernel, stride,
// dilation, pads and scale stay. So do the rest that a number of channels or elements leaves by
// 16, the parity of an image's sizes, and which of two numbers of channels is the greater. A sum
// has more than `longest_sum` products only where no number of channels makes it shorter.
NetworkLayer Resized(const NetworkLayer& layer, LayerSize size, int64_t longest_sum = kAnySum);

// One of each geometry at this size, called after the first in the order given: small sizes make
// one of several. Layers of longer sums are left out. Each block has one of each geometry, too:
// without an operator if the geometry was there before.
std::vector<NetworkLayer> DistinctLayers(const std::vector<NetworkLayer>& layers, LayerSize size,
                                         int64_t longest_sum = kAnySum);

}  // namespace cts
