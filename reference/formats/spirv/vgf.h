// A graph as a VGF file, Arm's container of a module of SPIR-V with the facts that its host needs:
// tensors at its border, constants of the graph, names.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The module of EncodeSpirv in a container of version 0.4.3, the same bytes on every machine. The
// errors are those of EncodeSpirv.
StatusOr<std::string> EncodeVgf(const Graph& graph, const Edition& edition,
                                const SpirvOptions& options = {});

// Whether bytes begin as a VGF file does.
bool IsVgf(std::string_view bytes);

// Reads an untrusted file of one graph as a graph of tosa-1.0, as DecodeSpirv does. `origin` names
// it in messages. Unimplemented if it has several segments, shaders, sparse constants, strides, or
// a version that is not known here. The tensors at its border must be those of the graph.
StatusOr<SpirvFile> DecodeVgf(std::string_view bytes, std::string_view origin);

}  // namespace cts
