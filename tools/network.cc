#include "tools/network.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "checker/printable.h"
#include "generator/partial_suite.h"
#include "reference/base/file.h"
#include "reference/base/npy.h"
#include "reference/graph/bundle.h"
#include "reference/graph/evaluate.h"
#include "reference/graph/mlir_parse.h"
#include "reference/graph/tosa_flatbuffer.h"
#include "tools/import.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name) {
  if (const Level* level = edition.FindLevel(name)) return level;
  return NotFound("edition ", edition.id, ": found level '", Printable(name), "', which it lacks");
}

bool IsVariable(const GraphOperator& op) {
  return op.op == "VARIABLE" || op.op == "VARIABLE_READ" || op.op == "VARIABLE_WRITE";
}

bool IsConstant(const GraphOperator& op) { return op.op == "CONST" || op.op == "CONST_SHAPE"; }

// A graph of one operator of the main block, with the constants that it reads.
Graph TakeOut(const Graph& graph, const GraphOperator& op) {
  Graph alone = EmptyGraph();
  // The graphs of control flow.
  alone.regions.insert(alone.regions.end(), graph.regions.begin() + 1, graph.regions.end());
  alone.regions.front().name = graph.regions.front().name;
  const Block& from = graph.main();
  Block& to = alone.main();
  to.name = from.name;
  std::set<std::string> seen;
  for (const std::string& name : op.inputs) {
    if (!seen.insert(name).second) continue;
    to.tensors.push_back(*from.Find(name));
    if (to.tensors.back().values == nullptr) {
      to.inputs.push_back(name);
      continue;
    }
    for (const GraphOperator& maker : from.operators) {
      if (IsConstant(maker) && maker.outputs == std::vector<std::string>{name}) {
        to.operators.push_back(maker);
      }
    }
  }
  for (const std::string& name : op.outputs) {
    to.tensors.push_back(*from.Find(name));
    to.outputs.push_back(name);
  }
  to.operators.push_back(op);
  return alone;
}

// What is read of one execution.
class Execution {
 public:
  Execution(const Case& c, const Edition& edition, const Level& level, int k,
            const ReadIntermediate& read)
      : case_(c),
        edition_(edition),
        level_(level),
        k_(k),
        inputs_(*c.InputsOfExecutions()[static_cast<size_t>(k)]),
        read_(read) {}

  StatusOr<OperatorVerdict> Judge(const GraphOperator& op, OperatorVerdict verdict) {
    using Kind = OperatorVerdict::Kind;
    const auto say = [&verdict](Kind kind, std::string message) {
      verdict.kind = kind;
      verdict.message = std::move(message);
      return verdict;
    };
    if (IsVariable(op)) return say(Kind::kNotJudged, "what a variable holds is not handed over");
    const Graph alone = TakeOut(case_.graph, op);
    std::map<std::string, Tensor> inputs;
    for (const std::string& name : alone.main().inputs) {
      StatusOr<Tensor> value = ValueOf(*alone.main().Find(name));
      if (absl::IsNotFound(value.status())) {
        return say(Kind::kMissing, StrCat("its input ", name, " was not handed over"));
      }
      CTS_RETURN_IF_ERROR(value.status());
      inputs.emplace(name, *std::move(value));
    }
    // Results first: the reference need not compute what nobody can compare.
    std::vector<Tensor> results;
    for (const std::string& name : op.outputs) {
      StatusOr<Tensor> result = ValueOf(*alone.main().Find(name));
      if (absl::IsNotFound(result.status())) {
        return say(Kind::kMissing, StrCat("its result ", name, " was not handed over"));
      }
      CTS_RETURN_IF_ERROR(result.status());
      results.push_back(*std::move(result));
    }
    const StatusOr<Evaluation> evaluation = Evaluate(alone, inputs, edition_, level_);
    if (!evaluation.ok()) return say(Kind::kNotJudged, Message(evaluation.status()));
    if (evaluation->outcome != Outcome::kValid) {
      return say(Kind::kNotJudged,
                 evaluation->violations.empty()
                     ? evaluation->message
                     : StrCat("with these inputs it is ", Name(evaluation->outcome), ": ",
                              evaluation->violations.front().message));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const OutputReport report = JudgeTensor(evaluation->outputs[i], results[i]);
      if (report.verdict != Verdict::kPass) {
        return say(Kind::kFail, StrCat(report.message, " (", report.rule.clause, ")"));
      }
    }
    return verdict;
  }

