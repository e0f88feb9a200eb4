// MLIR text: a graph that was read can be written, and read again as the same graph.
#include "reference/formats/mlir/mlir_parse.h"
#include "reference/formats/mlir/mlir_text.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

// A splat is a short word for a large tensor, whose text is long.
constexpr size_t kMaxConstants = 1 << 16;

}  // namespace

void FuzzMlir(std::string_view text) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const StatusOr<Graph> graph = ParseMlir(text, edition, "text");
  if (!graph.ok()) {
    Assert(Message(graph.status()).starts_with("text:"), "a refusal has a place");
    return;
  }
  size_t constants = 0;
  for (const Region& region : graph->regions) {
    Assert(region.blocks.size() == 1, "a region has one block");
    for (const GraphTensor& tensor : region.blocks[0].tensors) {
      if (tensor.values != nullptr) constants += tensor.values->bytes().size();
    }
  }
  if (constants > kMaxConstants) return;
  const StatusOr<std::string> written = RenderMlir(*graph, edition, "f");
  if (!written.ok()) {
    Assert(absl::IsUnimplemented(written.status()), "what was read is a graph");
    return;
  }
  const StatusOr<Graph> again = ParseMlir(*written, edition, "text");
  Assert(again.ok(), "what was written can be read");
  Assert(RenderMlir(*again, edition, "f").value_or("") == *written, "it is the same graph");
}

}  // namespace cts
