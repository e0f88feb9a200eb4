#include "generator/networks/layer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cts_networks.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"

namespace cts {
namespace {

enum class Kind { kWindow, kTransposed, kResize, kMatmul, kDense };

Kind KindOf(std::string_view op) {
  if (op == "TRANSPOSE_CONV2D") return Kind::kTransposed;
  if (op == "RESIZE") return Kind::kResize;
  if (op == "MATMUL") return Kind::kMatmul;
  if (op == "FULLY_CONNECTED") return Kind::kDense;
  return Kind::kWindow;
}

bool IsPool(std::string_view op) { return op == "AVG_POOL2D" || op == "MAX_POOL2D"; }
bool IsImage(Kind kind) { return kind != Kind::kMatmul && kind != Kind::kDense; }
// Whether the result has the input's channels.
bool KeepsChannels(std::string_view op) {
  return IsPool(op) || op == "DEPTHWISE_CONV2D" || op == "RESIZE";
}

std::vector<std::string_view> MembersOf(std::string_view op) {
  switch (KindOf(op)) {
    case Kind::kTransposed:
      return {"kernel", "stride", "pad"};
    case Kind::kResize:
      return {"mode", "scale", "offset", "border"};
    case Kind::kMatmul:
      return {"constant"};
    case Kind::kDense:
      return {};
    case Kind::kWindow:
      break;
  }
  if (IsPool(op)) return {"kernel", "stride", "pad"};
  return {"kernel", "stride", "pad", "dilation"};
}

// --- Sizes that follow from others --------------------------------------------------------------

// The size of the output along a spatial axis. Nothing if it is no whole number.
std::optional<int64_t> OutputSize(const NetworkLayer& layer, size_t axis, int64_t input) {
  int64_t span = 0, step = 1;
  if (KindOf(layer.op) == Kind::kResize) {
    span = (input - 1) * layer.scale[2 * axis] - layer.offset[axis] + layer.border[axis];
    step = layer.scale[2 * axis + 1];
  } else {
    const int64_t pads = layer.pad[2 * axis] + layer.pad[2 * axis + 1];
    if (KindOf(layer.op) == Kind::kTransposed) {
      return (input - 1) * layer.stride[axis] + pads + layer.kernel[axis];
    }
    span = input - 1 + pads - (layer.kernel[axis] - 1) * layer.dilation[axis];
    step = layer.stride[axis];
  }
  if (span < 0 || step < 1 || span % step != 0) return std::nullopt;
  return span / step + 1;
}

// The output's size that a layer must have; nothing if the sizes do not fit each other.
std::optional<Shape> OutputOf(const NetworkLayer& layer) {
  Shape output = layer.output;
  output[0] = layer.input[0];
  if (KindOf(layer.op) == Kind::kMatmul) output[1] = layer.input[1];
  if (!IsImage(KindOf(layer.op))) return output;
  for (size_t axis = 0; axis < 2; ++axis) {
    const std::optional<int64_t> size = OutputSize(layer, axis, layer.input[1 + axis]);
    if (!size) return std::nullopt;
    output[1 + axis] = *size;
  }
  if (KeepsChannels(layer.op)) output[3] = layer.input[3];
  return output;
}

// --- Reading ------------------------------------------------------------------------------------

std::string Text(const Shape& shape) {
  std::string text;
  for (const int64_t size : shape) text += StrCat(text.empty() ? "" : "x", size);
  return text;
}

Status CheckMembers(const Json& json, const NetworkLayer& layer) {
  const std::vector<std::string_view> members = MembersOf(layer.op);
  for (const std::string_view member :
       {"kernel", "stride", "dilation", "pad", "constant", "mode", "scale", "offset", "border"}) {
    const bool is_wanted = Contains(members, member);
    if (json.contains(member) == is_wanted) continue;
    if (is_wanted) {
      return InvalidArgument(layer.place, ": found no \"", member, "\"; expected the one of ",
                             layer.op);
    }
    return InvalidArgument(layer.place, "/", member, ": found ", json[std::string(member)].dump(),
                           ", expected none: ", layer.op, " has no such parameter");
  }
  const size_t rank = IsImage(KindOf(layer.op)) ? 4 : KindOf(layer.op) == Kind::kMatmul ? 3 : 2;
  for (const char* const member : {"input", "output"}) {
    const size_t found = json[member].size();
    if (found == rank) continue;
    return InvalidArgument(layer.place, "/", member, ": found ", found, " dimensions, but ",
                           layer.op, " has ", rank);
  }
  return absl::OkStatus();
}

Status CheckOutput(const NetworkLayer& layer) {
  const std::optional<Shape> output = OutputOf(layer);
  if (!output) {
    return InvalidArgument(layer.place, "/input: found ", Text(layer.input),
                           ", of which the last window of ", layer.op,
                           " leaves a rest; expected sizes and pads with which it ends exactly "
                           "where input and padding end");
  }
  if (*output == layer.output) return absl::OkStatus();
  return InvalidArgument(layer.place, "/output: found ", Text(layer.output), ", but ", layer.op,
                         " makes ", Text(*output), " of the input and the parameters");
}

std::vector<int64_t> Numbers(const Json& json, const char* member) {
  return json.value(member, std::vector<int64_t>());
}

StatusOr<NetworkLayer> LayerFromJson(const Json& json, const Json& networks, std::string place) {
  NetworkLayer layer;
  layer.name = json["name"];
  layer.place = std::move(place);
  layer.op = json["operator"];
  layer.block = json.value("block", "");
  CTS_RETURN_IF_ERROR(CheckMembers(json, layer));
  for (size_t i = 0; i < json["of"].size(); ++i) {
    const std::string network = json["of"][i]["network"];
    if (!networks.contains(network)) {
      return InvalidArgument(layer.place, "/of/", i, "/network: found ", network,
                             ", expected one of /networks");
    }
    layer.networks += StrCat(i == 0 ? "" : ", ", networks[network]["title"].get<std::string>());
  }
  layer.input = json["input"].get<Shape>();
  layer.output = json["output"].get<Shape>();
  layer.kernel = Numbers(json, "kernel");
  layer.stride = Numbers(json, "stride");
  layer.dilation = Numbers(json, "dilation");
  if (layer.dilation.empty()) layer.dilation = {1, 1};
  layer.pad = Numbers(json, "pad");
  layer.constant = json.value("constant", false);
  layer.mode = json.value("mode", "");
  layer.scale = Numbers(json, "scale");
  layer.offset = Numbers(json, "offset");
  layer.border = Numbers(json, "border");
  CTS_RETURN_IF_ERROR(CheckOutput(layer));
  return layer;
}

// --- Other sizes --------------------------------------------------------------------------------

// The smallest number from `least` on that leaves the same rest by `step`; the number itself, if
// that is not smaller.
int64_t Kept(int64_t number, int64_t least, int64_t step) {
  return std::min(number, least + ((number - least) % step + step) % step);
}

// Bounds of channels (and of the sizes of MATMUL and FULLY_CONNECTED), and of positions along an
// axis of an image. A number below its bound stays as it is.
struct Bounds {
  int64_t channels, positions;
};

constexpr int64_t kVector = 16;  // channels that hardware takes together

// The greater of two numbers that differ stays the greater.
void KeepOrder(int64_t first, int64_t second, int64_t& new_first, int64_t& new_second) {
  if (first < second && new_first >= new_second) new_second += kVector;
  if (first > second && new_first <= new_second) new_first += kVector;
}

// Along an axis, at least so many positions that each element of the kernel meets an element of the
// input.
int64_t LeastPositions(const NetworkLayer& layer, size_t axis) {
  constexpr int64_t kLeast = 3;
  if (layer.pad.empty() || KindOf(layer.op) == Kind::kTransposed) return kLeast;
  const int64_t pad = std::max(layer.pad[2 * axis], layer.pad[2 * axis + 1]);
  return std::max(kLeast, pad / layer.stride[axis] + 2);
}

NetworkLayer Within(const NetworkLayer& published, const Bounds& bounds) {
  NetworkLayer layer = published;
  const bool is_image = IsImage(KindOf(layer.op));
  layer.input[0] = layer.output[0] = Kept(published.input[0], is_image ? 2 : bounds.positions, 2);
  if (KindOf(layer.op) == Kind::kMatmul) {
    layer.input[1] = layer.output[1] = Kept(published.input[1], bounds.channels, kVector);
  }
  int64_t &inputs = layer.input.back(), &outputs = layer.output.back();
  inputs = Kept(inputs, bounds.channels, kVector);
  outputs = Kept(outputs, bounds.channels, kVector);
  KeepOrder(published.input.back(), published.output.back(), inputs, outputs);
  if (!is_image) return layer;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t least = std::max(bounds.positions, LeastPositions(layer, axis));
    // The side that windows are counted on.
    const bool by_input = KindOf(layer.op) != Kind::kWindow;
    const int64_t most = (by_input ? published.input : published.output)[1 + axis];
    for (int64_t size = Kept(most, least, 2); size <= most; size += 2) {
      const int64_t step = layer.stride.empty() ? 1 : layer.stride[axis];
      const int64_t input = by_input ? size : published.input[1 + axis] - (most - size) * step;
      const std::optional<int64_t> output = OutputSize(layer, axis, input);
      if (input < 1 || !output || *output < 1) continue;
      layer.input[1 + axis] = input;
      layer.output[1 + axis] = *output;
      break;
    }
  }
  return layer;
}

bool IsWithin(const NetworkLayer& layer, const LayerLimits& limits) {
  const int64_t length = layer.SumLength();
  return length <= limits.products_of_a_sum &&
         (length == 1 || ElementCount(layer.output) <= limits.sums);
}

}  // namespace

