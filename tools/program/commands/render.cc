#include "tools/program/ask/render.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "reference/formats/mlir/mlir_text.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/spirv_options.h"
#include "tools/program/exchange/export.h"

namespace cts {
namespace {

struct RenderArguments {
  std::string format = "mlir", mlir_version, prefix = "case", out = "-";
  SpirvArguments spirv;
  std::vector<std::filesystem::path> cases;
};

StatusOr<int> EmitBinary(const RenderArguments& options) {
  const bool tosa = options.format == "tosa", vgf = options.format == "vgf";
  const char* const kind = tosa ? "a .tosa file" : vgf ? "a VGF file" : "a SPIR-V module";
  if (options.cases.size() != 1) {
    return InvalidArgument("render: found ", options.cases.size(), " cases, expected one for ",
                           kind, "; see tensor-cts export");
  }
  if (options.out == "-" && isatty(STDOUT_FILENO) != 0) {
    return InvalidArgument("render: ", kind, " is not for a terminal; say --out FILE");
  }
  CTS_ASSIGN_OR_RETURN(const std::string bytes,
                       tosa  ? RenderTosa(options.cases[0])
                       : vgf ? RenderVgf(options.cases[0], OptionsOf(options.spirv))
                             : RenderSpirv(options.cases[0], OptionsOf(options.spirv)));
  CTS_RETURN_IF_ERROR(Emit(options.out, bytes));
  return kDone;
}

// Reads every edition: only when the user asks for help.
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
  auto options = std::make_shared<RenderArguments>();
  CLI::App* command = app.add_subcommand("render", "Print cases in another notation");
  command
      ->add_option("--format", options->format,
                   "Notation: mlir (dialect text), tosa (a .tosa file),\n"
                   "spirv (a module of SPIR-V), vgf (Arm's container of one)")
      ->check(OneOf({"mlir", "spirv", "tosa", "vgf"}));
  command
      ->add_option("--mlir-version", options->mlir_version,
                   "Refuse editions whose dialect is of another version")
      ->check(OneOf(std::vector<std::string>(std::begin(kMlirVersions), std::end(kMlirVersions))));
  command
      ->add_option("--prefix", options->prefix,
                   "Case number i, counted from 0, becomes the function PREFIX_i")
      ->capture_default_str();
  AddSpirvOptions(*command, options->spirv);
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
      if (options->format != "mlir") return EmitBinary(*options);
      CTS_ASSIGN_OR_RETURN(const std::string text,
                           RenderCases(options->cases, options->prefix, options->mlir_version));
      CTS_RETURN_IF_ERROR(Emit(options->out, text));
      return kDone;
    };
  });
}

}  // namespace cts
