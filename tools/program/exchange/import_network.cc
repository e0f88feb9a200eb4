#include "tools/program/exchange/import_network.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "checker/text/printable.h"
#include "generator/data/data_sets.h"
#include "generator/partial_suite.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/npy.h"
#include "reference/formats/mlir/mlir_parse.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/vgf.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "tools/program/exchange/convert_network.h"
#include "tools/program/exchange/graph_parts.h"
#include "tools/program/exchange/network.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// The values of a constant of a module's graph: those of --constant, otherwise of the file that
// export writes beside the module.
StatusOr<Tensor> ReadConstant(const NetworkOptions& options, uint32_t id, DType dtype,
                              const Shape& shape) {
  const std::string prefix = StrCat(id, "=");
  for (const std::string& given : options.constants) {
    if (given.starts_with(prefix)) return ReadNpy(given.substr(prefix.size()), dtype, shape);
  }
  const fs::path beside = options.file.parent_path() / StrCat("constant_", id, ".npy");
  CTS_ASSIGN_OR_RETURN(const bool exists, Exists(beside));
  if (exists) return ReadNpy(beside, dtype, shape);
  return InvalidArgument("it has no values: give --constant ", id, "=FILE.npy");
}

StatusOr<TosaFile> ReadModule(const NetworkOptions& options, const Edition& edition,
                              const std::string& bytes) {
  if (!edition.Has(Feature::kTosaFiles)) {
    return InvalidArgument(options.file.string(), ": a ",
                           IsVgf(bytes) ? "VGF file" : "module of SPIR-V", " is of ",
                           EditionsThatHave(Feature::kTosaFiles), ", expected no other --edition");
  }
  const std::string origin = options.file.string();
  CTS_ASSIGN_OR_RETURN(
      SpirvFile module,
      IsVgf(bytes) ? DecodeVgf(bytes, origin)
                   : DecodeSpirv(bytes, origin, [&](uint32_t id, DType dtype, const Shape& shape) {
                       return ReadConstant(options, id, dtype, shape);
                     }));
  return TosaFile{edition.version, std::move(module.graph), std::move(module.renamed), {}};
}

// The graph of text of MLIR, or of a .tosa file.
StatusOr<TosaFile> ReadGraph(const std::string& bytes, bool is_tosa, const Edition& edition,
                             const std::string& origin) {
  if (is_tosa) {
    if (!edition.Has(Feature::kTosaFiles)) {
      return InvalidArgument(origin, ": a .tosa file is of ", EditionsThatHave(Feature::kTosaFiles),
                             ", expected no other --edition");
    }
    return DecodeTosa(bytes, origin);
  }
  TosaFile network{edition.version, {}, {}, {}};
  CTS_ASSIGN_OR_RETURN(network.graph, ParseMlir(bytes, edition, origin, &network.renamed));
  return network;
}

// The form of a file that another tool has to convert; nothing of the others.
std::optional<NetworkForm> FormToConvert(const fs::path& file, std::string_view bytes) {
  if (bytes.starts_with(kMlirBytecode)) return NetworkForm::kBytecode;
  if (file.extension() == ".tflite") return NetworkForm::kTfLite;
  if (file.extension() == ".pt2") return NetworkForm::kExportedProgram;
  return std::nullopt;
}

// "main" of a file and the names that tensors have there, if they differ.
// A tool that converted the file names itself in `made_by`; `scratch` is a place beside which its
// output may lie.
StatusOr<TosaFile> ReadNetwork(const NetworkOptions& options, const Edition& edition,
                               const fs::path& scratch, std::string* made_by) {
  const fs::path& file = options.file;
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file, kMaxTosaBytes));
  const std::string origin = file.string();
  const bool is_module = IsSpirv(bytes);
  if (!is_module && (options.format == "spirv" || !options.constants.empty())) {
    return InvalidArgument(
        origin, ": found no module of SPIR-V, ",
        options.format == "spirv" ? "as --format says" : "whose graph --constant gives values");
  }
  const bool is_vgf = IsVgf(bytes);
  if (!is_vgf && options.format == "vgf") {
    return InvalidArgument(origin, ": found no VGF file, as --format says");
  }
  if (is_module || is_vgf) return ReadModule(options, edition, bytes);
  if (const std::optional<NetworkForm> form = FormToConvert(file, bytes)) {
    CTS_ASSIGN_OR_RETURN(const ConvertedNetwork converted, ConvertNetwork(file, *form, scratch));
    *made_by = converted.tool;
    const bool is_tosa = *form == NetworkForm::kExportedProgram;
    return ReadGraph(converted.bytes, is_tosa, edition,
                     StrCat(origin, is_tosa ? " (made a .tosa file by " : " (made text by ",
                            converted.tool, ")"));
  }
  return ReadGraph(bytes, file.extension() == ".tosa", edition, origin);
}

