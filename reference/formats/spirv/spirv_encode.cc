#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/spirv_wire.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

using spirv::Capability;
using spirv::Op;
using Words = std::vector<uint32_t>;

constexpr size_t kMaxInstructionWords = 0xffff;

// UTF-8, a zero, and zeros up to a whole word.
void AppendText(std::string_view text, Words& words) {
  const size_t begin = words.size();
  words.resize(begin + text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    words[begin + i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(text[i])) << (i % 4 * 8);
  }
}

// The parts of a module in their order, and the ids of what stands there once.
class SpirvModuleParts {
 public:
  uint32_t NewId() { return next_id_++; }
  uint32_t next_id() const { return next_id_; }

  void Need(Capability capability) { capabilities_.insert(static_cast<uint32_t>(capability)); }
  void NeedExtension(std::string_view name) { extensions_.insert(std::string(name)); }

  void Name(uint32_t id, const std::string& name) {
    Words operands = {id};
    AppendText(name, operands);
    Append(Op::kName, operands, names_);
  }
  void Decorate(uint32_t id, uint32_t decoration, uint32_t value) {
    Append(Op::kDecorate, {id, decoration, value}, decorations_);
  }
  void Declare(Op op, const Words& operands) { Append(op, operands, declarations_); }
  void Body(Op op, const Words& operands) { Append(op, operands, body_); }

  // The id of a type, or of a constant of type `type`: each stands in the module once.
  uint32_t Type(Op op, const Words& operands) { return Once(op, 0, operands); }
  uint32_t Constant(Op op, uint32_t type, const Words& operands) {
    return Once(op, type, operands);
  }

  uint32_t Integer(int bits, uint64_t value) {
    const uint32_t type = Type(Op::kTypeInt, {static_cast<uint32_t>(bits), 0});
    return Constant(Op::kConstant, type, {static_cast<uint32_t>(value)});
  }

  StatusOr<std::string> Bytes(uint32_t instruction_set, const Words& entry_point) const {
    if (longest_ > kMaxInstructionWords) {
      return Unsupported("an instruction of SPIR-V has at most ", kMaxInstructionWords,
                         " words, and this graph needs one of ", longest_,
                         "; constants of the graph have no such limit");
    }
    Words words = {spirv::kMagic, spirv::kVersion, 0, next_id_, 0};
    for (const uint32_t capability : capabilities_) Append(Op::kCapability, {capability}, words);
    for (const std::string& name : extensions_) {
      Words operands;
      AppendText(name, operands);
      Append(Op::kExtension, operands, words);
    }
    Words set = {instruction_set};
    AppendText(spirv::kInstructionSet, set);
    Append(Op::kExtInstImport, set, words);
    Append(Op::kMemoryModel, {spirv::kLogical, spirv::kVulkan}, words);
    for (const Words* part : {&names_, &decorations_, &declarations_}) {
      words.insert(words.end(), part->begin(), part->end());
    }
    Append(Op::kGraphEntryPoint, entry_point, words);
    words.insert(words.end(), body_.begin(), body_.end());
    std::string bytes;
    bytes.reserve(4 * words.size());
    for (const uint32_t word : words) {
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
    }
    return bytes;
  }

 private:
  void Append(Op op, const Words& operands, Words& part) const {
    const size_t count = operands.size() + 1;
    longest_ = std::max(longest_, count);
    part.push_back(static_cast<uint32_t>(count << 16) | static_cast<uint32_t>(op));
    part.insert(part.end(), operands.begin(), operands.end());
  }

  // Types have their result first, constants behind their type.
  uint32_t Once(Op op, uint32_t type, const Words& operands) {
    Words key = {static_cast<uint32_t>(op), type};
    key.insert(key.end(), operands.begin(), operands.end());
    const auto [found, is_new] = once_.emplace(std::move(key), next_id_);
    if (!is_new) return found->second;
    Words all;
    if (type != 0) all.push_back(type);
    all.push_back(NewId());
    all.insert(all.end(), operands.begin(), operands.end());
    Declare(op, all);
    return found->second;
  }

