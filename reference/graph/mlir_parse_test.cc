#include "reference/graph/mlir_parse.h"
#include <gtest/gtest.h>