// "x", or for one that has another name in the file "conv/1 (in the case conv_1)".
std::string Describe(const TosaFile& network, const std::string& input) {
  for (const auto& [theirs, ours] : network.renamed) {
    if (ours != input) continue;
    return StrCat(Shortened(Printable(theirs), 200), " (in the case ", ours, ")");
  }
  return input;
}

// "x: i8[1, 4]" for every input.
std::string DescribeInputs(const TosaFile& network) {
  const Block& block = network.graph.main();
  std::string text;
  for (const std::string& name : block.inputs) {
    const GraphTensor& tensor = *block.Find(name);
    text += StrCat(text.empty() ? "" : ", ", Describe(network, name), ": ", Name(tensor.dtype),
                   ToString(tensor.shape));
  }
  return text.empty() ? "none" : text;
}

// The input that a name means, in the file, otherwise in the case; null if it means no input.
const std::string* FindInput(const TosaFile& network, const std::string& name) {
  const auto renamed = network.renamed.find(name);
  const std::vector<std::string>& inputs = network.graph.main().inputs;
  const auto found = std::find(inputs.begin(), inputs.end(),
                               renamed == network.renamed.end() ? name : renamed->second);
  if (found != inputs.end()) return &*found;
  // As MLIR writes it.
  if (name.starts_with('%')) return FindInput(network, name.substr(1));
  // A position.
  size_t position = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data(), end, position);
  return error == std::errc() && last == end && position < inputs.size() ? &inputs[position]
                                                                         : nullptr;
}

// Whether the bits of an input may be unsigned numbers: an operator takes them so, or none takes
// them at all.
bool MayBeUnsigned(const Block& block, const std::string& input) {
  bool taken = false;
  for (const GraphOperator& op : block.operators) {
    const auto found = op.attributes.find("input_unsigned");
    const bool is_unsigned = found != op.attributes.end() && found->second == AttributeValue(true);
    if (!op.inputs.empty() && op.inputs[0] == input && is_unsigned) return true;
    taken = taken || std::find(op.inputs.begin(), op.inputs.end(), input) != op.inputs.end();
  }
  return !taken;
}

// Refuses an input that is stored as the type that the network would have if it were of a draft
// before 1.0, even if its values happen to be exact in both. An input of the network's own type
// shows that it is no draft.
Status CheckDraft(const fs::path& file, std::string_view bytes, const GraphTensor& tensor,
                  TosaFile* network) {
  if (!network->may_be_old_draft) return absl::OkStatus();
  const OldDraftType old = OldDraftTypeOf(tensor.dtype);
  const std::string other = StoredAsOther(bytes, tensor.dtype);
  if (other.empty() && Info(tensor.dtype).npy != old.npy) network->may_be_old_draft = false;
  if (other != old.npy) return absl::OkStatus();
  return InvalidArgument(
      file.string(), ": found elements of '", old.npy, "' for an input of ", Name(tensor.dtype),
      ", a type whose number was that of ", old.name, "; ", OldDraftHint(network->version),
      "; if the file is no draft, store the input as '", Info(tensor.dtype).npy, "'");
}

// A file of unsigned numbers holds the bits of such an input.
StatusOr<Tensor> ReadInput(const fs::path& file, const GraphTensor& tensor, TosaFile* network) {
  CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(tensor.shape));
  CTS_ASSIGN_OR_RETURN(std::string bytes, ReadFile(file, MaxNpyBytes(count)));
  CTS_RETURN_IF_ERROR(CheckDraft(file, bytes, tensor, network));
  const bool may_be_unsigned = MayBeUnsigned(network->graph.main(), tensor.name);
  for (const auto& [theirs, ours] : {std::pair("'|u1'", "'|i1'"), std::pair("'<u2'", "'<i2'")}) {
    constexpr size_t kHeader = 128;
    const size_t at = std::string_view(bytes).substr(0, kHeader).find(theirs);
    if (may_be_unsigned && at != std::string_view::npos) {
      bytes.replace(at, std::string_view(theirs).size(), ours);
    }
  }
  StatusOr<Tensor> read = DecodeNpy(bytes, tensor.dtype, tensor.shape);
  if (!read.ok()) return Annotate(read.status(), file.string());
  return read;
}

