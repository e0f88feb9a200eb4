#include "tools/network.h"

#include <algorithm>
#include <set>

#include "checker/printable.h"
#include "reference/base/file.h"
#include "reference/base/npy.h"
#include "reference/graph/bundle.h"
#include "reference/graph/evaluate.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxName = 100;  // schemas/case.schema.json

StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name) {
  if (const Level* level = edition.FindLevel(name)) return level;
  return NotFound("edition ", edition.id, ": found level '", Printable(name), "', which it lacks");
}

// A name that nothing in `taken` has; takes it.
std::string SafeName(const std::string& name, std::set<std::string>* taken) {
  std::string safe;
  for (const char c : name.substr(0, kMaxName - 10)) {
    const bool kept = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
    safe += kept ? c : '_';
  }
  if (safe.empty() || ('0' <= safe[0] && safe[0] <= '9')) safe = "_" + safe;
  std::string unique = safe;
  for (int k = 2; !taken->insert(unique).second; ++k) unique = StrCat(safe, "_", k);
  return unique;
}

bool IsSafe(const std::string& name) {
  std::set<std::string> taken;
  return name.size() <= kMaxName - 10 && SafeName(name, &taken) == name;
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

std::map<std::string, std::string> MakeNamesSafe(Graph* graph) {
  std::map<std::string, std::string> changed;
  std::set<std::string> taken;
  const auto keep = [&taken](const std::string& name) {
    if (IsSafe(name)) taken.insert(name);
  };
  for (const Region& region : graph->regions) {
    keep(region.name);
    for (const Block& block : region.blocks) {
      keep(block.name);
      for (const GraphTensor& tensor : block.tensors) keep(tensor.name);
    }
  }
  const auto rename = [&](std::string& name) {
    if (IsSafe(name)) return;
    const auto known = changed.find(name);
    name = known != changed.end() ? known->second
                                  : changed.emplace(name, SafeName(name, &taken)).first->second;
  };
  for (Region& region : graph->regions) {
    rename(region.name);
    for (Block& block : region.blocks) {
      rename(block.name);
      for (std::string& name : block.inputs) rename(name);
      for (std::string& name : block.outputs) rename(name);
      for (GraphTensor& tensor : block.tensors) rename(tensor.name);
      for (GraphOperator& op : block.operators) {
        for (std::string& name : op.inputs) rename(name);
        for (std::string& name : op.outputs) rename(name);
        // Graphs and tensors that attributes name.
        for (auto& [attribute, value] : op.attributes) {
          if (std::string* name = std::get_if<std::string>(&value)) {
            if (attribute.ends_with("_graph") || attribute == "initial_value") rename(*name);
          }
        }
      }
    }
  }
  return changed;
}

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
  }
  return verdicts;
}

namespace {

// DIR/<id>/<tensor>.npy, or what stands in the results.
StatusOr<Tensor> ReadHandedOver(const Folder& directory, const Folder& results,
                                const std::string& id, const GraphTensor& tensor, int execution) {
  const std::string name = StrCat(id, "/", ResultName(tensor.name, execution), ".npy");
  for (const Folder* folder : {&directory, &results}) {
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
                           return ReadHandedOver(handed, results, c.id, tensor, execution);
                         }));
    std::string note;
    ApplyToCase(verdicts, &c, &note);
    if (!note.empty()) {
      report->notes.push_back(StrCat(c.id, ": ", note));
    }
  }
  if (any) return absl::OkStatus();
  return NotFound(directory.string(), ": found no folder of a case, expected intermediate results ",
                  "in <case id>/<tensor>.npy, such as ",
                  report->cases.empty() ? "networks/mine" : report->cases.front().id);
}

}  // namespace cts
