#include <algorithm>
#include <set>
#include <utility>

#include "reference/formats/names.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/spirv_wire.h"
#include "reference/formats/unsupported.h"

namespace cts {
namespace {

using spirv::Op;
using Words = std::vector<uint32_t>;

constexpr size_t kMaxSpirvRank = 64;
// Nulls and replicated values make large constants out of few words.
constexpr uint64_t kElementsBeyondWords = 1 << 24, kElementsOfAWord = 16;

struct SpirvInstruction {
  size_t place;  // of its first word
  Op op;
  Words operands;
};

struct SpirvType {
  enum class Kind { kElement, kArray, kTensor, kPointer, kStruct, kGraph };
  Kind kind;
  DType dtype = DType::kBool;   // of an element, an array or a tensor
  Shape shape;                  // of an array or a tensor
  std::vector<uint32_t> parts;  // a struct's members; a graph's inputs, then its outputs
  size_t inputs = 0;            // of a graph
  uint32_t pointee = 0;
};

// A constant: an element has no dimensions, an array has one.
struct SpirvConstant {
  uint32_t type;
  std::shared_ptr<const Tensor> values;
};

class SpirvReader {
 public:
  SpirvReader(std::string_view origin, const Edition& edition, const SpirvConstantSource& source)
      : origin_(origin), edition_(edition), source_(source) {}

  StatusOr<SpirvFile> Run(std::string_view bytes) {
    CTS_RETURN_IF_ERROR(Split(bytes));
    for (const SpirvInstruction& instruction : instructions_) {
      CTS_RETURN_IF_ERROR(ReadInstruction(instruction));
    }
    if (!ended_) return Bad(bytes.size() / 4, "found no graph that ends, expected one");
    SpirvFile file;
    file.graph = std::move(graph_);
    file.renamed = std::move(renamed_);
    return file;
  }

 private:
  // An error within an operator, or an argument of it: the file stays in front.
  Status Within(const std::string& part, const Status& error) const {
    std::string message = Message(error);
    const std::string file = StrCat(origin_, ": ");
    if (message.starts_with(file)) message.erase(0, file.size());
    return Status(error.code(), StrCat(file, part, ": ", message));
  }
  template <class... Args>
  Status Bad(size_t place, const Args&... message) const {
    return InvalidArgument(origin_, ": word ", place, ": ", message...);
  }
  template <class... Args>
  Status Unknown(size_t place, const Args&... message) const {
    return Unsupported(origin_, ": word ", place, ": ", message...);
  }

  // ---- Words ----

  Status Split(std::string_view bytes) {
    if (bytes.size() % 4 != 0 || bytes.size() < 4 * spirv::kHeaderWords ||
        bytes.size() > kMaxSpirvBytes) {
      return InvalidArgument(origin_, ": found ", bytes.size(), " bytes, expected whole words, ",
                             spirv::kHeaderWords, " of them at least");
    }
    const auto word = [&](size_t i) {
      uint32_t value = 0;
      for (size_t b = 0; b < 4; ++b) {
        value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[4 * i + b])) << (8 * b);
      }
      return value;
    };
    if (!IsSpirv(bytes)) return Bad(0, "found ", word(0), ", expected SPIR-V's ", spirv::kMagic);
    if (word(0) != spirv::kMagic) return Unknown(0, "the words are big-endian");
    const size_t count = bytes.size() / 4;
    elements_left_ = kElementsBeyondWords + kElementsOfAWord * count;
    for (size_t at = spirv::kHeaderWords; at < count;) {
      const size_t length = word(at) >> 16;
      if (length == 0 || length > count - at) {
        return Bad(at, "found an instruction of ", length, " words, expected 1 to ", count - at);
      }
      SpirvInstruction instruction{at, static_cast<Op>(word(at) & 0xffff), {}};
      for (size_t i = 1; i < length; ++i) instruction.operands.push_back(word(at + i));
      instructions_.push_back(std::move(instruction));
      at += length;
    }
    CollectNames();
    return absl::OkStatus();
  }

