#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/exchange/memory.h"

namespace cts {
namespace {

// ---- The layout ----

// Every tensor and every answer begins at a multiple of it: the word of a bus of 128 bits.
constexpr uint64_t kAlignment = kMemoryStatusBytes;
constexpr uint64_t Aligned(uint64_t address) {
  return (address + kAlignment - 1) / kAlignment * kAlignment;
}

struct MemoryTensor {
  const GraphTensor* tensor = nullptr;
  const Tensor* values = nullptr;  // of an input or a constant; null: to be computed
  uint64_t bytes = 0;              // 0: the shape, of an illegal graph, has no size
  uint64_t address = 0;            // of the values
};

struct MemoryOutput {
  size_t tensor = 0;    // position among the tensors
  uint64_t offset = 0;  // within the answer
};

// One execution of a case, to whose tensors it refers.
struct MemoryLayout {
  int execution = 0;
  std::vector<MemoryTensor> tensors;  // of the graph, in its order
  std::vector<MemoryOutput> outputs;  // those that have a size
  // The answer is a status word and the outputs. It lies behind the values.
  uint64_t answer_address = 0, answer_bytes = 0, memory_bytes = 0;
};

// Why a memory cannot hold the case; empty if it can.
std::string NotHeld(const Case& c) {
  if (!c.bindings.empty()) return "a symbolic program";
  if (c.graph.regions.size() > 1 || c.graph.regions.front().blocks.size() > 1) {
    return "control flow: more than one block";
  }
  for (const GraphOperator& op : c.graph.main().operators) {
    if (op.op.starts_with("VARIABLE")) return "a variable";
  }
  for (const GraphTensor& tensor : c.graph.main().tensors) {
    if (!tensor.symbols.empty()) return "a symbolic program";
    if (tensor.values && tensor.values->is_block_scaled()) return "a tensor with scales";
  }
  for (const ExecutionInputs& inputs : c.InputsOfExecutions()) {
    for (const auto& [name, values] : *inputs) {
      if (values.is_block_scaled()) return "a tensor with scales";
    }
  }
  return "";
}

const Tensor* ValuesOf(const std::map<std::string, Tensor>& inputs, const GraphTensor& tensor) {
  const auto input = inputs.find(tensor.name);
  return input != inputs.end() ? &input->second : tensor.values.get();
}

// 0 if the shape has no size, as in an illegal graph.
uint64_t BytesOf(const GraphTensor& tensor) {
  const StatusOr<int64_t> count = CheckedElementCount(tensor.shape);
  if (!count.ok() || static_cast<uint64_t>(*count) > kMaxElements) return 0;
  return static_cast<uint64_t>(*count) * static_cast<uint64_t>(StorageBytes(tensor.dtype));
}

// The tensors between the operators need memory, too; an implementation puts them where it likes.
uint64_t IntermediateBytes(const MemoryLayout& layout) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < layout.tensors.size(); ++i) {
    const auto is_it = [&](const MemoryOutput& output) { return output.tensor == i; };
    const bool is_output = std::any_of(layout.outputs.begin(), layout.outputs.end(), is_it);
    if (layout.tensors[i].values == nullptr && !is_output)
      bytes += Aligned(layout.tensors[i].bytes);
  }
  return bytes;
}

