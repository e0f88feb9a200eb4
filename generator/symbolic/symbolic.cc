#include "generator/symbolic/symbolic.h"

#include "generator/symbolic/symbolic_convolutions.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_own.h"
#include "generator/symbolic/symbolic_parameters.h"
#include "generator/symbolic/symbolic_run_time.h"
#include "generator/symbolic/symbolic_shapes.h"

namespace cts {

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
  // By themselves, each a graph of one operator.
  static constexpr std::pair<const char*, const char*> kOwn[] = {
      {"own-abs", "ABS"},
      {"own-add", "ADD"},
      {"own-argmax", "ARGMAX"},
      {"own-arithmetic-right-shift", "ARITHMETIC_RIGHT_SHIFT"},
      {"own-bitwise-and", "BITWISE_AND"},
      {"own-bitwise-not", "BITWISE_NOT"},
      {"own-bitwise-or", "BITWISE_OR"},
      {"own-bitwise-xor", "BITWISE_XOR"},
      {"own-cast", "CAST"},
      {"own-ceil", "CEIL"},
      {"own-clamp", "CLAMP"},
      {"own-clz", "CLZ"},
      {"own-cos", "COS"},
      {"own-equal", "EQUAL"},
      {"own-erf", "ERF"},
      {"own-exp", "EXP"},
      {"own-floor", "FLOOR"},
      {"own-greater", "GREATER"},
      {"own-greater-equal", "GREATER_EQUAL"},
      {"own-intdiv", "INTDIV"},
      {"own-log", "LOG"},
      {"own-logical-and", "LOGICAL_AND"},
      {"own-logical-left-shift", "LOGICAL_LEFT_SHIFT"},
      {"own-logical-not", "LOGICAL_NOT"},
      {"own-logical-or", "LOGICAL_OR"},
      {"own-logical-right-shift", "LOGICAL_RIGHT_SHIFT"},
      {"own-logical-xor", "LOGICAL_XOR"},
      {"own-maximum", "MAXIMUM"},
      {"own-minimum", "MINIMUM"},
      {"own-mul", "MUL"},
      {"own-negate", "NEGATE"},
      {"own-pow", "POW"},
      {"own-reciprocal", "RECIPROCAL"},
      {"own-reverse", "REVERSE"},
      {"own-rsqrt", "RSQRT"},
      {"own-select", "SELECT"},
      {"own-sigmoid", "SIGMOID"},
      {"own-sin", "SIN"},
      {"own-sub", "SUB"},
      {"own-table", "TABLE"},
      {"own-tanh", "TANH"},
      {"own-tile", "TILE"},
      {"own-transpose", "TRANSPOSE"}};
  for (const auto& [name, op] : kOwn) all.push_back({name, op, nullptr, OwnOperator});
  return all;
}

}  // namespace cts