NetworkLayer AsConvolution(const NetworkLayer& dense) {
  NetworkLayer layer = dense;
  layer.op = "CONV2D";
  layer.input = {dense.input[0], 1, 1, dense.input[1]};
  layer.output = {dense.output[0], 1, 1, dense.output[1]};
  layer.kernel = layer.stride = layer.dilation = {1, 1};
  layer.pad = {0, 0, 0, 0};
  return layer;
}

int64_t NetworkLayer::Products() const {
  const int64_t area = kernel.empty() ? 1 : ElementCount(kernel);
  switch (KindOf(op)) {
    case Kind::kTransposed:
      return ElementCount(input) * area * output.back();
    case Kind::kResize:
      return 4 * ElementCount(output);
    case Kind::kMatmul:
    case Kind::kDense:
      return ElementCount(output) * input.back();
    case Kind::kWindow:
      break;
  }
  return ElementCount(output) * area * (KeepsChannels(op) ? 1 : input.back());
}

int64_t NetworkLayer::SumLength() const {
  if (op == "RESIZE" || op == "MAX_POOL2D") return 1;
  return (kernel.empty() ? 1 : ElementCount(kernel)) * (KeepsChannels(op) ? 1 : input.back());
}

int64_t NetworkLayer::Elements() const {
  int64_t weights = 0;
  if (KindOf(op) == Kind::kMatmul) {
    weights = input[0] * input.back() * output.back();
  } else if (op == "DEPTHWISE_CONV2D") {
    weights = ElementCount(kernel) * output.back();
  } else if (!KeepsChannels(op)) {
    weights = (kernel.empty() ? 1 : ElementCount(kernel)) * input.back() * output.back();
  }
  return ElementCount(input) + weights + ElementCount(output);
}

