#include "reference/graph/case.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"

namespace cts {
namespace {

constexpr std::string_view kOutcomes[] = {"valid", "error", "unpredictable", "unsupported"};
constexpr std::string_view kRuleKinds[] = {"exact", "ulp", "absolute_bound", "dot_product",
                                           "interval"};

// Inverse of Name over an enumeration whose names stand in a table; the schema admits no others.
template <class Enum, size_t N>
Enum Parse(const std::string_view (&names)[N], const std::string& name) {
  return static_cast<Enum>(std::find(names, names + N, name) - names);
}

// What CONST_SHAPE of an empty list yields: the one tensor that may have no element.
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

std::string InputFile(const std::string& tensor) { return tensor + ".npy"; }
std::string AnswerFile(const ExpectedOutput& output, const Answer& answer, std::string_view part) {
  const std::string name = ResultName(output);
  if (!answer.flushed) return StrCat(part, "/", name, ".npy");
  return StrCat("flushed/", name, part == "expected" ? "" : StrCat(".", part), ".npy");
}

Json AttributeToJson(const AttributeValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    return {{"float", DoubleToJson(*number)}};
  }
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json RuleToJson(const Rule& rule) {
  Json json = {{"kind", Name(rule.kind)}, {"form", rule.form}, {"clause", rule.clause}};
  switch (rule.kind) {
    case RuleKind::kExact:
    case RuleKind::kAbsoluteBound:
      json["zero_sign"] = rule.zero_sign;
      break;
    case RuleKind::kUlp:
      json["ulp"] = rule.ulp;
      break;
    case RuleKind::kDotProduct:
      json["kernel_size"] = rule.kernel_size;
      json["ksb"] = rule.ksb;
      json["data_set"] = rule.data_set;
      json["absolute_limit"] = rule.absolute_limit;
      if (rule.variance_limit) json["variance_limit"] = *rule.variance_limit;
      if (rule.bias_limit) json["bias_limit"] = *rule.bias_limit;
      break;
    case RuleKind::kInterval:
      json["zero_sign"] = rule.zero_sign;
      json["unsigned"] = rule.is_unsigned;
      break;
  }
  return json;
}

// Reads one bundle. The schema has been checked, so types of members are known; what it cannot say
// (references, sizes, files) is checked here.
class Reader {
 public:
  Reader(std::filesystem::path directory, bool inputs, bool answers)
      : directory_(std::move(directory)), read_inputs_(inputs), read_answers_(answers) {}

  StatusOr<Case> Read() {
    CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(directory_ / "case.json", "case"));
    Case c;
    c.id = json["id"].get<std::string>();
    c.edition = json["edition"].get<std::string>();
    c.level = json["level"].get<std::string>();
    c.op = json["operator"].get<std::string>();
    c.mode = json["mode"].get<std::string>();
    c.types = json["types"].get<std::map<std::string, std::string>>();
    c.profiles = json["profiles"].get<std::vector<std::vector<std::string>>>();
    c.data_set = json["data_set"].get<std::string>();
    c.parameters = json["parameters"].get<std::map<std::string, std::string>>();
    c.outcome = Parse<Outcome>(kOutcomes, json["outcome"].get<std::string>());
    for (const Json& region : json["graph"]["regions"]) {
      c.graph.regions.push_back({region["name"].get<std::string>(), {}});
      for (const Json& item : region["blocks"]) {
        CTS_ASSIGN_OR_RETURN(Block block, ReadBlock(item));
        c.graph.regions.back().blocks.push_back(std::move(block));
      }
    }
    if (c.outcome == Outcome::kError) {
      if (!json.contains("condition")) {
        return Bad("/condition", "an error case names the condition that it breaks");
      }
      c.condition = json["condition"].get<std::string>();
    } else if (json.contains("condition")) {
      return Bad("/condition", "a valid case breaks no condition");
    }
    CTS_RETURN_IF_ERROR(CheckInterface(c));
    CTS_RETURN_IF_ERROR(ReadExecution(json, "", c, c.inputs));
    const Json later = json.value("later_executions", Json::array());
    for (size_t i = 0; i < later.size(); ++i) {
      c.later_inputs.emplace_back();
      CTS_RETURN_IF_ERROR(
          ReadExecution(later[i], StrCat("/later_executions/", i), c, c.later_inputs.back()));
    }
    return c;
  }

 private:
  template <class... Args>
  Status Bad(const std::string& place, const Args&... args) const {
    return InvalidArgument((directory_ / "case.json").string(), ": ", place, ": ", args...);
  }

