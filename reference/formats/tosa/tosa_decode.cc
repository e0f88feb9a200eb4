#include <absl/strings/str_cat.h>
#include <flatbuffers/util.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>
#include <utility>

#include "reference/formats/captures.h"
#include "reference/formats/names.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/formats/tosa/tosa_wire.h"
#include "reference/formats/unsupported.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

namespace fb = flatbuffers;
using StringList = fb::Vector<fb::Offset<fb::String>>;
using ByteList = fb::Vector<uint8_t>;

// Generous limits of a graph.
constexpr size_t kMaxRank = 64;
constexpr size_t kMaxText = 1 << 16;

// Whether a table has a field behind those of the schema.
bool HasUnknownField(const fb::Table& table, size_t known) {
  const auto end = fb::ReadScalar<fb::voffset_t>(table.GetVTable());
  for (size_t i = known; tosa::FieldOffset(i) < end; ++i) {
    if (table.CheckField(tosa::FieldOffset(i))) return true;
  }
  return false;
}

template <class T>
const fb::Table& AsTable(const T& table) {
  return reinterpret_cast<const fb::Table&>(table);
}

std::string VersionOf(const tosa::Version& version) {
  return StrCat(version._major(), ".", version._minor(), ".", version._patch(),
                version._draft() ? " draft" : "");
}

bool MayBeOldDraft(const tosa::TosaGraph& file) {
  return file.version()->_major() == 1 && file.version()->_draft() &&
         file.software_version() == nullptr;
}

// Runs before the Verifier, which follows every reference as often as it meets it: a file of a
// megabyte whose operators share one list of names would take it hours. References are four bytes
// each, and there is no reason to meet one more than a few times.
class SharingCheck {
 public:
  SharingCheck(const uint8_t* bytes, size_t size)
      : verifier_(bytes, size, /*max_depth=*/16, /*max_tables=*/UINT32_MAX), left_(size) {}

  bool Passes(const uint8_t* bytes) {
    const auto& graph =
        *reinterpret_cast<const fb::Table*>(bytes + fb::ReadScalar<fb::uoffset_t>(bytes));
    using tosa::TosaBasicBlock;
    using tosa::TosaOperator;
    return graph.VerifyTableStart(verifier_) &&
           ForEach(graph, tosa::TosaGraph::VT_REGIONS, [&](const fb::Table& region) {
             return ForEach(region, tosa::TosaRegion::VT_BLOCKS, [&](const fb::Table& block) {
               return List(block, TosaBasicBlock::VT_INPUTS) &&
                      List(block, TosaBasicBlock::VT_OUTPUTS) &&
                      List(block, TosaBasicBlock::VT_TENSORS) &&
                      List(block, TosaBasicBlock::VT_SHAPES) &&
                      ForEach(block, TosaBasicBlock::VT_OPERATORS, [&](const fb::Table& op) {
                        return List(op, TosaOperator::VT_INPUTS) &&
                               List(op, TosaOperator::VT_OUTPUTS);
                      });
             });
           });
  }

 private:
  using Tables = fb::Vector<fb::Offset<fb::Table>>;

  bool List(const fb::Table& table, fb::voffset_t field, const Tables** list = nullptr) {
    if (!table.VerifyOffset(verifier_, field)) return false;
    const auto* found = table.GetPointer<const Tables*>(field);
    if (list != nullptr) *list = found;
    if (found == nullptr) return true;
    if (!verifier_.VerifyVector(found) || found->size() > left_) return false;
    left_ -= found->size();
    return true;
  }

  template <class Visit>
  bool ForEach(const fb::Table& table, fb::voffset_t field, const Visit& visit) {
    const Tables* list = nullptr;
    if (!List(table, field, &list)) return false;
    if (list == nullptr) return true;
    for (const fb::Table* item : *list) {
      if (!item->VerifyTableStart(verifier_) || !visit(*item) || !verifier_.EndTable()) {
        return false;
      }
    }
    return true;
  }

  fb::Verifier verifier_;
  uint64_t left_;  // references
};

// A tensor of the file that is marked as a variable.
struct Variable {
  std::string name;    // of the variable
  std::string tensor;  // in the graph, with the initial value; empty if there is none
  DType dtype = DType::kBool;
  Shape shape;
  std::shared_ptr<const Tensor> values;  // initial ones of a variable that no operator declares
};

// The meaning of names in a block.
struct Scope {
  std::map<std::string, std::string, std::less<>> tensors;  // in the file -> in the graph
  std::map<std::string, Variable, std::less<>> variables;   // by the name of their tensor
};

class Decoder {
 public:
  Decoder(std::string_view origin, size_t size, const Edition& edition)
      : origin_(origin), edition_(edition), text_left_(16 * size + kMaxText), data_left_(size) {}