 private:
  StatusOr<Tensor> ValueOf(const GraphTensor& tensor) const {
    if (const auto given = inputs_.find(tensor.name); given != inputs_.end()) return given->second;
    return read_(tensor, k_);
  }

  const Case& case_;
  const Edition& edition_;
  const Level& level_;
  const int k_;
  const std::map<std::string, Tensor>& inputs_;
  const ReadIntermediate& read_;
};

}  // namespace

StatusOr<Case> CaseOfNetwork(const Network& network) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(network.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevel(*edition, network.level));
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation,
                       Evaluate(network.graph, network.inputs, *edition, *level));
  if (evaluation.outcome == Outcome::kError || evaluation.outcome == Outcome::kUnpredictable) {
    const Violation& first = evaluation.violations.front();
    return InvalidArgument(evaluation.outcome == Outcome::kError
                               ? "the graph is illegal: "
                               : "the graph is unpredictable with these inputs: ",
                           first.op, ": ", first.message, " (", first.condition, ")");
  }
  const Block& block = network.graph.main();
  Case c;
  c.id = network.id;
  c.edition = network.edition;
  c.level = network.level;
  c.op = "NETWORK";
  c.mode = "network";
  c.data_set = "given";
  c.parameters["operators"] =
      std::to_string(std::count_if(block.operators.begin(), block.operators.end(),
                                   [](const GraphOperator& op) { return !IsConstant(op); }));
  c.graph = network.graph;
  c.inputs = network.inputs;
  c.outputs = std::move(evaluation.outputs);
  if (evaluation.outcome == Outcome::kUnsupported) {
    // The reference has stopped there: who goes on from one value finds what is wrong behind it.
    CTS_ASSIGN_OR_RETURN(const NativeResult native,
                         ExecuteNative(network.graph, network.inputs, *edition, *level));
    if (native.outcome == Outcome::kError || native.outcome == Outcome::kUnpredictable) {
      return InvalidArgument("the graph is ",
                             native.outcome == Outcome::kError
                                 ? "illegal: "
                                 : "unpredictable, as the embedded implementation runs it: ",
                             native.message);
    }
    c.parameters["checked"] = "outcome and shapes only";
    c.outputs.clear();
    for (const std::string& name : block.outputs) {
      const GraphTensor& tensor = *block.Find(name);
      c.outputs.push_back({name,
                           tensor.dtype,
                           tensor.shape,
                           Rule{.kind = RuleKind::kUnchecked,
                                .form = edition->id,
                                .clause = StrCat("no one answer: ", evaluation.message)},
                           {}});
    }
  }
  return c;
}

namespace {

// "main" of a file and the names that tensors have there, where these are other ones.
StatusOr<TosaFile> ReadNetwork(const fs::path& file, const Edition& edition) {
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file, kMaxTosaBytes));
  const std::string origin = file.string();
  if (file.extension() == ".tosa") {
    if (edition.id != "tosa-1.0") {
      return InvalidArgument(origin, ": a .tosa file is of tosa-1.0, expected no other --edition");
    }
    return DecodeTosa(bytes, origin);
  }
  CTS_ASSIGN_OR_RETURN(Graph graph, ParseMlir(bytes, edition, origin));
  // A made-up name could be taken for that of another input.
  for (const std::string& name : graph.main().inputs) {
    bool stands_there = false;
    for (size_t at = bytes.find("%" + name); at != bytes.npos && !stands_there;
         at = bytes.find("%" + name, at + 1)) {
      const size_t end = at + 1 + name.size();
      const unsigned char next = end < bytes.size() ? static_cast<unsigned char>(bytes[end]) : ' ';
      stands_there =
          std::isalnum(next) == 0 && next != '_' && next != '$' && next != '.' && next != '-';
    }
    if (stands_there) continue;
    return InvalidArgument(origin, ": an argument of the function has no name of letters, digits ",
                           "and '_': found none called %", name, "; name every argument so");
  }
  return TosaFile{edition.version, std::move(graph), {}};
}

