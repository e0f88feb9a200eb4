#include "generator/symbolic/symbolic.h"

#include <algorithm>
#include <map>
#include <string>

#include "generator/draft/name_text.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// "own-logical-not".
std::string OwnName(std::string_view op) {
  std::string name = StrCat("own-", Lower(op));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

std::vector<GraphDomain> SymbolicGraphs() {
  using namespace symbolic_graphs;  // NOLINT(google-build-using-namespace)
  std::vector<GraphDomain> all = {
      {"bias", "CONV2D", IsIntegerRow, Biased},
      {"collapsed", "REDUCE_MAX", nullptr, Collapsed},
      {"concat", "CONCAT", nullptr, Concat},
      {"conv2d", "CONV2D", nullptr, Convolution2d},
      {"conv3d", "CONV3D", nullptr, Convolution},
      {"depthwise-conv2d", "DEPTHWISE_CONV2D", nullptr, Convolution},
      {"transpose-conv2d", "TRANSPOSE_CONV2D", nullptr, TransposeConvolution},
      {"expanded", "ADD", nullptr, Expanded},
      {"flattened", "RESHAPE", HasIntegers, Flattened},
      {"fft2d", "FFT2D", nullptr, Transformed},
      {"gather", "GATHER", nullptr, Gather},
      {"gather-tensor", "GATHER", nullptr, Indexed},
      {"heads", "RESHAPE", nullptr, Heads},
      {"identity", "IDENTITY", nullptr, Identity},
      {"index-values", "CONST", IsNumber, IndexValues},
      {"layers", "CONV2D", IsI8Row, Layers},
      {"masked", "SELECT", HasIntegers, Masked},
      {"matmul", "MATMUL", nullptr, Matmul},
      {"max-pool2d", "MAX_POOL2D", nullptr, Pool},
      {"avg-pool2d", "AVG_POOL2D", nullptr, Pool},
      {"pad", "PAD", nullptr, Pad},
      {"pad-const", "PAD", nullptr, Padded},
      {"reduce-all", "REDUCE_ALL", nullptr, Reduced},
      {"reduce-any", "REDUCE_ANY", nullptr, Reduced},
      {"reduce-max", "REDUCE_MAX", nullptr, Reduced},
      {"reduce-min", "REDUCE_MIN", nullptr, Reduced},
      {"reduce-product", "REDUCE_PRODUCT", nullptr, Reduced},
      {"reduce-sum", "REDUCE_SUM", nullptr, Reduced},
      {"resize", "RESIZE", nullptr, symbolic_graphs::Resized},
      {"rfft2d", "RFFT2D", nullptr, Transformed},
      {"scatter", "SCATTER", nullptr, Scatter},
      {"scatter-tensor", "SCATTER", nullptr, Indexed},
      {"slice", "SLICE", nullptr, Slice},
      {"two-batches", "MAXIMUM", nullptr, TwoBatches}};
  // By themselves, each a graph of one operator. Graphs are named by string views; this keeps the
  // strings.
  static const auto& own = *[] {
    auto* const names = new std::map<std::string, std::string_view>;
    for (const Operator& op : Operators()) {
      if (op.facts().alone_with_symbols) names->emplace(OwnName(op.name), op.name);
    }
    return names;
  }();
  for (const auto& [name, op] : own) all.push_back({name, op, nullptr, OwnOperator});
  return all;
}

}  // namespace cts