  uint32_t next_id_ = 1;
  mutable size_t longest_ = 0;
  std::set<uint32_t> capabilities_;
  std::set<std::string> extensions_;
  Words names_, decorations_, declarations_, body_;
  std::map<Words, uint32_t> once_;
};

class SpirvWriter {
 public:
  SpirvWriter(const Graph& graph, const Edition& edition, const SpirvOptions& options)
      : block_(graph.main()),
        edition_(edition),
        constants_(options.constants),
        places_(options.places) {}

  StatusOr<SpirvModule> Run() {
    for (const Capability capability : {Capability::kShader, Capability::kTensors,
                                        Capability::kGraph, Capability::kVulkanMemoryModel}) {
      parts_.Need(capability);
    }
    parts_.NeedExtension("SPV_ARM_graph");
    parts_.NeedExtension("SPV_ARM_tensors");
    instruction_set_ = parts_.NewId();
    CTS_RETURN_IF_ERROR(CollectTensors());
    Words types = {static_cast<uint32_t>(block_.inputs.size())}, variables;
    CTS_RETURN_IF_ERROR(DeclarePorts(block_.inputs, types, variables, module_.inputs));
    CTS_RETURN_IF_ERROR(DeclarePorts(block_.outputs, types, variables, module_.outputs));
    if (block_.outputs.empty()) return Unsupported("a graph of SPIR-V has an output at least");
    const uint32_t type = parts_.Type(Op::kTypeGraph, types), graph = parts_.NewId();
    parts_.Body(Op::kGraph, {type, graph});
    for (size_t i = 0; i < block_.inputs.size(); ++i) {
      const uint32_t id = parts_.NewId();
      parts_.Body(Op::kGraphInput, {types[i + 1], id, parts_.Integer(32, i)});
      parts_.Name(id, block_.inputs[i]);
      ids_.emplace(block_.inputs[i], id);
    }
    for (size_t i = 0; i < block_.operators.size(); ++i) {
      const Status written = WriteOperator(block_.operators[i]);
      if (!written.ok()) {
        return Annotate(written, StrCat("operator ", i, " (", block_.operators[i].op, ")"));
      }
    }
    for (size_t i = 0; i < block_.outputs.size(); ++i) {
      CTS_ASSIGN_OR_RETURN(const uint32_t id, IdOf(block_.outputs[i]));
      parts_.Body(Op::kGraphSetOutput, {id, parts_.Integer(32, i)});
    }
    parts_.Body(Op::kGraphEnd, {});
    CTS_RETURN_IF_ERROR(CheckConstantsAreUsed());
    Words entry_point = {graph};
    AppendText(kSpirvEntryPoint, entry_point);
    entry_point.insert(entry_point.end(), variables.begin(), variables.end());
    CTS_ASSIGN_OR_RETURN(module_.bytes, parts_.Bytes(instruction_set_, entry_point));
    return std::move(module_);
  }

 private:
  Status CollectTensors() {
    for (const GraphTensor& tensor : block_.tensors) tensors_.emplace(tensor.name, &tensor);
    const auto check = [&](const std::vector<std::string>& names) -> Status {
      for (const std::string& name : names) {
        if (!tensors_.contains(name)) return InvalidArgument("tensor ", name, " is not declared");
      }
      return absl::OkStatus();
    };
    CTS_RETURN_IF_ERROR(check(block_.inputs));
    CTS_RETURN_IF_ERROR(check(block_.outputs));
    for (const GraphOperator& op : block_.operators) {
      CTS_RETURN_IF_ERROR(check(op.inputs));
      CTS_RETURN_IF_ERROR(check(op.outputs));
    }
    return absl::OkStatus();
  }

  // An error in an unused constant would be lost with it.
  Status CheckConstantsAreUsed() const {
    for (const GraphOperator& op : block_.operators) {
      if (!IsConstant(op) || op.outputs.empty() || ids_.contains(op.outputs[0])) continue;
      return Unsupported("a graph of SPIR-V has no place for ", op.op, " ", op.outputs[0],
                         ", which nothing uses");
    }
    return absl::OkStatus();
  }