  StatusOr<int64_t> ReadInteger(const Json& json, const std::string& place) const {
    if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX}) {
      return Bad(place, "found ", json.dump(), ", expected at most 2^63 - 1");
    }
    return json.get<int64_t>();
  }

  StatusOr<std::vector<int64_t>> ReadIntegers(const Json& json, const std::string& place) const {
    std::vector<int64_t> values;
    for (const Json& item : json) {
      CTS_ASSIGN_OR_RETURN(const int64_t value, ReadInteger(item, place));
      values.push_back(value);
    }
    return values;
  }

  StatusOr<Tensor> ReadTensor(const std::string& file, DType dtype, const Shape& shape) const {
    auto path = PathInside(directory_, file);
    if (!path.ok()) return Annotate(path.status(), (directory_ / "case.json").string());
    if (!IsEmptyShape(dtype, shape)) {
      // Before the reader multiplies: a Tensor cannot have such a shape.
      auto count = CheckedElementCount(shape);
      if (!count.ok()) return Annotate(count.status(), path->string());
      return ReadNpy(*path, dtype, shape);
    }
    CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(*path));
    if (bytes != EmptyShapeNpy()) {
      return InvalidArgument(path->string(), ": expected <i8 of shape (0,), as NumPy writes it");
    }
    return Tensor(dtype, shape);
  }

  StatusOr<Block> ReadBlock(const Json& json) {
    Block block;
    block.name = json["name"].get<std::string>();
    block.inputs = json["inputs"].get<std::vector<std::string>>();
    block.outputs = json["outputs"].get<std::vector<std::string>>();
    const std::string place = StrCat("block \"", block.name, "\"");
    for (const Json& item : json["tensors"]) {
      GraphTensor tensor;
      tensor.name = item["name"].get<std::string>();
      const std::string tensor_place = StrCat(place, ", tensor \"", tensor.name, "\"");
      // Unique in the whole graph, since a constant's file is named after it.
      if (!tensor_names_.insert(tensor.name).second) {
        return Bad(tensor_place, "declared twice; expected a name of its own");
      }
      tensor.dtype = *ParseDType(item["dtype"].get<std::string>());
      CTS_ASSIGN_OR_RETURN(tensor.shape, ReadIntegers(item["shape"], tensor_place));
      if (item.contains("values")) {
        CTS_ASSIGN_OR_RETURN(Tensor values, ReadTensor(item["values"].get<std::string>(),
                                                       tensor.dtype, tensor.shape));
        tensor.values = std::make_shared<const Tensor>(std::move(values));
      }
      block.tensors.push_back(std::move(tensor));
    }
    for (const Json& item : json["operators"]) {
      CTS_ASSIGN_OR_RETURN(
          GraphOperator op,
          ReadOperator(item, block, StrCat(place, ", operator ", block.operators.size())));
      block.operators.push_back(std::move(op));
    }
    CTS_RETURN_IF_ERROR(CheckNames(block, block.inputs, StrCat(place, ", inputs")));
    CTS_RETURN_IF_ERROR(CheckNames(block, block.outputs, StrCat(place, ", outputs")));
    return block;
  }

  StatusOr<GraphOperator> ReadOperator(const Json& json, const Block& block,
                                       const std::string& where) const {
    GraphOperator op;
    op.op = json["operator"].get<std::string>();
    op.inputs = json["inputs"].get<std::vector<std::string>>();
    op.outputs = json["outputs"].get<std::vector<std::string>>();
    const std::string place = StrCat(where, " (", op.op, ")");
    CTS_RETURN_IF_ERROR(CheckNames(block, op.inputs, StrCat(place, ", inputs")));
    CTS_RETURN_IF_ERROR(CheckNames(block, op.outputs, StrCat(place, ", outputs")));
    for (const auto& [name, value] : json["attributes"].items()) {
      const std::string attribute = StrCat(place, ", attribute \"", name, "\"");
      if (value.is_boolean()) {
        op.attributes[name] = value.get<bool>();
      } else if (value.is_string()) {
        op.attributes[name] = value.get<std::string>();
      } else if (value.is_array()) {
        CTS_ASSIGN_OR_RETURN(op.attributes[name], ReadIntegers(value, attribute));
      } else if (value.is_object()) {
        auto number = DoubleFromJson(value["float"]);
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
  Status ReadExecution(const Json& json, const std::string& place, Case& c,
                       std::map<std::string, Tensor>& inputs) const {
    CTS_RETURN_IF_ERROR(ReadInputs(json["inputs"], place + "/inputs", c, inputs));
    if (c.outcome != Outcome::kError) {
      return ReadOutputs(json.value("outputs", Json::array()), place + "/outputs", c);
    }
    if (json.contains("outputs")) return Bad(place + "/outputs", "an error case has no outputs");
    return absl::OkStatus();
  }

  Status ReadInputs(const Json& json, const std::string& place, const Case& c,
                    std::map<std::string, Tensor>& inputs) const {
    const Block& block = c.graph.main();
    for (const auto& [name, file] : json.items()) {
      if (std::find(block.inputs.begin(), block.inputs.end(), name) == block.inputs.end()) {
        return Bad(place, "\"", name, "\" is no input of block \"", block.name, "\"");
      }
    }
    for (const std::string& name : block.inputs) {
      const GraphTensor& tensor = *block.Find(name);
      if (!json.contains(name)) {
        // What an error case breaks may be the very shape of an input: no file can have a
        // dimension below 1.
        if (c.outcome == Outcome::kError) continue;
        return Bad(place, "no file for input \"", name, "\"");
      }
      if (!read_inputs_) continue;
      CTS_ASSIGN_OR_RETURN(Tensor value,
                           ReadTensor(json[name].get<std::string>(), tensor.dtype, tensor.shape));
      inputs.emplace(name, std::move(value));
    }
    return absl::OkStatus();
  }

  StatusOr<Rule> ReadRule(const Json& json, const std::string& place) const {
    Rule rule;
    rule.kind = Parse<RuleKind>(kRuleKinds, json["kind"].get<std::string>());
    rule.form = json["form"].get<std::string>();
    rule.clause = json["clause"].get<std::string>();
    std::vector<std::string> needed;
    if (rule.kind == RuleKind::kUlp) needed = {"ulp"};
    if (rule.kind == RuleKind::kDotProduct) needed = {"kernel_size", "ksb", "absolute_limit"};
    for (const std::string& member : needed) {
      if (!json.contains(member)) {
        return Bad(place, "rule ", Name(rule.kind), ": no \"", member, "\"");
      }
    }
    rule.zero_sign = json.value("zero_sign", rule.zero_sign);
    rule.is_unsigned = json.value("unsigned", rule.is_unsigned);
    rule.ulp = json.value("ulp", rule.ulp);
    if (json.contains("kernel_size")) {
      CTS_ASSIGN_OR_RETURN(rule.kernel_size, ReadInteger(json["kernel_size"], place));
    }
    if (json.contains("ksb")) {
      CTS_ASSIGN_OR_RETURN(rule.ksb, ReadInteger(json["ksb"], place));
    }
    rule.data_set = json.value("data_set", rule.data_set);
    rule.absolute_limit = json.value("absolute_limit", rule.absolute_limit);
    if (json.contains("variance_limit")) rule.variance_limit = json["variance_limit"].get<double>();
    if (json.contains("bias_limit")) rule.bias_limit = json["bias_limit"].get<double>();
    return rule;
  }

  StatusOr<Answer> ReadAnswer(const Json& json, const ExpectedOutput& output,
                              const std::string& place) const {
    const RuleKind kind = output.rule.kind;
    const bool bound = kind == RuleKind::kAbsoluteBound || kind == RuleKind::kDotProduct;
    const bool upper = kind == RuleKind::kInterval;
    for (const auto& [member, wanted] : {std::pair("bound", bound), std::pair("upper", upper)}) {
      if (json.contains(member) != wanted) {
        return Bad(place, "rule ", Name(kind), ": expected ", wanted ? "a" : "no", " \"", member,
                   "\"");
      }
    }
    const DType dtype = AnswerType(output.dtype);
    CTS_ASSIGN_OR_RETURN(Tensor expected,
                         ReadTensor(json["expected"].get<std::string>(), dtype, output.shape));
    Answer answer{json["flushed"].get<bool>(), std::move(expected), {}, {}};
    if (bound) {
      CTS_ASSIGN_OR_RETURN(answer.bound,
                           ReadTensor(json["bound"].get<std::string>(), dtype, output.shape));
    }
    if (upper) {
      CTS_ASSIGN_OR_RETURN(answer.upper,
                           ReadTensor(json["upper"].get<std::string>(), dtype, output.shape));
    }
    return answer;
  }

  Status ReadOutputs(const Json& json, const std::string& outputs, Case& c) const {
    const Block& block = c.graph.main();
    if (json.size() != block.outputs.size()) {
      return Bad(outputs, "found ", json.size(), ", expected one for each of the ",
                 block.outputs.size(), " outputs of the graph");
    }
    for (size_t i = 0; i < json.size(); ++i) {
      const std::string place = StrCat(outputs, "/", i);
      ExpectedOutput output;
      output.execution = static_cast<int>(c.later_inputs.size());
      output.name = json[i]["name"].get<std::string>();
      output.dtype = *ParseDType(json[i]["dtype"].get<std::string>());
      CTS_ASSIGN_OR_RETURN(output.shape, ReadIntegers(json[i]["shape"], place));
      if (output.name != block.outputs[i]) {
        return Bad(place, "found \"", output.name, "\", expected \"", block.outputs[i],
                   "\" as in the graph");
      }
      const GraphTensor& tensor = *block.Find(output.name);
      if (output.dtype != tensor.dtype || output.shape != tensor.shape) {
        return Bad(place, "found ", Name(output.dtype), ToString(output.shape), ", expected ",
                   Name(tensor.dtype), ToString(tensor.shape), " as in the graph");
      }
      CTS_ASSIGN_OR_RETURN(output.rule, ReadRule(json[i]["rule"], place));
      const Json& answers = json[i]["answers"];
      for (size_t k = 0; k < answers.size(); ++k) {
        if (answers[k]["flushed"].get<bool>() != (k == 1)) {
          return Bad(place, "answer ", k, ": expected \"flushed\": ", k == 1 ? "true" : "false",
                     "; the unflushed answer comes first");
        }
        if (!read_answers_) continue;
        CTS_ASSIGN_OR_RETURN(Answer answer,
                             ReadAnswer(answers[k], output, StrCat(place, "/answers/", k)));
        output.answers.push_back(std::move(answer));
      }
      c.outputs.push_back(std::move(output));
    }
    return absl::OkStatus();
  }

  const std::filesystem::path directory_;
  const bool read_inputs_, read_answers_;
  std::set<std::string> tensor_names_;
};

}  // namespace

std::string_view Name(Outcome outcome) { return kOutcomes[static_cast<int>(outcome)]; }
std::string_view Name(RuleKind kind) { return kRuleKinds[static_cast<int>(kind)]; }

std::string ResultName(std::string_view output, int execution) {
  return execution == 0 ? std::string(output) : StrCat(output, ".", execution);
}

std::vector<const std::map<std::string, Tensor>*> Case::InputsOfExecutions(int count) const {
  std::vector<const std::map<std::string, Tensor>*> all = {&inputs};
  for (const auto& later : later_inputs) all.push_back(&later);
  all.resize(static_cast<size_t>(std::min(count, executions())));
  return all;
}

Json GraphToJson(const Graph& graph) {
  Json regions = Json::array();
  for (const Region& region : graph.regions) {
    Json blocks = Json::array();
    for (const Block& block : region.blocks) {
      Json tensors = Json::array();
      for (const GraphTensor& tensor : block.tensors) {
        Json item = {{"name", tensor.name}, {"dtype", Name(tensor.dtype)}, {"shape", tensor.shape}};
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
  assert(c.outcome == Outcome::kValid || c.outcome == Outcome::kError);
  std::vector<BundleFile> files;
  // "inputs" and, of a valid case, "outputs" of every execution.
  std::vector<Json> executions;
  for (const auto* given : c.InputsOfExecutions()) {
    const int execution = static_cast<int>(executions.size());
    Json& json = executions.emplace_back(Json{{"inputs", Json::object()}});
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
  Json json = {{"format", "tensor-cts-case-1"},
               {"id", c.id},
               {"edition", c.edition},
               {"level", c.level},
               {"operator", c.op},
               {"mode", c.mode},
               {"types", c.types},
               {"profiles", c.profiles},
               {"data_set", c.data_set},
               {"parameters", c.parameters},
               {"graph", GraphToJson(c.graph)},
               {"outcome", Name(c.outcome)}};
  if (c.outcome == Outcome::kError) json["condition"] = c.condition;
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
    executions[static_cast<size_t>(output.execution)]["outputs"].push_back(
        {{"name", output.name},
         {"dtype", Name(output.dtype)},
         {"shape", output.shape},
         {"rule", RuleToJson(output.rule)},
         {"answers", std::move(answers)}});
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

StatusOr<Case> ReadCase(const std::filesystem::path& directory) {
  return Reader(directory, /*inputs=*/true, /*answers=*/true).Read();
}

StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory) {
  return Reader(directory, /*inputs=*/true, /*answers=*/false).Read();
}

StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory) {
  return Reader(directory, /*inputs=*/false, /*answers=*/false).Read();
}

}  // namespace cts
