// A graph as a SPIR-V module: a graph of SPV_ARM_graph over tensors of SPV_ARM_tensors, with the
// instructions of the set TOSA.001000.1.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The form in which a module holds the values of CONST and CONST_SHAPE. Attributes always stand in
// the module.
enum class SpirvConstants {
  kModule,          // element by element, in the module
  kReplicated,      // one value for all elements if they are equal; otherwise as kModule
  kNull,            // as null if all bits are zero; otherwise as kModule
  kGraph,           // as constants of the graph: the maker of the pipeline gives the values
  kSpecialization,  // as specialization constants, whose defaults are the values
};

struct SpirvConstantsName {
  SpirvConstants constants;
  std::string_view name;  // on the command line
};
inline constexpr SpirvConstantsName kSpirvConstants[] = {
    {SpirvConstants::kModule, "module"},
    {SpirvConstants::kReplicated, "replicated"},
    {SpirvConstants::kNull, "null"},
    {SpirvConstants::kGraph, "graph"},
    {SpirvConstants::kSpecialization, "specialization"},
};
std::optional<SpirvConstants> ParseSpirvConstants(std::string_view name);

// The bindings of the tensors at the border of a module, inputs before outputs.
enum class SpirvPlaces {
  kInOrder,    // in set 0; tensor i has binding i
  kUnordered,  // in set 0; bindings decrease from the first tensor to the last, and every other is
               // skipped
  kSets,       // in up to four sets by turns, the last tensor in set 0
};

struct SpirvOptions {
  SpirvConstants constants = SpirvConstants::kModule;
  SpirvPlaces places = SpirvPlaces::kInOrder;
  bool lower = false;  // expresses what the instruction set lacks in another way: LowerForSpirv
};

// A tensor at the border of a module.
struct SpirvPort {
  std::string tensor;  // its name in the graph that was given
  DType dtype;         // type and shape are the module's
  Shape shape;
  uint32_t set, binding;
};

struct SpirvModule {
  std::string bytes;
  std::vector<SpirvPort> inputs, outputs;
  std::map<uint32_t, Tensor> constants;  // of the graph, by GraphConstantID
};

// The name of the entry point in a module that is written here.
inline constexpr std::string_view kSpirvEntryPoint = "main";

// The module, the same bytes on every machine. Illegal graphs are written, too, as far as the fault
// can be expressed. Unimplemented if it cannot: no dimensions, i4, IDENTITY, control flow,
// variables, a run-time tensor where only a constant may stand. Invalid argument if the graph is
// not one, such as an operator whose tensor is not declared. Constants that nothing uses are left
// out.
StatusOr<SpirvModule> EncodeSpirv(const Graph& graph, const Edition& edition,
                                  const SpirvOptions& options = {});

// The graph with [1] for the shape of a tensor without dimensions, i8 for i4, and without IDENTITY.
// Unimplemented where that could change the answer: an operator that refuses its operands, but
// takes the lowered ones.
StatusOr<Graph> LowerForSpirv(const Graph& graph, const Edition& edition);

struct SpirvFile {
  Graph graph;
  // The tensors whose names in the graph differ from those in the module.
  std::map<std::string, std::string> renamed;
};

// The longest module that is read.
inline constexpr uint64_t kMaxSpirvBytes = 1ull << 30;

// Whether bytes begin as a module does, in either order of bytes.
bool IsSpirv(std::string_view bytes);

// Gives the values of a constant of the graph, by its GraphConstantID.
using SpirvConstantSource =
    std::function<StatusOr<Tensor>(uint32_t id, DType dtype, const Shape& shape)>;

// Reads an untrusted module of one graph as a graph of tosa-1.0. `origin` names the module in
// messages. Int 64 is read as i48, and a constant at the place of a shape as a shape. Unimplemented
// if it has an unknown instruction or type.
StatusOr<SpirvFile> DecodeSpirv(std::string_view bytes, std::string_view origin,
                                const SpirvConstantSource& constants = {});

}  // namespace cts