// Errors as of MemoryExport::Files.
StatusOr<MemoryLayout> LayOut(const Case& c, int execution, uint64_t budget) {
  if (const std::string why = NotHeld(c); !why.empty()) {
    return absl::UnimplementedError(StrCat("found ", why));
  }
  MemoryLayout layout{.execution = execution};
  const InputSequence inputs = c.InputsOfExecutions();
  uint64_t end = 0;
  for (const GraphTensor& tensor : c.graph.main().tensors) {
    MemoryTensor& place = layout.tensors.emplace_back();
    place.tensor = &tensor;
    place.values = ValuesOf(*inputs[static_cast<size_t>(execution)], tensor);
    place.bytes = place.values == nullptr ? BytesOf(tensor) : place.values->bytes().size();
    if (place.values == nullptr) continue;
    place.address = end;
    end = Aligned(end + place.bytes);
  }
  layout.answer_address = end;
  layout.answer_bytes = kAlignment;
  for (const std::string& name : c.graph.main().outputs) {
    const auto is_it = [&](const MemoryTensor& place) { return place.tensor->name == name; };
    const auto found = std::find_if(layout.tensors.begin(), layout.tensors.end(), is_it);
    if (found == layout.tensors.end() || found->bytes == 0) continue;
    const auto tensor = static_cast<size_t>(found - layout.tensors.begin());
    const auto is_twice = [&](const MemoryOutput& output) { return output.tensor == tensor; };
    if (std::any_of(layout.outputs.begin(), layout.outputs.end(), is_twice)) continue;
    layout.outputs.push_back({tensor, layout.answer_bytes});
    layout.answer_bytes = Aligned(layout.answer_bytes + found->bytes);
  }
  layout.memory_bytes = end + layout.answer_bytes;
  const uint64_t needed = layout.memory_bytes + IntermediateBytes(layout);
  if (needed <= budget) return layout;
  return absl::UnimplementedError(
      StrCat("needs ", needed, " bytes of memory, expected at most ", budget, " (--memory)"));
}

// The values of an output of which exactly one result is right, bit by bit; nullopt for others.
std::optional<Tensor> OnlyRightResult(const Case& c, std::string_view output, int execution) {
  if (!c.disputed.empty()) return std::nullopt;
  for (const ExpectedOutput& expected : c.outputs) {
    if (expected.name != output || expected.execution != execution) continue;
    if (expected.rule.kind != RuleKind::kExact || expected.answers.size() != 1) return std::nullopt;
    const Tensor& answer = expected.answers[0].expected;
    if (answer.dtype() == expected.dtype) return answer;
    Tensor bits(expected.dtype, answer.shape());
    for (int64_t i = 0; i < bits.size(); ++i) {
      bits.SetValue(i, answer.Value(i));
      // Several NaNs are right, and a zero may have either sign.
      const bool one =
          bits.Value(i) == answer.Value(i) && (answer.Value(i) != 0 || expected.rule.zero_sign);
      if (!one) return std::nullopt;
    }
    return bits;
  }
  return std::nullopt;
}

// What the files of all cases need of one execution of a case.
struct PlacedCase {
  size_t position = 0;  // in the suite
  int execution = 0;
  std::string id;
  uint64_t answer_bytes = 0, result_address = 0;
  Json facts;  // further members of its entry in the manifest
};

// ---- As images ----

constexpr char kDigits[] = "0123456789abcdef";

// As $readmemh reads it: an address of bytes, then the bytes, 16 a line.
void AddHex(uint64_t address, std::span<const uint8_t> bytes, std::string* text) {
  *text += '@';
  for (int shift = 28; shift >= 0; shift -= 4) *text += kDigits[(address >> shift) & 15];
  for (size_t i = 0; i < bytes.size(); ++i) {
    *text += i % 16 == 0 ? '\n' : ' ';
    *text += kDigits[bytes[i] >> 4];
    *text += kDigits[bytes[i] & 15];
  }
  *text += '\n';
}

// A byte of an answer that is not written: floats are NaN, and other elements are no boolean, no i4
// and no integer of which whole tensors consist. It does not pass as an answer by chance.
uint8_t Unwritten(DType dtype) { return IsFloat(dtype) ? 0xFF : 0xA5; }

std::string Image(const MemoryLayout& layout) {
  std::string text;
  for (const MemoryTensor& place : layout.tensors) {
    if (place.values == nullptr) continue;
    text += StrCat("// ", place.tensor->name, "\n");
    AddHex(place.address, place.values->bytes(), &text);
  }
  // The status word is zero until the implementation answers. Outputs have a pattern.
  text += "// answer\n";
  std::vector<uint8_t> answer(layout.answer_bytes);
  for (const MemoryOutput& output : layout.outputs) {
    const GraphTensor& tensor = *layout.tensors[output.tensor].tensor;
    std::fill_n(answer.begin() + static_cast<int64_t>(output.offset),
                layout.tensors[output.tensor].bytes, Unwritten(tensor.dtype));
  }
  AddHex(layout.answer_address, answer, &text);
  return text;
}

