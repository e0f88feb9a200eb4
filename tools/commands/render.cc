#include "tools/render.h"

#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "reference/graph/mlir_text.h"
#include "tools/commands/command.h"

namespace cts {

void AddRender(CLI::App& app, Action& action) {
  struct Options {
    std::string format = "mlir", mlir_version, prefix = "case", out = "-";
    std::vector<std::filesystem::path> cases;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("render", "Print cases in another notation");
  command->add_option("--format", options->format, "The notation: mlir (TOSA dialect text)")
      ->check(CLI::IsMember({"mlir"}));
  command
      ->add_option("--mlir-version", options->mlir_version,
                   "The version of MLIR that is to read it: those that the text was checked with")
      ->check(
          CLI::IsMember(std::set<std::string>(std::begin(kMlirVersions), std::end(kMlirVersions))));
  command
      ->add_option("--prefix", options->prefix,
                   "Case number i, counted from 0, becomes the function PREFIX_i")
      ->capture_default_str();
  command->add_option("--out", options->out, "File to write; - prints it")
      ->capture_default_str()
      ->type_name("FILE");
  command->add_option("CASE", options->cases, "Folders of cases: SUITE/<operator>/<case>")
      ->required()
      ->type_name("DIR");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_ASSIGN_OR_RETURN(const std::string text, RenderCases(options->cases, options->prefix));
      CTS_RETURN_IF_ERROR(Emit(options->out, text));
      return kDone;
    };
  });
}

}  // namespace cts