// "x: i8[1, 4]" for every input of a block.
std::string Describe(const Block& block) {
  std::string text;
  for (const std::string& name : block.inputs) {
    const GraphTensor& tensor = *block.Find(name);
    text +=
        StrCat(text.empty() ? "" : ", ", name, ": ", Name(tensor.dtype), ToString(tensor.shape));
  }
  return text.empty() ? "none" : text;
}

StatusOr<std::map<std::string, Tensor>> ReadInputs(const NetworkOptions& options,
                                                   const TosaFile& network) {
  const Block& block = network.graph.main();
  std::map<std::string, Tensor> inputs;
  for (const std::string& given : options.inputs) {
    const size_t end = given.find('=');
    std::string name = given.substr(0, end);
    if (const auto renamed = network.renamed.find(name); renamed != network.renamed.end()) {
      name = renamed->second;
    }
    const bool known =
        std::find(block.inputs.begin(), block.inputs.end(), name) != block.inputs.end();
    if (end == std::string::npos || !known) {
      return InvalidArgument("--input: found \"", Shortened(Printable(given), 200),
                             "\", expected NAME=FILE.npy for an input of ", options.file.string(),
                             ": ", Describe(block));
    }
    const GraphTensor& tensor = *block.Find(name);
    CTS_ASSIGN_OR_RETURN(Tensor value, ReadNpy(given.substr(end + 1), tensor.dtype, tensor.shape));
    if (!inputs.emplace(name, std::move(value)).second) {
      return InvalidArgument("--input: found ", name, " twice, expected every input once");
    }
  }
  for (const std::string& name : block.inputs) {
    if (inputs.count(name) > 0) continue;
    return InvalidArgument(options.file.string(), ": input ", name,
                           " has no values: give --input NAME=FILE.npy for each of ",
                           Describe(block));
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

StatusOr<Suite> ImportNetwork(const NetworkOptions& options) {
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
  CTS_ASSIGN_OR_RETURN(TosaFile file, ReadNetwork(options.file, *edition));
  CTS_ASSIGN_OR_RETURN(network.inputs, ReadInputs(options, file));
  network.graph = std::move(file.graph);
  StatusOr<Case> made = CaseOfNetwork(network);
  if (!made.ok()) return Annotate(made.status(), options.file.string());

  const std::vector<BundleFile> files = EncodeCase(*made);
  Suite suite;
  suite.name = "imported";
  suite.edition = options.edition;
  suite.level = options.level;
  suite.generator = "tensor-cts " CTS_VERSION;
  suite.recipe = "{}";
  PartialSuite partial;
  CTS_RETURN_IF_ERROR(partial.Open(options.out, suite, /*resume=*/false));
  suite.recipe.clear();
  suite.cases = {{network.id, made->op, "valid", BundleDigest(files), {}, {}, ""}};
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(partial.Write(suite.cases[0], files));
  CTS_RETURN_IF_ERROR(partial.MoveTo(options.out, suite));
  return suite;
}

StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevel(*edition, c.level));
  std::vector<OperatorVerdict> verdicts;
  for (int k = 0; k < c.executions(); ++k) {
    Execution execution(c, *edition, *level, k, read);
    const auto& operators = c.graph.main().operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      if (IsConstant(operators[i])) continue;
      std::string name = StrCat("operator ", i, " of the graph, ", operators[i].op);
      if (k > 0) name += StrCat(", execution ", k);
      CTS_ASSIGN_OR_RETURN(OperatorVerdict verdict,
                           execution.Judge(operators[i], {.op = std::move(name)}));
      verdicts.push_back(std::move(verdict));
    }
    for (const std::string& name : c.graph.main().outputs) {
      const bool made = std::any_of(operators.begin(), operators.end(), [&](const auto& op) {
        return !IsConstant(op) &&
               std::find(op.outputs.begin(), op.outputs.end(), name) != op.outputs.end();
      });
      if (made) continue;
      verdicts.push_back(
          {StrCat("output ", name), OperatorVerdict::Kind::kNotJudged, "no operator makes it"});
    }
  }
  return verdicts;
}

