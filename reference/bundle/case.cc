#include "reference/bundle/case.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/json_view.h"
#include "reference/base/npy.h"
#include "reference/bundle/read_file.h"
#include "reference/graph/disputed.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

// The result of CONST_SHAPE of an empty list: the one tensor that may have no element.
bool IsEmptyShape(DType dtype, const Shape& shape) {
  return dtype == DType::kShape && shape == Shape{0};
}

// NumPy's file for it: version 1.0, header padded to 128 bytes.
std::string EmptyShapeNpy() {
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
}

std::string Encode(const Tensor& tensor) {
  return IsEmptyShape(tensor.dtype(), tensor.shape()) ? EmptyShapeNpy() : EncodeNpy(tensor);
}

// The answers to a float output are unrounded.
DType AnswerType(DType output) { return IsFloat(output) ? DType::kFp64 : output; }

Json TypesToJson(const std::set<DType>& types) {
  Json names = Json::array();
  for (const DType type : types) names.push_back(Name(type));
  return names;
}

std::set<DType> ReadTypes(const JsonView& json) {
  std::set<DType> types;
  for (const std::string& name : json.Texts()) types.insert(*ParseDType(name));
  return types;
}

std::string InputFile(const std::string& tensor) { return tensor + ".npy"; }
std::string AnswerFile(const ExpectedOutput& output, const Answer& answer, std::string_view part) {
  const std::string name = ResultName(output);
  if (!answer.flushed) return std::string(part) + "/" + name + ".npy";
  return StrCat("flushed/", name, part == "expected" ? "" : StrCat(".", part), ".npy");
}

Json AttributeToJson(const AttributeValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    return {{"float", DoubleToJson(*number)}};
  }
  return std::visit([](const auto& v) { return Json(v); }, value);
}

// As DoubleFromJson.
StatusOr<double> ReadDouble(const JsonView& json) {
  if (json.is_double()) return json.Number();
  if (json.is_string()) return DoubleFromJson(json.Text());
  CTS_ASSIGN_OR_RETURN(const Json integer, ParseJson(json.Dump(), "value"));
  return DoubleFromJson(integer);
}

// Files in a directory.
class Directory : public BundleSource {
 public:
  explicit Directory(std::filesystem::path path) : path_(std::move(path)) {}

  std::string Describe(std::string_view name) const override { return (path_ / name).string(); }
  StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) override {
    if (!folder_) {
      CTS_ASSIGN_OR_RETURN(folder_, Folder::Open(path_));
    }
    CTS_ASSIGN_OR_RETURN(bytes_, folder_->Read(name, max_bytes));
    return bytes_;
  }

 private:
  const std::filesystem::path path_;
  std::optional<Folder> folder_;
  std::string bytes_;
};

// Reads one bundle. The schema has been checked, so types of members are known. References, sizes
// and files, which it cannot describe, are checked here.
class Reader {
 public:
  Reader(BundleSource& source, std::string file, bool inputs, bool answers)
      : source_(source), file_(std::move(file)), read_inputs_(inputs), read_answers_(answers) {}

  StatusOr<Graph> ReadGraph(const JsonView& json) {
    Graph graph;
    for (const auto region_json : json["regions"].Items()) {
      const JsonView region(region_json);
      graph.regions.push_back({region["name"].Text(), {}});
      for (const auto item : region["blocks"].Items()) {
        CTS_ASSIGN_OR_RETURN(Block block, ReadBlock(JsonView(item)));
        graph.regions.back().blocks.push_back(std::move(block));
      }
    }
    return graph;
  }