  StatusOr<TosaFile> Run(const tosa::TosaGraph& file) {
    TosaFile read;
    CTS_ASSIGN_OR_RETURN(read.version, ReadVersion(*file.version()));
    if (HasUnknownField(AsTable(file), 4)) return TooNew("graph", "has what version 1.0 has not");
    if (file.compatibility() != nullptr) CTS_RETURN_IF_ERROR(CheckNeeds(*file.compatibility()));
    if (file.regions() == nullptr || file.regions()->size() == 0) {
      return Bad("graph", "found no region, expected one at least");
    }
    for (const tosa::TosaRegion* region : *file.regions()) {
      CTS_RETURN_IF_ERROR(DeclareRegion(*region));
    }
    const auto main = regions_.find("main");
    if (main != regions_.end() && main->second != graph_.regions.front().name) {
      return Bad("graph", "found region main behind another, expected it first");
    }
    for (size_t r = 0; r < graph_.regions.size(); ++r) {
      for (size_t b = 0; b < graph_.regions[r].blocks.size(); ++b) {
        const auto& block = *file.regions()
                                 ->Get(static_cast<fb::uoffset_t>(r))
                                 ->blocks()
                                 ->Get(static_cast<fb::uoffset_t>(b));
        CTS_RETURN_IF_ERROR(ReadBlock(block, scopes_[r][b], graph_.regions[r].blocks[b]));
      }
    }
    for (const auto& [name, in_graph] : scopes_.front().front().tensors) {
      if (name != in_graph) read.renamed.emplace(name, in_graph);
    }
    AddDeclarations();
    if (const Status passed = PassCaptures(graph_); !passed.ok()) {
      return Annotate(passed, origin_);
    }
    read.may_be_old_draft = MayBeOldDraft(file);
    read.graph = std::move(graph_);
    read.notes = std::move(notes_);
    return read;
  }

 private:
  template <class... Args>
  Status Bad(std::string_view place, const Args&... args) const {
    return InvalidArgument(origin_, ": ", place, ": ", args...);
  }
  template <class... Args>
  Status TooNew(std::string_view place, const Args&... args) const {
    return Unsupported(origin_, ": ", place, ": ", args...);
  }

  StatusOr<std::string> ReadVersion(const tosa::Version& version) const {
    std::string text = VersionOf(version);
    // Numbers and tables differed before 1.0; later 1.x only add to them.
    if (version._major() == 1 && version._minor() >= 0) return text;
    return TooNew("version", "found ", text, ", expected 1.x");
  }

  // Refuses what the file says that its reader must know.
  Status CheckNeeds(const tosa::SerializationCompatibility& needs) const {
    constexpr std::string_view kPlace = "compatibility";
    if (HasUnknownField(AsTable(needs), 2)) return TooNew(kPlace, "has what version 1.0 has not");
    constexpr uint64_t kBlockScaled = 1 << 1;
    const uint64_t unknown = needs.features() & ~kBlockScaled;
    if (unknown != 0) {
      return TooNew(kPlace, "needs the features ", absl::StrCat("0x", absl::Hex(unknown)),
                    ", which nobody knew in ", NameOf(tosa::kRelease));
    }
    if (needs.features() != 0) {
      return TooNew(kPlace, "needs MXFP: version 1.0 has no block-scaled tensors");
    }
    const tosa::SoftwareVersion* least = needs.min_reader_version();
    if (least == nullptr) return absl::OkStatus();
    const tosa::Release release = {least->_major(), least->_minor()};
    if (!release.IsAfter(tosa::kRelease)) return absl::OkStatus();
    return TooNew(kPlace, "needs a reader of ", NameOf(release), ", this one is of ",
                  NameOf(tosa::kRelease));
  }

  static std::string NameOf(const tosa::Release& release) {
    return StrCat(release.year, ".", release.month);
  }

  // A text of the file. Names may be shared, so the amount that is copied has a limit.
  StatusOr<std::string_view> Text(const fb::String* text, std::string_view place) {
    if (text == nullptr) return Bad(place, "found nothing, expected a text");
    if (text->size() > kMaxText || text->size() > text_left_) {
      return Bad(place, "found a text of ", text->size(), " bytes, too long");
    }
    text_left_ -= text->size();
    return std::string_view(text->c_str(), text->size());
  }

  // A text that is shown and written as it is.
  StatusOr<std::string> Utf8(std::string_view text, std::string_view place) const {
    const std::string copy(text);
    for (const char* next = copy.data(); next < copy.data() + copy.size();) {
      if (fb::FromUTF8(&next) < 0) return TooNew(place, "found a text that is not UTF-8");
    }
    return copy;
  }

