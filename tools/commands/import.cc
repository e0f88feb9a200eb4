#include "tools/exchange/import.h"

#include <memory>

#include "reference/base/file_type.h"
#include "tools/commands/command.h"
#include "tools/exchange/import_network.h"

namespace cts {
namespace {

// The first lines of a list, and how many there are.
std::string Listed(const std::string& title, const std::vector<std::string>& lines) {
  constexpr size_t kShown = 10;
  if (lines.empty()) return "";
  std::string text = StrCat(title, ": ", lines.size(), "\n");
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) text += StrCat("  ", lines[i], "\n");
  if (lines.size() > kShown) text += StrCat("  and ", lines.size() - kShown, " more\n");
  return text;
}

struct ImportArguments {
  ImportOptions tests;
  NetworkOptions network;
};

StatusOr<int> RunNetwork(const ImportArguments& options) {
  NetworkOptions network = options.network;
  network.file = options.tests.tests;
  network.out = options.tests.out;
  network.edition = options.tests.edition;
  network.level = options.tests.level;
  CTS_ASSIGN_OR_RETURN(const Suite suite, ImportNetwork(network));
  CTS_RETURN_IF_ERROR(Say(StrCat("case ", suite.cases[0].id, " in ", network.out.string(),
                                 ", digest ", suite.digest, "\n")));
  return kDone;
}

StatusOr<int> RunImport(ImportArguments& all) {
  ImportOptions& options = all.tests;
  const bool of_tests = !options.results.empty() || !options.runner.empty() ||
                        !options.xunit.empty() || options.edition_rules || options.skip;
  CTS_ASSIGN_OR_RETURN(const std::filesystem::file_type type, TypeOf(options.tests));
  if (type == std::filesystem::file_type::not_found) {
    return NotFound(options.tests.string(),
                    ": no such file or folder, expected a folder of tests, ",
                    "a .tosa file or MLIR text");
  }
  if (type == std::filesystem::file_type::regular) {
    if (!of_tests) return RunNetwork(all);
    return InvalidArgument("import: --results, --runner, --xunit, --skip and --edition-rules are ",
                           "for a folder of tests, found the file ", options.tests.string());
  }
  if (!all.network.inputs.empty() || !all.network.id.empty()) {
    return InvalidArgument("import: --input and --id are for a network, expected a .tosa file or ",
                           "MLIR text instead of ", options.tests.string());
  }
  if (options.results.empty() && !(options.runner.empty() && options.xunit.empty())) {
    return InvalidArgument("import: --runner and --xunit say what becomes results; add --results");
  }
  options.stop = CatchInterrupts();
  CTS_ASSIGN_OR_RETURN(const Imported imported, ImportTests(options));
  const Suite& suite = imported.suite;
  std::string text = StrCat(suite.cases.size(), " cases of ", suite.edition, " in ",
                            options.out.string(), ", digest ", suite.digest, "\n");
  text += Listed("outputs judged by desc.json where the edition has another rule",
                 imported.other_rules);
  text += Listed("tests left out", imported.skipped);
  if (!options.results.empty()) {
    text += StrCat(imported.results, " results in ", options.results.string(), "\n");
  }
  CTS_RETURN_IF_ERROR(Say(text));
  return kDone;
}

}  // namespace

void AddImport(CLI::App& app, Action& action) {
  auto all = std::make_shared<ImportArguments>();
  ImportOptions* const options = &all->tests;
  CLI::App* command =
      app.add_subcommand("import", "Make a suite of public conformance tests, or of a network");
  command
      ->add_option("PATH", options->tests,
                   "A folder of tests with desc.json; or a .tosa file or MLIR text")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--input", all->network.inputs,
                   "For a network: values of an input; one for each input")
      ->type_name("NAME=FILE.npy");
  command->add_option("--id", all->network.id, "For a network: the id of its case")
      ->type_name("ID");
  command->add_option("--out", options->out, "Folder for the suite; must not exist, or be empty")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--edition", options->edition, "Edition of tests that tensor-cts did not write")
      ->capture_default_str()
      ->type_name("EDITION");
  command
      ->add_option("--level", options->level,
                   "Likewise, such as 8K or none (default: the edition's narrowest)")
      ->type_name("LEVEL");
  command->add_flag("--edition-rules", options->edition_rules,
                    "Judge by the edition, not by the modes of desc.json");
  command->add_flag("--skip", options->skip,
                    "Leave out and name tests that cannot be read or judged");
  command
      ->add_option("--results", options->results,
                   "Folder for results, from files that a runner left beside tests")
      ->type_name("DIR");
  command
      ->add_option("--runner", options->runner,
                   "Module of the public runner: takes FILE.MODULE.npy")
      ->type_name("MODULE");
  command
      ->add_option("--xunit", options->xunit, "The public runner's report, from its --xunit-file")
      ->type_name("FILE");
  AddJobsOption(*command, options->jobs);
  command->footer(kDoneOrCannot);
  command->callback([&action, all] { action = [all] { return RunImport(*all); }; });
}

}  // namespace cts
