#include "tools/exchange/network.h"

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "checker/across_cases.h"
#include "checker/printable.h"
#include "checker/report.h"
#include "generator/partial_suite.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/npy.h"
#include "reference/bundle/bundle.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"
#include "reference/formats/mlir_parse.h"
#include "reference/formats/tosa_flatbuffer.h"
#include "reference/graph/symbols.h"
#include "tools/ask/element_origin.h"
#include "tools/exchange/import.h"

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

// The graph with only those operators of the main block on which an output depends. Variables need
// nothing more: tensors order the reads and writes of a variable (graph.variable_order).
Graph DownTo(const Graph& graph, const std::string& output) {
  Graph part = graph;
  Block& block = part.main();
  std::set<std::string> wanted = {output};
  std::vector<GraphOperator> needed;
  for (auto op = block.operators.rbegin(); op != block.operators.rend(); ++op) {
    const bool makes = std::any_of(op->outputs.begin(), op->outputs.end(),
                                   [&](const std::string& name) { return wanted.contains(name); });
    if (!makes && op->op != "VARIABLE") continue;
    wanted.insert(op->inputs.begin(), op->inputs.end());
    needed.push_back(std::move(*op));
  }
  block.operators.assign(std::make_move_iterator(needed.rbegin()),
                         std::make_move_iterator(needed.rend()));
  block.outputs = {output};
  std::erase_if(block.inputs, [&](const std::string& name) { return !wanted.contains(name); });
  return part;
}

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
    // Results come first: the reference need not compute values that nobody can compare.
    std::vector<Tensor> results;
    for (const std::string& name : op.outputs) {
      StatusOr<Tensor> result = ValueOf(*alone.main().Find(name));
      if (absl::IsNotFound(result.status())) {
        return say(Kind::kMissing, StrCat("its result ", name, " was not handed over"));
      }
      CTS_RETURN_IF_ERROR(result.status());
      results.push_back(*std::move(result));
    }
    StatusOr<Evaluation> evaluation = Evaluate(alone, inputs, edition_, level_);
    if (!evaluation.ok()) return say(Kind::kNotJudged, Message(evaluation.status()));
    if (evaluation->outcome != Outcome::kValid) {
      return say(Kind::kNotJudged,
                 evaluation->violations.empty()
                     ? evaluation->message
                     : StrCat("with these inputs it is ", Name(evaluation->outcome), ": ",
                              evaluation->violations.front().message));
    }
    auto judged = std::make_shared<CheckedCase>();
    for (size_t i = 0; i < results.size(); ++i) {
      CheckedCase::Output& output = judged->outputs.emplace_back();
      judged->report.outputs.push_back(
          JudgeTensor(evaluation->outputs[i], results[i], &output.answer));
      output.result = std::move(results[i]);
      const OutputReport& report = judged->report.outputs.back();
      verdict.outputs.push_back(report);
      if (report.verdict == Verdict::kPass || verdict.kind == Kind::kFail) continue;
      say(Kind::kFail, StrCat(report.message, " (", report.rule.clause, ")"));
    }
    if (verdict.kind != Kind::kFail) return verdict;
    judged->expected.edition = case_.edition;
    judged->expected.level = case_.level;
    judged->expected.graph = alone;
    judged->expected.inputs = std::move(inputs);
    judged->expected.outputs = std::move(evaluation->outputs);
    verdict.failure = std::move(judged);
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

Status Refusal(const Evaluation& evaluation) {
  if (evaluation.outcome == Outcome::kValid || evaluation.outcome == Outcome::kUnsupported) {
    return absl::OkStatus();
  }
  const Violation& first = evaluation.violations.front();
  return InvalidArgument(evaluation.outcome == Outcome::kError
                             ? "the graph is illegal: "
                             : "the graph is unpredictable with these inputs: ",
                         first.op, ": ", first.message, " (", first.condition, ")");
}

}  // namespace

