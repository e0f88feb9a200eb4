// A .tosa file.
#include "reference/bundle/case.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

std::string Text(const Graph& graph) {
  Case c;
  c.graph = graph;
  std::string text;
  for (const BundleFile& file : EncodeCase(c)) text += file.path + file.bytes;
  return text;
}

}  // namespace

void FuzzTosa(std::string_view bytes) {
  const StatusOr<TosaFile> file = DecodeTosa(bytes, "fuzz");
  if (!file.ok()) {
    Assert(Message(file.status()).starts_with("fuzz: "), "a refusal names the file");
    return;
  }
  // A graph that was read can be written as a bundle, and in most cases written and read again.
  const std::string text = Text(file->graph);
  const StatusOr<std::string> written = EncodeTosa(file->graph, **FindEdition("tosa-1.0"));
  if (!written.ok()) return;
  const StatusOr<TosaFile> again = DecodeTosa(*written, "again");
  Assert(again.ok(), "it survives being written and read");
  Assert(Text(again->graph) == text, "it is the same graph");
}

}  // namespace cts
