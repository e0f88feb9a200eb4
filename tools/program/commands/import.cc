#include "tools/program/exchange/import.h"

#include <algorithm>
#include <map>
#include <memory>

#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/exchange/import_network.h"
#include "tools/program/exchange/memory.h"

namespace cts {
namespace {

// Why, without where: two lines that differ in the place and in numbers alone have one cause.
std::string CauseOf(const std::string& line) {
  std::string cause;
  const size_t place = line.find(": ");
  for (size_t i = place == line.npos ? 0 : place + 2; i < line.size(); ++i) {
    const bool digit = line[i] >= '0' && line[i] <= '9';
    if (!digit) cause += line[i];
    if (digit && !cause.ends_with('#')) cause += '#';
  }
  return cause;
}

// Tells how many lines there are, and for each cause how many and the first; the commonest cause
// first.
std::string Listed(const std::string& title, const std::vector<std::string>& lines) {
  constexpr size_t kShown = 20;
  if (lines.empty()) return "";
  struct Cause {
    int64_t count = 0;
    size_t first = 0;
  };
  std::map<std::string, Cause> by_cause;
  for (size_t i = lines.size(); i-- > 0;) {
    Cause& cause = by_cause[CauseOf(lines[i])];
    ++cause.count;
    cause.first = i;
  }
  std::vector<Cause> causes;
  causes.reserve(by_cause.size());
  for (const auto& [text, cause] : by_cause) causes.push_back(cause);
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.count > b.count; });
  std::string text = StrCat(title, ": ", lines.size(), "\n");
  for (size_t i = 0; i < std::min(causes.size(), kShown); ++i) {
    text += StrCat("  ", causes[i].count, " such as ", lines[causes[i].first], "\n");
  }
  if (causes.size() > kShown) text += StrCat("  and ", causes.size() - kShown, " more causes\n");
  return text;
}

// Every test left out, with the reason, a line each.
Status WriteLeftOut(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  if (file.empty()) return absl::OkStatus();
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return WriteFile(file, text);
}

struct ImportArguments {
  ImportOptions tests;
  std::filesystem::path left_out;
  NetworkOptions network;
  bool json = false;
};

Json FactsOf(const Suite& suite, const std::filesystem::path& out) {
  return {{"cases", suite.cases.size()},
          {"edition", suite.edition},
          {"level", suite.level},
          {"digest", suite.digest},
          {"out", out.string()}};
}

StatusOr<int> RunNetwork(const ImportArguments& options) {
  NetworkOptions network = options.network;
  network.file = options.tests.tests;
  network.out = options.tests.out;
  network.edition = options.tests.edition;
  network.level = options.tests.level;
  CTS_ASSIGN_OR_RETURN(const ImportedNetwork imported, ImportNetwork(network));
  if (options.json) {
    Json facts = FactsOf(imported.suite, network.out);
    facts["case"] = imported.suite.cases[0].id;
    facts["notes"] = imported.notes;
    CTS_RETURN_IF_ERROR(Emit("-", FormatJson(facts)));
    return kDone;
  }
  std::string text;
  for (const std::string& note : imported.notes) text += StrCat("note: ", Printable(note), "\n");
  CTS_RETURN_IF_ERROR(
      SayNews(StrCat(text, "case ", imported.suite.cases[0].id, " in ", network.out.string(),
                     ", digest ", imported.suite.digest, "\n")));
  return kDone;
}

