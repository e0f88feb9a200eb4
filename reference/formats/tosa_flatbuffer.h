// A graph as a `.tosa` file: a FlatBuffer in the wire format of TOSA serialization 1.0
// (schemas/tosa.fbs).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

struct TosaFile {
  std::string version;  // "1.0.0", with "draft" behind it if it says so: "1.1.0 draft"
  Graph graph;
  // The names in the graph of tensors that have another one in the file. In a graph they are
  // identifiers, and unique in all blocks; a file keeps to neither.
  std::map<std::string, std::string> renamed;  // of the main block: in the file -> in the graph
};

// The longest file: a FlatBuffer's.
inline constexpr uint64_t kMaxTosaBytes = (1ull << 31) - 1;

// The bytes of a file. Illegal graphs are written, too: refusing them is the implementation's
// business. Unimplemented: the edition or something in the graph has no place in the format.
// Invalid argument: the graph is not one, such as an operator whose tensor is not declared.
StatusOr<std::string> EncodeTosa(const Graph& graph, const Edition& edition);

// Reads a file that nobody vouches for, as a graph of tosa-1.0: verified as a FlatBuffer first,
// then held against what a graph may be. `origin` names it in messages. Unimplemented: it is of
// another major version, or has what 1.0 has not.
StatusOr<TosaFile> DecodeTosa(std::string_view bytes, std::string_view origin);

}  // namespace cts