  // A text up to its zero, from an operand on, and how many operands it takes.
  static std::pair<std::string, size_t> Text(const SpirvInstruction& in, size_t from) {
    std::string text;
    for (size_t i = from; i < in.operands.size(); ++i) {
      for (int shift = 0; shift < 32; shift += 8) {
        const char c = static_cast<char>(in.operands[i] >> shift & 0xff);
        if (c == 0) return {text, i + 1 - from};
        text += c;
      }
    }
    return {text, in.operands.size() - from};
  }

  // Collects what instructions say of ids, wherever they stand.
  void CollectNames() {
    for (const SpirvInstruction& in : instructions_) {
      if (in.op == Op::kName && in.operands.size() >= 2) {
        said_.emplace(in.operands[0], Text(in, 1).first);
      } else if (in.op == Op::kCompositeExtract && in.operands.size() == 4) {
        extracts_.emplace(std::pair(in.operands[2], in.operands[3]), in.operands[1]);
      }
    }
  }

  Status Expect(const SpirvInstruction& in, size_t least, size_t most = SIZE_MAX) const {
    if (in.operands.size() >= least && in.operands.size() <= most) return absl::OkStatus();
    return Bad(in.place, "instruction ", static_cast<uint32_t>(in.op), ": found ",
               in.operands.size(), " operands, expected ", least, most == least ? "" : " or more");
  }

  Status ReadInstruction(const SpirvInstruction& in) {
    switch (in.op) {
      case Op::kSource:
      case Op::kString:
      case Op::kName:
      case Op::kMemberName:
      case Op::kDecorate:
      case Op::kCapability:
      case Op::kExtension:
      case Op::kMemoryModel:
        return absl::OkStatus();
      case Op::kExtInstImport:
        return ReadImport(in);
      case Op::kTypeBool:
      case Op::kTypeInt:
      case Op::kTypeFloat:
      case Op::kTypeArray:
      case Op::kTypeStruct:
      case Op::kTypePointer:
      case Op::kTypeTensor:
      case Op::kTypeGraph:
        return ReadType(in);
      case Op::kVariable:
        CTS_RETURN_IF_ERROR(Expect(in, 3));
        variables_.emplace(in.operands[1], in.operands[0]);  // its type
        return absl::OkStatus();
      case Op::kGraphEntryPoint:
      case Op::kGraph:
      case Op::kGraphInput:
      case Op::kExtInst:
      case Op::kCompositeExtract:
      case Op::kGraphSetOutput:
      case Op::kGraphEnd:
        return ReadGraphInstruction(in);
      default:
        return ReadConstant(in);
    }
  }

