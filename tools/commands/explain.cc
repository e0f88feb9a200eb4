#include "checker/explain.h"

#include <cstdio>
#include <memory>

#include "reference/base/json.h"
#include "reference/graph/evaluate.h"
#include "reference/ops/operator.h"
#include "tools/commands/command.h"

namespace cts {
namespace {

// The elements that the reference reads for one element of an output, as lines.
std::vector<std::string> InputsOf(const Case& c, const ExpectedOutput& output, int64_t offset) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  if (!edition.ok()) return {};
  const Level* level = (*edition)->FindLevel(c.level);
  if (level == nullptr) return {};
  const auto elements = TraceSequence(c.graph, c.InputsOfExecutions(output.execution + 1),
                                      **edition, *level, output.name, offset);
  if (!elements.ok()) return {};
  std::vector<std::string> lines;
  for (const ReadElement& element : *elements) {
    std::string value;
    if (IsFloat(element.dtype)) {
      char text[64];
      std::snprintf(text, sizeof text, "%.9g (%a)", element.value, element.value);
      value = text;
    } else {
      value = std::to_string(element.integer);
    }
    lines.push_back(StrCat(element.tensor, ToString(element.index), " = ", value));
  }
  return lines;
}

std::string MeaningOf(const Case& c) {
  for (const Condition& condition : GraphConditions()) {
    if (condition.id == c.condition) return std::string(condition.paraphrase);
  }
  const Operator* op = FindOperator(c.op);
  if (op == nullptr) return "";
  for (const Condition& condition : op->conditions()) {
    if (condition.id == c.condition) return std::string(condition.paraphrase);
  }
  return "";
}

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  struct Options {
    std::filesystem::path suite, results;
    std::string id;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("explain", "Show why a case has its verdict: values, inputs, rule");
  command->add_option("RESULTS", options->results, "The results, as run wrote them")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("CASE", options->id,
                   "Id of the case, as check prints it; a part of it lists the nearest")
      ->required()
      ->type_name("ID");
  command
      ->add_option("--suite", options->suite,
                   "The suite, if it is no longer where it was when it ran")
      ->type_name("DIR");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->suite.empty()) {
        const StatusOr<Json> loaded = LoadJson(options->results / "run.json", "run");
        if (!loaded.ok()) {
          return Annotate(loaded.status(), options->results.string() +
                                               ": expected results as tensor-cts run writes them");
        }
        const Json& run = *loaded;
        if (!run.contains("suite_path")) {
          return InvalidArgument((options->results / "run.json").string(),
                                 ": does not say where the suite lies; add --suite SUITE");
        }
        options->suite = run.at("suite_path").get<std::string>();
        std::error_code error;
        if (!std::filesystem::exists(options->suite / "suite.json", error)) {
          return NotFound(options->suite.string(), ": no longer holds the suite that ",
                          options->results.string(), " is of; say where it is, by --suite SUITE");
        }
      }
      CTS_ASSIGN_OR_RETURN(const std::string text, Explain(options->suite, options->results,
                                                           options->id, InputsOf, MeaningOf));
      CTS_RETURN_IF_ERROR(Emit("-", text));
      return kDone;
    };
  });
}

}  // namespace cts