StatusOr<Case> CaseOfNetwork(const Network& network) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(network.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevel(*edition, network.level));
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation,
                       Evaluate(network.graph, network.inputs, *edition, *level));
  CTS_RETURN_IF_ERROR(Refusal(evaluation));
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
    // The reference stopped there. An execution that goes on from one accepted value finds faults
    // behind it.
    CTS_ASSIGN_OR_RETURN(const NativeResult native,
                         ExecuteNative(network.graph, network.inputs, *edition, *level));
    if (native.outcome == Outcome::kError || native.outcome == Outcome::kUnpredictable) {
      return InvalidArgument("the graph is ",
                             native.outcome == Outcome::kError
                                 ? "illegal: "
                                 : "unpredictable, as the embedded implementation runs it: ",
                             native.message);
    }
    c.outputs.clear();
    size_t decided = 0;
    for (const std::string& name : block.outputs) {
      const GraphTensor& tensor = *block.Find(name);
      // A tensor that does not depend on the operator at which the reference stopped has an answer.
      CTS_ASSIGN_OR_RETURN(Evaluation part,
                           Evaluate(DownTo(network.graph, name), network.inputs, *edition, *level));
      CTS_RETURN_IF_ERROR(Refusal(part));
      if (part.outcome == Outcome::kValid) {
        c.outputs.push_back(std::move(part.outputs[0]));
        ++decided;
        continue;
      }
      // The message names the tensor; positions in the part are not those in the graph.
      std::string why = part.message;
      if (const size_t at = why.find(" (operator "); at != why.npos) {
        const size_t end = why.find_first_not_of("0123456789", at + 11);
        if (end != why.npos && why[end] == ')') why.erase(at, end + 1 - at);
      }
      c.outputs.push_back({name,
                           tensor.dtype,
                           tensor.shape,
                           Rule{.kind = RuleKind::kUnchecked,
                                .form = edition->id,
                                .clause = StrCat("no one answer: ", why)},
                           {}});
    }
    c.parameters["checked"] =
        decided == 0 ? std::string("outcome and shapes only")
                     : StrCat("values of ", decided, " of ", c.outputs.size(), " outputs");
  }
  return c;
}

namespace {

// "main" of a file and the names that tensors have there, if they differ.
StatusOr<TosaFile> ReadNetwork(const fs::path& file, const Edition& edition) {
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file, kMaxTosaBytes));
  const std::string origin = file.string();
  if (file.extension() == ".tosa") {
    if (!edition.Has(Feature::kTosaFiles)) {
      return InvalidArgument(origin, ": a .tosa file is of ", EditionsThatHave(Feature::kTosaFiles),
                             ", expected no other --edition");
    }
    return DecodeTosa(bytes, origin);
  }
  TosaFile network{edition.version, {}, {}};
  CTS_ASSIGN_OR_RETURN(network.graph, ParseMlir(bytes, edition, origin, &network.renamed));
  return network;
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

// The input that a name means, in the file or else in the case; null if none.
const std::string* FindInput(const TosaFile& network, const std::string& name) {
  const auto renamed = network.renamed.find(name);
  const std::vector<std::string>& inputs = network.graph.main().inputs;
  const auto found = std::find(inputs.begin(), inputs.end(),
                               renamed == network.renamed.end() ? name : renamed->second);
  if (found != inputs.end()) return &*found;
  // As MLIR writes it.
  return name.starts_with('%') ? FindInput(network, name.substr(1)) : nullptr;
}

