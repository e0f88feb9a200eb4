// Symbolic programs of convolutions, whose parameters are constants or come at run time.
#pragma once

#include "generator/ops/domain.h"

namespace cts::symbolic_graphs {

Domain Convolution();
Domain Convolution2d();
Domain TransposeConvolution();
Domain Biased();
Domain Layers();

}  // namespace cts::symbolic_graphs