  // ---- Types ----

  StatusOr<uint32_t> ScalarType(DType dtype) {
    const spirv::ElementType* const row = spirv::FindElementType(dtype);
    if (row == nullptr) {
      return Unsupported("SPIR-V has no tensors of ", cts::Name(dtype),
                         dtype == DType::kI4 ? "; lowering makes them i8" : "");
    }
    if (row->capability) parts_.Need(*row->capability);
    if (!row->extension.empty()) parts_.NeedExtension(row->extension);
    Words operands;
    if (row->op != Op::kTypeBool) operands.push_back(row->bits);
    if (row->op == Op::kTypeInt) operands.push_back(0);
    if (row->encoding) operands.push_back(*row->encoding);
    return parts_.Type(row->op, operands);
  }

  StatusOr<uint32_t> TensorType(DType dtype, const Shape& shape) {
    if (shape.empty()) {
      return Unsupported("SPIR-V has no tensor without dimensions; lowering makes its shape [1]");
    }
    for (const int64_t size : shape) {
      if (size < 1 || size > INT32_MAX) {
        return Unsupported("a tensor of SPIR-V has no dimension of size ", size);
      }
    }
    CTS_ASSIGN_OR_RETURN(const uint32_t element, ScalarType(dtype));
    const uint32_t rank = parts_.Integer(32, shape.size());
    const uint32_t u32 = parts_.Type(Op::kTypeInt, {32, 0});
    const uint32_t list = parts_.Type(Op::kTypeArray, {u32, rank});
    Words sizes;
    for (const int64_t size : shape) {
      sizes.push_back(parts_.Integer(32, static_cast<uint64_t>(size)));
    }
    const uint32_t shape_id = parts_.Constant(Op::kConstantComposite, list, sizes);
    return parts_.Type(Op::kTypeTensor, {element, rank, shape_id});
  }

  StatusOr<uint32_t> TypeOf(const GraphTensor& tensor) {
    StatusOr<uint32_t> type = TensorType(tensor.dtype, tensor.shape);
    if (!type.ok()) return Annotate(type.status(), StrCat("tensor ", tensor.name));
    return type;
  }

  // ---- Inputs and outputs ----

  Status DeclarePorts(const std::vector<std::string>& names, Words& types, Words& variables,
                      std::vector<SpirvPort>& ports) {
    for (const std::string& name : names) {
      const GraphTensor& tensor = *tensors_.at(name);
      if (tensor.dtype == DType::kShape) {
        return Unsupported("tensor ", name, ": a shape of SPIR-V is a constant, and no input or ",
                           "output of the graph");
      }
      CTS_ASSIGN_OR_RETURN(const uint32_t type, TypeOf(tensor));
      types.push_back(type);
      const uint32_t pointer = parts_.Type(Op::kTypePointer, {spirv::kUniformConstant, type});
      const uint32_t id = parts_.NewId();
      parts_.Declare(Op::kVariable, {pointer, id, spirv::kUniformConstant});
      const auto [set, binding] = PlaceOf(variables.size());
      parts_.Decorate(id, spirv::kDescriptorSet, set);
      parts_.Decorate(id, spirv::kBinding, binding);
      parts_.Name(id, name);
      variables.push_back(id);
      ports.push_back({name, tensor.dtype, tensor.shape, set, binding});
    }
    return absl::OkStatus();
  }

  // The set and the binding of a tensor at the border.
  std::pair<uint32_t, uint32_t> PlaceOf(size_t number) const {
    // Vulkan promises as many at once (maxBoundDescriptorSets).
    constexpr size_t kMaxSets = 4;
    const size_t count = block_.inputs.size() + block_.outputs.size();
    const size_t behind = count - 1 - number, sets = std::min(count, kMaxSets);
    std::pair<size_t, size_t> place;
    switch (places_) {
      case SpirvPlaces::kInOrder:
        place = {0, number};
        break;
      case SpirvPlaces::kUnordered:
        place = {0, 2 * behind + 1};
        break;
      case SpirvPlaces::kSets:
        place = {behind % sets, behind / sets};
        break;
    }
    return {static_cast<uint32_t>(place.first), static_cast<uint32_t>(place.second)};
  }