  StatusOr<Case> Read(std::string_view text) {
    CTS_ASSIGN_OR_RETURN(const JsonText parsed, JsonText::Read(text, "case", file_));
    const JsonView json = parsed.root();
    Case c;
    c.id = json["id"].Text();
    c.edition = json["edition"].Text();
    c.level = json["level"].Text();
    c.op = json["operator"].Text();
    c.mode = json["mode"].Text();
    c.types = json["types"].TextMap();
    for (const auto all_of : json["profiles"].Items()) {
      c.profiles.push_back(JsonView(all_of).Texts());
    }
    c.data_set = json["data_set"].Text();
    c.parameters = json["parameters"].TextMap();
    c.outcome = OutcomeOf(json["outcome"].View());
    CTS_ASSIGN_OR_RETURN(c.graph, ReadGraph(json["graph"]));
    if (c.outcome == Outcome::kError) {
      if (!json.Has("condition")) {
        return Bad("/condition", "an error case names the condition that it breaks");
      }
      c.condition = json["condition"].Text();
    } else if (json.Has("condition")) {
      return Bad("/condition", "only an error case names a condition");
    }
    c.disputed = json["disputed"].Text();
    if (!c.disputed.empty() && c.outcome != Outcome::kValid) {
      return Bad("/disputed", "only the answers of a valid case are disputed");
    }
    CTS_RETURN_IF_ERROR(CheckInterface(c));
    symbolic_ = IsSymbolic(c.graph);
    CTS_RETURN_IF_ERROR(ReadExecution(json, "", c, c.inputs));
    for (const auto later : json["later_executions"].Items()) {
      const std::string place = StrCat("/later_executions/", c.later_inputs.size());
      c.later_inputs.emplace_back();
      CTS_RETURN_IF_ERROR(ReadExecution(JsonView(later), place, c, c.later_inputs.back()));
    }
    return c;
  }

 private:
  template <class... Args>
  Status Bad(const std::string& place, const Args&... args) const {
    return InvalidArgument(file_, ": ", place, ": ", args...);
  }

  StatusOr<int64_t> ReadInteger(const JsonView& json, const std::string& place) const {
    if (const std::optional<int64_t> value = json.Integer()) return *value;
    return Bad(place, "found ", json.Dump(), ", expected at most 2^63 - 1");
  }

  StatusOr<std::vector<int64_t>> ReadIntegers(const JsonView& json,
                                              const std::string& place) const {
    std::vector<int64_t> values;
    for (const auto item : json.Items()) {
      CTS_ASSIGN_OR_RETURN(const int64_t value, ReadInteger(JsonView(item), place));
      values.push_back(value);
    }
    return values;
  }

  // Sizes, or the names of symbols.
  Status ReadDimensions(const JsonView& json, const std::string& place, GraphTensor& tensor) const {
    for (const auto item_json : json.Items()) {
      const JsonView item(item_json);
      if (item.is_string()) {
        tensor.symbols.resize(tensor.shape.size());
        tensor.symbols.push_back(item.Text());
        tensor.shape.push_back(-1);
        continue;
      }
      CTS_ASSIGN_OR_RETURN(const int64_t size, ReadInteger(item, place));
      tensor.shape.push_back(size);
    }
    if (!tensor.symbols.empty()) tensor.symbols.resize(tensor.shape.size());
    return absl::OkStatus();
  }

  StatusOr<Tensor> ReadTensor(std::string_view file, DType dtype, const Shape& shape) const {
    const bool empty = IsEmptyShape(dtype, shape);
    // This comes before any multiplication: a Tensor cannot have such a shape.
    const StatusOr<int64_t> count = empty ? 0 : CheckedElementCount(shape);
    if (!count.ok()) return Annotate(count.status(), source_.Describe(file));
    auto bytes = source_.Read(file, MaxNpyBytes(*count));
    if (!bytes.ok()) return Annotate(bytes.status(), file_);
    if (empty) {
      if (*bytes == EmptyShapeNpy()) return Tensor(dtype, shape);
      return InvalidArgument(source_.Describe(file),
                             ": expected <i8 of shape (0,), as NumPy writes it");
    }
    StatusOr<Tensor> tensor = DecodeNpy(*bytes, dtype, shape);
    if (!tensor.ok()) return Annotate(tensor.status(), source_.Describe(file));
    return tensor;
  }

