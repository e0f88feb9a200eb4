#include "checker/explain.h"

#include <cstdio>
#include <memory>

#include "reference/graph/evaluate.h"
#include "tools/commands/command.h"

namespace cts {
namespace {

// The elements that the reference reads for one element of an output, as lines.
std::vector<std::string> InputsOf(const Case& c, const std::string& output, int64_t offset) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  if (!edition.ok()) return {};
  const Level* level = (*edition)->FindLevel(c.level);
  if (level == nullptr) return {};
  const auto elements = TraceElement(c.graph, c.inputs, **edition, *level, output, offset);
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

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  struct Options {
    std::filesystem::path suite, results;
    std::string id;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "explain", "Show why a case has its verdict: the worst elements, their inputs, the rule");
  command->add_option("RESULTS", options->results, "Folder that `run` wrote")->required();
  command->add_option("CASE", options->id, "Id of the case, such as add/fp32-...")->required();
  command->add_option("--suite", options->suite,
                      "Folder of the suite, if it is no longer where it was when it ran");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->suite.empty()) {
        CTS_ASSIGN_OR_RETURN(const Json run, LoadJson(options->results / "run.json", "run"));
        if (!run.contains("suite_path")) {
          return InvalidArgument((options->results / "run.json").string(),
                                 ": does not say where the suite lies; add --suite SUITE");
        }
        options->suite = run["suite_path"].get<std::string>();
      }
      CTS_ASSIGN_OR_RETURN(const std::string text,
                           Explain(options->suite, options->results, options->id, InputsOf));
      CTS_RETURN_IF_ERROR(Emit("-", text));
      return kDone;
    };
  });
}

}  // namespace cts