Tensor RandomInput(const NetworkOptions& options, const std::string& id,
                   const GraphTensor& tensor) {
  const Random random(*options.random, id, tensor.name);
  if (IsFloat(tensor.dtype)) return FloatsBetween(random, tensor.dtype, tensor.shape, -1, 1);
  if (Info(tensor.dtype).bits <= 16) return FullRange(random, tensor.dtype, tensor.shape);
  return IntegersBetween(random, tensor.dtype, tensor.shape, -128, 127);
}

StatusOr<std::map<std::string, Tensor>> ReadInputs(const NetworkOptions& options,
                                                   const std::string& id, TosaFile& network) {
  const Block& block = network.graph.main();
  std::map<std::string, Tensor> inputs;
  for (const std::string& given : options.inputs) {
    // Names may have a "=", and so may paths: the longest existing name is meant.
    const std::string* input = nullptr;
    size_t end = given.rfind('=');
    for (; end != given.npos; end = end == 0 ? given.npos : given.rfind('=', end - 1)) {
      input = FindInput(network, given.substr(0, end));
      if (input != nullptr) break;
    }
    if (input == nullptr) {
      return InvalidArgument("--input: found \"", Shortened(Printable(given), 200),
                             "\", expected NAME=FILE.npy for an input of ", options.file.string(),
                             ": ", DescribeInputs(network));
    }
    const std::string& name = *input;
    const GraphTensor& tensor = *block.Find(name);
    CTS_ASSIGN_OR_RETURN(Tensor value, ReadInput(given.substr(end + 1), tensor, &network));
    if (!inputs.emplace(name, std::move(value)).second) {
      return InvalidArgument("--input: found ", Describe(network, name),
                             " twice, expected every input once");
    }
  }
  for (const std::string& name : block.inputs) {
    if (inputs.count(name) > 0) continue;
    const GraphTensor& tensor = *block.Find(name);
    if (options.random && tensor.symbols.empty()) {
      inputs.emplace(name, RandomInput(options, id, tensor));
      continue;
    }
    return InvalidArgument(options.file.string(), ": input ", Describe(network, name),
                           " has no values: give --input NAME=FILE.npy for each of ",
                           DescribeInputs(network), ", or --random SEED");
  }
  return inputs;
}

// "networks/" and the file's name without its extension, as an id may be.
std::string IdOfFile(const fs::path& file) {
  std::string name;
  for (char c : file.stem().string()) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                      c == '+' || c == '-';
    name += kept ? c : '_';
  }
  if (name.empty() || !((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= '0' && name[0] <= '9'))) {
    name = "n" + name;
  }
  return "networks/" + name.substr(0, 200);
}

}  // namespace

StatusOr<ImportedNetwork> ImportNetwork(const NetworkOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(options.edition));
  Network network{options.id.empty() ? IdOfFile(options.file) : options.id,
                  {},
                  {},
                  options.edition,
                  options.level};
  if (!IsCaseId(network.id)) {
    return InvalidArgument("--id: found \"", Shortened(Printable(network.id), 200),
                           "\", expected two words such as networks/mine");
  }
  CTS_RETURN_IF_ERROR(CheckFree(options.out));
  std::string made_by;
  CTS_ASSIGN_OR_RETURN(TosaFile file,
                       ReadNetwork(options, *edition, options.out.string() + ".text", &made_by));
  GiveOutputsTensors(&file.graph);
  if (!made_by.empty()) file.may_be_old_draft = false;  // a tool of today
  CTS_ASSIGN_OR_RETURN(network.inputs, ReadInputs(options, network.id, file));
  network.graph = std::move(file.graph);
  StatusOr<Case> made = CaseOfNetwork(network);
  const std::string hint = file.may_be_old_draft ? OldDraftHint(file.version) : "";
  if (!made.ok()) {
    return absl::Status(made.status().code(),
                        StrCat(options.file.string(), ": ", Message(made.status()),
                               hint.empty() ? "" : "; ", hint));
  }
  if (!hint.empty()) file.notes.push_back(StrCat(options.file.string(), ": ", hint));
  if (!made_by.empty()) made->parameters["converter"] = made_by;
  CTS_ASSIGN_OR_RETURN(Suite suite, WriteSuiteOf(*made, "imported", options.out));
  return ImportedNetwork{std::move(suite), std::move(file.notes)};
}

}  // namespace cts