  StatusOr<Block> ReadBlock(const JsonView& json) {
    Block block;
    block.name = json["name"].Text();
    block.inputs = json["inputs"].Texts();
    block.outputs = json["outputs"].Texts();
    // Plain concatenation, because nearly none of the thousands of cases needs its places.
    const std::string place = "block \"" + block.name + "\"";
    for (const auto tensor_json : json["tensors"].Items()) {
      const JsonView item(tensor_json);
      GraphTensor tensor;
      tensor.name = item["name"].Text();
      const std::string tensor_place = place + ", tensor \"" + tensor.name + "\"";
      // Unique in the whole graph, since a constant's file is named after it.
      if (!tensor_names_.insert(tensor.name).second) {
        return Bad(tensor_place, "declared twice; expected a name of its own");
      }
      tensor.dtype = *ParseDType(item["dtype"].View());
      CTS_RETURN_IF_ERROR(ReadDimensions(item["shape"], tensor_place, tensor));
      if (item.Has("values")) {
        CTS_ASSIGN_OR_RETURN(Tensor values,
                             ReadTensor(item["values"].View(), tensor.dtype, tensor.shape));
        tensor.values = std::make_shared<const Tensor>(std::move(values));
      }
      block.tensors.push_back(std::move(tensor));
    }
    for (const auto item : json["operators"].Items()) {
      CTS_ASSIGN_OR_RETURN(
          GraphOperator op,
          ReadOperator(JsonView(item), block,
                       place + ", operator " + std::to_string(block.operators.size())));
      block.operators.push_back(std::move(op));
    }
    CTS_RETURN_IF_ERROR(CheckNames(block, block.inputs, place + ", inputs"));
    CTS_RETURN_IF_ERROR(CheckNames(block, block.outputs, place + ", outputs"));
    return block;
  }

  StatusOr<GraphOperator> ReadOperator(const JsonView& json, const Block& block,
                                       const std::string& where) const {
    GraphOperator op;
    op.op = json["operator"].Text();
    op.inputs = json["inputs"].Texts();
    op.outputs = json["outputs"].Texts();
    const std::string place = where + " (" + op.op + ")";
    CTS_RETURN_IF_ERROR(CheckNames(block, op.inputs, place + ", inputs"));
    CTS_RETURN_IF_ERROR(CheckNames(block, op.outputs, place + ", outputs"));
    for (const auto& [key, attribute_json] : json["attributes"].Members()) {
      const std::string name(key);
      const JsonView value(attribute_json);
      std::string attribute = place;
      attribute.append(", attribute \"").append(name).append("\"");
      if (value.is_boolean()) {
        op.attributes[name] = value.Boolean();
      } else if (value.is_string()) {
        op.attributes[name] = value.Text();
      } else if (value.is_array()) {
        CTS_ASSIGN_OR_RETURN(op.attributes[name], ReadIntegers(value, attribute));
      } else if (value.is_object()) {
        // Exact as ParseJson reads it; otherwise refused.
        auto number = ReadDouble(value["float"]);
        if (!number.ok()) return Bad(attribute, Message(number.status()));
        op.attributes[name] = *number;
      } else {
        CTS_ASSIGN_OR_RETURN(op.attributes[name], ReadInteger(value, attribute));
      }
    }
    return op;
  }

  Status CheckNames(const Block& block, const std::vector<std::string>& names,
                    const std::string& place) const {
    for (const std::string& name : names) {
      if (block.Find(name) == nullptr) {
        return Bad(place, "\"", name, "\" names no tensor of block \"", block.name, "\"");
      }
    }
    return absl::OkStatus();
  }

