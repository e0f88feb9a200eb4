#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/formats/tosa/tosa_wire.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbols.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

namespace fb = flatbuffers;
using Strings = fb::Offset<fb::Vector<fb::Offset<fb::String>>>;
using Bytes = fb::Offset<fb::Vector<uint8_t>>;

StatusOr<tosa::DType> TypeNumberOf(DType dtype) {
  const tosa::WireType* const row = tosa::FindType(&tosa::WireType::dtype, dtype);
  if (row == nullptr) return Unsupported("a .tosa file has no tensors of ", Name(dtype));
  return row->number;
}

StatusOr<int32_t> Narrow(int64_t value) {
  if (value < INT32_MIN || value > INT32_MAX) {
    return Unsupported("a .tosa file cannot hold ", value, ": 32 bits");
  }
  return static_cast<int32_t>(value);
}

StatusOr<std::vector<int32_t>> Narrow(const std::vector<int64_t>& values) {
  std::vector<int32_t> narrow;
  narrow.reserve(values.size());
  for (const int64_t value : values) {
    CTS_ASSIGN_OR_RETURN(narrow.emplace_back(), Narrow(value));
  }
  return narrow;
}

StatusOr<std::vector<uint8_t>> Pack(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype != DType::kI4 && dtype != DType::kI48) return tensor.bytes();
  std::vector<uint8_t> packed(tosa::DataBytes(dtype, static_cast<uint64_t>(tensor.size())));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t value = tensor.Integer(i);
    if (value < IntegerMin(dtype) || value > IntegerMax(dtype)) {
      return Unsupported("a .tosa file cannot hold ", value, " as ", Name(dtype));
    }
    if (dtype == DType::kI4) {
      packed[static_cast<size_t>(i) / 2] |= static_cast<uint8_t>((value & 15) << (i % 2 * 4));
    } else {
      std::memcpy(packed.data() + 6 * i, &value, 6);
    }
  }
  return packed;
}

// A variable of the graph, which becomes a marked tensor of the file.
struct Variable {
  std::string tensor;  // its name in the file
  DType dtype;
  Shape shape;
};

// A field of an attribute table, ready to be written.
struct Field {
  fb::voffset_t offset;
  fb::ElementaryType type;
  uint32_t scalar = 0;
  uint32_t reference = 0;  // where a list, a string or bytes lie
};

class Encoder {
 public:
  Encoder(const Graph& graph, const Edition& edition, const TosaVersion& version)
      : graph_(graph), edition_(edition), version_(version) {}

  StatusOr<std::string> Run() {
    for (const Region& region : graph_.regions) {
      for (const Block& block : region.blocks) {
        for (const GraphTensor& tensor : block.tensors) taken_.insert(tensor.name);
      }
    }
    std::vector<fb::Offset<tosa::TosaRegion>> regions;
    for (const Region& region : graph_.regions) {
      std::vector<fb::Offset<tosa::TosaBasicBlock>> blocks;
      for (const Block& block : region.blocks) {
        StatusOr<fb::Offset<tosa::TosaBasicBlock>> encoded = EncodeBlock(block);
        if (!encoded.ok()) return Annotate(encoded.status(), StrCat("block ", block.name));
        blocks.push_back(*encoded);
      }
      const auto list = builder_.CreateVector(blocks);
      regions.push_back(tosa::CreateTosaRegion(builder_, builder_.CreateString(region.name), list));
    }
    const auto list = builder_.CreateVector(regions);
    const auto version = tosa::CreateVersion(builder_, version_.major, version_.minor,
                                             version_.patch, version_.draft);
    fb::Offset<tosa::SoftwareVersion> release;
    fb::Offset<tosa::SerializationCompatibility> compatibility;
    if (version_.names_release) {
      release = CreateRelease(tosa::kRelease);
      compatibility =
          tosa::CreateSerializationCompatibility(builder_, CreateRelease(tosa::kFirstRelease));
    }
    builder_.Finish(tosa::CreateTosaGraph(builder_, version, list, release, compatibility),
                    tosa::TosaGraphIdentifier());
    return std::string(reinterpret_cast<const char*>(builder_.GetBufferPointer()),
                       builder_.GetSize());
  }

 private:
  fb::Offset<tosa::SoftwareVersion> CreateRelease(const tosa::Release& release) {
    return tosa::CreateSoftwareVersion(builder_, release.year, release.month, 0,
                                       builder_.CreateString(""));
  }

