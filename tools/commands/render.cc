#include "tools/ask/render.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "reference/formats/mlir_text.h"
#include "tools/commands/command.h"
#include "tools/exchange/export.h"

namespace cts {
namespace {

StatusOr<int> EmitTosa(const std::vector<std::filesystem::path>& cases, const std::string& out) {
  if (cases.size() != 1) {
    return InvalidArgument("render: found ", cases.size(),
                           " cases, expected one for a .tosa file; see tensor-cts export");
  }
  if (out == "-" && isatty(STDOUT_FILENO) != 0) {
    return InvalidArgument("render: a .tosa file is not for a terminal; say --out FILE");
  }
  CTS_ASSIGN_OR_RETURN(const std::string bytes, RenderTosa(cases[0]));
  CTS_RETURN_IF_ERROR(Emit(out, bytes));
  return kDone;
}

// Reads every edition: only when somebody asks for help.
std::string DialectsOfEditions() {
  std::string dialects;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (!edition.ok() || (*edition)->mlir.empty()) continue;
    dialects += dialects.empty() ? StrCat(id, " is the dialect of MLIR ", (*edition)->mlir)
                                 : StrCat(", ", id, " that of ", (*edition)->mlir);
  }
  return StrCat("The edition decides: ", dialects, ".");
}

}  // namespace

void AddRender(CLI::App& app, Action& action) {
  struct Options {
    std::string format = "mlir", mlir_version, prefix = "case", out = "-";
    std::vector<std::filesystem::path> cases;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("render", "Print cases in another notation");
  command
      ->add_option("--format", options->format,
                   "Notation: mlir (dialect text), tosa (a .tosa file)")
      ->check(OneOf({"mlir", "tosa"}));
  command
      ->add_option("--mlir-version", options->mlir_version,
                   "Refuse editions whose dialect is of another version")
      ->check(OneOf(std::vector<std::string>(std::begin(kMlirVersions), std::end(kMlirVersions))));
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
  command->footer([] { return StrCat(DialectsOfEditions(), "\n"); });
  command->footer(kDoneOrCannot);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->format == "tosa") return EmitTosa(options->cases, options->out);
      CTS_ASSIGN_OR_RETURN(const std::string text,
                           RenderCases(options->cases, options->prefix, options->mlir_version));
      CTS_RETURN_IF_ERROR(Emit(options->out, text));
      return kDone;
    };
  });
}

}  // namespace cts