  // ---- Declarations ----

  Status DeclareRegion(const tosa::TosaRegion& region) {
    const std::string place = StrCat("region ", graph_.regions.size());
    CTS_ASSIGN_OR_RETURN(const std::string_view name, Text(region.name(), place + ", name"));
    if (!regions_.emplace(name, region_names_.Add(name)).second) {
      return Bad(place, "its name is that of an earlier one");
    }
    if (region.blocks() == nullptr || region.blocks()->size() == 0) {
      return Bad(place, "found no block, expected one at least");
    }
    graph_.regions.push_back({regions_.find(name)->second, {}});
    scopes_.emplace_back();
    for (const tosa::TosaBasicBlock* block : *region.blocks()) {
      const size_t number = graph_.regions.back().blocks.size();
      Block declared;
      CTS_ASSIGN_OR_RETURN(const std::string_view block_name,
                           Text(block->name(), StrCat(place, ", block ", number, ", name")));
      declared.name = Names::Identifier(block_name);
      Scope scope;
      CTS_RETURN_IF_ERROR(DeclareTensors(*block, scope, declared));
      graph_.regions.back().blocks.push_back(std::move(declared));
      scopes_.back().push_back(std::move(scope));
    }
    return absl::OkStatus();
  }

  // In a file that we wrote, tensors and shapes lie in the order that they have in the graph. Other
  // files have two lists.
  Status DeclareTensors(const tosa::TosaBasicBlock& block, Scope& scope, Block& declared) {
    const std::string place = StrCat("block ", declared.name);
    if (HasUnknownField(AsTable(block), 6)) {
      return TooNew(place, "has what version 1.0 has not");
    }
    const std::set<std::string_view> initial = DeclaredVariables(block),
                                     constant = Constants(block);
    struct Item {
      const void* at;
      GraphTensor tensor;
    };
    std::vector<Item> items;
    if (block.tensors() != nullptr) {
      for (const tosa::TosaTensor* tensor : *block.tensors()) {
        CTS_ASSIGN_OR_RETURN(std::optional<GraphTensor> read,
                             ReadTensor(*tensor, place, initial, scope));
        if (read) items.push_back({tensor, *std::move(read)});
      }
    }
    const auto by_place = [](const Item& a, const Item& b) { return a.at < b.at; };
    const auto middle = static_cast<std::ptrdiff_t>(items.size());
    if (block.shapes() != nullptr) {
      for (const tosa::TosaShape* shape : *block.shapes()) {
        CTS_ASSIGN_OR_RETURN(GraphTensor read, ReadShape(*shape, place, constant, scope));
        items.push_back({shape, std::move(read)});
      }
    }
    if (std::is_sorted(items.begin(), items.begin() + middle, by_place) &&
        std::is_sorted(items.begin() + middle, items.end(), by_place)) {
      std::inplace_merge(items.begin(), items.begin() + middle, items.end(), by_place);
    }
    for (Item& item : items) {
      types_.emplace(item.tensor.name, item.tensor.dtype);
      declared.tensors.push_back(std::move(item.tensor));
    }
    return absl::OkStatus();
  }

  // The first output of every operator of a kind.
  static std::set<std::string_view> OutputsOf(const tosa::TosaBasicBlock& block, tosa::Op op) {
    std::set<std::string_view> names;
    if (block.operators() == nullptr) return names;
    for (const tosa::TosaOperator* candidate : *block.operators()) {
      if (candidate->op() != op || candidate->outputs() == nullptr) continue;
      if (candidate->outputs()->size() > 0)
        names.insert(candidate->outputs()->Get(0)->string_view());
    }
    return names;
  }
  static std::set<std::string_view> DeclaredVariables(const tosa::TosaBasicBlock& block) {
    return OutputsOf(block, tosa::Op::VARIABLE);
  }
  static std::set<std::string_view> Constants(const tosa::TosaBasicBlock& block) {
    return OutputsOf(block, tosa::Op::CONST_SHAPE);
  }

  StatusOr<std::string> Declare(const fb::String* name, const std::string& place, Scope& scope) {
    CTS_ASSIGN_OR_RETURN(const std::string_view text, Text(name, place + ", name of a tensor"));
    if (scope.tensors.contains(text) || scope.variables.contains(text)) {
      return Bad(place, "tensor ", Names::Identifier(text), " is declared twice");
    }
    std::string in_graph = names_.Add(text);
    scope.tensors.emplace(text, in_graph);
    first_.emplace(text, in_graph);
    return in_graph;
  }