  // A FlatBuffer ends below 2 GiB; the builder would end the process.
  Status Reserve(uint64_t bytes) const {
    constexpr uint64_t kMargin = 1 << 16;
    if (builder_.GetSize() + bytes + kMargin < FLATBUFFERS_MAX_BUFFER_SIZE) return absl::OkStatus();
    return Unsupported("a .tosa file ends below 2 GiB");
  }

  StatusOr<fb::Offset<fb::String>> String(const std::string& text) {
    CTS_RETURN_IF_ERROR(Reserve(text.size()));
    return builder_.CreateString(text);
  }

  StatusOr<Strings> Names(const std::vector<std::string>& names) {
    std::vector<fb::Offset<fb::String>> strings;
    strings.reserve(names.size());
    for (const std::string& name : names) {
      CTS_ASSIGN_OR_RETURN(strings.emplace_back(), String(name));
    }
    CTS_RETURN_IF_ERROR(Reserve(4 * strings.size()));
    return builder_.CreateVector(strings);
  }

  StatusOr<Bytes> Data(const std::vector<uint8_t>& bytes, size_t alignment) {
    CTS_RETURN_IF_ERROR(Reserve(bytes.size()));
    builder_.ForceVectorAlignment(bytes.size(), 1, alignment);
    return builder_.CreateVector(bytes);
  }

  StatusOr<Bytes> Values(const GraphTensor& tensor) {
    if (tensor.values == nullptr) return Bytes();
    if (tensor.values->dtype() != tensor.dtype || tensor.values->shape() != tensor.shape) {
      return InvalidArgument("its values have another type or shape");
    }
    if (tensor.values->is_block_scaled()) {
      return Unsupported("a .tosa file of 1.0 cannot hold scales, and its values are ",
                         tensor.values->TypeName());
    }
    CTS_ASSIGN_OR_RETURN(const std::vector<uint8_t> packed, Pack(*tensor.values));
    return Data(packed, tosa::kDataAlignment);
  }

  // ---- Variables: the format has a marked tensor where the specification has a name ----

  static StatusOr<std::string> VariableName(const GraphOperator& op) {
    const auto found = op.attributes.find("name");
    const auto* name =
        found == op.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    if (name == nullptr || name->empty()) {
      return Unsupported("a .tosa file cannot hold a variable without a name");
    }
    return *name;
  }

  std::string NewTensorName() {
    std::string name;
    do {
      name = StrCat("variable_", next_name_++);
    } while (!taken_.insert(name).second);
    return name;
  }

