#include <vgf_generated.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "reference/formats/spirv/vgf.h"
#include "reference/formats/spirv/vgf_wire.h"
#include "reference/formats/unsupported.h"

namespace cts {
namespace {

template <class T>
T IntegerAt(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  }
  return static_cast<T>(value);
}

template <class T>
uint32_t SizeOf(const T* list) {
  return list == nullptr ? 0 : list->size();
}

class VgfDecoder {
 public:
  VgfDecoder(std::string_view bytes, std::string_view origin) : bytes_(bytes), origin_(origin) {}

  StatusOr<SpirvFile> Run() {
    CTS_RETURN_IF_ERROR(ReadHeader());
    CTS_ASSIGN_OR_RETURN(modules_, Table<vgf::Modules>(vgf::kModules, "module table"));
    CTS_ASSIGN_OR_RETURN(sequence_, Table<vgf::Sequence>(vgf::kSequence, "model sequence"));
    CTS_ASSIGN_OR_RETURN(resources_, Table<vgf::Resources>(vgf::kResources, "resource table"));
    CTS_ASSIGN_OR_RETURN(const std::string module, OnlyModule());
    CTS_RETURN_IF_ERROR(ReadConstants());
    CTS_ASSIGN_OR_RETURN(
        SpirvFile file,
        DecodeSpirv(module, origin_, [&](uint32_t id, DType dtype, const Shape& shape) {
          return Constant(id, dtype, shape);
        }));
    const Block& block = file.graph.main();
    CTS_RETURN_IF_ERROR(CheckPorts(block, block.inputs, sequence_->inputs(), "input"));
    CTS_RETURN_IF_ERROR(CheckPorts(block, block.outputs, sequence_->outputs(), "output"));
    return file;
  }

 private:
  template <class... Args>
  Status Damaged(const Args&... args) const {
    return InvalidArgument(origin_, ": ", args...);
  }
  template <class... Args>
  Status Unknown(const Args&... args) const {
    return Unsupported(origin_, ": ", args...);
  }

  Status ReadHeader() {
    if (!IsVgf(bytes_) || bytes_.size() < vgf::kHeaderBytes) {
      return Damaged("found ", bytes_.size(), " bytes, expected a VGF file: ", vgf::kHeaderBytes,
                     " bytes of header that begin with ", absl::string_view("VGF1"));
    }
    const auto major = IntegerAt<uint8_t>(bytes_, vgf::kVersionAt);
    const auto minor = IntegerAt<uint8_t>(bytes_, vgf::kVersionAt + 1);
    if (major != vgf::kMajor || minor > vgf::kNewestMinor) {
      return Unknown("VGF of version ", int{major}, ".", int{minor}, ", expected ",
                     int{vgf::kMajor}, ".", int{vgf::kNewestMinor}, " at most");
    }
    for (size_t i = 0; i < vgf::kSectionCount; ++i) {
      const auto at = IntegerAt<uint64_t>(bytes_, vgf::kSectionsAt + 16 * i);
      const auto size = IntegerAt<uint64_t>(bytes_, vgf::kSectionsAt + 16 * i + 8);
      if (at > bytes_.size() || size > bytes_.size() - at) {
        return Damaged("section ", i, " lies at ", at, " with ", size, " bytes, in a file of ",
                       bytes_.size());
      }
      // FlatBuffers want aligned bytes.
      sections_[i].resize((size + 7) / 8);
      if (size > 0) std::memcpy(sections_[i].data(), bytes_.data() + at, size);
      sizes_[i] = size;
    }
    return absl::OkStatus();
  }

  std::string_view SectionText(vgf::Section section) const {
    return {reinterpret_cast<const char*>(sections_[section].data()), sizes_[section]};
  }

  template <class Root>
  StatusOr<const Root*> Table(vgf::Section section, const char* name) const {
    const auto* const data = reinterpret_cast<const uint8_t*>(sections_[section].data());
    // No more tables than bytes: parts that are shared are followed each time.
    flatbuffers::Verifier verifier(data, sizes_[section], /*max_depth=*/16,
                                   static_cast<flatbuffers::uoffset_t>(sizes_[section]));
    if (sizes_[section] < 8 || !verifier.VerifyBuffer<Root>(nullptr)) {
      return Damaged("damaged: the ", name, " is no FlatBuffer of schemas/vgf.fbs");
    }
    return flatbuffers::GetRoot<Root>(data);
  }

  // The module of the one segment.
  StatusOr<std::string> OnlyModule() {
    if (SizeOf(sequence_->segments()) != 1) {
      return Unknown("found ", SizeOf(sequence_->segments()), " segments, expected one");
    }
    segment_ = sequence_->segments()->Get(0);
    if (segment_->module_() >= SizeOf(modules_->modules())) {
      return Damaged("the segment is of module ", segment_->module_(), " of ",
                     SizeOf(modules_->modules()));
    }
    const vgf::Module& module = *modules_->modules()->Get(segment_->module_());
    if (module.type() != vgf::ModuleType::GRAPH || segment_->type() != vgf::ModuleType::GRAPH) {
      return Unknown("found a shader, expected a graph");
    }
    const vgf::Spirv* const code = module.code_as_Spirv();
    if (code == nullptr || code->words() == nullptr) {
      return Unknown("the module holds no words of SPIR-V");
    }
    std::string words(size_t{code->words()->size()} * 4, '\0');
    std::memcpy(words.data(), code->words()->data(), words.size());
    return words;
  }

