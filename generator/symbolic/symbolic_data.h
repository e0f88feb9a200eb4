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

// --- Bindings. Every program has three; each symbol is 1 in one of them.

inline constexpr size_t kBindings = 3;

std::vector<Binding> Batches();
// With a stride of 2 the height including its padding is even; with a stride of 3 the depth is one
// more than a multiple of 3. `wide`: there are a thousand results.
std::vector<Binding> Images(bool wide = false);

// --- Type rows and axes.

// The type of the first argument that has one.
DType TypeOf(const Setting& setting);
bool IsNumber(const Setting& setting);
bool IsFloatRow(const Setting& setting);

std::vector<Axis> OneAxis(const Setting& setting);
// Sums of floating-point products and the like use only data of appendix A, and a tensor has a
// thousand results or more (notes.md, dot product, which data).
Axis SumData(const Setting& setting);
std::vector<Axis> SumAxes(const Setting& setting);

// --- Data, as SymbolicBuilder::Fill.

// The choice's data. Integers are so small that several sums of them fit.
Tensor Small(const Choice& choice, std::string_view name, DType type, const Shape& shape);
// The choice's data. Floating-point numbers are so small that a sum of their products is small,
// too.
Tensor Modest(const Choice& choice, std::string_view name, DType type, const Shape& shape);
DotProductSet SetOf(const Choice& choice, int64_t kernel_size);

// --- Lists of index values.

// Elements of an input that holds one list for each binding.
Indices ExtractAll(SymbolicBuilder& builder, const Name& name, const std::vector<Sizes>& lists);
Indices Consts(SymbolicBuilder& builder, const Sizes& values);

}  // namespace cts::symbolic_graphs
