// The symbolic programs, by the source file that makes them.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

// symbolic_own.cc: single operators, each in a symbolic program of its own.
Domain OwnOperator();

// symbolic_parameters.cc: operators whose parameters are attributes and constants, as in a static
// graph.
Domain Matmul();
Domain Pool();
Domain Reduced();
Domain Identity();
Domain Indexed();
Domain Padded();
Domain Resized();
Domain Transformed();

// symbolic_run_time.cc: operators whose parameters come at run time.
Domain Slice();
Domain Pad();
Domain Gather();
Domain Scatter();

// symbolic_convolutions.cc: convolutions with parameters that are constants or come at run time.
Domain Convolution();
Domain Convolution2d();
Domain TransposeConvolution();
Domain Biased();
Domain Layers();

// symbolic_shapes.cc: several operands with one symbol each.
Domain TwoBatches();
Domain Concat();
// symbolic_shapes.cc: operators that change shapes (EXPAND_DIMS, COLLAPSE_DIMS, RESHAPE to computed
// dimensions), and operators that make tensors from index values (DIMS_TO_TENSOR, IOTA).
Domain Expanded();
Domain Collapsed();
Domain Heads();
Domain Flattened();
Domain Masked();
Domain IndexValues();

}  // namespace cts::symbolic_graphs