// The bits of the outputs, at the addresses at which the implementation writes them.
std::string ExpectedImage(const Case& c, const MemoryLayout& layout) {
  std::string text;
  for (const MemoryOutput& output : layout.outputs) {
    const std::string& name = layout.tensors[output.tensor].tensor->name;
    const std::optional<Tensor> right = OnlyRightResult(c, name, layout.execution);
    if (!right) continue;
    text += StrCat("// ", name, "\n");
    AddHex(layout.answer_address + output.offset, right->bytes(), &text);
  }
  return text;
}

std::string DigestAsHex(const std::string& digest) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < digest.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(digest.substr(i, 2), nullptr, 16)));
  }
  std::string text = "// The results begin with the SHA-256 of manifest.json.\n";
  AddHex(0, bytes, &text);
  return text;
}

Json Described(const MemoryTensor& place) {
  Json json = {{"name", place.tensor->name},
               {"dtype", Name(place.tensor->dtype)},
               {"shape", place.tensor->shape},
               {"bytes", place.bytes}};
  return json;
}

Json Outputs(const MemoryLayout& layout) {
  Json list = Json::array();
  for (const MemoryOutput& output : layout.outputs) {
    Json json = Described(layout.tensors[output.tensor]);
    json["offset"] = output.offset;
    list.push_back(std::move(json));
  }
  return list;
}

// "image.hex", and of the second execution "image.1.hex".
std::string FileOf(std::string_view stem, const MemoryLayout& layout, std::string_view suffix) {
  return StrCat(ResultName(stem, layout.execution), suffix);
}

// The memory of one case, and the graph that is computed in it.
Json HexFacts(const Case& c, const MemoryLayout& layout) {
  Json tensors = Json::array();
  for (const MemoryTensor& place : layout.tensors) {
    Json json = Described(place);
    if (place.values != nullptr) json["address"] = place.address;
    tensors.push_back(std::move(json));
  }
  Json operators = GraphToJson(c.graph)["regions"][0]["blocks"][0]["operators"];
  return {{"image", StrCat(c.id, "/", FileOf("image", layout, ".hex"))},
          {"memory_bytes", layout.memory_bytes},
          {"answer_address", layout.answer_address},
          {"tensors", std::move(tensors)},
          {"operators", std::move(operators)}};
}

// ---- As C ----

// The part of the header that does not depend on the suite.
constexpr char kTypesOfC[] = R"C(
enum tensor_cts_status {
  TENSOR_CTS_NO_ANSWER = 0,
  TENSOR_CTS_COMPUTED = 1,
  TENSOR_CTS_REFUSED = 2, /* as illegal */
  TENSOR_CTS_UNSUPPORTED = 3
};

/* Elements are unsigned integers of 8, 16, 32 or 64 bits, which hold the bits of the type. */
struct tensor_cts_tensor {
  const char *name;
  enum tensor_cts_type type;
  uint32_t rank;
  const int64_t *shape;
  uint32_t bytes;     /* 0: the shape, of an illegal graph, has no size */
  const void *values; /* of an input or a constant; null: to be computed */
};

struct tensor_cts_attribute {
  const char *name;
  uint32_t count;          /* of integers: a list, an integer, a boolean, the value of an enumeration */
  const int64_t *integers;
  const char *word;        /* the name of the value of an enumeration; null for others */
  const uint64_t *number;  /* the bits of an fp64; null for others */
};

/* Operands and results are positions among the tensors. */
struct tensor_cts_operator {
  enum tensor_cts_op op;
  const char *name;
  uint32_t input_count;
  const uint32_t *inputs;
  uint32_t output_count;
  const uint32_t *outputs;
  uint32_t attribute_count;
  const struct tensor_cts_attribute *attributes;
};

struct tensor_cts_output {
  uint32_t tensor;
  uint32_t offset;      /* within the answer */
  const void *expected; /* null: left out, or several results are right */
};

struct tensor_cts_case {
  const char *id;
  uint32_t tensor_count;
  const struct tensor_cts_tensor *tensors;
  uint32_t operator_count;
  const struct tensor_cts_operator *operators;
  uint32_t output_count;
  const struct tensor_cts_output *outputs;
};

/* One execution of a case; further ones of the same case follow in order. */
struct tensor_cts_entry {
  const struct tensor_cts_case *test;
  uint32_t result_address;
};