StatusOr<std::map<std::string, Tensor>> ReadInputs(const NetworkOptions& options,
                                                   const TosaFile& network) {
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
    CTS_ASSIGN_OR_RETURN(Tensor value, ReadNpy(given.substr(end + 1), tensor.dtype, tensor.shape));
    if (!inputs.emplace(name, std::move(value)).second) {
      return InvalidArgument("--input: found ", Describe(network, name),
                             " twice, expected every input once");
    }
  }
  for (const std::string& name : block.inputs) {
    if (inputs.count(name) > 0) continue;
    return InvalidArgument(options.file.string(), ": input ", Describe(network, name),
                           " has no values: give --input NAME=FILE.npy for each of ",
                           DescribeInputs(network));
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
  if (IsSymbolic(c.graph)) {
    // The tensors that are handed over have other shapes than the program, and index values are not
    // handed over at all.
    for (size_t i = 0; i < c.graph.main().operators.size(); ++i) {
      const GraphOperator& op = c.graph.main().operators[i];
      if (IsConstant(op)) continue;
      verdicts.push_back({.op = StrCat("operator ", i, " of the graph, ", op.op),
                          .position = i,
                          .kind = OperatorVerdict::Kind::kNotJudged,
                          .message = "it stands in a symbolic program"});
    }
    return verdicts;
  }
  bool failed = false;
  for (int k = 0; k < c.executions(); ++k) {
    Execution execution(c, *edition, *level, k, read);
    const auto& operators = c.graph.main().operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      if (IsConstant(operators[i])) continue;
      std::string name = StrCat("operator ", i, " of the graph, ", operators[i].op);
      if (k > 0) name += StrCat(", execution ", k);
      CTS_ASSIGN_OR_RETURN(OperatorVerdict verdict,
                           execution.Judge(operators[i], {.op = std::move(name), .position = i}));
      if (std::exchange(failed, failed || verdict.failure != nullptr)) verdict.failure = nullptr;
      verdicts.push_back(std::move(verdict));
    }
    for (const std::string& name : c.graph.main().outputs) {
      const bool made = std::any_of(operators.begin(), operators.end(), [&](const auto& op) {
        return !IsConstant(op) && Contains(op.outputs, name);
      });
      // A constant that is an output: the check has compared it already.
      const bool checked = std::any_of(c.outputs.begin(), c.outputs.end(), [&](const auto& output) {
        return output.name == name && output.execution == k &&
               output.rule.kind != RuleKind::kUnchecked;
      });
      if (made || checked) continue;
      verdicts.push_back({.op = StrCat("output ", name),
                          .kind = OperatorVerdict::Kind::kNotJudged,
                          .message = "no operator makes it"});
    }
  }
  return verdicts;
}

namespace {

StatusOr<Tensor> ReadHandedOver(const Folder& folder, const std::string& id,
                                const GraphTensor& tensor, int execution) {
  const std::string name = StrCat(id, "/", ResultName(tensor.name, execution), ".npy");
  CTS_ASSIGN_OR_RETURN(const std::string bytes,
                       folder.Read(name, MaxNpyBytes(ElementCount(tensor.shape))));
  StatusOr<Tensor> value = DecodeNpy(bytes, tensor.dtype, tensor.shape);
  if (!value.ok()) return Annotate(value.status(), (folder.path() / name).string());
  return value;
}

using Kind = OperatorVerdict::Kind;

size_t Count(const std::vector<OperatorVerdict>& verdicts, Kind kind) {
  return static_cast<size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [kind](const OperatorVerdict& v) { return v.kind == kind; }));
}

const OperatorVerdict* First(const std::vector<OperatorVerdict>& verdicts, Kind kind) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                  [kind](const OperatorVerdict& v) { return v.kind == kind; });
  return found == verdicts.end() ? nullptr : &*found;
}

// An output that depends on an operator that failed has not been checked.
void FailOutput(const Graph& graph, const std::string& name,
                const std::vector<OperatorVerdict>& verdicts, OutputReport* output) {
  const std::vector<GraphOperator> needed = DownTo(graph, name).main().operators;
  for (const OperatorVerdict& verdict : verdicts) {
    if (verdict.kind != Kind::kFail) continue;
    const std::vector<std::string>& made = graph.main().operators[verdict.position].outputs;
    const bool on_the_way = std::any_of(needed.begin(), needed.end(),
                                        [&](const auto& op) { return op.outputs == made; });
    if (!on_the_way) continue;
    output->verdict = Verdict::kFail;
    output->message = StrCat("output ", output->name, " depends on ", verdict.op,
                             ", which breaks its bound: ", verdict.message);
    return;
  }
}

