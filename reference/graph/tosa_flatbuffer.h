// A graph as a `.tosa` file: a FlatBuffer in the wire format of TOSA serialization 1.0
// (schemas/tosa.fbs).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

struct TosaFile {
  std::string version;  // "1.0.0", with "draft" behind it if it says so: "1.1.0 draft"
  Graph graph;
};

// The bytes of a file. Illegal graphs are written, too: refusing them is the implementation's
// business. Unimplemented: the edition or something in the graph has no place in the format.
// Invalid argument: the graph is not one, such as an operator whose tensor is not declared.
StatusOr<std::string> EncodeTosa(const Graph& graph, const Edition& edition);

// Reads a file that nobody vouches for: verified as a FlatBuffer first, then held against what a
// graph may be. `origin` names it in messages.
StatusOr<TosaFile> DecodeTosa(std::string_view bytes, std::string_view origin);

}  // namespace cts