  // Nothing for a variable without an initial value, which is no tensor of a graph.
  StatusOr<std::optional<GraphTensor>> ReadTensor(const tosa::TosaTensor& tensor,
                                                  const std::string& block,
                                                  const std::set<std::string_view>& declared,
                                                  Scope& scope) {
    GraphTensor read;
    const bool has_data = tensor.data() != nullptr && tensor.data()->size() > 0;
    const std::string_view name =
        tensor.name() == nullptr ? std::string_view() : tensor.name()->string_view();
    const bool is_variable = tensor.variable();
    const bool keep = !is_variable || (has_data && declared.contains(name));
    std::string place = StrCat(block, ", tensor ", Names::Identifier(name));
    if (keep) {
      CTS_ASSIGN_OR_RETURN(read.name, Declare(tensor.name(), block, scope));
      place = StrCat(block, ", tensor ", read.name);
    }
    if (HasUnknownField(AsTable(tensor), 14)) return TooNew(place, "has what version 1.0 has not");
    CTS_RETURN_IF_ERROR(CheckScales(tensor, place));
    if (tensor.is_unranked()) return TooNew(place, "found is_unranked, expected a shape");
    if (tensor.offset() > 1 || tensor.size() > 0) {
      return TooNew(place, "its data lie outside of the FlatBuffer");
    }
    CTS_ASSIGN_OR_RETURN(read.dtype, ReadType(tensor.type(), place));
    if (read.dtype == DType::kShape) {
      // Before 1.0 had a list of them.
      return Bad(place, "found type SHAPE, expected it among the shapes");
    }
    if (tensor.shape() != nullptr) {
      if (tensor.shape()->size() > kMaxRank) {
        return Bad(place, "found rank ", tensor.shape()->size(), ", expected at most ", kMaxRank);
      }
      read.shape.assign(tensor.shape()->begin(), tensor.shape()->end());
    }
    if (has_data) {
      CTS_ASSIGN_OR_RETURN(read.values, ReadValues(*tensor.data(), read.dtype, read.shape, place));
    }
    if (!is_variable) return read;
    if (!keep && scope.tensors.contains(name)) {
      return Bad(block, "tensor ", Names::Identifier(name), " is declared twice");
    }
    Variable variable{
        .tensor = read.name, .dtype = read.dtype, .shape = read.shape, .values = read.values};
    const bool named = tensor.variable_name() != nullptr && tensor.variable_name()->size() > 0;
    CTS_ASSIGN_OR_RETURN(
        const std::string_view text,
        Text(named ? tensor.variable_name() : tensor.name(), place + ", variable_name"));
    CTS_ASSIGN_OR_RETURN(variable.name, Utf8(text, place + ", variable_name"));
    if (!scope.variables.emplace(name, std::move(variable)).second) {
      return Bad(block, "tensor ", Names::Identifier(name), " is declared twice");
    }
    if (!keep) return std::optional<GraphTensor>();
    return read;
  }

  // Some writers write an empty list of scales with every tensor, which says that there are none.
  Status CheckScales(const tosa::TosaTensor& tensor, const std::string& place) const {
    const size_t scales = tensor.scale_data() == nullptr ? 0 : tensor.scale_data()->size();
    if (scales > 0) {
      return TooNew(place, "found scale_data of ", scales,
                    " bytes, expected none: version 1.0 has no block-scaled tensors");
    }
    if (tensor.scale_type() != tosa::DType::UNKNOWN || tensor.block_shape() != 0 ||
        tensor.scale_size() > 0) {
      return TooNew(place, "found scale_type ", static_cast<uint32_t>(tensor.scale_type()),
                    ", block_shape ", tensor.block_shape(), " and scale_size ", tensor.scale_size(),
                    ", expected 0: version 1.0 has no block-scaled tensors");
    }
    return absl::OkStatus();
  }

  StatusOr<GraphTensor> ReadShape(const tosa::TosaShape& shape, const std::string& block,
                                  const std::set<std::string_view>& constant, Scope& scope) {
    GraphTensor read;
    CTS_ASSIGN_OR_RETURN(read.name, Declare(shape.name(), block, scope));
    const std::string place = StrCat(block, ", shape ", read.name);
    if (HasUnknownField(AsTable(shape), 3)) return TooNew(place, "has what version 1.0 has not");
    read.dtype = DType::kShape;
    read.shape = {shape.rank()};
    // Beside the empty list some writers keep room for one number, a zero.
    const auto is_room = [](const ByteList& data) {
      return data.size() == sizeof(int64_t) &&
             std::all_of(data.begin(), data.end(), [](uint8_t byte) { return byte == 0; });
    };
    const bool has_data = shape.data() != nullptr && shape.data()->size() > 0 &&
                          !(shape.rank() == 0 && is_room(*shape.data()));
    if (shape.rank() == 0 && !has_data) {
      // An empty list has no values beyond that.
      if (shape.data() != nullptr || constant.contains(shape.name()->string_view())) {
        read.values = std::make_shared<const Tensor>(DType::kShape, Shape{0});
      }
    } else if (has_data) {
      CTS_ASSIGN_OR_RETURN(read.values, ReadValues(*shape.data(), read.dtype, read.shape, place));
    }
    return read;
  }