StatusOr<int> RunImport(ImportArguments& all) {
  ImportOptions& options = all.tests;
  const bool of_tests = !options.results.empty() || !options.runner.empty() ||
                        !options.xunit.empty() || options.edition_rules || options.skip ||
                        !all.left_out.empty();
  CTS_ASSIGN_OR_RETURN(const std::filesystem::file_type type, TypeOf(options.tests));
  if (type == std::filesystem::file_type::not_found) {
    return NotFound(options.tests.string(),
                    ": no such file or folder, expected a folder of tests, ",
                    "a .tosa file, MLIR text or a module of SPIR-V");
  }
  if (type == std::filesystem::file_type::regular) {
    if (!of_tests) return RunNetwork(all);
    return InvalidArgument("import: --results, --runner, --xunit, --skip, --left-out and ",
                           "--edition-rules are for a folder of tests, found the file ",
                           options.tests.string());
  }
  if (!all.network.inputs.empty() || !all.network.id.empty() || all.network.random ||
      !all.network.format.empty() || !all.network.constants.empty()) {
    return InvalidArgument("import: --input, --random, --constant, --format and --id are for a ",
                           "network, expected a .tosa file, MLIR text or a module of SPIR-V ",
                           "instead of ", options.tests.string());
  }
  if (options.results.empty() && !(options.runner.empty() && options.xunit.empty())) {
    return InvalidArgument("import: --runner and --xunit say what becomes results; add --results");
  }
  if (!all.left_out.empty() && !options.skip) {
    return InvalidArgument("import: --left-out names what --skip leaves out; add --skip");
  }
  options.stop = CatchInterrupts();
  CTS_ASSIGN_OR_RETURN(const Imported imported, ImportTests(options));
  CTS_RETURN_IF_ERROR(WriteLeftOut(all.left_out, imported.skipped));
  const Suite& suite = imported.suite;
  if (all.json) {
    Json facts = FactsOf(suite, options.out);
    facts["judged_by_desc_json"] = imported.other_rules;
    facts["left_out"] = imported.skipped;
    if (!options.results.empty()) {
      facts["results"] = {{"cases", imported.results}, {"out", options.results.string()}};
    }
    CTS_RETURN_IF_ERROR(Emit("-", FormatJson(facts)));
    return kDone;
  }
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
  command->add_option("PATH", options->tests, "A folder of tests with desc.json; or a network")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--input", all->network.inputs, "For a network: an input, by name or position")
      ->type_name("NAME=FILE.npy");
  command
      ->add_option("--random", all->network.random,
                   "For a network: inputs without a file get random values")
      ->type_name("SEED");
  command
      ->add_option("--format", all->network.format,
                   "For a network: refuse a file that is no module of SPIR-V,\n"
                   "or no VGF file")
      ->check(OneOf({"spirv", "vgf"}))
      ->type_name("NAME");
  command
      ->add_option("--constant", all->network.constants,
                   "For a module of SPIR-V: the values of a constant of its\n"
                   "graph, instead of constant_ID.npy beside the module")
      ->type_name("ID=FILE.npy");
  command->add_option("--id", all->network.id, "For a network: the id of its case")
      ->type_name("ID");
  command->add_option("--out", options->out, "Folder for the suite: a new or empty one")
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
      ->add_option("--left-out", all->left_out,
                   "With --skip: write each such test and the reason, a line each")
      ->type_name("FILE");
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
  AddJsonFlag(*command, all->json);
  command->footer(kDoneOrCannot);
  command->callback([&action, all] { action = [all] { return RunImport(*all); }; });
}

void AddImportResults(CLI::App& app, Action& action) {
  auto options = std::make_shared<ImportResultsOptions>();
  auto json = std::make_shared<bool>(false);
  options->name = "imported";
  CLI::App* command = app.add_subcommand(
      "import-results", "Make results of a memory dump, of a suite in format hex or c");
  command->add_option("SUITE", options->suite, "The suite that was exported")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("DUMP", options->dumps,
                   "The results, as $writememh writes a memory of bytes; or the\n"
                   "bytes themselves, in a file that ends in .bin")
      ->required()
      ->type_name("FILE...");
  command->add_option("--manifest", options->manifest, "manifest.json, as export wrote it")
      ->required()
      ->type_name("FILE");
  command->add_option("--name", options->name, "The name of the implementation")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--out", options->out, "Folder for the results: a new or empty one")
      ->required()
      ->type_name("DIR");
  AddJsonFlag(*command, *json);
  command->footer(
      "An answer with an undefined bit (x, z) or an unknown status is malformed, and fails. A "
      "case\n"
      "without an answer is missing. A dump of another export is refused, and so is one that is\n"
      "too long, ends within an answer, or has a byte twice.\n" +
      std::string(kDoneOrCannot));
  command->callback([&action, options, json] {
    action = [options, json]() -> StatusOr<int> {
      CTS_ASSIGN_OR_RETURN(const ImportedResults imported, ImportResults(*options));
      if (*json) {
        CTS_RETURN_IF_ERROR(Emit("-", FormatJson({{"answers", imported.answers},
                                                  {"malformed", imported.malformed},
                                                  {"missing", imported.missing},
                                                  {"left_out", imported.left_out},
                                                  {"out", options->out.string()}})));
        return kDone;
      }
      CTS_RETURN_IF_ERROR(
          SayNews(StrCat(imported.answers, " answers in ", options->out.string(), ", ",
                         imported.malformed, " malformed, ", imported.missing, " missing; ",
                         imported.left_out, " cases of the suite are not in the manifest\n")));
      return kDone;
    };
  });
}

}  // namespace cts