  Status ReadConstants() {
    const std::string_view section = SectionText(vgf::kConstants);
    if (section.empty()) return absl::OkStatus();
    const size_t head = vgf::kConstantsMark.size() + 8;
    if (section.size() < head || !section.starts_with(vgf::kConstantsMark)) {
      return Unknown("the section of constants does not begin with CONST00");
    }
    const auto count = IntegerAt<uint64_t>(section, vgf::kConstantsMark.size());
    if (count > (section.size() - head) / vgf::kConstantRecordBytes) {
      return Damaged("found ", count, " constants in a section of ", section.size(), " bytes");
    }
    const std::string_view data = section.substr(head + count * vgf::kConstantRecordBytes);
    for (uint64_t i = 0; i < count; ++i) {
      const size_t at = head + i * vgf::kConstantRecordBytes;
      const auto size = IntegerAt<uint64_t>(section, at + 8);
      const auto place = IntegerAt<uint64_t>(section, at + 16);
      if (place > data.size() || size > data.size() - place) {
        return Damaged("constant ", i, " lies at ", place, " with ", size, " bytes, among ",
                       data.size());
      }
      constants_.push_back({IntegerAt<uint32_t>(section, at), IntegerAt<int32_t>(section, at + 4),
                            data.substr(place, size)});
    }
    return absl::OkStatus();
  }

  // Why the resource is no tensor of that type and shape; "" if it is.
  std::string OtherThan(uint32_t number, DType dtype, const Shape& shape) const {
    if (number >= SizeOf(resources_->resources())) {
      return StrCat("is resource ", number, " of ", SizeOf(resources_->resources()));
    }
    const vgf::Resource& resource = *resources_->resources()->Get(number);
    const vgf::Format* const format = vgf::FindFormat(dtype == DType::kShape ? DType::kI32 : dtype);
    if (format == nullptr ||
        (resource.format() != format->format && resource.format() != format->alternative)) {
      return StrCat("has the format ", resource.format(), ", expected that of ", Name(dtype));
    }
    const vgf::Description* const description = resource.description();
    const auto* const sizes = description == nullptr ? nullptr : description->shape();
    bool same = SizeOf(sizes) == shape.size();
    for (uint32_t i = 0; same && i < shape.size(); ++i) same = sizes->Get(i) == shape[i];
    if (!same) return "has another shape than the tensor of the graph";
    return SizeOf(description->strides()) == 0 ? "" : "has strides";
  }

  Status CheckPorts(const Block& block, const std::vector<std::string>& names,
                    const flatbuffers::Vector<flatbuffers::Offset<vgf::Slot>>* slots,
                    const char* kind) const {
    if (SizeOf(slots) != names.size()) {
      return Damaged("found ", SizeOf(slots), " ", kind, "s, and ", names.size(), " of the graph");
    }
    for (uint32_t i = 0; i < names.size(); ++i) {
      const GraphTensor& tensor = *block.Find(names[i]);
      const std::string other = OtherThan(slots->Get(i)->resource(), tensor.dtype, tensor.shape);
      if (!other.empty()) return Damaged(kind, " ", i, " ", other);
    }
    return absl::OkStatus();
  }

  // The place of a constant of the graph among those of the file. Before version 0.5 a segment
  // lists places, and a constant's id is its place.
  std::optional<uint32_t> PlaceOf(uint32_t id) const {
    if (const auto* const bindings = segment_->constant_bindings(); SizeOf(bindings) > 0) {
      for (const vgf::ConstantBinding* const binding : *bindings) {
        if (binding->graph_constant() == id) return binding->constant();
      }
      return std::nullopt;
    }
    for (uint32_t i = 0; i < SizeOf(segment_->constants()); ++i) {
      if (segment_->constants()->Get(i) == id) return id;
    }
    return std::nullopt;
  }

  // DecodeSpirv says for which file and constant.
  StatusOr<Tensor> Constant(uint32_t id, DType dtype, const Shape& shape) const {
    const std::optional<uint32_t> place = PlaceOf(id);
    if (!place || *place >= constants_.size()) {
      return InvalidArgument("the segment has no such constant");
    }
    const Stored& stored = constants_[*place];
    const std::string other = OtherThan(stored.resource, dtype, shape);
    if (!other.empty()) return InvalidArgument("it ", other);
    if (stored.sparse_dimension != -1) return Unsupported("it is sparse");
    CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
    if (stored.bytes.size() != static_cast<uint64_t>(count * StorageBytes(dtype))) {
      return InvalidArgument("it has ", stored.bytes.size(), " bytes, expected ",
                             count * StorageBytes(dtype));
    }
    Tensor values(dtype, shape);
    std::memcpy(values.bytes().data(), stored.bytes.data(), stored.bytes.size());
    if (dtype != DType::kBool && dtype != DType::kI48) return values;
    for (int64_t i = 0; i < values.size(); ++i) {
      const bool right = dtype == DType::kBool ? values.Bits(i) <= 1
                                               : values.Integer(i) >= IntegerMin(dtype) &&
                                                     values.Integer(i) <= IntegerMax(dtype);
      if (!right) return InvalidArgument("element ", i, " is no value of ", Name(dtype));
    }
    return values;
  }

  struct Stored {
    uint32_t resource;
    int32_t sparse_dimension;
    std::string_view bytes;
  };

  const std::string_view bytes_;
  const std::string_view origin_;
  std::vector<uint64_t> sections_[vgf::kSectionCount];
  size_t sizes_[vgf::kSectionCount] = {};
  const vgf::Modules* modules_ = nullptr;
  const vgf::Sequence* sequence_ = nullptr;
  const vgf::Resources* resources_ = nullptr;
  const vgf::Segment* segment_ = nullptr;
  std::vector<Stored> constants_;
};

}  // namespace

bool IsVgf(std::string_view bytes) { return bytes.starts_with(vgf::kMagic); }

StatusOr<SpirvFile> DecodeVgf(std::string_view bytes, std::string_view origin) {
  return VgfDecoder(bytes, origin).Run();
}

}  // namespace cts