extern const uint8_t tensor_cts_digest[32];
extern const struct tensor_cts_entry tensor_cts_cases[];

/* Takes the dump, character by character: a UART, semihosting, a buffer. */
typedef void (*tensor_cts_put)(char character);

static inline void tensor_cts_put_byte(tensor_cts_put put, uint32_t byte) {
  put("0123456789abcdef"[byte >> 4 & 15]);
  put("0123456789abcdef"[byte & 15]);
  put('\n');
}

static inline void tensor_cts_put_address(tensor_cts_put put, uint32_t address) {
  int shift;
  put('@');
  for (shift = 28; shift >= 0; shift -= 4) put("0123456789abcdef"[address >> shift & 15]);
  put('\n');
}

/* Begins a dump: the digest says what it belongs to. */
static inline void tensor_cts_begin(tensor_cts_put put) {
  int i;
  tensor_cts_put_address(put, 0);
  for (i = 0; i < 32; ++i) tensor_cts_put_byte(put, tensor_cts_digest[i]);
}

static inline uint32_t tensor_cts_width(enum tensor_cts_type type) {
  static const uint8_t widths[] = {TENSOR_CTS_WIDTHS};
  return widths[type];
}

/* Writes the answer to one case. `values` has a pointer for each of its outputs, in their order; it
   is read if the status is TENSOR_CTS_COMPUTED. The byte order of the processor does not matter. */
static inline void tensor_cts_answer(tensor_cts_put put, const struct tensor_cts_entry *entry,
                                     enum tensor_cts_status status, const void *const *values) {
  const struct tensor_cts_case *test = entry->test;
  uint32_t i, k, b;
  tensor_cts_put_address(put, entry->result_address);
  for (b = 0; b < 4; ++b) tensor_cts_put_byte(put, (uint32_t)status >> 8 * b & 255);
  if (status != TENSOR_CTS_COMPUTED) return;
  for (i = 0; i < test->output_count; ++i) {
    const struct tensor_cts_tensor *tensor = &test->tensors[test->outputs[i].tensor];
    const uint32_t width = tensor_cts_width(tensor->type);
    tensor_cts_put_address(put, entry->result_address + test->outputs[i].offset);
    for (k = 0; k < tensor->bytes / width; ++k) {
      const uint64_t bits = width == 1   ? ((const uint8_t *)values[i])[k]
                            : width == 2 ? ((const uint16_t *)values[i])[k]
                            : width == 4 ? ((const uint32_t *)values[i])[k]
                                         : ((const uint64_t *)values[i])[k];
      for (b = 0; b < width; ++b) tensor_cts_put_byte(put, (uint32_t)(bits >> 8 * b) & 255);
    }
  }
}
)C";

std::string InUpperCase(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return upper;
}

std::string OpInC(std::string_view op) { return StrCat("TENSOR_CTS_OP_", op); }
std::string TypeInC(DType type) { return StrCat("TENSOR_CTS_TYPE_", InUpperCase(Name(type))); }

// A string of C. Attributes of a suite may hold any character; "?" begins trigraphs.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= ' ' && byte <= '~' && c != '"' && c != '\\' && c != '?';
    if (is_plain) {
      quoted += c;
      continue;
    }
    quoted += '\\';
    for (const int shift : {6, 3, 0}) quoted += kDigits[byte >> shift & 7];
  }
  return quoted + '"';
}

// The definition of an array; its name, or a null pointer if it would be empty, which C has not.
std::string Array(const std::string& type, const std::string& name,
                  const std::vector<std::string>& elements, std::string* text) {
  if (elements.empty()) return "0";
  *text += StrCat("static const ", type, " ", name, "[] = {");
  size_t column = 100;
  for (const std::string& element : elements) {
    const bool breaks = column + element.size() > 96;
    *text += breaks ? "\n  " : " ";
    column = (breaks ? 2 : column + 1) + element.size() + 1;
    *text += element + ",";
  }
  *text += "\n};\n";
  return name;
}

std::vector<std::string> TextsOf(const std::vector<int64_t>& integers) {
  std::vector<std::string> texts;
  texts.reserve(integers.size());
  for (const int64_t integer : integers) {
    // The least integer has no literal of its own.
    texts.push_back(integer == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(integer));
  }
  return texts;
}

