#include "tools/program/ask/eval.h"

#include <fstream>
#include <iostream>
#include <memory>

#include "reference/base/json.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

constexpr const char* kEvalFooter =
    "Exactly one of CASE, --graph and --calls says what to evaluate.\n\n"
    "A file with a graph holds the object \"graph\" of a case.json; its constants lie beside "
    "it.\n\n"
    "A call is one line of JSON (schemas/call.schema.json). For example:\n\n"
    "  {\"id\": 7, \"operator\": \"CLAMP\", \"arguments\": {\"input\": {\"dtype\": \"i8\",\n"
    "   \"shape\": [3], \"data\": [-9, 0, 9]}, \"min_val\": -1, \"max_val\": 5,\n"
    "   \"nan_mode\": \"PROPAGATE\"}, \"output_types\": {\"output\": {\"dtype\": \"i8\",\n"
    "   \"shape\": [3]}}}\n\n"
    "(one line, shown in four). Its answer is another line (schemas/answer.schema.json):\n\n"
    "  {\"id\": 7, \"outcome\": \"valid\", \"conditions\": [], \"violations\": [], \"outputs\":\n"
    "   {\"output\": {\"dtype\": \"i8\", \"shape\": [3], \"data\": [-1, 0, 5]}}, \"flushed\": {},\n"
    "   \"rules\": {\"output\": {\"kind\": \"exact\", ...}}}\n\n"
    "Arguments have the specification's names, whether the edition has them as inputs or as\n"
    "attributes. An input may be a plain value; \"data\": null means ones. Floating-point values\n"
    "are numbers or strings (\"nan\", \"-inf\", \"-0.0\", \"0x1.8p3\"); answers have them in\n"
    "hexadecimal. The answer to a line that is no call is \"malformed\" with the reason, and the\n"
    "run goes on. Blank lines are skipped.\n\n"
    "Exit code: 0 evaluated, whatever the outcome; 2 usage or environment, or a line was no call.";

struct EvalArguments {
  std::filesystem::path folder, graph, out;
  std::string id, calls;
  std::vector<std::string> inputs;
  CallDefaults defaults;
  int data_set = -1;
  bool json = false;
};

StatusOr<int> AnswerCallFile(const EvalArguments& options) {
  StatusOr<bool> all_calls = true;
  if (options.calls == "-") {
    all_calls = AnswerCalls(std::cin, std::cout, options.defaults, "standard input");
  } else {
    std::ifstream file(options.calls, std::ios::binary);
    if (!file) return NotFound(options.calls, ": cannot be opened");
    all_calls = AnswerCalls(file, std::cout, options.defaults, options.calls);
  }
  if (!all_calls.ok()) return all_calls.status();
  return *all_calls ? kDone : kCannot;
}

// NAME=FILE.npy, as --input has it.
StatusOr<std::map<std::string, std::filesystem::path>> InputFiles(
    const std::vector<std::string>& arguments) {
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
      return InvalidArgument("eval: --input: found ", argument, ", expected NAME=FILE.npy");
    }
    const std::string name = argument.substr(0, equals);
    if (!files.emplace(name, argument.substr(equals + 1)).second) {
      return InvalidArgument("eval: --input: found ", name, " twice");
    }
  }
  return files;
}

StatusOr<int> EvaluateOne(const EvalArguments& options) {
  StatusOr<Evaluated> evaluated = Evaluated{};
  if (!options.graph.empty()) {
    CTS_ASSIGN_OR_RETURN(const auto inputs, InputFiles(options.inputs));
    evaluated = EvaluateGraph(options.graph, inputs, options.defaults, options.data_set);
  } else {
    evaluated = EvaluateCase(options.folder, options.id);
  }
  if (!evaluated.ok()) return evaluated.status();
  if (!options.out.empty()) {
    CTS_RETURN_IF_ERROR(WriteOutputs(evaluated->evaluation, options.out));
  }
  CTS_RETURN_IF_ERROR(
      Say(options.json ? FormatJson(EvaluatedToJson(*evaluated)) : FormatEvaluation(*evaluated)));
  return kDone;
}

}  // namespace

void AddEval(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvalArguments>();
  CLI::App* command =
      app.add_subcommand("eval", "Ask the reference alone: what is the right answer?");
  CLI::Option* const folder =
      command->add_option("CASE", options->folder, "Folder of a case, or of a suite")
          ->type_name("DIR");
  command->add_option("ID", options->id, "Id of the case, if CASE is a suite")
      ->type_name("ID")
      ->needs(folder);
  CLI::Option* const graph =
      command->add_option("--graph", options->graph, "JSON file with a graph")->type_name("FILE");
  CLI::Option* const input = command
                                 ->add_option("--input", options->inputs,
                                              "Values of an input of the graph; one for each input")
                                 ->expected(1)
                                 ->type_name("NAME=FILE.npy")
                                 ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                                 ->needs(graph);
  CLI::Option* const calls =
      command
          ->add_option("--calls", options->calls,
                       "File with one operator call a line; - reads standard input")
          ->type_name("FILE");
  CLI::Option* const edition = command
                                   ->add_option("--edition", options->defaults.edition,
                                                "For the graph, and for calls without one")
                                   ->capture_default_str()
                                   ->type_name("EDITION");
  CLI::Option* const level = command
                                 ->add_option("--level", options->defaults.level,
                                              "For the graph, and for calls without one "
                                              "(default: narrowest)")
                                 ->type_name("LEVEL");
  CLI::Option* const data_set =
      command
          ->add_option("--data-set", options->data_set,
                       "Number of the data set (S0 to S5) of the graph's inputs")
          ->check(CLI::Range(0, 5))
          ->type_name("S")
          ->needs(graph);
  CLI::Option* const json = command->add_flag("--json", options->json, "Print only JSON");
  CLI::Option* const out =
      command
          ->add_option("--out", options->out,
                       "Folder for the outputs as .npy; floating point unrounded, fp64")
          ->type_name("DIR");
  graph->excludes(folder)->excludes(calls);
  calls->excludes(folder)->excludes(input)->excludes(data_set)->excludes(json)->excludes(out);
  edition->excludes(folder);
  level->excludes(folder);
  command->footer(kEvalFooter);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (!options->calls.empty()) return AnswerCallFile(*options);
      if (options->folder.empty() && options->graph.empty()) {
        return InvalidArgument(
            "eval: found nothing to evaluate, expected CASE, --graph FILE or --calls FILE");
      }
      return EvaluateOne(*options);
    };
  });
}

}  // namespace cts