  // Declares a VARIABLE's variable. Its tensor is that of the initial value, or a new one.
  StatusOr<Variable> Declared(const Block& block, const GraphOperator& op) {
    for (const auto& [name, value] : op.attributes) {
      if (name != "name" && name != "var_shape" && name != "type" && name != "initial_value") {
        return Unsupported("a .tosa file has no place for attribute ", name);
      }
    }
    const auto type = op.attributes.find("type"), shape = op.attributes.find("var_shape");
    const auto* type_name =
        type == op.attributes.end() ? nullptr : std::get_if<std::string>(&type->second);
    const auto* sizes =
        shape == op.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&shape->second);
    if (type_name == nullptr || sizes == nullptr) {
      return Unsupported("a .tosa file cannot leave out a variable's type or var_shape");
    }
    const std::optional<DType> dtype = TypeOfEnumerator(*type_name);
    if (!dtype) return Unsupported("a .tosa file has no variables of type ", *type_name);
    Variable variable{.tensor = "", .dtype = *dtype, .shape = *sizes};
    const auto initial = op.attributes.find("initial_value");
    if (initial == op.attributes.end()) {
      variable.tensor = NewTensorName();
      return variable;
    }
    const auto* name = std::get_if<std::string>(&initial->second);
    const GraphTensor* tensor = name == nullptr ? nullptr : block.Find(*name);
    if (tensor == nullptr || tensor->values == nullptr) {
      return Unsupported("a .tosa file cannot hold an initial_value that is no tensor with values");
    }
    if (tensor->dtype != variable.dtype || tensor->shape != variable.shape) {
      return Unsupported(
          "a .tosa file cannot tell the type and shape of a variable from those of its initial "
          "value");
    }
    variable.tensor = *name;
    return variable;
  }

  // The tensor that stands for a variable in a block, declared there if it is not yet.
  std::string TensorOf(const std::string& variable, const Block& block, const std::string& like) {
    const auto here = in_block_.find(variable);
    if (here != in_block_.end()) return here->second.tensor;
    auto declared = variables_.find(variable);
    if (declared == variables_.end()) {
      // Nothing declares it, so the type and shape are those of the operator's tensor.
      const GraphTensor* tensor = block.Find(like);
      declared =
          variables_.emplace(variable, Variable{NewTensorName(), tensor->dtype, tensor->shape})
              .first;
    }
    in_block_.emplace(variable, declared->second);
    additional_.emplace_back(variable, declared->second);
    return declared->second.tensor;
  }

  // ---- Blocks ----

  StatusOr<fb::Offset<tosa::TosaTensor>> EncodeTensor(const std::string& name, DType dtype,
                                                      const Shape& shape, Bytes data,
                                                      const std::string* variable) {
    CTS_ASSIGN_OR_RETURN(const tosa::DType type, TypeNumberOf(dtype));
    CTS_ASSIGN_OR_RETURN(const std::vector<int32_t> sizes, Narrow(shape));
    CTS_ASSIGN_OR_RETURN(const fb::Offset<fb::String> name_at, String(name));
    fb::Offset<fb::String> variable_at;
    if (variable != nullptr) {
      CTS_ASSIGN_OR_RETURN(variable_at, String(*variable));
    }
    CTS_RETURN_IF_ERROR(Reserve(4 * sizes.size()));
    const auto sizes_at = builder_.CreateVector(sizes);
    return tosa::CreateTosaTensor(builder_, name_at, sizes_at, type, data, variable != nullptr,
                                  /*is_unranked=*/false, variable_at);
  }

  StatusOr<fb::Offset<tosa::TosaShape>> EncodeShape(const GraphTensor& tensor) {
    if (tensor.shape.size() != 1 || tensor.shape[0] < 0 || tensor.shape[0] > INT32_MAX) {
      return Unsupported("a .tosa file has only lists of sizes of type shape, found ",
                         ToString(tensor.shape));
    }
    CTS_ASSIGN_OR_RETURN(const Bytes data, Values(tensor));
    CTS_ASSIGN_OR_RETURN(const fb::Offset<fb::String> name, String(tensor.name));
    return tosa::CreateTosaShape(builder_, name, static_cast<uint32_t>(tensor.shape[0]), data);
  }

  // A block declares the variables that it names.
  static Status CheckNames(const Block& block) {
    std::set<std::string_view> declared;
    for (const GraphTensor& tensor : block.tensors) declared.insert(tensor.name);
    const auto check = [&](const std::vector<std::string>& names) -> Status {
      for (const std::string& name : names) {
        if (!declared.contains(name)) return InvalidArgument("tensor ", name, " is not declared");
      }
      return absl::OkStatus();
    };
    CTS_RETURN_IF_ERROR(check(block.inputs));
    CTS_RETURN_IF_ERROR(check(block.outputs));
    for (const GraphOperator& op : block.operators) {
      CTS_RETURN_IF_ERROR(check(op.inputs));
      CTS_RETURN_IF_ERROR(check(op.outputs));
    }
    return absl::OkStatus();
  }

  StatusOr<fb::Offset<tosa::TosaBasicBlock>> EncodeBlock(const Block& block) {
    CTS_RETURN_IF_ERROR(CheckNames(block));
    in_block_.clear();
    additional_.clear();
    std::map<std::string, std::string> initial_of;  // tensor -> variable
    std::vector<std::string> declared;              // tensors, VARIABLE by VARIABLE
    for (const GraphOperator& op : block.operators) {
      if (op.op != "VARIABLE") continue;
      CTS_ASSIGN_OR_RETURN(const std::string name, VariableName(op));
      StatusOr<Variable> variable = Declared(block, op);
      if (!variable.ok()) return Annotate(variable.status(), StrCat("VARIABLE ", name));
      declared.push_back(variable->tensor);
      if (!op.attributes.contains("initial_value")) {
        additional_.emplace_back(name, *variable);
      } else if (!initial_of.emplace(variable->tensor, name).second) {
        return Unsupported("a .tosa file cannot hold two variables with one initial value");
      }
      in_block_.emplace(name, *variable);
      variables_.emplace(name, *std::move(variable));
    }
    std::vector<fb::Offset<tosa::TosaOperator>> operators;
    size_t next_declared = 0;
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const GraphOperator& op = block.operators[i];
      if (op.op == "VARIABLE") additional_output_ = declared[next_declared++];
      StatusOr<fb::Offset<tosa::TosaOperator>> encoded = EncodeOperator(block, op);
      if (!encoded.ok())
        return Annotate(encoded.status(), StrCat("operator ", i, " (", op.op, ")"));
      operators.push_back(*encoded);
    }
    // Goes from the last to the first, because a FlatBuffer is built from its end. Tensors and
    // shapes then lie in the file in the block's order, by which a reader makes one list of the two
    // again.
    std::vector<fb::Offset<tosa::TosaTensor>> tensors;
    std::vector<fb::Offset<tosa::TosaShape>> shapes;
    for (auto item = additional_.rbegin(); item != additional_.rend(); ++item) {
      const auto& [name, variable] = *item;
      CTS_ASSIGN_OR_RETURN(tensors.emplace_back(), EncodeTensor(variable.tensor, variable.dtype,
                                                                variable.shape, Bytes(), &name));
    }
    for (auto tensor = block.tensors.rbegin(); tensor != block.tensors.rend(); ++tensor) {
      const Status encoded = EncodeDeclared(*tensor, initial_of, tensors, shapes);
      if (!encoded.ok()) return Annotate(encoded, StrCat("tensor ", tensor->name));
    }
    std::reverse(tensors.begin(), tensors.end());
    std::reverse(shapes.begin(), shapes.end());
    CTS_ASSIGN_OR_RETURN(const auto name, String(block.name));
    CTS_ASSIGN_OR_RETURN(const Strings inputs, Names(block.inputs));
    CTS_ASSIGN_OR_RETURN(const Strings outputs, Names(block.outputs));
    CTS_RETURN_IF_ERROR(Reserve(4 * (operators.size() + tensors.size() + shapes.size())));
    const auto operators_at = builder_.CreateVector(operators);
    const auto tensors_at = builder_.CreateVector(tensors);
    const auto shapes_at = builder_.CreateVector(shapes);
    return tosa::CreateTosaBasicBlock(builder_, name, operators_at, tensors_at, inputs, outputs,
                                      shapes_at);
  }

  Status EncodeDeclared(const GraphTensor& tensor,
                        const std::map<std::string, std::string>& initial_of,
                        std::vector<fb::Offset<tosa::TosaTensor>>& tensors,
                        std::vector<fb::Offset<tosa::TosaShape>>& shapes) {
    if (tensor.dtype == DType::kShape) {
      CTS_ASSIGN_OR_RETURN(shapes.emplace_back(), EncodeShape(tensor));
      return absl::OkStatus();
    }
    CTS_ASSIGN_OR_RETURN(const Bytes data, Values(tensor));
    const auto variable = initial_of.find(tensor.name);
    CTS_ASSIGN_OR_RETURN(tensors.emplace_back(),
                         EncodeTensor(tensor.name, tensor.dtype, tensor.shape, data,
                                      variable == initial_of.end() ? nullptr : &variable->second));
    return absl::OkStatus();
  }

  StatusOr<fb::Offset<tosa::TosaOperator>> EncodeOperator(const Block& block,
                                                          const GraphOperator& op) {
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, edition_));
    const std::optional<uint32_t> number = tosa::NumberOf(*tosa::OpTypeTable(), op.op);
    const fb::TypeTable* fields =
        number ? tosa::AttributeFields(static_cast<tosa::Op>(*number)) : nullptr;
    if (fields == nullptr) return Unsupported("a .tosa file has no operator of that name");
    std::vector<std::string> inputs = op.inputs, outputs = op.outputs;
    const bool is_variable =
        op.op == "VARIABLE" || op.op == "VARIABLE_READ" || op.op == "VARIABLE_WRITE";
    if (is_variable) {
      CTS_RETURN_IF_ERROR(NameVariable(block, op, inputs, outputs));
    }
    CTS_ASSIGN_OR_RETURN(const auto attribute,
                         EncodeAttributes(block, op, *spec, *fields, is_variable));
    CTS_ASSIGN_OR_RETURN(const Strings inputs_at, Names(inputs));
    CTS_ASSIGN_OR_RETURN(const Strings outputs_at, Names(outputs));
    return tosa::CreateTosaOperator(builder_, static_cast<tosa::Op>(*number),
                                    static_cast<tosa::Attribute>(*number), attribute, inputs_at,
                                    outputs_at);
  }

  // VARIABLE yields the variable's tensor, VARIABLE_WRITE, too; VARIABLE_READ takes it.
  Status NameVariable(const Block& block, const GraphOperator& op, std::vector<std::string>& inputs,
                      std::vector<std::string>& outputs) {
    const bool reads = op.op == "VARIABLE_READ", writes = op.op == "VARIABLE_WRITE";
    if (inputs.size() != (writes ? 1 : 0) || outputs.size() != (reads ? 1 : 0)) {
      return Unsupported("a .tosa file cannot hold ", inputs.size(), " inputs and ", outputs.size(),
                         " outputs of it");
    }
    if (op.op == "VARIABLE") {
      outputs = {additional_output_};
      return absl::OkStatus();
    }
    CTS_ASSIGN_OR_RETURN(const std::string name, VariableName(op));
    std::vector<std::string>& place = reads ? inputs : outputs;
    place.push_back(TensorOf(name, block, reads ? outputs[0] : inputs[0]));
    return absl::OkStatus();
  }

  // ---- Attributes ----

  StatusOr<fb::Offset<void>> EncodeAttributes(const Block& block, const GraphOperator& op,
                                              const OperatorSpec& spec, const fb::TypeTable& fields,
                                              bool is_variable) {
    std::vector<Field> present;
    size_t found_fields = 0;
    for (size_t i = 0; i < fields.num_elems; ++i) {
      const std::string name = fields.names[i];
      const ArgumentSpec* argument = spec.FindArgument(name);
      const auto found = op.attributes.find(name);
      const auto type = static_cast<fb::ElementaryType>(fields.type_codes[i].base_type);
      if (found == op.attributes.end()) {
        // A required value that is left out reads as 0.
        const bool scalar = type == fb::ET_BOOL || (type == fb::ET_INT && !IsList(fields, i));
        if (scalar && (argument == nullptr || !argument->optional)) {
          return Unsupported("a .tosa file cannot leave out attribute ", name);
        }
        continue;
      }
      ++found_fields;
      StatusOr<Field> field = EncodeField(block, op, fields, i, argument, found->second);
      if (!field.ok()) return Annotate(field.status(), StrCat("attribute ", name));
      present.push_back(*field);
    }
    if (found_fields != op.attributes.size() && !is_variable) {
      for (const auto& [name, value] : op.attributes) {
        if (!tosa::NumberOf(fields, name)) {
          return Unsupported("a .tosa file has no place for attribute ", name);
        }
      }
    }
    // A value is written even if it equals the default of readers.
    builder_.ForceDefaults(true);
    const fb::uoffset_t start = builder_.StartTable();
    for (const Field& field : present) {
      if (field.reference != 0) {
        builder_.AddOffset(field.offset, fb::Offset<void>(field.reference));
      } else if (field.type == fb::ET_BOOL) {
        builder_.AddElement<uint8_t>(field.offset, static_cast<uint8_t>(field.scalar), 0);
      } else {
        builder_.AddElement<uint32_t>(field.offset, field.scalar, 0);
      }
    }
    const fb::Offset<void> table(builder_.EndTable(start));
    builder_.ForceDefaults(false);
    return table;
  }

  static bool IsList(const fb::TypeTable& fields, size_t i) {
    return fields.type_codes[i].is_repeating != 0;
  }

  StatusOr<Field> EncodeField(const Block& block, const GraphOperator& op,
                              const fb::TypeTable& fields, size_t i, const ArgumentSpec* argument,
                              const AttributeValue& value) {
    const fb::TypeCode code = fields.type_codes[i];
    Field field{tosa::FieldOffset(i), static_cast<fb::ElementaryType>(code.base_type)};
    const auto* text = std::get_if<std::string>(&value);
    switch (field.type) {
      case fb::ET_BOOL:
        if (const auto* flag = std::get_if<bool>(&value)) {
          field.scalar = *flag ? 1 : 0;
          return field;
        }
        break;
      case fb::ET_INT:
        if (const auto* list = std::get_if<std::vector<int64_t>>(&value);
            list && IsList(fields, i)) {
          CTS_ASSIGN_OR_RETURN(const std::vector<int32_t> narrow, Narrow(*list));
          CTS_RETURN_IF_ERROR(Reserve(4 * narrow.size()));
          field.reference = builder_.CreateVector(narrow).o;
          return field;
        }
        if (const auto* number = std::get_if<int64_t>(&value); number && !IsList(fields, i)) {
          CTS_ASSIGN_OR_RETURN(const int32_t narrow, Narrow(*number));
          field.scalar = static_cast<uint32_t>(narrow);
          return field;
        }
        break;
      case fb::ET_UINT:
        if (text != nullptr && argument != nullptr) {
          CTS_ASSIGN_OR_RETURN(
              field.scalar, Enumerator(*argument, *fields.type_refs[code.sequence_ref](), *text));
          return field;
        }
        break;
      case fb::ET_STRING:
        if (text != nullptr) {
          CTS_ASSIGN_OR_RETURN(const auto at, String(*text));
          field.reference = at.o;
          return field;
        }
        break;
      case fb::ET_UCHAR: {
        std::vector<uint8_t> bytes;
        if (text != nullptr && argument != nullptr && argument->type == "String") {
          bytes.assign(text->begin(), text->end());
        } else {
          CTS_ASSIGN_OR_RETURN(bytes, TypedScalar(block, op, value));
        }
        CTS_ASSIGN_OR_RETURN(const Bytes at, Data(bytes, tosa::kDataAlignment));
        field.reference = at.o;
        return field;
      }
      default:
        break;
    }
    return Unsupported("a .tosa file cannot hold a value of this type");
  }

  StatusOr<uint32_t> Enumerator(const ArgumentSpec& argument, const fb::TypeTable& wire,
                                const std::string& name) const {
    // Accumulators have the numbers of their types.
    if (argument.type == "acc_type_t") {
      if (const auto number = tosa::NumberOf(wire, name); number && *number != 0) return *number;
    } else if (const EnumSpec* spec = edition_.FindEnum(argument.type)) {
      for (const EnumValue& value : spec->values) {
        if (value.name == name) return static_cast<uint32_t>(value.value);
      }
    }
    return Unsupported("a .tosa file has no ", argument.type, " of name ", name);
  }

  // The bytes of one element of the type of the operator's first input: CLAMP's bounds.
  static StatusOr<std::vector<uint8_t>> TypedScalar(const Block& block, const GraphOperator& op,
                                                    const AttributeValue& value) {
    const GraphTensor* input = op.inputs.empty() ? nullptr : block.Find(op.inputs[0]);
    if (input == nullptr) return Unsupported("the operator has no input that has a type");
    const DType dtype = input->dtype;
    Tensor scalar(dtype, {});
    const auto* number = std::get_if<double>(&value);
    const auto* integer = std::get_if<int64_t>(&value);
    if (number != nullptr && IsFloat(dtype)) {
      scalar.SetValue(0, *number);
      const double stored = scalar.Value(0);
      const bool same = std::isnan(*number) ? std::isnan(stored) : stored == *number;
      if (!same) return Unsupported("a .tosa file cannot hold ", *number, " as ", Name(dtype));
    } else if (integer != nullptr && IsInteger(dtype) && *integer >= IntegerMin(dtype) &&
               *integer <= IntegerMax(dtype)) {
      scalar.SetInteger(0, *integer);
    } else {
      return Unsupported("a .tosa file cannot hold this value as ", Name(dtype));
    }
    return Pack(scalar);
  }

  const Graph& graph_;
  const Edition& edition_;
  const TosaVersion& version_;
  fb::FlatBufferBuilder builder_;
  std::set<std::string> taken_;  // names of tensors
  int next_name_ = 0;
  std::map<std::string, Variable> variables_;  // the first of each name
  // For the block being written: its variables, those whose tensor is not the block's own in the
  // order of their use, and the tensor of the VARIABLE being written.
  std::map<std::string, Variable> in_block_;
  std::vector<std::pair<std::string, Variable>> additional_;
  std::string additional_output_;
};

}  // namespace

StatusOr<TosaVersion> ParseTosaVersion(const std::string& text) {
  static const std::regex pattern(R"(1\.(\d{1,4})\.(\d{1,4})( draft)?)");
  std::smatch found;
  if (!std::regex_match(text, found, pattern)) {
    return InvalidArgument("found the version \"", text,
                           "\", expected one such as 1.0.2 or \"1.1.0 draft\"");
  }
  return TosaVersion{.minor = std::stoi(found[1]),
                     .patch = std::stoi(found[2]),
                     .draft = found[3].matched,
                     .names_release = true};
}

StatusOr<std::string> EncodeTosa(const Graph& graph, const Edition& edition,
                                 const TosaVersion& version) {
  if (!edition.Has(Feature::kTosaFiles)) {
    return Unsupported("edition ", edition.id, ": .tosa files are those of ",
                       EditionsThatHave(Feature::kTosaFiles), "; render writes the text of MLIR");
  }
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("the graph has no block");
  }
  if (const Status status = RequireStatic(graph); !status.ok()) {
    return Unsupported(Message(status));
  }
  return Encoder(graph, edition, version).Run();
}

}  // namespace cts
