#include "tools/program/ask/eval.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/base/npy.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "reference/calls/call_answer.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"
#include "tools/program/ask/find_level.h"

namespace cts {
namespace {

constexpr int64_t kShownElements = 8;

std::string EvaluationRow(std::string_view label, const std::string& text) {
  constexpr size_t kLabelWidth = 16;
  std::string line = "  " + std::string(label);
  line.resize(std::max(line.size() + 1, kLabelWidth), ' ');
  return line + text + "\n";
}

// The first values, and how many there are.
std::string Values(const ExpectedOutput& output, const Tensor& tensor) {
  std::string text;
  for (int64_t i = 0; i < std::min(tensor.size(), kShownElements); ++i) {
    text += StrCat(i > 0 ? ", " : "", FormatElement(output, tensor, i));
  }
  if (tensor.size() > kShownElements) text += StrCat(", ... (", tensor.size(), " in all)");
  return text;
}

int64_t Differences(const Tensor& a, const Tensor& b) {
  int64_t count = 0;
  for (int64_t i = 0; i < a.size(); ++i) count += a.Bits(i) != b.Bits(i);
  return count;
}

// Name and value of the members that a rule has besides kind, form and clause.
std::string Figures(const Rule& rule) {
  std::string text(Name(rule.kind));
  const Json json = RuleToJson(rule);
  for (const auto& [name, value] : json.items()) {
    if (value.is_number() || (value.is_boolean() && value.get<bool>())) {
      text += StrCat(", ", name, " ", value.dump());
    }
  }
  return text;
}

StatusOr<const Edition*> FindCoveredEdition(const std::string& id) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(id));
  if (edition->Has(Feature::kExecuted)) return edition;
  return InvalidArgument("edition ", id, ": the reference does not cover it yet");
}

// SUITE/<operator>/<case>, after a check with the suite's manifest.
StatusOr<std::filesystem::path> FindCase(const std::filesystem::path& folder,
                                         const std::string& id) {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(folder));
  if (suite.Find(id) != nullptr) return folder / id;
  std::vector<std::string> ids;
  ids.reserve(suite.cases.size());
  for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
  std::string nearest;
  for (const std::string& name : NearestNames(ids, id, 5)) nearest += StrCat("\n  ", name);
  return NotFound("case '", Shortened(Printable(id), 240), "': not in ", folder.string(),
                  ", which has ", ids.size(), " cases",
                  nearest.empty() ? "" : "; nearest:", nearest);
}

}  // namespace

bool ReadLine(std::istream& in, std::string& line, bool& too_long) {
  line.clear();
  too_long = false;
  char c = 0;
  bool any = false;
  while (in.get(c)) {
    any = true;
    if (c == '\n') return true;
    if (line.size() == kMaxCallBytes) {
      too_long = true;
    } else {
      line += c;
    }
  }
  return any;
}

StatusOr<Evaluated> EvaluateCase(const std::filesystem::path& folder, const std::string& id) {
  std::filesystem::path directory = folder;
  if (!id.empty()) {
    CTS_ASSIGN_OR_RETURN(directory, FindCase(folder, id));
  } else {
    CTS_ASSIGN_OR_RETURN(const bool suite, Exists(folder / "suite.json"));
    if (suite) {
      return InvalidArgument(folder.string(),
                             ": found a suite, expected a case; add the id of one of its cases");
    }
  }
  CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseInputs(directory));
  const std::string place = (directory / "case.json").string();
  const auto evaluate = [&]() -> StatusOr<Evaluated> {
    CTS_ASSIGN_OR_RETURN(const Edition* edition, FindCoveredEdition(c.edition));
    CTS_ASSIGN_OR_RETURN(const Level* level, FindLevel(*edition, c.level));
    const bool numbered = c.data_set.size() == 2 && c.data_set[0] == 'S' && '0' <= c.data_set[1] &&
                          c.data_set[1] <= '5';
    CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                         EvaluateSequence(c.graph, c.InputsOfExecutions(), *edition, *level,
                                          numbered ? c.data_set[1] - '0' : -1, Chains::kEnclosed));
    Evaluation evaluation = std::move(evaluations.back());
    evaluations.pop_back();
    std::vector<ExpectedOutput> outputs;
    for (Evaluation& before : evaluations) {
      std::move(before.outputs.begin(), before.outputs.end(), std::back_inserter(outputs));
    }
    evaluation.outputs.insert(evaluation.outputs.begin(), outputs.begin(), outputs.end());
    std::vector<Binding> bindings = c.bindings;
    if (!bindings.empty()) bindings.resize(evaluations.size() + 1);
    return Evaluated{c.id, edition, c.level, std::move(evaluation), std::move(bindings)};
  };
  StatusOr<Evaluated> evaluated = evaluate();
  if (!evaluated.ok()) return Annotate(evaluated.status(), place);
  return evaluated;
}