  // ---- Constants ----

  // One element of a tensor's constant, or of an attribute.
  StatusOr<uint32_t> Scalar(const Tensor& tensor, int64_t i, bool specialized) {
    const DType dtype = tensor.dtype();
    if (dtype == DType::kShape &&
        (tensor.Integer(i) < INT32_MIN || tensor.Integer(i) > INT32_MAX)) {
      return Unsupported("a shape of SPIR-V cannot hold ", tensor.Integer(i), ": 32 bits");
    }
    CTS_ASSIGN_OR_RETURN(const uint32_t type, ScalarType(dtype));
    const uint64_t bits = tensor.Bits(i);
    const uint32_t width = spirv::FindElementType(dtype)->bits;
    Words value;
    Op op = specialized ? Op::kSpecConstant : Op::kConstant;
    if (dtype == DType::kBool) {
      if (specialized) {
        op = bits != 0 ? Op::kSpecConstantTrue : Op::kSpecConstantFalse;
      } else {
        op = bits != 0 ? Op::kConstantTrue : Op::kConstantFalse;
      }
    } else {
      value.push_back(static_cast<uint32_t>(bits));
      if (width == 64) value.push_back(static_cast<uint32_t>(bits >> 32));
    }
    const uint32_t next = parts_.next_id();
    const uint32_t id = parts_.Constant(op, type, value);
    if (specialized && id == next) parts_.Decorate(id, spirv::kSpecId, next_spec_id_++);
    return id;
  }

  // The elements from `first` on, as a tensor of the dimensions from `axis` on.
  StatusOr<uint32_t> Composite(const Tensor& tensor, size_t axis, int64_t first, bool specialized) {
    const Shape& shape = tensor.shape();
    if (axis == shape.size()) return Scalar(tensor, first, specialized);
    const Shape rest(shape.begin() + static_cast<int64_t>(axis), shape.end());
    CTS_ASSIGN_OR_RETURN(const uint32_t type, TensorType(tensor.dtype(), rest));
    const int64_t step = ElementCount(rest) / rest[0];
    Words parts;
    for (int64_t i = 0; i < rest[0]; ++i) {
      CTS_ASSIGN_OR_RETURN(parts.emplace_back(),
                           Composite(tensor, axis + 1, first + i * step, specialized));
    }
    const Op op = specialized ? Op::kSpecConstantComposite : Op::kConstantComposite;
    // A part may stand there once for all that are like it; the whole has a name of its own.
    if (axis > 0) return parts_.Constant(op, type, parts);
    return DeclareWhole(op, type, parts);
  }

  uint32_t DeclareWhole(Op op, uint32_t type, const Words& operands) {
    Words all = {type, parts_.NewId()};
    all.insert(all.end(), operands.begin(), operands.end());
    parts_.Declare(op, all);
    return all[1];
  }

  static bool IsOneValue(const Tensor& tensor) {
    for (int64_t i = 1; i < tensor.size(); ++i) {
      if (tensor.Bits(i) != tensor.Bits(0)) return false;
    }
    return true;
  }

