// Bindings, axes and data that symbolic programs share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "generator/data/data_sets.h"
#include "generator/ops/domain.h"
#include "generator/symbolic/symbolic_builder.h"

namespace cts::symbolic_graphs {

using Name = SymbolicBuilder::Name;
using Names = SymbolicBuilder::Names;
using Index = SymbolicBuilder::Index;
using Indices = SymbolicBuilder::Indices;
using Sizes = std::vector<int64_t>;

// --- Bindings. Every program has three bindings. In most programs, one of the bindings
// sets the symbol N to 1.

inline constexpr size_t kBindings = 3;

std::vector<Binding> Batches();
// The sizes fit the strides of the programs: with a stride of 2, the height including its padding
// is even. If `wide` is true, the widths are so large that there are at least a thousand results.
std::vector<Binding> Images(bool wide = false);

// --- Type rows and axes.

// The type of the first argument that has a type in the type row.
DType TypeOf(const Setting& setting);
bool IsNumber(const Setting& setting);
bool IsFloatRow(const Setting& setting);

std::vector<Axis> OneAxis(const Setting& setting);
// The axis "data" of operators with sums. For floating point, the data sets are from appendix A, so
// outputs need a thousand elements or more (notes.md, dot product, which data).
Axis SumData(const Setting& setting);
std::vector<Axis> SumAxes(const Setting& setting);

// --- Data. Small and Modest are functions of the type SymbolicBuilder::Fill.

// The choice's data, but with integers so small that the sum of 16 of them fits the type.
Tensor Small(const Choice& choice, std::string_view name, DType type, const Shape& shape);
// The choice's data, but with floating-point numbers from -1 to 1, so that a sum of their products
// is small.
Tensor Modest(const Choice& choice, std::string_view name, DType type, const Shape& shape);
DotProductSet SetOf(const Choice& choice, int64_t kernel_size);

// --- Lists of index values.

// Adds an input that holds one list for each binding, and extracts all elements of the list.
Indices ExtractAll(SymbolicBuilder& builder, const Name& name, const std::vector<Sizes>& lists);
Indices Consts(SymbolicBuilder& builder, const Sizes& values);

}  // namespace cts::symbolic_graphs
