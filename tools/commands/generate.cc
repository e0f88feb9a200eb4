#include "generator/generate.h"

#include <iostream>
#include <memory>
#include <thread>

#include "tools/commands/command.h"

namespace cts {

void AddGenerate(CLI::App& app, Action& action) {
  struct Options {
    GenerateOptions generate;
    std::string recipe;
    bool list = false;
  };
  auto options = std::make_shared<Options>();
  GenerateOptions& generate = options->generate;
  CLI::App* command = app.add_subcommand("generate", "Make a suite from a recipe");
  command
      ->add_option("--recipe", options->recipe,
                   "Name of a recipe (`list recipes` shows them) or a JSON file")
      ->required();
  command->add_option("--edition", generate.edition, "Edition instead of the recipe's");
  command->add_option("--level", generate.level, "Level instead of the recipe's");
  command->add_option("--operator", generate.operators, "Only this operator; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--profile,--extension", generate.profiles,
                   "Only what these profiles and extensions have; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--seed", generate.seed, "Seed instead of the recipe's")
      ->check(CLI::Range(uint64_t{0}, uint64_t{9007199254740991}));
  command->add_option("--jobs", generate.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--list", options->list, "Print the ids of the cases and write nothing");
  command->add_option("--out", generate.out, "Folder for the suite; must not exist yet");
  generate.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      GenerateOptions& what = options->generate;
      CTS_ASSIGN_OR_RETURN(what.recipe, FindRecipe(options->recipe));
      if (options->list) {
        CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> cases, PlanCases(what));
        std::string text;
        for (const PlannedCase& planned : cases) text += planned.id + "\n";
        CTS_RETURN_IF_ERROR(Emit("-", text));
        return kDone;
      }
      if (what.out.empty()) {
        return InvalidArgument("generate: say where the suite goes, by --out SUITE");
      }
      ProgressBar bar("generate");
      what.progress = [&bar](size_t done, size_t total) {
        bar.Update(static_cast<int>(done), static_cast<int>(total));
      };
      CTS_ASSIGN_OR_RETURN(const Suite suite, Generate(what));
      std::cout << suite.cases.size() << " cases of " << suite.edition << " in "
                << what.out.string() << ", digest " << suite.digest << "\n";
      return kDone;
    };
  });
}

}  // namespace cts