// The note says how much was checked; it is empty if the case failed.
std::string ApplyToCase(const Case& expected, const std::vector<OperatorVerdict>& verdicts,
                        CaseReport* report) {
  const auto of_all = StrCat(" of ", verdicts.size(), " operators");
  if (const OperatorVerdict* const failed = First(verdicts, Kind::kFail); failed != nullptr) {
    const std::string text =
        StrCat("the first operator to break its bound is ", failed->op, ": ", failed->message, "; ",
               Count(verdicts, Kind::kFail), of_all, " do");
    report->message = report->message.empty() ? text : StrCat(report->message, "; ", text);
    if (report->verdict == Verdict::kPass) report->verdict = Verdict::kFail;
    for (size_t i = 0; i < report->outputs.size(); ++i) {
      OutputReport& output = report->outputs[i];
      if (output.rule.kind != RuleKind::kUnchecked || output.verdict != Verdict::kPass) continue;
      FailOutput(expected.graph, expected.outputs[i].name, verdicts, &output);
    }
    return "";
  }
  const OperatorVerdict* reason = First(verdicts, Kind::kMissing);
  if (reason == nullptr) reason = First(verdicts, Kind::kNotJudged);
  if (reason == nullptr) {
    if (report->verdict == Verdict::kPass) report->unchecked = false;
    return StrCat("all", of_all.substr(3), " were checked by what was handed over");
  }
  return StrCat(Count(verdicts, Kind::kPass), of_all, " were checked; not ", reason->op, ": ",
                reason->message);
}

StatusOr<std::vector<OperatorVerdict>> JudgeHandedOver(const Folder& handed, const Folder& results,
                                                       const std::string& id, const Case& c) {
  return JudgeOperators(c, [&](const GraphTensor& tensor, int execution) -> StatusOr<Tensor> {
    const auto& outputs = c.graph.main().outputs;
    StatusOr<Tensor> value = NotFound("");
    // The value of an output is the one in the results, even if another file has one.
    const bool output = Contains(outputs, tensor.name);
    if (!output) value = ReadHandedOver(handed, id, tensor, execution);
    if (!absl::IsNotFound(value.status())) return value;
    value = ReadHandedOver(results, id, tensor, execution);
    // What is wrong with it the check has said.
    return value.ok() || !output ? value : NotFound("");
  });
}

// Compares what operators and cases show of flushing. `operators` has one entry for each operator;
// its name is the case's id, ", " and words.
void FindMixedFlushingOfOperators(const std::vector<CaseReport>& operators, Report* report) {
  Report shown;
  shown.cases = report->cases;
  shown.cases.insert(shown.cases.end(), operators.begin(), operators.end());
  FindMixedFlushing(&shown);
  std::erase_if(report->findings, [](const Finding& f) { return f.kind == "mixed_flushing"; });
  for (Finding& finding : shown.findings) {
    for (std::string& id : finding.cases) id = id.substr(0, id.find(", "));
    finding.cases.erase(std::unique(finding.cases.begin(), finding.cases.end()),
                        finding.cases.end());
    report->findings.push_back(std::move(finding));
  }
  for (std::string& note : shown.notes) {
    if (Contains(report->notes, note)) continue;
    report->notes.push_back(std::move(note));
  }
}

// The files in the folder of a case that are none of its tensors.
std::vector<std::string> StrayFiles(const fs::path& directory, const Case& c) {
  std::set<std::string> known;
  for (const GraphTensor& tensor : c.graph.main().tensors) {
    for (int k = 0; k < c.executions(); ++k) known.insert(ResultName(tensor.name, k) + ".npy");
  }
  std::vector<std::string> stray;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (!name.starts_with('.') && !known.contains(name)) stray.push_back(std::move(name));
  }
  std::sort(stray.begin(), stray.end());
  return stray;
}

std::string NoteStrayFiles(const fs::path& directory, const std::string& id, const Case& c) {
  const std::vector<std::string> stray = StrayFiles(directory / id, c);
  if (stray.empty()) return "";
  return StrCat(id, ": ", stray.size(), stray.size() == 1 ? " file" : " files", " of no tensor in ",
                (directory / id).string(), ", not read: ", FirstNames(stray),
                "; expected names as in case.json, <tensor>.npy");
}

}  // namespace

