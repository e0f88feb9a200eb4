#include <vgf_generated.h>

#include <cstring>
#include <utility>
#include <vector>

#include "reference/formats/spirv/vgf.h"
#include "reference/formats/spirv/vgf_wire.h"

namespace cts {
namespace {

template <class T>
void PutInteger(std::string& bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes[at + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 0xff);
  }
}
template <class T>
void AppendInteger(std::string& bytes, T value) {
  bytes.resize(bytes.size() + sizeof(T));
  PutInteger(bytes, bytes.size() - sizeof(T), value);
}
void PadSection(std::string& bytes) {
  while (bytes.size() % vgf::kSectionAlignment != 0) bytes.push_back('\0');
}

template <class Root>
std::string FinishedTable(flatbuffers::FlatBufferBuilder& builder, flatbuffers::Offset<Root> root) {
  builder.Finish(root);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

std::string ModulesOf(const SpirvModule& module) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<uint32_t> words(module.bytes.size() / 4);
  std::memcpy(words.data(), module.bytes.data(), module.bytes.size());
  const auto code = vgf::CreateSpirvDirect(builder, &words).Union();
  const std::string name(kSpirvEntryPoint);
  const std::vector<flatbuffers::Offset<vgf::Module>> modules = {vgf::CreateModuleDirect(
      builder, vgf::ModuleType::GRAPH, name.c_str(), name.c_str(), vgf::Code::Spirv, code)};
  return FinishedTable(builder, vgf::CreateModulesDirect(builder, &modules));
}

using Slots = std::vector<flatbuffers::Offset<vgf::Slot>>;

// Slots of consecutive bindings, each with the resource of the same number.
Slots SlotsOf(flatbuffers::FlatBufferBuilder& builder, size_t first, size_t count) {
  Slots slots;
  for (size_t i = first; i < first + count; ++i) {
    slots.push_back(vgf::CreateSlot(builder, static_cast<uint32_t>(i), static_cast<uint32_t>(i)));
  }
  return slots;
}

using Names = std::vector<flatbuffers::Offset<flatbuffers::String>>;

Names NamesOf(flatbuffers::FlatBufferBuilder& builder, const std::vector<SpirvPort>& ports) {
  Names names;
  for (const SpirvPort& port : ports) names.push_back(builder.CreateString(port.tensor));
  return names;
}

std::string SequenceOf(const SpirvModule& module) {
  flatbuffers::FlatBufferBuilder builder;
  const size_t inputs = module.inputs.size(), outputs = module.outputs.size();
  const Slots all = SlotsOf(builder, 0, inputs + outputs);
  const std::vector<flatbuffers::Offset<vgf::DescriptorSet>> sets = {
      vgf::CreateDescriptorSetDirect(builder, &all, 0)};
  const Slots segment_in = SlotsOf(builder, 0, inputs);
  const Slots segment_out = SlotsOf(builder, inputs, outputs);
  std::vector<uint32_t> constants;
  for (const auto& [id, values] : module.constants) constants.push_back(id);
  const std::vector<uint32_t> dispatch = {0, 0, 0};  // of shaders
  const std::vector<flatbuffers::Offset<vgf::Segment>> segments = {vgf::CreateSegmentDirect(
      builder, vgf::ModuleType::GRAPH, std::string(kSpirvEntryPoint).c_str(), 0, &sets, &segment_in,
      &segment_out, &constants, &dispatch)};
  const Slots whole_in = SlotsOf(builder, 0, inputs);
  const Slots whole_out = SlotsOf(builder, inputs, outputs);
  const Names in_names = NamesOf(builder, module.inputs);
  const Names out_names = NamesOf(builder, module.outputs);
  return FinishedTable(builder, vgf::CreateSequenceDirect(builder, &segments, &whole_in, &whole_out,
                                                          &in_names, &out_names));
}

std::string ResourcesOf(const SpirvModule& module) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<vgf::Resource>> resources;
  const auto add = [&](vgf::Category category, DType dtype, const Shape& shape) {
    const auto description = vgf::CreateDescriptionDirect(builder, &shape);
    const bool constant = category == vgf::Category::CONSTANT;
    resources.push_back(vgf::CreateResource(builder, constant ? vgf::kNone : vgf::kTensorType,
                                            vgf::FindFormat(dtype)->format, category, description));
  };
  for (const SpirvPort& port : module.inputs) add(vgf::Category::INPUT, port.dtype, port.shape);
  for (const SpirvPort& port : module.outputs) add(vgf::Category::OUTPUT, port.dtype, port.shape);
  for (const auto& [id, values] : module.constants) {
    // A shape is i32 in the module.
    const DType dtype = values.dtype() == DType::kShape ? DType::kI32 : values.dtype();
    add(vgf::Category::CONSTANT, dtype, values.shape());
  }
  return FinishedTable(builder, vgf::CreateResourcesDirect(builder, &resources));
}

std::string ConstantsOf(const SpirvModule& module) {
  std::string bytes(vgf::kConstantsMark), data;
  AppendInteger(bytes, uint64_t{module.constants.size()});
  auto resource = static_cast<uint32_t>(module.inputs.size() + module.outputs.size());
  for (const auto& [id, values] : module.constants) {
    AppendInteger(bytes, resource++);
    AppendInteger(bytes, int32_t{-1});
    AppendInteger(bytes, uint64_t{values.bytes().size()});
    AppendInteger(bytes, uint64_t{data.size()});
    data.append(values.bytes().begin(), values.bytes().end());
    PadSection(data);
  }
  return bytes + data;
}

}  // namespace

StatusOr<std::string> EncodeVgf(const Graph& graph, const Edition& edition,
                                const SpirvOptions& options) {
  CTS_ASSIGN_OR_RETURN(const SpirvModule module, EncodeSpirv(graph, edition, options));
  std::string bytes(vgf::kHeaderBytes, '\0');
  bytes.replace(0, vgf::kMagic.size(), vgf::kMagic);
  bytes[vgf::kVersionAt] = static_cast<char>(vgf::kMajor);
  bytes[vgf::kVersionAt + 1] = static_cast<char>(vgf::kMinor);
  bytes[vgf::kVersionAt + 2] = static_cast<char>(vgf::kPatch);
  const std::string sections[vgf::kSectionCount] = {ModulesOf(module), SequenceOf(module),
                                                    ResourcesOf(module), ConstantsOf(module)};
  for (size_t i = 0; i < vgf::kSectionCount; ++i) {
    PadSection(bytes);
    PutInteger(bytes, vgf::kSectionsAt + 16 * i, uint64_t{bytes.size()});
    PutInteger(bytes, vgf::kSectionsAt + 16 * i + 8, uint64_t{sections[i].size()});
    bytes += sections[i];
  }
  return bytes;
}

}  // namespace cts