  // A constant of the graph, as the module types it.
  static StatusOr<Tensor> AsGraphConstant(const Tensor& tensor) {
    if (tensor.dtype() != DType::kShape) return tensor;
    Tensor sizes(DType::kI32, tensor.shape());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (tensor.Integer(i) < INT32_MIN || tensor.Integer(i) > INT32_MAX) {
        return Unsupported("a shape of SPIR-V cannot hold ", tensor.Integer(i), ": 32 bits");
      }
      sizes.SetInteger(i, tensor.Integer(i));
    }
    return sizes;
  }

  StatusOr<uint32_t> Constant(const Tensor& tensor) {
    CTS_ASSIGN_OR_RETURN(const uint32_t type, TensorType(tensor.dtype(), tensor.shape()));
    const bool one_value = IsOneValue(tensor);
    if (constants_ == SpirvConstants::kNull && one_value && tensor.Bits(0) == 0) {
      return DeclareWhole(Op::kConstantNull, type, {});
    }
    if (constants_ == SpirvConstants::kReplicated && one_value) {
      parts_.Need(Capability::kReplicatedComposites);
      parts_.NeedExtension("SPV_EXT_replicated_composites");
      CTS_ASSIGN_OR_RETURN(const uint32_t value, Scalar(tensor, 0, false));
      return DeclareWhole(Op::kConstantCompositeReplicate, type, {value});
    }
    if (constants_ == SpirvConstants::kGraph) {
      const auto number = static_cast<uint32_t>(module_.constants.size());
      CTS_ASSIGN_OR_RETURN(Tensor values, AsGraphConstant(tensor));
      module_.constants.emplace(number, std::move(values));
      return DeclareWhole(Op::kGraphConstant, type, {number});
    }
    return Composite(tensor, 0, 0, constants_ == SpirvConstants::kSpecialization);
  }

  // The id of a tensor: of an input, an operator's result, or a constant, which the module has from
  // its first use on.
  StatusOr<uint32_t> IdOf(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    const GraphTensor& tensor = *tensors_.at(name);
    if (tensor.values == nullptr) return InvalidArgument("tensor ", name, " is not defined");
    if (tensor.values->dtype() != tensor.dtype || tensor.values->shape() != tensor.shape) {
      return InvalidArgument("tensor ", name, ": its values have another type or shape");
    }
    if (tensor.values->is_block_scaled()) {
      return Unsupported("tensor ", name, ": SPIR-V has no tensors of ", tensor.values->TypeName());
    }
    StatusOr<uint32_t> id = Constant(*tensor.values);
    if (!id.ok()) return Annotate(id.status(), StrCat("tensor ", name));
    parts_.Name(*id, name);
    ids_.emplace(name, *id);
    return *id;
  }

  // ---- Operators ----

  Status WriteOperator(const GraphOperator& op) {
    const OperatorSpec* const spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, edition_));
    if (IsConstant(op)) return CheckConstant(op);
    const std::optional<uint32_t> number = spirv::FindInstruction(op.op);
    if (!number) {
      return Unsupported(spirv::kInstructionSet, " has no instruction for it",
                         op.op == "IDENTITY" ? "; lowering leaves it out" : "");
    }
    CTS_ASSIGN_OR_RETURN(const auto inputs, Inputs(op, *spec));
    size_t attributes = 0;
    Words operands;
    for (const std::string& name : spirv::Operands(spirv::Instructions()[*number])) {
      const ArgumentSpec& argument = *spec->FindArgument(name);
      if (argument.category == ArgumentCategory::kAttribute) {
        StatusOr<uint32_t> id = Attribute(op, argument, &attributes);
        if (!id.ok()) return Annotate(id.status(), StrCat("attribute ", name));
        operands.push_back(*id);
        continue;
      }
      for (const std::string& tensor : inputs.at(name)) {
        const Status fits = CheckOperand(argument, *tensors_.at(tensor));
        if (!fits.ok()) return Annotate(fits, StrCat("operand ", name));
        CTS_ASSIGN_OR_RETURN(operands.emplace_back(), IdOf(tensor));
      }
    }
    if (attributes != op.attributes.size()) {
      for (const auto& [name, value] : op.attributes) {
        const ArgumentSpec* const argument = spec->FindArgument(name);
        if (argument != nullptr && argument->category == ArgumentCategory::kAttribute) continue;
        return Unsupported("its instruction has no place for attribute ", name);
      }
    }
    return WriteInstruction(op, *spec, *number, operands);
  }

  // Refuses an illegal constant, a part of which would be lost.
  static Status CheckConstant(const GraphOperator& op) {
    if (op.inputs.empty() && op.outputs.size() == 1 && op.attributes.empty()) {
      return absl::OkStatus();
    }
    return Unsupported(
        "a constant of SPIR-V has one result, and no operands and attributes; found ",
        op.inputs.size(), " inputs, ", op.outputs.size(), " outputs and ", op.attributes.size(),
        " attributes");
  }

  // The operator's operands by the names of their arguments. A list takes what others leave.
  static StatusOr<std::map<std::string, std::vector<std::string>>> Inputs(
      const GraphOperator& op, const OperatorSpec& spec) {
    std::map<std::string, std::vector<std::string>> inputs;
    size_t wanted = 0, next = 0;
    bool has_list = false;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      const bool is_list = argument.type == "tensor_list_t";
      has_list |= is_list;
      if (!is_list) ++wanted;
    }
    if (op.inputs.size() < wanted || (op.inputs.size() > wanted && !has_list)) {
      return Unsupported("its instruction takes ", wanted, " operands, found ", op.inputs.size());
    }
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      std::vector<std::string>& names = inputs[argument.name];
      size_t count = argument.type == "tensor_list_t" ? op.inputs.size() - wanted : 1;
      while (count-- > 0) names.push_back(op.inputs[next++]);
    }
    return inputs;
  }

  static Status CheckOperand(const ArgumentSpec& argument, const GraphTensor& tensor) {
    const bool wants_shape = argument.type == "shape_t";
    if (wants_shape != (tensor.dtype == DType::kShape)) {
      return Unsupported("SPIR-V cannot tell a shape from i32, and it is of ",
                         cts::Name(tensor.dtype));
    }
    if (!argument.ctc.empty() && tensor.values == nullptr) {
      return Unsupported("a constant must stand there, and ", tensor.name, " is none");
    }
    return absl::OkStatus();
  }

  Status WriteInstruction(const GraphOperator& op, const OperatorSpec& spec, uint32_t number,
                          const Words& operands) {
    const auto results = static_cast<size_t>(std::count_if(
        spec.arguments.begin(), spec.arguments.end(),
        [](const ArgumentSpec& a) { return a.category == ArgumentCategory::kOutput; }));
    if (op.outputs.size() != results) {
      return Unsupported("its instruction has ", results, " results, found ", op.outputs.size());
    }
    Words types;
    for (const std::string& name : op.outputs) {
      if (ids_.contains(name)) return InvalidArgument("tensor ", name, " is defined twice");
      CTS_ASSIGN_OR_RETURN(types.emplace_back(), TypeOf(*tensors_.at(name)));
    }
    const uint32_t type = results == 1 ? types[0] : parts_.Type(Op::kTypeStruct, types);
    const uint32_t result = parts_.NewId();
    Words all = {type, result, instruction_set_, number};
    all.insert(all.end(), operands.begin(), operands.end());
    parts_.Body(Op::kExtInst, all);
    for (uint32_t i = 0; i < results; ++i) {
      uint32_t id = result;
      if (results > 1) {
        id = parts_.NewId();
        parts_.Body(Op::kCompositeExtract, {types[i], id, result, i});
      }
      parts_.Name(id, op.outputs[i]);
      ids_.emplace(op.outputs[i], id);
    }
    return absl::OkStatus();
  }

  // ---- Attributes ----

  StatusOr<uint32_t> Attribute(const GraphOperator& op, const ArgumentSpec& argument,
                               size_t* found) {
    const auto entry = op.attributes.find(argument.name);
    AttributeValue value;
    if (entry != op.attributes.end()) {
      ++*found;
      value = entry->second;
    } else if (argument.name == "nan_mode") {
      value = std::string("PROPAGATE");
    } else if (argument.name == "local_bound") {
      value = false;
    } else {
      return Unsupported("an instruction of SPIR-V cannot leave it out");
    }
    if (argument.type == "bool_t") {
      if (const auto* flag = std::get_if<bool>(&value)) {
        return Scalar(Tensor::OfIntegers(DType::kBool, {}, {*flag ? 1 : 0}), 0, false);
      }
    } else if (argument.type == "i32_t") {
      if (const auto* number = std::get_if<int64_t>(&value)) return Number(*number);
    } else if (argument.type == "tensor_t") {
      if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return List(*list);
    } else if (const EnumSpec* names = edition_.FindEnum(argument.type)) {
      const auto* text = std::get_if<std::string>(&value);
      for (const EnumValue& known : names->values) {
        if (text != nullptr && known.name == *text) return Number(known.value);
      }
      if (text != nullptr) return Unsupported("SPIR-V has no ", argument.type, " of name ", *text);
    } else {
      return TypedNumber(op, value);
    }
    return Unsupported("SPIR-V cannot hold a value of this kind there");
  }

  StatusOr<uint32_t> Number(int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX) {
      return Unsupported("SPIR-V cannot hold ", value, ": 32 bits");
    }
    return parts_.Integer(32, static_cast<uint64_t>(value));
  }

  StatusOr<uint32_t> List(const std::vector<int64_t>& values) {
    if (values.empty()) return Unsupported("SPIR-V has no tensor of no elements");
    CTS_ASSIGN_OR_RETURN(const uint32_t type,
                         TensorType(DType::kI32, {static_cast<int64_t>(values.size())}));
    Words ids;
    for (const int64_t value : values) {
      CTS_ASSIGN_OR_RETURN(ids.emplace_back(), Number(value));
    }
    return parts_.Constant(Op::kConstantComposite, type, ids);
  }

  // A number of the type of the operator's first input: CLAMP's bounds.
  StatusOr<uint32_t> TypedNumber(const GraphOperator& op, const AttributeValue& value) {
    if (op.inputs.empty()) return Unsupported("the operator has no input that has a type");
    const DType dtype = tensors_.at(op.inputs[0])->dtype;
    Tensor scalar(dtype, {});
    const auto* number = std::get_if<double>(&value);
    const auto* integer = std::get_if<int64_t>(&value);
    if (number != nullptr && IsFloat(dtype)) {
      scalar.SetValue(0, *number);
      const double stored = scalar.Value(0);
      const bool same = std::isnan(*number) ? std::isnan(stored) : stored == *number;
      if (!same) return Unsupported("SPIR-V cannot hold ", *number, " as ", cts::Name(dtype));
    } else if (integer != nullptr && IsInteger(dtype) && *integer >= IntegerMin(dtype) &&
               *integer <= IntegerMax(dtype)) {
      scalar.SetInteger(0, *integer);
    } else {
      return Unsupported("SPIR-V cannot hold this value as ", cts::Name(dtype));
    }
    return Scalar(scalar, 0, false);
  }

  const Block& block_;
  const Edition& edition_;
  const SpirvConstants constants_;
  const SpirvPlaces places_;
  SpirvModule module_;
  SpirvModuleParts parts_;
  uint32_t instruction_set_ = 0, next_spec_id_ = 0;
  std::map<std::string, const GraphTensor*> tensors_;
  std::map<std::string, uint32_t> ids_;  // of tensors
};

}  // namespace

std::optional<SpirvConstants> ParseSpirvConstants(std::string_view name) {
  for (const SpirvConstantsName& row : kSpirvConstants) {
    if (row.name == name) return row.constants;
  }
  return std::nullopt;
}

StatusOr<SpirvModule> EncodeSpirv(const Graph& graph, const Edition& edition,
                                  const SpirvOptions& options) {
  if (!edition.Has(Feature::kTosaFiles)) {
    return Unsupported("edition ", edition.id, ": ", spirv::kInstructionSet, " is of ",
                       EditionsThatHave(Feature::kTosaFiles));
  }
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("the graph has no block");
  }
  if (const Status status = RequireStatic(graph); !status.ok()) {
    return Unsupported(Message(status));
  }
  if (!options.lower) return SpirvWriter(graph, edition, options).Run();
  CTS_ASSIGN_OR_RETURN(const Graph lowered, LowerForSpirv(graph, edition));
  CTS_ASSIGN_OR_RETURN(SpirvModule module, SpirvWriter(lowered, edition, options).Run());
  // The names that the graph has for its outputs.
  for (size_t i = 0; i < module.outputs.size(); ++i) {
    module.outputs[i].tensor = graph.main().outputs[i];
  }
  return module;
}

}  // namespace cts