std::string ElementsInC(const Tensor& values, const std::string& name, std::string* text) {
  std::vector<std::string> elements;
  for (int64_t i = 0; i < values.size(); ++i) {
    std::ostringstream element;
    element << "0x" << std::hex << values.Bits(i);
    elements.push_back(element.str());
  }
  return Array(StrCat("uint", 8 * StorageBytes(values.dtype()), "_t"), name, elements, text);
}

// The value of an enumeration's name; nullopt if the argument is no enumeration or lacks the name.
std::optional<int64_t> EnumValueOf(const Edition& edition, const std::string& op,
                                   const std::string& attribute, const std::string& word) {
  const OperatorSpec* spec = edition.FindOperator(op);
  if (spec == nullptr) return std::nullopt;
  for (const ArgumentSpec& argument : spec->arguments) {
    if (argument.name != attribute) continue;
    const EnumSpec* values = edition.FindEnum(argument.type);
    if (values == nullptr) return std::nullopt;
    for (const EnumValue& value : values->values) {
      if (value.name == word) return value.value;
    }
  }
  return std::nullopt;
}

std::string AttributeInC(const Edition& edition, const GraphOperator& op,
                         const std::string& attribute, const std::string& name, std::string* text) {
  const AttributeValue& value = op.attributes.at(attribute);
  std::vector<int64_t> integers;
  std::string word = "0", number = "0";
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) integers = *list;
  if (const auto* integer = std::get_if<int64_t>(&value)) integers = {*integer};
  if (const auto* boolean = std::get_if<bool>(&value)) integers = {*boolean ? 1 : 0};
  if (const auto* said = std::get_if<std::string>(&value)) {
    word = Quoted(*said);
    if (const auto code = EnumValueOf(edition, op.op, attribute, *said)) integers = {*code};
  }
  if (const auto* fp64 = std::get_if<double>(&value)) {
    number = ElementsInC(Tensor::OfFloats(DType::kFp64, {}, {*fp64}), name + "_number", text);
  }
  const std::string array = Array("int64_t", name, TextsOf(integers), text);
  return StrCat("{", Quoted(attribute), ", ", integers.size(), ", ", array, ", ", word, ", ",
                number, "}");
}

std::string PositionsInC(const MemoryLayout& layout, const std::vector<std::string>& names,
                         const std::string& name, std::string* text) {
  std::vector<std::string> positions;
  for (const std::string& wanted : names) {
    for (size_t i = 0; i < layout.tensors.size(); ++i) {
      if (layout.tensors[i].tensor->name != wanted) continue;
      positions.push_back(std::to_string(i));
      break;
    }
  }
  return Array("uint32_t", name, positions, text);
}

std::string OperatorInC(const Edition& edition, const GraphOperator& op, const MemoryLayout& layout,
                        const std::string& name, std::string* text) {
  std::vector<std::string> attributes;
  for (const auto& [attribute, value] : op.attributes) {
    attributes.push_back(
        AttributeInC(edition, op, attribute, StrCat(name, "_attribute", attributes.size()), text));
  }
  const std::string inputs = PositionsInC(layout, op.inputs, name + "_inputs", text);
  const std::string outputs = PositionsInC(layout, op.outputs, name + "_outputs", text);
  const std::string list =
      Array("struct tensor_cts_attribute", name + "_attributes", attributes, text);
  return StrCat("{", OpInC(op.op), ", ", Quoted(op.op), ", ", op.inputs.size(), ", ", inputs, ", ",
                op.outputs.size(), ", ", outputs, ", ", attributes.size(), ", ", list, "}");
}

std::string SymbolInC(size_t position, int execution) {
  return StrCat("tensor_cts_case_", position, "_", execution);
}