  // A tensor that goes in or comes out has one file, so its name stands there once.
  Status CheckOnce(const std::vector<std::string>& names, const std::string& place) const {
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (!seen.insert(name).second) return Bad(place, "\"", name, "\" found twice, expected once");
    }
    return absl::OkStatus();
  }

  Status CheckInterface(const Case& c) const {
    const Block& block = c.graph.main();
    CTS_RETURN_IF_ERROR(CheckOnce(block.inputs, "inputs of the graph"));
    CTS_RETURN_IF_ERROR(CheckOnce(block.outputs, "outputs of the graph"));
    for (const std::string& name : block.inputs) {
      if (block.Find(name)->values != nullptr) {
        return Bad(StrCat("tensor \"", name, "\""), "found values, expected none: it is an input");
      }
    }
    return absl::OkStatus();
  }

  // "inputs" and "outputs" of one execution; `place` is where they stand.
  Status ReadExecution(const JsonView& json, const std::string& place, Case& c,
                       std::map<std::string, Tensor>& inputs) const {
    CTS_RETURN_IF_ERROR(ReadBinding(json, place + "/binding", c));
    CTS_RETURN_IF_ERROR(ReadInputs(json["inputs"], place + "/inputs", c, inputs));
    if (c.outcome == Outcome::kValid) {
      return ReadOutputs(json["outputs"], place + "/outputs", c);
    }
    if (json.Has("outputs")) {
      return Bad(place + "/outputs", "found answers, expected none where the outcome is ",
                 Name(c.outcome));
    }
    return absl::OkStatus();
  }

  // "binding" of one execution: there if and only if the graph is a symbolic program.
  Status ReadBinding(const JsonView& json, const std::string& place, Case& c) const {
    if (json.Has("binding") != symbolic_) {
      return Bad(place, symbolic_ ? "expected values for the symbols of the graph"
                                  : "found a binding, but the graph has no symbols");
    }
    if (!symbolic_) return absl::OkStatus();
    Binding binding;
    for (const auto& [name, value] : json["binding"].Members()) {
      CTS_ASSIGN_OR_RETURN(binding[std::string(name)], ReadInteger(JsonView(value), place));
    }
    if (const Status known = CheckBinding(c.graph, binding); !known.ok()) {
      return Bad(place, Message(known));
    }
    if (c.outcome == Outcome::kValid) {
      for (const std::string& symbol : InputSymbols(c.graph)) {
        if (!binding.contains(symbol)) return Bad(place, "found no value for ", symbol);
      }
      for (const auto& [name, value] : binding) {
        if (value < 1) return Bad(place, name, ": found ", value, ", expected at least 1");
      }
    }
    c.bindings.push_back(std::move(binding));
    return absl::OkStatus();
  }

  // The values of an input. If the binding of an error case may be wrong, the file's own values.
  StatusOr<Tensor> ReadInput(std::string_view file, const GraphTensor& tensor,
                             const Case& c) const {
    Shape shape = tensor.shape;
    for (size_t i = 0; i < tensor.symbols.size(); ++i) {
      const auto value = c.bindings.back().find(tensor.symbols[i]);
      if (value != c.bindings.back().end()) shape[i] = value->second;
    }
    if (!tensor.symbols.empty() && c.outcome != Outcome::kValid) {
      auto bytes = source_.Read(file, MaxNpyBytes(kMaxElements));
      if (!bytes.ok()) return Annotate(bytes.status(), file_);
      const StatusOr<Shape> found = DecodeNpyShape(*bytes);
      if (!found.ok()) return Annotate(found.status(), source_.Describe(file));
      if (found->size() == shape.size()) shape = *found;
    }
    return ReadTensor(file, tensor.dtype, shape);
  }

  Status ReadInputs(const JsonView& json, const std::string& place, const Case& c,
                    std::map<std::string, Tensor>& inputs) const {
    const Block& block = c.graph.main();
    for (const auto& [name, file] : json.Members()) {
      if (!Contains(block.inputs, name)) {
        return Bad(place, "\"", name, "\" is no input of block \"", block.name, "\"");
      }
    }
    for (const std::string& name : block.inputs) {
      const GraphTensor& tensor = *block.Find(name);
      if (!json.Has(name)) {
        // An error case may break the very shape of an input: no file can have a dimension below 1.
        if (c.outcome != Outcome::kValid) continue;
        return Bad(place, "no file for input \"", name, "\"");
      }
      if (!read_inputs_) continue;
      CTS_ASSIGN_OR_RETURN(Tensor value, ReadInput(json[name].View(), tensor, c));
      inputs.emplace(name, std::move(value));
    }
    return absl::OkStatus();
  }

  // Whether an output's shape is the declared one, with the binding's values for its symbols.
  static bool FitsDeclared(const Shape& shape, const GraphTensor& tensor, const Case& c) {
    if (tensor.symbols.empty() || shape.size() != tensor.shape.size()) {
      return shape == tensor.shape;
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      const auto bound = c.bindings.back().find(tensor.symbols[i]);
      const bool fits = tensor.symbols[i].empty()          ? shape[i] == tensor.shape[i]
                        : bound == c.bindings.back().end() ? shape[i] >= 1
                                                           : shape[i] == bound->second;
      if (!fits) return false;
    }
    return true;
  }

  StatusOr<Rule> ReadRule(const JsonView& json, const std::string& place) const {
    Rule rule;
    rule.kind = RuleKindOf(json["kind"].View());
    rule.form = json["form"].Text();
    rule.clause = json["clause"].Text();
    std::vector<std::string> needed;
    if (rule.kind == RuleKind::kUlp) needed = {"ulp"};
    if (rule.kind == RuleKind::kDotProduct) needed = {"kernel_size", "ksb", "absolute_limit"};
    for (const std::string& member : needed) {
      if (!json.Has(member)) {
        return Bad(place, "rule ", Name(rule.kind), ": no \"", member, "\"");
      }
    }
    rule.zero_sign = json["zero_sign"].Boolean();
    rule.zero_choice = json["zero_choice"].Text();
    if (!rule.zero_choice.empty() && (rule.kind != RuleKind::kExact || !rule.zero_sign)) {
      return Bad(place, "found \"zero_choice\" of a rule ", Name(rule.kind),
                 ", expected it beside exact with \"zero_sign\": true only");
    }
    rule.is_unsigned = json["unsigned"].Boolean();
    rule.enclosure = json["enclosure"].Boolean();
    if (rule.enclosure && (rule.kind != RuleKind::kInterval || rule.is_unsigned)) {
      return Bad(place, "found \"enclosure\" of a rule ", Name(rule.kind),
                 ", expected it beside interval of signed numbers only");
    }
    rule.ulp = json["ulp"].Number();
    if (json.Has("kernel_size")) {
      CTS_ASSIGN_OR_RETURN(rule.kernel_size, ReadInteger(json["kernel_size"], place));
    }
    if (json.Has("ksb")) {
      CTS_ASSIGN_OR_RETURN(rule.ksb, ReadInteger(json["ksb"], place));
    }
    // The schema has it between -1 and 5.
    if (const auto set = json["data_set"].Integer()) rule.data_set = static_cast<int>(*set);
    rule.absolute_limit = json["absolute_limit"].Number();
    if (json.Has("variance_limit")) rule.variance_limit = json["variance_limit"].Number();
    if (json.Has("bias_limit")) rule.bias_limit = json["bias_limit"].Number();
    return rule;
  }

  StatusOr<Answer> ReadAnswer(const JsonView& json, const ExpectedOutput& output,
                              const std::string& place) const {
    const RuleKind kind = output.rule.kind;
    const bool bound = kind == RuleKind::kAbsoluteBound || kind == RuleKind::kDotProduct;
    const bool upper = kind == RuleKind::kInterval;
    for (const auto& [member, wanted] : {std::pair("bound", bound), std::pair("upper", upper)}) {
      if (json.Has(member) != wanted) {
        return Bad(place, "rule ", Name(kind), ": expected ", wanted ? "a" : "no", " \"", member,
                   "\"");
      }
    }
    const DType dtype = AnswerType(output.dtype);
    CTS_ASSIGN_OR_RETURN(Tensor expected, ReadTensor(json["expected"].View(), dtype, output.shape));
    Answer answer{json["flushed"].Boolean(), std::move(expected), {}, {}};
    if (bound) {
      CTS_ASSIGN_OR_RETURN(answer.bound, ReadTensor(json["bound"].View(), dtype, output.shape));
    }
    if (upper) {
      CTS_ASSIGN_OR_RETURN(answer.upper, ReadTensor(json["upper"].View(), dtype, output.shape));
    }
    return answer;
  }

  Status ReadOutputs(const JsonView& json, const std::string& outputs, Case& c) const {
    const Block& block = c.graph.main();
    const simdjson::dom::array items = json.Items();
    if (items.size() != block.outputs.size()) {
      return Bad(outputs, "found ", items.size(), ", expected one for each of the ",
                 block.outputs.size(), " outputs of the graph");
    }
    size_t i = 0;
    for (const auto item_json : items) {
      const JsonView item(item_json);
      const std::string place = outputs + "/" + std::to_string(i);
      ExpectedOutput output;
      output.execution = static_cast<int>(c.later_inputs.size());
      output.name = item["name"].Text();
      output.dtype = *ParseDType(item["dtype"].View());
      CTS_ASSIGN_OR_RETURN(output.shape, ReadIntegers(item["shape"], place));
      if (output.name != block.outputs[i]) {
        return Bad(place, "found \"", output.name, "\", expected \"", block.outputs[i],
                   "\" as in the graph");
      }
      const GraphTensor& tensor = *block.Find(output.name);
      if (output.dtype != tensor.dtype || !FitsDeclared(output.shape, tensor, c)) {
        return Bad(place, "found ", Name(output.dtype), ToString(output.shape), ", expected ",
                   Describe(tensor), " as in the graph");
      }
      output.undisputed = item.Has("undisputed");
      if (output.undisputed && c.disputed.empty()) {
        return Bad(place + "/undisputed", "only in a disputed case an output can be undisputed");
      }
      CTS_ASSIGN_OR_RETURN(output.rule, ReadRule(item["rule"], place));
      const bool unchecked = output.rule.kind == RuleKind::kUnchecked;
      if (item["answers"].Items().size() == 0 && !unchecked) {
        return Bad(place, "found no answer, expected one or two");
      }
      size_t k = 0;
      for (const auto answer_json : item["answers"].Items()) {
        if (unchecked) return Bad(place, "found an answer, expected none where nothing is checked");
        const JsonView given(answer_json);
        if (given["flushed"].Boolean() != (k == 1)) {
          return Bad(place, "answer ", k, ": expected \"flushed\": ", k == 1 ? "true" : "false",
                     "; the unflushed answer comes first");
        }
        if (read_answers_) {
          CTS_ASSIGN_OR_RETURN(Answer answer,
                               ReadAnswer(given, output, place + "/answers/" + std::to_string(k)));
          output.answers.push_back(std::move(answer));
        }
        ++k;
      }
      if (item.Has("flushing")) {
        if (k == 0) {
          return Bad(place, "found \"flushing\" without an answer, expected it beside one or two");
        }
        const JsonView flushing = item["flushing"];
        output.flushing = {ReadTypes(flushing["kept"]), ReadTypes(flushing["flushed"]),
                           flushing["all_or_none"].Boolean(), flushing["moved"].Boolean()};
      }
      c.outputs.push_back(std::move(output));
      ++i;
    }
    return absl::OkStatus();
  }

  BundleSource& source_;
  const std::string file_;
  const bool read_inputs_, read_answers_;
  std::set<std::string> tensor_names_;
  bool symbolic_ = false;
};

