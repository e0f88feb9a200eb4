// A graph as a VGF file. VGF is Arm's container for a SPIR-V module and for the facts that the host
// program needs: inputs and outputs, constants of the graph, names.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// Writes the module of EncodeSpirv in a container of version 0.4.3, with the same bytes on every
// machine. The errors are those of EncodeSpirv.
StatusOr<std::string> EncodeVgf(const Graph& graph, const Edition& edition,
                                const SpirvOptions& options = {});

// Whether the bytes begin like a VGF file.
bool IsVgf(std::string_view bytes);

// Reads an untrusted file of one graph as a graph of tosa-1.0, as DecodeSpirv does. `origin` names
// the file in messages. Unimplemented if the file has several segments, shaders, sparse constants,
// strides, or an unknown version. The file's inputs and outputs must be those of the graph.
StatusOr<SpirvFile> DecodeVgf(std::string_view bytes, std::string_view origin);

}  // namespace cts