StatusOr<std::vector<NetworkLayer>> LayersFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "networks", origin));
  std::vector<NetworkLayer> layers;
  std::map<std::string, std::string> places;
  for (size_t i = 0; i < json["layers"].size(); ++i) {
    CTS_ASSIGN_OR_RETURN(NetworkLayer layer, LayerFromJson(json["layers"][i], json["networks"],
                                                           StrCat(origin, ": /layers/", i)));
    const auto [place, is_new] = places.emplace(layer.name, layer.place);
    if (!is_new) {
      return InvalidArgument(layer.place, "/name: found ", layer.name, ", which ", place->second,
                             " is called, too; expected a name of its own");
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

const StatusOr<std::vector<NetworkLayer>>& PublishedLayers() {
  static const auto& layers = *new StatusOr<std::vector<NetworkLayer>>([] {
    const EmbeddedFile& file = EmbeddedNetworks().front();
    const StatusOr<Json> json = ParseJson(file.text, file.name);
    return json.ok() ? LayersFromJson(*json, file.name) : json.status();
  }());
  return layers;
}

NetworkLayer Resized(const NetworkLayer& layer, LayerSize size, const LayerLimits& limits) {
  if (size == LayerSize::kSmall) return Within(layer, {kVector, 3});
  // Half a second of one thread, and some megabytes of answers and bounds.
  constexpr int64_t kProducts = 200'000'000, kElements = 1'000'000, kAll = 1'000'000;
  // Channels go first: a large image crosses more of an implementation's tiles.
  const auto bounds = {Bounds{kAll, kAll}, {512, kAll}, {256, kAll}, {128, kAll}, {64, kAll},
                       {32, kAll},         {32, 128},   {32, 64},    {16, 64},    {16, 32}};
  NetworkLayer resized = layer;
  for (const Bounds& bound : bounds) {
    resized = Within(layer, bound);
    if (resized.Products() <= kProducts && resized.Elements() <= kElements &&
        IsWithin(resized, limits)) {
      return resized;
    }
  }
  // No size requires images as small as these, but a limit may.
  for (const int64_t positions : {16, 8}) {
    if (!IsWithin(resized, limits)) resized = Within(layer, {kVector, positions});
  }
  return resized;
}

std::vector<NetworkLayer> DistinctLayers(const std::vector<NetworkLayer>& layers, LayerSize size,
                                         const LayerLimits& limits) {
  std::vector<NetworkLayer> distinct;
  std::set<std::string> seen;
  for (const NetworkLayer& published : layers) {
    NetworkLayer layer = Resized(published, size, limits);
    if (layer.SumLength() > limits.products_of_a_sum) continue;
    std::string geometry = StrCat(layer.op, " ", layer.mode, layer.constant);
    for (const auto* const numbers :
         {&layer.input, &layer.output, &layer.kernel, &layer.stride, &layer.dilation, &layer.pad,
          &layer.scale, &layer.offset, &layer.border}) {
      geometry += " " + Text(*numbers);
    }
    if (layer.input != published.input || layer.output != published.output) {
      layer.published = StrCat(Text(published.input), " to ", Text(published.output));
    }
    const bool is_new = seen.insert(geometry).second;
    const bool has_new_block =
        !layer.block.empty() && seen.insert(StrCat(geometry, " ", layer.block)).second;
    if (!has_new_block) layer.block.clear();
    if (!is_new) layer.op.clear();  // it is there for its block alone
    if (is_new || has_new_block) distinct.push_back(std::move(layer));
  }
  return distinct;
}

}  // namespace cts