StatusOr<Case> ReadParts(const std::filesystem::path& directory, bool inputs, bool answers) {
  const std::filesystem::path file = directory / "case.json";
  const StatusOr<std::string> text = ReadBundleFile(directory, "case.json", kMaxCaseJson);
  if (absl::IsNotFound(text.status())) {
    return NotFound(Message(text.status()),
                    "; expected the folder of a case in a suite: SUITE/<operator>/<case>");
  }
  if (!text.ok()) return text.status();
  Directory source(directory);
  return Reader(source, file.string(), inputs, answers).Read(*text);
}

}  // namespace

std::set<std::string> ResultFileNames(const Case& c) {
  std::set<std::string> names;
  for (const std::string& output : c.graph.main().outputs) {
    for (int k = 0; k < c.executions(); ++k) names.insert(ResultName(output, k) + ".npy");
  }
  return names;
}

void FindDispute(Case& c) {
  const InputSequence inputs = c.InputsOfExecutions();
  c.disputed = DisputeOf(c.graph, inputs);
  if (c.disputed.empty()) return;
  std::vector<std::set<std::string>> disputed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    disputed.push_back(DisputedTensors(c.graph, inputs, i));
  }
  bool any = false;
  for (ExpectedOutput& output : c.outputs) {
    output.undisputed = !disputed[static_cast<size_t>(output.execution)].contains(output.name);
    any = any || !output.undisputed;
  }
  if (any) return;
  c.disputed.clear();
  for (ExpectedOutput& output : c.outputs) output.undisputed = false;
}