namespace {

// DIR/<id>/<tensor>.npy, or what stands in the results.
StatusOr<Tensor> ReadHandedOver(const Folder& directory, const Folder& results,
                                const std::string& id, const GraphTensor& tensor, int execution,
                                bool output) {
  const std::string name = StrCat(id, "/", ResultName(tensor.name, execution), ".npy");
  // An output is what the results say it is, whatever lies elsewhere.
  for (const Folder* folder : {output ? &results : &directory, &results}) {
    const uint64_t limit = MaxNpyBytes(ElementCount(tensor.shape));
    const StatusOr<std::string> bytes = folder->Read(name, limit);
    if (absl::IsNotFound(bytes.status())) continue;
    CTS_RETURN_IF_ERROR(bytes.status());
    StatusOr<Tensor> value = DecodeNpy(*bytes, tensor.dtype, tensor.shape);
    if (!value.ok()) return Annotate(value.status(), (folder->path() / name).string());
    return value;
  }
  return NotFound(name, ": was not handed over");
}

void ApplyToCase(const std::vector<OperatorVerdict>& verdicts, CaseReport* report,
                 std::string* note) {
  using Kind = OperatorVerdict::Kind;
  const auto count = [&](Kind kind) {
    return std::count_if(verdicts.begin(), verdicts.end(),
                         [kind](const OperatorVerdict& v) { return v.kind == kind; });
  };
  const auto first = [&](Kind kind) {
    return std::find_if(verdicts.begin(), verdicts.end(),
                        [kind](const OperatorVerdict& v) { return v.kind == kind; });
  };
  const auto of_all = StrCat(" of ", verdicts.size(), " operators");
  if (const auto failed = first(Kind::kFail); failed != verdicts.end()) {
    const std::string text = StrCat("the first operator to break its bound is ", failed->op, ": ",
                                    failed->message, "; ", count(Kind::kFail), of_all, " do");
    report->message = report->message.empty() ? text : StrCat(report->message, "; ", text);
    if (report->verdict == Verdict::kPass) report->verdict = Verdict::kFail;
    return;
  }
  const auto missing = first(Kind::kMissing), unknown = first(Kind::kNotJudged);
  if (missing == verdicts.end() && unknown == verdicts.end()) {
    if (report->verdict == Verdict::kPass) report->unchecked = false;
    *note = StrCat("all", of_all.substr(3), " were checked by what was handed over");
    return;
  }
  const auto& reason = missing != verdicts.end() ? *missing : *unknown;
  *note =
      StrCat(count(Kind::kPass), of_all, " were checked; not ", reason.op, ": ", reason.message);
}

}  // namespace

Status JudgeIntermediates(const fs::path& directory, Report* report) {
  CTS_ASSIGN_OR_RETURN(const Folder suite, Folder::Open(report->suite_path));
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(report->results_path));
  CTS_ASSIGN_OR_RETURN(const Folder handed, Folder::Open(directory));
  bool any = false;
  for (CaseReport& c : report->cases) {
    std::error_code error;
    if (!fs::is_directory(directory / c.id, error)) continue;
    any = true;
    if (c.outcome != Outcome::kValid || c.answered != "ok") continue;
    CTS_ASSIGN_OR_RETURN(const Case expected, ReadVerifiedCase(suite, *report->suite.Find(c.id)));
    CTS_ASSIGN_OR_RETURN(const std::vector<OperatorVerdict> verdicts,
                         JudgeOperators(expected, [&](const GraphTensor& tensor, int execution) {
                           const auto& outputs = expected.graph.main().outputs;
                           const bool output = std::find(outputs.begin(), outputs.end(),
                                                         tensor.name) != outputs.end();
                           return ReadHandedOver(handed, results, c.id, tensor, execution, output);
                         }));
    std::string note;
    ApplyToCase(verdicts, &c, &note);
    if (!note.empty()) {
      report->notes.push_back(StrCat(c.id, ": ", note));
    }
  }
  FindUnchecked(report);
  if (any) return absl::OkStatus();
  return NotFound(directory.string(), ": found no folder of a case, expected intermediate results ",
                  "in <case id>/<tensor>.npy, such as ",
                  report->cases.empty() ? "networks/mine" : report->cases.front().id);
}

}  // namespace cts
