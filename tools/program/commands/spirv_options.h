// The options of `render` and `export` for SPIR-V modules.
#pragma once

#include <string>

#include "reference/formats/spirv/spirv.h"
#include "tools/program/commands/command.h"

namespace cts {

struct SpirvArguments {
  std::string constants = "module";
  bool lower = false;
};

inline void AddSpirvOptions(CLI::App& command, SpirvArguments& arguments) {
  std::vector<std::string> names;
  for (const SpirvConstantsName& row : kSpirvConstants) names.emplace_back(row.name);
  command
      .add_option("--constants", arguments.constants,
                  "spirv, vgf: how constants are held: element by element in the\n"
                  "module, replicated, as null, as constants of the graph,\n"
                  "as specialization constants")
      ->capture_default_str()
      ->check(OneOf(names));
  command.add_flag("--lower", arguments.lower,
                   "spirv, vgf: write what has no word: shape [1] for [], i8 for i4,\n"
                   "no IDENTITY, where the answer stays the same");
}

inline SpirvOptions OptionsOf(const SpirvArguments& arguments) {
  return {.constants = *ParseSpirvConstants(arguments.constants), .lower = arguments.lower};
}

}  // namespace cts