InputSequence Case::InputsOfExecutions(int count) const {
  InputSequence all = {&inputs};
  for (const auto& later : later_inputs) all.emplace_back(&later);
  for (size_t i = 0; i < std::min(all.size(), bindings.size()); ++i) all[i].binding = &bindings[i];
  all.erase(all.begin() + std::min(count, executions()), all.end());
  return all;
}

Json CaseHeadToJson(const Case& c) {
  return {{"id", c.id},
          {"edition", c.edition},
          {"level", c.level},
          {"operator", c.op},
          {"mode", c.mode},
          {"types", c.types},
          {"profiles", c.profiles},
          {"data_set", c.data_set},
          {"parameters", c.parameters}};
}

Json GraphToJson(const Graph& graph) {
  Json regions = Json::array();
  for (const Region& region : graph.regions) {
    Json blocks = Json::array();
    for (const Block& block : region.blocks) {
      Json tensors = Json::array();
      for (const GraphTensor& tensor : block.tensors) {
        Json item = {{"name", tensor.name}, {"dtype", Name(tensor.dtype)}, {"shape", tensor.shape}};
        for (size_t i = 0; i < tensor.symbols.size(); ++i) {
          if (!tensor.symbols[i].empty()) item["shape"][i] = tensor.symbols[i];
        }
        if (tensor.values != nullptr) item["values"] = InputFile(tensor.name);
        tensors.push_back(std::move(item));
      }
      Json operators = Json::array();
      for (const GraphOperator& op : block.operators) {
        Json attributes = Json::object();
        for (const auto& [name, value] : op.attributes) attributes[name] = AttributeToJson(value);
        operators.push_back({{"operator", op.op},
                             {"inputs", op.inputs},
                             {"outputs", op.outputs},
                             {"attributes", std::move(attributes)}});
      }
      blocks.push_back({{"name", block.name},
                        {"inputs", block.inputs},
                        {"outputs", block.outputs},
                        {"tensors", std::move(tensors)},
                        {"operators", std::move(operators)}});
    }
    regions.push_back({{"name", region.name}, {"blocks", std::move(blocks)}});
  }
  return {{"regions", std::move(regions)}};
}

