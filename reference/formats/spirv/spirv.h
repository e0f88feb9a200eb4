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

// The form in which a module holds the values of CONST and CONST_SHAPE. The values of attributes
// are always in the module.
enum class SpirvConstants {
  kModule,          // element by element, in the module
  kReplicated,      // one value for all elements if they are equal; otherwise as kModule
  kNull,            // as a null constant if all bits are zero; otherwise as kModule
  kGraph,           // as constants of the graph; the creator of the pipeline supplies the values
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

// The descriptor sets and bindings that a module's tensors get. The tensors are numbered from 0:
// first the inputs, then the outputs.
enum class SpirvPlaces {
  kInOrder,    // in set 0; tensor i has binding i
  kUnordered,  // in set 0; bindings decrease by two from each tensor to the next
  kSets,       // in up to four sets by turns: the last tensor in set 0, the one before in 1, ...
};

struct SpirvOptions {
  SpirvConstants constants = SpirvConstants::kModule;
  SpirvPlaces places = SpirvPlaces::kInOrder;
  bool lower = false;  // replaces types and operators that the instruction set lacks: LowerForSpirv
};

// An input or output of a module.
struct SpirvPort {
  std::string tensor;  // its name in the given graph
  DType dtype;         // type and shape in the module
  Shape shape;
  uint32_t set, binding;
};

struct SpirvModule {
  std::string bytes;
  std::vector<SpirvPort> inputs, outputs;
  std::map<uint32_t, Tensor> constants;  // graph constants, by GraphConstantID
};

// The name of the entry point in a module that EncodeSpirv writes.
inline constexpr std::string_view kSpirvEntryPoint = "main";

// Writes a graph as a module, with the same bytes on every machine. An illegal graph is written,
// too, if a module can express it. Unimplemented if a module cannot express the graph, for example
// because the graph has tensors without dimensions, i4, IDENTITY, control flow, variables, or a
// run-time tensor where only a constant is allowed. Invalid argument if the graph is malformed, for
// example if an operator's tensor is not declared. Unused constants are left out.
StatusOr<SpirvModule> EncodeSpirv(const Graph& graph, const Edition& edition,
                                  const SpirvOptions& options = {});

// Returns the graph without IDENTITY, with the shape [1] for tensors without dimensions and with i8
// for i4. Unimplemented if these changes could change the outcome or the results, for example
// because an operator refuses its operands but accepts the changed operands.
StatusOr<Graph> LowerForSpirv(const Graph& graph, const Edition& edition);

struct SpirvFile {
  Graph graph;
  // The tensors whose names in the graph differ from those in the module.
  std::map<std::string, std::string> renamed;
};

// The greatest size of a module that DecodeSpirv reads.
inline constexpr uint64_t kMaxSpirvBytes = 1ull << 30;

// Whether the bytes begin like a module, in either byte order.
bool IsSpirv(std::string_view bytes);

// Returns the values of the graph constant with the GraphConstantID `id`.
using SpirvConstantSource =
    std::function<StatusOr<Tensor>(uint32_t id, DType dtype, const Shape& shape)>;

// Reads an untrusted module of one graph as a graph of tosa-1.0. `constants` supplies the values of
// graph constants. `origin` names the module in messages. A 64-bit integer type is read as i48. A
// constant is read as a shape where an instruction expects a shape. Unimplemented if the module has
// an unknown instruction or type.
StatusOr<SpirvFile> DecodeSpirv(std::string_view bytes, std::string_view origin,
                                const SpirvConstantSource& constants = {});

}  // namespace cts
