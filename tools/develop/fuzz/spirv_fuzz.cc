// A module of SPIR-V, alone and in a VGF file.
#include "reference/bundle/case.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/vgf.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

std::string EncodedBundle(const Graph& graph) {
  Case c;
  c.graph = graph;
  std::string text;
  for (const BundleFile& file : EncodeCase(c)) text += file.path + file.bytes;
  return text;
}

// Zeros for each constant of the graph that is not too large for a fuzzer.
StatusOr<Tensor> SmallConstant(uint32_t, DType dtype, const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
  if (count > 1 << 16) return NotFound("it is large");
  return Tensor(dtype, shape);
}

}  // namespace

void FuzzSpirv(std::string_view bytes) {
  const StatusOr<SpirvFile> file = DecodeSpirv(bytes, "fuzz", SmallConstant);
  if (!file.ok()) {
    Assert(Message(file.status()).starts_with("fuzz: "), "a refusal names the file");
    return;
  }
  // A graph that was read can be written as a bundle, and in most cases written and read again.
  const std::string text = EncodedBundle(file->graph);
  const StatusOr<SpirvModule> written = EncodeSpirv(file->graph, **FindEdition("tosa-1.0"));
  if (!written.ok()) return;
  const StatusOr<SpirvFile> again = DecodeSpirv(written->bytes, "again");
  Assert(again.ok(), "it survives being written and read");
  // Constants that an output names first come at the end.
  Assert(EncodedBundle(again->graph).size() == text.size(), "it is the same graph");
}

void FuzzVgf(std::string_view bytes) {
  const StatusOr<SpirvFile> file = DecodeVgf(bytes, "fuzz");
  if (!file.ok()) {
    Assert(Message(file.status()).starts_with("fuzz: "), "a refusal names the file");
    return;
  }
  const std::string text = EncodedBundle(file->graph);
  for (const SpirvConstants constants : {SpirvConstants::kModule, SpirvConstants::kGraph}) {
    const StatusOr<std::string> written =
        EncodeVgf(file->graph, **FindEdition("tosa-1.0"), {.constants = constants});
    if (!written.ok()) continue;
    const StatusOr<SpirvFile> again = DecodeVgf(*written, "again");
    Assert(again.ok(), "it survives being written and read");
    Assert(EncodedBundle(again->graph).size() == text.size(), "it is the same graph");
  }
}

}  // namespace cts