std::vector<BundleFile> EncodeCase(const Case& c) {
  assert(c.outcome == Outcome::kValid || c.outcome == Outcome::kError ||
         (c.outcome == Outcome::kSealed && c.outputs.empty()));
  std::vector<BundleFile> files;
  // "inputs" and, of a valid case, "outputs" of every execution.
  std::vector<Json> executions;
  for (const ExecutionInputs& given : c.InputsOfExecutions()) {
    const int execution = static_cast<int>(executions.size());
    Json& json = executions.emplace_back(Json{{"inputs", Json::object()}});
    if (given.binding != nullptr) json["binding"] = *given.binding;
    for (const auto& [name, value] : *given) {
      const std::string file = InputFile(ResultName(name, execution));
      json["inputs"][name] = file;
      files.push_back({file, Encode(value)});
    }
    if (c.outcome == Outcome::kValid) json["outputs"] = Json::array();
  }
  for (const Region& region : c.graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (tensor.values == nullptr) continue;
        files.push_back({InputFile(tensor.name), Encode(*tensor.values)});
      }
    }
  }
  Json json = CaseHeadToJson(c);
  json["format"] = "tensor-cts-case-1";
  json["graph"] = GraphToJson(c.graph);
  json["outcome"] = Name(c.outcome);
  if (c.outcome == Outcome::kError) json["condition"] = c.condition;
  if (c.outcome == Outcome::kValid && !c.disputed.empty()) json["disputed"] = c.disputed;
  for (const ExpectedOutput& output : c.outputs) {
    Json answers = Json::array();
    for (const Answer& answer : output.answers) {
      Json item = {{"flushed", answer.flushed}};
      const auto add = [&](std::string_view part, const Tensor& tensor) {
        const std::string file = AnswerFile(output, answer, part);
        item[std::string(part)] = file;
        files.push_back({file, Encode(tensor)});
      };
      add("expected", answer.expected);
      if (answer.bound) add("bound", *answer.bound);
      if (answer.upper) add("upper", *answer.upper);
      answers.push_back(std::move(item));
    }
    Json item = {{"name", output.name},
                 {"dtype", Name(output.dtype)},
                 {"shape", output.shape},
                 {"rule", RuleToJson(output.rule)},
                 {"answers", std::move(answers)}};
    if (output.flushing && !output.answers.empty()) {
      item["flushing"] = {{"kept", TypesToJson(output.flushing->kept)},
                          {"flushed", TypesToJson(output.flushing->flushed)},
                          {"all_or_none", output.flushing->all_or_none}};
      if (output.flushing->moved) item["flushing"]["moved"] = true;
    }
    if (output.undisputed && !c.disputed.empty()) item["undisputed"] = true;
    executions[static_cast<size_t>(output.execution)]["outputs"].push_back(std::move(item));
  }
  json.update(executions.front());
  for (size_t i = 1; i < executions.size(); ++i) {
    json["later_executions"].push_back(std::move(executions[i]));
  }
  std::sort(files.begin(), files.end(),
            [](const BundleFile& a, const BundleFile& b) { return a.path < b.path; });
  files.insert(files.begin(), {"case.json", FormatJson(json)});
  return files;
}

StatusOr<Case> ReadCase(std::string_view case_json, BundleSource& source) {
  return Reader(source, source.Describe("case.json"), /*inputs=*/true, /*answers=*/true)
      .Read(case_json);
}

StatusOr<Case> ReadCase(const std::filesystem::path& directory) {
  return ReadParts(directory, /*inputs=*/true, /*answers=*/true);
}

StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory) {
  return ReadParts(directory, /*inputs=*/true, /*answers=*/false);
}

StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory) {
  return ReadParts(directory, /*inputs=*/false, /*answers=*/false);
}

StatusOr<Graph> ReadGraph(const std::filesystem::path& file) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxCaseJson));
  Directory source(file.has_parent_path() ? file.parent_path() : ".");
  return ReadGraph(text, file.string(), source);
}

StatusOr<Graph> ReadGraph(std::string_view text, std::string_view origin, BundleSource& source) {
  CTS_ASSIGN_OR_RETURN(const JsonText json, JsonText::Read(text, "case/graph", origin));
  return Reader(source, std::string(origin), /*inputs=*/false, /*answers=*/false)
      .ReadGraph(json.root());
}

}  // namespace cts