  StatusOr<DType> ReadType(tosa::DType number, const std::string& place) const {
    if (const tosa::WireType* row = tosa::FindType(&tosa::WireType::number, number)) {
      return row->dtype;
    }
    return TooNew(place, "found type number ", static_cast<uint32_t>(number), ", expected 1 to ",
                  static_cast<uint32_t>(tosa::DType::MAX));
  }

  StatusOr<std::shared_ptr<const Tensor>> ReadValues(const ByteList& data, DType dtype,
                                                     const Shape& shape, const std::string& place) {
    if (data.size() > data_left_) return Bad(place, "its data are those of other tensors");
    data_left_ -= data.size();
    const uint64_t surplus = HarmlessSurplus(data, dtype, shape);
    StatusOr<Tensor> tensor = Unpack(data, surplus, dtype, shape);
    if (!tensor.ok()) return Bad(place, Message(tensor.status()));
    if (surplus > 0) {
      notes_.push_back(StrCat(place, ": found ", data.size(), " bytes for ", data.size() - surplus,
                              " of ", Name(dtype), cts::ToString(shape),
                              "; the others repeat these or are zero, and are ignored"));
    }
    return std::make_shared<const Tensor>(*std::move(tensor));
  }

  // Counts the bytes behind the elements and beyond padding, if they are zero or repeat the
  // elements. Some converters write a zero point for every channel into a tensor of one element.
  static uint64_t HarmlessSurplus(const ByteList& data, DType dtype, const Shape& shape) {
    const StatusOr<int64_t> count = CheckedElementCount(shape);
    if (!count.ok() || *count == 0 || static_cast<uint64_t>(*count) > data.size()) return 0;
    const uint64_t expected = tosa::DataBytes(dtype, static_cast<uint64_t>(*count));
    if (data.size() < expected + tosa::kDataAlignment && data.size() % tosa::kDataAlignment == 0)
      return 0;
    if (data.size() <= expected) return 0;
    bool zero = true, repeats = true;
    for (uint64_t i = expected; i < data.size(); ++i) {
      const uint8_t byte = data.Get(static_cast<fb::uoffset_t>(i));
      zero = zero && byte == 0;
      repeats = repeats && byte == data.Get(static_cast<fb::uoffset_t>(i - expected));
    }
    return zero || repeats ? data.size() - expected : 0;
  }

  // Leaves the last `surplus` bytes alone.
  static StatusOr<Tensor> Unpack(const ByteList& data, uint64_t surplus, DType dtype,
                                 const Shape& shape) {
    CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
    // A byte holds two elements at most, so this limits products and allocations.
    const uint64_t expected = static_cast<uint64_t>(count) / 2 > data.size()
                                  ? UINT64_MAX
                                  : tosa::DataBytes(dtype, static_cast<uint64_t>(count));
    const uint64_t size = data.size() - surplus;
    if (size < expected || size >= expected + tosa::kDataAlignment ||
        (size != expected && size % tosa::kDataAlignment != 0)) {
      return InvalidArgument("found ", data.size(), " bytes, expected those of ", count,
                             " elements of ", Name(dtype));
    }
    Tensor tensor(dtype, shape);
    if (dtype != DType::kI4 && dtype != DType::kI48) {
      std::memcpy(tensor.bytes().data(), data.data(), expected);
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = 0;
      if (dtype == DType::kBool) {
        value = data.Get(static_cast<fb::uoffset_t>(i));
      } else if (dtype == DType::kI4) {
        const int nibble = data.Get(static_cast<fb::uoffset_t>(i / 2)) >> (i % 2 * 4) & 15;
        value = nibble < 8 ? nibble : nibble - 16;
      } else if (dtype == DType::kI48) {
        uint64_t bits = 0;
        std::memcpy(&bits, data.data() + 6 * i, 6);
        value = static_cast<int64_t>(bits << 16) >> 16;
      } else {
        break;  // every pattern of bits is a value
      }
      if (value < IntegerMin(dtype) || value > IntegerMax(dtype)) {
        return InvalidArgument("element ", i, ": found ", value, ", expected ", IntegerMin(dtype),
                               " to ", IntegerMax(dtype));
      }
      tensor.SetInteger(i, value);
    }
    return tensor;
  }

  // ---- Operators ----