StatusOr<std::string> CaseInC(const Case& c, const MemoryLayout& layout, size_t position,
                              bool expected) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  std::string text = "#include \"../../tensor_cts_cases.h\"\n\n";
  std::vector<std::string> tensors, operators, outputs;
  for (const MemoryTensor& place : layout.tensors) {
    const std::string name = StrCat("tensor", tensors.size());
    const GraphTensor& tensor = *place.tensor;
    const std::string shape = Array("int64_t", name + "_shape", TextsOf(tensor.shape), &text);
    const std::string values =
        place.values == nullptr ? "0" : ElementsInC(*place.values, name + "_values", &text);
    tensors.push_back(StrCat("{", Quoted(tensor.name), ", ", TypeInC(tensor.dtype), ", ",
                             tensor.shape.size(), ", ", shape, ", ", place.bytes, ", ", values,
                             "}"));
  }
  for (const GraphOperator& op : c.graph.main().operators) {
    operators.push_back(
        OperatorInC(*edition, op, layout, StrCat("operator", operators.size()), &text));
  }
  for (const MemoryOutput& output : layout.outputs) {
    const std::string& name = layout.tensors[output.tensor].tensor->name;
    const std::optional<Tensor> right =
        expected ? OnlyRightResult(c, name, layout.execution) : std::nullopt;
    const std::string bits =
        right ? ElementsInC(*right, StrCat("expected", outputs.size()), &text) : "0";
    outputs.push_back(StrCat("{", output.tensor, ", ", output.offset, ", ", bits, "}"));
  }
  const std::string a = Array("struct tensor_cts_tensor", "tensors", tensors, &text);
  const std::string b = Array("struct tensor_cts_operator", "operators", operators, &text);
  const std::string o = Array("struct tensor_cts_output", "outputs", outputs, &text);
  return StrCat(text, "const struct tensor_cts_case ", SymbolInC(position, layout.execution),
                " = {\n  ", Quoted(c.id), ", ", tensors.size(), ", ", a, ", ", operators.size(),
                ", ", b, ", ", outputs.size(), ", ", o, "};\n");
}

StatusOr<std::string> HeaderInC(const Suite& suite, size_t cases, uint64_t result_bytes) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(suite.edition));
  std::string types, widths, ops;
  for (const DTypeInfo& info : kDTypes) {
    types += StrCat("  ", TypeInC(info.dtype), ",\n");
    widths += StrCat(widths.empty() ? "" : ", ", info.storage_bytes);
  }
  for (const OperatorSpec& op : edition->operators) ops += StrCat("  ", OpInC(op.name), ",\n");
  // C before C23 allows no comma behind the last one in every mode.
  for (std::string* list : {&types, &ops}) list->erase(list->size() - 2, 1);
  return StrCat("/* Cases of ", suite.edition, ", digest ", suite.digest,
                ". Needs no library.\n   Written by tensor-cts export --format c. */\n",
                "#ifndef TENSOR_CTS_CASES_H\n#define TENSOR_CTS_CASES_H\n\n#include <stdint.h>\n\n",
                "#define TENSOR_CTS_ENTRY_COUNT ", cases, "u\n#define TENSOR_CTS_RESULT_BYTES ",
                result_bytes, "u\n#define TENSOR_CTS_WIDTHS ", widths,
                "\n\nenum tensor_cts_type {\n", types, "};\n\nenum tensor_cts_op {\n", ops, "};\n",
                kTypesOfC, "\n#endif\n");
}

std::string TableInC(const std::vector<PlacedCase>& cases, const std::string& digest) {
  std::string text = "#include \"tensor_cts_cases.h\"\n\nconst uint8_t tensor_cts_digest[32] = {";
  for (size_t i = 0; i + 1 < digest.size(); i += 2) text += "0x" + digest.substr(i, 2) + ", ";
  text.erase(text.size() - 2);
  text += "};\n\n";
  for (const PlacedCase& each : cases) {
    text += StrCat("extern const struct tensor_cts_case ", SymbolInC(each.position, each.execution),
                   ";\n");
  }
  text += "\nconst struct tensor_cts_entry tensor_cts_cases[] = {\n";
  for (const PlacedCase& each : cases) {
    text += StrCat("  {&", SymbolInC(each.position, each.execution), ", ", each.result_address,
                   "u},\n");
  }
  return text + "};\n";
}

}  // namespace

struct MemoryExport::State {
  std::mutex mutex;
  std::vector<PlacedCase> cases;
};

MemoryExport::MemoryExport(const Suite& suite, const Options& options)
    : suite_(suite), options_(options), state_(std::make_unique<State>()) {}
