#include "tools/program/exchange/export.h"

#include <memory>

#include "tools/program/commands/command.h"
#include "tools/program/commands/spirv_options.h"

namespace cts {
namespace {

struct ExportArguments {
  ExportOptions suite;
  SpirvArguments spirv;
};

StatusOr<int> RunExport(ExportArguments& arguments) {
  ExportOptions& options = arguments.suite;
  options.spirv = OptionsOf(arguments.spirv);
  ProgressBar bar("export");
  options.progress = [&bar](size_t done, size_t total) {
    bar.Update(static_cast<int>(done), static_cast<int>(total));
  };
  options.stop = CatchInterrupts();
  const bool of_memory = options.format == "hex" || options.format == "c";
  if (!of_memory && (options.expected || options.memory_bytes != kMemoryBudget)) {
    return InvalidArgument("export: --memory and --expected are for the formats hex and c, found ",
                           options.format);
  }
  CTS_ASSIGN_OR_RETURN(const ExportSummary summary, ExportSuite(options));
  std::string text = StrCat(summary.cases, " cases in ", options.out.string(), "\n");
  if (summary.left_out > 0) {
    text += StrCat(summary.left_out, " cases that the format cannot hold: see ",
                   (options.out / "left_out.txt").string(), "\n");
  }
  if (summary.other > 0) {
    text += StrCat(summary.other, " cases of the suite that --filter does not name\n");
  }
  CTS_RETURN_IF_ERROR(Say(text));
  return kDone;
}

}  // namespace

void AddExport(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ExportArguments>();
  ExportOptions* const options = &arguments->suite;
  CLI::App* command = app.add_subcommand("export", "Write a suite in another format");
  std::vector<std::string> names;
  std::string formats = "Formats:\n";
  for (const ExportFormat& format : ExportFormats()) {
    names.emplace_back(format.name);
    formats += StrCat("  ", format.name, ": ", format.description, "\n");
  }
  command->add_option("--format", options->format, "The format: see below")
      ->required()
      ->check(OneOf(names))
      ->type_name("NAME");
  command->add_option("--out", options->out, "Folder to write: a new or empty one")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--tosa-version", options->tosa_version,
                   "The version that .tosa files say they have, such as\n"
                   "1.0.2, instead of 1.0.0; with it they name a release of\n"
                   "the serialization, too")
      ->type_name("VERSION");
  AddSpirvOptions(*command, arguments->spirv);
  AddFilterOption(*command, options->filter);
  command
      ->add_option("--memory", options->memory_bytes,
                   "Formats hex and c: the most bytes that one case may need,\n"
                   "with the tensors between its operators; at most 1 GiB")
      ->check(CLI::Range(uint64_t{1}, kMaxMemoryResults))
      ->capture_default_str()
      ->type_name("BYTES");
  command->add_flag("--expected", options->expected,
                    "Formats hex and c: with the bits of outputs that have one\n"
                    "right result");
  AddJobsOption(*command, options->jobs, "; the files do not depend on it");
  command->add_option("SUITE", options->suite, "A suite, as generate writes it")
      ->required()
      ->type_name("DIR");
  command->footer(formats +
                  "Every case gets the folder DIR/<operator>/<case>. Cases that the format cannot\n"
                  "hold, such as one with an attribute of the wrong kind, are left out.\n"
                  "DIR/left_out.txt lists them.\n"
                  "Exit code: 0 written; 2 the suite cannot be read, or nothing is to write.");
  command->callback(
      [&action, arguments] { action = [arguments] { return RunExport(*arguments); }; });
}

}  // namespace cts