Status JudgeIntermediates(const fs::path& directory, Report* report) {
  CTS_ASSIGN_OR_RETURN(const Folder suite, Folder::Open(report->suite_path));
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(report->results_path));
  CTS_ASSIGN_OR_RETURN(const Folder handed, Folder::Open(directory));
  report->intermediates_path = directory;
  const std::vector<std::string> stray = StrayDirectories(directory, report->suite);
  bool any = false;
  std::vector<CaseReport> operators;
  for (CaseReport& c : report->cases) {
    std::error_code error;
    if (!fs::is_directory(directory / c.id, error)) continue;
    any = true;
    CTS_ASSIGN_OR_RETURN(const Case expected,
                         ReadVerifiedCase(suite, *report->suite.Find(c.id), report->suite.edition));
    if (std::string note = NoteStrayFiles(directory, c.id, expected); !note.empty()) {
      report->notes.push_back(std::move(note));
    }
    if (c.outcome != Outcome::kValid || c.answered != "ok") continue;
    CTS_ASSIGN_OR_RETURN(const std::vector<OperatorVerdict> verdicts,
                         JudgeHandedOver(handed, results, c.id, expected));
    for (const OperatorVerdict& verdict : verdicts) {
      CaseReport& shows = operators.emplace_back();
      shows.id = StrCat(c.id, ", ", verdict.op);
      shows.outputs = verdict.outputs;
    }
    const std::string note = ApplyToCase(expected, verdicts, &c);
    if (!note.empty()) report->notes.push_back(StrCat(c.id, ": ", note));
  }
  if (!stray.empty()) {
    report->notes.push_back(StrCat(stray.size(), stray.size() == 1 ? " folder" : " folders",
                                   " of no case of this suite in ", directory.string(),
                                   ", not read: ", FirstNames(stray)));
  }
  FindUnchecked(report);
  FindMixedFlushingOfOperators(operators, report);
  if (any) return absl::OkStatus();
  return NotFound(directory.string(), ": found no folder of a case",
                  stray.empty() ? "" : StrCat(" but ", FirstNames(stray)),
                  ", expected intermediate results in <case id>/<tensor>.npy, such as ",
                  report->cases.empty() ? "networks/mine" : report->cases.front().id);
}

StatusOr<std::string> ExplainIntermediates(const fs::path& directory, const fs::path& results_path,
                                           bool full, CheckedCase* checked) {
  constexpr size_t kShown = 10;
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(results_path));
  CTS_ASSIGN_OR_RETURN(const Folder handed, Folder::Open(directory));
  CaseReport& report = checked->report;
  std::error_code error;
  if (!fs::is_directory(directory / report.id, error)) {
    return NotFound((directory / report.id).string(), ": no such folder, expected the case's ",
                    "intermediate results in it, <tensor>.npy");
  }
  std::string text = StrCat("\nintermediate results in ", (directory / report.id).string(), "\n");
  if (const std::string note = NoteStrayFiles(directory, report.id, checked->expected);
      !note.empty()) {
    text += StrCat("  ", Fold(note, 4), "\n");
  }
  if (report.outcome != Outcome::kValid || report.answered != "ok") {
    return text + "  not judged: the case has no result\n";
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<OperatorVerdict> verdicts,
                       JudgeHandedOver(handed, results, report.id, checked->expected));
  ApplyToCase(checked->expected, verdicts, &report);
  text += StrCat("  ", verdicts.size(), " operators: ", Count(verdicts, Kind::kPass), " pass, ",
                 Count(verdicts, Kind::kFail), " fail, ", Count(verdicts, Kind::kMissing),
                 " were not handed over, ", Count(verdicts, Kind::kNotJudged), " not judged\n");
  size_t shown = 0;
  for (const OperatorVerdict& verdict : verdicts) {
    if (verdict.kind == Kind::kPass) continue;
    if (++shown > kShown) continue;
    const char* const words = verdict.kind == Kind::kFail ? "fails: " : "is not judged: ";
    text += StrCat("    ", Fold(StrCat(verdict.op, " ", words, verdict.message), 6), "\n");
  }
  if (shown > kShown) text += StrCat("    and ", shown - kShown, " more\n");
  const OperatorVerdict* const failed = First(verdicts, Kind::kFail);
  if (failed == nullptr) return text;
  text += StrCat("\nthe first operator to break its bound: ", failed->op, "\n");
  for (size_t k = 0; k < failed->failure->outputs.size(); ++k) {
    text += ExplainOutput(*failed->failure, k, OriginOf, full);
  }
  return text;
}

}  // namespace cts
