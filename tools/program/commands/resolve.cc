#include "tools/program/ask/resolve.h"

#include <memory>

#include "tools/program/commands/command.h"

namespace cts {

void AddResolve(CLI::App& app, Action& action) {
  struct Options {
    std::filesystem::path folder, out;
    std::vector<std::string> bindings;
    bool graph = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("resolve", "Make the static case of a symbolic one, for one binding");
  command->add_option("CASE", options->folder, "Folder of a symbolic case")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--bind", options->bindings,
                   "Size of a symbol; one for each symbol of the inputs")
      ->expected(1)
      ->type_name("SYMBOL=SIZE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* const out =
      command->add_option("--out", options->out, "Folder for the static case; must not exist")
          ->type_name("DIR");
  CLI::Option* const graph = command->add_flag(
      "--graph", options->graph, "Print only the static graph, if no dimension depends on data");
  out->excludes(graph);
  command->footer(
      "The static case has the inputs and the answers of that binding. The reference computes the\n"
      "answers anew, and they have to be the same, bit for bit. eval, render and adapters take "
      "the\n"
      "static case as any other.\n\n"
      "Exit code: 0 done; 2 usage or environment, or the binding has no static graph.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->out.empty() && !options->graph) {
        return InvalidArgument("resolve: found nothing to make, expected --out DIR or --graph");
      }
      CTS_ASSIGN_OR_RETURN(const Binding binding, ParseBinding(options->bindings));
      CTS_ASSIGN_OR_RETURN(const Case c, ReadCase(options->folder));
      const std::string place = (options->folder / "case.json").string();
      if (options->graph) {
        const StatusOr<std::string> text = ResolveGraph(c, binding);
        if (!text.ok()) return Annotate(text.status(), place);
        CTS_RETURN_IF_ERROR(Say(*text));
        return kDone;
      }
      const StatusOr<Case> made = ResolveCase(c, binding);
      if (!made.ok()) return Annotate(made.status(), place);
      CTS_RETURN_IF_ERROR(WriteCase(*made, options->out));
      return kDone;
    };
  });
}

}  // namespace cts