  Status ReadImport(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 2));
    const std::string name = Text(in, 1).first;
    if (name != spirv::kInstructionSet) {
      return Unknown(in.place, "found the instruction set ", Names::Identifier(name), ", expected ",
                     spirv::kInstructionSet);
    }
    instruction_set_ = in.operands[0];
    return absl::OkStatus();
  }

  // ---- Types ----

  StatusOr<const SpirvType*> TypeOf(uint32_t id, SpirvType::Kind kind, size_t place) const {
    const auto found = types_.find(id);
    if (found == types_.end() || found->second.kind != kind) {
      return Bad(place, "id ", id, " is no type of the kind that is expected there");
    }
    return &found->second;
  }

  Status ReadType(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 1));
    SpirvType type{SpirvType::Kind::kElement};
    if (in.op == Op::kTypeStruct) {
      type.kind = SpirvType::Kind::kStruct;
      type.parts.assign(in.operands.begin() + 1, in.operands.end());
    } else if (in.op == Op::kTypePointer) {
      CTS_RETURN_IF_ERROR(Expect(in, 3, 3));
      type.kind = SpirvType::Kind::kPointer;
      type.pointee = in.operands[2];
    } else if (in.op == Op::kTypeGraph) {
      CTS_RETURN_IF_ERROR(Expect(in, 2));
      type.kind = SpirvType::Kind::kGraph;
      type.inputs = in.operands[1];
      type.parts.assign(in.operands.begin() + 2, in.operands.end());
      if (type.inputs >= type.parts.size()) {
        return Bad(in.place, "found ", type.parts.size(), " types of inputs and outputs, expected ",
                   "more than ", type.inputs);
      }
    } else if (in.op == Op::kTypeArray || in.op == Op::kTypeTensor) {
      CTS_RETURN_IF_ERROR(ReadShapedType(in, type));
    } else {
      CTS_RETURN_IF_ERROR(ReadElementType(in, type));
    }
    types_[in.operands[0]] = std::move(type);
    return absl::OkStatus();
  }

  Status ReadElementType(const SpirvInstruction& in, SpirvType& type) const {
    Words wanted;
    for (const spirv::ElementType& row : spirv::kElementTypes) {
      wanted = {in.operands[0]};
      if (row.op != Op::kTypeBool) wanted.push_back(row.bits);
      if (row.op == Op::kTypeInt) wanted.push_back(0);
      if (row.encoding) wanted.push_back(*row.encoding);
      if (row.op != in.op || wanted != in.operands) continue;
      type.dtype = row.dtype;
      return absl::OkStatus();
    }
    return Unknown(in.place, "the type of ", in.operands.size() > 1 ? in.operands[1] : 0,
                   " bits is none of TOSA");
  }

  Status ReadShapedType(const SpirvInstruction& in, SpirvType& type) const {
    const bool is_array = in.op == Op::kTypeArray;
    if (!is_array && in.operands.size() < 4) {
      return Unknown(in.place, "a tensor without a shape");
    }
    CTS_RETURN_IF_ERROR(Expect(in, is_array ? 3 : 4, is_array ? 3 : 4));
    CTS_ASSIGN_OR_RETURN(const SpirvType* const element,
                         TypeOf(in.operands[1], SpirvType::Kind::kElement, in.place));
    CTS_ASSIGN_OR_RETURN(const int64_t length, Number(in.operands[2], in.place));
    if (length < 1 || length > (is_array ? INT32_MAX : static_cast<int64_t>(kMaxSpirvRank))) {
      return Bad(in.place, "found ", length, is_array ? " elements" : " dimensions",
                 ", expected one at least, and no more than are allowed");
    }
    type.dtype = element->dtype;
    type.kind = is_array ? SpirvType::Kind::kArray : SpirvType::Kind::kTensor;
    type.shape = {length};
    if (is_array) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const Tensor* const sizes, Values(in.operands[3], in.place));
    if (sizes->dtype() != DType::kI32 || sizes->shape() != Shape{length}) {
      return Bad(in.place, "the shape is no list of ", length, " sizes");
    }
    type.shape = sizes->Integers();
    for (const int64_t size : type.shape) {
      if (size < 1)
        return Bad(in.place, "found a dimension of size ", size, ", expected 1 or more");
    }
    return absl::OkStatus();
  }

  // ---- Constants ----

  StatusOr<const Tensor*> Values(uint32_t id, size_t place) const {
    const auto found = constants_.find(id);
    if (found == constants_.end())
      return Bad(place, "id ", id, " is no constant that stands above");
    return found->second.values.get();
  }

  // A list has one dimension, a number none.
  StatusOr<int64_t> Number(uint32_t id, size_t place) const {
    CTS_ASSIGN_OR_RETURN(const Tensor* const value, Values(id, place));
    if (value->dtype() != DType::kI32 || !value->shape().empty()) {
      return Bad(place, "constant ", id, " is ", cts::Name(value->dtype()),
                 ToString(value->shape()), ", expected a number of 32 bits");
    }
    return value->Integer(0);
  }

  Status Charge(const Shape& shape, size_t place) {
    CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
    if (static_cast<uint64_t>(count) > elements_left_) {
      return Unknown(place, "a constant of ", ToString(shape), " is too large for a module of ",
                     "this length; constants of the graph may be larger");
    }
    elements_left_ -= static_cast<uint64_t>(count);
    return absl::OkStatus();
  }

  Status ReadConstant(const SpirvInstruction& in) {
    switch (in.op) {
      case Op::kConstantTrue:
      case Op::kConstantFalse:
      case Op::kConstant:
      case Op::kConstantComposite:
      case Op::kConstantNull:
      case Op::kSpecConstantTrue:
      case Op::kSpecConstantFalse:
      case Op::kSpecConstant:
      case Op::kSpecConstantComposite:
      case Op::kGraphConstant:
      case Op::kConstantCompositeReplicate:
      case Op::kSpecConstantCompositeReplicate:
        break;
      default:
        return Unknown(in.place, "instruction ", static_cast<uint32_t>(in.op),
                       " is not one that a graph of TOSA needs");
    }
    CTS_RETURN_IF_ERROR(Expect(in, 2));
    const auto type = types_.find(in.operands[0]);
    if (type == types_.end()) return Bad(in.place, "id ", in.operands[0], " is no type");
    const SpirvType::Kind kind = type->second.kind;
    if (kind != SpirvType::Kind::kElement && kind != SpirvType::Kind::kArray &&
        kind != SpirvType::Kind::kTensor) {
      return Unknown(in.place, "a constant that is no number, list or tensor");
    }
    const Shape shape = kind == SpirvType::Kind::kElement ? Shape{} : type->second.shape;
    if (in.op != Op::kGraphConstant) CTS_RETURN_IF_ERROR(Charge(shape, in.place));
    CTS_ASSIGN_OR_RETURN(Tensor values, ConstantOf(in, type->second.dtype, shape));
    constants_[in.operands[1]] = {in.operands[0],
                                  std::make_shared<const Tensor>(std::move(values))};
    return absl::OkStatus();
  }

  StatusOr<Tensor> ConstantOf(const SpirvInstruction& in, DType dtype, const Shape& shape) const {
    const bool is_true = in.op == Op::kConstantTrue || in.op == Op::kSpecConstantTrue;
    if (is_true || in.op == Op::kConstantFalse || in.op == Op::kSpecConstantFalse) {
      if (dtype != DType::kBool || !shape.empty()) return Bad(in.place, "its type is not bool");
      return Tensor::OfIntegers(dtype, {}, {is_true ? 1 : 0});
    }
    if (in.op == Op::kConstantNull) return Tensor(dtype, shape);
    if (in.op == Op::kConstant || in.op == Op::kSpecConstant) return Scalar(in, dtype, shape);
    if (in.op == Op::kGraphConstant) {
      CTS_RETURN_IF_ERROR(Expect(in, 3, 3));
      if (shape.empty()) return Bad(in.place, "a constant of the graph is a tensor");
      StatusOr<Tensor> given = source_ ? source_(in.operands[2], dtype, shape)
                                       : NotFound("it has no values in the module");
      if (!given.ok()) {
        return Annotate(given.status(),
                        StrCat(origin_, ": constant ", in.operands[2], " of the graph, ",
                               cts::Name(dtype), ToString(shape)));
      }
      if (given->dtype() == dtype && given->shape() == shape) return *std::move(given);
      return Bad(in.place, "constant ", in.operands[2], " of the graph: found ",
                 cts::Name(given->dtype()), ToString(given->shape()), ", expected ",
                 cts::Name(dtype), ToString(shape));
    }
    return Composite(in, dtype, shape);
  }

  StatusOr<Tensor> Scalar(const SpirvInstruction& in, DType dtype, const Shape& shape) const {
    const size_t words = StorageBytes(dtype) == 8 ? 2 : 1;
    CTS_RETURN_IF_ERROR(Expect(in, 2 + words, 2 + words));
    if (dtype == DType::kBool || !shape.empty()) return Bad(in.place, "its type is no number");
    uint64_t bits = in.operands[2];
    if (words == 2) bits |= static_cast<uint64_t>(in.operands[3]) << 32;
    const uint64_t mask = words == 2 ? UINT64_MAX : (uint64_t{1} << (8 * StorageBytes(dtype))) - 1;
    // The sign may extend a value that is narrower than a word.
    Tensor value(dtype, {});
    value.SetBits(0, bits & mask);
    if (dtype == DType::kI48 &&
        (value.Integer(0) < IntegerMin(dtype) || value.Integer(0) > IntegerMax(dtype))) {
      return Unknown(in.place, value.Integer(0), " is no value of i48");
    }
    return value;
  }

  StatusOr<Tensor> Composite(const SpirvInstruction& in, DType dtype, const Shape& shape) const {
    if (shape.empty()) return Bad(in.place, "a composite of the type of a number");
    Tensor whole(dtype, shape);
    const bool replicated =
        in.op == Op::kConstantCompositeReplicate || in.op == Op::kSpecConstantCompositeReplicate;
    if (replicated) CTS_RETURN_IF_ERROR(Expect(in, 3, 3));
    const size_t count = in.operands.size() - 2;
    if (!replicated && static_cast<int64_t>(count) != shape[0]) {
      return Bad(in.place, "found ", count, " parts, expected ", shape[0]);
    }
    const Shape rest(shape.begin() + 1, shape.end());
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      CTS_ASSIGN_OR_RETURN(const Tensor* const part, Values(in.operands[i + 2], in.place));
      const bool fits = part->shape() == rest || (replicated && part->shape().empty());
      if (part->dtype() != dtype || !fits) {
        return Bad(in.place, "part ", i, " is ", cts::Name(part->dtype()), ToString(part->shape()),
                   ", expected ", cts::Name(dtype), ToString(rest));
      }
      do {
        std::copy(part->bytes().begin(), part->bytes().end(),
                  whole.bytes().begin() + static_cast<int64_t>(at));
        at += part->bytes().size();
      } while (replicated && at < whole.bytes().size());
    }
    return whole;
  }

  // ---- The graph ----

  Status ReadGraphInstruction(const SpirvInstruction& in) {
    if (in.op == Op::kGraphEntryPoint) return ReadEntryPoint(in);
    if (in.op == Op::kGraph) return BeginGraph(in);
    if (graph_type_ == nullptr || ended_) {
      return Bad(in.place, "instruction ", static_cast<uint32_t>(in.op), " stands in no graph");
    }
    switch (in.op) {
      case Op::kGraphInput:
        return ReadInput(in);
      case Op::kExtInst:
        return ReadOperator(in);
      case Op::kCompositeExtract:
        return ReadExtract(in);
      case Op::kGraphSetOutput:
        return ReadOutput(in);
      default:
        return EndGraph(in);
    }
  }

  Status ReadEntryPoint(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 2));
    if (entry_graph_ != 0) return Unknown(in.place, "a second entry point");
    entry_graph_ = in.operands[0];
    const size_t begin = 1 + Text(in, 1).second;
    interface_.assign(in.operands.begin() + static_cast<int64_t>(begin), in.operands.end());
    return absl::OkStatus();
  }

  Status BeginGraph(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 2, 2));
    if (graph_type_ != nullptr) return Unknown(in.place, "a second graph");
    if (in.operands[1] != entry_graph_) return Bad(in.place, "the graph is no entry point");
    CTS_ASSIGN_OR_RETURN(graph_type_, TypeOf(in.operands[0], SpirvType::Kind::kGraph, in.place));
    if (interface_.size() != graph_type_->parts.size()) {
      return Bad(in.place, "found ", interface_.size(), " variables of the entry point, expected ",
                 graph_type_->parts.size());
    }
    for (size_t i = 0; i < interface_.size(); ++i) {
      const auto variable = variables_.find(interface_[i]);
      if (variable == variables_.end()) {
        return Bad(in.place, "id ", interface_[i], " of the entry point is no variable");
      }
      CTS_ASSIGN_OR_RETURN(const SpirvType* const pointer,
                           TypeOf(variable->second, SpirvType::Kind::kPointer, in.place));
      if (pointer->pointee == graph_type_->parts[i]) continue;
      return Bad(in.place, "variable ", i, " of the entry point has another type than the graph ",
                 "says");
    }
    graph_ = EmptyGraph();
    graph_.main().inputs.resize(graph_type_->inputs);
    graph_.main().outputs.resize(graph_type_->parts.size() - graph_type_->inputs);
    return absl::OkStatus();
  }

  // Adds the tensor of an id. If nothing is said of the id, its name is that of `other`.
  Status AddTensor(uint32_t id, uint32_t other, uint32_t type, size_t place,
                   std::pair<uint32_t, uint32_t> key) {
    CTS_ASSIGN_OR_RETURN(const SpirvType* const tensor,
                         TypeOf(type, SpirvType::Kind::kTensor, place));
    const std::string name = NameOf(id, other);
    graph_.main().tensors.push_back({name, tensor->dtype, tensor->shape, nullptr});
    if (tensors_.emplace(key, name).second) return absl::OkStatus();
    return Bad(place, "id ", id, " is defined twice");
  }

  std::string NameOf(uint32_t id, uint32_t other) {
    auto said = said_.find(id);
    if (said == said_.end() || said->second.empty()) said = said_.find(other);
    if (said == said_.end() || said->second.empty()) return names_.Add(StrCat("t", id));
    std::string name = names_.Add(said->second);
    if (name != said->second) renamed_.emplace(said->second, name);
    return name;
  }

  Status ReadInput(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 3));
    if (in.operands.size() > 3) return Unknown(in.place, "an input out of an array");
    CTS_ASSIGN_OR_RETURN(const int64_t index, Number(in.operands[2], in.place));
    std::vector<std::string>& inputs = graph_.main().inputs;
    if (index < 0 || index >= static_cast<int64_t>(inputs.size())) {
      return Bad(in.place, "found input ", index, " of ", inputs.size());
    }
    const auto at = static_cast<size_t>(index);
    if (!inputs[at].empty()) return Unknown(in.place, "input ", index, " twice");
    if (in.operands[0] != graph_type_->parts[at]) {
      return Bad(in.place, "input ", index, " has another type than the graph says");
    }
    CTS_RETURN_IF_ERROR(
        AddTensor(in.operands[1], interface_[at], in.operands[0], in.place, {in.operands[1], 0}));
    inputs[at] = tensors_.at({in.operands[1], 0});
    return absl::OkStatus();
  }

  Status ReadOutput(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 2));
    if (in.operands.size() > 2) return Unknown(in.place, "an output into an array");
    CTS_ASSIGN_OR_RETURN(const int64_t index, Number(in.operands[1], in.place));
    std::vector<std::string>& outputs = graph_.main().outputs;
    if (index < 0 || index >= static_cast<int64_t>(outputs.size())) {
      return Bad(in.place, "found output ", index, " of ", outputs.size());
    }
    CTS_ASSIGN_OR_RETURN(std::string name, TensorOf(in.operands[0], /*is_shape=*/false, in.place));
    outputs[static_cast<size_t>(index)] = std::move(name);
    return absl::OkStatus();
  }

  Status EndGraph(const SpirvInstruction& in) {
    for (const auto* names : {&graph_.main().inputs, &graph_.main().outputs}) {
      for (size_t i = 0; i < names->size(); ++i) {
        if (!(*names)[i].empty()) continue;
        const bool is_input = names == &graph_.main().inputs;
        return Bad(in.place, is_input ? "input " : "output ", i, " is missing in the graph");
      }
    }
    ended_ = true;
    return absl::OkStatus();
  }

  Status ReadExtract(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 4, 4));
    const auto found = tensors_.find({in.operands[2], in.operands[3]});
    if (found == tensors_.end() || !structs_.contains(in.operands[2])) {
      return Bad(in.place, "id ", in.operands[2], " has no part ", in.operands[3]);
    }
    tensors_.emplace(std::pair(in.operands[1], 0), found->second);
    return absl::OkStatus();
  }

  // The tensor of an id; a constant becomes one at its first use, and one more as a shape.
  StatusOr<std::string> TensorOf(uint32_t id, bool is_shape, size_t place) {
    const auto known = tensors_.find({id, 0});
    if (known != tensors_.end() && !is_shape) {
      if (structs_.contains(id)) return Bad(place, "id ", id, " is no tensor");
      return known->second;
    }
    if (known != tensors_.end()) return Unknown(place, "a shape that is no constant");
    std::map<uint32_t, std::string>& used = is_shape ? shapes_ : values_;
    const auto again = used.find(id);
    if (again != used.end()) return again->second;
    const auto constant = constants_.find(id);
    if (constant == constants_.end()) {
      return Bad(place, "id ", id, " is no tensor that stands above");
    }
    std::shared_ptr<const Tensor> values = constant->second.values;
    CTS_RETURN_IF_ERROR(TypeOf(constant->second.type, SpirvType::Kind::kTensor, place).status());
    if (is_shape) {
      if (values->dtype() != DType::kI32 || values->shape().size() != 1) {
        return Bad(place, "id ", id, " is ", cts::Name(values->dtype()), ToString(values->shape()),
                   ", expected a list of i32 for a shape");
      }
      values = std::make_shared<const Tensor>(
          Tensor::OfIntegers(DType::kShape, values->shape(), values->Integers()));
    }
    const std::string name = NameOf(id, id);
    graph_.main().tensors.push_back({name, values->dtype(), values->shape(), values});
    graph_.main().operators.push_back({is_shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    used.emplace(id, name);
    return name;
  }

  // ---- Operators ----

  Status ReadOperator(const SpirvInstruction& in) {
    CTS_RETURN_IF_ERROR(Expect(in, 4));
    const uint32_t number = in.operands[3];
    if (in.operands[2] != instruction_set_ || number >= spirv::Instructions().size()) {
      return Unknown(in.place, "found instruction ", number, " of set ", in.operands[2],
                     ", expected one below ", spirv::Instructions().size(), " of set ",
                     instruction_set_);
    }
    const spirv::Instruction& row = spirv::Instructions()[number];
    GraphOperator op{std::string(row.op), {}, {}, {}};
    const OperatorSpec& spec = *edition_.FindOperator(op.op);
    Status read = ReadOperands(in, spec, row, op);
    if (!read.ok()) return Within(op.op, read);
    const auto type = types_.find(in.operands[0]);
    const bool is_struct = type != types_.end() && type->second.kind == SpirvType::Kind::kStruct;
    const Words results = is_struct ? type->second.parts : Words{in.operands[0]};
    if (is_struct) structs_.insert(in.operands[1]);
    for (uint32_t i = 0; i < results.size(); ++i) {
      const std::pair key(in.operands[1], i);
      const auto extract = extracts_.find(key);
      const uint32_t id = !is_struct || extract == extracts_.end() ? key.first : extract->second;
      CTS_RETURN_IF_ERROR(AddTensor(id, id, results[i], in.place, key));
      op.outputs.push_back(tensors_.at(key));
    }
    graph_.main().operators.push_back(std::move(op));
    return absl::OkStatus();
  }

  Status ReadOperands(const SpirvInstruction& in, const OperatorSpec& spec,
                      const spirv::Instruction& row, GraphOperator& op) {
    const std::vector<std::string> names = spirv::Operands(row);
    const size_t given = in.operands.size() - 4;
    const bool is_list = spec.FindArgument(names.back())->type == "tensor_list_t";
    if (given < names.size() - (is_list ? 1 : 0) || (given > names.size() && !is_list)) {
      return Bad(in.place, "found ", given, " operands, expected ", names.size());
    }
    std::map<std::string, std::vector<uint32_t>> tensors;
    for (size_t i = 0; i < given; ++i) {
      const std::string& name = names[std::min(i, names.size() - 1)];
      if (spec.FindArgument(name)->category != ArgumentCategory::kAttribute) {
        tensors[name].push_back(in.operands[i + 4]);
      }
    }
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      for (const uint32_t id : tensors[argument.name]) {
        CTS_ASSIGN_OR_RETURN(op.inputs.emplace_back(),
                             TensorOf(id, argument.type == "shape_t", in.place));
      }
    }
    for (size_t i = 0; i < names.size() && i < given; ++i) {
      const ArgumentSpec& argument = *spec.FindArgument(names[i]);
      if (argument.category != ArgumentCategory::kAttribute) continue;
      StatusOr<AttributeValue> value = Attribute(argument, in.operands[i + 4], in.place);
      if (!value.ok()) return Within(argument.name, value.status());
      op.attributes.emplace(argument.name, *std::move(value));
    }
    return absl::OkStatus();
  }

  StatusOr<AttributeValue> Attribute(const ArgumentSpec& argument, uint32_t id,
                                     size_t place) const {
    CTS_ASSIGN_OR_RETURN(const Tensor* const value, Values(id, place));
    const DType dtype = value->dtype();
    if (argument.type == "tensor_t") {
      if (dtype == DType::kI32 && value->shape().size() == 1) {
        return AttributeValue(value->Integers());
      }
    } else if (value->shape().empty() && argument.type == "bool_t") {
      if (dtype == DType::kBool) return AttributeValue(value->Integer(0) != 0);
    } else if (const EnumSpec* names = edition_.FindEnum(argument.type)) {
      CTS_ASSIGN_OR_RETURN(const int64_t number, Number(id, place));
      for (const EnumValue& known : names->values) {
        if (known.value == number) return AttributeValue(known.name);
      }
      return Bad(place, "found ", number, ", which is no ", argument.type);
    } else if (value->shape().empty() && argument.type == "i32_t") {
      if (dtype == DType::kI32) return AttributeValue(value->Integer(0));
    } else if (value->shape().empty() && dtype != DType::kBool) {
      if (IsFloat(dtype)) return AttributeValue(value->Value(0));
      return AttributeValue(value->Integer(0));
    }
    return Bad(place, "found ", cts::Name(dtype), ToString(value->shape()), " for ", argument.type);
  }

  const std::string origin_;
  const Edition& edition_;
  const SpirvConstantSource& source_;
  std::vector<SpirvInstruction> instructions_;
  std::map<uint32_t, std::string> said_;                        // names that the module gives
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> extracts_;  // struct and part -> id
  std::map<uint32_t, SpirvType> types_;
  std::map<uint32_t, SpirvConstant> constants_;
  std::map<uint32_t, uint32_t> variables_;  // id -> type
  uint64_t elements_left_ = 0;
  uint32_t instruction_set_ = 0, entry_graph_ = 0;
  const SpirvType* graph_type_ = nullptr;
  bool ended_ = false;
  std::vector<uint32_t> interface_;
  Graph graph_;
  Names names_;
  std::map<std::string, std::string> renamed_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> tensors_;  // of inputs and results
  std::set<uint32_t> structs_;
  std::map<uint32_t, std::string> values_, shapes_;  // of constants, as values and as shapes
};

}  // namespace

bool IsSpirv(std::string_view bytes) {
  return bytes.starts_with("\x03\x02\x23\x07") || bytes.starts_with("\x07\x23\x02\x03");
}

StatusOr<SpirvFile> DecodeSpirv(std::string_view bytes, std::string_view origin,
                                const SpirvConstantSource& constants) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(kDefaultEdition));
  return SpirvReader(origin, *edition, constants).Run(bytes);
}

}  // namespace cts