  Status ReadBlock(const tosa::TosaBasicBlock& file, const Scope& scope, Block& block) {
    const std::string place = StrCat("block ", block.name);
    CTS_ASSIGN_OR_RETURN(block.inputs, ReadNames(file.inputs(), scope, place + ", inputs"));
    CTS_ASSIGN_OR_RETURN(block.outputs, ReadNames(file.outputs(), scope, place + ", outputs"));
    if (file.operators() == nullptr) return absl::OkStatus();
    for (const tosa::TosaOperator* op : *file.operators()) {
      const std::string where = StrCat(place, ", operator ", block.operators.size());
      CTS_ASSIGN_OR_RETURN(GraphOperator read, ReadOperator(*op, scope, where));
      block.operators.push_back(std::move(read));
    }
    return absl::OkStatus();
  }

  StatusOr<std::vector<std::string>> ReadNames(const StringList* list, const Scope& scope,
                                               const std::string& place) {
    std::vector<std::string> names;
    if (list == nullptr) return names;
    for (const fb::String* item : *list) {
      CTS_ASSIGN_OR_RETURN(const std::string_view name, Text(item, place));
      // The name in the block; if it is not there, in a block around it, which PassCaptures checks.
      auto found = scope.tensors.find(name);
      if (found == scope.tensors.end()) {
        found = first_.find(name);
        if (found == first_.end()) {
          return Bad(place, Names::Identifier(name), " names no tensor");
        }
      }
      names.push_back(found->second);
    }
    return names;
  }

  StatusOr<GraphOperator> ReadOperator(const tosa::TosaOperator& file, const Scope& scope,
                                       std::string place) {
    const fb::TypeTable* fields = tosa::AttributeFields(file.op());
    if (fields == nullptr) {
      return TooNew(place, "found operator number ", static_cast<uint32_t>(file.op()),
                    ", expected 1 to ", static_cast<uint32_t>(tosa::Op::MAX));
    }
    GraphOperator op{.op = tosa::EnumNameOp(file.op())};
    place += StrCat(" (", op.op, ")");
    if (HasUnknownField(AsTable(file), 6)) return TooNew(place, "has what version 1.0 has not");
    // Some writers write IDENTITY, and only its attributes say that a variable is read or written.
    const bool reads = file.attribute_type() == tosa::Attribute::VariableReadAttribute;
    const bool writes = file.attribute_type() == tosa::Attribute::VariableWriteAttribute;
    const bool by_attribute = file.op() == tosa::Op::IDENTITY && (reads || writes);
    if (by_attribute) {
      op.op = reads ? "VARIABLE_READ" : "VARIABLE_WRITE";
    } else if (static_cast<uint32_t>(file.attribute_type()) != static_cast<uint32_t>(file.op())) {
      return Bad(place, "found attributes number ", static_cast<uint32_t>(file.attribute_type()),
                 ", expected ", static_cast<uint32_t>(file.op()));
    }
    if (file.attribute() == nullptr) return Bad(place, "found no attributes, expected them");
    const auto& attributes = *static_cast<const fb::Table*>(file.attribute());
    if (HasUnknownField(attributes, by_attribute ? 0 : fields->num_elems)) {
      return TooNew(place, "has an attribute that version 1.0 has not");
    }
    if (reads || writes || file.op() == tosa::Op::VARIABLE) {
      CTS_RETURN_IF_ERROR(ReadVariable(file, scope, by_attribute, place, op));
      return op;
    }
    CTS_ASSIGN_OR_RETURN(op.inputs, ReadNames(file.inputs(), scope, place + ", inputs"));
    CTS_ASSIGN_OR_RETURN(op.outputs, ReadNames(file.outputs(), scope, place + ", outputs"));
    const OperatorSpec& spec = *edition_.FindOperator(op.op);
    for (size_t i = 0; i < fields->num_elems; ++i) {
      const ArgumentSpec& argument = *spec.FindArgument(fields->names[i]);
      CTS_ASSIGN_OR_RETURN(std::optional<AttributeValue> value,
                           ReadAttribute(attributes, *fields, i, argument, op,
                                         StrCat(place, ", attribute ", argument.name)));
      if (value) op.attributes.emplace(argument.name, *std::move(value));
    }
    return op;
  }