StatusOr<Evaluated> EvaluateGraph(const std::filesystem::path& file,
                                  const std::map<std::string, std::filesystem::path>& inputs,
                                  const CallDefaults& defaults, int data_set) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindCoveredEdition(defaults.edition));
  CTS_ASSIGN_OR_RETURN(const Level* level, FindLevelOrNarrowest(*edition, defaults.level));
  CTS_ASSIGN_OR_RETURN(const Graph graph, ReadGraph(file));
  if (const Status status = RequireStatic(graph); !status.ok()) {
    return Annotate(status, file.string());
  }
  const Block& block = graph.main();
  std::map<std::string, Tensor> values;
  std::string known;
  for (const std::string& name : block.inputs) {
    known += StrCat(known.empty() ? "" : ", ", name);
    const auto found = inputs.find(name);
    if (found == inputs.end()) {
      return InvalidArgument(file.string(), ": input ", name, " has no file; add --input ", name,
                             "=FILE.npy");
    }
    const GraphTensor& tensor = *block.Find(name);
    const StatusOr<int64_t> count = CheckedElementCount(tensor.shape);
    if (!count.ok()) return Annotate(count.status(), StrCat(file.string(), ": ", name));
    CTS_ASSIGN_OR_RETURN(Tensor value, ReadNpy(found->second, tensor.dtype, tensor.shape));
    values.emplace(name, std::move(value));
  }
  for (const auto& [name, path] : inputs) {
    if (values.contains(name)) continue;
    return InvalidArgument(file.string(), ": found --input ", name, ", expected ",
                           known.empty() ? "none" : StrCat("one of ", known));
  }
  auto evaluation = Evaluate(graph, values, *edition, *level, data_set, Chains::kEnclosed);
  if (!evaluation.ok()) return Annotate(evaluation.status(), file.string());
  return Evaluated{file.string(), edition, level->name, *std::move(evaluation)};
}

std::string FormatEvaluation(const Evaluated& evaluated) {
  const Evaluation& evaluation = evaluated.evaluation;
  std::string text = StrCat(evaluated.name, ": ", Name(evaluation.outcome), "\n",
                            EvaluationRow("edition", evaluated.edition->id),
                            EvaluationRow("level", evaluated.level));
  if (!evaluation.message.empty()) text += EvaluationRow("message", evaluation.message);
  if (evaluation.outcome != Outcome::kValid && !evaluated.bindings.empty()) {
    text += EvaluationRow("binding", Describe(evaluated.bindings.back()));
  }
  for (const Violation& violation : evaluation.violations) {
    const Condition* condition = FindCondition(violation.condition, *evaluated.edition);
    const std::string forbidden =
        condition == nullptr ? "" : Paraphrase(*evaluated.edition, *condition);
    text += StrCat("\n", violation.condition, "\n");
    if (condition != nullptr) {
      text += EvaluationRow("kind", std::string(Name(condition->kind)));
      text += EvaluationRow("forbidden", forbidden);
    }
    text += EvaluationRow("place", violation.op);
    if (violation.message != forbidden) text += EvaluationRow("found", violation.message);
  }
  for (const ExpectedOutput& output : evaluation.outputs) {
    const Answer& answer = output.answers[0];
    text += StrCat("\noutput ", ResultName(output), ": ", Name(output.dtype),
                   ToString(output.shape), "\n");
    const auto execution = static_cast<size_t>(output.execution);
    if (execution < evaluated.bindings.size()) {
      text += EvaluationRow("binding", Describe(evaluated.bindings[execution]));
    }
    text += EvaluationRow("rule", Figures(output.rule));
    text += EvaluationRow("clause", output.rule.clause);
    text += EvaluationRow("values", Values(output, answer.expected));
    if (answer.bound) text += EvaluationRow("bound", Values(output, *answer.bound));
    if (answer.upper) text += EvaluationRow("upper", Values(output, *answer.upper));
    if (!Info(output.dtype).may_flush && output.answers.size() == 1) continue;
    if (output.answers.size() == 1) {
      text += EvaluationRow("flushed", "the same");
      continue;
    }
    const Answer& flushed = output.answers[1];
    const int64_t count = Differences(answer.expected, flushed.expected);
    text += EvaluationRow("flushed", StrCat(count, " of ", answer.expected.size(),
                                            " elements differ", count == 0 ? "; bounds do" : ""));
    text += EvaluationRow("", Values(output, flushed.expected));
  }
  return text;
}

Json EvaluatedToJson(const Evaluated& evaluated) {
  Json json = EvaluationToJson(evaluated.evaluation, *evaluated.edition);
  json["id"] = evaluated.name;
  return json;
}

Status WriteOutputs(const Evaluation& evaluation, const std::filesystem::path& directory) {
  for (const ExpectedOutput& output : evaluation.outputs) {
    for (const Answer& answer : output.answers) {
      const auto write = [&](std::string_view part, const std::optional<Tensor>& tensor) -> Status {
        if (!tensor.has_value()) return absl::OkStatus();
        const std::filesystem::path path =
            answer.flushed ? directory / "flushed" /
                                 StrCat(ResultName(output), part.empty() ? "" : ".", part, ".npy")
                           : directory / part / StrCat(ResultName(output), ".npy");
        return WriteNpy(path, *tensor);
      };
      CTS_RETURN_IF_ERROR(write("", answer.expected));
      CTS_RETURN_IF_ERROR(write("bound", answer.bound));
      CTS_RETURN_IF_ERROR(write("upper", answer.upper));
    }
  }
  return absl::OkStatus();
}

StatusOr<bool> AnswerCalls(std::istream& in, std::ostream& out, const CallDefaults& defaults,
                           const std::string& origin) {
  bool all_calls = true;
  std::string line;
  bool too_long = false;
  for (int64_t number = 1; ReadLine(in, line, too_long); ++number) {
    if (!too_long && line.find_first_not_of(" \t\r") == std::string::npos) continue;
    // A call without an id is found again by its place.
    const std::string place = StrCat(origin, ", line ", number, ": ");
    const CallAnswer answer =
        too_long ? MalformedCall(StrCat(place, "found more than ", kMaxCallBytes, " bytes"))
                 : AnswerCall(line, defaults, place);
    all_calls = all_calls && !answer.malformed;
    out << answer.line << '\n' << std::flush;
    if (!out) return Unavailable("standard output: cannot be written");
  }
  if (in.bad()) return Unavailable(origin, ": cannot be read");
  return all_calls;
}

}  // namespace cts