MemoryExport::~MemoryExport() = default;

StatusOr<std::vector<BundleFile>> MemoryExport::Files(const Case& c, size_t position) {
  std::vector<BundleFile> files;
  std::vector<PlacedCase> placed;
  for (int k = 0; k < c.executions(); ++k) {
    CTS_ASSIGN_OR_RETURN(const MemoryLayout layout, LayOut(c, k, options_.budget));
    Json facts = Json::object();
    if (options_.as_c) {
      CTS_ASSIGN_OR_RETURN(std::string text, CaseInC(c, layout, position, options_.expected));
      files.push_back({FileOf("case", layout, ".c"), std::move(text)});
    } else {
      files.push_back({FileOf("image", layout, ".hex"), Image(layout)});
      if (options_.expected) {
        files.push_back({FileOf("expected", layout, ".hex"), ExpectedImage(c, layout)});
      }
      facts = HexFacts(c, layout);
    }
    facts["outputs"] = Outputs(layout);
    placed.push_back({.position = position,
                      .execution = k,
                      .id = c.id,
                      .answer_bytes = layout.answer_bytes,
                      .facts = std::move(facts)});
  }
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::move(placed.begin(), placed.end(), std::back_inserter(state_->cases));
  return files;
}

// One answer behind the other, behind the digest.
StatusOr<uint64_t> MemoryExport::PlaceResults() {
  std::vector<PlacedCase>& cases = state_->cases;
  std::sort(cases.begin(), cases.end(), [](const PlacedCase& a, const PlacedCase& b) {
    return std::pair(a.position, a.execution) < std::pair(b.position, b.execution);
  });
  uint64_t end = kMemoryDigestBytes;
  for (PlacedCase& each : cases) {
    each.result_address = end;
    end += each.answer_bytes;
  }
  if (end <= kMaxMemoryResults) return end;
  return InvalidArgument("export: the results of ", cases.size(), " executions need ", end,
                         " bytes, expected at most ", kMaxMemoryResults,
                         "; take fewer cases by --filter or a smaller --memory");
}

StatusOr<std::vector<BundleFile>> MemoryExport::Whole(const std::vector<NotExported>& left_out) {
  CTS_ASSIGN_OR_RETURN(const uint64_t result_bytes, PlaceResults());
  const std::vector<PlacedCase>& cases = state_->cases;
  Json manifest = {{"format", "tensor-cts-memory-1"}, {"suite", suite_.name},
                   {"suite_digest", suite_.digest},   {"edition", suite_.edition},
                   {"level", suite_.level},           {"result_bytes", result_bytes}};
  // A line an execution: other programs read it, too, and a suite has thousands.
  std::string text = FormatJson(manifest);
  text.erase(text.size() - 3);  // "\n}\n"
  text += ",\n  \"cases\": [";
  for (const PlacedCase& each : cases) {
    Json json = each.facts;
    json["id"] = each.id;
    json["execution"] = each.execution;
    json["result_address"] = each.result_address;
    json["answer_bytes"] = each.answer_bytes;
    text += StrCat(&each == cases.data() ? "\n    " : ",\n    ", FormatJsonLine(json));
  }
  text += "\n  ],\n  \"left_out\": [";
  for (const NotExported& each : left_out) {
    const Json json = {{"id", each.id}, {"reason", each.reason}};
    text += StrCat(&each == left_out.data() ? "\n    " : ",\n    ", FormatJsonLine(json));
  }
  text += "\n  ]\n}\n";
  CTS_ASSIGN_OR_RETURN(const Json written, ParseJson(text, kMemoryManifest));
  CTS_RETURN_IF_ERROR(ValidateJson(written, "memory", kMemoryManifest));
  const std::string digest = Sha256(text);
  std::vector<BundleFile> files = {{kMemoryManifest, std::move(text)}};
  if (!options_.as_c) {
    files.push_back({"results.hex", DigestAsHex(digest)});
    return files;
  }
  CTS_ASSIGN_OR_RETURN(std::string header, HeaderInC(suite_, cases.size(), result_bytes));
  files.push_back({"tensor_cts_cases.h", std::move(header)});
  files.push_back({"cases.c", TableInC(cases, digest)});
  return files;
}

}  // namespace cts