  Status ReadVariable(const tosa::TosaOperator& file, const Scope& scope, bool by_attribute,
                      const std::string& place, GraphOperator& op) {
    const bool reads = op.op == "VARIABLE_READ", declares = op.op == "VARIABLE";
    const StringList* list = reads ? file.inputs() : file.outputs();
    if (list == nullptr || list->size() != 1) {
      return Bad(place, "found ", list == nullptr ? 0 : list->size(),
                 reads ? " inputs" : " outputs", ", expected the tensor of a variable");
    }
    CTS_ASSIGN_OR_RETURN(const std::string_view name, Text(list->Get(0), place));
    const auto found = scope.variables.find(name);
    if (found == scope.variables.end()) {
      return Bad(place, Names::Identifier(name), " is no variable of the block");
    }
    const Variable& variable = found->second;
    op.attributes.emplace("name", variable.name);
    CTS_ASSIGN_OR_RETURN(std::vector<std::string> others,
                         ReadNames(reads ? file.outputs() : file.inputs(), scope, place));
    (reads ? op.outputs : op.inputs) = std::move(others);
    if (declares) {
      declared_.insert(variable.name);
      Describe(variable, op);
    } else if (by_attribute) {
      undeclared_.emplace(variable.name, variable);
    }
    return absl::OkStatus();
  }

  static void Describe(const Variable& variable, GraphOperator& op) {
    op.attributes["type"] = std::string(EnumeratorOf(variable.dtype));
    op.attributes["var_shape"] = variable.shape;
    if (!variable.tensor.empty()) op.attributes["initial_value"] = variable.tensor;
  }

  // Variables that an operator reads or writes, but no operator declares, come before everything
  // else.
  void AddDeclarations() {
    Block& main = graph_.main();
    std::vector<GraphOperator> operators;
    for (auto& [name, variable] : undeclared_) {
      if (declared_.contains(name)) continue;
      if (variable.values != nullptr) {
        variable.tensor = names_.Add(name);
        main.tensors.push_back({variable.tensor, variable.dtype, variable.shape, variable.values});
      }
      operators.push_back({"VARIABLE", {}, {}, {{"name", name}}});
      Describe(variable, operators.back());
    }
    main.operators.insert(main.operators.begin(), operators.begin(), operators.end());
  }

  // ---- Attributes ----

  // Nothing if it is missing and optional, or if the format has a way to leave it out.
  StatusOr<std::optional<AttributeValue>> ReadAttribute(const fb::Table& attributes,
                                                        const fb::TypeTable& fields, size_t i,
                                                        const ArgumentSpec& argument,
                                                        const GraphOperator& op,
                                                        const std::string& place) {
    using Value = std::optional<AttributeValue>;
    const fb::TypeCode code = fields.type_codes[i];
    const fb::voffset_t field = tosa::FieldOffset(i);
    const bool is_list = code.is_repeating != 0;
    const bool is_scalar = code.base_type == fb::ET_BOOL || code.base_type == fb::ET_INT;
    if (!attributes.CheckField(field) && (!is_scalar || is_list || argument.optional)) {
      return Value();
    }
    switch (code.base_type) {
      case fb::ET_BOOL:
        return Value(attributes.GetField<uint8_t>(field, 0) != 0);
      case fb::ET_INT: {
        if (!is_list) return Value(int64_t{attributes.GetField<int32_t>(field, 0)});
        const auto& list = *attributes.GetPointer<const fb::Vector<int32_t>*>(field);
        if (list.size() * 4 > data_left_) return Bad(place, "its values are those of others");
        data_left_ -= list.size() * 4;
        return Value(std::vector<int64_t>(list.begin(), list.end()));
      }
      case fb::ET_UINT:
        return ReadEnumerator(attributes.GetField<uint32_t>(field, 0), argument, place);
      case fb::ET_STRING: {
        CTS_ASSIGN_OR_RETURN(const std::string_view text,
                             Text(attributes.GetPointer<const fb::String*>(field), place));
        if (argument.type == "tosa_graph_t") {
          const auto region = regions_.find(text);
          return Value(region == regions_.end() ? Names::Identifier(text) : region->second);
        }
        CTS_ASSIGN_OR_RETURN(std::string value, Utf8(text, place));
        return Value(std::move(value));
      }
      default: {  // bytes
        const auto& bytes = *attributes.GetPointer<const ByteList*>(field);
        if (bytes.size() > data_left_) return Bad(place, "its bytes are those of others");
        data_left_ -= bytes.size();
        if (argument.type != "String") return ReadScalar(bytes, op, place);
        CTS_ASSIGN_OR_RETURN(
            std::string value,
            Utf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, place));
        return Value(std::move(value));
      }
    }
  }

  StatusOr<std::optional<AttributeValue>> ReadEnumerator(uint32_t number,
                                                         const ArgumentSpec& argument,
                                                         const std::string& place) const {
    if (number == 0) return std::optional<AttributeValue>();
    if (argument.type == "acc_type_t") {
      const auto type = static_cast<tosa::DType>(number);
      if (type <= tosa::DType::MAX) {
        return std::optional<AttributeValue>(std::string(tosa::EnumNameDType(type)));
      }
    } else {
      for (const EnumValue& value : edition_.FindEnum(argument.type)->values) {
        if (value.value == number) return std::optional<AttributeValue>(value.name);
      }
    }
    return Bad(place, "found ", number, ", which is no ", argument.type);
  }

  StatusOr<std::optional<AttributeValue>> ReadScalar(const ByteList& bytes, const GraphOperator& op,
                                                     const std::string& place) const {
    if (op.inputs.empty()) return Bad(place, "the operator has no input whose type it could have");
    const DType dtype = types_.at(op.inputs[0]);
    if (dtype == DType::kBool || dtype == DType::kShape) {
      return Bad(place, "found an input of type ", Name(dtype), ", expected numbers");
    }
    const StatusOr<Tensor> scalar = Unpack(bytes, 0, dtype, {});
    if (!scalar.ok()) return Bad(place, Message(scalar.status()));
    if (IsFloat(dtype)) return std::optional<AttributeValue>(scalar->Value(0));
    return std::optional<AttributeValue>(scalar->Integer(0));
  }

  const std::string origin_;
  const Edition& edition_;
  // The amount that may still be copied: names can be shared, data are not.
  uint64_t text_left_, data_left_;
  Graph graph_;
  std::vector<std::vector<Scope>> scopes_;                   // region by region, block by block
  std::map<std::string, std::string, std::less<>> regions_;  // in the file -> in the graph
  Names names_, region_names_;
  std::map<std::string, std::string, std::less<>> first_;  // as Scope::tensors, of the first block
  std::map<std::string, DType> types_;                     // by the name in the graph
  std::set<std::string> declared_;                         // by VARIABLE
  std::map<std::string, Variable> undeclared_;             // read or written by IDENTITY
  std::vector<std::string> notes_;                         // as TosaFile has them
};

}  // namespace

