#include "generator/generate.h"

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "tools/commands/command.h"

namespace cts {
namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) { interrupted = true; }

}  // namespace

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
                   "A recipe that `tensor-cts list recipes` shows, or a JSON file")
      ->required()
      ->type_name("NAME|FILE");
  command
      ->add_option("--edition", generate.edition,
                   "Another edition than the recipe's, such as tosa-0.100")
      ->type_name("EDITION");
  command->add_option("--level", generate.level, "Another level than the recipe's: 8K or none")
      ->type_name("LEVEL");
  command
      ->add_option("--operator", generate.operators,
                   "Only this operator, such as CONV2D; may be repeated")
      ->expected(1)
      ->type_name("NAME")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--profile,--extension", generate.profiles,
                   "Only what these suffice for, such as PRO-INT; may be repeated")
      ->expected(1)
      ->type_name("NAME")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--seed", generate.seed, "Another seed than the recipe's: other data")
      ->check(CLI::Range(uint64_t{0}, uint64_t{9007199254740991}))
      ->type_name("N");
  command
      ->add_option("--jobs", generate.jobs,
                   "Threads (default: one per core); the suite does not depend on it")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--list", options->list, "Print the ids of the cases and write nothing");
  command->add_option("--out", generate.out, "Folder for the suite; must not exist, or be empty")
      ->type_name("DIR");
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
      what.stop = &interrupted;
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, OnInterrupt);
      CTS_ASSIGN_OR_RETURN(const Suite suite, Generate(what));
      CTS_RETURN_IF_ERROR(Emit("-", StrCat(suite.cases.size(), " cases of ", suite.edition, " in ",
                                           what.out.string(), ", digest ", suite.digest, "\n")));
      return kDone;
    };
  });
}

}  // namespace cts
