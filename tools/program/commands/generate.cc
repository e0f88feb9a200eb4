#include "generator/generate.h"

#include <memory>
#include <optional>

#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/blind/blind_suite.h"
#include "tools/program/commands/command.h"
#include "tools/program/run/engine_shard.h"

namespace cts {
namespace {

// The arguments of `generate`, as they stand on the command line.
struct GenerateArguments {
  GenerateOptions generate;
  std::string recipe, edition, level;
  std::optional<std::string> shard;
  std::vector<std::string> operators, profiles, types, conditions, ids;
  std::optional<uint64_t> seed;
  bool list = false, json = false;
  std::filesystem::path blind;  // where the answers go; empty: into the suite
};

// A recipe of certification, and its parts, belong to one edition.
Status CheckEditionOf(const Recipe& recipe, const std::string& edition) {
  const StatusOr<const Edition*> home = FindEdition(recipe.edition), wanted = FindEdition(edition);
  if (!home.ok() || !wanted.ok() || (*home)->certify == (*wanted)->certify ||
      !recipe.name.starts_with((*home)->certify)) {
    return absl::OkStatus();
  }
  return InvalidArgument("--edition: found ", edition, ", but the recipe ", recipe.name, " is of ",
                         recipe.edition, "; use --recipe ", (*wanted)->certify,
                         ", which certifies ", edition);
}

// The recipe with what the options replace.
StatusOr<Recipe> RecipeOf(const GenerateArguments& options) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe(options.recipe));
  CTS_RETURN_IF_ERROR(CheckEditionOf(recipe, options.edition));
  const auto replace = [](auto& value, const auto& other) {
    if (!other.empty()) value = other;
  };
  replace(recipe.edition, options.edition);
  replace(recipe.level, options.level);
  replace(recipe.operators, options.operators);
  replace(recipe.profiles, options.profiles);
  replace(recipe.types, options.types);
  replace(recipe.conditions, options.conditions);
  replace(recipe.ids, options.ids);
  if (options.seed) recipe.seed = *options.seed;
  if (options.shard) {
    CTS_ASSIGN_OR_RETURN(const Shard shard, ShardOfTask(*options.shard));
    recipe.shard = shard.index;
    recipe.shards = shard.of;
  }
  return recipe;
}

// A suite for a user who should compute the answers, not copy them.
StatusOr<int> RunGenerateBlind(GenerateArguments& options) {
  GenerateOptions& what = options.generate;
  if (what.resume) {
    return InvalidArgument("generate: a blind suite is made in one go, from a seed that is drawn ",
                           "each time: leave --resume out");
  }
  // A user who knows the seed knows the answers.
  if (!options.seed) {
    CTS_ASSIGN_OR_RETURN(what.recipe.seed, DrawSeed());
  }
  CTS_ASSIGN_OR_RETURN(const std::string salt, DrawSalt());
  const StatusOr<BlindSuite> made = GenerateBlind(what, salt, options.blind);
  if (absl::IsCancelled(made.status())) {
    return Unavailable("interrupted: nothing was written");
  }
  CTS_RETURN_IF_ERROR(made.status());
  CTS_RETURN_IF_ERROR(Say(StrCat(
      made->cases, " cases of ", what.recipe.edition, " without answers in ", what.out.string(),
      ", digest ", made->answers.blind, "\nanswers in ", options.blind.string(),
      ": keep the file to yourself until the results are there; SHA-256 ", made->answers_digest,
      "\n")));
  return kDone;
}

StatusOr<int> RunGenerate(GenerateArguments& options) {
  GenerateOptions& what = options.generate;
  CTS_ASSIGN_OR_RETURN(what.recipe, RecipeOf(options));
  if (options.list) {
    CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> cases, PlanCases(what.recipe));
    std::string text;
    for (const PlannedCase& planned : cases) text += planned.id + "\n";
    CTS_RETURN_IF_ERROR(Say(text));
    return kDone;
  }
  if (what.out.empty()) {
    return InvalidArgument("generate: say where the suite goes, by --out SUITE");
  }
  ProgressBar bar("generate");
  what.progress = [&bar](size_t done, size_t total) {
    bar.Update(static_cast<int>(done), static_cast<int>(total));
  };
  what.stop = CatchInterrupts();
  if (!options.blind.empty()) return RunGenerateBlind(options);
  CTS_ASSIGN_OR_RETURN(const Suite suite, Generate(what));
  if (options.json) {
    CTS_RETURN_IF_ERROR(Emit("-", FormatJson({{"suite", suite.name},
                                              {"edition", suite.edition},
                                              {"level", suite.level},
                                              {"cases", suite.cases.size()},
                                              {"digest", suite.digest},
                                              {"out", what.out.string()}})));
    return kDone;
  }
  CTS_RETURN_IF_ERROR(SayNews(StrCat(suite.cases.size(), " cases of ", suite.edition, " in ",
                                     what.out.string(), ", digest ", suite.digest, "\n")));
  return kDone;
}

}  // namespace

void AddGenerate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GenerateArguments>();
  GenerateOptions& generate = options->generate;
  CLI::App* command = app.add_subcommand("generate", "Make a suite from a recipe");
  command
      ->add_option("--recipe", options->recipe,
                   "A recipe that `tensor-cts list recipes` shows, or a JSON file")
      ->required()
      ->type_name("NAME|FILE");
  command
      ->add_option("--edition", options->edition,
                   "Edition instead of the recipe's, such as " + EditionIds()[1])
      ->type_name("EDITION");
  command
      ->add_option("--level", options->level, "Level instead of the recipe's, such as 8K or none")
      ->type_name("LEVEL");
  const auto repeated = [&](const std::string& name, std::vector<std::string>& values,
                            const std::string& help, const std::string& type) {
    command->add_option(name, values, help + "; may be repeated")
        ->expected(1)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  repeated("--operator", options->operators, "Only this operator, such as CONV2D", "NAME");
  repeated("--profile,--extension", options->profiles, "Only cases within these, such as PRO-INT",
           "NAME");
  repeated("--type", options->types, "Only operators on this type, such as i8", "TYPE");
  repeated("--condition", options->conditions, "Only error cases of this: conv2d.pad_negative",
           "ID");
  AddFilterOption(*command, options->ids);
  command
      ->add_option("--shard", options->shard,
                   "Only the I-th of N parts of equal cost; auto: as for run")
      ->type_name("I/N|auto[/N]");
  command->add_option("--seed", options->seed, "Seed instead of the recipe's, for other data")
      ->check(CLI::Range(uint64_t{0}, uint64_t{9007199254740991}))
      ->type_name("N");
  AddJobsOption(*command, generate.jobs, "; the suite does not depend on it");
  command->add_flag("--resume", generate.resume,
                    "Continue an interrupted run with the same options");
  command->add_flag("--pack", generate.pack,
                    "One file an operator, a .tar, instead of a folder a case");
  command
      ->add_option("--blind", options->blind,
                   "Leave the answers out and seal them in FILE, for unblind and\n"
                   "certify; without --seed a seed is drawn")
      ->type_name("FILE");
  command->add_flag("--list", options->list, "Print the ids of the cases and write nothing");
  AddJsonFlag(*command, options->json)->excludes("--list")->excludes("--blind");
  command->add_option("--out", generate.out, "Folder for the suite: a new or empty one")
      ->type_name("DIR");
  command->footer(
      "Exit code: 0 done, 2 usage or environment, 130 interrupted: go on with --resume.");
  command->callback([&action, options] { action = [options] { return RunGenerate(*options); }; });
}

}  // namespace cts