StatusOr<TosaFile> DecodeTosa(std::string_view bytes, std::string_view origin) {
  constexpr size_t kLeast = 8;  // the root's offset and the identifier
  if (bytes.size() < kLeast || bytes.size() > kMaxTosaBytes) {
    return InvalidArgument(origin, ": found ", bytes.size(), " bytes, expected ", kLeast, " to ",
                           kMaxTosaBytes);
  }
  // A FlatBuffer's scalars are aligned if its beginning is.
  std::vector<uint64_t> aligned;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (reinterpret_cast<uintptr_t>(data) % alignof(uint64_t) != 0) {
    aligned.resize(bytes.size() / sizeof(uint64_t) + 1);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    data = reinterpret_cast<const uint8_t*>(aligned.data());
  }
  if (!tosa::TosaGraphBufferHasIdentifier(data)) {
    return InvalidArgument(origin, ": found no FlatBuffer with the identifier ",
                           tosa::TosaGraphIdentifier());
  }
  fb::Verifier verifier(data, bytes.size(), /*max_depth=*/16,
                        /*max_tables=*/static_cast<fb::uoffset_t>(bytes.size()));
  if (!SharingCheck(data, bytes.size()).Passes(data) || !tosa::VerifyTosaGraphBuffer(verifier)) {
    return InvalidArgument(origin, ": damaged: not a FlatBuffer of schemas/tosa.fbs");
  }
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(kDefaultEdition));
  const tosa::TosaGraph& graph = *tosa::GetTosaGraph(data);
  StatusOr<TosaFile> file = Decoder(origin, bytes.size(), *edition).Run(graph);
  if (file.ok() || !MayBeOldDraft(graph)) return file;
  return absl::Status(file.status().code(), StrCat(Message(file.status()), "; ",
                                                   OldDraftHint(VersionOf(*graph.version()))));
}

OldDraftType OldDraftTypeOf(DType dtype) {
  // By number.
  static constexpr OldDraftType kTypes[] = {
      {"UNKNOWN", ""},  {"BOOL", "|b1"},  {"UINT8", "|u1"}, {"INT4", "|i1"},    {"INT8", "|i1"},
      {"INT16", "<i2"}, {"INT32", "<i4"}, {"INT48", "<i8"}, {"FP32", "<f4"},    {"UINT16", "<u2"},
      {"FP16", "<f2"},  {"BF16", "<V2"},  {"SHAPE", "<i8"}, {"FP8E4M3", "|V1"}, {"FP8E5M2", "|V1"},
  };
  return kTypes[static_cast<size_t>(tosa::FindType(&tosa::WireType::dtype, dtype)->number)];
}

std::string OldDraftHint(std::string_view version) {
  return StrCat("the file says ", version,
                " and names no release, as files of the drafts before 1.0 (until January 2025) do, "
                "which number types and operators otherwise (8 is FP16, and was FP32); if it is "
                "one, have it written again by a serializer of 1.0 or later");
}

}  // namespace cts
